/* SPDX-License-Identifier: BSD-2-Clause */
/* The rewriting engine.
 *
 * Nodes never change. A pass walks the needed nodes in order, rebuilds each on
 * the new forms of its inputs and lets the rules of its op replace it until
 * none wants to; what rules build inside is looked at in the next pass. Passes
 * repeat until one fires nothing. A node that all rules have seen in vain is
 * remembered, so that later passes cost no more than the walk, and one in which
 * nothing changes rebuilds nothing. */
#include "rewrite/rewrite.h"

#include <stdio.h>

#include "base/clock.h"

#define MAX_PASSES 64 /* per stage; real graphs need a handful */
/* A change can move a few nodes along a chain in each pass, so that passes grow
 * with its length. Time stays linear in the size of a graph: passes after these
 * visit at most so many nodes together. */
#define SURE_PASSES 8
#define MORE_VISITS 65536
#define MAX_STEPS 32 /* replacements of one node in one pass */

/* Beside phases in gg__rw.done: there are rules to be tried again. */
enum { TRY_AGAIN = 128 };

/* A rule, the next one of the same root, and what became of it. */
typedef struct entry {
  const gg__rule *rule;
  size_t next; /* index + 1, 0 at the end */
  int counts;  /* it or one after it asks for uses, and so is always tried */
  unsigned int fired;
  unsigned int tried; /* counted and timed where asked for */
  uint64_t ns;
} entry;

struct gg__rw {
  gg__build *b;
  GA_VEC(entry) rules;
  ga__map heads; /* op -> entry of its first rule */
  size_t any;    /* index + 1 of the first rule for all ops */
  GA_VEC(unsigned char)
  done;            /* by id: phases whose rules left it as it is,
                                 TRY_AGAIN */
  gg__order order; /* of the results, with their uses */
  gg__uses uses;
  int has_order; /* the two are those of the present results */
  int changed;   /* in the present pass a node has given way to another */
  GA_VEC(size_t) update; /* by id of a shared variable: its update + 1, or 0 */
  const gg_var *at;      /* the variable that is visited, as it was before */
  unsigned int phases;   /* of the present stage */
  unsigned int fired;    /* in the present pass */
  unsigned int refused;
  unsigned int unsettled; /* stages that ran out of passes */
  unsigned int stage, pass;
};

unsigned int gg__rw_uses(const gg__rw *rw, const gg_var *v) {
  return v->id < rw->uses.n ? rw->uses.v[v->id] : 2;
}

int gg__rw_updates(const gg__rw *rw, const gg_var *v) {
  const gg__build *b = rw->b;
  const size_t k = v->id < rw->update.n ? rw->update.v[v->id] : 0;

  return k != 0 && b->results.v[b->n_outputs + k - 1] == rw->at;
}

/* Targets are leaves, which keep their ids. */
static int index_updates(gg__rw *rw) {
  const gg__build *b = rw->b;

  for (size_t i = 0; i < b->targets.n; i++) {
    while (rw->update.n <= b->targets.v[i]->id)
      GA_TRY(ga__vec_push(&rw->update, 0));
    rw->update.v[b->targets.v[i]->id] = i + 1;
  }
  return GA_NO_ERROR;
}

/* --- the rules by op --- */

static int add_rule(gg__rw *rw, const gg__rule *rule) {
  entry e = {.rule = rule};

  return ga__vec_push(&rw->rules, e);
}

/* The entry with this index + 1, or NULL. */
static entry *entry_at(const gg__rw *rw, size_t next) {
  return next != 0 ? &rw->rules.v[next - 1] : NULL;
}

/* The first rule for an op. */
static entry *first_of(const gg__rw *rw, const gg_op *op) {
  return ga__map_get(&rw->heads, &op, sizeof op);
}

static size_t place_of(const gg__rw *rw, const entry *e) {
  return e != NULL ? (size_t)(e - rw->rules.v) + 1 : 0;
}

/* Chain the rules of each op in the order of the tables: backwards, each one
 * becomes the head. */
static int index_rules(gg__rw *rw) {
  for (size_t i = rw->rules.n; i-- > 0;) {
    entry *e = &rw->rules.v[i];
    const gg_op *root = e->rule->root;
    entry *next = root != NULL ? first_of(rw, root) : entry_at(rw, rw->any);
    e->next = place_of(rw, next);
    e->counts = e->rule->counted != NULL || (next != NULL && next->counts);
    if (root == NULL)
      rw->any = i + 1;
    else
      GA_TRY(ga__map_put(&rw->heads, &root, sizeof root, e));
  }
  return GA_NO_ERROR;
}

