/* SPDX-License-Identifier: BSD-2-Clause */
/* Nodes that only one branch of a choice needs move into that branch.
 *
 * A node moves if all uses of all its outputs are in the branch: uses by the
 * choice itself, or by nodes that have moved. Ids are a topological order, so
 * one walk backwards from the choice meets users first. Choices inside of a
 * branch move like other nodes; their own branches are filled when the outer
 * branch is compiled. */
#include "loop/ifelse.h"
#include "rewrite/compiling.h"

typedef struct sinker {
  gg__build *b;
  gg__order order;
  gg__uses uses;
  unsigned int *home;   /* by id: the branch that a variable moves to; 0: it
                           stays */
  unsigned int *inside; /* by id: uses in the present branch; of variables that
                           nodes compute */
  gg__subst s;
  GA_VEC(gg_var *) roots;
} sinker;

static void sinker_clear(sinker *k) {
  ga__vec_clear(&k->order);
  ga__vec_clear(&k->uses);
  ga__vec_clear(&k->roots);
  ga__free(k->home);
  ga__free(k->inside);
  gg__subst_clear(&k->s);
}

static int is_all_inside(const sinker *k, const gg_apply *a) {
  for (unsigned int i = 0; i < a->n_out; i++)
    if (k->inside[a->out[i]->id] != k->uses.v[a->out[i]->id])
      return 0;
  return 1;
}

/* Count a use of v in the present branch. *least is the least id of all that
 * are counted. */
static void use_inside(sinker *k, const gg_var *v, size_t *least) {
  if (v->owner == NULL)
    return;
  k->inside[v->id]++;
  if (v->id < *least)
    *least = v->id;
}

/* Move nodes to branch `home` of `a`, whose values begin at index `first`. */
static void fill_branch(sinker *k, const gg_apply *a, unsigned int first,
                        unsigned int home) {
  const gg_graph *g = a->out[0]->graph;
  size_t from = 0, least = SIZE_MAX;
  unsigned int i;

  for (i = 0; i < a->n_out; i++) {
    gg_var *v = gg__ifelse_value(a, first + i);
    if (v->graph != g)
      continue;
    /* Each input is one use of the node, however often the branch returns
     * it. */
    if (k->inside[v->id] == 0)
      use_inside(k, v, &least);
    from = v->id > from ? v->id : from;
  }
  for (size_t id = from + 1; id-- > least;) {
    const gg_apply *n = g->vars.v[id]->owner;
    if (n == NULL || g->vars.v[id]->index != 0 || k->home[id] != 0 ||
        k->inside[id] == 0 || n->op == &gg__op_transfer || !is_all_inside(k, n))
      continue;
    for (i = 0; i < n->n_out; i++)
      k->home[n->out[i]->id] = home;
    for (i = 0; i < n->n_in; i++)
      use_inside(k, n->in[i], &least);
  }
  for (size_t id = least; id <= from; id++)
    k->inside[id] = 0;
}

/* Outer choices come first; choices that move into their branches are
 * skipped. */
static void find_homes(sinker *k) {
  for (size_t i = k->order.n; i-- > 0;) {
    const gg_apply *a = k->order.v[i];

    if (!gg__ifelse_is_plain(a) || k->home[a->out[0]->id] != 0)
      continue;
    fill_branch(k, a, 0, 2 * a->out[0]->id + 2);
    fill_branch(k, a, a->n_out, 2 * a->out[0]->id + 3);
  }
}

/* Rebuild the choice with its branches filled. */
static int rebuild(sinker *k, const gg_apply *a) {
  const unsigned int home = 2 * a->out[0]->id + 2;
  gg__choice c = {.cond = a->in[0],
                  .home = k->home,
                  .homes = {home, home + 1},
                  .n = a->n_out,
                  .outer = &k->s};
  const gg__inner *x = gg__inner_of(a);

  k->roots.n = 0;
  for (unsigned int i = 0; i < x->n_out; i++) {
    gg_var *v = gg__ifelse_value(a, i);
    if (v->graph != k->b->g)
      v = gg__clone_leaf(k->b->g, v);
    GA_TRY(ga__vec_push(&k->roots, v));
  }
  c.roots = k->roots.v;
  const gg_apply *by = gg__ifelse_make(&c);
  if (by == NULL)
    return gg_graph_status(k->b->g);
  for (unsigned int i = 0; i < a->n_out; i++)
    GA_TRY(gg__subst_put(&k->s, a->out[i], by->out[i]));
  return GA_NO_ERROR;
}

static int has_choices(const sinker *k) {
  for (size_t i = 0; i < k->order.n; i++)
    if (gg__ifelse_is_plain(k->order.v[i]))
      return 1;
  return 0;
}

static int sink(sinker *k) {
  gg__build *b = k->b;

  k->home = ga__calloc(b->g->vars.n, sizeof *k->home);
  k->inside = ga__calloc(b->g->vars.n, sizeof *k->inside);
  if (k->home == NULL || k->inside == NULL)
    return ga__fail_nomem();
  GA_TRY(gg__count_uses(&k->uses, b->g, b->results.n, b->results.v));
  find_homes(k);
  for (size_t i = 0; i < k->order.n; i++)
    if (gg__ifelse_is_plain(k->order.v[i]) &&
        k->home[k->order.v[i]->out[0]->id] == 0)
      GA_TRY(rebuild(k, k->order.v[i]));
  return gg__replace_results(b, &k->s);
}

int gg__sink_branches(gg__build *b) {
  sinker k = {.b = b};

  gg__subst_init(&k.s, b->g);
  int err = gg__toposort(&k.order, b->results.n, b->results.v);
  if (err == GA_NO_ERROR && has_choices(&k))
    err = sink(&k);
  sinker_clear(&k);
  return err;
}
