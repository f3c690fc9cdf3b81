/* SPDX-License-Identifier: BSD-2-Clause */
/* Derivatives of loops, which are loops over what the first one has left: rows
 * of its sequences, and its traces as rows of earlier values.
 *
 * Backwards, with a[m] for what the cost gains by h[t - m] in the steps after
 * t: step t adds the gradients of its own outputs to a[0], passes the sum back
 * through the body, which gives c[k] for the tap k steps ago, and goes on with
 * a'[m] = a[m + 1] + c[m + 1]. What is left in the end belongs to the initial
 * values. What is fixed gains in every step: it has a state that adds up. */
#include <gpugraph/grad.h>
#include <gpugraph/rop.h>

#include <string.h>

#include "base/dtype.h"
#include "graph/loop.h"
#include "ops/ops.h"

typedef GA_VEC(gg_var *) list;

typedef struct deriver {
  const gg_apply *a;
  gg__loop l;
  gg_graph *g;  /* of the node */
  gg_graph *w;  /* where the body's derivative is made */
  list in, out; /* the body in w */
  gg__loop_spec spec;
  /* Backwards. */
  unsigned char *wanted; /* by output of the body: the cost depends on it */
  unsigned int *first;   /* by state of the loop: that of a[0] */
  list wrt, back; /* floats among `in`, and what is passed back to them */
  list pulse;     /* by output: its last value's gradient, or NULL */
} deriver;

static void deriver_clear(deriver *d) {
  ga__vec_clear(&d->in);
  ga__vec_clear(&d->out);
  ga__vec_clear(&d->wrt);
  ga__vec_clear(&d->back);
  ga__vec_clear(&d->pulse);
  ga__free(d->wanted);
  ga__free(d->first);
  gg__loop_spec_clear(&d->spec);
  gg_graph_free(d->w);
}

static int is_float(const gg_var *v) {
  return ga__dtype_kind(v->type.dtype) == GA_KIND_FLOAT;
}

static int no_memory(const deriver *d) {
  return gg__fail(d->g, GA_MEMORY_ERROR, "out of host memory");
}

/* Tell the node's graph what went wrong in the other one. */
static int adopt(const deriver *d, int err) {
  if (gg_graph_status(d->w) != GA_NO_ERROR)
    return gg__fail(d->g, gg_graph_status(d->w), "scan: %s",
                    gg_graph_error(d->w));
  return err;
}

static gg_var *like(const deriver *d, const gg_type *t, const char *name) {
  return gg_input_sized(d->w, name, t->dtype, t->nd, t->dims);
}

/* --- the body, and what it works on --- */

static int copy_body(deriver *d) {
  const gg__inner *x = d->l.inner;
  gg__subst s;
  unsigned int i;
  int err = GA_NO_ERROR;

  for (i = 0; i < x->n_in; i++)
    if (ga__vec_push(&d->in, like(d, &x->in[i]->type, x->in[i]->name)))
      return no_memory(d);
  for (i = 0; i < x->n_out; i++)
    if (ga__vec_push(&d->out, NULL))
      return no_memory(d);
  gg__subst_init(&s, d->w);
  err = gg__inner_expand(x, &s, d->in.v, d->out.v);
  gg__subst_clear(&s);
  return err;
}

static int deriver_init(deriver *d, const gg_apply *a) {
  memset(d, 0, sizeof *d);
  d->a = a;
  d->l = gg__loop_of(a);
  d->g = d->spec.g = a->out[0]->graph;
  d->w = gg_graph_new(d->g->ctx);
  if (d->w == NULL)
    return no_memory(d);
  d->spec.steps = a->in[GG_LOOP_STEPS];
  if (d->l.h->is_limited)
    d->spec.limit = a->in[GG_LOOP_LIMIT];
  if (d->l.h->has_until)
    d->spec.limit = a->out[gg__loop_count(&d->l)];
  return copy_body(d);
}

static int add_series(deriver *d, gg_var *outer, gg_var *row,
                      int64_t reversed) {
  const gg__loop_series x = {outer, row, reversed};

  if (outer == NULL || row == NULL)
    return adopt(d, gg_graph_status(d->g));
  return ga__vec_push(&d->spec.seqs, x) ? no_memory(d) : GA_NO_ERROR;
}

