/* SPDX-License-Identifier: BSD-2-Clause */
/* Running sums, sorting and histograms that NumPy judges: their table, and
 * before it how each is drawn. */
#include "numpy/draw.h"

/* `ufunc`.accumulate along an axis, from its start or from its end. */
static gg_var *accumulate(draw *d, ga_cumulate_op op, gg_var *x,
                          const char *ufunc) {
  const int axis = draw_axis(d, 0), back = (int)draw_int(d, 0, 1);

  if (back)
    draw_say(d, "np.flip(np.%s.accumulate(np.flip(x0, %d), %d), %d)", ufunc,
             axis, axis, axis);
  else
    draw_say(d, "np.%s.accumulate(x0, %d)", ufunc, axis);
  return gg_cumulate(op, x, axis, back ? GA_CUMULATE_REVERSED : 0);
}

static gg_var *cumsum(draw *d) {
  gg_var *const x = draw_operand(d, REALS | INTEGERS | BOOLS, 1, 3, -9, 9);
  const int axis = draw_axis(d, 0);

  draw_say(d, "np.cumsum(x0, %d)", axis);
  return gg_cumsum(x, axis);
}

static gg_var *cumprod(draw *d) {
  gg_var *const x = draw_operand(d, REALS | INTEGERS | BOOLS, 1, 3, -2, 2);
  const int axis = draw_axis(d, 0);

  draw_say(d, "np.cumprod(x0, %d)", axis);
  return gg_cumprod(x, axis);
}

/* (1 + x) (1 + y) - 1, of values below 1. */
static void growth(void *arg, gg_var *const *x, gg_var *const *y,
                   gg_var **out) {
  (void)arg;
  out[0] = gg_add(gg_add(x[0], y[0]), gg_mul(x[0], y[0]));
}

static gg_var *by_rule(draw *d) {
  gg_var *const x = draw_operand(d, REALS, 1, 3, -0.5, 0.5), *y;
  const int axis = draw_axis(d, 0), back = (int)draw_int(d, 0, 1);

  if (back)
    draw_say(d,
             "np.flip((np.cumprod(1 + np.flip(x0, %d).astype('f8'), %d) - 1)"
             ".astype(x0.dtype), %d)",
             axis, axis, axis);
  else
    draw_say(d, "(np.cumprod(1 + x0.astype('f8'), %d) - 1).astype(x0.dtype)",
             axis);
  gg_cumulate_by(&y, 1, &x, (double[]){0}, growth, NULL, axis,
                 back ? GA_CUMULATE_REVERSED : 0);
  return y;
}

static gg_var *before(draw *d) {
  gg_var *const x = draw_operand(d, REALS | INTEGERS, 1, 3, -9, 9);
  const int axis = draw_axis(d, 0);

  draw_say(d, "np.cumsum(x0, %d) - x0", axis);
  return gg_cumulate(GA_CUMULATE_SUM, x, axis, GA_CUMULATE_EXCLUSIVE);
}

static gg_var *cummax(draw *d) {
  return accumulate(d, GA_CUMULATE_MAX,
                    draw_operand(d, REALS | INTEGERS | BOOLS, 1, 3, -9, 9),
                    "maximum");
}

static gg_var *cummin(draw *d) {
  return accumulate(d, GA_CUMULATE_MIN,
                    draw_operand(d, REALS | INTEGERS | BOOLS, 1, 3, -9, 9),
                    "minimum");
}

static gg_var *logcumsumexp(draw *d) {
  return accumulate(d, GA_CUMULATE_LOGADDEXP,
                    draw_operand(d, REALS, 1, 3, -4, 4), "logaddexp");
}

static gg_var *sort(draw *d) {
  gg_var *const x = draw_operand(d, REALS | INTEGERS | BOOLS, 1, 3, -9, 9);
  const int axis = draw_axis(d, 0);

  draw_say(d, "np.sort(x0, %d)", axis);
  return gg_sort(x, axis, 0);
}

#define DESCENDING "np.argsort(-x0.astype('f8'), %d, kind='stable')"

/* NaN comes last, as in ascending order. */
static gg_var *sort_down(draw *d) {
  gg_var *const x = draw_few_any(d, REALS | INTEGERS | BOOLS, 3);
  const int axis = draw_axis(d, 0);

  draw_say(d, "np.take_along_axis(x0, " DESCENDING ", %d)", axis, axis);
  return gg_sort(x, axis, 1);
}

