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

/* --- masks, which are added to the scores q k' [batch, heads, n, m] --- */

/* 0 where cond is true, -infinity elsewhere, in the dtype of `like`. */
static gg_var *open_where(gg_var *cond, gg_var *like) {
  return gg_where(cond, gg__like(like, 0), gg__limit(like, 0));
}

/* Add a mask [..., n, m] of bools or floats. Positions of k beyond its last
 * axis get -infinity. */
static gg_var *add_mask(gg_var *s, gg_var *mask) {
  if (s == NULL || mask == NULL)
    return s;
  const gg_type *t = gg_var_type(mask);
  const int64_t have = t->nd == 0 ? GG_ANY : t->dims[t->nd - 1];
  const int64_t want = gg_var_type(s)->dims[3];
  int64_t none[GG_MAX_ND] = {0}, after[GG_MAX_ND] = {0};

  if (t->dtype == GA_BOOL)
    mask = open_where(mask, s);
  if (have >= 0 && want > have) {
    after[t->nd - 1] = want - have;
    mask = gg_pad(mask, none, after, GG_PAD_CONSTANT, gg__limit(mask, 0));
  }
  return gg_add(s, mask);
}

/* Position i of q attends to the positions of `past`, and to those of k after
 * them up to i. */
static gg_var *add_causal(gg_var *s, gg_var *past) {
  gg_var *row = gg_positions(s, 2), *column = gg_positions(s, 3);

  if (past != NULL)
    row = gg_add(row, gg__size_of(past, 2));
  return gg_add(s, open_where(gg_le(column, row), s));
}

/* Entry b of the batch attends to the first count[b] positions of k. */
static gg_var *add_counts(gg_var *s, gg_var *count) {
  gg_var *n = gg__along(gg_cast(count, GA_LONG), 4, 0);

  return gg_add(s, open_where(gg_lt(gg_positions(s, 3), n), s));
}

/* The scores with all masks that the node asks for. */
static gg_var *biased(gg__onnx_call *c, gg_var *s) {
  gg_var *mask = gg__call_in(c, 3);

  s = add_mask(s, mask);
  if (gg__call_int(c, "is_causal", 0) != 0)
    s = add_causal(s, gg__call_in(c, 4));
  return gg__call_has(c, 6) ? add_counts(s, gg__call_in(c, 6)) : s;
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

/* softmax(cap(q k' scale + masks)). *kept is the stage that the attribute
 * qk_matmul_output_mode selects, for output 3. q and k are each multiplied
 * by the root of the scale, as the format says, which is more stable. */
static gg_var *weights(gg__onnx_call *c, gg_var *q, gg_var *k, double scale,
                       gg_var **kept) {
  const int precision = gg__onnx_dtype(gg__call_int(c, "softmax_precision", 0));
  gg_var *root = gg__like(q, sqrt(scale)), *stage[4];
  const int64_t mode = gg__call_int(c, "qk_matmul_output_mode", 0);

  stage[0] = gg_einsum("bhik,bhjk->bhij", 2,
                       (gg_var *[]){gg_mul(q, root), gg_mul(k, root)});
  stage[1] = biased(c, stage[0]);
  stage[2] = soft_cap(c, stage[1]);
  stage[3] =
      gg_softmax(precision < 0 ? stage[2] : gg_cast(stage[2], precision));
  *kept = gg_cast(mode >= 0 && mode < 4 ? stage[mode] : NULL, gg__dtype_of(q));
  return stage[3];
}

int gg__from_attention(gg__onnx_call *c) {
  const int64_t heads = gg__call_int(c, "q_num_heads", 0);
  const int64_t kv_heads = gg__call_int(c, "kv_num_heads", heads);
  gg_var *q = split_heads(gg__call_in(c, 0), heads);
  gg_var *k =
      with_past(gg__call_in(c, 4), split_heads(gg__call_in(c, 1), kv_heads));
  gg_var *v =
      with_past(gg__call_in(c, 5), split_heads(gg__call_in(c, 2), kv_heads));
  gg_var *present[] = {k, v}, *kept;

  if (q == NULL || gg_var_type(q)->nd != 4)
    return ga__fail(GA_VALUE_ERROR, "%u dimensions and %lld heads",
                    gg__call_rank(c, 0), (long long)heads);
  const int64_t size = gg_var_type(q)->dims[3];
  if (size <= 0 && gg__call_attr(c, "scale") == NULL)
    return ga__fail(GA_UNSUPPORTED_ERROR, "the size of heads must be known");
  const double scale =
      gg__call_float(c, "scale", 1 / sqrt((double)(size > 0 ? size : 1)));
  gg_var *w = weights(c, q, repeat_heads(k, q), scale, &kept);
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
