/* SPDX-License-Identifier: BSD-2-Clause */
/* Means, deviations and norms over any axes, composed of reductions. */
#include <gpugraph/grad.h>
#include <gpugraph/statistics.h>

#include <math.h>

#include "ops/compose.h"

/* The axes that are reduced; all if n is 0. */
typedef struct axes {
  unsigned int n;
  const int *list;
  int keepdims;
} axes;

static gg_var *reduce(gg_reduction op, gg_var *x, const axes *over) {
  return gg_reduce(op, x, over->n, over->list, over->keepdims);
}

/* How many elements of x are reduced to one, as an int64 scalar. */
static gg_var *count(gg_var *x, const axes *over) {
  if (over->n == 0)
    return gg_size(x);
  gg_var *n = gg_shape(x, over->list[0]);
  for (unsigned int i = 1; i < over->n; i++)
    n = gg__number_mul(n, gg_shape(x, over->list[i]));
  return n;
}

/* x in the float dtype that sums are computed in: float32 for narrow floats. */
static gg_var *working(gg_var *x) {
  return x != NULL
             ? gg_cast(x, ga__dtype_work(gg__mean_dtype(gg_var_type(x)->dtype)))
             : NULL;
}

/* y in the dtype of results for x. Some of complex x are real. */
static gg_var *result(gg_var *x, gg_var *y) {
  if (y == NULL)
    return NULL;
  const int dtype = gg__mean_dtype(gg_var_type(x)->dtype);
  const int is_real = !ga__dtype_is_complex(gg_var_type(y)->dtype);
  return gg_cast(y, is_real ? ga__dtype_real(dtype) : dtype);
}

gg_var *gg_mean_axes(gg_var *x, unsigned int naxes, const int *list,
                     int keepdims) {
  const axes over = {naxes, list, keepdims};
  gg_var *const sum = reduce(GG_SUM, working(x), &over);

  if (sum == NULL)
    return NULL;
  return result(x,
                gg_div(sum, gg_cast(count(x, &over), gg_var_type(sum)->dtype)));
}

gg_var *gg_mean(gg_var *x) {
  return gg_mean_axes(x, 0, NULL, 0);
}

gg_var *gg_mean_axis(gg_var *x, int axis) {
  return gg_mean_axes(x, 1, &axis, 0);
}

static gg_var *variance(gg_var *x, const axes *over, unsigned int ddof) {
  gg_var *const v = reduce(GG_VARIANCE, working(x), over);

  if (v == NULL || ddof == 0)
    return v;
  const int dtype = gg_var_type(v)->dtype;
  gg_graph *const g = gg_var_graph(x);
  gg_var *const n = count(x, over);
  /* As in NumPy, fewer elements than ddof divide by 0. */
  gg_var *const less =
      gg__number_most(gg_sub(n, gg_i64(g, ddof)), gg_i64(g, 0));
  return gg_mul(v, gg_div(gg_cast(n, dtype), gg_cast(less, dtype)));
}

gg_var *gg_variance(gg_var *x, unsigned int naxes, const int *list,
                    int keepdims, unsigned int ddof) {
  const axes over = {naxes, list, keepdims};

  return result(x, variance(x, &over, ddof));
}

/* x^(1/p) for p > 0. At 0 the gradient is 0 instead of infinite: x is a sum of
 * powers, whose own gradient there is 0. */
static gg_var *root(gg_var *x, double p) {
  if (x == NULL)
    return NULL;
  gg_var *const none = gg_eq(x, gg__num(x, 0));
  gg_var *const some = gg_where(none, gg__num(x, 1), x);
  gg_var *const y = p == 2 ? gg_sqrt(some) : gg_pow(some, gg__num(x, 1 / p));
  return gg_where(none, gg__num(x, 0), y);
}

gg_var *gg_std(gg_var *x, unsigned int naxes, const int *list, int keepdims,
               unsigned int ddof) {
  const axes over = {naxes, list, keepdims};
  gg_var *const v = variance(x, &over, ddof);

  return v != NULL ? result(x, root(v, 2)) : NULL;
}

gg_var *gg_logsumexp(gg_var *x, unsigned int naxes, const int *list,
                     int keepdims) {
  const axes over = {naxes, list, keepdims}, kept = {naxes, list, 1};
  gg_var *const w = working(x);
  gg_var *m = reduce(GG_MAX, w, &kept);

  if (m == NULL)
    return NULL;
  m = gg_stop_gradient(gg_where(gg_isinf(m), gg__num(m, 0), m));
  gg_var *const sum = reduce(GG_SUM, gg_exp(gg_sub(w, m)), &over);
  /* Without keepdims a sum drops the axes of m, which have size 1. */
  return result(x,
                gg_add(gg_log(sum), keepdims ? m : reduce(GG_SUM, m, &over)));
}

