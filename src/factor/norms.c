/* SPDX-License-Identifier: BSD-2-Clause */
/* Norms, condition numbers and ranks of matrices. */
#include <gpuarray/elemwise.h>
#include <math.h>

#include "base/dtype.h"
#include "factor/matrix.h"

/* --- norms --- */

enum { BOTH, COLUMNS, ROWS, SINGULAR };

/* A norm combines sums of columns or rows, or singular values. */
static const struct {
  int of;
  ga_reduce_op op;
} norms[] = {
    [GA_NORM_FROBENIUS] = {BOTH, GA_REDUCE_NORM2},
    [GA_NORM_NUCLEAR] = {SINGULAR, GA_REDUCE_SUM},
    [GA_NORM_SPECTRAL] = {SINGULAR, GA_REDUCE_MAX},
    [GA_NORM_COLUMNS] = {COLUMNS, GA_REDUCE_MAX},
    [GA_NORM_ROWS] = {ROWS, GA_REDUCE_MAX},
    [GA_NORM_LEAST_SINGULAR] = {SINGULAR, GA_REDUCE_MIN},
    [GA_NORM_LEAST_COLUMN] = {COLUMNS, GA_REDUCE_MIN},
    [GA_NORM_LEAST_ROW] = {ROWS, GA_REDUCE_MIN},
};

static int check_kind(ga_matrix_norm_kind kind) {
  if ((size_t)kind >= sizeof norms / sizeof *norms)
    return ga__fail(GA_VALUE_ERROR, "norm %d is not known", (int)kind);
  return GA_NO_ERROR;
}

/* The sums of |x| of columns or rows, or singular values, [..., k]. */
static int find_values(GpuArray *to, const GpuArray *a, int of) {
  const unsigned int axis = of == COLUMNS ? a->nd - 2 : a->nd - 1;

  return of == SINGULAR
             ? GpuArray_svd(NULL, to, NULL, a, 0)
             : GpuArray_reduction(to, a, GA_REDUCE_NORM1, 1, &axis, 0, -1, -1);
}

static int find_norm(GpuArray *norm, const GpuArray *a,
                     ga_matrix_norm_kind kind) {
  const unsigned int both[2] = {a->nd - 2, a->nd - 1};
  GpuArray values = {0};
  int err;

  if (ga__matrix_is_empty(a))
    return GpuArray_zeros(norm, GpuArray_context(a),
                          ga__dtype_real(a->typecode), a->nd - 2, a->dimensions,
                          GA_C_ORDER);
  if (norms[kind].of == BOTH)
    return GpuArray_reduction(norm, a, norms[kind].op, 2, both, 0, -1, -1);
  GA_CHECK(find_values(&values, a, norms[kind].of));
  GA_CHECK(ga__matrix_reduce(norm, &values, norms[kind].op));

done:
  GpuArray_clear(&values);
  return err;
}

int GpuArray_matrix_norm(GpuArray *norm, const GpuArray *a,
                         ga_matrix_norm_kind kind) {
  GA_TRY(ga__matrix_open(norm, "norm", a));
  GA_TRY(check_kind(kind));
  return find_norm(norm, a, kind);
}

/* --- condition numbers --- */

/* c = x y or x / y, but infinite instead of NaN where x is not NaN. */
static int join(GpuArray *c, const GpuArray *x, const GpuArray *y,
                int is_ratio) {
  GA_TRY(GpuArray_empty(c, GpuArray_context(x), x->typecode, x->nd,
                        x->dimensions, GA_C_ORDER));
  return ga__matrix_map(
      is_ratio ? "c = isnan(x / y) && !isnan(x) ? INFINITY : x / y"
               : "c = isnan(x * y) && !isnan(x) ? INFINITY : x * y",
      3,
      (ga__term[]){
          {"c", c, GE_WRITE, 0}, {"x", x, GE_READ, 0}, {"y", y, GE_READ, 0}});
}

