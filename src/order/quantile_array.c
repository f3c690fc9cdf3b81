/* SPDX-License-Identifier: BSD-2-Clause */
/* Quantiles: the elements of one rank or two, and what is between them. */
#include <gpuarray/topk.h>
#include <math.h>

#include "array/elemwise_parts.h"
#include "array/geometry.h"
#include "array/operands.h"
#include "base/dtype.h"
#include "order/fresh.h"

/* The ranks beside a quantile, and the part of the way between them. */
typedef struct between {
  size_t lower, higher, nearest;
  double part;
} between;

static between ranks_of(double q, size_t n) {
  const double at = q * (double)(n - 1), low = floor(at);

  return (between){.lower = (size_t)low,
                   .higher = (size_t)ceil(at),
                   .nearest = (size_t)rint(at),
                   .part = at - low};
}

/* The dtype of a mean. */
static int mean_dtype(int typecode) {
  if (ga__dtype_kind(typecode) == GA_KIND_FLOAT)
    return typecode;
  return ga__dtype_size(typecode) == 8 ? GA_DOUBLE : GA_FLOAT;
}

static int is_mixed(ga_quantile_method method) {
  return method == GA_QUANTILE_LINEAR || method == GA_QUANTILE_MIDPOINT;
}

static int check(const GpuArray *src, double q, unsigned int axis,
                 ga_quantile_method method) {
  GA_TRY(ga__array_check(src));
  if (axis >= src->nd)
    return ga__fail(GA_VALUE_ERROR, "axis %u of an array of %u dimensions",
                    axis, src->nd);
  if (ga__dtype_is_complex(src->typecode))
    return ga__fail(GA_UNSUPPORTED_ERROR, "quantile: %s has no order",
                    ga__dtype_name(src->typecode));
  if (!(q >= 0 && q <= 1))
    return ga__fail(GA_VALUE_ERROR, "quantile: %g is not from 0 to 1", q);
  if ((int)method < GA_QUANTILE_LINEAR || method > GA_QUANTILE_MIDPOINT)
    return ga__fail(GA_VALUE_ERROR, "quantile: method %d is not known",
                    (int)method);
  if (src->dimensions[axis] == 0)
    return ga__fail(GA_VALUE_ERROR, "quantile: axis %u is empty", axis);
  return GA_NO_ERROR;
}

/* How elements a and b, which are converted first, give the result; m is the
 * largest element, NaN if there is one. Equal infinities have no difference. */
static int mix(GpuArray *res, const GpuArray *a, const GpuArray *b,
               const GpuArray *m, ga_quantile_method method, double part) {
  const int work = ga__dtype_work(res->typecode);
  const float t = (float)(part < 0.5 ? part : 1 - part);
  const double wide = part < 0.5 ? part : 1 - part;
  gpuelemwise_arg args[5] = {{"z", res->typecode, GE_WRITE},
                             {"a", a->typecode, GE_READ},
                             {"b", b->typecode, GE_READ},
                             {"m", m->typecode, GE_READ},
                             {"t", work, GE_READ | GE_SCALAR}};
  void *const values[5] = {res, (void *)a, (void *)b, (void *)m,
                           work == GA_DOUBLE ? (void *)&wide : (void *)&t};
  const char *text = "z = m != m ? m : a";

  if (method == GA_QUANTILE_MIDPOINT)
    text = "z = m != m ? m : a * 0.5f + b * 0.5f";
  if (method == GA_QUANTILE_LINEAR)
    text = part < 0.5 ? "z = m != m ? m : a == b ? a : a + (b - a) * t"
                      : "z = m != m ? m : a == b ? a : b - (b - a) * t";
  return ga__elemwise_map(text, is_mixed(method) ? 5 : 4, args,
                          (void **)values);
}

/* `kept`, an array with size 1 along the axis, without it. */
static int drop_axis(GpuArray *kept, unsigned int axis) {
  size_t dims[GA_ND_MAX];
  unsigned int n = 0;

  for (unsigned int d = 0; d < kept->nd; d++)
    if (d != axis)
      dims[n++] = kept->dimensions[d];
  return GpuArray_reshape_inplace(kept, n, dims, GA_C_ORDER);
}

/* The element of a rank, in the dtype of the result. */
static int element(GpuArray *to, const GpuArray *src, size_t rank,
                   unsigned int axis, int dtype) {
  GpuArray own = {0};
  int err;

  if (dtype == src->typecode)
    return GpuArray_kth(to, NULL, src, rank, axis);
  GA_CHECK(GpuArray_kth(&own, NULL, src, rank, axis));
  GA_CHECK(GpuArray_empty(to, GpuArray_context(src), dtype, own.nd,
                          own.dimensions, GA_C_ORDER));
  GA_CHECK(GpuArray_setarray(to, &own));

done:
  GpuArray_clear(&own);
  return err;
}

static int quantile(GpuArray *res, const GpuArray *src, const between *b,
                    unsigned int axis, ga_quantile_method method) {
  const int is_float = ga__dtype_kind(src->typecode) == GA_KIND_FLOAT;
  const int dtype =
      is_mixed(method) ? mean_dtype(src->typecode) : src->typecode;
  const size_t first = method == GA_QUANTILE_HIGHER    ? b->higher
                       : method == GA_QUANTILE_NEAREST ? b->nearest
                                                       : b->lower;
  GpuArray low = {0}, high = {0}, most = {0};
  int err;

  GA_CHECK(element(&low, src, first, axis, dtype));
  if (is_mixed(method) && b->higher != b->lower)
    GA_CHECK(element(&high, src, b->higher, axis, dtype));
  if (is_float)
    GA_CHECK(GpuArray_topk(&most, NULL, src, 1, axis, 0));
  GA_CHECK(GpuArray_empty(res, GpuArray_context(src), dtype, low.nd,
                          low.dimensions, GA_C_ORDER));
  GA_CHECK(
      mix(res, &low, high.data != NULL ? &high : &low, is_float ? &most : &low,
          is_mixed(method) && high.data == NULL ? GA_QUANTILE_LOWER : method,
          b->part));
  GA_CHECK(drop_axis(res, axis));

done:
  if (err != GA_NO_ERROR)
    GpuArray_clear(res);
  GpuArray_clear(&low);
  GpuArray_clear(&high);
  GpuArray_clear(&most);
  return err;
}

int GpuArray_quantile(GpuArray *res, const GpuArray *src, double q,
                      unsigned int axis, ga_quantile_method method) {
  GA_TRY(ga__fresh_one(res, 1, &src));
  GA_TRY(check(src, q, axis, method));
  const between b = ranks_of(q, src->dimensions[axis]);
  return quantile(res, src, &b, axis, method);
}

int GpuArray_median(GpuArray *res, const GpuArray *src, unsigned int axis) {
  return GpuArray_quantile(res, src, 0.5, axis, GA_QUANTILE_MIDPOINT);
}
