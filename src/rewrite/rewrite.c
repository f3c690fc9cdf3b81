/* SPDX-License-Identifier: BSD-2-Clause */
/* The rewriting engine.
 *
 * Nodes never change. A pass walks the needed nodes in order. It rebuilds each
 * on the new forms of its inputs, and lets the rules of its op replace it until
 * none fires. Inner nodes that rules build get the same treatment, inputs
 * first. So a change moves along a chain of any length in one pass. Passes
 * repeat until no rule fires. Nodes that all rules have declined are recorded,
 * so that a later pass costs no more than the walk. A pass in which nothing
 * changes rebuilds nothing. */
#include "rewrite/improve.h"

#define MAX_PASSES 64 /* per stage; real graphs need a handful */
#define MAX_STEPS 32  /* replacements of one node in one pass */
/* Limit of inner nodes of replacements that a pass visits, for each of its
 * nodes. The others wait for the next pass. */
#define MAX_INNER 8
/* Bounds that keep the time linear even if the number of passes grows with the
 * graph: from pass SURE_PASSES on, no further pass begins when passes have
 * visited more than MORE_VISITS nodes. */
#define SURE_PASSES 8
#define MORE_VISITS 65536

/* A variable whose inputs are visited first. */
typedef struct pending {
  gg_var *was, *v;    /* original and present form */
  unsigned int steps; /* replacements */
  int is_built;       /* a rule has built the present form */
} pending;

typedef struct engine {
  gg__build *b;
  gg__improver m;
  int has_order;          /* m.rw.order and m.rw.uses are up to date */
  unsigned int unsettled; /* stages that ran out of passes */
  /* State of the present pass. */
  gg__subst s;
  int changed;  /* a node has been replaced, so nodes are mapped */
  size_t inner; /* inner nodes that the pass may still visit */
  GA_VEC(pending) waiting;
} engine;

static int note(gg__build *b, const char *name, unsigned int count) {
  gg__fired f = {.rule = name, .count = count};

  return count != 0 ? ga__vec_push(&b->fired, f) : GA_NO_ERROR;
}

/* --- nodes that rules build --- */

static gg_var *form_of(const engine *e, gg_var *v) {
  gg_var *w = gg__subst_get(&e->s, v);

  return w != NULL ? w : v;
}

/* Was v built in this pass, or not needed by the results before it? */
static int is_new(const engine *e, const gg_var *v) {
  return !gg__is_needed(&e->m.rw, v);
}

static int is_unseen(const engine *e, const gg_var *v) {
  return is_new(e, v) && v->owner != NULL && v->owner->n_out == 1 &&
         gg__subst_get(&e->s, v) == NULL && !gg__is_improved(&e->m, v);
}

/* The oldest input of v's node that a rule has just built and no rule has
 * examined yet, or NULL. */
static gg_var *unseen_input(const engine *e, const gg_var *v) {
  const gg_apply *a = v->owner;
  gg_var *first = NULL;

  for (unsigned int i = 0; a != NULL && i < a->n_in; i++)
    if (is_unseen(e, a->in[i]) && (first == NULL || a->in[i]->id < first->id))
      first = a->in[i];
  return first;
}

/* v rebuilt on the new forms of its inputs; v itself if its op refuses them. */
static gg_var *on_new_forms(engine *e, gg_var *v) {
  const gg_apply *a = v->owner;
  unsigned int changed = 0;

  e->s.in.n = 0;
  for (unsigned int i = 0; i < a->n_in; i++) {
    gg_var *in = form_of(e, a->in[i]);
    changed |= in != a->in[i];
    if (ga__vec_push(&e->s.in, in) != GA_NO_ERROR) {
      gg__fail(e->b->g, GA_MEMORY_ERROR, "out of host memory");
      return v;
    }
  }
  if (!changed)
    return v;
  const size_t n_before = e->b->g->vars.n;
  gg_var *w = gg_op_apply(e->b->g, a->op, a->props, a->n_in, e->s.in.v);
  if (w == NULL && e->b->g->status != GA_MEMORY_ERROR)
    gg_graph_reset_error(e->b->g);
  if (w != NULL && w->id >= n_before)
    gg__keep_sizes(a, w->owner);
  return w != NULL && gg__can_replace_all(v, w) ? w : v;
}

