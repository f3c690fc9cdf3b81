/* SPDX-License-Identifier: BSD-2-Clause */
/* Cumulations of one array, chosen by operation. A call makes a temporary
 * GpuCumulation; its launch stays in the launch cache. */
#include "array/geometry.h"
#include "array/operands.h"
#include "base/dtype.h"
#include "ocl/launch/launch_cache.h"
#include "order/cumulate_op.h"
#include "order/fresh.h"

typedef struct call {
  const GpuArray *src;
  GpuArray *dst;
  ga_cumulate_op op;
  unsigned int axis;
  int flags;
} call;

static int prepare_call(GpuLaunch **out, const void *arg) {
  const call *c = arg;
  const gpuelemwise_arg value = {"v", c->dst->typecode, GE_READ};
  const gpuelemwise_arg args[2] = {{"x", c->src->typecode, GE_READ},
                                   {"z", c->dst->typecode, GE_WRITE}};
  const GpuCumulationSpec spec = {
      .op = c->op, .n_values = 1, .values = &value, .n_args = 2, .args = args};
  GpuCumulation *cumulation = NULL;
  int err;

  *out = NULL;
  GA_CHECK(GpuCumulation_new(&cumulation, GpuArray_context(c->src), &spec));
  GA_CHECK(GpuCumulation_prepare(out, cumulation, c->src->nd,
                                 c->src->dimensions, c->axis, c->flags,
                                 (void *[]){(void *)c->src, c->dst}));

done:
  GpuCumulation_free(cumulation);
  return err;
}

static int run(const call *c) {
  const void *const arrays[2] = {c->src, c->dst};
  gpucontext *ctx = GpuArray_context(c->src);
  ga__launch_key key;

  ga__launch_key_start(&key, ctx, "cumulate");
  ga__launch_key_number(&key, (size_t)c->op);
  ga__launch_key_number(&key, c->axis);
  ga__launch_key_number(&key, (size_t)c->flags);
  ga__launch_key_array(&key, c->src);
  ga__launch_key_array(&key, c->dst);
  return ga__cached_run(&(ga__cached_call){.ctx = ctx,
                                           .key = &key,
                                           .n = 2,
                                           .values = arrays,
                                           .prepare = prepare_call,
                                           .arg = c});
}

/* --- dtypes --- */

static int result_dtype(ga_cumulate_op op, int typecode) {
  const int is_total = op == GA_CUMULATE_SUM || op == GA_CUMULATE_PROD;

  if (op == GA_CUMULATE_ANY || op == GA_CUMULATE_ALL)
    return GA_BOOL;
  switch (is_total ? ga__dtype_kind(typecode) : GA_KIND_FLOAT) {
  case GA_KIND_UINT:
    return GA_ULONG;
  case GA_KIND_BOOL:
  case GA_KIND_INT:
    return GA_LONG;
  default:
    return typecode;
  }
}

int GpuArray_cumulate(GpuArray *dst, const GpuArray *src, ga_cumulate_op op,
                      unsigned int axis, int flags, int restype) {
  GA_TRY(ga__fresh_one(dst, 1, &src));
  GA_TRY(ga__array_check(src));
  if (axis >= src->nd)
    return ga__fail(GA_VALUE_ERROR, "axis %u of an array of %u dimensions",
                    axis, src->nd);
  if (op == GA_CUMULATE_EXPR)
    return ga__fail(GA_VALUE_ERROR,
                    "cumulate: operation %d needs a GpuCumulationSpec",
                    (int)op);
  const int type = restype >= 0 ? restype : result_dtype(op, src->typecode);
  GA_TRY(ga__cumulate_check_op("result", op, type));
  GA_TRY(GpuArray_empty(dst, GpuArray_context(src), type, src->nd,
                        src->dimensions, GA_C_ORDER));
  const int err = run(&(call){src, dst, op, axis, flags});
  if (err != GA_NO_ERROR)
    GpuArray_clear(dst);
  return err;
}
