/* SPDX-License-Identifier: BSD-2-Clause */
/* Running sums, sorting, selection and counting at random. */
#include <gpugraph/cumulate.h>
#include <gpugraph/search.h>
#include <gpugraph/select.h>
#include <gpugraph/sort.h>
#include <gpugraph/topk.h>

#include "support/random_graph.h"

static gg_var *number(random_graph *r, int64_t lo, int64_t hi) {
  return gg_i64(r->g, lo + (int64_t)random_below(r, (size_t)(hi - lo + 1)));
}

/* An axis of x, at times from the end or beyond. */
static int axis_of(random_graph *r, const gg_var *x) {
  const unsigned int nd = gg_var_type(x)->nd;

  return (int)random_below(r, 2 * (size_t)nd + 1) - (int)nd;
}

/* --- running --- */

/* (1 + x) (1 + y) - 1 */
static void growth(void *arg, gg_var *const *x, gg_var *const *y,
                   gg_var **out) {
  (void)arg;
  out[0] = gg_add(gg_add(x[0], y[0]), gg_mul(x[0], y[0]));
}

static void restart(void *arg, gg_var *const *x, gg_var *const *y,
                    gg_var **out) {
  (void)arg;
  out[0] = gg_or(x[0], y[0]);
  out[1] = gg_where(y[0], y[1], gg_add(x[1], y[1]));
}

static gg_var *by_rule(random_graph *r, gg_var *x, int axis, int flags) {
  gg_var *in[2] = {gg_gt(x, random_pick(r)), x}, *y[2];

  if (random_below(r, 2))
    return gg_cumulate_by(y, 1, &x, (double[]){0}, growth, NULL, axis, flags)
               ? NULL
               : y[0];
  return gg_cumulate_by(y, 2, in, (double[]){0, 0}, restart, NULL, axis, flags)
             ? NULL
             : y[random_below(r, 2)];
}

static gg_var *running(random_graph *r) {
  gg_var *const x = random_pick(r);
  const int axis = axis_of(r, x), flags = (int)random_below(r, 4);

  switch (random_below(r, 4)) {
  case 0:
    return gg_recurrence(x, random_pick(r), axis, flags);
  case 1:
    return by_rule(r, x, axis, flags);
  default:
    return gg_cumulate((ga_cumulate_op)(1 + random_below(r, 7)), x, axis,
                       flags);
  }
}

/* --- sorted --- */

static gg_var *sorted(random_graph *r) {
  gg_var *const x = random_pick(r), *y = random_pick(r), *moved;
  const int axis = axis_of(r, x), down = (int)random_below(r, 2);

  switch (random_below(r, 6)) {
  case 0:
    return gg_argsort(x, axis, down);
  case 1:
    return gg_rank(x, axis);
  case 2:
    return gg_partition(x, (int64_t)random_below(r, 5) - 2, axis);
  case 3:
    gg_sort_by(&moved, x, 1, &y, axis, down);
    return moved;
  case 4:
    return gg_lexsort(2, (gg_var *[]){x, y}, axis);
  default:
    return gg_sort(x, axis, down);
  }
}

/* --- selected --- */

static gg_var *in_order(random_graph *r) {
  gg_var *const x = random_pick(r);
  const int axis = axis_of(r, x);
  gg_var *at = NULL, *v;

  switch (random_below(r, 4)) {
  case 0:
    return gg_quantile(x, random_below(r, 5) / 4.0, axis,
                       (gg_quantile_method)random_below(r, 5));
  case 1:
    v = gg_kth(x, number(r, -3, 3), axis, &at);
    break;
  default: /* in the order that is promised */
    v = gg_topk(x, number(r, 0, 4), axis, (int)random_below(r, 2), &at);
  }
  return random_below(r, 2) ? v : at;
}

static gg_var *under_mask(random_graph *r) {
  gg_var *const x = random_pick(r), *const mask = gg_gt(x, random_pick(r));
  gg_var *count;

  switch (random_below(r, 4)) {
  case 0:
    return gg_nonzero_bounded(mask, number(r, 0, 9), -1, NULL);
  case 1:
    gg_flatnonzero_bounded(x, number(r, 0, 9), 3, &count);
    return count;
  case 2:
    return gg_mask_put(x, mask, random_pick(r),
                       (gg_put_op)random_below(r, GG_PUT_MIN + 1));
  default:
    return gg_compress_bounded(x, mask, number(r, 0, 9), NULL);
  }
}

/* --- counted --- */

static gg_var *counted(random_graph *r) {
  gg_var *const x = random_pick(r);
  gg_var *const edges = gg_sort(gg_flatten(random_pick(r)), 0, 0);

  switch (random_below(r, 4)) {
  case 0:
    return gg_bincount(x, NULL, number(r, 0, 6));
  case 1:
    return gg_histogram(x, edges, NULL);
  case 2:
    return gg_is_member(x, gg_cast(edges, gg_var_type(x)->dtype));
  default:
    return gg_searchsorted(edges, x, (int)random_below(r, 2));
  }
}

gg_var *random_order(random_graph *r) {
  static gg_var *(*const kinds[])(random_graph *) = {
      running, running, sorted, in_order, under_mask, counted};

  return kinds[random_below(r, sizeof kinds / sizeof *kinds)](r);
}
