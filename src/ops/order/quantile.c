/* SPDX-License-Identifier: BSD-2-Clause */
/* Quantiles, medians and ranks, composed of selection and sorting. */
#include <gpugraph/gather.h>
#include <gpugraph/sort.h>
#include <gpugraph/topk.h>
#include <math.h>

#include "ops/compose.h"

/* The ranks beside a quantile, integer scalars, and the part of the way from
 * the lower to the higher one, a scalar. `higher` is NULL if both are the
 * same. */
typedef struct between {
  gg_var *lower, *higher, *nearest, *part;
} between;

/* Of an axis of known size. */
static between known_ranks(gg_graph *g, double q, int64_t n, int dtype) {
  const double at = q * (double)(n - 1), low = floor(at);
  between b = {.lower = gg_i64(g, (int64_t)low),
               .nearest = gg_i64(g, (int64_t)rint(at)),
               .part = gg_cast(gg_weak(g, at - low), dtype)};

  if (at != low)
    b.higher = gg_i64(g, (int64_t)low + 1);
  return b;
}

/* Of an axis whose size calls decide. */
static between open_ranks(gg_var *x, double q, int axis, int dtype) {
  gg_graph *const g = gg_var_graph(x);
  gg_var *const last = gg__number_add(gg_shape(x, axis), gg_i64(g, -1));
  gg_var *const at = gg_mul(gg_cast(last, GA_DOUBLE), gg_f64(g, q));

  return (between){.lower = gg_cast(gg_floor(at), GA_LONG),
                   .higher = gg_cast(gg_ceil(at), GA_LONG),
                   .nearest = gg_cast(gg_round(at), GA_LONG),
                   .part = gg_cast(gg_sub(at, gg_floor(at)), dtype)};
}

/* a and b at the part t of the way. Equal infinities have no difference. */
static gg_var *interpolate(gg_var *a, gg_var *b, gg_var *t) {
  gg_var *const d = gg_sub(b, a), *const half = gg__num(t, 0.5);
  gg_var *const from_a = gg_add(a, gg_mul(d, t));
  gg_var *const from_b = gg_sub(b, gg_mul(d, gg_sub(gg__num(t, 1), t)));

  return gg_where(gg_eq(a, b), a, gg_where(gg_lt(t, half), from_a, from_b));
}

/* The mean of a and b, which does not overflow. */
static gg_var *middle(gg_var *a, gg_var *b) {
  gg_var *const half = gg__num(a, 0.5);

  return gg_add(gg_mul(a, half), gg_mul(b, half));
}

/* `q` with NaN where x has one along the axis. */
static gg_var *spread_nan(gg_var *x, int axis, gg_var *q) {
  if (ga__dtype_kind(gg_var_type(x)->dtype) != GA_KIND_FLOAT || q == NULL)
    return q;
  return gg_where(gg_reduce(GG_ANY_OF, gg_isnan(x), 1, &axis, 0),
                  gg__num(q, NAN), q);
}

static gg_var *mixed(gg_var *x, int axis, gg_quantile_method method,
                     const between *b, int dtype) {
  gg_var *const low = gg_cast(gg_kth(x, b->lower, axis, NULL), dtype);

  if (b->higher == NULL)
    return low;
  gg_var *const high = gg_cast(gg_kth(x, b->higher, axis, NULL), dtype);
  return method == GG_QUANTILE_LINEAR ? interpolate(low, high, b->part)
                                      : middle(low, high);
}

/* x at one of the ranks. */
static gg_var *chosen(gg_var *x, int axis, gg_quantile_method method,
                      const between *b) {
  gg_var *rank = method == GG_QUANTILE_LOWER     ? b->lower
                 : method == GG_QUANTILE_NEAREST ? b->nearest
                 : b->higher != NULL             ? b->higher
                                                 : b->lower;

  return spread_nan(x, axis, gg_kth(x, rank, axis, NULL));
}

static gg_var *found(gg_var *x, double q, unsigned int k,
                     gg_quantile_method method) {
  const int64_t n = gg_var_type(x)->dims[k];
  const int result = gg__mean_dtype(gg_var_type(x)->dtype);
  const int dtype = ga__dtype_work(result);
  const between b = n != GG_ANY ? known_ranks(gg_var_graph(x), q, n, dtype)
                                : open_ranks(x, q, (int)k, dtype);
  if (method != GG_QUANTILE_LINEAR && method != GG_QUANTILE_MIDPOINT)
    return chosen(x, (int)k, method, &b);
  return gg_cast(spread_nan(x, (int)k, mixed(x, (int)k, method, &b, dtype)),
                 result);
}

static gg_var *quantile(const gg_op *op, gg_var *x, double q, int axis,
                        gg_quantile_method method) {
  unsigned int k;

  if (!gg__given(op, 1, &x) || gg__axis(x, op, axis, &k) != GA_NO_ERROR)
    return NULL;
  if (!(q >= 0 && q <= 1))
    return gg__refuse(op, 1, &x, GA_VALUE_ERROR, "%g is not from 0 to 1", q);
  if (method < GG_QUANTILE_LINEAR || method > GG_QUANTILE_MIDPOINT)
    return gg__refuse(op, 1, &x, GA_VALUE_ERROR, "method %d is not known",
                      (int)method);
  if (gg_var_type(x)->dims[k] == 0)
    return gg__refuse(op, 1, &x, GA_VALUE_ERROR, "axis %u is empty", k);
  const gg_parts *outer = gg_parts_begin(gg_var_graph(x), op, 1, &x, NULL);
  gg_var *const y = found(x, q, k, method);
  return gg_parts_end(gg_var_graph(x), outer, y);
}

gg_var *gg_quantile(gg_var *x, double q, int axis, gg_quantile_method method) {
  static const gg_op op = {.name = "quantile"};

  return quantile(&op, x, q, axis, method);
}

gg_var *gg_median(gg_var *x, int axis) {
  static const gg_op op = {.name = "median"};

  return quantile(&op, x, 0.5, axis, GG_QUANTILE_MIDPOINT);
}

gg_var *gg_rank(gg_var *x, int axis) {
  unsigned int k;

  if (!gg__given(GG_CALLED("rank"), 1, &x) ||
      gg__axis(x, GG_CALLED("rank"), axis, &k) != GA_NO_ERROR)
    return NULL;
  gg_var *const places = gg_argsort(x, (int)k, 0);
  return gg_put_along(gg_zeros_like(places), (int)k, places,
                      gg__iota(places, (int)k), GG_PUT_SET);
}
