/* SPDX-License-Identifier: BSD-2-Clause */
/* Recurrent layers as loops over cells. */
#include <gpugraph/recurrent.h>

#include <string.h>

#include "nn/layer.h"

typedef struct weights {
  gg_var *x, *h, *bias_x, *bias_h; /* biases NULL: none */
} weights;

/* What is different between kinds of cells. The states are h and c. */
typedef struct kind {
  const char *what, *cell;
  unsigned int gates, states;
  /* The part of the gates that does not depend on states, from x W^T. */
  gg_var *(*ahead)(const weights *w, gg_var *x);
  /* Replace the states by the next ones. */
  void (*next)(const weights *w, gg_var *ahead, gg_var **state);
} kind;

/* --- cells --- */

static gg_var *plus(gg_var *x, gg_var *bias) {
  return bias != NULL ? gg_add(x, bias) : x;
}

static gg_var *lstm_ahead(const weights *w, gg_var *x) {
  return plus(x, w->bias_x != NULL ? gg_add(w->bias_x, w->bias_h) : NULL);
}

static void lstm_next(const weights *w, gg_var *ahead, gg_var **state) {
  gg_var *z[4] = {NULL};

  gg_split(gg_add(ahead, gg__along_last(state[0], w->h)), -1, 4, z);
  state[1] = gg_add(gg_mul(gg_sigmoid(z[1]), state[1]),
                    gg_mul(gg_sigmoid(z[0]), gg_tanh(z[2])));
  state[0] = gg_mul(gg_sigmoid(z[3]), gg_tanh(state[1]));
}

static gg_var *gru_ahead(const weights *w, gg_var *x) {
  return plus(x, w->bias_x);
}

static void gru_next(const weights *w, gg_var *ahead, gg_var **state) {
  gg_var *a[3] = {NULL}, *b[3] = {NULL};

  gg_split(ahead, -1, 3, a);
  gg_split(plus(gg__along_last(state[0], w->h), w->bias_h), -1, 3, b);
  gg_var *z = gg_sigmoid(gg_add(a[1], b[1])),
         *n = gg_tanh(
             gg_add(a[2], gg_mul(gg_sigmoid(gg_add(a[0], b[0])), b[2])));
  state[0] = gg_add(n, gg_mul(z, gg_sub(state[0], n)));
}

static const kind lstm = {"nn_lstm", "nn_lstm_cell", 4,
                          2,         lstm_ahead,     lstm_next};
static const kind gru = {"nn_gru", "nn_gru_cell", 3, 1, gru_ahead, gru_next};

/* --- parameters --- */

static gg_var *named(gg_params *own, const char *name, const char *end,
                     unsigned int nd, const size_t *dims, size_t units) {
  char whole[64];

  snprintf(whole, sizeof whole, "%s%s", name, end);
  return gg_param(own, whole, nd, dims, gg__within_root(units));
}

/* Nonzero if the parameters of a cell are there; `end` ends their names. */
static int make_weights(weights *w, gg_params *own, const kind *k,
                        const char *end, size_t inputs, size_t units,
                        int flags) {
  const size_t all = ga__times(k->gates, units);

  memset(w, 0, sizeof *w);
  w->x = named(own, "weight_ih", end, 2, (size_t[]){all, inputs}, units);
  w->h = named(own, "weight_hh", end, 2, (size_t[]){all, units}, units);
  if ((flags & GG_NN_NO_BIAS) != 0)
    return w->x != NULL && w->h != NULL;
  w->bias_x = named(own, "bias_ih", end, 1, &all, units);
  w->bias_h = named(own, "bias_hh", end, 1, &all, units);
  return w->x != NULL && w->h != NULL && w->bias_x != NULL && w->bias_h != NULL;
}

