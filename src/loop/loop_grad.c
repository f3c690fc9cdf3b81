/* SPDX-License-Identifier: BSD-2-Clause */
/* Gradients of loops. They are loops that go backwards over the rows of the
 * sequences and over the traces, which hold the earlier values of the states.
 *
 * Let a[m] be the gradient of the cost with respect to h[t - m] through the
 * iterations after t. Iteration t adds the gradients of its own outputs to a[0]
 * and passes the sum back through the body. This gives c[k] for the tap k
 * iterations ago, and a'[m] = a[m + 1] + c[m + 1] for the next iteration of the
 * new loop. At the end a[] is the gradient of the initial values. Each fixed
 * input has a state that sums its gradients over all iterations. */
#include <gpugraph/grad.h>

#include <string.h>

#include "loop/loop_derive.h"
#include "ops/ops.h"

typedef struct backward {
  gg__deriver d;
  unsigned char *wanted; /* by output of the body: the cost depends on it */
  unsigned int *first;   /* by state of the loop: index of the new state a[0] */
  gg__vars wrt, back;    /* floats among d.in; gradient by index in d.in */
  gg__vars pulse;        /* by output: gradient of its last value, or NULL */
} backward;

static void backward_clear(backward *x) {
  ga__vec_clear(&x->wrt);
  ga__vec_clear(&x->back);
  ga__vec_clear(&x->pulse);
  ga__free(x->wanted);
  ga__free(x->first);
  gg__deriver_clear(&x->d);
}

/* --- which outputs matter --- */

/* Mark states that wanted outputs of the body depend on. *more is set if any
 * mark is new. */
static int spread_wanted(backward *x, int *more) {
  gg__deriver *d = &x->d;
  gg__order order = {NULL, 0, 0};
  unsigned char *used = ga__calloc(d->w->vars.n, 1);
  gg__vars roots = {NULL, 0, 0};
  int err = GA_NO_ERROR;

  *more = 0;
  if (used == NULL)
    GA_CHECK(gg__deriver_no_memory(d));
  for (unsigned int i = 0; i < d->out.n; i++) {
    if (!x->wanted[i])
      continue;
    used[d->out.v[i]->id] = 1;
    GA_CHECK(ga__vec_push(&roots, d->out.v[i]));
  }
  GA_CHECK(gg__toposort(&order, roots.n, roots.v));
  for (unsigned int i = 0; i < order.n; i++) {
    const gg_apply *a = order.v[i];
    for (unsigned int k = 0; k < a->n_in; k++)
      used[a->in[k]->id] = 1;
  }
  for (unsigned int i = 0; i < d->l.h->n_taps; i++) {
    unsigned int state = (unsigned int)d->l.taps[i].state;
    if (!used[d->in.v[gg__body_tap(&d->l, i)]->id] || x->wanted[state] ||
        !gg__is_smooth(d->out.v[state]))
      continue;
    x->wanted[state] = 1;
    *more = 1;
  }
done:
  ga__free(used);
  ga__vec_clear(&roots);
  ga__vec_clear(&order);
  return err;
}

static int find_wanted(backward *x, gg_var *const *gout) {
  gg__deriver *d = &x->d;
  int more = 1;

  x->wanted = ga__calloc(d->out.n, 1);
  if (x->wanted == NULL)
    return gg__deriver_no_memory(d);
  for (unsigned int i = 0; i < d->l.h->n_states + d->l.h->n_outs; i++)
    x->wanted[i] =
        gout[2 * (size_t)i] != NULL || gout[2 * (size_t)i + 1] != NULL;
  while (more)
    GA_TRY(spread_wanted(x, &more));
  return GA_NO_ERROR;
}

/* --- states and incoming gradients --- */

/* How many states a[0], a[1], ... there are for one state of the loop. A
 * resized state has one, which is resized, too. */