static gg_var *argsort_down(draw *d) {
  gg_var *const x = draw_few_any(d, REALS | INTEGERS, 3);
  const int axis = draw_axis(d, 0);

  draw_say(d, DESCENDING, axis);
  return gg_argsort(x, axis, 1);
}

static gg_var *sort_few(draw *d) {
  gg_var *const x = draw_few_any(d, REALS, 3);
  const int axis = draw_axis(d, 0);

  draw_say(d, "np.sort(x0, %d)", axis);
  return gg_sort(x, axis, 0);
}

static gg_var *argsort_few(draw *d) {
  gg_var *const x = draw_few_any(d, REALS | INTEGERS, 3);
  const int axis = draw_axis(d, 0);

  draw_say(d, "np.argsort(x0, %d, kind='stable')", axis);
  return gg_argsort(x, axis, 0);
}

/* The values, or the keys. */
static gg_var *sort_by(draw *d) {
  gg_var *const x = draw_few_any(d, REALS | INTEGERS, 3), *v;
  const int axis = draw_axis(d, 0), down = (int)draw_int(d, 0, 1);
  gg_var *const y =
      draw_sized(d, GA_SHORT, gg_var_type(x)->nd, d->dims[0], -99, 99);
  gg_var *const sorted = gg_sort_by(&v, x, 1, &y, axis, down);
  const int keys = (int)draw_int(d, 0, 1);

  draw_say(d, "np.take_along_axis(%s, ", keys ? "x0" : "x1");
  draw_say(d, down ? DESCENDING : "np.argsort(x0, %d, kind='stable')", axis);
  draw_say(d, ", %d)", axis);
  return keys ? sorted : v;
}

/* The element at the rank; whether others are on its sides. */
static gg_var *partition(draw *d) {
  const size_t n = (size_t)draw_int(d, 1, 60);
  gg_var *const x = draw_sized(d, GA_INT, 1, &n, 0, 9);
  const int rank = (int)draw_int(d, -(int64_t)n, (int64_t)n - 1);
  gg_var *const ranks[2] = {gg_i64(d->g, 0), gg_i64(d->g, rank)};
  const int64_t how = draw_int(d, 0, 2);
  gg_var *const p = how == 0   ? gg_partition(x, rank, 0)
                    : how == 1 ? gg_take(x, gg_argpartition(x, rank, 0))
                               : gg_partition_ranks(x, 2, ranks, 0);

  draw_say(d, "np.partition(x0, %d)[%d]", rank, rank);
  return gg_index(p, 0, rank);
}

static gg_var *argsort(draw *d) {
  gg_var *const x = draw_operand(d, REALS | INTEGERS, 1, 3, -9, 9);
  const int axis = draw_axis(d, 0);

  draw_say(d, "np.argsort(x0, %d, kind='stable')", axis);
  return gg_argsort(x, axis, 0);
}

/* The first k, and after them the others, which sorting gives. */
static gg_var *topk(draw *d) {
  gg_var *const x = draw_operand(d, REALS | INTEGERS | BOOLS, 1, 3, -9, 9);
  const int axis = draw_axis(d, 0), smallest = (int)draw_int(d, 0, 1);
  gg_var *const divisor = gg_i64(d->g, draw_int(d, 1, 3));
  gg_var *const k = gg_floordiv(gg_shape(x, axis), divisor);
  gg_var *const sorted = gg_sort(x, axis, !smallest);
  gg_var *const both[2] = {
      gg_topk(x, k, axis, smallest ? GA_TOPK_SMALLEST : 0, NULL),
      gg_slice_at(sorted, axis, k, NULL, NULL)};

  draw_say(d, smallest ? "np.sort(x0, %d)" : "np.flip(np.sort(x0, %d), %d)",
           axis, axis);
  return gg_join(axis, 2, both);
}

/* NaN is the largest. */
static gg_var *topk_few(draw *d) {
  gg_var *const x = draw_few_any(d, REALS | INTEGERS, 3);
  const int axis = draw_axis(d, 0), smallest = (int)draw_int(d, 0, 1),
            divisor = (int)draw_int(d, 1, 3);
  gg_var *const k = gg_floordiv(gg_shape(x, axis), gg_i64(d->g, divisor));

  draw_say(d, "(lambda s, n: np.take(s, range(n // %d), %d))(", divisor, axis);
  draw_say(d, smallest ? "np.sort(x0, %d)" : "np.flip(np.sort(x0, %d), %d)",
           axis, axis);
  draw_say(d, ", x0.shape[%d])", axis);
  return gg_topk(x, k, axis, smallest ? GA_TOPK_SMALLEST : 0, NULL);
}

