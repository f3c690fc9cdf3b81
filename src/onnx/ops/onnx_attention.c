/* SPDX-License-Identifier: BSD-2-Clause */
/* Attention, and the rotation of its operands by position. */
#include <gpugraph/create.h>
#include <gpugraph/op.h>
#include <math.h>

#include "base/dtype.h"
#include "base/err.h"
#include "onnx/ops/builders.h"

/* --- heads --- */

/* [batch, n, heads size] to [batch, heads, n, size], which inputs of rank 4 are
 * already. The caller checks the rank of the result. */
static gg_var *split_heads(gg_var *x, int64_t heads) {
  static const int order[] = {0, 2, 1, 3};

  if (x == NULL || gg_var_type(x)->nd != 3 || heads <= 0)
    return x;
  gg_var *sizes[] = {gg__size_of(x, 0), gg__size_of(x, 1),
                     gg_i64(gg_var_graph(x), heads),
                     gg__over(gg__size_of(x, 2), heads)};
  return gg_dimshuffle(gg__to_sizes(x, 4, sizes), 4, order);
}

/* [batch, heads, n, size] to [batch, n, heads size]. */
static gg_var *join_heads(gg_var *x) {
  static const int order[] = {0, 2, 1, 3};

  if (x == NULL)
    return NULL;
  x = gg_dimshuffle(x, 4, order);
  gg_var *sizes[] = {gg__size_of(x, 0), gg__size_of(x, 1), gg__span(x, 2, 4)};
  return gg__to_sizes(x, 3, sizes);
}

/* Repeat the heads of x, so that it has as many as q: several heads of q share
 * one of x. */
static gg_var *repeat_heads(gg_var *x, const gg_var *q) {
  if (x == NULL || q == NULL)
    return x;
  const int64_t n = gg_var_type(q)->dims[1], k = gg_var_type(x)->dims[1];

  return n == k || k <= 0 || n % k != 0 ? x : gg_repeat(x, 1, n / k);
}

/* --- masks of the scores q k' [batch, heads, n, m] --- */

/* s where cond is true, -infinity elsewhere. */
static gg_var *only_where(gg_var *cond, gg_var *s) {
  return gg_where(cond, s, gg__limit(s, 0));
}

/* Apply a mask [..., n, m]: bools select scores, floats are added. Positions
 * of k beyond its last axis are masked. */
static gg_var *apply_mask(gg_var *s, gg_var *mask) {
  if (s == NULL || mask == NULL)
    return s;
  const gg_type *t = gg_var_type(mask);
  const int is_bool = t->dtype == GA_BOOL;
  const int64_t have = t->nd == 0 ? GG_ANY : t->dims[t->nd - 1];
  const int64_t want = gg_var_type(s)->dims[3];
  int64_t none[GG_MAX_ND] = {0}, after[GG_MAX_ND] = {0};

  if (have >= 0 && want > have) {
    after[t->nd - 1] = want - have;
    mask = gg_pad(mask, none, after, GG_PAD_CONSTANT,
                  is_bool ? gg__like(mask, 0) : gg__limit(mask, 0));
  }
  return is_bool ? only_where(mask, s) : gg_add(s, mask);
}

/* Entry b of the batch has count[b] positions of k: as an int64 array that
 * broadcasts with scores. */
static gg_var *counts(gg__onnx_call *c) {
  return gg__along(gg_cast(gg__call_in(c, 6), GA_LONG), 4, 0);
}

/* The position of each row of the scores among those of k. Those of earlier
 * calls come before it: `past` ones, or all that count but the last n. */
static gg_var *row_positions(gg__onnx_call *c, gg_var *s) {
  gg_var *past = gg__call_in(c, 4), *row = gg_positions(s, 2);

  if (past != NULL)
    return gg_add(row, gg__size_of(past, 2));
  if (gg__call_has(c, 6))
    return gg_add(row, gg_sub(counts(c), gg__size_of(s, 2)));
  return row;
}

/* Each position of q attends to at most `left` positions of k before its own
 * and `right` ones after it; a negative number is no limit. */