static int add_constant(deriver *d, gg_var *outer, gg_var *var) {
  const gg__loop_constant x = {outer, var};

  return ga__vec_push(&d->spec.fixed, x) ? no_memory(d) : GA_NO_ERROR;
}

static int add_state(deriver *d, gg_var *init, int64_t depth) {
  const gg__loop_state x = {.init = init, .depth = depth};

  if (init == NULL)
    return gg_graph_status(d->g);
  return ga__vec_push(&d->spec.states, x) ? no_memory(d) : GA_NO_ERROR;
}

static int add_tap(deriver *d, gg_var *var, int64_t back) {
  const gg__loop_earlier x = {
      .var = var, .state = (int64_t)d->spec.states.n - 1, .back = back};

  if (var == NULL)
    return adopt(d, GA_MEMORY_ERROR);
  return ga__vec_push(&d->spec.taps, x) ? no_memory(d) : GA_NO_ERROR;
}

static int add_out(deriver *d, gg_var *value, gg_var *as_many_as,
                   int64_t reversed) {
  const gg__loop_result x = {value, as_many_as, reversed};

  if (value == NULL)
    return adopt(d, GA_MEMORY_ERROR);
  return ga__vec_push(&d->spec.outs, x) ? no_memory(d) : GA_NO_ERROR;
}

/* Rows of the trace of tap i's state, one for each step. */
static gg_var *tap_rows(const deriver *d, unsigned int i) {
  const gg__loop_tap *t = &d->l.taps[i];
  gg_var *trace = d->a->out[gg__loop_trace((unsigned int)t->state)];

  return gg_slice(trace, 0, d->l.depth[t->state] - t->back, -t->back, 1);
}

/* Let the new loop see all that the body of the old one saw; `flip` when it
 * goes the other way. */
static int add_old_inputs(deriver *d, int64_t flip) {
  const gg__loop *l = &d->l;
  gg_var *const *in = d->a->in;
  unsigned int i;

  for (i = 0; i < l->h->n_seqs; i++)
    GA_TRY(add_series(d, in[gg__loop_seq(l, i)], d->in.v[i],
                      l->reversed[i] ^ flip));
  for (i = 0; i < l->h->n_taps; i++)
    GA_TRY(add_series(d, tap_rows(d, i), d->in.v[gg__body_tap(l, i)], flip));
  for (i = 0; i < l->h->n_fixed; i++)
    GA_TRY(add_constant(d, in[gg__loop_fixed(l, i)],
                        d->in.v[gg__body_fixed(l, i)]));
  return GA_NO_ERROR;
}

/* --- backwards: which results matter --- */

/* Mark states that wanted outputs of the body depend on; *more tells whether
 * there are new ones. */
static int spread_wanted(deriver *d, int *more) {
  gg__order order = {NULL, 0, 0};
  unsigned char *used = ga__calloc(d->w->vars.n, 1);
  list roots = {NULL, 0, 0};
  const gg_apply *a;
  unsigned int i, k, state;
  int err = GA_NO_ERROR;

  *more = 0;
  if (used == NULL)
    GA_CHECK(no_memory(d));
  for (i = 0; i < d->out.n; i++) {
    if (!d->wanted[i])
      continue;
    used[d->out.v[i]->id] = 1;
    GA_CHECK(ga__vec_push(&roots, d->out.v[i]));
  }
  GA_CHECK(gg__toposort(&order, roots.n, roots.v));
  for (i = 0; i < order.n; i++) {
    a = order.v[i];
    for (k = 0; k < a->n_in; k++)
      used[a->in[k]->id] = 1;
  }
  for (i = 0; i < d->l.h->n_taps; i++) {
    state = (unsigned int)d->l.taps[i].state;
    if (!used[d->in.v[gg__body_tap(&d->l, i)]->id] || d->wanted[state] ||
        !is_float(d->out.v[state]))
      continue;
    d->wanted[state] = 1;
    *more = 1;
  }
done:
  ga__free(used);
  ga__vec_clear(&roots);
  ga__vec_clear(&order);
  return err;
}

static int find_wanted(deriver *d, gg_var *const *gout) {
  unsigned int i;
  int more = 1;

  d->wanted = ga__calloc(d->out.n, 1);
  if (d->wanted == NULL)
    return no_memory(d);
  for (i = 0; i < d->l.h->n_states + d->l.h->n_outs; i++)
    d->wanted[i] = gout[2 * i] != NULL || gout[2 * i + 1] != NULL;
  while (more)
    GA_TRY(spread_wanted(d, &more));
  return GA_NO_ERROR;
}