static gg_var *one_step(gg_params *p, const char *name, gg_var *x, int flags,
                        const kind *k, gg_var **state) {
  size_t inputs, units[2] = {0, 0};
  weights w;

  if (!gg__layer_takes(p, k->cell, x, 2, 1, &inputs) ||
      gg__layer_flags(p, k->cell, x, flags, GG_NN_NO_BIAS) != GA_NO_ERROR)
    return NULL;
  for (unsigned int i = 0; i < k->states; i++)
    if (!gg__layer_takes(p, k->cell, state[i], 2, 1, &units[i]))
      return NULL;
  if (gg_var_type(x)->nd != 2 || gg_var_type(state[0])->nd != 2) {
    gg__nn_fail(p->root->g, k->cell, x, GA_VALUE_ERROR,
                "expected [images, inputs] and states [images, units]");
    return NULL;
  }
  if (!make_weights(&w, gg_params_group(p, name), k, "", inputs, units[0],
                    flags))
    return NULL;
  k->next(&w, k->ahead(&w, gg__along_last(x, w.x)), state);
  return state[0];
}

gg_var *gg_nn_lstm_cell(gg_params *p, const char *name, gg_var *x, gg_var *h,
                        gg_var *c, int flags, gg_var **next_c) {
  gg_var *state[2] = {h, c};
  gg_var *made = one_step(p, name, x, flags, &lstm, state);

  if (next_c != NULL)
    *next_c = made != NULL ? state[1] : NULL;
  return made;
}

gg_var *gg_nn_gru_cell(gg_params *p, const char *name, gg_var *x, gg_var *h,
                       int flags) {
  return one_step(p, name, x, flags, &gru, &h);
}

/* --- layers --- */

/* A stack that is being built. */
typedef struct stack {
  const kind *k;
  const gg_recurrent *how;
  gg_params *own;
  size_t layers, ways;
  gg_var *(*last)[2 * GG_NN_MOST_LAYERS]; /* states by layer and way */
} stack;

/* The first state of layer and way `at`: of `given`, or zeros beside x. */
static gg_var *first_state(const stack *s, gg_var *given, gg_var *x,
                           size_t at) {
  gg_graph *g = s->own->root->g;
  const int dtype = gg_var_type(x)->dtype;

  if (given != NULL)
    return gg_cast(gg_index(given, 0, (int64_t)at), dtype);
  return gg_alloc(
      gg_scalar(g, dtype, 0), 2,
      (gg_var *[]){gg_shape(x, 1), gg_i64(g, (int64_t)s->how->units)});
}

/* The loop of one way; `ahead` is what does not depend on states. */
static gg_var *run_way(const stack *s, const weights *w, gg_var *ahead,
                       size_t at) {
  gg_var *const given[2] = {s->how->h, s->how->c};
  gg_var *state[2] = {NULL, NULL}, *next[2] = {NULL, NULL};
  gg_scan *loop = gg_scan_open(s->own->root->g);

  if (at % s->ways == 1)
    gg_scan_backwards(loop);
  gg_var *row = gg_scan_sequence(loop, ahead, 0);
  for (unsigned int i = 0; i < s->k->states; i++)
    next[i] = state[i] =
        gg_scan_state(loop, first_state(s, given[i], ahead, at));
  if (row != NULL && state[0] != NULL)
    s->k->next(w, row, next);
  for (unsigned int i = 0; i < s->k->states; i++)
    gg_scan_next(loop, state[i], next[i]);
  gg_scan_close(loop);
  gg_var *all = gg_scan_all(loop, state[0]);
  for (unsigned int i = 0; i < s->k->states; i++)
    s->last[i][at] = gg_scan_last(loop, state[i]);
  gg_scan_free(loop);
  return at % s->ways == 1 ? gg_flip(all, 0) : all;
}

/* The results of layer `layer`. */
static gg_var *run_layer(const stack *s, gg_var *x, size_t layer) {
  const size_t inputs = (size_t)gg_var_type(x)->dims[2];
  gg_var *y[2] = {NULL, NULL};
  char end[48];
  weights w;

  for (size_t way = 0; way < s->ways; way++) {
    snprintf(end, sizeof end, "_l%zu%s", layer, way == 1 ? "_reverse" : "");
    if (!make_weights(&w, s->own, s->k, end, inputs, s->how->units,
                      s->how->flags))
      return NULL;
    gg_var *ahead = s->k->ahead(&w, gg__along_last(x, w.x));
    y[way] =
        ahead != NULL ? run_way(s, &w, ahead, layer * s->ways + way) : NULL;
    if (y[way] == NULL)
      return NULL;
  }
  return s->ways == 2 ? gg_join(2, 2, y) : y[0];
}

