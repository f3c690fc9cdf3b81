/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions whose sizes follow from data. Such a function is cut into stages
 * (cut_graph.h). The last one is the function itself, with further arguments:
 * counts, and arrays that cross the cut. Each stage before it is a function
 * that computes those. It has the caller's arguments and what the stages before
 * it computed. To the last stage a count is an integer in an argument that
 * sizes depend on: a call reads it, and finds or makes the plan for it. Updates
 * are all in the last stage. */
#include <string.h>

#include "func/cut_graph.h"
#include "func/func.h"

/* --- making --- */

/* The inputs of a stage, ended by NULL; the caller frees the list. */
static gg_var **list_inputs(const gg__build *b) {
  gg_var **list = ga__calloc(b->inputs.n + 1, sizeof *list);

  if (list != NULL && b->inputs.n > 0)
    memcpy(list, b->inputs.v, b->inputs.n * sizeof *list);
  return list;
}

/* Make the stage that computes `cut` from the inputs of b. Its arguments are
 * checked and converted already. */
static int add_stage(gg_func *f, const gg_func_spec *spec, const gg__build *b,
                     gg__cut *cut) {
  gg_var **inputs = list_inputs(b);
  gg__stage stage = {.n = cut->n};
  gg_func_spec own = *spec;
  int err;

  if (inputs == NULL)
    GA_CHECK(ga__fail_nomem());
  GA_CHECK(ga__vec_push(cut, NULL));
  cut->n--;
  own.inputs = inputs;
  own.outputs = cut->v;
  own.updates = NULL;
  own.givens = NULL;
  own.mutable_inputs = own.borrowed_outputs = NULL;
  own.strict_inputs = own.downcast_inputs = NULL;
  own.flags |= GG_NO_DEFAULT_UPDATES | GG_ALLOW_UNUSED_INPUT;
  own.flags &= ~GG_PROFILE;
  GA_CHECK(gg_func_new(&stage.f, b->g, &own));
  GA_CHECK(ga__vec_push(&f->stages, stage));
  stage.f = NULL;
done:
  gg_func_free(stage.f);
  ga__free(inputs);
  return err;
}

/* Replace what crosses the cut by further inputs. */
static int replace(gg__build *b, const gg__cut *cut) {
  gg__subst s;
  int err = GA_NO_ERROR;

  gg__subst_init(&s, b->g);
  for (size_t k = 0; k < cut->n; k++) {
    gg_var *v = gg__var_new(b->g, GG_VAR_INPUT, &cut->v[k]->type,
                            gg__display_name(cut->v[k]));
    if (v == NULL)
      GA_CHECK(gg_graph_status(b->g));
    v->site = cut->v[k]->site;
    GA_CHECK(ga__vec_push(&b->inputs, v));
    GA_CHECK(gg__subst_put(&s, cut->v[k], v));
  }
  GA_CHECK(gg__replace_results(b, &s));
done:
  gg__subst_clear(&s);
  return err;
}

int gg__stages_make(gg_func *f, const gg_func_spec *spec, gg__build *b) {
  int err = GA_NO_ERROR, more = 1;
  gg__cut cut;

  f->n_given = b->inputs.n;
  while (more && err == GA_NO_ERROR) {
    err = gg__cut_find(&cut, b);
    more = cut.n > 0;
    if (err == GA_NO_ERROR && more)
      err = add_stage(f, spec, b, &cut);
    if (err == GA_NO_ERROR && more)
      err = replace(b, &cut);
    ga__vec_clear(&cut);
  }
  if (err != GA_NO_ERROR || f->stages.n == 0)
    return err;
  f->staged = ga__calloc(b->inputs.n, sizeof *f->staged);
  f->arrays = ga__calloc(b->inputs.n - f->n_given, sizeof *f->arrays);
  if (f->staged == NULL || f->arrays == NULL)
    return ga__fail_nomem();
  for (size_t k = f->n_given; k < b->inputs.n; k++)
    f->staged[k] = &f->arrays[k - f->n_given];
  return GA_NO_ERROR;
}

/* --- calls --- */

int gg__stages_run(gg_func *f, GpuArray *const **in) {
  GpuArray *const *given = *in;
  size_t n = f->n_given;

  if (f->twin != NULL)
    GA_TRY(gg__stages_run(f->twin, &given));
  if (f->stages.n == 0)
    return GA_NO_ERROR;
  for (size_t k = 0; k < n; k++)
    f->staged[k] = *in != NULL ? (*in)[k] : NULL;
  for (size_t k = 0; k < f->stages.n; k++) {
    GA_TRY(gg__run(f->stages.v[k].f, f->staged, f->staged + n));
    n += f->stages.v[k].n;
  }
  *in = f->staged;
  return GA_NO_ERROR;
}

void gg__stages_drop(gg_func *f) {
  for (size_t k = f->n_given;
       f->stages.n > 0 && f->arrays != NULL && k < f->unit.program.arguments.n;
       k++)
    GpuArray_clear(&f->arrays[k - f->n_given]);
}

void gg__stages_free(gg_func *f) {
  gg__stages_drop(f);
  for (size_t k = 0; k < f->stages.n; k++)
    gg_func_free(f->stages.v[k].f);
  ga__vec_clear(&f->stages);
  ga__free(f->staged);
  ga__free(f->arrays);
}