static gg_var *apply_window(gg__onnx_call *c, gg_var *s, int64_t left,
                            int64_t right) {
  gg_var *row = row_positions(c, s), *column = gg_positions(s, 3);

  if (left >= 0)
    s = only_where(gg_le(gg_sub(row, gg_i64(c->g, left)), column), s);
  if (right >= 0)
    s = only_where(gg_le(column, gg_add(row, gg_i64(c->g, right))), s);
  return s;
}

/* Apply all masks that the node asks for. *may_close: they may leave no
 * position to a row. */
static int masked(gg__onnx_call *c, gg_var **s, int *may_close) {
  const int64_t left = gg__call_int(c, "left_window_size", -1);
  int64_t right = gg__call_int(c, "right_window_size", -1);

  if (left < -1 || right < -1)
    return ga__fail(GA_VALUE_ERROR,
                    "the window has %lld positions before and %lld after",
                    (long long)left, (long long)right);
  *may_close =
      gg__call_has(c, 3) || gg__call_has(c, 6) || left >= 0 || right >= 0;
  if (gg__call_int(c, "is_causal", 0) != 0)
    right = 0;
  *s = apply_mask(*s, gg__call_in(c, 3));
  if (left >= 0 || right >= 0)
    *s = apply_window(c, *s, left, right);
  if (gg__call_has(c, 6))
    *s = only_where(gg_lt(gg_positions(*s, 3), counts(c)), *s);
  return gg_graph_status(c->g);
}

/* --- attention --- */

/* The keys or values of earlier calls, which may be NULL, followed by x. */
static gg_var *with_past(gg_var *past, gg_var *x) {
  return past == NULL ? x : gg_join(2, 2, (gg_var *[]){past, x});
}

static gg_var *soft_cap(gg__onnx_call *c, gg_var *s) {
  const double cap = gg__call_float(c, "softcap", 0);

  if (cap <= 0)
    return s;
  return gg_mul(gg__like(s, cap), gg_tanh(gg_div(s, gg__like(s, cap))));
}

/* The softmax of rows; those that are -infinity become 0. They are replaced
 * before it, too, so that gradients are no NaN. */
static gg_var *softmax_open(gg_var *s) {
  static const int last = 3;
  gg_var *none = gg__like(s, 0);
  gg_var *closed = gg_eq(gg_reduce(GG_MAX, s, 1, &last, 1), gg__limit(s, 0));

  return gg_where(closed, none, gg_softmax(gg_where(closed, none, s)));
}

/* softmax(mask(cap(q k' scale))). *kept is the stage that the attribute
 * qk_matmul_output_mode selects, for output 3. q and k are each multiplied
 * by the root of the scale, as the format says, which is more stable. */
static int weights(gg__onnx_call *c, gg_var *q, gg_var *k, double scale,
                   gg_var **w, gg_var **kept) {
  const int precision = gg__onnx_dtype(gg__call_int(c, "softmax_precision", 0));
  gg_var *root = gg__like(q, sqrt(scale)), *stage[4];
  const int64_t mode = gg__call_int(c, "qk_matmul_output_mode", 0);
  int may_close = 0;

  stage[0] = gg_einsum("bhik,bhjk->bhij", 2,
                       (gg_var *[]){gg_mul(q, root), gg_mul(k, root)});
  stage[1] = soft_cap(c, stage[0]);
  stage[2] = stage[1];
  GA_TRY(masked(c, &stage[2], &may_close));
  gg_var *s = precision < 0 ? stage[2] : gg_cast(stage[2], precision);
  *w = stage[3] = may_close ? softmax_open(s) : gg_softmax(s);
  *kept = gg_cast(mode >= 0 && mode < 4 ? stage[mode] : NULL, gg__dtype_of(q));
  return GA_NO_ERROR;
}

