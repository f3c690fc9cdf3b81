/* SPDX-License-Identifier: BSD-2-Clause */
/* RNN, GRU and LSTM: for each direction a loop over the elements of sequences.
 * One product before the loop applies the weights of all inputs.
 *
 * Sizes: t elements of a sequence, n sequences, i features of an input, h
 * hidden ones, d directions, k gates. Inputs of the node: X [t, n, i], W [d, k
 * h, i], R [d, k h, h], B [d, 2 k h], lengths [n], initial h [d, n, h]; for
 * LSTM also initial c [d, n, h], and peepholes [d, 3 h]. */
#include <gpugraph/activations.h>
#include <gpugraph/op.h>
#include <gpugraph/scan.h>
#include <string.h>
#include <strings.h>

#include "base/err.h"
#include "onnx/ops/builders.h"

/* --- activations --- */

typedef struct activation {
  gg_var *(*plain)(gg_var *x); /* without parameters, or NULL */
  gg_var *(*two)(gg_var *x, double alpha, double beta);
  const char *name;
  int n_params;
  double alpha, beta; /* in the table those that the format gives */
} activation;

static gg_var *affine(gg_var *x, double alpha, double beta) {
  return gg_add(gg_mul(gg__like(x, alpha), x), gg__like(x, beta));
}

static gg_var *scaled_tanh(gg_var *x, double alpha, double beta) {
  return gg_mul(gg__like(x, alpha), gg_tanh(gg_mul(gg__like(x, beta), x)));
}

static gg_var *hard_sigmoid(gg_var *x, double alpha, double beta) {
  return gg_clip(affine(x, alpha, beta), gg__like(x, 0), gg__like(x, 1));
}

static gg_var *leaky_relu(gg_var *x, double alpha, double beta) {
  (void)beta;
  return gg_leaky_relu(x, alpha);
}

static gg_var *thresholded_relu(gg_var *x, double alpha, double beta) {
  (void)beta;
  return gg_threshold(x, alpha, 0);
}

static gg_var *elu(gg_var *x, double alpha, double beta) {
  (void)beta;
  return gg_elu(x, alpha);
}

static const activation activations[] = {
    {gg_relu, NULL, "Relu", 0, 0, 0},
    {gg_tanh, NULL, "Tanh", 0, 0, 0},
    {gg_sigmoid, NULL, "Sigmoid", 0, 0, 0},
    {gg_softsign, NULL, "Softsign", 0, 0, 0},
    {gg_softplus, NULL, "Softplus", 0, 0, 0},
    {NULL, affine, "Affine", 2, 1, 0},
    {NULL, scaled_tanh, "ScaledTanh", 2, 1, 1},
    {NULL, hard_sigmoid, "HardSigmoid", 2, 0.2, 0.5},
    {NULL, leaky_relu, "LeakyRelu", 1, 0.01, 0},
    {NULL, thresholded_relu, "ThresholdedRelu", 1, 1, 0},
    {NULL, elu, "Elu", 1, 1, 0},
};

static const activation *find_activation(const char *name) {
  for (size_t i = 0; i < sizeof activations / sizeof *activations; i++)
    if (strcasecmp(activations[i].name, name) == 0)
      return &activations[i];
  return NULL;
}

/* The next number of a list, if there is one. */
static void next_number(const gg__onnx_attr *list, size_t *at, double *out) {
  if (list != NULL && *at < list->n_floats)
    *out = (double)list->floats[(*at)++];
}

/* --- layers --- */

#define MOST_ACTIVATIONS 3

struct layer;

/* The values of one iteration, [n, h]; c is NULL except for LSTM. */
typedef struct cell {
  gg_var *h, *c;
} cell;

/* A kind of layer. `gates` are those of the inputs, [n, k h]; `step` replaces
 * the values of the last iteration. */
typedef struct kind {
  int64_t n_gates;
  size_t n_activations;
  const char *activations[MOST_ACTIVATIONS]; /* unless the node gives some */
  void (*step)(const struct layer *l, gg_var *gates, cell *s);
} kind;

/* One direction of a layer. */
typedef struct layer {
  const kind *kind;
  int64_t hidden;
  const activation *act; /* kind->n_activations of them */
  double clip;           /* of what activations read; negative: none */
  int is_coupled;        /* the forget gate is 1 - the input gate */
  int reset_after;       /* GRU's linear_before_reset */
  gg_var *w, *r, *w_bias, *r_bias, *peepholes; /* biases, peepholes or NULL */
  cell first;
} layer;

static gg_var *activate(const layer *l, size_t i, gg_var *x) {
  const activation *a = &l->act[i];

  if (l->clip >= 0)
    x = gg_clip(x, gg__like(x, -l->clip), gg__like(x, l->clip));
  return a->plain != NULL ? a->plain(x) : a->two(x, a->alpha, a->beta);
}