static int rw_init(gg__rw *rw, gg__build *b) {
  rw->b = b;
  for (const gg__family *f = gg__families; f->name != NULL; f++)
    for (const gg__rule *rule = f->rules; rule->name != NULL; rule++)
      if (f->on_request ? gg__requested(b, f->name, rule->name)
                        : gg__selected(b, f->name, rule->name))
        GA_TRY(add_rule(rw, rule));
  GA_TRY(index_updates(rw));
  return index_rules(rw);
}

static void rw_clear(gg__rw *rw) {
  ga__vec_clear(&rw->rules);
  ga__map_clear(&rw->heads);
  ga__vec_clear(&rw->done);
  ga__vec_clear(&rw->order);
  ga__vec_clear(&rw->uses);
  ga__vec_clear(&rw->update);
}

static int note(gg__build *b, const char *name, unsigned int count) {
  gg__fired f = {.rule = name, .count = count};

  return count != 0 ? ga__vec_push(&b->fired, f) : GA_NO_ERROR;
}

static int note_rule(gg__build *b, const entry *e) {
  gg__fired f = {.rule = e->rule->name,
                 .count = e->fired,
                 .tried = e->tried,
                 .seconds = 1e-9 * (double)e->ns};

  return e->fired != 0 || e->tried != 0 ? ga__vec_push(&b->fired, f)
                                        : GA_NO_ERROR;
}

static int report(gg__rw *rw) {
  for (size_t i = 0; i < rw->rules.n; i++)
    GA_TRY(note_rule(rw->b, &rw->rules.v[i]));
  GA_TRY(note(rw->b, "refused", rw->refused));
  return note(rw->b, "unsettled", rw->unsettled);
}

/* --- one node --- */

/* Phases whose rules have seen `v` in vain. */
static unsigned int phases_done(const gg__rw *rw, const gg_var *v) {
  return v->id < rw->done.n ? rw->done.v[v->id] : 0;
}

/* Would no rule be tried? */
static int is_done(const gg__rw *rw, const gg_var *v) {
  return (phases_done(rw, v) & (rw->phases | TRY_AGAIN)) == rw->phases;
}

static int set_done(gg__rw *rw, const gg_var *v, unsigned int phases) {
  while (rw->done.n <= v->id)
    GA_TRY(ga__vec_push(&rw->done, 0));
  rw->done.v[v->id] |= (unsigned char)phases;
  return GA_NO_ERROR;
}

/* May the outputs of the node of `w` stand for those of the node of `v`? */
static int can_replace_all(const gg_var *v, const gg_var *w) {
  const gg_apply *a = v->owner, *b = w->owner;

  if (a->n_out == 1)
    return gg__can_replace(&v->type, w);
  if (b == NULL || b->n_out != a->n_out || w->index != 0)
    return 0;
  for (unsigned int i = 0; i < a->n_out; i++)
    if (!gg__can_replace(&a->out[i]->type, b->out[i]))
      return 0;
  return 1;
}

/* What a rule offers for `v`, if it may be used. A rule can build a node that
 * its op refuses, when sizes clash that were not compared before; the error is
 * then its own affair. */
static gg_var *try_rule(gg__rw *rw, const gg__rule *rule, gg_var *v) {
  gg_graph *g = rw->b->g;
  gg_var *w =
      rule->apply != NULL ? rule->apply(v->owner) : rule->counted(rw, v->owner);

  if (g->status != GA_NO_ERROR && g->status != GA_MEMORY_ERROR) {
    gg_graph_reset_error(g);
    rw->refused++;
    return NULL;
  }
  if (w == NULL || w == v)
    return NULL;
  if (can_replace_all(v, w))
    return w;
  rw->refused++;
  return NULL;
}

/* The same, timed. */
static gg_var *time_rule(gg__rw *rw, entry *e, gg_var *v) {
  const uint64_t start = ga__now_ns();
  gg_var *w = try_rule(rw, e->rule, v);

  e->ns += ga__now_ns() - start;
  e->tried++;
  return w;
}

