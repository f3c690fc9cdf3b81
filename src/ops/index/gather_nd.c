/* SPDX-License-Identifier: BSD-2-Clause */
/* Elements and slices by tuples of indices. Each tuple becomes one index along
 * the axes that it replaces, joined to one axis; a map computes it. */
#include <gpugraph/gather.h>

#include "ops/compose.h"

/* Tuples of `k` indices for the axes of x from `batch` on. */
typedef struct tuples {
  const gg_op *op; /* the name for messages */
  gg_var *x, *index;
  unsigned int batch, k;
  gg_var *sizes[GG_MAX_ND], *counts[GG_MAX_ND]; /* of x and of the indices */
} tuples;

/* The indices, whose first axes have the sizes of those of x. */
static gg_var *in_batches(const tuples *t) {
  gg_var *sizes[GG_MAX_ND];

  for (unsigned int i = 0; i < gg__rank_of(t->index); i++)
    sizes[i] = i < t->batch ? t->sizes[i] : gg_i64(gg_var_graph(t->x), GG_ANY);
  return t->batch != 0 ? gg_specify_sizes(t->index, sizes) : t->index;
}

/* Set *t. Returns 0 and records an error if the operands do not fit. */
static int open_tuples(tuples *t) {
  gg_var *const in[2] = {t->x, t->index};

  if (!gg__given(t->op, 2, in))
    return 0;
  const gg_type *x = gg_var_type(t->x), *index = gg_var_type(t->index);
  if (index->nd == 0 || !gg__is_integer(index->dtype))
    return gg__refuse(t->op, 2, in, GA_VALUE_ERROR,
                      "expected tuples of integers") != NULL;
  const int64_t k = index->dims[index->nd - 1];
  if (k == GG_ANY)
    return gg__refuse(t->op, 2, in, GA_VALUE_ERROR,
                      "the size of the last axis of the indices is unknown") !=
           NULL;
  if (t->batch >= index->nd || t->batch >= x->nd || k < 1 ||
      k > (int64_t)(x->nd - t->batch))
    return gg__refuse(t->op, 2, in, GA_VALUE_ERROR,
                      "%lld indices after %u axes", (long long)k,
                      t->batch) != NULL;
  t->k = (unsigned int)k;
  gg__sizes_of(t->x, t->sizes);
  t->index = in_batches(t);
  if (t->index == NULL)
    return 0;
  gg__sizes_of(t->index, t->counts);
  return 1;
}

/* The product of n sizes from `from` on. */
static gg_var *product(const tuples *t, gg_var *const *sizes, unsigned int from,
                       unsigned int n) {
  gg_var *all = gg_i64(gg_var_graph(t->x), 1);

  for (unsigned int i = 0; i < n; i++)
    all = gg__number_mul(all, sizes[from + i]);
  return all;
}

/* The tuples as indices along the joined axis. Those with an index out of range
 * become the size of that axis, which is out of range, too. */
static gg_var *joined(const tuples *t) {
  const int is_signed =
      ga__dtype_kind(gg_var_type(t->index)->dtype) == GA_KIND_INT;
  gg_var *const zero = gg_i64(gg_var_graph(t->x), 0);
  gg_var *all = NULL, *fits = NULL;

  if (t->k == 1)
    return gg_index(t->index, -1, 0);
  for (unsigned int j = 0; j < t->k; j++) {
    gg_var *const n = t->sizes[t->batch + j];
    gg_var *i = gg_cast(gg_index(t->index, -1, j), GA_LONG);
    if (is_signed)
      i = gg_where(gg_lt(i, zero), gg_add(i, n), i);
    gg_var *const fit = gg_and(gg_ge(i, zero), gg_lt(i, n));
    all = j == 0 ? i : gg_add(gg_mul(all, n), i);
    fits = j == 0 ? fit : gg_and(fits, fit);
  }
  return gg_where(fits, all, product(t, t->sizes, t->batch, t->k));
}

/* Write the sizes of the axes of x after those that are replaced. Returns how
 * many there are. */
static unsigned int rest_sizes(const tuples *t, gg_var **to) {
  const unsigned int from = t->batch + t->k, nd = gg__rank_of(t->x);

  for (unsigned int i = from; i < nd; i++)
    to[i - from] = t->sizes[i];
  return nd - from;
}

/* x with the replaced axes, which come first, as one. */
static gg_var *flat_x(const tuples *t) {
  gg_var *sizes[GG_MAX_ND];

  if (t->k == 1)
    return t->x;
  sizes[0] = product(t, t->sizes, 0, t->k);
  return gg_reshape_sizes(t->x, 1 + rest_sizes(t, sizes + 1), sizes);
}