/* Gates from ... to - 1 of [n, k h]. */
static gg_var *gates_of(const layer *l, gg_var *gates, int64_t from,
                        int64_t to) {
  return gg_slice(gates, 1, from * l->hidden, to * l->hidden, 1);
}

/* What gates from ... to - 1 get from h [n, h]. */
static gg_var *recur(const layer *l, gg_var *h, int64_t from, int64_t to) {
  const int64_t a = from * l->hidden, b = to * l->hidden;
  gg_var *y = gg_dot(h, gg_transpose(gg_slice(l->r, 0, a, b, 1)));

  return l->r_bias == NULL ? y : gg_add(y, gg_slice(l->r_bias, 0, a, b, 1));
}

static void step_rnn(const layer *l, gg_var *gates, cell *s) {
  s->h = activate(l, 0, gg_add(gates, recur(l, s->h, 0, 1)));
}

/* Gates: update, reset, hidden. One product serves all of them if the reset
 * comes after it. */
static void step_gru(const layer *l, gg_var *gates, cell *s) {
  gg_var *of_h = recur(l, s->h, 0, l->reset_after ? 3 : 2);
  gg_var *z =
      activate(l, 0, gg_add(gates_of(l, gates, 0, 1), gates_of(l, of_h, 0, 1)));
  gg_var *r =
      activate(l, 0, gg_add(gates_of(l, gates, 1, 2), gates_of(l, of_h, 1, 2)));
  gg_var *past = l->reset_after ? gg_mul(r, gates_of(l, of_h, 2, 3))
                                : recur(l, gg_mul(r, s->h), 2, 3);
  gg_var *h = activate(l, 1, gg_add(gates_of(l, gates, 2, 3), past));

  s->h = gg_add(h, gg_mul(z, gg_sub(s->h, h)));
}

/* Gate x with peephole i of c. */
static gg_var *peep(const layer *l, gg_var *x, int64_t i, gg_var *c) {
  if (l->peepholes == NULL)
    return x;
  return gg_add(x, gg_mul(gg_slice(l->peepholes, 0, i * l->hidden,
                                   (i + 1) * l->hidden, 1),
                          c));
}

/* Gates: input, output, forget, cell. Peepholes: input, output, forget. */
static void step_lstm(const layer *l, gg_var *gates, cell *s) {
  gg_var *all = gg_add(gates, recur(l, s->h, 0, 4));
  gg_var *in = activate(l, 0, peep(l, gates_of(l, all, 0, 1), 0, s->c));
  gg_var *keep = l->is_coupled
                     ? gg_sub(gg__like(in, 1), in)
                     : activate(l, 0, peep(l, gates_of(l, all, 2, 3), 2, s->c));
  gg_var *value = activate(l, 1, gates_of(l, all, 3, 4));

  s->c = gg_add(gg_mul(keep, s->c), gg_mul(in, value));
  gg_var *out = activate(l, 0, peep(l, gates_of(l, all, 1, 2), 1, s->c));
  s->h = gg_mul(out, activate(l, 2, s->c));
}

static const kind kinds[] = {
    {1, 1, {"Tanh"}, step_rnn},
    {3, 2, {"Sigmoid", "Tanh"}, step_gru},
    {4, 3, {"Sigmoid", "Tanh", "Tanh"}, step_lstm},
};

/* --- loops --- */

/* What a loop gives: h of all iterations [t, n, h], and the last values. */
typedef struct result {
  gg_var *all;
  cell last;
} result;

/* The state's values where the sequence goes on, else the ones before. */
static int set_next(gg_scan *s, gg_var *on, gg_var *state, gg_var *value) {
  if (state == NULL)
    return GA_NO_ERROR;
  return gg_scan_next(s, state,
                      on == NULL ? value : gg_where(on, value, state));
}

/* gates [t, n, k h], lengths [n, 1] or NULL. Elements behind the end of a
 * sequence give 0. */
static int fill_loop(const layer *l, gg_scan *s, gg_var *gates, gg_var *lengths,
                     result *r) {
  cell old = {gg_scan_state(s, l->first.h),
              l->first.c == NULL ? NULL : gg_scan_state(s, l->first.c)};
  cell now = old;
  gg_var *out = old.h, *on = NULL;

  l->kind->step(l, gg_scan_sequence(s, gates, 0), &now);
  if (lengths != NULL && gates != NULL) {
    gg_graph *g = gg_var_graph(gates);
    gg_var *at = gg_arange(gg_i64(g, 0), gg_shape(gates, 0), gg_i64(g, 1));

    on = gg_lt(gg_scan_sequence(s, at, 0), lengths);
    out = gg_where(on, now.h, gg__like(now.h, 0));
    gg_scan_output(s, out);
  }
  GA_TRY(set_next(s, on, old.h, now.h));
  GA_TRY(set_next(s, on, old.c, now.c));
  GA_TRY(gg_scan_close(s));
  r->all = gg_scan_all(s, out);
  r->last.h = gg_scan_last(s, old.h);
  r->last.c = old.c == NULL ? NULL : gg_scan_last(s, old.c);
  return GA_NO_ERROR;
}

