/* SPDX-License-Identifier: BSD-2-Clause */
/* Graphs of variables in Graphviz' language. */
#include <gpugraph/report.h>
#include <stdio.h>

#include "base/file.h"
#include "graph/graph.h"
#include "report/write.h"

#define TEXT 256 /* bytes of a label or a type */

static const char *const colours[] = {[GG_VAR_INPUT] = "palegreen",
                                      [GG_VAR_SHARED] = "cyan",
                                      [GG_VAR_CONST] = "lightgrey",
                                      [GG_VAR_COMPUTED] = "white"};

/* Write the box of a leaf, or of the node whose first output `v` is. */
static void put_node(FILE *f, const gg_var *v) {
  char text[TEXT];

  fprintf(f, "  n%u [label=\"", v->id);
  gg__put_quoted(f, gg__var_label(v, text, sizeof text));
  if (v->owner == NULL) {
    fprintf(f, "\\n");
    gg__put_quoted(f, gg_type_text(&v->type, text, sizeof text));
  }
  fprintf(f, "\", shape=%s, fillcolor=%s];\n",
          v->owner != NULL ? "ellipse" : "box", colours[v->kind]);
}

/* Begin an edge from the box that gives `v`. */
static void put_tail(FILE *f, const gg_var *v) {
  fprintf(f, "  n%u -> ", v->owner != NULL ? v->owner->out[0]->id : v->id);
}

/* Write a node and the edges of its operands, which are numbered if there are
 * several. */
static void put_apply(FILE *f, const gg_apply *a) {
  char type[TEXT];

  put_node(f, a->out[0]);
  for (unsigned int i = 0; i < a->n_in; i++) {
    put_tail(f, a->in[i]);
    fprintf(f, "n%u [label=\"", a->out[0]->id);
    if (a->in[i]->owner != NULL)
      gg__put_quoted(f, gg_type_text(&a->in[i]->type, type, sizeof type));
    if (a->n_in > 1)
      fprintf(f, "\", headlabel=\"%u", i);
    fprintf(f, "\"];\n");
  }
}

/* Write the leaves that the n variables depend on, each once. */
static int put_leaves(FILE *f, const gg__order *order, size_t n,
                      gg_var *const *vars) {
  GA_VEC(unsigned char) done = {0};
  int err = GA_NO_ERROR;

  for (size_t i = 0; i <= order->n; i++) {
    gg_var *const *in = i < order->n ? order->v[i]->in : vars;
    size_t n_in = i < order->n ? order->v[i]->n_in : n;
    for (size_t k = 0; k < n_in; k++) {
      const gg_var *v = in[k];
      if (v == NULL || v->owner != NULL)
        continue;
      while (done.n <= v->id)
        GA_CHECK(ga__vec_push(&done, 0));
      if (!done.v[v->id])
        put_node(f, v);
      done.v[v->id] = 1;
    }
  }
done:
  ga__vec_clear(&done);
  return err;
}

static void put_result(FILE *f, const gg_var *v, unsigned int k) {
  char text[TEXT];

  fprintf(f, "  out%u [label=\"", k);
  if (v->name[0] != '\0')
    gg__put_quoted(f, v->name);
  else
    fprintf(f, "output %u", k);
  fprintf(f, "\\n");
  gg__put_quoted(f, gg_type_text(&v->type, text, sizeof text));
  fprintf(f, "\", shape=box, fillcolor=lightblue];\n");
  put_tail(f, v);
  fprintf(f, "out%u;\n", k);
}

int gg_dot_graph(FILE *f, unsigned int n, gg_var *const *vars) {
  gg__order order = {0};
  int err;

  GA_CHECK(gg__toposort(&order, n, vars));
  fprintf(f, "digraph gpugraph {\n"
             "  node [style=filled, fontname=\"sans-serif\"];\n"
             "  edge [fontname=\"sans-serif\", fontsize=9];\n");
  GA_CHECK(put_leaves(f, &order, n, vars));
  for (size_t i = 0; i < order.n; i++)
    put_apply(f, order.v[i]);
  for (unsigned int k = 0; k < n; k++)
    if (vars[k] != NULL)
      put_result(f, vars[k], k);
  fprintf(f, "}\n");
  err = ga__flushed(f, "the graph");
done:
  ga__vec_clear(&order);
  return err;
}
