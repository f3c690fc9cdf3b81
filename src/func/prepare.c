/* SPDX-License-Identifier: BSD-2-Clause */
/* Plans that are made before calls, with arguments that nothing reads and that
 * are freed afterwards. */
#include "func/func.h"

/* Arrays that replace those of a call. */
typedef struct stand_ins {
  GpuArray *arrays, **list; /* inputs, then outputs */
  size_t n;
} stand_ins;

static void stand_ins_clear(stand_ins *x) {
  for (size_t k = 0; x->arrays != NULL && k < x->n; k++)
    GpuArray_clear(&x->arrays[k]);
  ga__free(x->arrays);
  ga__free(x->list);
}

/* Outputs have no memory, like zeroed arrays that a caller passes. */
static int stand_ins_init(stand_ins *x, const gg_func *f,
                          const gg_dims *sizes) {
  const gg__program *p = &f->unit.program;

  x->n = p->arguments.n + p->results.n;
  x->arrays = ga__calloc(x->n, sizeof *x->arrays);
  x->list = ga__calloc(x->n, sizeof *x->list);
  if (x->arrays == NULL || x->list == NULL)
    return ga__fail_nomem();
  for (size_t k = 0; k < x->n; k++)
    x->list[k] = &x->arrays[k];
  for (size_t k = 0; k < p->arguments.n; k++) {
    const gg_type *t = &p->arguments.v[k]->type;
    GA_TRY(GpuArray_empty(x->list[k], t->ctx, t->dtype, sizes[k].nd,
                          sizes[k].dim, GA_C_ORDER));
  }
  return GA_NO_ERROR;
}

static int check(const gg_func *f, const gg_dims *sizes) {
  const gg__program *p = &f->unit.program;

  if (f->stages.n > 0)
    return ga__fail(GA_UNSUPPORTED_ERROR, "sizes follow from data, which only "
                                          "calls know");
  if (sizes == NULL && p->arguments.n != 0)
    return ga__fail(GA_VALUE_ERROR, "expected sizes of %zu inputs, got none",
                    p->arguments.n);
  for (unsigned int i = 0; i < p->arguments.n; i++)
    GA_TRY(gg__check_sizes(f, i, &sizes[i]));
  if (p->scalars.n == 0)
    return GA_NO_ERROR;
  return ga__fail(GA_UNSUPPORTED_ERROR,
                  "sizes depend on the value of %s, which only calls know",
                  gg__display_name(p->arguments.v[p->scalars.v[0].leaf]));
}

/* The twin of debug mode has as many outputs as f has results, so `x` fits
 * both, unless the twin has stages: then calls prepare it. */
static int prepare(gg_func *f, const stand_ins *x) {
  GpuArray *const *out = x->list + f->unit.program.arguments.n;
  gg__plan *p;

  if (f->twin != NULL && f->twin->stages.n == 0)
    GA_TRY(prepare(f->twin, x));
  f->unit.frame.in = x->list;
  GA_TRY(gg__find_plan(f, &p));
  if (p != NULL)
    return GA_NO_ERROR;
  int err = gg__make_plan(f, out, &p);
  gg__drop_outputs(f);
  if (err == GA_NO_ERROR) {
    gg__unbind(p, GG_STORE_INPUT);
    gg__unbind(p, GG_STORE_OUTPUT);
  }
  if (f->unit.frees_temps)
    gg__temps_free(&f->unit, p);
  return err;
}

int gg_func_prepare(gg_func *f, const gg_dims *sizes) {
  stand_ins x = {NULL, NULL, 0};
  int err;

  if (f == NULL)
    return ga__fail(GA_VALUE_ERROR, "no function");
  gg__lock_call(f);
  GA_CHECK(check(f, sizes));
  GA_CHECK(stand_ins_init(&x, f, sizes));
  GA_CHECK(prepare(f, &x));
done:
  stand_ins_clear(&x);
  gg__unlock_call(f);
  return err == GA_NO_ERROR ? err : gg__func_failed(f, err);
}
