/* SPDX-License-Identifier: BSD-2-Clause */
/* Compiled functions as text: names of steps, and the list of them.
 *
 *   1  dot              x [?, ?], w [?]          -> v9 [?]
 *   2  map{add, ...}    v9, y                    -> output 0, output 1, v14
 *   3  gemv             w, v12, v14              -> new w (in place)
 */
#include <gpugraph/report.h>
#include <string.h>

#include "graph/plan.h"

enum { MAX_NAMES = 6, TYPE_TEXT = 160 };

/* --- names of steps --- */

/* Names of ops, each once, in the order of their first use. */
typedef struct names {
  const gg_op *seen[MAX_NAMES];
  unsigned int n, more;
} names;

/* Is it the first of its kind, and one that is shown? */
static int is_new(names *x, const gg_op *op) {
  unsigned int k;

  for (k = 0; k < x->n; k++)
    if (x->seen[k] == op)
      return 0;
  if (x->n == MAX_NAMES) {
    x->more++;
    return 0;
  }
  x->seen[x->n++] = op;
  return 1;
}

static void append_ops(ga__strb *b, const gg__body *body) {
  names x = {.n = 0};
  unsigned int i;

  ga__strb_append(b, "{");
  for (i = 0; i < body->n_nodes; i++)
    if (is_new(&x, body->nodes[i]->op))
      ga__strb_appendf(b, "%s%s", x.n > 1 ? ", " : "",
                       body->nodes[i]->op->name);
  ga__strb_append(b, x.more != 0 ? ", ...}" : "}");
}

/* The same of a row program; reductions by theirs, all that there are. */
static void append_rows(ga__strb *b, const gg__rows *r) {
  const char *between = "";
  names x = {.n = 0};
  const gg_apply *a;
  char text[128];
  unsigned int i;

  ga__strb_append(b, "rows{");
  for (i = 0; i < r->n_items; i++) {
    a = r->items[i].apply;
    if (r->items[i].kind == GG_ROW_REDUCE) {
      text[0] = '\0';
      a->op->print(a, text, sizeof text);
      ga__strb_appendf(b, "%s%.*s", between, (int)strcspn(text, " "), text);
    } else if (r->items[i].kind != GG_ROW_VIEW && is_new(&x, a->op)) {
      ga__strb_appendf(b, "%s%s", between, a->op->name);
    } else {
      continue;
    }
    between = ", ";
  }
  ga__strb_append(b, x.more != 0 ? ", ...}" : "}");
}

static void append_node(ga__strb *b, const gg_apply *a) {
  char text[128] = "";

  if (a->op->print != NULL)
    a->op->print(a, text, sizeof text);
  if (a->op->kind == GG_OP_REDUCE)
    ga__strb_append(b, text);
  else
    ga__strb_appendf(b, "%s%s%s%s%s", a->op->name, text[0] != '\0' ? " " : "",
                     text, gg__has_floats(a) ? " (float16 by float32)" : "",
                     a->op->on_host ? " (host)" : "");
}

static void append_step(ga__strb *b, const gg__program *p, const gg__step *s) {
  switch (s->kind) {
  case GG_STEP_MAP:
    ga__strb_append(b, "map");
    append_ops(b, &s->map);
    break;
  case GG_STEP_REDUCE:
  case GG_STEP_KERNEL:
  case GG_STEP_INNER:
    append_node(b, s->apply);
    if (s->map.n_nodes != 0)
      append_ops(b, &s->map);
    if (s->post.n_nodes != 0) {
      ga__strb_append(b, " then ");
      append_ops(b, &s->post);
    }
    break;
  case GG_STEP_ROWS:
    append_rows(b, s->rows);
    break;
  case GG_STEP_VIEW:
    append_node(b, s->apply);
    break;
  case GG_STEP_COPY:
    ga__strb_appendf(b, "copy %s", gg__display_name(p->values.v[s->from].var));
    break;
  case GG_STEP_SEND:
    ga__strb_append(b, "send");
    break;
  case GG_STEP_RECEIVE:
    append_node(b, s->apply);
    break;
  }
}

int gg__label_steps(gg__program *p) {
  ga__strb b = GA_STRB_INIT;
  unsigned int number = 0;
  size_t k;
  int err = GA_NO_ERROR;

  for (k = 0; k < p->steps.n && err == GA_NO_ERROR; k++) {
    if (p->steps.v[k]->kind != GG_STEP_VIEW)
      p->steps.v[k]->number = ++number;
    ga__strb_reset(&b);
    append_step(&b, p, p->steps.v[k]);
    p->steps.v[k]->label = ga__arena_strdup(&p->arena, ga__strb_text(&b));
    err = b.err;
    if (p->steps.v[k]->label == NULL)
      err = ga__fail_nomem();
  }
  ga__strb_clear(&b);
  return err;
}