/* --- backwards: states and gradients that come in --- */

/* a[0], a[1], ... of one state of the loop. */
static int add_adjoints(deriver *d, unsigned int state, gg_var *const *gout) {
  gg_var *last = d->a->out[gg__loop_trace(state) + 1];
  gg_var *g = gout[gg__loop_trace(state) + 1];
  int64_t m;

  d->first[state] = (unsigned int)d->spec.states.n;
  for (m = 0; m < d->l.depth[state]; m++) {
    if (m > 0 || g == NULL)
      g = gg_zeros_like(last);
    GA_TRY(add_state(d, gg__expand(g, 0), 1));
    GA_TRY(add_tap(d, like(d, &last->type, ""), 1));
  }
  return GA_NO_ERROR;
}

/* The variable of the body for a state of the new loop. */
static gg_var *state_var(const deriver *d, unsigned int state) {
  return d->spec.taps.v[state].var;
}

/* A state that is the gradient of an output's last value in the first step that
 * is visited and zero in all others. */
static int add_pulse(deriver *d, gg_var *g, gg_var **var) {
  *var = NULL;
  if (g == NULL)
    return GA_NO_ERROR;
  GA_TRY(add_state(d, gg__expand(g, 0), 1));
  *var = like(d, &g->type, "");
  GA_TRY(add_tap(d, *var, 1));
  d->spec.states.v[d->spec.states.n - 1].next = gg_zeros_like(*var);
  return GA_NO_ERROR;
}

static int add_all_states(deriver *d, gg_var *const *gout) {
  const gg__loop *l = &d->l;
  unsigned int i;
  gg_var *v;

  d->first = ga__calloc((size_t)l->h->n_states, sizeof *d->first);
  if (d->first == NULL)
    return no_memory(d);
  for (i = 0; i < l->h->n_states; i++)
    if (d->wanted[i])
      GA_TRY(add_adjoints(d, i, gout));
  for (i = 0; i < l->h->n_outs; i++) {
    GA_TRY(add_pulse(d, gout[gg__loop_all(l, i) + 1], &v));
    GA_TRY(ga__vec_push(&d->pulse, v));
  }
  return GA_NO_ERROR;
}

/* The gradient of output i of the body in one step: the sum of what is carried
 * and of a row of what comes in. */
static int incoming(deriver *d, unsigned int i, gg_var *const *gout,
                    gg_var **sum) {
  const gg__loop *l = &d->l;
  const int is_state = i < l->h->n_states;
  const unsigned int k = i - (unsigned int)l->h->n_states;
  gg_var *rows = gout[2 * i], *row;

  *sum = is_state ? state_var(d, d->first[i]) : d->pulse.v[k];
  if (rows == NULL)
    return GA_NO_ERROR;
  if (is_state)
    rows = gg_slice(rows, 0, l->depth[i], GG_END, 1);
  row = like(d, &d->a->out[2 * i + 1]->type, "");
  GA_TRY(add_series(d, rows, row, is_state ? 1 : l->outs[k].reversed ^ 1));
  *sum = *sum != NULL ? gg_add(*sum, row) : row;
  return GA_NO_ERROR;
}

/* --- backwards: through the body --- */

/* A cost in w whose gradient is what the body passes back. */
static int make_cost(deriver *d, gg_var *const *gout, gg_var **cost) {
  gg_var *u, *v;
  unsigned int i;

  *cost = NULL;
  for (i = 0; i < d->l.h->n_states + d->l.h->n_outs; i++) {
    if (!d->wanted[i])
      continue;
    GA_TRY(incoming(d, i, gout, &u));
    v = gg_sum(gg_mul(d->out.v[i], u));
    *cost = *cost != NULL ? gg_add(*cost, v) : v;
  }
  return adopt(d, GA_NO_ERROR);
}

/* Is it zeros, as the gradient is of what does not matter? */
static int is_nothing(const gg_var *v) {
  double number;

  return v->owner != NULL && v->owner->op == &gg__op_fill &&
         gg_var_uniform(v->owner->in[1], &number) && number == 0;
}

