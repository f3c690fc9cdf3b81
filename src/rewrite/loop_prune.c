/* SPDX-License-Identifier: BSD-2-Clause */
/* Loops lose what nothing uses: outputs, states that none of the others
 * depends on, inputs that are not read then; constants move into the body. */
#include <string.h>

#include "loop/loop.h"
#include "rewrite/compile.h"

typedef struct pruner {
  gg__build *b;
  gg__subst s;
  gg__uses uses;
  unsigned int changed;
} pruner;

/* The loop at hand. */
typedef struct visit {
  const gg_apply *a;
  gg__loop l;
  unsigned char *keep; /* by output of the body */
  unsigned char *used; /* by id of the body's variables */
} visit;

/* --- what is needed --- */

static int is_used(const pruner *p, const gg_var *v) {
  return v->id < p->uses.n && p->uses.v[v->id] != 0;
}

/* Mark what the kept outputs of the body are computed from. */
static int mark_used(visit *v) {
  const gg__inner *x = v->l.inner;
  size_t i = x->g->vars.n;

  memset(v->used, 0, i);
  for (unsigned int k = 0; k < x->n_out; k++)
    if (v->keep[k])
      v->used[x->out[k]->id] = 1;
  while (i-- > 0) {
    const gg_apply *a = x->g->vars.v[i]->owner;
    for (unsigned int k = 0; a != NULL && v->used[i] && k < a->n_in; k++)
      v->used[a->in[k]->id] = 1;
  }
  return GA_NO_ERROR;
}

/* Keep the states that what is kept depends on; tells whether there were new
 * ones. */
static int keep_states(visit *v) {
  const gg__loop *l = &v->l;
  int more = 0;

  for (unsigned int i = 0; i < l->h->n_taps; i++) {
    unsigned int state = (unsigned int)l->taps[i].state;
    if (v->used[l->inner->in[gg__body_tap(l, i)]->id] && !v->keep[state]) {
      v->keep[state] = 1;
      more = 1;
    }
  }
  return more;
}

static void find_kept(const pruner *p, visit *v) {
  const unsigned int n = (unsigned int)(v->l.h->n_states + v->l.h->n_outs);

  for (unsigned int i = 0; i < n; i++)
    v->keep[i] = (unsigned char)(is_used(p, v->a->out[2 * (size_t)i]) ||
                                 is_used(p, v->a->out[2 * (size_t)i + 1]));
  if (v->l.h->has_until)
    v->keep[n] = 1;
  do
    mark_used(v);
  while (keep_states(v));
}

static int can_lose(const visit *v) {
  const gg__loop *l = &v->l;

  for (unsigned int i = 0; i < l->inner->n_out; i++)
    if (!v->keep[i])
      return 1;
  for (unsigned int i = 0; i < l->h->n_fixed; i++)
    if (v->a->in[gg__loop_fixed(l, i)]->kind == GG_VAR_CONST)
      return 1;
  return 0;
}

/* --- the loop without the rest --- */

static gg_var *input(pruner *p, const visit *v, unsigned int i) {
  return gg__subst_apply(&p->s, v->a->in[i]);
}

static int add_states(pruner *p, const visit *v, gg__loop_spec *s) {
  const gg__loop *l = &v->l;
  gg__loop_state x;
  gg__loop_earlier e;

  for (unsigned int i = 0; i < l->h->n_states; i++) {
    if (!v->keep[i])
      continue;
    x.init = input(p, v, gg__loop_init(l, i));
    x.next = l->inner->out[i];
    x.depth = l->depth[i];
    for (unsigned int k = 0; k < l->h->n_taps; k++) {
      e.var = l->inner->in[gg__body_tap(l, k)];
      e.state = (int64_t)s->states.n;
      e.back = l->taps[k].back;
      if (l->taps[k].state == i)
        GA_TRY(ga__vec_push(&s->taps, e));
    }
    GA_TRY(ga__vec_push(&s->states, x));
  }
  return GA_NO_ERROR;
}

static int add_inputs(pruner *p, const visit *v, gg__loop_spec *s) {
  const gg__loop *l = &v->l;
  gg__loop_constant c;
  gg__loop_series x;

  for (unsigned int i = 0; i < l->h->n_seqs; i++) {
    x.outer = input(p, v, gg__loop_seq(l, i));
    x.row = l->inner->in[i];
    x.reversed = l->reversed[i];
    GA_TRY(ga__vec_push(&s->seqs, x));
  }
  for (unsigned int i = 0; i < l->h->n_fixed; i++) {
    c.outer = input(p, v, gg__loop_fixed(l, i));
    c.var = l->inner->in[gg__body_fixed(l, i)];
    GA_TRY(ga__vec_push(&s->fixed, c));
  }
  return GA_NO_ERROR;
}

