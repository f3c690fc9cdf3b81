/* SPDX-License-Identifier: BSD-2-Clause */
/* The public functions that build loops. Rows and states are inputs of the
 * user's graph; closing a loop copies its body to an inner graph. */
#include <gpugraph/scan.h>

#include <string.h>

#include "loop/loop.h"
#include "ops/ops.h"

/* A sequence with one tap, and the variable of the body for its rows. */
typedef struct tapped {
  gg_var *x, *row;
  int tap;
} tapped;

struct gg_scan {
  gg_graph *g;
  GA_VEC(tapped) seqs;
  gg__loop_spec spec; /* without sequences until the loop is closed */
  gg_var *steps;
  int is_backwards;
  gg_apply *node; /* NULL until closed */
};

gg_scan *gg_scan_open(gg_graph *g) {
  gg_scan *s = g != NULL ? ga__calloc(1, sizeof *s) : NULL;

  if (s == NULL) {
    gg__fail(g, GA_MEMORY_ERROR, "out of host memory");
    return NULL;
  }
  s->g = s->spec.g = g;
  return s;
}

void gg_scan_free(gg_scan *s) {
  if (s == NULL)
    return;
  ga__vec_clear(&s->seqs);
  gg__loop_spec_clear(&s->spec);
  ga__free(s);
}

/* --- checks --- */

static int refuse(const gg_scan *s, const char *what) {
  return gg__fail(s->g, GA_VALUE_ERROR, "scan: %s", what);
}

static int no_memory(const gg_scan *s) {
  return gg__fail(s->g, GA_MEMORY_ERROR, "out of host memory");
}

/* Fails unless the loop is open and can use v. */
static int check(const gg_scan *s, const gg_var *v) {
  if (s == NULL)
    return GA_MEMORY_ERROR;
  if (s->node != NULL)
    return refuse(s, "the loop is closed");
  if (v == NULL)
    return gg_graph_status(s->g) != GA_NO_ERROR ? gg_graph_status(s->g)
                                                : refuse(s, "no variable");
  if (v->graph != s->g)
    return refuse(s, "a variable belongs to another graph");
  return GA_NO_ERROR;
}

/* --- sequences, states, outputs --- */

/* A variable of the body with the dtype and name of x, and other sizes. */
static gg_var *input_of(gg_scan *s, const gg_var *x, unsigned int nd,
                        const int64_t *dims) {
  gg_var *v = gg_input_sized(s->g, x->name, x->type.dtype, nd, dims);

  if (v == NULL)
    return NULL;
  v->is_body = 1;
  v->by_data = nd != 0 && x->by_data;
  v->type.ctx = x->type.ctx; /* NULL: any context */
  return v;
}

/* The same with the sizes of `x`, or of a row of it. */
static gg_var *input_like(gg_scan *s, const gg_var *x, unsigned int is_row) {
  return input_of(s, x, x->type.nd - is_row, x->type.dims + is_row);
}

gg_var *gg_scan_sequence(gg_scan *s, gg_var *x, int tap) {
  tapped t = {.x = x, .tap = tap};

  if (check(s, x) != GA_NO_ERROR)
    return NULL;
  if (x->type.nd == 0) {
    refuse(s, "a sequence needs an axis for its steps");
    return NULL;
  }
  for (size_t i = 0; i < s->seqs.n; i++)
    if (s->seqs.v[i].x == x && s->seqs.v[i].tap == tap)
      return s->seqs.v[i].row;
  t.row = input_like(s, x, 1);
  if (t.row != NULL && ga__vec_push(&s->seqs, t) != GA_NO_ERROR) {
    no_memory(s);
    return NULL;
  }
  return t.row;
}

static int add_state(gg_scan *s, gg_var *init, int64_t depth) {
  const gg__loop_state x = {.init = init, .depth = depth};

  return init != NULL && ga__vec_push(&s->spec.states, x) == GA_NO_ERROR
             ? GA_NO_ERROR
             : no_memory(s);
}

/* Make `var` the value that the newest state had `back` iterations ago. */
static gg_var *add_tap(gg_scan *s, gg_var *var, int64_t back) {
  const gg__loop_earlier x = {
      .var = var, .state = (int64_t)s->spec.states.n - 1, .back = back};

  if (var == NULL)
    return NULL;
  if (ga__vec_push(&s->spec.taps, x) == GA_NO_ERROR)
    return var;
  no_memory(s);
  return NULL;
}