static gg_var *topk_places(draw *d) {
  gg_var *const x = draw_operand(d, REALS | INTEGERS, 1, 3, -9, 9);
  const int axis = draw_axis(d, 0);
  gg_var *places;

  draw_say(d, "np.argsort(x0, %d, kind='stable')", axis);
  gg_topk(x, gg_shape(x, axis), axis, GA_TOPK_SMALLEST, &places);
  return places;
}

/* The rank may count from the end. */
static gg_var *kth(draw *d) {
  gg_var *const x = draw_operand(d, REALS | INTEGERS, 1, 3, -9, 9);
  const int axis = draw_axis(d, 0), back = (int)draw_int(d, 0, 1);

  draw_say(d, "np.take(np.sort(x0, %d), %d, %d)", axis, -back, axis);
  return gg_kth(x, gg_i64(d->g, -back), axis, NULL);
}

static gg_var *quantile(draw *d) {
  static const char *const methods[] = {"linear", "lower", "higher", "nearest",
                                        "midpoint"};
  gg_var *const x = draw_operand(d, REALS, 1, 3, -9, 9);
  const int axis = draw_axis(d, 0), m = (int)draw_int(d, 0, 4);
  const double q = (double)draw_int(d, 0, 8) / 8;

  draw_say(d, "np.quantile(x0, %g, %d, method='%s').astype(x0.dtype)", q, axis,
           methods[m]);
  return gg_quantile(x, q, axis, (gg_quantile_method)m);
}

static gg_var *median(draw *d) {
  gg_var *const x = draw_operand(d, REALS, 1, 3, -9, 9);
  const int axis = draw_axis(d, 0);

  draw_say(d, "np.median(x0, %d)", axis);
  return gg_median(x, axis);
}

static gg_var *rank(draw *d) {
  gg_var *const x = draw_operand(d, REALS | INTEGERS, 1, 3, -9, 9);
  const int axis = draw_axis(d, 0);

  draw_say(d, "np.argsort(np.argsort(x0, %d, kind='stable'), %d)", axis, axis);
  return gg_rank(x, axis);
}

static gg_var *searchsorted(draw *d) {
  static const double edges[6] = {-6, -1, 0, 0, 2.5, 8};
  static const size_t n = 6;
  gg_var *const x = draw_operand(d, REALS, 0, 3, -9, 9);
  gg_var *const e = draw_given(d, gg_var_type(x)->dtype, 1, &n, edges);
  const int right = (int)draw_int(d, 0, 1);

  draw_say(d, "np.searchsorted(x1, x0, '%s')", right ? "right" : "left");
  return gg_searchsorted(e, x, right);
}

static gg_var *bucketize(draw *d) {
  static const double edges[4] = {-3, 1, 2, 7};
  static const size_t n = 4;
  gg_var *const x = draw_operand(d, REALS | INTEGERS, 1, 3, 0, 9);
  gg_var *const e = draw_given(d, GA_INT, 1, &n, edges);
  const int right = (int)draw_int(d, 0, 1);

  draw_say(d, "np.digitize(x0, x1, right=%s)", right ? "False" : "True");
  return gg_bucketize(x, e, right);
}

/* Weights, or none. */
static gg_var *bincount(draw *d) {
  gg_var *const x = draw_operand(d, INTEGERS, 1, 1, 0, 9), *w = NULL;
  const int64_t n = draw_int(d, 1, 12);

  if (draw_int(d, 0, 1))
    w = draw_sized(d, GA_FLOAT, 1, d->dims[0], -2, 2);
  draw_say(d, "np.bincount(x0.astype(np.int64)%s, minlength=%d)[:%d]%s",
           w != NULL ? ", x1" : "", (int)n, (int)n,
           w != NULL ? ".astype(np.float32)" : "");
  return gg_bincount(x, w, gg_i64(d->g, n));
}

static gg_var *histogram(draw *d) {
  static const double edges[5] = {-4, -1, 0.5, 2, 9};
  static const size_t n = 5;
  gg_var *const x = draw_operand(d, REALS, 1, 3, -9, 9);
  gg_var *const e = draw_given(d, gg_var_type(x)->dtype, 1, &n, edges);

  draw_say(d, "np.histogram(x0, x1)[0]");
  return gg_histogram(x, e, NULL);
}