static int find_ratio(GpuArray *cond, const GpuArray *a, int is_inverted) {
  GpuArray values = {0}, most = {0}, least = {0};
  int err;

  GA_CHECK(find_values(&values, a, SINGULAR));
  GA_CHECK(ga__matrix_reduce(&most, &values, GA_REDUCE_MAX));
  GA_CHECK(ga__matrix_reduce(&least, &values, GA_REDUCE_MIN));
  GA_CHECK(join(cond, is_inverted ? &least : &most,
                is_inverted ? &most : &least, 1));

done:
  GpuArray_clear(&least);
  GpuArray_clear(&most);
  GpuArray_clear(&values);
  return err;
}

static int find_product(GpuArray *cond, const GpuArray *a,
                        ga_matrix_norm_kind kind) {
  GpuArray inverse = {0}, one = {0}, two = {0};
  int err;

  GA_CHECK(ga__matrix_square(a));
  GA_CHECK(GpuArray_inverse(&inverse, NULL, a, 0));
  GA_CHECK(find_norm(&one, a, kind));
  GA_CHECK(find_norm(&two, &inverse, kind));
  GA_CHECK(join(cond, &one, &two, 0));

done:
  GpuArray_clear(&two);
  GpuArray_clear(&one);
  GpuArray_clear(&inverse);
  return err;
}

int GpuArray_cond(GpuArray *cond, const GpuArray *a, ga_matrix_norm_kind kind) {
  int err;

  GA_TRY(ga__matrix_open(cond, "cond", a));
  GA_TRY(check_kind(kind));
  if (ga__matrix_is_empty(a))
    return ga__fail(GA_VALUE_ERROR, "a: %zu x %zu has no condition number",
                    a->dimensions[a->nd - 2], a->dimensions[a->nd - 1]);
  if (kind == GA_NORM_SPECTRAL || kind == GA_NORM_LEAST_SINGULAR)
    GA_CHECK(find_ratio(cond, a, kind == GA_NORM_LEAST_SINGULAR));
  else
    GA_CHECK(find_product(cond, a, kind));

done:
  if (err != GA_NO_ERROR)
    GpuArray_clear(cond);
  return err;
}

/* --- ranks --- */

/* counts = values > limit, where the limit is a part of the first value, or the
 * tolerance. */
static int count(GpuArray *counts, const GpuArray *values, const GpuArray *a,
                 double tolerance) {
  GpuArray most = {0};
  int err;

  GA_CHECK(GpuArray_empty(counts, GpuArray_context(a), GA_LONG, values->nd,
                          values->dimensions, GA_C_ORDER));
  GA_CHECK(ga__matrix_element(&most, values, 0));
  GA_CHECK(
      ga__matrix_map(tolerance < 0 ? "c = s > most * part" : "c = s > part", 4,
                     (ga__term[]){{"s", values, GE_READ, 0},
                                  {"most", &most, GE_READ, 0},
                                  {"c", counts, GE_WRITE, 0},
                                  {.name = "part",
                                   .value = tolerance < 0 ? ga__matrix_limit(a)
                                                          : tolerance}}));

done:
  GpuArray_clear(&most);
  return err;
}

int GpuArray_matrix_rank(GpuArray *rank, const GpuArray *a, double tolerance) {
  GpuArray values = {0}, counts = {0};
  int err;

  GA_TRY(ga__matrix_open(rank, "rank", a));
  if (isnan(tolerance))
    return ga__fail(GA_VALUE_ERROR, "the tolerance is NaN");
  if (ga__matrix_is_empty(a))
    return GpuArray_zeros(rank, GpuArray_context(a), GA_LONG, a->nd - 2,
                          a->dimensions, GA_C_ORDER);
  GA_CHECK(find_values(&values, a, SINGULAR));
  GA_CHECK(count(&counts, &values, a, tolerance));
  GA_CHECK(ga__matrix_reduce(rank, &counts, GA_REDUCE_SUM));

done:
  GpuArray_clear(&counts);
  GpuArray_clear(&values);
  return err;
}