static int check_stack(gg_params *p, gg_var *x, const kind *k,
                       const gg_recurrent *how) {
  gg_graph *g = p->root->g;

  if (how == NULL || how->units == 0)
    return gg__nn_fail(g, k->what, x, GA_VALUE_ERROR, "there are no units");
  if (gg_var_type(x)->nd != 3)
    return gg__nn_fail(g, k->what, x, GA_VALUE_ERROR,
                       "expected [steps, images, inputs]");
  if (how->layers > GG_NN_MOST_LAYERS)
    return gg__nn_fail(g, k->what, x, GA_VALUE_ERROR,
                       "%zu layers, expected at most %d", how->layers,
                       GG_NN_MOST_LAYERS);
  if (!(how->dropout >= 0 && how->dropout < 1))
    return gg__nn_fail(g, k->what, x, GA_VALUE_ERROR,
                       "dropout is %g, expected 0 or more and less than 1",
                       how->dropout);
  if (how->c != NULL && k->states < 2)
    return gg__nn_fail(g, k->what, how->c, GA_VALUE_ERROR,
                       "there is no state c");
  return gg__layer_flags(p, k->what, x, how->flags,
                         GG_NN_NO_BIAS | GG_NN_BOTH_WAYS);
}

/* A given first state has an entry for each layer and way. */
static int check_state(const stack *s, gg_var *v) {
  if (v == NULL)
    return GA_NO_ERROR;
  const gg_type *t = gg_var_type(v);
  const int64_t want[3] = {(int64_t)(s->layers * s->ways), GG_ANY,
                           (int64_t)s->how->units};
  int fits = t->nd == 3;
  for (int i = 0; fits && i < 3; i++)
    fits = want[i] < 0 || t->dims[i] < 0 || t->dims[i] == want[i];
  if (fits)
    return GA_NO_ERROR;
  return gg__nn_fail(s->own->root->g, s->k->what, v, GA_VALUE_ERROR,
                     "expected a first state [%lld, images, %lld]",
                     (long long)want[0], (long long)want[2]);
}

static gg_var *run_stack(const stack *s, gg_var *x) {
  for (size_t i = 0; x != NULL && i < s->layers; i++) {
    if (i > 0)
      x = gg_nn_dropout(s->own, x, s->how->dropout);
    x = x != NULL ? run_layer(s, x, i) : NULL;
  }
  return x;
}

/* The last states, [layers ways, images, units]. */
static void tell(const stack *s, gg_var *made, gg_var **out, unsigned int i) {
  if (out != NULL && made != NULL)
    *out = gg_stack(0, (unsigned int)(s->layers * s->ways), s->last[i]);
}

static gg_var *recurrent(gg_params *p, const char *name, gg_var *x,
                         const kind *k, const gg_recurrent *how, gg_var **h,
                         gg_var **c) {
  gg_var *y = NULL;
  size_t inputs;

  if (!gg__layer_takes(p, k->what, x, 3, 2, &inputs) ||
      check_stack(p, x, k, how) != GA_NO_ERROR)
    return NULL;
  gg_var *last[2][2 * GG_NN_MOST_LAYERS];
  stack s = {.k = k,
             .last = last,
             .how = how,
             .own = gg_params_group(p, name),
             .layers = how->layers > 0 ? how->layers : 1,
             .ways = (how->flags & GG_NN_BOTH_WAYS) != 0 ? 2 : 1};
  if (s.own == NULL || check_state(&s, how->h) != GA_NO_ERROR ||
      check_state(&s, how->c) != GA_NO_ERROR)
    return NULL;
  y = run_stack(&s, x);
  tell(&s, y, h, 0);
  tell(&s, y, c, 1);
  return y;
}

gg_var *gg_nn_lstm(gg_params *p, const char *name, gg_var *x,
                   const gg_recurrent *how, gg_var **h, gg_var **c) {
  if (h != NULL)
    *h = NULL;
  if (c != NULL)
    *c = NULL;
  return recurrent(p, name, x, &lstm, how, h, c);
}

gg_var *gg_nn_gru(gg_params *p, const char *name, gg_var *x,
                  const gg_recurrent *how, gg_var **h) {
  if (h != NULL)
    *h = NULL;
  return recurrent(p, name, x, &gru, how, h, NULL);
}
