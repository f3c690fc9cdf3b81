/* SPDX-License-Identifier: BSD-2-Clause */
/* The state of the text's writer, shared by its files. A failure is kept in the
 * graph that is printed, whatever body it was found in: bodies are shared and
 * never change. */
#ifndef TEXT_PRINTER_H
#define TEXT_PRINTER_H

#include "graph/form.h"
#include "text/text.h"

/* The state of a variable while it is printed. */
typedef struct gg__told {
  unsigned int uses;
  unsigned int depth;     /* of the ops that stand inside of it */
  unsigned int label;     /* number of its label; 0: none, or its name */
  unsigned char needed;   /* it or, for the first output, its node */
  unsigned char is_own;   /* a function or a name wants a line for it */
  unsigned char by_name;  /* its name is its label */
  unsigned char is_inner; /* stands where it is used */
  unsigned char is_body;  /* of a loop that was built among other variables */
} gg__told;

typedef struct gg__printer {
  gg_graph *g;    /* whose variables are printed: `root`, or a body */
  gg_graph *root; /* that failures go to */
  int flags;
  gg__blocks *blocks;
  ga__strb *out;
  int *version;               /* of the format that has all of it */
  gg__context_labels *labels; /* of contexts beside the root's own */
  gg__told *told;             /* by id */
  ga__map names;              /* taken as labels */
  unsigned int n_labels;
  unsigned int depth; /* of blocks around what is printed */
} gg__printer;

static inline gg__told *gg__told_of(const gg__printer *p, const gg_var *v) {
  GA_ASSERT(v->graph == p->g && v->id < p->g->vars.n);
  return &p->told[v->id];
}

/* Initialise for a graph; clear `p` on failure, too. */
int gg__printer_init(gg__printer *p, gg_graph *g);
void gg__printer_clear(gg__printer *p);
/* `v` needs a line of its own. Accepts NULL. */
void gg__print_want(const gg__printer *p, const gg_var *v);
/* Find what the wanted variables depend on, and labels for it. */
int gg__print_prepare(gg__printer *p);
void gg__print_label(const gg__printer *p, const gg_var *v);
/* "w", "%3", "%3 w" where another variable has the name, or "_". */
void gg__print_target(const gg__printer *p, const gg_var *v);
void gg__print_indent(const gg__printer *p);
/* "(a, b)" of n labels. */
void gg__print_labels(const gg__printer *p, size_t n, gg_var *const *list);

/* --- text_out_expr.c --- */

void gg__print_type(const gg__printer *p, const gg_type *t);
/* `v` where it is used: its label, or what it is. */
int gg__print_operand(const gg__printer *p, const gg_var *v);
/* The same where numbers are int64. */
int gg__print_count(const gg__printer *p, const gg_var *v);
/* What stands right of "=", but for loops. */
int gg__print_value(const gg__printer *p, const gg_var *v);

/* --- text_out_context.c --- */

/* " in left", where `ctx` is not that of the graph at hand. */
void gg__print_context(const gg__printer *p, const gpucontext *ctx);
/* Choose labels for the contexts of what is needed, and declare them. */
int gg__print_contexts(const gg__printer *p);

/* --- text_out_func.c --- */

void gg__print_func(const gg__printer *p, const gg_func_spec *f);
void gg__print_default_update(const gg__printer *p, const gg_var *v);

/* --- text_out_block.c --- */

/* A line for each definition; inputs of bodies have lines of their own. */
int gg__print_definitions(const gg__printer *p);

#endif