static void take_name(gg_var *w, const gg_var *v) {
  if (w != v && v->name[0] != '\0' && w->name[0] == '\0' && w->owner != NULL)
    gg_named(w, v->name);
}

static int wait_for(engine *e, gg_var *v, int is_built) {
  /* If the replacement of v contains v, that v must stay as it is. */
  if (is_new(e, v))
    GA_TRY(gg__subst_put(&e->s, v, v));
  return ga__vec_push(&e->waiting, ((pending){v, v, 0, is_built}));
}

/* Is v final for this pass, but may change in the next one, when its uses are
 * known? */
static int is_open(const engine *e, const gg_var *v) {
  return is_new(e, v) && v->owner != NULL &&
         (gg__subst_get(&e->s, v) == NULL || gg__is_open(&e->m, v));
}

static int has_open_input(const engine *e, const gg_var *v) {
  const gg_apply *a = v->owner;

  for (unsigned int i = 0; i < a->n_in; i++)
    if (is_open(e, a->in[i]))
      return 1;
  return 0;
}

/* All inputs of the last waiting variable have been visited: let a rule replace
 * it. Returns whether one did. */
static int step(engine *e, pending *p) {
  const gg_var *before = p->v;

  if (p->v->owner == NULL || p->v->index != 0 || p->steps == MAX_STEPS)
    return 0;
  if (p->is_built)
    p->v = on_new_forms(e, p->v);
  take_name(p->v, before);
  if (e->waiting.n > 1 && has_open_input(e, p->v)) {
    gg__set_open(&e->m, p->v);
    return 0;
  }
  gg_var *w = e->waiting.n == 1 ? gg__improve(&e->m, p->v)
                                : gg__improve_new(&e->m, p->v);
  if (w == NULL)
    return 0;
  take_name(w, p->v);
  *p = (pending){p->was, w, p->steps + 1, 1};
  return 1;
}

/* Replace `v` by the form that rules make of it. The first waiting variable is
 * v itself; each later one is an input of the present form of the one
 * before. */
static int improve(engine *e, gg_var **v) {
  e->waiting.n = 0;
  GA_TRY(wait_for(e, *v, 0));
  for (;;) {
    pending *p = &e->waiting.v[e->waiting.n - 1];
    gg_var *below = p->is_built && e->inner > 0 ? unseen_input(e, p->v) : NULL;
    if (below != NULL) {
      e->inner--;
      GA_TRY(wait_for(e, below, 1));
      continue;
    }
    e->m.rw.stands_for = e->waiting.n == 1 ? e->m.at : NULL;
    if (step(e, p))
      continue;
    if (is_new(e, p->was))
      GA_TRY(gg__subst_put(&e->s, p->was, p->v));
    if (is_new(e, p->v))
      GA_TRY(gg__subst_put(&e->s, p->v, p->v));
    if (--e->waiting.n == 0) {
      *v = p->v;
      return e->b->g->status;
    }
  }
}

/* --- passes --- */

/* `w` takes over the uses of `v`. What rules have built counts as used
 * twice. */
static int take_uses(engine *e, const gg_var *w, const gg_var *v, int is_copy) {
  gg__uses *uses = &e->m.rw.uses;
  const unsigned int n = uses->v[v->id];

  if (w == v)
    return GA_NO_ERROR;
  while (uses->n < w->id)
    GA_TRY(ga__vec_push(uses, 2));
  if (uses->n == w->id)
    GA_TRY(ga__vec_push(uses, is_copy ? 0 : 2));
  uses->v[w->id] += n;
  return GA_NO_ERROR;
}

/* Replace the outputs of `a` by `w` and its node's other outputs. */
static int replace(engine *e, const gg_apply *a, gg_var *w, int is_copy) {
  GA_TRY(take_uses(e, w, a->out[0], is_copy));
  GA_ASSERT(w->graph == e->b->g && (a->n_out == 1 || w->index == 0));
  GA_TRY(gg__subst_put(&e->s, a->out[0], w));
  for (unsigned int i = 1; i < a->n_out; i++)
    GA_TRY(gg__subst_put(&e->s, a->out[i], w->owner->out[i]));
  return GA_NO_ERROR;
}

/* The first change of this pass: from now on nodes are mapped. The n nodes
 * before it stay. */