/* The trace has what states became, so that gradients need not compute it once
 * more: rows of it take the place of their new values. */
static int use_traces(deriver *d) {
  const gg__loop *l = &d->l;
  gg__subst s;
  gg_var *row;
  unsigned int i;
  int err = GA_NO_ERROR;

  gg__subst_init(&s, d->w);
  for (i = 0; i < l->h->n_states; i++) {
    if (d->out.v[i]->owner == NULL || !is_float(d->out.v[i]))
      continue;
    row = like(d, &d->a->out[gg__loop_trace(i) + 1]->type, "");
    GA_CHECK(add_series(
        d, gg_slice(d->a->out[gg__loop_trace(i)], 0, l->depth[i], GG_END, 1),
        row, 1));
    GA_CHECK(gg__subst_put(&s, d->out.v[i], row));
  }
  for (i = 0; i < d->back.n; i++)
    if (d->back.v[i] != NULL)
      d->back.v[i] = gg__subst_apply(&s, d->back.v[i]);
done:
  gg__subst_clear(&s);
  return adopt(d, err);
}

/* d->back by input of the body; NULL where nothing comes. */
static int pass_back(deriver *d, gg_var *const *gout) {
  list got = {NULL, 0, 0};
  gg_var *cost;
  unsigned int i, n = 0;
  int err;

  GA_CHECK(make_cost(d, gout, &cost));
  for (i = 0; i < d->in.n; i++)
    if (is_float(d->in.v[i])) {
      GA_CHECK(ga__vec_push(&d->wrt, d->in.v[i]));
      GA_CHECK(ga__vec_push(&got, NULL));
    }
  GA_CHECK(gg_grad_ex(got.v, cost, (unsigned int)d->wrt.n, d->wrt.v, 0, NULL,
                      GG_GRAD_ALLOW_DISCONNECTED));
  for (i = 0; i < d->in.n; i++) {
    gg_var *v = is_float(d->in.v[i]) ? got.v[n++] : NULL;

    GA_CHECK(ga__vec_push(&d->back, v != NULL && !is_nothing(v) ? v : NULL));
  }
done:
  ga__vec_clear(&got);
  return adopt(d, err);
}

/* --- backwards: what comes out --- */

/* What a state goes on with. */
static int close_adjoints(deriver *d, unsigned int state) {
  const gg__loop *l = &d->l;
  unsigned int at = d->first[state], i;
  gg_var *next, *c;
  int64_t m;

  for (m = 0; m < l->depth[state]; m++, at++) {
    next = m + 1 < l->depth[state] ? state_var(d, at + 1) : NULL;
    for (i = 0; i < l->h->n_taps; i++) {
      c = d->back.v[gg__body_tap(l, i)];
      if (l->taps[i].state == state && l->taps[i].back == m + 1 && c != NULL)
        next = next != NULL ? gg_add(next, c) : c;
    }
    if (next == NULL)
      next = gg_zeros_like(state_var(d, at));
    d->spec.states.v[at].next = next;
  }
  return adopt(d, GA_NO_ERROR);
}

/* A state that adds up what fixed input i gains. */
static int add_sum(deriver *d, unsigned int i) {
  gg_var *outer = d->a->in[gg__loop_fixed(&d->l, i)];
  gg_var *c = d->back.v[gg__body_fixed(&d->l, i)], *var;

  if (c == NULL)
    return GA_NO_ERROR;
  GA_TRY(add_state(d, gg__expand(gg_zeros_like(outer), 0), 1));
  var = like(d, &outer->type, "");
  GA_TRY(add_tap(d, var, 1));
  d->spec.states.v[d->spec.states.n - 1].next = gg_add(var, c);
  return adopt(d, GA_NO_ERROR);
}

static int add_results(deriver *d) {
  const gg__loop *l = &d->l;
  unsigned int i;

  for (i = 0; i < l->h->n_states; i++)
    if (d->wanted[i])
      GA_TRY(close_adjoints(d, i));
  for (i = 0; i < l->h->n_fixed; i++)
    GA_TRY(add_sum(d, i));
  for (i = 0; i < l->h->n_seqs; i++)
    if (d->back.v[i] != NULL)
      GA_TRY(add_out(d, d->back.v[i], d->a->in[gg__loop_seq(l, i)],
                     l->reversed[i] ^ 1));
  return GA_NO_ERROR;
}