gg_var *gg_scan_state(gg_scan *s, gg_var *init) {
  if (check(s, init) != GA_NO_ERROR ||
      add_state(s, gg__expand(init, 0), 1) != GA_NO_ERROR)
    return NULL;
  return add_tap(s, input_like(s, init, 0), 1);
}

/* Can the sizes of a state that starts as init change as `dims` says? */
static int check_resized(const gg_scan *s, const gg_var *init,
                         const int64_t *dims) {
  for (unsigned int i = 0; i < init->type.nd; i++)
    if (dims[i] != GG_ANY && init->type.dims[i] != GG_ANY &&
        init->type.dims[i] != dims[i])
      return gg__fail(s->g, GA_VALUE_ERROR,
                      "scan: dim %u of a state is %lld at first, expected %lld",
                      i, (long long)init->type.dims[i], (long long)dims[i]);
  return GA_NO_ERROR;
}

static int is_open(unsigned int nd, const int64_t *dims) {
  for (unsigned int i = 0; i < nd; i++)
    if (dims[i] == GG_ANY)
      return 1;
  return 0;
}

gg_var *gg_scan_state_sized(gg_scan *s, gg_var *init, const int64_t *dims) {
  if (check(s, init) != GA_NO_ERROR)
    return NULL;
  if (dims == NULL && init->type.nd != 0) {
    refuse(s, "a state without sizes");
    return NULL;
  }
  if (check_resized(s, init, dims) != GA_NO_ERROR)
    return NULL;
  if (!is_open(init->type.nd, dims))
    return gg_scan_state(s, gg_specify_shape(init, dims));
  if (add_state(s, init, 0) != GA_NO_ERROR)
    return NULL;
  gg_var *v = input_of(s, init, init->type.nd, dims);
  if (v != NULL)
    v->by_data = 1;
  return add_tap(s, v, 1);
}

static int check_taps(const gg_scan *s, const gg_var *init, unsigned int n,
                      const int *taps, int64_t *depth) {
  *depth = 0;
  for (unsigned int i = 0; i < n; i++) {
    if (taps[i] >= 0)
      return gg__fail(s->g, GA_VALUE_ERROR,
                      "scan: tap %d of a state is not before its step",
                      taps[i]);
    *depth = -(int64_t)taps[i] > *depth ? -(int64_t)taps[i] : *depth;
  }
  if (n == 0 || init->type.nd == 0)
    return refuse(s, n == 0
                         ? "a state without taps"
                         : "the initial values need an axis for their steps");
  if (init->type.dims[0] != GG_ANY && init->type.dims[0] != *depth)
    return gg__fail(s->g, GA_VALUE_ERROR,
                    "scan: %lld initial values for taps that reach back %lld "
                    "steps",
                    (long long)init->type.dims[0], (long long)*depth);
  return GA_NO_ERROR;
}

gg_var *gg_scan_state_taps(gg_scan *s, gg_var *init, unsigned int n,
                           const int *taps, gg_var **out) {
  int64_t depth;

  for (unsigned int i = 0; i < n; i++)
    out[i] = NULL;
  if (check(s, init) != GA_NO_ERROR ||
      check_taps(s, init, n, taps, &depth) != GA_NO_ERROR ||
      add_state(s, init, depth) != GA_NO_ERROR)
    return NULL;
  for (unsigned int i = 0; i < n; i++) {
    out[i] = add_tap(s, input_like(s, init, 1), -(int64_t)taps[i]);
    if (out[i] == NULL)
      return NULL;
  }
  return out[0];
}

/* The index of the state that v is a tap of, or -1. */
static int64_t state_number(const gg_scan *s, const gg_var *v) {
  for (size_t i = 0; i < s->spec.taps.n; i++)
    if (s->spec.taps.v[i].var == v)
      return s->spec.taps.v[i].state;
  return -1;
}