static int64_t n_adjoints(const gg__loop *l, unsigned int state) {
  return l->depth[state] != 0 ? l->depth[state] : 1;
}

/* Add them. */
static int add_adjoints(backward *x, unsigned int state, gg_var *const *gout) {
  gg__deriver *d = &x->d;
  gg_var *last = d->a->out[gg__loop_trace(state) + 1];
  gg_var *g = gout[gg__loop_trace(state) + 1];
  const int resizes = d->l.depth[state] == 0;

  x->first[state] = (unsigned int)d->spec.states.n;
  for (int64_t m = 0; m < n_adjoints(&d->l, state); m++) {
    if (m > 0 || g == NULL)
      g = gg_zeros_like(last);
    GA_TRY(gg__deriver_state(d, resizes ? g : gg__expand(g, 0), !resizes));
    GA_TRY(gg__deriver_tap(d, gg__deriver_like(d, &last->type, ""), 1));
  }
  return GA_NO_ERROR;
}

/* The input of the body for a state of the new loop, each of which has one
 * tap. */
static gg_var *state_var(const gg__deriver *d, unsigned int state) {
  return d->spec.taps.v[state].var;
}

/* Add a state that is the gradient g of the last value of an output in the
 * first iteration of the new loop, and zero in all others. */
static int add_pulse(gg__deriver *d, gg_var *g, gg_var **var) {
  *var = NULL;
  if (g == NULL)
    return GA_NO_ERROR;
  GA_TRY(gg__deriver_state(d, gg__expand(g, 0), 1));
  *var = gg__deriver_like(d, &g->type, "");
  GA_TRY(gg__deriver_tap(d, *var, 1));
  d->spec.states.v[d->spec.states.n - 1].next = gg_zeros_like(*var);
  return GA_NO_ERROR;
}

static int add_all_states(backward *x, gg_var *const *gout) {
  gg__deriver *d = &x->d;
  const gg__loop *l = &d->l;
  gg_var *v;

  x->first = ga__calloc((size_t)l->h->n_states, sizeof *x->first);
  if (x->first == NULL)
    return gg__deriver_no_memory(d);
  for (unsigned int i = 0; i < l->h->n_states; i++)
    if (x->wanted[i])
      GA_TRY(add_adjoints(x, i, gout));
  for (unsigned int i = 0; i < l->h->n_outs; i++) {
    GA_TRY(add_pulse(d, gout[gg__loop_all(l, i) + 1], &v));
    GA_TRY(ga__vec_push(&x->pulse, v));
  }
  return GA_NO_ERROR;
}

/* The part of the gradient of a resized state's trace that belongs to the next
 * value, which is like u. */
static gg_var *part_of_next(gg__deriver *d, unsigned int state, gg_var *gtrace,
                            gg_var *u) {
  gg_var *const begin = d->ends.v[state];

  if (begin == NULL)
    return NULL;
  return gg__reshape_like(
      gg__deriver_part(d, gtrace, begin, gg_add(begin, gg_size(u))), u);
}

/* The gradient of output i of the body in one iteration: the state that carries
 * it plus a row of the gradient of all values. */
static int incoming(backward *x, unsigned int i, gg_var *const *gout,
                    gg_var **sum) {
  gg__deriver *d = &x->d;
  const gg__loop *l = &d->l;
  const int is_state = i < l->h->n_states;
  const unsigned int k = i - (unsigned int)l->h->n_states;
  gg_var *rows = gout[2 * (size_t)i], *row;

  *sum = is_state ? state_var(d, x->first[i]) : x->pulse.v[k];
  if (rows == NULL)
    return GA_NO_ERROR;
  if (is_state && l->depth[i] == 0) {
    *sum = gg_add(*sum, part_of_next(d, i, rows, *sum));
    return gg__deriver_adopt(d, GA_NO_ERROR);
  }
  if (is_state)
    rows = gg_slice(rows, 0, l->depth[i], GG_END, 1);
  row = gg__deriver_like(d, &d->a->out[2 * i + 1]->type, "");
  GA_TRY(
      gg__deriver_series(d, rows, row, is_state ? 1 : l->outs[k].reversed ^ 1));
  *sum = *sum != NULL ? gg_add(*sum, row) : row;
  return GA_NO_ERROR;
}