static int add_outs(pruner *p, const visit *v, gg__loop_spec *s) {
  const gg__loop *l = &v->l;
  gg__loop_result x;

  for (unsigned int i = 0; i < l->h->n_outs; i++) {
    if (!v->keep[gg__body_out(l, i)])
      continue;
    x.value = l->inner->out[gg__body_out(l, i)];
    x.reversed = l->outs[i].reversed;
    x.like = l->outs[i].like < 0
                 ? NULL
                 : input(p, v, gg__loop_seq(l, (unsigned int)l->outs[i].like));
    GA_TRY(ga__vec_push(&s->outs, x));
  }
  return GA_NO_ERROR;
}

static int make_spec(pruner *p, const visit *v, gg__loop_spec *s) {
  const gg__loop *l = &v->l;

  s->g = p->b->g;
  s->steps = input(p, v, GG_LOOP_STEPS);
  if (l->h->is_limited)
    s->limit = input(p, v, GG_LOOP_LIMIT);
  if (l->h->has_until)
    s->until = l->inner->out[gg__body_until(l)];
  s->is_exact = l->h->is_exact;
  s->most = l->h->most;
  s->truncate = l->h->truncate;
  GA_TRY(add_inputs(p, v, s));
  GA_TRY(add_states(p, v, s));
  GA_TRY(add_outs(p, v, s));
  return gg_graph_status(s->g);
}

/* Let the outputs that are left take the places of the old ones. */
static int replace(pruner *p, const visit *v, const gg_apply *by) {
  const unsigned int n = (unsigned int)(v->l.h->n_states + v->l.h->n_outs);
  unsigned int k = 0;

  for (unsigned int i = 0; i < n; i++) {
    if (!v->keep[i])
      continue;
    GA_TRY(gg__subst_put(&p->s, v->a->out[2 * (size_t)i], by->out[k++]));
    GA_TRY(gg__subst_put(&p->s, v->a->out[2 * (size_t)i + 1], by->out[k++]));
  }
  if (!v->l.h->has_until)
    return GA_NO_ERROR;
  return gg__subst_put(&p->s, v->a->out[2 * (size_t)n], by->out[k]);
}

static int rebuild(pruner *p, const visit *v) {
  gg__loop_spec s;
  int err;

  memset(&s, 0, sizeof s);
  GA_CHECK(make_spec(p, v, &s));
  const gg_apply *by = gg__loop_make(v->a->op, &s);
  GA_CHECK(by != NULL ? GA_NO_ERROR : gg_graph_status(s.g));
  GA_CHECK(replace(p, v, by));
  p->changed++;
done:
  gg__loop_spec_clear(&s);
  return err;
}

/* --- the whole --- */

static int visit_loop(pruner *p, const gg_apply *a) {
  visit v = {.a = a, .l = gg__loop_of(a)};
  int err = GA_NO_ERROR;

  v.keep = ga__calloc(v.l.inner->n_out, 1);
  v.used = ga__calloc(v.l.inner->g->vars.n, 1);
  if (v.keep == NULL || v.used == NULL)
    err = ga__fail_nomem();
  if (err == GA_NO_ERROR) {
    find_kept(p, &v);
    if (can_lose(&v))
      err = rebuild(p, &v);
  }
  ga__free(v.keep);
  ga__free(v.used);
  return err;
}

static int prune_once(gg__build *b, unsigned int *changed) {
  pruner p = {.b = b};
  gg__order order = {NULL, 0, 0};
  int err;

  gg__subst_init(&p.s, b->g);
  GA_CHECK(gg__toposort(&order, b->results.n, b->results.v));
  GA_CHECK(gg__count_uses(&p.uses, b->g, b->results.n, b->results.v));
  for (size_t i = 0; i < order.n; i++)
    if (order.v[i]->op == &gg__op_scan)
      GA_CHECK(visit_loop(&p, order.v[i]));
  for (size_t i = 0; i < b->results.n && p.changed; i++) {
    b->results.v[i] = gg__subst_apply(&p.s, b->results.v[i]);
    GA_CHECK(b->results.v[i] != NULL ? GA_NO_ERROR : gg_graph_status(b->g));
  }
done:
  *changed = p.changed;
  ga__vec_clear(&order);
  ga__vec_clear(&p.uses);
  gg__subst_clear(&p.s);
  return err;
}

int gg__prune_loops(gg__build *b) {
  unsigned int changed;

  /* What one loop does without may be an output of another. */
  do
    GA_TRY(prune_once(b, &changed));
  while (changed != 0);
  return GA_NO_ERROR;
}