int gg_scan_next(gg_scan *s, gg_var *state, gg_var *value) {
  GA_TRY(check(s, state));
  GA_TRY(check(s, value));
  int64_t i = state_number(s, state);
  if (i < 0)
    return refuse(s, "a next value for a variable that is not a state");
  if (s->spec.states.v[i].next != NULL)
    return gg__fail(s->g, GA_VALUE_ERROR,
                    "scan: state %lld has two next values", (long long)i);
  s->spec.states.v[i].next = value;
  return GA_NO_ERROR;
}

gg_var *gg_scan_output(gg_scan *s, gg_var *y) {
  const gg__loop_result x = {.value = y};

  if (check(s, y) != GA_NO_ERROR)
    return NULL;
  if (ga__vec_push(&s->spec.outs, x) == GA_NO_ERROR)
    return y;
  no_memory(s);
  return NULL;
}

/* --- number of iterations --- */

int gg_scan_steps(gg_scan *s, gg_var *n) {
  GA_TRY(check(s, n));
  if (n->type.nd != 0 || !gg__is_integer(n->type.dtype))
    return refuse(s, "the number of steps is not an integer scalar");
  s->steps = gg_cast(n, GA_LONG);
  return gg_graph_status(s->g);
}

int gg_scan_backwards(gg_scan *s) {
  if (s == NULL)
    return GA_MEMORY_ERROR;
  s->is_backwards = 1;
  return GA_NO_ERROR;
}

int gg_scan_until(gg_scan *s, gg_var *cond) {
  GA_TRY(check(s, cond));
  if (cond->type.nd != 0)
    return refuse(s, "the condition to end is not a scalar");
  if (cond->type.dtype != GA_BOOL)
    cond = gg_ne(cond, gg__num(cond, 0));
  s->spec.until = cond;
  return gg_graph_status(s->g);
}

int gg_scan_truncate(gg_scan *s, int64_t k) {
  if (s == NULL)
    return GA_MEMORY_ERROR;
  if (k <= 0)
    return gg__fail(s->g, GA_VALUE_ERROR,
                    "scan: gradients cannot go back %lld steps", (long long)k);
  s->spec.truncate = k;
  return GA_NO_ERROR;
}

/* --- closing --- */

/* The least and the greatest tap of a sequence. */
static void find_span(const gg_scan *s, const gg_var *x, int *lo, int *hi) {
  int first = 1;

  for (size_t i = 0; i < s->seqs.n; i++) {
    if (s->seqs.v[i].x != x)
      continue;
    int tap = s->seqs.v[i].tap;
    *lo = first || tap < *lo ? tap : *lo;
    *hi = first || tap > *hi ? tap : *hi;
    first = 0;
  }
}

/* Add the slice of rows that one tap reads, one row per iteration. */
static int add_sequence(gg_scan *s, const tapped *t) {
  gg__loop_series x = {.row = t->row};
  int lo = 0, hi = 0;

  find_span(s, t->x, &lo, &hi);
  x.outer = gg_slice(t->x, 0, t->tap == lo ? GG_END : t->tap - lo,
                     t->tap == hi ? GG_END : t->tap - hi, 1);
  if (s->is_backwards)
    x.outer = gg_slice(x.outer, 0, GG_END, GG_END, -1);
  if (x.outer == NULL)
    return gg_graph_status(s->g);
  return ga__vec_push(&s->spec.seqs, x) == GA_NO_ERROR ? GA_NO_ERROR
                                                       : no_memory(s);
}

static int check_states(const gg_scan *s) {
  for (size_t i = 0; i < s->spec.states.n; i++)
    if (s->spec.states.v[i].next == NULL)
      return gg__fail(s->g, GA_VALUE_ERROR, "scan: state %zu has no next value",
                      i);
  return GA_NO_ERROR;
}

int gg_scan_close(gg_scan *s) {
  if (s == NULL)
    return GA_MEMORY_ERROR;
  GA_TRY(gg_graph_status(s->g));
  if (s->node != NULL)
    return refuse(s, "the loop is closed");
  GA_TRY(check_states(s));
  for (size_t i = 0; i < s->seqs.n; i++)
    GA_TRY(add_sequence(s, &s->seqs.v[i]));
  s->spec.steps = s->steps;
  s->spec.is_exact = s->steps == NULL;
  if (s->steps == NULL && s->seqs.n == 0)
    return refuse(s, "neither sequences nor a number of steps");
  if (s->steps == NULL)
    s->spec.steps = gg_shape(s->spec.seqs.v[0].outer, 0);
  GA_TRY(gg_graph_status(s->g));
  GA_TRY(gg__loop_put_sizes(&s->spec));
  s->node = gg__loop_make(&gg__op_scan, &s->spec);
  return s->node != NULL ? GA_NO_ERROR : gg_graph_status(s->g);
}