/* A truncated gradient does not get to the initial values, unless the steps are
 * so few. */
static gg_var *if_reached(const deriver *d, gg_var *v) {
  gg_var *n = d->spec.limit != NULL ? d->spec.limit : d->spec.steps;

  if (d->spec.most == 0)
    return v;
  return gg_where(gg_le(n, gg_i64(d->g, d->spec.most)), v, gg_zeros_like(v));
}

/* The gradient of the initial values of a state: those that look back furthest
 * come first. */
static gg_var *initial(const deriver *d, const gg_apply *b, unsigned int state,
                       gg_var *gtrace) {
  const int64_t depth = d->l.depth[state];
  list rows = {NULL, 0, 0};
  gg_var *v = NULL;
  int64_t m;

  for (m = depth; m-- > 0;) {
    v = b->out[gg__loop_trace(d->first[state] + (unsigned int)m) + 1];
    v = if_reached(d, v);
    if (gtrace != NULL)
      v = gg_add(v, gg__reshape_like(gg_index(gtrace, 0, depth - 1 - m), v));
    if (ga__vec_push(&rows, gg__expand(v, 0)) != GA_NO_ERROR)
      no_memory(d);
  }
  v = rows.n == (size_t)depth && depth > 1
          ? gg_join(0, (unsigned int)rows.n, rows.v)
      : rows.n == 1 ? rows.v[0]
                    : NULL;
  ga__vec_clear(&rows);
  return v;
}

static void hand_out(const deriver *d, const gg_apply *b, gg_var *const *gout,
                     gg_var **gin) {
  const gg__loop *l = &d->l, made = gg__loop_of(b);
  unsigned int i, n = 0;
  unsigned int sum =
      (unsigned int)d->spec.states.n; /* those of fixed inputs are the last */

  for (i = 0; i < l->h->n_states; i++)
    if (d->wanted[i])
      gin[gg__loop_init(l, i)] = initial(d, b, i, gout[gg__loop_trace(i)]);
  for (i = (unsigned int)l->h->n_fixed; i-- > 0;)
    if (d->back.v[gg__body_fixed(l, i)] != NULL)
      gin[gg__loop_fixed(l, i)] = b->out[gg__loop_trace(--sum) + 1];
  for (i = 0; i < l->h->n_seqs; i++)
    if (d->back.v[i] != NULL)
      gin[gg__loop_seq(l, i)] = b->out[gg__loop_all(&made, n++)];
}

static int go_back(deriver *d, gg_var *const *gout, gg_var **gin) {
  const gg_apply *b;

  d->spec.most = d->l.h->truncate;
  GA_TRY(find_wanted(d, gout));
  GA_TRY(add_old_inputs(d, 1));
  GA_TRY(add_all_states(d, gout));
  GA_TRY(pass_back(d, gout));
  GA_TRY(use_traces(d));
  GA_TRY(add_results(d));
  if (d->spec.states.n + d->spec.outs.n == 0)
    return GA_NO_ERROR;
  b = gg__loop_make(&d->spec);
  if (b != NULL)
    hand_out(d, b, gout, gin);
  return gg_graph_status(d->g);
}

int gg__loop_grad(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  deriver d;
  int err;

  if (gg__loop_of(a).h->most != 0)
    return gg_op_fail(a, GA_UNSUPPORTED_ERROR,
                      "a truncated gradient has no gradient");
  err = deriver_init(&d, a);
  if (err == GA_NO_ERROR)
    err = go_back(&d, gout, gin);
  deriver_clear(&d);
  return err;
}

/* --- along a direction --- */