/* x [t, n, i] in the order of the direction. */
static gg_var *in_order(gg_var *x, gg_var *lengths, int is_backward) {
  if (!is_backward)
    return x;
  return lengths == NULL ? gg_flip(x, 0)
                         : gg__reverse_sequences(x, lengths, 1, 0);
}

static int run(gg__onnx_call *c, const layer *l, gg_var *x, gg_var *lengths,
               int is_backward, result *r) {
  const int last = 2, inner = 1;
  gg_var *rows =
      lengths == NULL ? NULL : gg_expand_dims(gg_cast(lengths, GA_LONG), 1);
  gg_var *gates =
      gg_tensordot(in_order(x, lengths, is_backward), l->w, 1, &last, &inner);

  if (l->w_bias != NULL)
    gates = gg_add(gates, l->w_bias);
  GA_TRY(gg_graph_status(c->g));
  gg_scan *s = gg_scan_open(c->g);
  int err = fill_loop(l, s, gates, rows, r);
  gg_scan_free(s);
  r->all = in_order(r->all, lengths, is_backward);
  return err;
}

/* --- nodes --- */

/* A node. Both of its directions may have activations of their own. */
typedef struct recurrent {
  const kind *kind;
  int64_t hidden;
  unsigned int n_directions;
  int is_backward[2];
  activation act[2 * MOST_ACTIVATIONS];
} recurrent;

static int read_direction(gg__onnx_call *c, recurrent *n) {
  const char *text = gg__call_text(c, "direction", "forward");

  n->n_directions = strcmp(text, "bidirectional") == 0 ? 2 : 1;
  n->is_backward[0] = strcmp(text, "reverse") == 0;
  n->is_backward[1] = 1;
  if (n->n_directions == 1 && !n->is_backward[0] &&
      strcmp(text, "forward") != 0)
    return ga__fail(GA_VALUE_ERROR, "direction is \"%s\"", text);
  return GA_NO_ERROR;
}

/* Parameters are for those activations that have some, in their order. */
static int read_activations(gg__onnx_call *c, recurrent *n) {
  const gg__onnx_attr *names = gg__call_attr(c, "activations");
  const gg__onnx_attr *alphas = gg__call_attr(c, "activation_alpha");
  const gg__onnx_attr *betas = gg__call_attr(c, "activation_beta");
  const size_t each = n->kind->n_activations, all = each * n->n_directions;
  size_t alpha = 0, beta = 0;

  if (names != NULL && names->n_texts != all)
    return ga__fail(GA_VALUE_ERROR, "%zu activations, expected %zu",
                    names->n_texts, all);
  for (size_t i = 0; i < all; i++) {
    const char *name =
        names == NULL ? n->kind->activations[i % each] : names->texts[i];
    const activation *a = find_activation(name);

    if (a == NULL)
      return ga__fail(GA_VALUE_ERROR, "activation \"%s\"", name);
    n->act[i] = *a;
    if (a->n_params > 0)
      next_number(alphas, &alpha, &n->act[i].alpha);
    if (a->n_params > 1)
      next_number(betas, &beta, &n->act[i].beta);
  }
  return GA_NO_ERROR;
}

/* Check that input `at` has these sizes, where its sizes are known; negative
 * ones are not checked. Slices and broadcasting would take others. */
static int check_sizes(gg__onnx_call *c, size_t at, const char *name,
                       unsigned int nd, const int64_t *want) {
  const gg_var *x = gg__call_in(c, at);

  if (x == NULL)
    return GA_NO_ERROR;
  const gg_type *t = gg_var_type(x);
  if (t->nd != nd)
    return ga__fail(GA_VALUE_ERROR, "%s has %u dimensions, expected %u", name,
                    t->nd, nd);
  for (unsigned int i = 0; i < nd; i++)
    if (want[i] >= 0 && t->dims[i] >= 0 && t->dims[i] != want[i])
      return ga__fail(GA_VALUE_ERROR, "dim %u of %s is %lld, expected %lld", i,
                      name, (long long)t->dims[i], (long long)want[i]);
  return GA_NO_ERROR;
}