/* --- back through the body --- */

/* Build a cost in d->w whose gradient is what the body passes back. */
static int make_cost(backward *x, gg_var *const *gout, gg_var **cost) {
  gg__deriver *d = &x->d;
  gg_var *u;

  *cost = NULL;
  for (unsigned int i = 0; i < d->l.h->n_states + d->l.h->n_outs; i++) {
    if (!x->wanted[i])
      continue;
    GA_TRY(incoming(x, i, gout, &u));
    gg_var *v = gg__real_product(d->out.v[i], u);
    *cost = *cost != NULL ? gg_add(*cost, v) : v;
  }
  return gg__deriver_adopt(d, GA_NO_ERROR);
}

/* Is v zeros, as gradients of variables without influence are? */
static int is_nothing(const gg_var *v) {
  double number;

  return v->owner != NULL && v->owner->op == &gg__op_fill &&
         gg_var_uniform(v->owner->in[1], &number) && number == 0;
}

/* The trace holds the new values of the states. Read them from there instead of
 * computing them again. */
static int use_traces(backward *x) {
  gg__deriver *d = &x->d;
  const gg__loop *l = &d->l;
  gg__subst s;
  int err = GA_NO_ERROR;

  gg__subst_init(&s, d->w);
  for (unsigned int i = 0; i < l->h->n_states; i++) {
    if (d->out.v[i]->owner == NULL || !gg__is_smooth(d->out.v[i]) ||
        l->depth[i] == 0)
      continue;
    gg_var *row =
        gg__deriver_like(d, &d->a->out[gg__loop_trace(i) + 1]->type, "");
    GA_CHECK(gg__deriver_series(
        d, gg_slice(d->a->out[gg__loop_trace(i)], 0, l->depth[i], GG_END, 1),
        row, 1));
    GA_CHECK(gg__subst_put(&s, d->out.v[i], row));
  }
  for (unsigned int i = 0; i < x->back.n; i++)
    if (x->back.v[i] != NULL)
      x->back.v[i] = gg__subst_apply(&s, x->back.v[i]);
done:
  gg__subst_clear(&s);
  return gg__deriver_adopt(d, err);
}

/* Fill x->back, by input of the body; NULL if the input gets no gradient. */
static int pass_back(backward *x, gg_var *const *gout) {
  gg__deriver *d = &x->d;
  gg__vars got = {NULL, 0, 0};
  gg_var *cost;
  unsigned int n = 0;
  int err;

  GA_CHECK(make_cost(x, gout, &cost));
  for (unsigned int i = 0; i < d->in.n; i++)
    if (gg__is_smooth(d->in.v[i])) {
      GA_CHECK(ga__vec_push(&x->wrt, d->in.v[i]));
      GA_CHECK(ga__vec_push(&got, NULL));
    }
  GA_CHECK(gg_grad_ex(got.v, cost, (unsigned int)x->wrt.n, x->wrt.v, 0, NULL,
                      GG_GRAD_ALLOW_DISCONNECTED));
  for (unsigned int i = 0; i < d->in.n; i++) {
    gg_var *v = gg__is_smooth(d->in.v[i]) ? got.v[n++] : NULL;

    GA_CHECK(ga__vec_push(&x->back, v != NULL && !is_nothing(v) ? v : NULL));
  }
done:
  ga__vec_clear(&got);
  return gg__deriver_adopt(d, err);
}

/* --- results --- */

