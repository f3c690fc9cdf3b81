/* SPDX-License-Identifier: BSD-2-Clause */
/* Layers of language models that keep a state from call to call: linear
 * attention, and causal convolution. */
#include <gpugraph/conv.h>
#include <gpugraph/op.h>
#include <gpugraph/scan.h>
#include <math.h>
#include <string.h>

#include "base/err.h"
#include "onnx/ops/builders.h"

/* --- linear attention --- */

/* Sizes: b entries of a batch, t positions, h heads of keys and values, g heads
 * of queries for each of them; k numbers of a key, v of a value. */
typedef struct linear {
  int64_t heads, group;
  int is_gated, is_delta;
  double scale;
  /* [t, b, h, ...]; query [t, b, h, g, k] */
  gg_var *query, *key, *value, *decay, *beta;
  gg_var *first; /* the state [b, h, k, v] */
} linear;

static int is_wide(const gg_var *x) {
  return gg__dtype_of(x) == GA_DOUBLE;
}

/* Input i [b, t, n ...] as [t, b, n, ...], at least in float32. */
static gg_var *by_time(gg__onnx_call *c, size_t i, int64_t n) {
  static const int order[] = {1, 0, 2, 3};
  gg_var *x = gg__call_in(c, i);

  if (x == NULL)
    return NULL;
  gg_var *sizes[] = {gg__size_of(x, 0), gg__size_of(x, 1), gg_i64(c->g, n),
                     gg__over(gg__size_of(x, 2), n)};
  x = gg_dimshuffle(gg__to_sizes(x, 4, sizes), 4, order);
  return is_wide(x) ? x : gg_cast(x, GA_FLOAT);
}

static int read_rule(gg__onnx_call *c, linear *l) {
  static const char *const rules[] = {"linear", "gated", "delta", "gated_delta",
                                      NULL};
  const int64_t heads = gg__call_int(c, "q_num_heads", 0);
  int rule;

  GA_TRY(gg__call_word(c, "update_rule", rules[3], rules, &rule));
  l->is_gated = rule % 2 == 1;
  l->is_delta = rule >= 2;
  l->heads = gg__call_int(c, "kv_num_heads", 0);
  if (l->heads <= 0 || heads <= 0 || heads % l->heads != 0)
    return ga__fail(GA_VALUE_ERROR, "%lld heads of queries and %lld of keys",
                    (long long)heads, (long long)l->heads);
  l->group = heads / l->heads;
  for (size_t i = 4; i < 6; i++)
    if (gg__call_has(c, i) != (i == 4 ? l->is_gated : l->is_delta))
      return ga__fail(GA_VALUE_ERROR,
                      "update_rule is \"%s\", but input %zu is "
                      "%s",
                      rules[rule], i, gg__call_has(c, i) ? "given" : "missing");
  for (size_t i = 0; i < 6; i++)
    if (gg__call_has(c, i) && i != 3 && gg__call_rank(c, i) != 3)
      return ga__fail(GA_VALUE_ERROR, "input %zu has %u dimensions, expected 3",
                      i, gg__call_rank(c, i));
  return gg_graph_status(c->g);
}

/* The factor of results: an attribute, or the root of 1 / k. */
static int read_scale(gg__onnx_call *c, linear *l) {
  const int64_t size = gg_var_type(l->key)->dims[3];

  l->scale = gg__call_float(c, "scale", 0);
  if (l->scale == 0 && size <= 0)
    return ga__fail(GA_UNSUPPORTED_ERROR, "the size of heads must be known");
  if (l->scale == 0)
    l->scale = 1 / sqrt((double)size);
  return GA_NO_ERROR;
}

static int read_linear(gg__onnx_call *c, linear *l) {
  gg_var *beta = gg__call_in(c, 5), *q, *past = gg__call_in(c, 3);

  l->key = by_time(c, 1, l->heads);
  l->value = by_time(c, 2, l->heads);
  l->decay = by_time(c, 4, l->heads);
  l->beta = by_time(
      c, 5, beta != NULL && gg_var_type(beta)->dims[2] == 1 ? 1 : l->heads);
  q = by_time(c, 0, l->heads * l->group);
  if (q == NULL || l->key == NULL || l->value == NULL)
    return ga__fail(GA_VALUE_ERROR, "an input is missing");
  gg_var *sizes[] = {gg__size_of(q, 0), gg__size_of(q, 1),
                     gg_i64(c->g, l->heads), gg_i64(c->g, l->group),
                     gg__size_of(q, 3)};
  l->query = gg__to_sizes(q, 5, sizes);
  gg_var *state[] = {gg__size_of(l->key, 1), gg_i64(c->g, l->heads),
                     gg__size_of(l->key, 3), gg__size_of(l->value, 3)};
  l->first = past == NULL ? gg_alloc(gg__like(l->key, 0), 4, state)
                          : gg_cast(past, gg__dtype_of(l->key));
  GA_TRY(gg_graph_status(c->g));
  return read_scale(c, l);
}

