/* SPDX-License-Identifier: BSD-2-Clause */
/* Creating and freeing graphs. */
#define GG_NO_SITES /* this file defines the functions themselves */
#include <gpugraph/gpugraph.h>

#include "graph/inner.h"

gg_graph *gg_graph_new(gpucontext *ctx) {
  gg_graph *g = ga__calloc(1, sizeof *g);

  if (g == NULL)
    return NULL;
  g->ctx = ctx;
  return g;
}

gg_graph *gg__graph_beside(const gg_graph *g, gpucontext *ctx) {
  gg_graph *fresh = gg_graph_new(ctx);

  if (fresh == NULL)
    return NULL;
  gg_graph_on_print(fresh, g->on_print, g->print_arg);
  fresh->guards_indices = g->guards_indices;
  return fresh;
}

void gg__graph_drop_kept(gg_graph *g) {
  if (g->kept != NULL)
    g->free_kept(g->kept);
  g->kept = NULL;
}

static void remove_node(gg_graph *g, const gg_apply *a) {
  gg__node_key k = {
      .op = a->op, .props = a->props, .n_in = a->n_in, .in = a->in};

  k.hash = gg__node_hash(&k);
  gg__node_remove(&g->nodes, &k);
}

void gg__graph_truncate(gg_graph *g, size_t n_vars) {
  while (g->vars.n > n_vars) {
    gg_var *v = g->vars.v[--g->vars.n];
    gg__storage_release(v->storage);
    if (v->kind == GG_VAR_CONST)
      gg__constant_forget(v);
    if (v->owner != NULL && v->index == 0)
      remove_node(g, v->owner);
  }
}

void gg_graph_on_print(gg_graph *g, gg_print_fn fn, void *arg) {
  gg__graph_drop_kept(g);
  g->on_print = fn;
  g->print_arg = arg;
}

gg_print_fn gg_graph_printer(const gg_graph *g, void **arg) {
  *arg = g->print_arg;
  return g->on_print;
}

void gg_graph_free(gg_graph *g) {
  if (g == NULL)
    return;
  gg__graph_drop_kept(g);
  for (size_t i = 0; i < g->vars.n; i++)
    gg__storage_release(g->vars.v[i]->storage);
  for (size_t i = 0; i < g->tests.n; i++)
    ga__free(g->tests.v[i]);
  ga__vec_clear(&g->tests);
  for (size_t i = 0; i < g->inners.n; i++)
    gg__inner_release(g->inners.v[i]);
  ga__vec_clear(&g->vars);
  ga__vec_clear(&g->inners);
  ga__vec_clear(&g->funcs);
  ga__map_clear(&g->func_names);
  gg__labels_clear(&g->labels);
  gg__node_table_clear(&g->nodes);
  ga__map_clear(&g->consts);
  ga__strb_clear(&g->message);
  ga__strb_clear(&g->key);
  ga__arena_clear(&g->arena);
  ga__free(g);
}

gpucontext *gg_graph_context(const gg_graph *g) {
  return g != NULL ? g->ctx : NULL;
}

size_t gg_graph_size(const gg_graph *g) {
  return g != NULL ? g->vars.n : 0;
}

const char *gpugraph_version(void) {
  return GPUGRAPH_VERSION;
}
