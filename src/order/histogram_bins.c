/* SPDX-License-Identifier: BSD-2-Clause */
/* Histograms whose edges are computed. */
#include <gpuarray/bincount.h>
#include <gpuarray/create.h>
#include <gpuarray/reduction.h>
#include <math.h>

#include "array/elemwise_parts.h"
#include "array/geometry.h"
#include "array/operands.h"
#include "base/dtype.h"
#include "order/fresh.h"

static int check(const GpuArray *x, size_t n, const double *range) {
  GA_TRY(ga__array_check(x));
  if (ga__dtype_is_complex(x->typecode))
    return ga__fail(GA_UNSUPPORTED_ERROR, "x: %s has no order",
                    ga__dtype_name(x->typecode));
  if (n == 0 || n >= SIZE_MAX / 16)
    return ga__fail(GA_VALUE_ERROR, "histogram: %zu bins", n);
  if (range == NULL && ga__array_total(x) == 0)
    return ga__fail(GA_VALUE_ERROR, "histogram: neither elements nor a range");
  if (range != NULL &&
      !(isfinite(range[0]) && isfinite(range[1]) && range[0] <= range[1]))
    return ga__fail(GA_VALUE_ERROR, "histogram: no bins from %g to %g",
                    range[0], range[1]);
  return GA_NO_ERROR;
}

/* Set *end, [1], to an end of the bins. */
static int find_end(GpuArray *end, const GpuArray *x, const double *range,
                    int last) {
  static const size_t one = 1;

  if (range != NULL) {
    GA_TRY(GpuArray_empty(end, GpuArray_context(x), x->typecode, 1, &one,
                          GA_C_ORDER));
    return GpuArray_fill(end, GA_DOUBLE, &range[last]);
  }
  GA_TRY(GpuArray_reduction(end, x, last ? GA_REDUCE_MAX : GA_REDUCE_MIN, 0,
                            NULL, 0, -1, x->typecode));
  return GpuArray_reshape_inplace(end, 1, &one, GA_C_ORDER);
}

/* n + 1 edges, which ascend, from exactly lo to exactly hi. */
static int write_edges(GpuArray *edges, const GpuArray *lo, const GpuArray *hi,
                       size_t n) {
  gpuelemwise_arg args[5] = {{"z", edges->typecode, GE_WRITE},
                             {"i", GA_LONG, GE_READ},
                             {"lo", lo->typecode, GE_READ},
                             {"hi", hi->typecode, GE_READ},
                             {"n", GA_LONG, GE_READ | GE_SCALAR}};
  const int is_double = edges->typecode == GA_DOUBLE;
  const char *text =
      is_double ? "double from = lo == hi ? lo - 0.5 : lo, "
                  "to = lo == hi ? hi + 0.5 : hi; "
                  "z = i < n ? fmin(from + i * ((to - from) / n), to) : to"
                : "float from = lo == hi ? lo - 0.5f : lo, "
                  "to = lo == hi ? hi + 0.5f : hi; "
                  "z = i < n ? fmin(from + i * ((to - from) / n), to) : to";
  const int64_t bins = (int64_t)n;
  GpuElemwise *ge = NULL;
  GpuArray i = {0};
  int err;

  GA_CHECK(
      GpuArray_arange(&i, GpuArray_context(lo), GA_LONG, 0, (double)n + 1, 1));
  GA_CHECK(ga__elemwise_new(&ge, GpuArray_context(lo), NULL, text, 5, args, 0));
  GA_CHECK(GpuElemwise_call(
      ge, (void *[]){edges, &i, (void *)lo, (void *)hi, (void *)&bins},
      GE_BROADCAST));

done:
  GpuElemwise_free(ge);
  GpuArray_clear(&i);
  return err;
}

static int make_edges(GpuArray *edges, const GpuArray *x, size_t n,
                      const double *range) {
  const size_t points = n + 1;
  GpuArray lo = {0}, hi = {0};
  int err;

  GA_CHECK(find_end(&lo, x, range, 0));
  GA_CHECK(find_end(&hi, x, range, 1));
  GA_CHECK(GpuArray_empty(edges, GpuArray_context(x), x->typecode, 1, &points,
                          GA_C_ORDER));
  GA_CHECK(write_edges(edges, &lo, &hi, n));

done:
  GpuArray_clear(&lo);
  GpuArray_clear(&hi);
  return err;
}

int GpuArray_histogram_bins(GpuArray *res, GpuArray *edges, const GpuArray *x,
                            size_t n, const double *range,
                            const GpuArray *weights) {
  GpuArray own = {0}, cast = {0};
  GpuArray *const points = edges != NULL ? edges : &own;
  const GpuArray *const operands[2] = {x, weights};
  int err;

  GA_TRY(check(x, n, range));
  GA_TRY(ga__fresh(2, (GpuArray *[]){res, edges}, 2, operands));
  const int dtype =
      ga__dtype_kind(x->typecode) == GA_KIND_FLOAT ? x->typecode : GA_FLOAT;
  if (dtype != x->typecode) {
    GA_CHECK(GpuArray_cast(&cast, x, dtype, GA_C_ORDER));
    x = &cast;
  }
  GA_CHECK(make_edges(points, x, n, range));
  GA_CHECK(GpuArray_histogram(res, x, points, weights));

done:
  if (err != GA_NO_ERROR)
    GpuArray_clear(points);
  GpuArray_clear(&own);
  GpuArray_clear(&cast);
  return err;
}