/* --- the list --- */

static void put_value(FILE *out, const gg__program *p, unsigned int v) {
  const gg_var *var = p->values.v[v].var;

  if (var->name[0] != '\0')
    fputs(var->name, out);
  else
    fprintf(out, "v%u", v);
}

static void put_typed(FILE *out, const gg__program *p, unsigned int v) {
  char text[TYPE_TEXT];

  put_value(out, p, v);
  fprintf(out, " %s",
          gg_type_text(&p->values.v[v].var->type, text, sizeof text));
}

/* Values with a comma between them and what came before. */
static void put_list(FILE *out, const gg__program *p, const unsigned int *v,
                     unsigned int n, const char **between) {
  unsigned int i;

  for (i = 0; i < n; i++, *between = ", ") {
    fputs(*between, out);
    put_value(out, p, v[i]);
  }
}

static void put_inputs(FILE *out, const gg__program *p, const gg__step *s) {
  const gg__node *n;
  const char *between = "  ";
  unsigned int i, v;

  if (s->kind == GG_STEP_COPY)
    put_list(out, p, &s->from, 1, &between);
  put_list(out, p, s->map.in, s->map.n_in, &between);
  if (gg__takes_operands(s)) {
    n = &p->nodes.v[p->values.v[gg__out(p, s->apply, 0)].node];
    for (i = 0; i < s->apply->n_in; i++) {
      v = gg__in(p, s->apply, i);
      put_list(out, p, &v, gg__reads(n, i) ? 1 : 0, &between);
    }
  }
  put_list(out, p, s->post.in, s->post.n_in, &between);
}

/* A result that is written where it belongs, or a value for other steps. */
static void put_output(FILE *out, const gg__program *p, unsigned int v) {
  const gg__result *r;
  size_t k;

  put_typed(out, p, v);
  for (k = 0; k < p->results.n; k++) {
    r = &p->results.v[k];
    if (r->value != v || !r->direct)
      continue;
    if (r->shared == GG_NONE)
      fprintf(out, " = output %zu", k);
    else
      fprintf(out, " = new %s%s", p->shared.v[r->shared].var->name,
              r->in_place ? " (in place)" : "");
  }
}

static void put_outputs(FILE *out, const gg__program *p, const gg__step *s) {
  const gg__result *r;
  unsigned int i, n = 0;

  if (s->kind == GG_STEP_SEND)
    return;
  fputs(" -> ", out);
  if (s->kind == GG_STEP_COPY) {
    r = &p->results.v[s->result];
    if (r->shared == GG_NONE)
      fprintf(out, "output %u", s->result);
    else
      fprintf(out, "new %s", p->shared.v[r->shared].var->name);
    return;
  }
  for (i = 0; i < s->map.n_out + s->post.n_out; i++) {
    fputs(n++ != 0 ? ", " : "", out);
    put_output(out, p,
               i < s->map.n_out ? s->map.out[i]
                                : s->post.out[i - s->map.n_out]);
  }
  for (i = 0; n == 0 && i < s->apply->n_out; i++) {
    fputs(i != 0 ? ", " : "", out);
    put_output(out, p, gg__out(p, s->apply, i));
  }
}

int gg_func_print(const gg_func *f, FILE *out) {
  const gg__program *p = &f->p;
  const gg__step *s;
  size_t k, width = 0;

  for (k = 0; k < p->steps.n; k++)
    if (strlen(p->steps.v[k]->label) > width)
      width = strlen(p->steps.v[k]->label);
  width = width < 40 ? width : 40;
  fprintf(out, "%s: %zu inputs, %zu outputs, %zu updates\n", f->name,
          p->arguments.n, p->n_outputs, p->results.n - p->n_outputs);
  for (k = 0; k < p->steps.n; k++) {
    s = p->steps.v[k];
    if (s->kind == GG_STEP_VIEW)
      fputs("  -", out);
    else
      fprintf(out, "%3u", s->number);
    fprintf(out, "  %-*s", (int)width, s->label);
    put_inputs(out, p, s);
    put_outputs(out, p, s);
    if (p->contexts.n > 1)
      fprintf(out, "  on %s", p->contexts.v[s->context].name);
    fputc('\n', out);
  }
  return ferror(out) ? ga__fail(GA_SYS_ERROR, "the steps could not be written")
                     : GA_NO_ERROR;
}

int gg_func_print_rewrites(const gg_func *f, FILE *out) {
  size_t k;

  for (k = 0; k < f->fired.n; k++)
    if (f->fired.v[k].count != 0)
      fprintf(out, "%6u  %s\n", f->fired.v[k].count, f->fired.v[k].rule);
  return ferror(out)
             ? ga__fail(GA_SYS_ERROR, "the rewrites could not be written")
             : GA_NO_ERROR;
}