/* Set the next values a'[m] of the states for one state of the loop. */
static int close_adjoints(backward *x, unsigned int state) {
  gg__deriver *d = &x->d;
  const gg__loop *l = &d->l;
  unsigned int at = x->first[state], i;

  GA_ASSERT(at + (size_t)n_adjoints(l, state) <= d->spec.states.n);

  for (int64_t m = 0; m < n_adjoints(l, state); m++, at++) {
    gg_var *next = m + 1 < l->depth[state] ? state_var(d, at + 1) : NULL;
    gg_var *like = state_var(d, at);
    for (i = 0; i < l->h->n_taps; i++) {
      gg_var *c = x->back.v[gg__body_tap(l, i)];
      if (l->taps[i].state == state && l->depth[state] == 0)
        like = d->in.v[gg__body_tap(l, i)];
      if (l->taps[i].state == state && l->taps[i].back == m + 1 && c != NULL)
        next = next != NULL ? gg_add(next, c) : c;
    }
    if (next == NULL)
      next = gg_zeros_like(like);
    d->spec.states.v[at].next = next;
  }
  return gg__deriver_adopt(d, GA_NO_ERROR);
}

/* Add a state that sums the gradients of fixed input i. */
static int add_sum(backward *x, unsigned int i) {
  gg__deriver *d = &x->d;
  gg_var *outer = d->a->in[gg__loop_fixed(&d->l, i)];
  gg_var *c = x->back.v[gg__body_fixed(&d->l, i)], *var;

  if (c == NULL)
    return GA_NO_ERROR;
  GA_TRY(gg__deriver_state(d, gg__expand(gg_zeros_like(outer), 0), 1));
  var = gg__deriver_like(d, &outer->type, "");
  GA_TRY(gg__deriver_tap(d, var, 1));
  d->spec.states.v[d->spec.states.n - 1].next = gg_add(var, c);
  return gg__deriver_adopt(d, GA_NO_ERROR);
}

static int add_results(backward *x) {
  gg__deriver *d = &x->d;
  const gg__loop *l = &d->l;

  for (unsigned int i = 0; i < l->h->n_states; i++)
    if (x->wanted[i])
      GA_TRY(close_adjoints(x, i));
  for (unsigned int i = 0; i < l->h->n_fixed; i++)
    GA_TRY(add_sum(x, i));
  for (unsigned int i = 0; i < l->h->n_seqs; i++)
    if (x->back.v[i] != NULL)
      GA_TRY(gg__deriver_out(d, x->back.v[i], d->a->in[gg__loop_seq(l, i)],
                             l->reversed[i] ^ 1));
  return GA_NO_ERROR;
}

/* A truncated gradient reaches the initial values only if there are no more
 * iterations than it goes back. Otherwise it is zero. */
static gg_var *if_reached(const gg__deriver *d, gg_var *v) {
  gg_var *n = d->spec.limit != NULL ? d->spec.limit : d->spec.steps;

  if (d->spec.most == 0)
    return v;
  return gg_where(gg_le(n, gg_i64(d->g, d->spec.most)), v, gg_zeros_like(v));
}

/* Join n > 0 variables along axis 0. Overwrites v: gg_join takes at most
 * GG_MAX_JOIN operands, so what it gave is joined again. */
static gg_var *join_rows(size_t n, gg_var **v) {
  for (size_t m = 0; n > 1; n = m, m = 0)
    for (size_t i = 0; i < n; i += GG_MAX_JOIN, m++) {
      const size_t k = n - i < GG_MAX_JOIN ? n - i : GG_MAX_JOIN;
      v[m] = k > 1 ? gg_join(0, (unsigned int)k, v + i) : v[i];
    }
  return v[0];
}

/* The gradient of the first value of a resized state. */
static gg_var *first_value(const backward *x, const gg_apply *b,
                           unsigned int state, gg_var *gtrace) {
  gg_var *const v =
      if_reached(&x->d, b->out[gg__loop_trace(x->first[state]) + 1]);

  return gtrace == NULL || v == NULL
             ? v
             : gg_add(v,
                      gg__reshape_like(
                          gg_slice_at(gtrace, 0, NULL, gg_size(v), NULL), v));
}

