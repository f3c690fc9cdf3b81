/* SPDX-License-Identifier: BSD-2-Clause */
/* Ops whose results have sizes that elements decide. */
#include <gpugraph/cumulate.h>
#include <gpugraph/op.h>
#include <gpugraph/select.h>
#include <gpugraph/sort.h>

#include "base/err.h"
#include "onnx/ops/builders.h"

int gg__from_nonzero(gg__onnx_call *c) {
  c->out[0] = gg_transpose(gg_nonzero(gg__call_in(c, 0)));
  return GA_NO_ERROR;
}

/* --- elements by a condition --- */

#define MOST_CONDITIONS 64

/* The positions at which a condition of n elements holds. */
static gg_var *known_positions(gg_graph *g, size_t n, const int64_t *known) {
  int64_t at[MOST_CONDITIONS];
  size_t k = 0;

  for (size_t i = 0; i < n; i++)
    if (known[i] != 0)
      at[k++] = (int64_t)i;
  return gg_constant(g, GA_LONG, 1, &k, at);
}

/* The condition may be shorter than the axis. If it is known, so is the size of
 * the result. */
int gg__from_compress(gg__onnx_call *c) {
  gg_var *x = gg__call_in(c, 0), *at;
  int64_t known[MOST_CONDITIONS];
  int axis = 0;
  size_t n;

  if (gg__call_rank(c, 1) != 1)
    return ga__fail(GA_VALUE_ERROR, "the condition has %u dimensions",
                    gg__call_rank(c, 1));
  if (gg__call_attr(c, "axis") == NULL)
    x = gg_flatten(x);
  else
    GA_TRY(gg__call_axis_attr(c, 0, gg__call_rank(c, 0), &axis));
  if (gg__call_known(c, 1, MOST_CONDITIONS, &n, known) == GA_NO_ERROR)
    at = known_positions(c->g, n, known);
  else
    at = gg_flatnonzero(gg__call_in(c, 1));
  c->out[0] = gg_take_axis(x, axis, at);
  return GA_NO_ERROR;
}

/* --- distinct elements, or parts along an axis --- */

#define MOST_COLUMNS 1024 /* elements of a part */

/* `values` along axis 0; the positions of the first of each, of all in
 * `values`, and how many equal each. */
typedef struct distinct {
  gg_var *values, *first, *inverse, *counts;
} distinct;

/* Bring distinct values into the order in which they occur first. */
static void order_by_first(distinct *d) {
  gg_var *order = gg_argsort(d->first, 0, 0);
  gg_var *rank = gg_argsort(order, 0, 0);

  d->values = gg_take(d->values, order);
  d->first = gg_take(d->first, order);
  d->counts = gg_take(d->counts, order);
  d->inverse = gg_take(rank, d->inverse);
}

/* Whether each row but the first differs from the one before it: [n - 1]. */
static gg_var *changes(gg_var *rows) {
  const int axis = 1;
  gg_var *differ =
      gg_ne(gg_slice(rows, 0, 1, GG_END, 1), gg_slice(rows, 0, 0, -1, 1));

  return gg_reduce(GG_ANY_OF, differ, 1, &axis, 0);
}

/* The order in which the rows of [n, m] ascend: the first column decides, the
 * last one least. */
static gg_var *rows_in_order(gg_var *rows, unsigned int m) {
  gg_var *keys[MOST_COLUMNS];

  for (unsigned int i = 0; i < m; i++)
    keys[i] = gg_index(rows, 1, m - 1 - i);
  return gg_lexsort(m, keys, 0);
}

/* Whether a row differs from the one before it, or is the first: [n]. */
static gg_var *first_of_equals(gg_var *rows) {
  gg_graph *g = gg_var_graph(rows);
  gg_var *any = gg_minimum(gg__size_of(rows, 0), gg_i64(g, 1));
  gg_var *parts[] = {gg_alloc(gg_scalar(g, GA_BOOL, 1), 1, &any),
                     changes(rows)};

  return gg_join(0, 2, parts);
}

