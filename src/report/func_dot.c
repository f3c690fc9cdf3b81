/* SPDX-License-Identifier: BSD-2-Clause */
/* Compiled functions in Graphviz' language: one box per kernel with its ops
 * inside, numbered in the order of execution. White boxes with dark text, so
 * that the picture reads on light and dark pages. */
#include <gpugraph/report.h>

#include "plan/plan.h"

enum { TEXT = 256, MAX_OPS = 32 /* shown of one kernel */ };

static void put_quoted(FILE *out, const char *s) {
  for (; *s != '\0'; s++) {
    if (*s == '"' || *s == '\\')
      fputc('\\', out);
    fputc(*s, out);
  }
}

/* --- leaves and results --- */

static void put_box(FILE *out, char kind, size_t number, const char *name,
                    const gg_type *t, const char *colour) {
  char text[TEXT];

  fprintf(out, "  %c%zu [label=\"", kind, number);
  put_quoted(out, name);
  fputs("\\n", out);
  put_quoted(out, gg_type_text(t, text, sizeof text));
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
    put_quoted(out, a->op->name);
  if (text[0] != '\0') {
    fputs(a->op->kind != GG_OP_REDUCE ? " " : "", out);
    put_quoted(out, text);
  }
}

/* The ops of a body, a few per line. */
static void put_body(FILE *out, const gg__body *b) {
  unsigned int i;

  for (i = 0; i < b->n_nodes && i < MAX_OPS; i++) {
    fputs(i == 0 ? "" : i % 4 == 0 ? "\\n" : "  ", out);
    put_op(out, b->nodes[i]);
  }
  if (i < b->n_nodes)
    fprintf(out, "\\n... %u more", b->n_nodes - i);
}

/* The nodes of a row program, a few per line, each phase on lines of its own.
 */
static void put_rows(FILE *out, const gg__rows *r) {
  unsigned int i, n;

  for (unsigned int p = 0; p < r->n_phases; p++) {
    for (i = n = 0; i < r->n_items; i++) {
      if (r->items[i].phase != p || r->items[i].kind == GG_ROW_VIEW)
        continue;
      fputs(n % 4 == 0 ? "\\n" : "  ", out);
      put_op(out, r->items[i].apply);
      n++;
    }
  }
}

static void put_then(FILE *out, const gg__body *b) {
  fputs(b->n_nodes != 0 ? "\\n" : "", out);
  put_body(out, b);
}

/* What comes with a step's own node. */
static void put_also(FILE *out, const gg__step *s) {
  for (unsigned int i = 0; i < s->n_also; i++) {
    fputs("\\n", out);
    put_op(out, s->also[i]);
  }
}

static void put_step(FILE *out, const gg__program *p, size_t number) {
  const gg__step *s = p->steps.v[number];

  if (s->kind == GG_STEP_SEND) /* the other half stands for both */
    return;
  fprintf(out, "  s%zu [label=\"", number);
  if (s->number != 0)
    fprintf(out, "%u: ", s->number);
  switch (s->kind) {
  case GG_STEP_MAP:
    fputs("map\\n", out);
    put_body(out, &s->map);
    break;
  case GG_STEP_REDUCE:
    put_body(out, &s->map);
    fputs(s->map.n_nodes != 0 ? "\\n" : "", out);
    put_op(out, s->apply);
    put_also(out, s);
    put_then(out, &s->post);
    break;
  case GG_STEP_KERNEL:
  case GG_STEP_INNER:
    put_op(out, s->apply);
    put_then(out, &s->post);
    put_also(out, s);
    put_then(out, &s->beside);
    break;
  case GG_STEP_ROWS:
    fputs("rows", out);
    put_rows(out, s->rows);
    break;
  case GG_STEP_VIEW:
    put_op(out, s->apply);
    break;
  case GG_STEP_COPY:
    fputs("copy", out);
    break;
  case GG_STEP_RECEIVE:
    put_op(out, s->apply);
    break;
  case GG_STEP_SEND:
    break;
  }
  fprintf(out, "\"%s];\n",
          s->kind == GG_STEP_VIEW ? ", style=\"dashed,filled,rounded\""
                                  : ", style=\"filled,bold\"");
}

/* --- edges --- */

/* Start an edge where a value comes from, and label it with its type. */
static void put_edge(FILE *out, const gg__program *p, unsigned int value,
                     char kind, size_t to) {
  const gg__value *v = &p->values.v[value];
  char text[TEXT];

  if (v->step != GG_NONE)
    fprintf(out, "  s%u -> %c%zu [label=\"", v->step, kind, to);
  else
    fprintf(out, "  v%u -> %c%zu [label=\"", value, kind, to);
  if (v->step != GG_NONE && kind == 's')
    put_quoted(out, gg_type_text(&v->var->type, text, sizeof text));
  fputs("\"];\n", out);
}

static void put_edges(FILE *out, const gg__program *p, size_t number) {
  const gg__step *s = p->steps.v[number];

  if (s->kind == GG_STEP_COPY) {
    put_edge(out, p, s->from, 's', number);
    fprintf(out, "  s%zu -> r%u;\n", number, s->result);
    return;
  }
  for (unsigned int i = 0; i < s->map.n_in; i++)
    put_edge(out, p, s->map.in[i], 's', number);
  for (unsigned int i = 0; i < s->post.n_in; i++)
    put_edge(out, p, s->post.in[i], 's', number);
  for (unsigned int i = 0; i < s->beside.n_in; i++)
    put_edge(out, p, s->beside.in[i], 's', number);
  if (!gg__takes_operands(s) || s->kind == GG_STEP_SEND)
    return;
  const gg__node *n = &p->nodes.v[p->values.v[gg__out(p, s->apply, 0)].node];
  for (unsigned int i = 0; i < s->apply->n_in; i++)
    if (gg__reads(n, i))
      put_edge(out, p, gg__in(p, s->apply, i), 's', number);
}

int gg_func_dot(const gg_func *f, FILE *out) {
  const gg__program *p = &f->p;

  fputs("digraph \"", out);
  put_quoted(out, f->name);
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
  return ferror(out)
             ? ga__fail(GA_SYS_ERROR, "the picture could not be written")
             : GA_NO_ERROR;
}
