/* SPDX-License-Identifier: BSD-2-Clause */
/* Trying the rules of a node's op. */
#include "rewrite/improve.h"

#include <gpugraph/walk.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "graph/form.h"
#include "rewrite/rw_match.h"

/* Flags beside phases in gg__improver.done. TRY_AGAIN: rules that depend on
 * uses must be tried again. OPEN: such a rule may yet replace a node that was
 * built in the present pass. */
enum { TRY_AGAIN = 128, OPEN = 64 };

/* Rules of users are no longer tried when they and others have made so many
 * times the graph's variables, and a few more. Their results may contain their
 * own pattern. */
#define MAX_GROWTH 16
#define SURE_VARS 65536

/* --- the rules by op --- */

/* Add an entry like `x` for op `root`. */
static int add_root(gg__improver *m, gg__attempts x, const gg_op *root) {
  x.root = root;
  return ga__vec_push(&m->rules, x);
}

static int add_rule(gg__improver *m, const gg_rule *rule,
                    const gg_rule_family *f, int is_added) {
  const gg_op *const *root = rule->roots;
  const char *const *name = rule->root_names;
  const gg__attempts x = {
      .rule = rule, .any_dtype = f->any_dtype, .is_added = is_added};

  GA_ASSERT((rule->apply != NULL) != (rule->counted != NULL));
  if (root == NULL && name == NULL)
    return add_root(m, x, NULL);
  for (; root != NULL && *root != NULL; root++)
    GA_TRY(add_root(m, x, *root));
  for (; name != NULL && *name != NULL; name++)
    GA_TRY(add_root(m, x, gg__form_named(*name, strlen(*name))->op));
  return GA_NO_ERROR;
}

/* Add the selected rules of a family. */
static int add_family(gg__improver *m, const gg_rule_family *f, int is_added) {
  for (const gg_rule *rule = f->rules; rule->name != NULL; rule++)
    if (f->on_request ? gg__requested(m->b, f->name, rule->name)
                      : gg__selected(m->b, f->name, rule->name))
      GA_TRY(add_rule(m, rule, f, is_added));
  return GA_NO_ERROR;
}

/* The first rule for an op; NULL: for any op. */
static gg__attempts *first_of(const gg__improver *m, const gg_op *op) {
  return ga__map_get(&m->heads, &op, sizeof op);
}

/* Chain the rules of each op in the order of the tables. The loop runs
 * backwards, so that each rule becomes the head in turn. */
static int index_rules(gg__improver *m) {
  for (size_t i = m->rules.n; i-- > 0;) {
    gg__attempts *x = &m->rules.v[i];
    x->next = first_of(m, x->root);
    x->counts = (x->rule->counted != NULL ? x->rule->phases : 0) |
                (x->next != NULL ? x->next->counts : 0);
    GA_TRY(ga__map_put(&m->heads, &x->root, sizeof x->root, x));
  }
  m->any = first_of(m, NULL);
  return GA_NO_ERROR;
}

/* Index the updates by target. Targets are leaves, so their ids do not
 * change. */
static int index_updates(gg_rewriting *rw) {
  const gg__build *b = rw->b;

  for (size_t i = 0; i < b->targets.n; i++) {
    while (rw->update.n <= b->targets.v[i]->id)
      GA_TRY(ga__vec_push(&rw->update, 0));
    rw->update.v[b->targets.v[i]->id] = i + 1;
  }
  return GA_NO_ERROR;
}

int gg__improver_init(gg__improver *m, gg__build *b) {
  const gg_rule_family *f;

  m->b = b;
  m->rw.b = b;
  m->most_vars = SURE_VARS + MAX_GROWTH * b->g->vars.n;
  for (size_t i = 0; (f = gg__registered(i)) != NULL; i++)
    GA_TRY(add_family(m, f, 1));
  for (f = gg__families; f->name != NULL; f++)
    GA_TRY(add_family(m, f, 0));
  GA_TRY(index_updates(&m->rw));
  return index_rules(m);
}

void gg__improver_clear(gg__improver *m) {
  ga__vec_clear(&m->rules);
  ga__map_clear(&m->heads);
  ga__vec_clear(&m->done);
  ga__vec_clear(&m->rw.order);
  ga__vec_clear(&m->rw.uses);
  ga__vec_clear(&m->rw.readers);
  ga__vec_clear(&m->rw.update);
}