/* Distinct rows of [n, m] in ascending order, for a known m. */
static int distinct_rows(gg__onnx_call *c, gg_var *rows, distinct *d) {
  const int64_t m = rows == NULL ? 0 : gg_var_type(rows)->dims[1];

  if (m < 1 || m > MOST_COLUMNS)
    return ga__fail(GA_UNSUPPORTED_ERROR,
                    "parts of %lld elements; supported are 1 to %d that are "
                    "known",
                    (long long)m, MOST_COLUMNS);
  gg_var *order = rows_in_order(rows, (unsigned int)m);
  GA_TRY(gg_graph_status(c->g));
  gg_var *begins = first_of_equals(gg_take(rows, order));
  gg_var *starts = gg_flatnonzero(begins), *n = gg__size_of(rows, 0);
  gg_var *ends[] = {gg_slice(starts, 0, 1, GG_END, 1), gg_expand_dims(n, 0)};
  gg_var *id = gg_sub(gg_cumsum(begins, 0), gg_i64(c->g, 1));

  d->first = gg_take(order, starts);
  d->values = gg_take(rows, d->first);
  d->inverse = gg_put(gg_alloc(gg_i64(c->g, 0), 1, &n), 0, order, id);
  d->counts = gg_sub(gg_join(0, 2, ends), starts);
  return GA_NO_ERROR;
}

static int distinct_parts(gg__onnx_call *c, gg_var *x, distinct *d) {
  gg_var *sizes[GG_MAX_ND];
  int axis;

  GA_TRY(gg__call_axis_attr(c, 0, gg__call_rank(c, 0), &axis));
  x = gg_moveaxis(x, axis, 0);
  GA_TRY(distinct_rows(c, gg__as_matrix(x, 1), d));
  GA_TRY(gg_graph_status(c->g));
  sizes[0] = gg_shape(d->values, 0);
  for (unsigned int i = 1; i < gg__call_rank(c, 0); i++)
    sizes[i] = gg__size_of(x, (int)i);
  d->values = gg__to_sizes(d->values, gg__call_rank(c, 0), sizes);
  return GA_NO_ERROR;
}

int gg__from_unique(gg__onnx_call *c) {
  const int has_axis = gg__call_attr(c, "axis") != NULL;
  gg_var *x = gg__call_in(c, 0);
  distinct d = {0};
  int axis = 0;

  if (has_axis) {
    GA_TRY(distinct_parts(c, x, &d));
    GA_TRY(gg__call_axis_attr(c, 0, gg__call_rank(c, 0), &axis));
  } else {
    d.values = gg_unique(x, &d.first, &d.inverse, &d.counts);
  }
  if (gg__call_int(c, "sorted", 1) == 0)
    order_by_first(&d);
  gg_var *out[] = {gg_moveaxis(d.values, 0, axis), d.first, d.inverse,
                   d.counts};
  for (size_t i = 0; i < c->n_out && i < 4; i++)
    c->out[i] = out[i];
  return GA_NO_ERROR;
}

/* --- boxes --- */

/* Input i, a scalar or a vector of one element, or `missing`. */
static gg_var *scalar_or(gg__onnx_call *c, size_t i, gg_var *missing) {
  gg_var *x = gg__call_in(c, i);

  if (x == NULL)
    return missing;
  return gg_var_type(x)->nd == 1 ? gg_index(x, 0, 0) : x;
}

/* Inputs: boxes, scores, boxes of a class at most, limits of overlap and of
 * scores. */
int gg__from_nms(gg__onnx_call *c) {
  gg_var *boxes = gg__call_in(c, 0), *most = gg_i64(c->g, 0);

  if (gg__call_has(c, 2))
    GA_TRY(gg__call_size(c, 2, &most));
  c->out[0] = gg_non_max_suppression(
      boxes, gg__call_in(c, 1), most, scalar_or(c, 3, gg__like(boxes, 0)),
      scalar_or(c, 4, NULL), gg__call_int(c, "center_point_box", 0) != 0);
  return GA_NO_ERROR;
}
