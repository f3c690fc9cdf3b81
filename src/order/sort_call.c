/* SPDX-License-Identifier: BSD-2-Clause */
#include "order/sort_call.h"

#include "array/geometry.h"
#include "base/err.h"
#include "ocl/launch/launch_cache.h"
#include "order/fresh.h"
#include "order/sort_rows.h"

static int prepare_call(GpuLaunch **out, const void *arg) {
  const ga__sort_call *c = arg;

  return c->prepare(out, c);
}

static int run(const ga__sort_call *c) {
  const void *const arrays[GA_SORT_SLOTS] = {c->src, c->values, c->indices};
  gpucontext *ctx = GpuArray_context(c->src);
  ga__launch_key key;

  ga__launch_key_start(&key, ctx, c->name);
  ga__launch_key_number(&key, c->axis);
  ga__launch_key_number(&key, (size_t)c->flags);
  ga__launch_key_number(&key, c->n_ranks);
  for (unsigned int k = 0; k < c->n_ranks; k++)
    ga__launch_key_number(&key, c->ranks[k]);
  for (unsigned int k = 0; k < GA_SORT_SLOTS; k++) {
    ga__launch_key_number(&key, arrays[k] != NULL);
    if (arrays[k] != NULL)
      ga__launch_key_array(&key, arrays[k]);
  }
  return ga__cached_run(&(ga__cached_call){.ctx = ctx,
                                           .key = &key,
                                           .n = GA_SORT_SLOTS,
                                           .values = arrays,
                                           .prepare = prepare_call,
                                           .arg = c});
}

static int make_result(GpuArray *a, const ga__sort_call *c, int dtype) {
  const GpuArray *src = c->src;
  size_t dims[GA_ND_MAX];

  for (unsigned int d = 0; d < src->nd; d++)
    dims[d] = d == c->axis ? c->k : src->dimensions[d];
  return GpuArray_empty(a, GpuArray_context(src), dtype, src->nd, dims,
                        GA_C_ORDER);
}

int ga__sort_call_run(const ga__sort_call *c) {
  GpuArray *const results[2] = {c->values, c->indices};
  int err = GA_NO_ERROR;

  GA_TRY(ga__fresh(2, results, 1, &c->src));
  GA_TRY(ga__array_check(c->src));
  if (c->check != NULL)
    GA_TRY(c->check(c));
  for (int k = 0; k < 2; k++) {
    if (results[k] != NULL)
      GA_CHECK(make_result(results[k], c, k == 0 ? c->src->typecode : GA_LONG));
  }
  GA_CHECK(run(c));

done:
  for (int k = 0; k < 2 && err != GA_NO_ERROR; k++) {
    if (results[k] != NULL)
      GpuArray_clear(results[k]);
  }
  return err;
}
