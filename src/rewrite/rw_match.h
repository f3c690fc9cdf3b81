/* SPDX-License-Identifier: BSD-2-Clause */
/* Queries about variables, and builders of small nodes, for rules. */
#ifndef REWRITE_RW_MATCH_H
#define REWRITE_RW_MATCH_H

#include "rewrite/rule.h"

#define GG_MAX_OPERANDS 8 /* of an elementwise op that rules examine */

/* The node of `op` that computes v, or NULL. */
static inline gg_apply *gg__node(const gg_var *v, const gg_op *op) {
  return v->owner != NULL && v->owner->op == op ? v->owner : NULL;
}

/* Integers of smaller magnitude are exact as doubles. */
#define GG_MAX_EXACT 9007199254740992.0

/* Is `v` a constant of one element that a double holds exactly? If so, *value
 * gets it. Uniform constants become such constants wherever their shape does
 * not matter. */
int gg__number(const gg_var *v, double *value);
/* Is `v` a constant of one element that equals `value`? */
int gg__is_number(const gg_var *v, double value);
/* May sums and products of v's dtype be regrouped? Not of narrow floats, which
 * would overflow or lose digits. */
int gg__regroups(const gg_var *v);
/* Is v's dtype a signed integer or a float? */
int gg__is_signed(const gg_var *v);
/* Can a constant of the dtype hold `c`? Integers must be exact; floats must be
 * 0 or normal numbers. */
int gg__number_fits(int dtype, double c);
/* Does a CPU compute v, as far as is known? */
int gg__is_on_cpu(const gg_var *v);
/* The axes of v that are not known to have size 1, as bits. */
unsigned int gg__wide(const gg_var *v);
/* Is `a` an elementwise node with one output and at most GG_MAX_OPERANDS
 * operands? `a` may be NULL. */
int gg__is_map(const gg_apply *a);
/* May `v` replace a variable of type `want`? It must have the same dtype and
 * rank, no different size, and size 1 along the same axes. */
int gg__can_replace(const gg_type *want, const gg_var *v);
/* v with the rank of the node's output, and in the shape of `like` if `like`
 * has the output's shape and v does not. NULL if v is NULL or has more axes
 * than the output. `like` may be NULL. */
gg_var *gg__fit(const gg_apply *a, gg_var *like, gg_var *v);
/* An older variable with v's shape: the oldest such operand of the elementwise
 * node that computes v, or NULL. */
gg_var *gg__same_shape(const gg_var *v);
/* The oldest variable that has v's shape in this way: v if there is none. */
gg_var *gg__shape_root(gg_var *v);

/* Are x and y in the canonical order of operands that commute: constants,
 * scalars, others; within each, older ones first? */
int gg__in_order(const gg_var *x, const gg_var *y);
/* x y and x + y in that order; NULL if an operand is NULL. */
gg_var *gg__mul(gg_var *x, gg_var *y);
gg_var *gg__add(gg_var *x, gg_var *y);
/* v^n for n >= 1, by squaring. */
gg_var *gg__power(gg_var *v, int n);
/* c v; v itself for 1, -v for -1. */
gg_var *gg__times(double c, gg_var *v);
/* c + x or, with `negative`, c - x. NULL if the dtype cannot hold c or if x is
 * NULL. */
gg_var *gg__shift(double c, gg_var *x, int negative);
/* -x in its canonical form: without a neg if a sign within x can change
 * instead. */
gg_var *gg__opposite(gg_var *x);
/* Apply the op and properties of `a` to other inputs. */
gg_var *gg__apply_like(const gg_apply *a, gg_var *const *in);
/* The product `dot` of one row with y instead of its second operand, as a sum
 * over the elements of the row, which a kernel shares with others. Narrow
 * floats are accumulated in float32, as in a product. NULL if the sizes of the
 * row and of y are not known to be equal and more than 1. */
gg_var *gg__multiply_row(const gg_apply *dot, gg_var *y);
/* The pattern of a view that has new axes only. */
static inline void gg__only_new(int pattern[GG_MAX_ND]) {
  for (unsigned int i = 0; i < GG_MAX_ND; i++)
    pattern[i] = -1;
}
/* v, whose axes all have size 1, as a variable of rank `nd`. */
gg_var *gg__with_rank(gg_var *v, unsigned int nd);
/* v without the axes of `mask`, which must have size 1. NULL if v is NULL. */
gg_var *gg__drop_axes(gg_var *v, unsigned int mask);

/* v as c + x or, with `negative`, c - x. gg__find_shift returns 0 if v has
 * neither form. */
typedef struct gg__shifted {
  double c;
  gg_var *x;
  int negative;
} gg__shifted;
int gg__find_shift(const gg_var *v, gg__shifted *s);

/* x if v is 1 - x, else NULL. */
gg_var *gg__one_minus(const gg_var *v);
/* u if v is 1 + exp(u), else NULL. */
gg_var *gg__one_plus_exp(const gg_var *v);
/* Is u + v known to be 1? */
int gg__complements(gg_var *u, gg_var *v);

/* Order for qsort: scalars first, so that they are combined with each other,
 * not with arrays; then by age. */
int gg__compare_vars(const gg_var *x, const gg_var *y);

#endif
