/* SPDX-License-Identifier: BSD-2-Clause */
/* The state of the text's writer, shared by its files. Errors are recorded in
 * the graph that is printed, also those inside of bodies: bodies are shared
 * and never change. */
#ifndef TEXT_PRINTER_H
#define TEXT_PRINTER_H

#include "graph/form.h"
#include "text/text.h"

/* The state of a variable while it is printed. */
typedef struct gg__told {
  unsigned int uses;
  unsigned int depth;     /* of the ops printed inside of it */
  unsigned int label;     /* the N of %N; 0: no label, or its name */
  unsigned char needed;   /* it is used; of a first output: its node is used */
  unsigned char is_own;   /* it has a line of its own (gg__print_want) */
  unsigned char by_name;  /* its name is its label */
  unsigned char is_inner; /* is printed where it is used */
  unsigned char is_body;  /* part of a loop's body, though in the outer graph */
} gg__told;

typedef struct gg__printer {
  gg_graph *g;    /* whose variables are printed: `root`, or a body */
  gg_graph *root; /* errors are recorded here */
  int flags;
  gg__blocks *blocks;
  ga__strb *out;
  int *version;               /* the lowest format version that suffices */
  gg__context_labels *labels; /* of contexts other than the root's own */
  gg__told *told;             /* by id */
  ga__map names;              /* names that are labels */
  unsigned int n_labels;
  unsigned int depth; /* number of enclosing blocks */
} gg__printer;

/* Versions of the format that first have what is printed. */
enum { GG_VERSION_FIRST = 1, GG_VERSION_LOOPS = 2, GG_VERSION_SIZES = 3 };

/* What is printed needs this version or a later one. */
static inline void gg__print_needs(const gg__printer *p, int version) {
  if (*p->version < version)
    *p->version = version;
}

static inline gg__told *gg__told_of(const gg__printer *p, const gg_var *v) {
  GA_ASSERT(v->graph == p->g && v->id < p->g->vars.n);
  return &p->told[v->id];
}

/* Initialise for a graph. The caller clears `p`, also on failure. */
int gg__printer_init(gg__printer *p, gg_graph *g);
void gg__printer_clear(gg__printer *p);
/* Give `v` a line of its own. Accepts NULL. */
void gg__print_want(const gg__printer *p, const gg_var *v);
/* Find the variables that the wanted ones depend on, and choose labels. */
int gg__print_prepare(gg__printer *p);
void gg__print_label(const gg__printer *p, const gg_var *v);
/* Print "w", "%3", "%3 w" if another variable has the name, or "_" if nothing
 * uses `v`. */
void gg__print_target(const gg__printer *p, const gg_var *v);
void gg__print_indent(const gg__printer *p);
/* Print n labels as "(a, b)". */
void gg__print_labels(const gg__printer *p, size_t n, gg_var *const *list);

/* --- text_out_expr.c --- */

void gg__print_type(const gg__printer *p, const gg_type *t);
/* Print `v` as an operand: its label, or its expression. */
int gg__print_operand(const gg__printer *p, const gg_var *v);
/* The same as a number of steps: an int64 constant is printed without dtype. */
int gg__print_count(const gg__printer *p, const gg_var *v);
/* Print the right side of "=", except loops. */
int gg__print_value(const gg__printer *p, const gg_var *v);

/* --- text_out_context.c --- */

/* Print " in NAME" if `ctx` is not the context of p->g. */
void gg__print_context(const gg__printer *p, const gpucontext *ctx);
/* Choose names for the contexts of needed variables, and declare them. */
int gg__print_contexts(const gg__printer *p);

/* --- text_out_func.c --- */

void gg__print_func(const gg__printer *p, const gg_func_spec *f);
void gg__print_default_update(const gg__printer *p, const gg_var *v);

/* --- text_out_block.c --- */

/* Print a line for each definition, except for the inputs of bodies. */
int gg__print_definitions(const gg__printer *p);

#endif
