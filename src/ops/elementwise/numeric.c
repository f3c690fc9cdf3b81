/* SPDX-License-Identifier: BSD-2-Clause */
/* Polynomials, integrals, interpolation, weighted means, covariances. */
#include <gpugraph/arrange.h>
#include <gpugraph/complex.h>
#include <gpugraph/create.h>
#include <gpugraph/numeric.h>
#include <gpugraph/search.h>
#include <gpugraph/statistics.h>

#include "ops/compose.h"

static gg_var *as_float(gg_var *x) {
  return gg_cast(x, gg__float_dtype(gg_var_type(x)->dtype));
}

/* x as a float of the dtype that it and y have in common. */
static gg_var *as_float_with(gg_var *x, gg_var *y) {
  gg_var *const both[2] = {x, y};

  if (x == NULL)
    return NULL;
  return gg_cast(x, gg__float_dtype(gg__common_dtype_of(2, both)));
}

/* v with the dtype of x, and, unless it is a scalar, with its shape. */
static gg_var *spread(gg_var *x, gg_var *v) {
  if (x == NULL || v == NULL)
    return NULL;
  v = gg_cast(v, gg_var_type(x)->dtype);
  return v == NULL || gg__rank_of(v) == 0 ? v : gg_fill(x, v);
}

gg_var *gg_polyval(unsigned int n, gg_var *const *c, gg_var *x) {
  const gg_op *const op = GG_CALLED("polyval");

  if (!gg__given_beside(op, x, n, c))
    return NULL;
  if (n == 0 || c == NULL)
    return gg__refuse(op, 1, &x, GA_VALUE_ERROR, "no coefficients");
  if (!gg__given(op, n, c))
    return NULL;
  for (unsigned int i = 0; i < n; i++)
    x = as_float_with(x, c[i]);
  gg_var *y = gg_fill(x, spread(x, c[0]));
  for (unsigned int i = 1; i < n; i++)
    y = gg_add(gg_mul(y, x), spread(x, c[i]));
  return y;
}

/* The differences of places, exact of integers, with the dtype of y. */
static gg_var *steps_of(gg_var *y, gg_var *x, unsigned int axis) {
  const int dtype = gg_var_type(x)->dtype;

  if (y == NULL)
    return NULL;
  if (gg__float_dtype(dtype) != dtype)
    x = gg_cast(x, GA_LONG);
  x = gg_diff(x, (int)axis, 1);
  return x != NULL ? gg_cast(x, gg_var_type(y)->dtype) : NULL;
}

gg_var *gg_trapezoid(gg_var *y, gg_var *x, double dx, int axis) {
  const gg_op *const op = GG_CALLED("trapezoid");
  unsigned int at;

  if (!gg__given_beside(op, y, 1, &x) ||
      gg__axis(y, op, axis, &at) != GA_NO_ERROR)
    return NULL;
  y = x != NULL ? as_float_with(y, x) : as_float(y);
  gg_var *const pairs = gg_add(gg_slice(y, (int)at, 1, GG_END, 1),
                               gg_slice(y, (int)at, 0, -1, 1));
  if (x == NULL)
    return gg_mul(gg_reduce(GG_SUM, pairs, 1, (const int[]){(int)at}, 0),
                  gg__num(y, dx / 2));
  if (pairs == NULL)
    return NULL;
  const unsigned int nd = gg__rank_of(y), its = gg__rank_of(x);
  gg_var *const both[2] = {y, x};
  if (its > nd || its + at < nd)
    return gg__refuse(op, 2, both, GA_VALUE_ERROR,
                      "places of rank %u along axis %u of samples of rank %u",
                      its, at, nd);
  gg_var *const steps = steps_of(y, x, at + its - nd);
  return gg_mul(
      gg_reduce(GG_SUM, gg_mul(pairs, steps), 1, (const int[]){(int)at}, 0),
      gg__num(y, 0.5));
}

/* Places and values are vectors of one size, not 0, of real numbers. */
static int knots_fit(const gg_op *op, gg_var *const *in) {
  for (unsigned int i = 0; i < 3; i++)
    if (ga__dtype_is_complex(gg_var_type(in[i])->dtype))
      return gg__refuse(op, 3, in, GA_VALUE_ERROR, "expected real operands"), 0;
  for (unsigned int i = 1; i < 3; i++)
    if (gg__rank_of(in[i]) != 1)
      return gg__refuse(op, 3, in, GA_VALUE_ERROR,
                        "operand %u: expected a vector, got rank %u", i,
                        gg__rank_of(in[i])),
             0;
  const int64_t n = gg_var_type(in[1])->dims[0],
                m = gg_var_type(in[2])->dims[0];
  if (n == 0 || m == 0)
    return gg__refuse(op, 3, in, GA_VALUE_ERROR, "no places"), 0;
  if (n != GG_ANY && m != GG_ANY && n != m)
    return gg__refuse(op, 3, in, GA_VALUE_ERROR, "%lld places, %lld values",
                      (long long)n, (long long)m),
           0;
  return 1;
}

