/* SPDX-License-Identifier: BSD-2-Clause */
/* Norms of vectors along the last axis. */
#include <gpuarray/elemwise.h>
#include <math.h>

#include "base/dtype.h"
#include "factor/matrix.h"

static int is_extreme(double p) {
  return p == HUGE_VAL || p == -HUGE_VAL;
}

/* What is combined of each element. */
static const char *text_of(const GpuArray *a, double p) {
  if (ga__dtype_is_complex(a->typecode))
    return p == 0          ? "t = x.r != 0 || x.i != 0"
           : is_extreme(p) ? "t = hypot(x.r, x.i)"
                           : "t = pow(hypot(x.r, x.i), p)";
  return p == 0          ? "t = x != 0"
         : is_extreme(p) ? "t = fabs(x)"
                         : "t = pow(fabs(x), p)";
}

static int find_terms(GpuArray *to, const GpuArray *a, double p) {
  GA_TRY(GpuArray_empty(to, GpuArray_context(a), ga__dtype_real(a->typecode),
                        a->nd, a->dimensions, GA_C_ORDER));
  return ga__matrix_map(text_of(a, p), is_extreme(p) || p == 0 ? 2 : 3,
                        (ga__term[]){{"t", to, GE_WRITE, 0},
                                     {"x", a, GE_READ, 0},
                                     {.name = "p", .value = p}});
}

static int find_norm(GpuArray *norm, const GpuArray *a, double p) {
  const ga_reduce_op op = !is_extreme(p) ? GA_REDUCE_SUM
                          : p > 0        ? GA_REDUCE_MAX
                                         : GA_REDUCE_MIN;
  GpuArray terms = {0};
  int err;

  GA_CHECK(find_terms(&terms, a, p));
  GA_CHECK(ga__matrix_reduce(norm, &terms, op));
  if (!is_extreme(p) && p != 0)
    GA_CHECK(ga__matrix_map("n = pow(n, p)", 2,
                            (ga__term[]){{"n", norm, GE_READ | GE_WRITE, 0},
                                         {.name = "p", .value = 1 / p}}));

done:
  GpuArray_clear(&terms);
  return err;
}

/* Check a vector as a matrix of one column. */
static int check(GpuArray *norm, const GpuArray *a) {
  GpuArray column = {0};

  if (norm != NULL && norm == a)
    return ga__fail(GA_VALUE_ERROR,
                    "a result is the same array as another argument");
  if (a == NULL || a->data == NULL || a->nd == 0)
    return ga__fail(a == NULL || a->data == NULL ? GA_INVALID_ERROR
                                                 : GA_VALUE_ERROR,
                    "a: no array of vectors");
  GA_TRY(ga__matrix_column(&column, a));
  const int err = ga__matrix_open(norm, "norm", &column);
  GpuArray_clear(&column);
  return err;
}

int GpuArray_vector_norm(GpuArray *norm, const GpuArray *a, double p) {
  int err;

  GA_TRY(check(norm, a));
  if (isnan(p))
    return ga__fail(GA_VALUE_ERROR, "p is NaN");
  if (a->dimensions[a->nd - 1] == 0)
    return GpuArray_zeros(norm, GpuArray_context(a),
                          ga__dtype_real(a->typecode), a->nd - 1, a->dimensions,
                          GA_C_ORDER);
  if (p == 1 || p == 2)
    return ga__matrix_reduce(norm, a,
                             p == 1 ? GA_REDUCE_NORM1 : GA_REDUCE_NORM2);
  GA_CHECK(find_norm(norm, a, p));

done:
  if (err != GA_NO_ERROR)
    GpuArray_clear(norm);
  return err;
}