int gg__from_attention(gg__onnx_call *c) {
  const int64_t heads = gg__call_int(c, "q_num_heads", 0);
  const int64_t kv_heads = gg__call_int(c, "kv_num_heads", heads);
  gg_var *q = split_heads(gg__call_in(c, 0), heads);
  gg_var *k =
      with_past(gg__call_in(c, 4), split_heads(gg__call_in(c, 1), kv_heads));
  gg_var *v =
      with_past(gg__call_in(c, 5), split_heads(gg__call_in(c, 2), kv_heads));
  gg_var *present[] = {k, v}, *w, *kept;

  if (q == NULL || gg_var_type(q)->nd != 4)
    return ga__fail(GA_VALUE_ERROR, "%u dimensions and %lld heads",
                    gg__call_rank(c, 0), (long long)heads);
  const int64_t size = gg_var_type(q)->dims[3];
  if (size <= 0 && gg__call_attr(c, "scale") == NULL)
    return ga__fail(GA_UNSUPPORTED_ERROR, "the size of heads must be known");
  const double scale =
      gg__call_float(c, "scale", 1 / sqrt((double)(size > 0 ? size : 1)));
  GA_TRY(weights(c, q, repeat_heads(k, q), scale, &w, &kept));
  v = repeat_heads(v, q);
  gg_var *y = gg_einsum("bhij,bhjk->bhik", 2,
                        (gg_var *[]){w, gg_cast(v, gg__dtype_of(w))});
  y = gg_cast(y, gg__dtype_of(q));
  c->out[0] = gg__call_rank(c, 0) == 3 ? join_heads(y) : y;
  for (size_t i = 1; i < 3 && i < c->n_out; i++)
    c->out[i] = present[i - 1];
  if (c->n_out > 3)
    c->out[3] = kept;
  return GA_NO_ERROR;
}

/* --- rotary embedding --- */

/* Input i, a table of cosines or sines, as [batch, 1, n, size / 2]. If input 3
 * gives positions [batch, n], they select rows of the table. */
static gg_var *by_position(gg__onnx_call *c, size_t i) {
  gg_var *table = gg__call_in(c, i), *at = gg__call_in(c, 3);

  if (at != NULL && table != NULL) {
    gg_var *sizes[] = {gg__size_of(at, 0), gg__size_of(at, 1),
                       gg__size_of(table, 1)};

    table = gg__to_sizes(gg_take(table, gg_flatten(at)), 3, sizes);
  }
  return gg_expand_dims(table, 1);
}

/* The first and the second elements of the pairs that are rotated: neighbours,
 * or one of each half of the first n elements. */
static void take_pairs(gg_var *x, int64_t n, int interleaved, gg_var **pair) {
  for (int i = 0; i < 2; i++)
    pair[i] = interleaved ? gg_slice(x, 3, i, n, 2)
                          : gg_slice(x, 3, i * (n / 2), (i + 1) * (n / 2), 1);
}

int gg__from_rotary_embedding(gg__onnx_call *c) {
  const int interleaved = gg__call_int(c, "interleaved", 0) != 0;
  gg_var *x = split_heads(gg__call_in(c, 0), gg__call_int(c, "num_heads", 0));
  gg_var *cosine = by_position(c, 1), *sine = by_position(c, 2), *p[2];

  if (x == NULL || gg_var_type(x)->nd != 4 || gg_var_type(x)->dims[3] < 0)
    return ga__fail(GA_UNSUPPORTED_ERROR,
                    "the number and the size of heads must be known");
  const int64_t size = gg_var_type(x)->dims[3];
  int64_t n = gg__call_int(c, "rotary_embedding_dim", 0);
  n = n == 0 ? size : n;
  if (n < 0 || n > size || n % 2 != 0)
    return ga__fail(GA_VALUE_ERROR, "%lld of %lld elements are turned",
                    (long long)n, (long long)size);
  take_pairs(x, n, interleaved, p);
  gg_var *turned[] = {gg_sub(gg_mul(cosine, p[0]), gg_mul(sine, p[1])),
                      gg_add(gg_mul(sine, p[0]), gg_mul(cosine, p[1]))};
  gg_var *y = interleaved
                  ? gg__as_like(gg_stack(4, 2, turned), gg_slice(x, 3, 0, n, 1))
                  : gg_join(3, 2, turned);
  if (n < size)
    y = gg_join(3, 2, (gg_var *[]){y, gg_slice(x, 3, n, size, 1)});
  c->out[0] = gg__call_rank(c, 0) == 3 ? join_heads(y) : y;
  return GA_NO_ERROR;
}