/* Sums of weights, of which NaN have none. */
static gg_var *histogram_weighted(draw *d) {
  static const double edges[4] = {-2, 0, 1, 2};
  static const size_t n = 4;
  gg_var *const x = draw_few_any(d, REALS, 3);
  gg_var *const e = draw_given(d, gg_var_type(x)->dtype, 1, &n, edges);
  gg_var *const w =
      draw_sized(d, GA_FLOAT, gg_var_type(x)->nd, d->dims[0], -2, 2);

  draw_say(d, "(lambda k: np.histogram(x0[k], x1, weights=x2[k].astype('f8'))"
              "[0].astype('f4'))(x0 == x0)");
  return gg_histogram(x, e, w);
}

/* Of float64, whose edges NumPy has, too. */
static gg_var *histogram_bins(draw *d) {
  const size_t size = (size_t)draw_int(d, 1, 60);
  gg_var *const x = draw_sized(d, GA_DOUBLE, 1, &size, -9, 9), *edges;
  const int64_t n = draw_int(d, 1, 12);
  gg_var *const counts =
      gg_histogram_bins(x, gg_i64(d->g, n), NULL, NULL, NULL, &edges);

  draw_say(d, "np.concatenate(np.histogram(x0, %d))", (int)n);
  return gg_join(0, 2, (gg_var *[]){gg_cast(counts, GA_DOUBLE), edges});
}

static gg_var *histogram2d(draw *d) {
  static const double edges[4] = {-4, -1, 2, 9};
  static const size_t n[2] = {4, 3};
  const size_t size = (size_t)draw_int(d, 1, 60);
  gg_var *const x = draw_sized(d, GA_FLOAT, 1, &size, -9, 9);
  gg_var *const y = draw_sized(d, GA_FLOAT, 1, &size, -9, 9);
  gg_var *const ex = draw_given(d, GA_FLOAT, 1, &n[0], edges);
  gg_var *const ey = draw_given(d, GA_FLOAT, 1, &n[1], edges);

  draw_say(d, "np.histogram2d(x0, x1, bins=(x2, x3))[0].astype(np.int64)");
  return gg_histogram2d(x, y, ex, ey, NULL);
}

static gg_var *lexsort(draw *d) {
  gg_var *keys[3];
  unsigned int n = (unsigned int)draw_int(d, 1, 3);

  keys[0] = draw_operand(d, REALS | INTEGERS, 1, 3, -9, 9);
  for (unsigned int i = 1; i < n; i++)
    keys[i] = draw_sized(d, GA_INT, gg_var_type(keys[0])->nd, d->dims[0], 0, 3);
  const int axis = draw_axis(d, 0);
  draw_say(d, "np.lexsort((%s), axis=%d)",
           n == 1   ? "x0,"
           : n == 2 ? "x0, x1"
                    : "x0, x1, x2",
           axis);
  return gg_lexsort(n, keys, axis);
}

static const numpy_case cases[] = {
    {"cumsum", .build = cumsum},
    {"cumprod", .build = cumprod},
    {"by a rule", .build = by_rule},
    {"sum of what is before", .build = before},
    {"cummax", .build = cummax},
    {"cummin", .build = cummin},
    {"logcumsumexp", .build = logcumsumexp},
    {"sort", .build = sort},
    {"argsort", .build = argsort},
    {"sort of few values", .build = sort_few},
    {"argsort of few values", .build = argsort_few},
    {"descending sort", .build = sort_down},
    {"descending argsort", .build = argsort_down},
    {"keys with values", .build = sort_by},
    {"partition", .build = partition},
    {"topk", .build = topk},
    {"topk of few values", .build = topk_few},
    {"topk, places", .build = topk_places},
    {"kth", .build = kth},
    {"quantile", .build = quantile},
    {"median", .build = median},
    {"rank", .build = rank},
    {"searchsorted", .build = searchsorted},
    {"bucketize", .build = bucketize},
    {"lexsort", .build = lexsort},
    {"bincount", .build = bincount},
    {"histogram", .build = histogram},
    {"histogram, weights", .build = histogram_weighted},
    {"histogram, computed edges", .build = histogram_bins},
    {"histogram2d", .build = histogram2d},
};

const numpy_table numpy_orders = {cases, sizeof cases / sizeof *cases};