/* States that move, their taps, and all else that does. */
static int add_moves(deriver *d, gg_var *const *din, list *wrt, list *dir) {
  const gg__loop *l = &d->l;
  gg_var *v, *init;
  unsigned int i, k;

  for (i = 0; i < d->in.n; i++) {
    GA_TRY(ga__vec_push(wrt, d->in.v[i]));
    GA_TRY(ga__vec_push(dir, NULL));
  }
  for (i = 0; i < l->h->n_states; i++) {
    init = d->a->in[gg__loop_init(l, i)];
    d->first[i] = (unsigned int)d->spec.states.n;
    if (!is_float(init))
      continue;
    v = din[gg__loop_init(l, i)];
    GA_TRY(add_state(d, v != NULL ? v : gg_zeros_like(init), l->depth[i]));
    for (k = 0; k < l->h->n_taps; k++) {
      if (l->taps[k].state != i)
        continue;
      v = like(d, &d->in.v[gg__body_tap(l, k)]->type, "");
      GA_TRY(add_tap(d, v, l->taps[k].back));
      dir->v[gg__body_tap(l, k)] = v;
    }
  }
  for (i = 0; i < l->h->n_seqs + l->h->n_fixed; i++) {
    k = i < l->h->n_seqs ? i
                         : gg__body_fixed(l, i - (unsigned int)l->h->n_seqs);
    v = din[i < l->h->n_seqs
                ? gg__loop_seq(l, i)
                : gg__loop_fixed(l, i - (unsigned int)l->h->n_seqs)];
    if (v == NULL || !is_float(d->in.v[k]))
      continue;
    dir->v[k] = like(d, &d->in.v[k]->type, "");
    GA_TRY(i < l->h->n_seqs ? add_series(d, v, dir->v[k], l->reversed[i])
                            : add_constant(d, v, dir->v[k]));
  }
  return adopt(d, GA_NO_ERROR);
}

/* Drop what does not move from both lists. */
static void drop_still(list *wrt, list *dir) {
  size_t i, n = 0;

  for (i = 0; i < dir->n; i++)
    if (dir->v[i] != NULL) {
      wrt->v[n] = wrt->v[i];
      dir->v[n++] = dir->v[i];
    }
  wrt->n = dir->n = n;
}

/* How the floats among the body's results move. */
static int move_body(deriver *d, list *wrt, list *dir) {
  const gg__loop *l = &d->l;
  const unsigned int n = (unsigned int)(l->h->n_states + l->h->n_outs);
  gg_var *move;
  unsigned int i, k, state = 0;

  drop_still(wrt, dir);
  for (i = 0; i < n; i++) {
    if (!is_float(d->out.v[i]))
      continue;
    if (gg_rop(&move, 1, &d->out.v[i], (unsigned int)wrt->n, wrt->v, dir->v) !=
        GA_NO_ERROR)
      return adopt(d, GA_VALUE_ERROR);
    k = i - (unsigned int)l->h->n_states;
    if (i < l->h->n_states)
      d->spec.states.v[state++].next = move;
    else
      GA_TRY(
          add_out(d, move,
                  l->outs[k].like >= 0
                      ? d->a->in[gg__loop_seq(l, (unsigned int)l->outs[k].like)]
                      : NULL,
                  l->outs[k].reversed));
  }
  return GA_NO_ERROR;
}

static void hand_moves(const deriver *d, const gg_apply *b, gg_var **dout) {
  const gg__loop *l = &d->l;
  unsigned int i, n = 0;

  for (i = 0; i < l->h->n_states + l->h->n_outs; i++) {
    if (!is_float(d->out.v[i]))
      continue;
    dout[2 * i] = b->out[2 * n];
    dout[2 * i + 1] = b->out[2 * n + 1];
    n++;
  }
}

static int go_along(deriver *d, gg_var *const *din, gg_var **dout) {
  list wrt = {NULL, 0, 0}, dir = {NULL, 0, 0};
  const gg_apply *b;
  int err;

  d->spec.most = d->l.h->most;
  d->spec.truncate = d->l.h->truncate;
  d->first = ga__calloc((size_t)d->l.h->n_states, sizeof *d->first);
  if (d->first == NULL)
    return no_memory(d);
  GA_CHECK(add_old_inputs(d, 0));
  GA_CHECK(add_moves(d, din, &wrt, &dir));
  GA_CHECK(move_body(d, &wrt, &dir));
  if (d->spec.states.n + d->spec.outs.n == 0)
    goto done;
  b = gg__loop_make(&d->spec);
  if (b != NULL)
    hand_moves(d, b, dout);
  err = gg_graph_status(d->g);
done:
  ga__vec_clear(&wrt);
  ga__vec_clear(&dir);
  return err;
}

int gg__loop_rop(const gg_apply *a, gg_var *const *din, gg_var **dout) {
  deriver d;
  int err = deriver_init(&d, a);

  if (err == GA_NO_ERROR)
    err = go_along(&d, din, dout);
  deriver_clear(&d);
  return err;
}