/* "2.1 sink fill: add -> fill (model.c:42)": stage, pass, rule, what became
 * what. */
static void trace(const gg__rw *rw, const gg__rule *rule, const gg_var *v,
                  const gg_var *w) {
  char before[128], after[128];

  fprintf(rw->b->trace, "%u.%u %s: %s -> %s", rw->stage, rw->pass, rule->name,
          gg__var_label(v, before, sizeof before),
          gg__var_label(w, after, sizeof after));
  if (rw->at->site.file != NULL)
    fprintf(rw->b->trace, " (%s:%d)", rw->at->site.file, rw->at->site.line);
  fputc('\n', rw->b->trace);
}

static gg_var *try_chain(gg__rw *rw, size_t next, gg_var *v) {
  const unsigned int done = phases_done(rw, v);
  entry *e;

  for (; next != 0; next = e->next) {
    e = &rw->rules.v[next - 1];
    const gg__rule *rule = e->rule;
    if ((rule->phases & rw->phases) == 0 ||
        (rule->apply != NULL && (rule->phases & done) != 0))
      continue;
    gg_var *w =
        rw->b->times_rules ? time_rule(rw, e, v) : try_rule(rw, rule, v);
    if (w != NULL) {
      e->fired++;
      rw->fired++;
      if (rw->b->trace != NULL)
        trace(rw, rule, v, w);
      return w;
    }
  }
  return NULL;
}

/* What the first rule that fires offers for `v`, or NULL. */
static gg_var *improve_once(gg__rw *rw, gg_var *v) {
  const entry *any = entry_at(rw, rw->any);
  unsigned int phases = rw->phases;

  if (is_done(rw, v))
    return NULL;
  const entry *own = first_of(rw, v->owner->op);
  gg_var *w = try_chain(rw, rw->any, v);
  if (w == NULL)
    w = try_chain(rw, place_of(rw, own), v);
  if (w != NULL)
    return w;
  if ((any != NULL && any->counts) || (own != NULL && own->counts))
    phases |= TRY_AGAIN;
  if (set_done(rw, v, phases) != GA_NO_ERROR)
    gg__fail(rw->b->g, GA_MEMORY_ERROR, "out of host memory");
  return NULL;
}

static gg_var *improve(gg__rw *rw, gg_var *v) {
  for (unsigned int i = 0; i < MAX_STEPS && v->owner != NULL; i++) {
    gg_var *w = improve_once(rw, v);
    if (w == NULL)
      break;
    if (v->name[0] != '\0' && w->name[0] == '\0' && w->owner != NULL)
      gg_named(w, v->name);
    v = w;
  }
  return v;
}

/* --- passes --- */

/* The best that rules make of `v`, which stands for output 0 of `a`. */
static gg_var *improve_from(gg__rw *rw, const gg_apply *a, gg_var *v) {
  const gg__site old = gg__site_from(rw->b->g, a->out[0]);

  rw->at = a->out[0];
  gg_var *w = improve(rw, v);
  rw->b->g->from = old;
  return w;
}

/* Let `w` and its node's other outputs stand for those of `a`. */
static int replace(gg__rw *rw, gg__subst *s, const gg_apply *a, gg_var *w) {
  /* An older variable takes over the uses of this one. */
  if (w != a->out[0] && w->id < rw->uses.n)
    rw->uses.v[w->id] += rw->uses.v[a->out[0]->id];
  GA_ASSERT(w->graph == rw->b->g);
  GA_TRY(gg__subst_put(s, a->out[0], w));
  for (unsigned int i = 1; i < a->n_out; i++)
    GA_TRY(gg__subst_put(s, a->out[i], w->owner->out[i]));
  return GA_NO_ERROR;
}

/* Something changes for the first time in this pass: from now on nodes are
 * mapped. Those before number n stay. */
static int begin_change(gg__rw *rw, gg__subst *s, size_t n) {
  rw->changed = 1;
  for (size_t k = 0; k < n; k++) {
    const gg_apply *a = rw->order.v[k];
    for (unsigned int i = 0; i < a->n_out; i++)
      GA_TRY(gg__subst_put(s, a->out[i], a->out[i]));
  }
  return GA_NO_ERROR;
}

/* `b` is `a` on inputs of which more or fewer sizes are known. Sizes that were
 * known stay so, and one that turns out to be 1 stays unknown: an axis that is
 * known to be 1 stretches, and ops refuse it beside an unknown size. */