/* --- results --- */

/* The index of the output of the node that has all values of v, or -1. *before
 * is the number of its rows before the first iteration. */
static int64_t find_result(const gg_scan *s, const gg_var *v, int64_t *before) {
  const int64_t state = state_number(s, v);

  *before = 0;
  if (state >= 0) {
    *before = s->spec.states.v[state].depth;
    return gg__loop_trace((unsigned int)state);
  }
  gg__loop l = gg__loop_of(s->node);
  for (size_t i = 0; i < s->spec.outs.n; i++)
    if (s->spec.outs.v[i].value == v)
      return gg__loop_all(&l, (unsigned int)i);
  return -1;
}

static gg_var *result(const gg_scan *s, const gg_var *v, unsigned int which) {
  int64_t before;

  if (s == NULL || v == NULL || gg_graph_status(s->g) != GA_NO_ERROR)
    return NULL;
  if (s->node == NULL) {
    refuse(s, "the loop is still open");
    return NULL;
  }
  int64_t i = find_result(s, v, &before);
  if (i < 0) {
    refuse(s, "the variable is neither a state nor an output of the loop");
    return NULL;
  }
  if (which == 0 && before == 0 && state_number(s, v) >= 0) {
    refuse(s, "the values of a state whose sizes change are no rows of one "
              "array");
    return NULL;
  }
  if (which == 0 && before > 0)
    return gg_slice(s->node->out[i], 0, before, GG_END, 1);
  return s->node->out[(unsigned int)i + which];
}

gg_var *gg_scan_all(gg_scan *s, gg_var *v) {
  return result(s, v, 0);
}

gg_var *gg_scan_last(gg_scan *s, gg_var *v) {
  return result(s, v, 1);
}

gg_var *gg_scan_count(gg_scan *s) {
  if (s == NULL || gg_graph_status(s->g) != GA_NO_ERROR)
    return NULL;
  if (s->node == NULL) {
    refuse(s, "the loop is still open");
    return NULL;
  }
  gg__loop l = gg__loop_of(s->node);
  return l.h->has_until ? s->node->out[gg__loop_count(&l)]
                        : s->node->in[GG_LOOP_STEPS];
}

/* --- short forms --- */

static gg_var *no_function(gg_graph *g, const char *call) {
  gg__fail(g, GA_VALUE_ERROR, "%s: the function is NULL", call);
  return NULL;
}

gg_var *gg_map(gg_var *(*fn)(void *arg, gg_var *row), void *arg, gg_var *x) {
  if (x != NULL && fn == NULL)
    return no_function(x->graph, "map");
  gg_scan *s = x != NULL ? gg_scan_open(x->graph) : NULL;
  gg_var *row = gg_scan_sequence(s, x, 0);
  gg_var *y = row != NULL ? gg_scan_output(s, fn(arg, row)) : NULL;

  if (y != NULL)
    gg_scan_close(s);
  y = gg_scan_all(s, y);
  gg_scan_free(s);
  return y;
}

gg_var *gg_fold(gg_var *(*fn)(void *arg, gg_var *so_far, gg_var *row),
                void *arg, gg_var *init, gg_var *x) {
  gg_graph *g = gg_var_graph(x != NULL ? x : init);

  if (g != NULL && fn == NULL)
    return no_function(g, "fold");
  gg_scan *s = g != NULL ? gg_scan_open(g) : NULL;
  gg_var *row = gg_scan_sequence(s, x, 0), *v = gg_scan_state(s, init);

  if (row != NULL && v != NULL &&
      gg_scan_next(s, v, fn(arg, v, row)) == GA_NO_ERROR)
    gg_scan_close(s);
  v = gg_scan_last(s, v);
  gg_scan_free(s);
  return v;
}