/* The lines through the points of `table` [n, 2] before and after each element
 * of the vector x, which lies among their places; after the last one, that
 * point again. */
static gg_var *on_lines(gg_var *table, gg_var *x) {
  gg_var *const one = gg__whole_number(x, 1), *const zero = gg__num(x, 0);
  gg_var *const count = gg_searchsorted(gg_index(table, 1, 0), x, 1);
  gg_var *const at = gg_maximum(gg_sub(count, one), gg__whole_number(x, 0));
  gg_var *const next =
      gg_minimum(gg_add(at, one), gg_sub(gg_shape(table, 0), one));
  gg_var *const from = gg_take(table, at);
  gg_var *const step = gg_sub(gg_take(table, next), from);
  gg_var *const width = gg_index(step, 1, 0);
  gg_var *const is_last = gg_eq(width, zero);
  gg_var *const slope =
      gg_div(gg_index(step, 1, 1), gg_where(is_last, gg__num(x, 1), width));
  gg_var *const off = gg_sub(x, gg_index(from, 1, 0));

  return gg_add(gg_mul(off, slope), gg_index(from, 1, 1));
}

gg_var *gg_interp(gg_var *x, gg_var *places, gg_var *values) {
  const gg_op *const op = GG_CALLED("interp");
  gg_var *const in[3] = {x, places, values};
  gg_var *sizes[GG_MAX_ND];

  if (!gg__given(op, 3, in) || !knots_fit(op, in))
    return NULL;
  const int dtype = gg__float_dtype(gg__common_dtype_of(3, in));
  gg_var *const table = gg_stack(
      1, 2, (gg_var *[]){gg_cast(places, dtype), gg_cast(values, dtype)});
  x = gg_cast(x, dtype);
  if (table == NULL || x == NULL)
    return NULL;
  gg_var *const ends = gg_index(table, 1, 0);
  gg_var *const inside =
      gg_clip(gg_flatten(x), gg_index(ends, 0, 0), gg_index(ends, 0, -1));
  gg_var *const y = inside != NULL ? on_lines(table, inside) : NULL;
  if (y == NULL || gg__rank_of(x) == 1)
    return y;
  gg__sizes_of(x, sizes);
  return gg_reshape_sizes(y, gg__rank_of(x), sizes);
}

gg_var *gg_average(gg_var *x, gg_var *w, unsigned int naxes, const int *axes,
                   int keepdims) {
  gg_var *const in[2] = {x, w};

  if (!gg__given(GG_CALLED("average"), 2, in))
    return NULL;
  x = as_float_with(x, w);
  w = gg_fill(x, spread(x, w));
  gg_var *const sum = gg_reduce(GG_SUM, gg_mul(x, w), naxes, axes, keepdims);
  return gg_div(sum, gg_reduce(GG_SUM, w, naxes, axes, keepdims));
}

/* The sums of products of distances from the means, [m, m]. NULL and an error
 * unless x is a matrix. */
static gg_var *scatter(const gg_op *op, gg_var *x) {
  if (!gg__given(op, 1, &x))
    return NULL;
  if (gg__rank_of(x) != 2)
    return gg__refuse(op, 1, &x, GA_VALUE_ERROR, "expected rank 2, got %u",
                      gg__rank_of(x));
  x = as_float(x);
  gg_var *const off = gg_sub(x, gg_mean_axes(x, 1, (const int[]){1}, 1));
  return gg_dot(off, gg_conj(gg_transpose(off)));
}

gg_var *gg_cov(gg_var *x, unsigned int ddof) {
  gg_var *const sums = scatter(GG_CALLED("cov"), x);

  if (sums == NULL)
    return NULL;
  gg_var *const n = gg_cast(gg_shape(x, 1), gg_var_type(sums)->dtype);
  return gg_div(sums, gg_sub(n, gg__num(sums, ddof)));
}

gg_var *gg_corrcoef(gg_var *x) {
  gg_var *const sums = scatter(GG_CALLED("corrcoef"), x);

  if (sums == NULL)
    return NULL;
  gg_var *const size = gg_sqrt(gg_diagonal(sums, 0, 0, 1));
  gg_var *const y =
      gg_div(gg_div(sums, gg_expand_dims(size, 1)), gg_expand_dims(size, 0));
  return gg_clip(y, gg__num(y, -1), gg__num(y, 1));
}