/* The next state. k and v are [b, h, ...], decay and beta too or NULL. */
static gg_var *next_state(gg_var *s, gg_var *k, gg_var *v, gg_var *decay,
                          gg_var *beta) {
  k = gg_expand_dims(k, 3);
  if (decay != NULL)
    s = gg_mul(s, gg_expand_dims(gg_exp(decay), 3));
  if (beta != NULL)
    v = gg_mul(beta, gg_sub(v, gg_sum_axis(gg_mul(s, k), 2)));
  return gg_add(s, gg_mul(k, gg_expand_dims(v, 2)));
}

static gg_var *row(gg_scan *loop, gg_var *x) {
  return x == NULL ? NULL : gg_scan_sequence(loop, x, 0);
}

/* *y gets results [t, b, h, g, v], *last the last state. */
static int run_linear(gg__onnx_call *c, const linear *l, gg_var **y,
                      gg_var **last) {
  gg_scan *loop = gg_scan_open(c->g);
  gg_var *state = gg_scan_state(loop, l->first);
  gg_var *next = next_state(state, row(loop, l->key), row(loop, l->value),
                            row(loop, l->decay), row(loop, l->beta));
  gg_var *query = gg_expand_dims(row(loop, l->query), 4);
  gg_var *out = gg_scan_output(
      loop, gg_sum_axis(gg_mul(query, gg_expand_dims(next, 2)), 3));
  int err = gg_scan_next(loop, state, next);

  if (err == GA_NO_ERROR)
    err = gg_scan_close(loop);
  *y = gg_scan_all(loop, out);
  *last = gg_scan_last(loop, state);
  gg_scan_free(loop);
  return err;
}

/* Inputs: query, key, value, state, decay, beta. */
int gg__from_linear_attention(gg__onnx_call *c) {
  static const int order[] = {1, 0, 2, 3, 4};
  const int dtype = gg__dtype_of(gg__call_in(c, 0));
  linear l = {0};
  gg_var *y, *last;

  GA_TRY(read_rule(c, &l));
  GA_TRY(read_linear(c, &l));
  GA_TRY(run_linear(c, &l, &y, &last));
  y = gg_dimshuffle(gg_mul(y, gg__like(y, l.scale)), 5, order);
  gg_var *sizes[] = {gg__size_of(y, 0), gg__size_of(y, 1), gg__span(y, 2, 5)};
  c->out[0] = gg_cast(gg__to_sizes(y, 3, sizes), dtype);
  if (c->n_out > 1)
    c->out[1] = gg_cast(
        last, gg__call_has(c, 3) ? gg__dtype_of(gg__call_in(c, 3)) : dtype);
  return GA_NO_ERROR;
}

/* --- causal convolution --- */

/* x [n, channels, length] after the elements of earlier calls, k - 1 of them:
 * input 3, or zeros. */
static gg_var *after_past(gg__onnx_call *c, gg_var *x, int64_t k) {
  const int64_t before[] = {0, 0, k - 1}, none[] = {0, 0, 0};

  if (gg__call_has(c, 3))
    return gg_join(2, 2, (gg_var *[]){gg__call_in(c, 3), x});
  return gg_pad(x, before, none, GG_PAD_CONSTANT, NULL);
}

/* Inputs: x, filters [channels, 1, k], bias [channels], state. */
int gg__from_causal_conv(gg__onnx_call *c) {
  static const char *const words[] = {"none", "silu", "swish", NULL};
  gg_var *x = gg__call_in(c, 0), *w = gg__call_in(c, 1);
  int activation;

  GA_TRY(gg__call_word(c, "activation", words[0], words, &activation));
  if (gg__call_rank(c, 0) != 3 || gg__call_rank(c, 1) != 3)
    return ga__fail(GA_VALUE_ERROR, "%u and %u dimensions, expected 3",
                    gg__call_rank(c, 0), gg__call_rank(c, 1));
  const int64_t channels = gg_var_type(w)->dims[0], k = gg_var_type(w)->dims[2];
  if (channels <= 0 || k <= 0)
    return ga__fail(GA_UNSUPPORTED_ERROR,
                    "the sizes of the filters must be known");
  const GpuConv how = {
      .nd = 1, .groups = (size_t)channels, .stride = {1}, .dilation = {1}};
  gg_var *all = after_past(c, x, k), *y = gg_conv(all, w, &how);
  if (gg__call_has(c, 2))
    y = gg_add(y, gg__along(gg__call_in(c, 2), 3, 1));
  c->out[0] = activation == 0 ? y : gg_mul(y, gg_sigmoid(y));
  if (c->n_out > 1)
    c->out[1] =
        k == 1 ? gg_slice(all, 2, 0, 0, 1) : gg_slice(all, 2, 1 - k, GG_END, 1);
  return GA_NO_ERROR;
}
