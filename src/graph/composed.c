/* SPDX-License-Identifier: BSD-2-Clause */
/* Builders that are composed of others: what they were called with, for
 * messages about their parts. */
#include "graph/graph.h"

gg_parts *gg__parts_new(gg_graph *g, const gg_op *op, const char *rule,
                        unsigned int n) {
  gg_parts *p = ga__arena_alloc(&g->arena, sizeof *p + n * sizeof *p->in);

  if (p != NULL)
    *p = (gg_parts){.op = op, .rule = rule, .n_in = n};
  return p;
}

const gg_parts *gg__parts_of(gg_graph *g, const gg_op *op, const char *rule,
                             unsigned int n, gg_var *const *in) {
  gg_parts *p = gg__parts_new(g, op, rule, n);

  if (p == NULL)
    return NULL;
  p->n_in = 0;
  for (unsigned int i = 0; i < n; i++)
    if (in[i] != NULL)
      p->in[p->n_in++] = in[i];
  return p;
}

/* What a gradient or a rule builds is made from its op, whatever builders it
 * calls. */
const gg_parts *gg_parts_begin(gg_graph *g, const gg_op *op, unsigned int n,
                               gg_var *const *in, const char *rule) {
  const gg_parts *outer = g->builder;

  if (g->from.op == NULL && (outer == NULL || outer->op == op)) {
    g->builder = gg__parts_of(g, op, rule, n, in);
    if (g->builder == NULL)
      gg__fail_nomem(g);
  }
  return outer;
}

gg_var *gg_parts_end(gg_graph *g, const gg_parts *outer, gg_var *v) {
  g->builder = outer;
  return v;
}
