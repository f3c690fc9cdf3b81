/* SPDX-License-Identifier: BSD-2-Clause */
/* Compiled functions in Graphviz' language: one box per step with its ops
 * inside, numbered in the order of execution. Boxes are white with dark text,
 * so that the picture is readable on light and dark pages. */
#include <gpugraph/report.h>

#include "base/file.h"
#include "func/func.h"
#include "report/write.h"

enum { TEXT = 256, MAX_OPS = 32 /* ops shown per step */ };

/* --- leaves and results --- */

static void put_box(FILE *out, char kind, size_t index, const char *name,
                    const gg_type *t, const char *colour) {
  char text[TEXT];

  fprintf(out, "  %c%zu [label=\"", kind, index);
  gg__put_quoted(out, name);
  fputs("\\n", out);
  gg__put_quoted(out, gg_type_text(t, text, sizeof text));
  fprintf(out, "\", fillcolor=\"%s\"];\n", colour);
}

static void put_leaves(FILE *out, const gg__program *p) {
  for (size_t k = 0; k < p->values.n; k++) {
    const gg__value *v = &p->values.v[k];
    if (v->node != GG_NONE || v->uses == 0)
      continue;
    put_box(out, 'v', k, gg__display_name(v->var), &v->var->type,
            v->var->kind == GG_VAR_INPUT    ? "#c9efc9"
            : v->var->kind == GG_VAR_SHARED ? "#b8ecf2"
                                            : "#e4e4e4");
  }
}

static void put_results(FILE *out, const gg__program *p) {
  char text[TEXT];

  for (size_t k = 0; k < p->results.n; k++) {
    const gg__result *r = &p->results.v[k];
    const gg_var *v = p->values.v[r->value].var;
    if (r->shared == GG_NONE)
      snprintf(text, sizeof text, "output %zu%s%s", k,
               v->name[0] != '\0' ? ": " : "", v->name);
    else
      snprintf(text, sizeof text, "new %s%s", p->shared.v[r->shared].var->name,
               r->in_place ? " (in place)" : "");
    put_box(out, 'r', k, text, &v->type,
            r->shared == GG_NONE ? "#c4d8f7" : "#b8ecf2");
  }
}

/* --- steps --- */

static void put_op(FILE *out, const gg_apply *a) {
  char text[TEXT] = "";

  if (a->op->print != NULL)
    a->op->print(a, text, sizeof text);
  if (a->op->kind != GG_OP_REDUCE)
    gg__put_quoted(out, a->op->name);
  if (text[0] != '\0') {
    fputs(a->op->kind != GG_OP_REDUCE ? " " : "", out);
    gg__put_quoted(out, text);
  }
}

/* Write the nodes of a list, a few per line. Views are left out of lists of
 * several nodes, since they compute nothing. */
static void put_nodes(FILE *out, const gg__node_list *l) {
  unsigned int shown = 0, more = 0;

  for (unsigned int i = 0; i < l->n; i++) {
    if (l->n > 1 && l->nodes[i]->op->kind == GG_OP_VIEW)
      continue;
    if (shown == MAX_OPS) {
      more++;
      continue;
    }
    fputs(shown == 0 ? "" : shown % 4 == 0 ? "\\n" : "  ", out);
    put_op(out, l->nodes[i]);
    shown++;
  }
  if (more != 0)
    fprintf(out, "\\n... %u more", more);
}

/* Write a step. A step of one node needs no title other than the node. */
static void put_step(FILE *out, const gg__program *p, size_t index) {
  const gg__step *s = p->steps.v[index];
  const gg__step_ops *ops = gg__ops_of(s);
  const char *between = "";

  if (ops->starts_transfer) /* the other half is shown for both */
    return;
  fprintf(out, "  s%zu [label=\"", index);
  if (s->shown != 0)
    fprintf(out, "%u: ", s->shown);
  if (s->apply == NULL) {
    fputs(ops->name, out);
    between = "\\n";
  }
  for (unsigned int i = 0; i < s->n_lists; i++, between = "\\n") {
    fputs(between, out);
    put_nodes(out, &s->lists[i]);
  }
  fprintf(out, "\"%s];\n",
          ops->has_launch ? ", style=\"filled,bold\""
                          : ", style=\"dashed,filled,rounded\"");
}

/* --- edges --- */

/* Write an edge from the step or leaf that gives a value, labelled with its
 * type. */
static void put_edge(FILE *out, const gg__program *p, unsigned int value,
                     char kind, size_t to) {
  const gg__value *v = &p->values.v[value];
  char text[TEXT];

  if (v->step != GG_NONE)
    fprintf(out, "  s%u -> %c%zu [label=\"", v->step, kind, to);
  else
    fprintf(out, "  v%u -> %c%zu [label=\"", value, kind, to);
  if (v->step != GG_NONE && kind == 's')
    gg__put_quoted(out, gg_type_text(&v->var->type, text, sizeof text));
  fputs("\"];\n", out);
}

static void put_edges(FILE *out, const gg__program *p, size_t index) {
  const gg__step *s = p->steps.v[index];

  for (unsigned int i = 0; i < s->n_reads && !gg__ops_of(s)->starts_transfer;
       i++)
    put_edge(out, p, s->reads[i], 's', index);
  if (s->result != GG_NONE)
    fprintf(out, "  s%zu -> r%u;\n", index, s->result);
}

int gg_func_dot(const gg_func *f, FILE *out) {
  if (f == NULL || out == NULL)
    return gg__nothing_to_write("gg_func_dot", f);
  const gg__program *p = &f->unit.program;

  fputs("digraph \"", out);
  gg__put_quoted(out, f->options.name);
  fputs("\" {\n"
        "  bgcolor=\"transparent\";\n"
        "  node [shape=box, style=\"filled\", fillcolor=\"white\", "
        "color=\"#5a6570\", fontcolor=\"#1c2733\", "
        "fontname=\"sans-serif\", fontsize=11];\n"
        "  edge [color=\"#7d8894\", fontcolor=\"#7d8894\", "
        "fontname=\"sans-serif\", fontsize=9];\n",
        out);
  put_leaves(out, p);
  for (size_t k = 0; k < p->steps.n; k++)
    put_step(out, p, k);
  put_results(out, p);
  for (size_t k = 0; k < p->steps.n; k++)
    put_edges(out, p, k);
  for (size_t k = 0; k < p->results.n; k++)
    if (p->results.v[k].direct)
      put_edge(out, p, p->results.v[k].value, 'r', k);
  fputs("}\n", out);
  return ga__flushed(out, "the picture");
}
