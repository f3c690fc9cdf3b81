/* SPDX-License-Identifier: BSD-2-Clause */
/* Polynomials, integrals, weighted means, covariances. */
#include <gpugraph/arrange.h>
#include <gpugraph/complex.h>
#include <gpugraph/create.h>
#include <gpugraph/numeric.h>
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