static int begin_change(engine *e, size_t n) {
  e->changed = 1;
  for (size_t k = 0; k < n; k++) {
    const gg_apply *a = e->m.rw.order.v[k];
    for (unsigned int i = 0; i < a->n_out; i++)
      GA_TRY(gg__subst_put(&e->s, a->out[i], a->out[i]));
  }
  return GA_NO_ERROR;
}

static int visit(engine *e, size_t number) {
  const gg_apply *a = e->m.rw.order.v[number];
  gg_var *v = a->out[0];

  if (!e->changed && gg__is_improved(&e->m, v))
    return GA_NO_ERROR;
  if (e->changed)
    v = gg__subst_apply(&e->s, v);
  if (v == NULL)
    return gg_graph_status(e->b->g);
  const gg__site old = gg__site_mapped(&e->s, a->out[0]);
  const gg_var *copy = v;
  e->m.at = a->out[0];
  int err = improve(e, &v);
  e->b->g->from = old;
  if (err != GA_NO_ERROR || (!e->changed && v == a->out[0]))
    return err;
  if (!e->changed)
    GA_TRY(begin_change(e, number));
  return replace(e, a, v, v == copy);
}

static int find_order(engine *e) {
  const gg__build *b = e->b;
  gg_rewriting *rw = &e->m.rw;

  if (e->has_order)
    return GA_NO_ERROR;
  GA_TRY(gg__toposort(&rw->order, b->results.n, b->results.v));
  GA_TRY(gg__find_uses(rw));
  e->has_order = 1;
  return GA_NO_ERROR;
}

static int pass(engine *e) {
  int err;

  gg__subst_init(&e->s, e->b->g);
  e->m.fired = 0;
  e->changed = 0;
  GA_CHECK(find_order(e));
  e->inner = e->m.phases != GG_SHIFT ? MAX_INNER * e->m.rw.order.n : 0;
  for (size_t i = 0; i < e->m.rw.order.n; i++)
    GA_CHECK(visit(e, i));
  if (e->changed) {
    e->has_order = 0;
    GA_CHECK(gg__replace_results(e->b, &e->s));
  }
done:
  gg__subst_clear(&e->s);
  return err;
}

static int stage(engine *e, unsigned int phases, unsigned int max_passes) {
  size_t visits = 0;

  if (e->b->max_passes != 0 && e->b->max_passes < max_passes)
    max_passes = e->b->max_passes;
  e->m.phases = phases;
  e->m.stage++;
  for (unsigned int i = 0; i < max_passes && visits <= MORE_VISITS; i++) {
    e->m.pass = i + 1;
    GA_TRY(pass(e));
    if (e->m.fired == 0)
      return GA_NO_ERROR;
    if (e->m.pass >= SURE_PASSES)
      visits += e->m.rw.order.n;
  }
  e->unsettled += phases != GG_SHIFT;
  return GA_NO_ERROR;
}

int gg__rewrite(gg__build *b) {
  engine e = {.b = b};
  int err;

  if (b->mode != GG_FAST_RUN && b->include == NULL && !b->checks_bounds)
    return gg__lower(b);
  GA_CHECK(gg__improver_init(&e.m, b));
  GA_CHECK(stage(&e, GG_CANON | GG_STABLE | GG_EARLY, MAX_PASSES));
  GA_CHECK(stage(&e, GG_SHIFT, 1));
  GA_CHECK(gg__lower(b));
  e.has_order = 0;
  GA_CHECK(stage(&e, GG_CANON | GG_EARLY, MAX_PASSES));
  GA_CHECK(stage(&e, GG_CANON | GG_LATE, MAX_PASSES));
  if (e.m.has_added) /* rules of users may build macros at any time */
    GA_CHECK(gg__lower(b));
  GA_CHECK(gg__improver_report(&e.m));
  GA_CHECK(note(b, "refused", e.m.refused));
  GA_CHECK(note(b, "unsettled", e.unsettled + e.m.is_full));
  GA_CHECK(gg__prune_loops(b));
done:
  gg__improver_clear(&e.m);
  ga__vec_clear(&e.waiting);
  /* Walks may fail with a code and no message. */
  if (err != GA_NO_ERROR)
    gg__fail(b->g, err, "%s", ga__err_text(err));
  return err;
}
