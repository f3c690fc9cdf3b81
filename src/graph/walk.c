/* SPDX-License-Identifier: BSD-2-Clause */
/* Walks from variables to what they are computed from, for users of the
 * library.
 *
 * Ids are a topological order, so a walk is one pass downwards over marks by
 * id, and a list of what it reached is one pass upwards. */
#include <gpugraph/walk.h>
#include <string.h>

#include "graph/graph.h"

enum { REACHED = 1, END = 2 /* the walk does not pass it */ };
enum { ALL_KINDS = GG_LEAF_ANY | 1 << GG_VAR_COMPUTED };

typedef struct walk {
  const gg_graph *g;
  unsigned char *mark; /* by id */
  size_t n; /* length of `mark`: the greatest id of the walk, plus 1 */
} walk;

static int graph_of(gg_var *const *vars, gg_graph **g) {
  if (vars == NULL || gg__is_missing(vars[0]))
    return ga__fail(GA_VALUE_ERROR, "walk: there is no variable");
  *g = vars[0]->graph;
  return gg_graph_status(*g);
}

static int check_graph(gg_graph *g, gg_var *const *vars) {
  for (; vars != NULL && *vars != NULL; vars++)
    if (gg__is_missing(*vars))
      return gg__fail(g, GA_VALUE_ERROR, "walk: a variable is NULL");
    else if ((*vars)->graph != g)
      return gg__fail(g, GA_VALUE_ERROR, "walk: %s is of another graph",
                      gg__display_name(*vars));
  return GA_NO_ERROR;
}

/* Mark the variables where the walk begins and ends. */
static int begin(walk *w, gg_graph *g, gg_var *const *vars,
                 gg_var *const *until) {
  GA_TRY(check_graph(g, vars));
  GA_TRY(check_graph(g, until));
  w->g = g;
  for (size_t i = 0; vars[i] != NULL; i++)
    if (vars[i]->id >= w->n)
      w->n = vars[i]->id + (size_t)1;
  w->mark = ga__calloc(w->n, 1);
  if (w->mark == NULL)
    return gg__fail_nomem(g);
  for (size_t i = 0; vars[i] != NULL; i++)
    w->mark[vars[i]->id] = REACHED;
  for (; until != NULL && *until != NULL; until++)
    if ((*until)->id < w->n)
      w->mark[(*until)->id] |= END;
  return GA_NO_ERROR;
}

/* Nonzero if the walk goes on from variable `id`. */
static int is_entered(const walk *w, size_t id) {
  return w->mark[id] == REACHED && w->g->vars.v[id]->owner != NULL;
}

/* Mark what is reached, as far down as variable `last`. */
static void descend(walk *w, size_t last) {
  for (size_t id = w->n; id-- > last;) {
    if (!is_entered(w, id))
      continue;
    const gg_apply *a = w->g->vars.v[id]->owner;
    for (unsigned int i = 0; i < a->n_in; i++)
      w->mark[a->in[i]->id] |= REACHED;
  }
}

static int walk_from(walk *w, gg_var *const *vars, gg_var *const *until) {
  gg_graph *g = NULL;

  GA_TRY(graph_of(vars, &g));
  GA_TRY(begin(w, g, vars, until));
  descend(w, 0);
  return GA_NO_ERROR;
}

/* --- lists --- */

static int walk_vars(gg_var ***out, size_t *n, gg_var *const *vars,
                     gg_var *const *until, int kinds) {
  walk w = {NULL, NULL, 0};
  size_t count = 0;
  int err;

  *out = NULL;
  GA_CHECK(walk_from(&w, vars, until));
  *out = ga__calloc(w.n + 1, sizeof **out); /* all, and a final NULL */
  GA_CHECK(*out != NULL ? GA_NO_ERROR : gg__fail_nomem(vars[0]->graph));
  for (size_t id = 0; id < w.n; id++) {
    gg_var *v = w.g->vars.v[id];
    if ((w.mark[id] & REACHED) != 0 && (kinds & 1 << v->kind) != 0)
      (*out)[count++] = v;
  }
done:
  if (n != NULL)
    *n = count;
  ga__free(w.mark);
  return err;
}

