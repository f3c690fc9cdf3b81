/* SPDX-License-Identifier: BSD-2-Clause */
/* Variables as formulas.
 *
 * A variable has a line of its own if it has a name, is used more than once or
 * would be nested too deeply. So the length of the text is linear in the size
 * of the graph, and recursion is bounded. */
#include <gpugraph/report.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/strb.h"
#include "graph/graph.h"

#define MOST_DEPTH 16  /* of nested ops */
#define LABEL_TEXT 288 /* bytes; enough for gg__var_label */

/* Precedence of operators, lowest first. */
enum { COMPARISON = 1, SUM, PRODUCT, SIGN, POWER, CALL };

typedef struct symbol {
  const char *op, *sign;
  int level;
} symbol;

static const symbol symbols[] = {
    {"lt", " < ", COMPARISON},  {"le", " <= ", COMPARISON},
    {"gt", " > ", COMPARISON},  {"ge", " >= ", COMPARISON},
    {"eq", " == ", COMPARISON}, {"ne", " != ", COMPARISON},
    {"add", " + ", SUM},        {"sub", " - ", SUM},
    {"mul", " * ", PRODUCT},    {"div", " / ", PRODUCT},
    {"mod", " % ", PRODUCT},    {"floordiv", " // ", PRODUCT},
    {"neg", "-", SIGN},         {"pow", "**", POWER},
};

/* The state of a variable while it is printed. */
typedef struct note {
  unsigned int depth; /* of the ops nested in it, on its line */
  unsigned int label; /* the N of %N, if it has no name; from 1 */
  unsigned char has_line;
} note;

typedef struct printer {
  const gg_graph *g;
  note *notes; /* by id */
  unsigned int n_labels;
  ga__strb out;
} printer;

/* The operator of a node. NULL: the node is printed as a call. */
static const symbol *symbol_of(const gg_apply *a) {
  for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++)
    if (strcmp(symbols[i].op, a->op->name) == 0 &&
        a->n_in == (symbols[i].level == SIGN ? 1U : 2U))
      return &symbols[i];
  return NULL;
}

/* --- lines --- */

static int is_whole(const printer *p, const gg_var *v) {
  return v->owner == NULL || p->notes[v->id].has_line;
}

/* Choose the variables that have lines. In `order` operands come first. */
static void choose_lines(printer *p, const gg__order *order,
                         const gg__uses *uses) {
  for (size_t k = 0; k < order->n; k++) {
    const gg_apply *a = order->v[k];
    unsigned int depth = 0;

    for (unsigned int i = 0; i < a->n_in; i++)
      if (!is_whole(p, a->in[i]) && p->notes[a->in[i]->id].depth > depth)
        depth = p->notes[a->in[i]->id].depth;
    for (unsigned int i = 0; i < a->n_out; i++) {
      const gg_var *v = a->out[i];
      note *x = &p->notes[v->id];

      x->depth = depth + 1;
      x->has_line =
          uses->v[v->id] != 0 &&
          (v->name[0] != '\0' || uses->v[v->id] > 1 || x->depth >= MOST_DEPTH);
      if (x->has_line && v->name[0] == '\0')
        x->label = ++p->n_labels;
    }
  }
}

/* --- formulas --- */

static void print_name(printer *p, const gg_var *v) {
  char label[LABEL_TEXT];

  if (v->name[0] != '\0')
    ga__strb_append(&p->out, v->name);
  else if (v->owner != NULL)
    ga__strb_appendf(&p->out, "%%%u", p->notes[v->id].label);
  else
    ga__strb_append(&p->out, gg__var_label(v, label, sizeof label));
}

static int level_of(const printer *p, const gg_var *v) {
  const symbol *o = is_whole(p, v) ? NULL : symbol_of(v->owner);
  double x;

  if (v->kind == GG_VAR_CONST && gg_var_uniform(v, &x) && x < 0)
    return SIGN;
  return o != NULL ? o->level : CALL;
}

static void print_formula(printer *p, const gg_apply *a, unsigned int k);

/* Print an operand, in brackets if its precedence is lower than `level`. */
static void print_operand(printer *p, const gg_var *v, int level) {
  const int loose = level_of(p, v) < level;

  ga__strb_append(&p->out, loose ? "(" : "");
  if (is_whole(p, v))
    print_name(p, v);
  else
    print_formula(p, v->owner, v->index);
  ga__strb_append(&p->out, loose ? ")" : "");
}

/* Operators are left-associative, except that powers are right-associative and
 * comparisons cannot be chained. */
static void print_symbol(printer *p, const gg_apply *a, const symbol *o) {
  const int left = o->level == POWER || o->level == COMPARISON;
  const int right = o->level != POWER;

  if (o->level == SIGN) {
    ga__strb_append(&p->out, o->sign);
    print_operand(p, a->in[0], SIGN + 1);
    return;
  }
  print_operand(p, a->in[0], o->level + left);
  ga__strb_append(&p->out, o->sign);
  print_operand(p, a->in[1], o->level + right);
}

/* Print output k of a node. Recurses at most MOST_DEPTH deep. */
static void print_formula(printer *p, const gg_apply *a, unsigned int k) {
  const symbol *o = symbol_of(a);
  char label[LABEL_TEXT];
  gg_var bare = *a->out[k];

  if (o != NULL) {
    print_symbol(p, a, o);
    return;
  }
  bare.name = "";
  ga__strb_append(&p->out, gg__var_label(&bare, label, sizeof label));
  ga__strb_append(&p->out, "(");
  for (unsigned int i = 0; i < a->n_in; i++) {
    ga__strb_append(&p->out, i != 0 ? ", " : "");
    print_operand(p, a->in[i], 0);
  }
  ga__strb_append(&p->out, ")");
}

/* --- lines and results --- */

static void print_lines(printer *p, const gg__order *order) {
  for (size_t k = 0; k < order->n; k++) {
    const gg_apply *a = order->v[k];

    for (unsigned int i = 0; i < a->n_out; i++) {
      if (!p->notes[a->out[i]->id].has_line)
        continue;
      print_name(p, a->out[i]);
      ga__strb_append(&p->out, " = ");
      print_formula(p, a, i);
      ga__strb_append(&p->out, "\n");
    }
  }
}

/* Print the results that have no line yet. */
static void print_results(printer *p, unsigned int n, gg_var *const *vars) {
  for (unsigned int i = 0; i < n; i++) {
    if (vars[i] == NULL || p->notes[vars[i]->id].has_line)
      continue;
    print_operand(p, vars[i], 0);
    ga__strb_append(&p->out, "\n");
  }
}

int gg_pprint(FILE *f, unsigned int n, gg_var *const *vars) {
  printer p = {.g = gg__graph_of(n, vars), .out = GA_STRB_INIT};
  gg__order order = {0};
  gg__uses uses = {0};
  int err;

  if (p.g == NULL)
    return GA_NO_ERROR;
  p.notes = ga__calloc(p.g->vars.n, sizeof *p.notes);
  if (p.notes == NULL)
    return ga__fail_nomem();
  GA_CHECK(gg__toposort(&order, n, vars));
  GA_CHECK(gg__count_ordered_uses(&uses, p.g, &order, n, vars));
  choose_lines(&p, &order, &uses);
  print_lines(&p, &order);
  print_results(&p, n, vars);
  GA_CHECK(p.out.err);
  fputs(ga__strb_text(&p.out), f);
  err = ga__flushed(f, "the formulas");

done:
  ga__strb_clear(&p.out);
  ga__vec_clear(&uses);
  ga__vec_clear(&order);
  ga__free(p.notes);
  return err;
}
