/* SPDX-License-Identifier: BSD-2-Clause */
/* The public functions of convolutions, and the arguments of epilogues. */
#include "conv/conv.h"

#include "array/operands.h"
#include "base/alloc.h"
#include "base/dtype.h"
#include "conv/conv_measure.h"
#include "linalg/epilogue_spec.h"
#include "ocl/launch/launch_cache.h"

static size_t total(const ga__conv_array *a) {
  return a->n[0] * a->n[1] * a->size[0] * a->size[1] * a->size[2];
}

static void add_cost(GpuLaunch *l, const ga__conv *c) {
  const double size = (double)ga__dtype_size(c->typecode);
  const double elements =
      (double)total(&c->x) + (double)total(&c->w) + (double)total(&c->y);
  const double each =
      (double)(c->w.n[1] * c->w.size[0] * c->w.size[1] * c->w.size[2]);

  ga__launch_cost(l, size * elements, 2 * (double)total(&c->y) * each);
}

/* --- epilogues --- */

enum {
  OWN_PARAMS = 58, /* most arguments of the product itself */
  ARRAY_PARAMS = 7 /* buffer, offset and five strides */
};

/* An epilogue, and the strides of its arguments along the result's axes. */
typedef struct ending {
  ga__epilogue epilogue;
  ga__conv_arg *args; /* owned */
} ending;

static void ending_clear(ending *to) {
  ga__epilogue_clear(&to->epilogue);
  ga__free(to->args);
}

/* Describe argument k of an epilogue of the result `y`. */
static int take_arg(ending *to, unsigned int k, const gpuelemwise_arg *spec,
                    void *value, const GpuArray *y) {
  const GpuArray *a = value;
  ga__conv_arg *s = &to->args[k];
  ptrdiff_t strides[5];

  if (spec->flags & GE_SCALAR) {
    to->epilogue.args[k].value = value;
    return GA_NO_ERROR;
  }
  GA_TRY(ga__epilogue_place(strides, spec, a, y->nd, y->dimensions));
  to->epilogue.args[k].buf = a->data;
  to->epilogue.args[k].off = a->offset;
  s->by[0] = strides[0];
  s->by[1] = strides[1];
  for (unsigned int d = 2; d < y->nd; d++)
    s->s[3 + d - y->nd] = strides[d];
  return GA_NO_ERROR;
}

/* Check overlaps of the written arguments with the operands and with other
 * arguments. */
static int check_apart(const GpuEpilogue *e, void **args,
                       GpuArray *const given[3]) {
  for (unsigned int k = 0; k < e->n_args; k++)
    for (unsigned int i = 0; (e->args[k].flags & GE_WRITE) && i < 2; i++)
      GA_TRY(ga__operand_check_apart(e->args[k].name, args[k], "an operand",
                                     given[i]));
  return ga__operands_check_apart(e->n_args, e->args, args);
}

static int take_ending(ending *to, GpuArray *const given[3],
                       const GpuEpilogue *e, void **args) {
  gpucontext *const ctx = GpuArray_context(given[0]);

  if (args == NULL)
    return ga__fail(GA_INVALID_ERROR, "epilogue: no arguments");
  if (e->sum != NULL)
    return ga__fail(GA_VALUE_ERROR, "a convolution has no sum of a vector");
  GA_TRY(ga__epilogue_init(&to->epilogue, e, ctx, given[0]->typecode));
  GA_TRY(ga__epilogue_check_params(e, ctx, OWN_PARAMS, ARRAY_PARAMS));
  to->args = ga__calloc(e->n_args, sizeof *to->args);
  if (to->args == NULL)
    return ga__fail_nomem();
  GA_TRY(ga__epilogue_check_args(e, args, ctx, "result", given[2]->nd,
                                 given[2]->dimensions));
  for (unsigned int k = 0; k < e->n_args; k++)
    GA_TRY(take_arg(to, k, &e->args[k], args[k], given[2]));
  return check_apart(e, args, given);
}

/* --- launches --- */

