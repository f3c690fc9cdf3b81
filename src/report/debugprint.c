/* SPDX-License-Identifier: BSD-2-Clause */
/* Variables as indented trees. The walk has its own stack, so that graphs of
 * any depth can be printed. */
#include <gpugraph/report.h>
#include <stdio.h>

#include "base/file.h"
#include "graph/inner.h"

#define TYPE_TEXT 160  /* bytes */
#define LABEL_TEXT 288 /* bytes; enough for gg_context_text */
#define MAX_INDENT 40  /* levels; deeper lines show their level as a number */

typedef struct item {
  const gg_var *v;
  unsigned int depth;
} item;

typedef struct printer {
  FILE *f;
  GA_VEC(item) stack;        /* variables still to print, the next one last */
  GA_VEC(unsigned int) name; /* by id: index for letters(), 0: none yet */
  unsigned int n_names;
  GA_VEC(const gg_var *) bodies; /* variables of nodes with inner graphs */
} printer;

/* A, B, ... Z, AA, AB, ... for 1, 2, ... */
static void letters(char *buf, size_t bytes, unsigned int k) {
  char text[16];
  size_t n = sizeof text;

  text[--n] = '\0';
  for (; k != 0 && n > 0; k = (k - 1) / 26)
    text[--n] = (char)('A' + (k - 1) % 26);
  snprintf(buf, bytes, "%s", text + n);
}

static void print_indent(FILE *f, unsigned int depth) {
  if (depth > MAX_INDENT)
    fprintf(f, "%*s(%u) ", 2 * MAX_INDENT, "", depth);
  else
    fprintf(f, "%*s", (int)(2 * depth), "");
}

/* Print one line; *is_new is 1 if the variable was not printed before. */
static void print_line(printer *p, item it, int *is_new) {
  char id[16], type[TYPE_TEXT], label[LABEL_TEXT];
  unsigned int *name = &p->name.v[it.v->id];

  *is_new = *name == 0;
  if (*is_new)
    *name = ++p->n_names;
  letters(id, sizeof id, *name);
  print_indent(p->f, it.depth);
  fprintf(p->f, "%s", gg__var_label(it.v, label, sizeof label));
  fprintf(p->f, " [id %s] %s", id,
          gg_type_text(&it.v->type, type, sizeof type));
  if (it.v->type.ctx != NULL && it.v->type.ctx != it.v->graph->ctx)
    fprintf(p->f, " on %s",
            gg_context_text(it.v->type.ctx, label, sizeof label));
  if (it.v->name[0] != '\0' && it.v->owner != NULL)
    fprintf(p->f, " '%s'", it.v->name);
  if (!*is_new && it.v->owner != NULL)
    fprintf(p->f, " ...");
  fputc('\n', p->f);
}

static int note_body(printer *p, const gg_var *v) {
  gg__inner *x = gg__inner_of(v->owner);

  for (size_t i = 0; x != NULL && i < p->bodies.n; i++)
    if (gg__inner_of(p->bodies.v[i]->owner) == x)
      return GA_NO_ERROR;
  return x != NULL ? ga__vec_push(&p->bodies, v) : GA_NO_ERROR;
}

/* Inner graphs are printed after all trees, each once. */
static int print_bodies(const printer *p) {
  char id[16], label[LABEL_TEXT];

  for (size_t i = 0; i < p->bodies.n; i++) {
    const gg_var *v = p->bodies.v[i];
    const gg__inner *x = gg__inner_of(v->owner);
    letters(id, sizeof id, p->name.v[v->id]);
    fprintf(p->f, "inside of %s [id %s]:\n",
            gg__var_label(v, label, sizeof label), id);
    GA_TRY(gg_debugprint(p->f, x->n_out, x->out));
  }
  return GA_NO_ERROR;
}

static int print_tree(printer *p, const gg_var *root) {
  item it = {root, 0};
  int is_new;

  p->stack.n = 0;
  GA_TRY(ga__vec_push(&p->stack, it));
  while (p->stack.n > 0) {
    it = p->stack.v[--p->stack.n];
    print_line(p, it, &is_new);
    const gg_apply *a = it.v->owner;
    if (!is_new || a == NULL)
      continue;
    GA_TRY(note_body(p, it.v));
    it.depth++;
    for (unsigned int i = a->n_in; i-- > 0;) {
      it.v = a->in[i];
      GA_TRY(ga__vec_push(&p->stack, it));
    }
  }
  return GA_NO_ERROR;
}

int gg_debugprint(FILE *f, unsigned int n, gg_var *const *vars) {
  printer p = {0};
  int err = GA_NO_ERROR;

  p.f = f;
  for (unsigned int i = 0; i < n; i++) {
    if (vars[i] == NULL)
      continue;
    const gg_graph *g = vars[i]->graph;
    while (p.name.n < g->vars.n)
      GA_CHECK(ga__vec_push(&p.name, 0));
    GA_CHECK(print_tree(&p, vars[i]));
  }
  GA_CHECK(print_bodies(&p));
  err = ga__flushed(f, "the graph");
done:
  ga__vec_clear(&p.bodies);
  ga__vec_clear(&p.stack);
  ga__vec_clear(&p.name);
  return err;
}
