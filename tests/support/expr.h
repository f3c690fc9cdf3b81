/* SPDX-License-Identifier: BSD-2-Clause */
/* Expressions as text, to write rewrite rules as before and after.
 *
 *   expr := number | variable | function '(' expr {',' expr} ')'
 *
 * Functions are those of gpugraph/ops.h without gg_, and a few for axes; see
 * the tables in expr.c. Variables are float64 but for the last lines:
 *
 *   x y z p q   vectors of one size     s t   scalars
 *   A B C       square matrices         r c   [1, n] and [n, 1]
 *   h           float16 vector          i j   int32 vectors
 *   f           float32 vector          u     uint32 vector
 *   l           int64 vector (labels)   b     bool vector
 *   k           float64 vector of a size that is known, 3 */
#ifndef SUPPORT_EXPR_H
#define SUPPORT_EXPR_H

#include "graph/graph.h"
#include "interp.h"

#define EXPR_SIZE 3 /* of every axis that is not 1 */
#define EXPR_N_VARS 22

typedef struct expr_vars {
  gg_graph *g;
  gg_var *v[EXPR_N_VARS];
} expr_vars;

/* A graph with the variables. The caller frees the graph. */
void expr_begin(expr_vars *e);
/* Parse; fails the running test on an error. */
gg_var *expr_parse(const expr_vars *e, const char *text);
/* Call a function by its name; NULL, with the error in the graph, if it refuses
 * its arguments. Fails the running test if there is no such function. */
gg_var *expr_call(const char *name, unsigned int n, gg_var *const *arg);
/* Write `v` in the same language, with properties in braces where ops have
 * them; shared nodes are written out each time. Returns `buf`. */
char *expr_text(const gg_var *v, char *buf, size_t bytes);
/* Give all variables values by `seed`: reals in [lo, hi), integers small. */
void expr_bind(const expr_vars *e, interp *it, double lo, double hi,
               unsigned int seed);
/* The same where axes of open sizes have `size` elements, EXPR_SIZE at most. */
void expr_bind_sized(const expr_vars *e, interp *it, size_t size, double lo,
                     double hi, unsigned int seed);

#endif