static void keep_sizes(const gg_apply *a, gg_apply *b) {
  for (unsigned int k = 0; k < a->n_out; k++)
    for (unsigned int i = 0; i < a->out[k]->type.nd; i++) {
      const int64_t old = a->out[k]->type.dims[i];
      int64_t *now = &b->out[k]->type.dims[i];
      if (*now == GG_ANY || (*now == 1 && old == GG_ANY))
        *now = old;
    }
}

/* Output 0 of `a` on what has become of its inputs in this pass. */
static gg_var *rebuild(gg__rw *rw, gg__subst *s, gg_apply *a) {
  const size_t n_before = rw->b->g->vars.n;
  gg_var *v = gg__subst_apply(s, a->out[0]);

  if (v != NULL && v->id >= n_before)
    keep_sizes(a, v->owner);
  return v;
}

static int visit(gg__rw *rw, gg__subst *s, size_t number) {
  gg_apply *a = rw->order.v[number];
  gg_var *v = a->out[0], *w;

  if (!rw->changed && is_done(rw, v))
    return GA_NO_ERROR;
  if (rw->changed)
    v = rebuild(rw, s, a);
  if (v == NULL)
    return gg_graph_status(rw->b->g);
  w = improve_from(rw, a, v);
  if (rw->b->g->status != GA_NO_ERROR)
    return rw->b->g->status;
  if (w == v && v == a->out[0])
    return GA_NO_ERROR;
  if (!rw->changed)
    GA_TRY(begin_change(rw, s, number));
  return replace(rw, s, a, w);
}

static int find_order(gg__rw *rw) {
  const gg__build *b = rw->b;

  if (rw->has_order)
    return GA_NO_ERROR;
  GA_TRY(gg__toposort(&rw->order, b->results.n, b->results.v));
  GA_TRY(gg__count_ordered_uses(&rw->uses, b->g, &rw->order, b->results.n,
                                b->results.v));
  rw->has_order = 1;
  return GA_NO_ERROR;
}

static int pass(gg__rw *rw) {
  gg__subst s;
  int err;

  gg__subst_init(&s, rw->b->g);
  rw->fired = 0;
  rw->changed = 0;
  GA_CHECK(find_order(rw));
  for (size_t i = 0; i < rw->order.n; i++)
    GA_CHECK(visit(rw, &s, i));
  if (rw->changed) {
    rw->has_order = 0;
    GA_CHECK(gg__replace_results(rw->b, &s));
  }
done:
  gg__subst_clear(&s);
  return err;
}

static int stage(gg__rw *rw, unsigned int phases, unsigned int max_passes) {
  size_t visits = 0;

  if (rw->b->max_passes != 0 && rw->b->max_passes < max_passes)
    max_passes = rw->b->max_passes;
  rw->phases = phases;
  rw->stage++;
  for (unsigned int i = 0; i < max_passes && visits <= MORE_VISITS; i++) {
    rw->pass = i + 1;
    GA_TRY(pass(rw));
    if (rw->fired == 0)
      return GA_NO_ERROR;
    if (rw->pass >= SURE_PASSES)
      visits += rw->order.n;
  }
  rw->unsettled += phases != GG_SHIFT;
  return GA_NO_ERROR;
}

int gg__rewrite(gg__build *b) {
  gg__rw rw = {0};
  int err;

  if (b->mode != GG_FAST_RUN && b->include == NULL && !b->checks_bounds)
    return gg__lower(b);
  GA_CHECK(rw_init(&rw, b));
  GA_CHECK(stage(&rw, GG_CANON | GG_STABLE | GG_EARLY, MAX_PASSES));
  GA_CHECK(stage(&rw, GG_SHIFT, 1));
  GA_CHECK(gg__lower(b));
  rw.has_order = 0;
  GA_CHECK(stage(&rw, GG_CANON | GG_EARLY, MAX_PASSES));
  GA_CHECK(stage(&rw, GG_CANON | GG_LATE, MAX_PASSES));
  GA_CHECK(report(&rw));
  GA_CHECK(gg__prune_loops(b));
done:
  rw_clear(&rw);
  /* Walks report what failed with a code alone. */
  if (err != GA_NO_ERROR)
    gg__fail(b->g, err, "%s", ga__err_text(err));
  return err;
}