/* The gradient of the initial values of a state [depth, ...]; the earliest
 * value is the first row. */
static gg_var *initial(const backward *x, const gg_apply *b, unsigned int state,
                       gg_var *gtrace) {
  const gg__deriver *d = &x->d;
  const int64_t depth = d->l.depth[state];
  gg__vars rows = {NULL, 0, 0};
  gg_var *v = NULL;

  if (depth == 0)
    return first_value(x, b, state, gtrace);
  for (int64_t m = depth; m-- > 0;) {
    v = b->out[gg__loop_trace(x->first[state] + (unsigned int)m) + 1];
    v = if_reached(d, v);
    if (gtrace != NULL)
      v = gg_add(v, gg__reshape_like(gg_index(gtrace, 0, depth - 1 - m), v));
    if (ga__vec_push(&rows, gg__expand(v, 0)) != GA_NO_ERROR)
      gg__deriver_no_memory(d);
  }
  v = rows.n == (size_t)depth ? join_rows(rows.n, rows.v) : NULL;
  ga__vec_clear(&rows);
  return v;
}

static void hand_out(const backward *x, const gg_apply *b, gg_var *const *gout,
                     gg_var **gin) {
  const gg__deriver *d = &x->d;
  const gg__loop *l = &d->l, made = gg__loop_of(b);
  unsigned int n = 0;
  unsigned int sum =
      (unsigned int)d->spec.states.n; /* states of fixed inputs are the last */

  for (unsigned int i = 0; i < l->h->n_states; i++)
    if (x->wanted[i])
      gin[gg__loop_init(l, i)] = initial(x, b, i, gout[gg__loop_trace(i)]);
  for (unsigned int i = (unsigned int)l->h->n_fixed; i-- > 0;)
    if (x->back.v[gg__body_fixed(l, i)] != NULL)
      gin[gg__loop_fixed(l, i)] = b->out[gg__loop_trace(--sum) + 1];
  for (unsigned int i = 0; i < l->h->n_seqs; i++)
    if (x->back.v[i] != NULL)
      gin[gg__loop_seq(l, i)] = b->out[gg__loop_all(&made, n++)];
}

static int go_back(backward *x, gg_var *const *gout, gg_var **gin) {
  gg__deriver *d = &x->d;

  d->spec.most = d->l.h->truncate;
  GA_TRY(find_wanted(x, gout));
  GA_TRY(gg__deriver_old_inputs(d, 1));
  GA_TRY(add_all_states(x, gout));
  GA_TRY(pass_back(x, gout));
  GA_TRY(use_traces(x));
  GA_TRY(add_results(x));
  if (d->spec.states.n + d->spec.outs.n == 0)
    return GA_NO_ERROR;
  const gg_apply *b = gg__deriver_make(d);
  if (b != NULL)
    hand_out(x, b, gout, gin);
  return gg_graph_status(d->g);
}

int gg__loop_grad(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  const gg__loop l = gg__loop_of(a);
  unsigned int state;
  backward x;

  if (l.h->most != 0)
    return gg_op_fail(a, GA_UNSUPPORTED_ERROR,
                      "a truncated gradient has no gradient");
  if (l.h->truncate != 0 && gg__loop_resizes(&l, &state))
    return gg_op_fail(a, GA_UNSUPPORTED_ERROR,
                      "no truncated gradient passes a state whose sizes change "
                      "(state %u, %s)",
                      state, gg__display_name(a->in[gg__loop_init(&l, state)]));
  memset(&x, 0, sizeof x);
  int err = gg__deriver_init(&x.d, a);
  if (err == GA_NO_ERROR)
    err = go_back(&x, gout, gin);
  backward_clear(&x);
  return err;
}