int gg__improver_report(const gg__improver *m) {
  for (size_t i = 0; i < m->rules.n;) {
    const gg_rule *rule = m->rules.v[i].rule;
    gg__fired f = {.rule = rule->name};
    for (; i < m->rules.n && m->rules.v[i].rule == rule; i++) {
      f.count += m->rules.v[i].fired;
      f.tried += m->rules.v[i].tried;
      f.seconds += 1e-9 * (double)m->rules.v[i].ns;
    }
    if (f.count != 0 || f.tried != 0)
      GA_TRY(ga__vec_push(&m->b->fired, f));
  }
  return GA_NO_ERROR;
}

/* --- which rules have been tried --- */

/* The phases whose rules have declined `v`, and its flags. */
static unsigned int phases_done(const gg__improver *m, const gg_var *v) {
  return v->id < m->done.n ? m->done.v[v->id] : 0;
}

int gg__is_improved(const gg__improver *m, const gg_var *v) {
  return (phases_done(m, v) & (m->phases | TRY_AGAIN)) == m->phases;
}

int gg__is_open(const gg__improver *m, const gg_var *v) {
  return (phases_done(m, v) & OPEN) != 0;
}

static void set_done(gg__improver *m, const gg_var *v, unsigned int bits) {
  int err = GA_NO_ERROR;

  while (err == GA_NO_ERROR && m->done.n <= v->id)
    err = ga__vec_push(&m->done, 0);
  if (err == GA_NO_ERROR)
    m->done.v[v->id] |= (unsigned char)bits;
  else
    gg__fail(m->b->g, err, "%s", ga__err_text(err));
}

void gg__set_open(gg__improver *m, const gg_var *v) {
  set_done(m, v, OPEN);
}

/* --- one node --- */

