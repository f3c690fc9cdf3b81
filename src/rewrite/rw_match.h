/* SPDX-License-Identifier: BSD-2-Clause */
/* What rules ask of a variable, and the small nodes they build. */
#ifndef REWRITE_RW_MATCH_H
#define REWRITE_RW_MATCH_H

#include "rewrite/rule.h"

#define GG_MAX_OPERANDS 8 /* of an elementwise op that rules look at */

/* The node of `op` that computes v, or NULL. */
static inline gg_apply *gg__node(const gg_var *v, const gg_op *op) {
  return v->owner != NULL && v->owner->op == op ? v->owner : NULL;
}

/* Integers below it are exact as doubles. */
#define GG_MAX_EXACT 9007199254740992.0

/* Nonzero and *value set if `v` is a constant of one element that a double
 * holds. Uniform ones become that wherever their shape does not matter. */
int gg__number(const gg_var *v, double *value);
/* Is `v` a number, and this one? */
int gg__is_number(const gg_var *v, double value);
/* May sums and products of the dtype be regrouped? float16 would overflow. */
int gg__regroups(const gg_var *v);
/* A signed integer or a float. */
int gg__is_signed(const gg_var *v);
/* Can constants of the dtype hold `c` without overflow, and without losing it
 * near zero or, for integers, at all? */
int gg__number_fits(int dtype, double c);
/* Axes that are not known to be 1, as bits. */
unsigned int gg__wide(const gg_var *v);
/* Is it an elementwise node, and one with few operands? `a` may be NULL. */
int gg__is_map(const gg_apply *a);
/* May `v` stand where a variable of type `want` stood: same dtype and rank, no
 * size that differs, and the same axes stretch? */
int gg__can_replace(const gg_type *want, const gg_var *v);
/* v in the shape of `like`, which has the shape of the node's output; NULL if v
 * has more axes, or is NULL. `like` may be NULL. */
gg_var *gg__fit(const gg_apply *a, gg_var *like, gg_var *v);
/* An older variable with the shape of v: an operand of the elementwise node
 * that computes it, or NULL. */
gg_var *gg__same_shape(const gg_var *v);

/* Is this the order for operands that commute: numbers, scalars, others; each
 * by age? */
int gg__in_order(const gg_var *x, const gg_var *y);
/* x y and x + y in that order; NULL if an operand is. */
gg_var *gg__mul(gg_var *x, gg_var *y);
gg_var *gg__add(gg_var *x, gg_var *y);
/* c v, 1 v and -1 v in their short forms. */
gg_var *gg__times(double c, gg_var *v);
/* c + x or, with `negative`, c - x; NULL when the dtype has no such number, and
 * for no x. */
gg_var *gg__shift(double c, gg_var *x, int negative);
/* -v in its canonical form: no neg where v has a sign that can be turned. */
gg_var *gg__opposite(gg_var *x);
/* Apply the op and properties of `a` to other inputs. */
gg_var *gg__apply_like(const gg_apply *a, gg_var *const *in);
/* v without the axes of `mask`, which are 1; NULL for NULL. */
gg_var *gg__drop_axes(gg_var *v, unsigned int mask);
/* A rule: the first operand takes the place of the node. */
gg_var *gg__first_operand(gg_apply *a);

/* v = c + x or, with `negative`, c - x. */
typedef struct gg__shifted {
  double c;
  gg_var *x;
  int negative;
} gg__shifted;
int gg__find_shift(const gg_var *v, gg__shifted *s);

/* If v is 1 - x, return x. */
gg_var *gg__one_minus(const gg_var *v);
/* If v is 1 + exp(u), return u. */
gg_var *gg__one_plus_exp(const gg_var *v);
/* Is one of u, v 1 minus the other? */
int gg__complements(gg_var *u, gg_var *v);

/* Order for qsort: narrow ones first, so that they are computed while they are
 * small; then by age. */
int gg__compare_vars(const gg_var *x, const gg_var *y);

#endif