/* v, whose first axis is as long as there are tuples, with the axes of the
 * tuples instead. */
static gg_var *unflat(const tuples *t, gg_var *v) {
  const unsigned int nd = gg__rank_of(t->index) - 1;
  gg_var *sizes[2 * GG_MAX_ND];

  for (unsigned int i = 0; i < nd; i++)
    sizes[i] = t->counts[i];
  const unsigned int more = rest_sizes(t, sizes + nd);
  if (nd + more > GG_MAX_ND)
    return gg__refuse(t->op, 1, &v, GA_VALUE_ERROR, "%u dimensions, at most %d",
                      nd + more, GG_MAX_ND);
  return nd == 1 ? v : gg_reshape_sizes(v, nd + more, sizes);
}

/* With leading axes in common: x [B, P, T] and indices [B, Q, 1]. */
static gg_var *gather_batch(const tuples *t) {
  const unsigned int nd = gg__rank_of(t->x), b = t->batch,
                     q = gg__rank_of(t->index) - 1 - b;
  gg_var *const three[3] = {product(t, t->sizes, 0, b),
                            product(t, t->sizes, b, t->k),
                            product(t, t->sizes, b + t->k, nd - b - t->k)};
  gg_var *const picks[3] = {product(t, t->counts, 0, b),
                            product(t, t->counts, b, q),
                            gg_i64(gg_var_graph(t->x), 1)};
  gg_var *sizes[2 * GG_MAX_ND];

  for (unsigned int i = 0; i < b + q; i++)
    sizes[i] = t->counts[i];
  const unsigned int more = rest_sizes(t, sizes + b + q);
  if (b + q + more > GG_MAX_ND)
    return gg__refuse(t->op, 1, (gg_var *[]){t->x}, GA_VALUE_ERROR,
                      "%u dimensions, at most %d", b + q + more, GG_MAX_ND);
  gg_var *const v = gg_take_along(gg_reshape_sizes(t->x, 3, three), 1,
                                  gg_reshape_sizes(joined(t), 3, picks));
  return v != NULL ? gg_reshape_sizes(v, b + q + more, sizes) : NULL;
}

/* Values of the sizes of what tuples select, with one axis for the tuples. */
static gg_var *flat_values(const tuples *t, gg_var *v) {
  const unsigned int nd = gg__rank_of(t->index) - 1;
  gg_var *sizes[2 * GG_MAX_ND];

  for (unsigned int i = 0; i < nd; i++)
    sizes[i] = t->counts[i];
  const unsigned int more = rest_sizes(t, sizes + nd);
  v = gg_specify_sizes(v, sizes);
  sizes[nd] = product(t, t->counts, 0, nd);
  rest_sizes(t, sizes + nd + 1);
  return v != NULL ? gg_reshape_sizes(v, 1 + more, sizes + nd) : NULL;
}

/* One index for each tuple. */
static gg_var *flat_index(const tuples *t) {
  gg_var *const i = joined(t);

  return i != NULL && gg__rank_of(i) != 1 ? gg_flatten(i) : i;
}

gg_var *gg_gather_nd(gg_var *x, gg_var *index, unsigned int batch_dims) {
  tuples t = {.op = GG_CALLED("gather_nd"),
              .x = x,
              .index = index,
              .batch = batch_dims};

  if (!open_tuples(&t))
    return NULL;
  if (t.batch != 0)
    return gather_batch(&t);
  gg_var *const v = gg_take_axis(flat_x(&t), 0, flat_index(&t));
  return v != NULL ? unflat(&t, v) : NULL;
}

gg_var *gg_scatter_nd(gg_var *x, gg_var *index, gg_var *v, gg_put_op how) {
  tuples t = {.op = GG_CALLED("scatter_nd"), .x = x, .index = index};

  if (!gg__given(t.op, 3, (gg_var *[]){x, index, v}) || !open_tuples(&t))
    return NULL;
  const unsigned int more = gg__rank_of(x) - t.k;
  if (gg__rank_of(v) != 0 && gg__rank_of(v) != gg__rank_of(index) - 1 + more)
    return gg__refuse(t.op, 3, (gg_var *[]){x, index, v}, GA_VALUE_ERROR,
                      "the values have %u dimensions, expected %u",
                      gg__rank_of(v), gg__rank_of(index) - 1 + more);
  if (gg__rank_of(v) != 0 && gg__rank_of(index) != 2)
    v = flat_values(&t, v);
  gg_var *const y = gg_put_with(flat_x(&t), 0, flat_index(&t), v, how);
  if (y == NULL || t.k == 1)
    return y;
  return gg_reshape_sizes(y, gg__rank_of(x), t.sizes);
}