int gg__can_replace_all(const gg_var *v, const gg_var *w) {
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

/* "2.1 rule: ": stage, pass, rule. */
static void trace_rule(const gg__improver *m, const gg_rule *rule) {
  fprintf(m->b->trace, "%u.%u %s: ", m->stage, m->pass, rule->name);
}

static void trace_site(const gg__improver *m) {
  if (m->at->site.file != NULL)
    fprintf(m->b->trace, " (%s:%d)", m->at->site.file, m->at->site.line);
  fputc('\n', m->b->trace);
}

/* An offer for `v` is refused. Authors of rules read why. */
static void refuse(gg__improver *m, const gg__attempts *x, const gg_var *v,
                   const char *why) {
  char label[128];

  m->refused++;
  if (!x->is_added || m->b->trace == NULL || m->rw.is_guess)
    return;
  trace_rule(m, x->rule);
  fprintf(m->b->trace, "refused for %s: %s",
          gg__var_label(v, label, sizeof label), why);
  trace_site(m);
}

static int is_leaf(const gg_var *v) {
  return v->kind == GG_VAR_INPUT || v->kind == GG_VAR_SHARED;
}

/* Does `w` depend on an input or shared variable from number n on? */
static int has_new_leaf(gg_var *w, size_t n) {
  const gg_graph *g = w->graph;
  gg_var **leaf = NULL;
  size_t k = n, n_leaves = 0;
  int found = 0;

  while (k < g->vars.n && !is_leaf(g->vars.v[k]))
    k++;
  if (k == g->vars.n) /* most often */
    return 0;
  if (gg_leaves(&leaf, &n_leaves, (gg_var *[]){w, NULL}, NULL,
                GG_LEAF_INPUT | GG_LEAF_SHARED) != GA_NO_ERROR)
    return 1;
  for (size_t i = 0; i < n_leaves; i++)
    found |= leaf[i]->id >= n;
  gg_list_free(leaf);
  return found;
}

/* Why `w`, which a rule has made when there were n variables, cannot replace
 * `v`; NULL if it can. */
static const char *misfit(const gg__improver *m, const gg__attempts *x,
                          const gg_var *v, gg_var *w, size_t n) {
  if (w->graph != m->b->g)
    return "it is in another graph";
  if (x->is_added && has_new_leaf(w, n))
    return "it has a new input or shared variable";
  return gg__can_replace_all(v, w) ? NULL : "its type or shape is another";
}

/* The replacement that a rule offers for `v`, if it fits. A rule can build a
 * node that its op refuses, because the rule combines sizes that were not
 * compared before. Such an error is discarded. */
static gg_var *try_rule(gg__improver *m, const gg__attempts *x, gg_var *v) {
  gg_graph *g = m->b->g;
  const gg_rule *rule = x->rule;
  const size_t n = g->vars.n;

  if (x->is_added && n > m->most_vars) {
    m->is_full = 1;
    return NULL;
  }
  if (x->is_added)
    gpuarray_clear_error();
  gg_var *w = rule->apply != NULL ? rule->apply(v->owner)
                                  : rule->counted(&m->rw, v->owner);
  if (g->status != GA_NO_ERROR && g->status != GA_MEMORY_ERROR) {
    refuse(m, x, v, gg_graph_error(g));
    gg_graph_reset_error(g);
    return NULL;
  }
  if (w == NULL || w == v)
    return NULL;
  const char *why = misfit(m, x, v, w, n);
  if (why != NULL)
    refuse(m, x, v, why);
  return why == NULL ? w : NULL;
}

/* "2.1 sink fill: add -> fill (model.c:42)": old and new variable, site. */
static void trace(const gg__improver *m, const gg_rule *rule, const gg_var *v,
                  const gg_var *w) {
  char before[128], after[128];

  trace_rule(m, rule);
  fprintf(m->b->trace, "%s -> %s", gg__var_label(v, before, sizeof before),
          gg__var_label(w, after, sizeof after));
  trace_site(m);
}

/* try_rule(), with counts, and times if asked for. */
static gg_var *time_rule(gg__improver *m, gg__attempts *x, gg_var *v) {
  const uint64_t start = m->b->times_rules ? ga__now_ns() : 0;
  gg_var *w = try_rule(m, x, v);

  x->ns += m->b->times_rules ? ga__now_ns() - start : 0;
  x->tried += m->b->times_rules != 0;
  x->fired += w != NULL;
  m->fired += w != NULL;
  m->has_added |= w != NULL && x->is_added;
  if (w != NULL && m->b->trace != NULL)
    trace(m, x->rule, v, w);
  return w;
}

/* Might this rule, which depends on uses, fire on `v`? */
static int may_fire(gg__improver *m, const gg__attempts *x, gg_var *v) {
  const unsigned int refused = m->refused;

  m->rw.is_guess = 1;
  const gg_var *w = try_rule(m, x, v);
  m->rw.is_guess = 0;
  m->refused = refused;
  return w != NULL;
}

static gg_var *try_chain(gg__improver *m, gg__attempts *x, gg_var *v,
                         int is_new) {
  const unsigned int done = phases_done(m, v);
  const int is_complex = gg__has_complex(v->owner);

  for (; x != NULL; x = x->next) {
    const gg_rule *rule = x->rule;
    if (!x->any_dtype && is_complex)
      continue;
    if ((rule->phases & m->phases) == 0 ||
        (rule->apply != NULL && (rule->phases & done) != 0))
      continue;
    if (is_new && rule->counted != NULL) {
      if (may_fire(m, x, v))
        gg__set_open(m, v);
      continue;
    }
    gg_var *w = time_rule(m, x, v);
    if (w != NULL)
      return w;
  }
  return NULL;
}

static gg_var *improve(gg__improver *m, gg_var *v, int is_new) {
  GA_ASSERT(v->index == 0 && v->graph == m->b->g);
  if (gg__is_improved(m, v))
    return NULL;
  gg__attempts *any = m->any, *own = first_of(m, v->owner->op);
  const unsigned int again =
      (any != NULL ? any->counts : 0) | (own != NULL ? own->counts : 0);

  if (v->id < m->done.n)
    m->done.v[v->id] &= (unsigned char)~OPEN;
  gg_var *w = try_chain(m, any, v, is_new);
  if (w == NULL)
    w = try_chain(m, own, v, is_new);
  if (w != NULL)
    return w;
  set_done(m, v, m->phases | (again & m->phases ? TRY_AGAIN : 0));
  return NULL;
}

gg_var *gg__improve(gg__improver *m, gg_var *v) {
  return improve(m, v, 0);
}

gg_var *gg__improve_new(gg__improver *m, gg_var *v) {
  return improve(m, v, 1);
}
