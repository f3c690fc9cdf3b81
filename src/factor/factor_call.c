/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls of factorisations: launches are prepared, or taken from the cache. */
#include "array/geometry.h"
#include "factor/factor.h"
#include "ocl/launch/launch_cache.h"

typedef struct call {
  const ga__factor_family *family;
  const GpuArray *arrays[GA_FACTOR_SLOTS];
  int flags;
} call;

static void name_arrays(ga__factor_array *o, const ga__factor_family *family,
                        const GpuArray *const *arrays) {
  for (unsigned int i = 0; i < family->n_slots; i++)
    o[i] = (ga__factor_array){family->arrays[i], arrays[i], i};
}

static int has_results(const ga__factor_family *family,
                       const ga__factor_array *o) {
  for (unsigned int i = family->n_in; i < family->n_slots; i++)
    if (o[i].array != NULL && ga__array_total(o[i].array) > 0)
      return 1;
  return 0;
}

int ga__factor_prepare(GpuLaunch **out, const ga__factor_family *family,
                       const GpuArray *const *arrays, int flags) {
  ga__factor_array o[GA_FACTOR_SLOTS];
  ga__factor f;

  *out = NULL;
  name_arrays(o, family, arrays);
  GA_TRY(ga__factor_check_first(&o[0]));
  GA_TRY(family->check(o, flags));
  ga__factor_open(&f, family->name, family->n_slots, &o[0]);
  ga__factor_bind(&f, family->n_slots, o);
  if (has_results(family, o))
    family->add(&f, o, flags);
  return ga__launch_seal(out, f.l);
}

static int prepare_call(GpuLaunch **out, const void *arg) {
  const call *c = arg;

  return ga__factor_prepare(out, c->family, c->arrays, c->flags);
}

static int run(const call *c) {
  const unsigned int n = c->family->n_slots;
  gpucontext *const ctx = GpuArray_context(c->arrays[0]);
  const void *values[GA_FACTOR_SLOTS];
  ga__launch_key key;

  ga__launch_key_start(&key, ctx, c->family->name);
  ga__launch_key_number(&key, (size_t)c->flags);
  for (unsigned int k = 0; k < n; k++) {
    values[k] = c->arrays[k];
    ga__launch_key_number(&key, c->arrays[k] != NULL);
    if (c->arrays[k] != NULL)
      ga__launch_key_array(&key, c->arrays[k]);
  }
  return ga__cached_run(&(ga__cached_call){.ctx = ctx,
                                           .key = &key,
                                           .n = n,
                                           .values = values,
                                           .prepare = prepare_call,
                                           .arg = c});
}

/* Check that no result is a second one of the arrays. */
static int check_fresh(const call *c) {
  for (unsigned int i = c->family->n_in; i < c->family->n_slots; i++)
    for (unsigned int k = 0; k < i; k++)
      if (c->arrays[i] != NULL && c->arrays[k] == c->arrays[i])
        return ga__fail(GA_VALUE_ERROR,
                        "a result is the same array as another argument");
  return GA_NO_ERROR;
}

int ga__factor_call(const ga__factor_family *family,
                    const GpuArray *const *operands, GpuArray *const *results,
                    int flags) {
  call c = {.family = family, .flags = flags};
  GpuArray *to[GA_FACTOR_SLOTS] = {NULL};
  ga__factor_array o[GA_FACTOR_SLOTS];
  int err;

  for (unsigned int i = 0; i < family->n_slots; i++) {
    if (i >= family->n_in)
      to[i] = results[i - family->n_in];
    c.arrays[i] = i < family->n_in ? operands[i] : to[i];
  }
  GA_TRY(check_fresh(&c));
  for (unsigned int i = 0; i < family->n_slots; i++)
    if (to[i] != NULL)
      *to[i] = (GpuArray){0};
  if (family->needed != 0 && to[family->needed] == NULL)
    return ga__fail(GA_INVALID_ERROR, "%s: no array",
                    family->arrays[family->needed]);
  name_arrays(o, family, c.arrays);
  GA_TRY(ga__factor_check_first(&o[0]));
  GA_CHECK(family->make(to, o, flags));
  GA_CHECK(run(&c));

done:
  for (unsigned int i = 0; i < family->n_slots && err != GA_NO_ERROR; i++)
    if (to[i] != NULL)
      GpuArray_clear(to[i]);
  return err;
}

int ga__factor_make(GpuArray *to, const GpuArray *a, int typecode,
                    unsigned int nd, const size_t *dims) {
  return to == NULL ? GA_NO_ERROR
                    : GpuArray_empty(to, GpuArray_context(a), typecode, nd,
                                     dims, GA_C_ORDER);
}

int ga__factor_make_solution(GpuArray *to, const ga__factor_array *a,
                             const ga__factor_array *b) {
  GA_TRY(ga__factor_check(b, a, 0));
  return ga__factor_make(to, a->array, a->array->typecode, b->array->nd,
                         b->array->dimensions);
}