int gg_ancestors(gg_var ***out, size_t *n, gg_var *const *vars,
                 gg_var *const *until) {
  return walk_vars(out, n, vars, until, ALL_KINDS);
}

int gg_leaves(gg_var ***out, size_t *n, gg_var *const *vars,
              gg_var *const *until, int kinds) {
  if ((kinds & ~GG_LEAF_ANY) == 0)
    return walk_vars(out, n, vars, until, kinds);
  *out = NULL;
  if (n != NULL)
    *n = 0;
  return gg__fail(vars != NULL && vars[0] != NULL ? vars[0]->graph : NULL,
                  GA_VALUE_ERROR, "walk: there are no leaves of kind %d",
                  kinds);
}

/* The outputs of a node have consecutive ids, so each node is compared with
 * the last one of the list only. */
int gg_toposort(gg_apply ***out, size_t *n, gg_var *const *vars,
                gg_var *const *until) {
  walk w = {NULL, NULL, 0};
  size_t count = 0;
  int err;

  *out = NULL;
  GA_CHECK(walk_from(&w, vars, until));
  *out = ga__calloc(w.n + 1, sizeof **out); /* all, and a final NULL */
  GA_CHECK(*out != NULL ? GA_NO_ERROR : gg__fail_nomem(vars[0]->graph));
  for (size_t id = 0; id < w.n; id++) {
    gg_apply *a = w.g->vars.v[id]->owner;
    if (is_entered(&w, id) && (count == 0 || (*out)[count - 1] != a))
      (*out)[count++] = a;
  }
done:
  if (n != NULL)
    *n = count;
  ga__free(w.mark);
  return err;
}

void gg_list_free(void *list) {
  ga__free(list);
}

/* --- dependence and views --- */

int gg_depends_on(int *yes, gg_var *v, gg_var *on) {
  gg_var *const from[2] = {v, NULL}, *const to[2] = {on, NULL};
  walk w = {NULL, NULL, 0};
  gg_graph *g = NULL;
  int err;

  *yes = 0;
  GA_CHECK(graph_of(to, &g));
  GA_CHECK(graph_of(from, &g));
  GA_CHECK(begin(&w, g, from, to));
  descend(&w, on->id);
  *yes = on->id < w.n && (w.mark[on->id] & REACHED) != 0;
done:
  ga__free(w.mark);
  return err;
}

gg_var *gg_view_root(gg_var *v) {
  while (v != NULL && v->owner != NULL && v->owner->op->kind == GG_OP_VIEW)
    v = v->owner->in[0];
  return v;
}

/* --- gradients --- */

/* Nonzero if a gradient passes from `v` to a marked variable. */
static int passes(const walk *w, const gg_var *v) {
  const gg_apply *a = v->owner;

  if (a == NULL || !gg__is_smooth(v))
    return 0;
  for (unsigned int i = 0; i < a->n_in; i++)
    if (w->mark[a->in[i]->id] != 0 && gg__is_connected(a, i, v->index))
      return 1;
  return 0;
}

/* Mark the variables that have a gradient by `from`, in the order of ids. */
static void ascend(walk *w, const gg_var *from) {
  memset(w->mark, 0, w->n);
  if (from->id < w->n && gg__is_smooth(from))
    w->mark[from->id] = REACHED;
  for (size_t id = from->id + (size_t)1; id < w->n; id++)
    if (passes(w, w->g->vars.v[id]))
      w->mark[id] = REACHED;
}

int gg_connections(unsigned char *yes, gg_var *const *inputs,
                   gg_var *const *outputs) {
  const size_t n = gg__list_length(inputs), m = gg__list_length(outputs);
  walk w = {NULL, NULL, 0};
  gg_graph *g = NULL;
  int err;

  for (size_t i = 0; i < n * m; i++)
    yes[i] = 0;
  GA_CHECK(graph_of(outputs, &g));
  GA_CHECK(check_graph(g, inputs));
  GA_CHECK(begin(&w, g, outputs, NULL));
  for (size_t i = 0; i < n; i++) {
    ascend(&w, inputs[i]);
    for (size_t k = 0; k < m; k++)
      yes[i * m + k] = w.mark[outputs[k]->id] != 0;
  }
done:
  ga__free(w.mark);
  return err;
}