static int prepare(GpuLaunch **out, const ga__conv *c, ga_conv_part part,
                   GpuArray *const given[3], ending *end,
                   const ga__provider *by) {
  const ga__conv_ending e = {.epilogue = &end->epilogue, .args = end->args};
  const int has_end = end->epilogue.spec != NULL;
  const unsigned int n = has_end ? ga__epilogue_count(&end->epilogue) : 0;
  GpuLaunch *l = ga__launch_open(c->ctx, "conv", GA_EPILOGUE_SLOT + n);

  for (unsigned int i = 0; i < (has_end ? 2 : 3); i++)
    ga__launch_bind_array(l, i, given[i]);
  if (has_end)
    ga__epilogue_bind(l, &end->epilogue);
  add_cost(l, c);
  ga__conv_add(l, c, part, has_end ? &e : NULL, by);
  return ga__launch_seal(out, l);
}

/* Without an epilogue, and as `by` says. */
static int prepare_plain(GpuLaunch **out, const GpuConv *g, ga_conv_part part,
                         GpuArray *const given[3], const ga__provider *by) {
  ending none = {.args = NULL};
  ga__conv c;

  *out = NULL;
  GA_TRY(ga__conv_describe(
      &c, g, part, (const GpuArray *[3]){given[0], given[1], given[2]}, 1));
  return prepare(out, &c, part, given, &none,
                 by == ga__conv_as_model ? NULL : by);
}

int ga__conv_prepare_by(GpuLaunch **out, const GpuConv *g, ga_conv_part part,
                        GpuArray *const given[3], const GpuEpilogue *e,
                        void **args, const ga__provider *by) {
  const GpuArray *const arrays[3] = {given[0], given[1], given[2]};
  ending end = {.args = NULL};
  ga__conv c;
  int err;

  *out = NULL;
  GA_TRY(ga__conv_describe(&c, g, part, arrays, e == NULL));
  GA_TRY(ga__product_support(c.ctx, c.typecode));
  if (e != NULL)
    GA_CHECK(take_ending(&end, given, e, args));
  if (by == NULL)
    by = ga__conv_measured(
        &c, &(ga__conv_request){g, part, given, e == NULL, prepare_plain});
  err = prepare(out, &c, part, given, &end, by);

done:
  ending_clear(&end);
  return err;
}

int GpuConv_prepare(GpuLaunch **out, const GpuConv *c, ga_conv_part part,
                    GpuArray *a, GpuArray *b, GpuArray *r, const GpuEpilogue *e,
                    void **args) {
  return ga__conv_prepare_by(out, c, part, (GpuArray *[3]){a, b, r}, e, args,
                             NULL);
}

/* --- direct calls --- */

/* A checked convolution without an epilogue. All members are borrowed. */
typedef struct job {
  const GpuConv *g;
  const ga__conv *c;
  ga_conv_part part;
  GpuArray *const *given;
} job;

static int prepare_job(GpuLaunch **out, const void *arg) {
  const job *j = arg;
  const ga__conv_request q = {j->g, j->part, j->given, 1, prepare_plain};
  ending none = {.args = NULL};

  return prepare(out, j->c, j->part, j->given, &none,
                 ga__conv_measured(j->c, &q));
}

static void make_key(ga__launch_key *key, const GpuConv *c, const job *j) {
  ga__launch_key_start(key, j->c->ctx, "conv");
  ga__launch_key_number(key, (size_t)j->part);
  ga__launch_key_number(key, c->groups);
  ga__launch_key_number(key, (size_t)(c->flip != 0));
  for (int i = 0; i < 3; i++)
    ga__launch_key_array(key, j->given[i]);
  for (unsigned int d = 0; d < c->nd; d++) {
    ga__launch_key_number(key, c->stride[d]);
    ga__launch_key_number(key, c->dilation[d]);
    ga__launch_key_number(key, c->before[d]);
    ga__launch_key_number(key, c->after[d]);
  }
}

int GpuConv_call(const GpuConv *c, ga_conv_part part, GpuArray *a, GpuArray *b,
                 GpuArray *r) {
  GpuArray *const given[3] = {a, b, r};
  ga__conv checked;
  ga__launch_key key;

  GA_TRY(
      ga__conv_describe(&checked, c, part, (const GpuArray *[3]){a, b, r}, 1));
  GA_TRY(ga__product_support(checked.ctx, checked.typecode));
  const job j = {c, &checked, part, given};
  make_key(&key, c, &j);
  return ga__cached_run(&(ga__cached_call){.ctx = checked.ctx,
                                           .key = &key,
                                           .n = 3,
                                           .values = (const void *[3]){a, b, r},
                                           .prepare = prepare_job,
                                           .arg = &j});
}
