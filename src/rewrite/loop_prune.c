/* SPDX-License-Identifier: BSD-2-Clause */
/* Loops lose what nothing uses: outputs, states that no other kept value
 * depends on, and inputs that are then not read. Constants move into the
 * body. */
#include <string.h>

#include "rewrite/compiling.h"
#include "rewrite/loop_copy.h"

typedef struct pruner {
  gg__build *b;
  gg__subst s;
  gg__uses uses;
  unsigned int changed;
} pruner;

/* The present loop. */
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

/* Mark the variables that the kept outputs of the body are computed from. */
static void mark_used(visit *v) {
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
}

/* Keep the states that kept outputs depend on. Returns whether there were new
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

/* --- rebuilding the loop --- */

/* Replace the old outputs by those that are left. */
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
  gg__loop_spec s = {.g = p->b->g};
  const gg__loop_copy c = {v->a, v->l, .outer = &p->s, .keep = v->keep};
  int err;

  GA_CHECK(gg__loop_copy_to(&s, &c));
  const gg_apply *by = gg__loop_make(v->a->op, &s);
  GA_CHECK(by != NULL ? GA_NO_ERROR : gg_graph_status(s.g));
  GA_CHECK(replace(p, v, by));
  p->changed++;
done:
  gg__loop_spec_clear(&s);
  return err;
}

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
  if (p.changed != 0)
    GA_CHECK(gg__replace_results(b, &p.s));
done:
  *changed = p.changed;
  ga__vec_clear(&order);
  ga__vec_clear(&p.uses);
  gg__subst_clear(&p.s);
  return err;
}

int gg__prune_loops(gg__build *b) {
  unsigned int changed;

  /* An input that one loop no longer reads may be an output of another. */
  do
    GA_TRY(prune_once(b, &changed));
  while (changed != 0);
  return GA_NO_ERROR;
}