/* The weights, whose sizes say how many features are hidden. */
static int read_sizes(gg__onnx_call *c, recurrent *n) {
  const unsigned int nd[] = {gg__call_rank(c, 0), gg__call_rank(c, 1),
                             gg__call_rank(c, 2)};

  if (nd[0] != 3 || nd[1] != 3 || nd[2] != 3)
    return ga__fail(GA_VALUE_ERROR, "%u, %u and %u dimensions, expected 3 each",
                    nd[0], nd[1], nd[2]);
  const int64_t *r = gg_var_type(gg__call_in(c, 2))->dims;
  n->hidden = gg__call_int(c, "hidden_size", r[2]);
  if (n->hidden <= 0 || n->hidden > INT32_MAX)
    return ga__fail(GA_VALUE_ERROR, "hidden_size is %lld",
                    (long long)n->hidden);
  const int64_t d = n->n_directions, h = n->hidden, k = n->kind->n_gates * h;
  GA_TRY(check_sizes(c, 1, "W", 3, (int64_t[]){d, k, GG_ANY}));
  GA_TRY(check_sizes(c, 2, "R", 3, (int64_t[]){d, k, h}));
  GA_TRY(check_sizes(c, 3, "B", 2, (int64_t[]){d, 2 * k}));
  return n->kind->step != step_lstm
             ? GA_NO_ERROR
             : check_sizes(c, 7, "P", 2, (int64_t[]){d, 3 * h});
}

/* Part d of input `at` along an axis, NULL if there is none. */
static gg_var *direction_of(gg__onnx_call *c, size_t at, int axis,
                            unsigned int d) {
  gg_var *x = gg__call_in(c, at);

  return x == NULL ? NULL : gg_index(x, axis, d);
}

/* Input `at`, the first values [n, h], which are 0 if the node gives none. */
static gg_var *first_values(gg__onnx_call *c, const recurrent *n, size_t at,
                            unsigned int d) {
  const int axis = gg__call_int(c, "layout", 0) != 0;
  gg_var *x = gg__call_in(c, 0);

  if (gg__call_has(c, at))
    return direction_of(c, at, axis, d);
  return gg_alloc(gg__like(x, 0), 2,
                  (gg_var *[]){gg__size_of(x, !axis), gg_i64(c->g, n->hidden)});
}

static void read_layer(gg__onnx_call *c, const recurrent *n, unsigned int d,
                       layer *l) {
  const int64_t k = n->kind->n_gates * n->hidden;
  const int is_lstm = n->kind->step == step_lstm;
  gg_var *bias = direction_of(c, 3, 0, d);

  *l = (layer){.kind = n->kind,
               .hidden = n->hidden,
               .act = n->act + d * n->kind->n_activations,
               .clip = gg__call_float(c, "clip", -1),
               .is_coupled = gg__call_int(c, "input_forget", 0) != 0,
               .reset_after = gg__call_int(c, "linear_before_reset", 0) != 0,
               .w = direction_of(c, 1, 0, d),
               .r = direction_of(c, 2, 0, d),
               .first.h = first_values(c, n, 5, d)};
  if (bias != NULL) {
    l->w_bias = gg_slice(bias, 0, 0, k, 1);
    l->r_bias = gg_slice(bias, 0, k, 2 * k, 1);
  }
  if (is_lstm) {
    l->first.c = first_values(c, n, 6, d);
    l->peepholes = direction_of(c, 7, 0, d);
  }
}

/* Outputs: all h [t, d, n, h], the last h [d, n, h], the last c. With layout 1,
 * n comes first. */
static void set_outputs(gg__onnx_call *c, unsigned int n, const result *r) {
  const int by_batch = gg__call_int(c, "layout", 0) != 0;
  gg_var *all[2], *h[2], *last_c[2] = {NULL};

  for (unsigned int d = 0; d < n; d++) {
    all[d] = r[d].all;
    h[d] = r[d].last.h;
    last_c[d] = r[d].last.c;
  }
  gg_var *y = gg_stack(1, n, all);
  c->out[0] = by_batch ? gg_moveaxis(y, 2, 0) : y;
  if (c->n_out > 1)
    c->out[1] = gg_stack(by_batch, n, h);
  if (c->n_out > 2 && last_c[0] != NULL)
    c->out[2] = gg_stack(by_batch, n, last_c);
}

int gg__from_recurrent(gg__onnx_call *c) {
  recurrent n = {.kind = &kinds[c->row->arg]};
  gg_var *x = gg__call_in(c, 0);
  result r[2] = {{0}};

  GA_TRY(read_direction(c, &n));
  GA_TRY(read_activations(c, &n));
  GA_TRY(read_sizes(c, &n));
  if (gg__call_int(c, "layout", 0) != 0)
    x = gg_swapaxes(x, 0, 1);
  for (unsigned int d = 0; d < n.n_directions; d++) {
    layer l;

    read_layer(c, &n, d, &l);
    GA_TRY(run(c, &l, x, gg__call_in(c, 4), n.is_backward[d], &r[d]));
  }
  set_outputs(c, n.n_directions, r);
  return GA_NO_ERROR;
}