gg_var *gg_norm(gg_var *x, double p, unsigned int naxes, const int *list,
                int keepdims) {
  const axes over = {naxes, list, keepdims};
  gg_var *const size = x != NULL ? gg_abs(working(x)) : NULL;

  if (size == NULL)
    return NULL;
  if (isnan(p))
    return gg__refuse(GG_CALLED("norm"), 1, &x, GA_VALUE_ERROR, "p is NaN");
  if (isinf(p))
    return result(x, reduce(p > 0 ? GG_MAX : GG_MIN, size, &over));
  if (p == 0)
    return result(x, reduce(GG_SUM,
                            gg_cast(gg_ne(size, gg__num(size, 0)),
                                    gg_var_type(size)->dtype),
                            &over));
  if (p == 1)
    return result(x, reduce(GG_SUM, size, &over));
  if (p == 2)
    return result(x, root(reduce(GG_SUM, gg_sqr(size), &over), 2));
  gg_var *const sum = reduce(GG_SUM, gg_pow(size, gg__num(size, p)), &over);
  return result(x, p > 0 ? root(sum, p) : gg_pow(sum, gg__num(size, 1 / p)));
}

gg_var *gg_ptp(gg_var *x, unsigned int naxes, const int *list, int keepdims) {
  const axes over = {naxes, list, keepdims};
  gg_var *const most = reduce(GG_MAX, x, &over);

  return most != NULL ? gg_sub(most, reduce(GG_MIN, x, &over)) : NULL;
}

gg_var *gg_count_nonzero(gg_var *x, unsigned int naxes, const int *list,
                         int keepdims) {
  const axes over = {naxes, list, keepdims};

  return reduce(GG_SUM, x != NULL ? gg_cast(x, GA_BOOL) : NULL, &over);
}

/* --- without NaN --- */

static int has_nan(const gg_var *x) {
  const int dtype = gg_var_type(x)->dtype;

  return gg__float_dtype(dtype) == dtype;
}

/* x with another value where it is NaN. */
static gg_var *for_nan(gg_var *x, double value) {
  return gg_where(gg_isnan(x), gg__num(x, value), x);
}

gg_var *gg_nansum(gg_var *x, unsigned int naxes, const int *list,
                  int keepdims) {
  const axes over = {naxes, list, keepdims};

  return reduce(GG_SUM, x != NULL && has_nan(x) ? for_nan(x, 0) : x, &over);
}

gg_var *gg_nanmean(gg_var *x, unsigned int naxes, const int *list,
                   int keepdims) {
  const axes over = {naxes, list, keepdims};

  if (x == NULL || !has_nan(x))
    return gg_mean_axes(x, naxes, list, keepdims);
  gg_var *const w = working(x);
  gg_var *const sum = reduce(GG_SUM, for_nan(w, 0), &over);
  gg_var *const n = reduce(GG_SUM, gg_not(gg_isnan(w)), &over);
  if (sum == NULL || n == NULL)
    return NULL;
  return result(x, gg_div(sum, gg_cast(n, gg_var_type(sum)->dtype)));
}

/* NaN counts as `beyond`, which no other element loses against. */
static gg_var *nan_extremum(gg_reduction op, gg_var *x, double beyond,
                            const axes *over) {
  if (x == NULL || !has_nan(x))
    return reduce(op, x, over);
  gg_var *const best = reduce(op, for_nan(x, beyond), over);
  gg_var *const none = reduce(GG_ALL_OF, gg_isnan(x), over);

  return best != NULL && none != NULL ? gg_where(none, gg__num(best, NAN), best)
                                      : NULL;
}

gg_var *gg_nanmax(gg_var *x, unsigned int naxes, const int *list,
                  int keepdims) {
  return nan_extremum(GG_MAX, x, -INFINITY, &(axes){naxes, list, keepdims});
}

gg_var *gg_nanmin(gg_var *x, unsigned int naxes, const int *list,
                  int keepdims) {
  return nan_extremum(GG_MIN, x, INFINITY, &(axes){naxes, list, keepdims});
}

/* --- comparing and cleaning --- */

gg_var *gg_isclose(gg_var *a, gg_var *b, double rtol, double atol) {
  gg_var *const in[2] = {a, b};

  if (!gg__given(GG_CALLED("isclose"), 2, in))
    return NULL;
  const int dtype = gg__float_dtype(gg__common_dtype_of(2, in));
  a = gg_cast(a, dtype);
  b = gg_cast(b, dtype);
  gg_var *const size = gg_abs(b);
  gg_var *const within =
      gg_add(gg__num(size, atol), gg_mul(gg__num(size, rtol), size));
  gg_var *const near =
      gg_and(gg_le(gg_abs(gg_sub(a, b)), within), gg_isfinite(b));
  return gg_or(near, gg_eq(a, b));
}

gg_var *gg_nan_to_num(gg_var *x, double nan, double above, double below) {
  if (x == NULL || !has_nan(x))
    return x;
  if (ga__dtype_is_complex(gg_var_type(x)->dtype))
    return gg_complex(gg_nan_to_num(gg_real(x), nan, above, below),
                      gg_nan_to_num(gg_imag(x), nan, above, below));
  gg_var *const zero = gg__num(x, 0);
  gg_var *const end =
      gg_where(gg_gt(x, zero), gg__num(x, above), gg__num(x, below));

  return gg_where(gg_isnan(x), gg__num(x, nan), gg_where(gg_isinf(x), end, x));
}
