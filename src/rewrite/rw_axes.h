/* SPDX-License-Identifier: BSD-2-Clause */
/* Reductions and their axes: queries and builders for rules. */
#ifndef REWRITE_RW_AXES_H
#define REWRITE_RW_AXES_H

#include "rewrite/rw_match.h"

/* The properties of a node of gg__op_reduce. */
static inline const gg_reduce_props *gg__reduce_props_of(const gg_apply *a) {
  GA_ASSERT(a->op == &gg__op_reduce);
  return a->props;
}
gg_var *gg__reduce(gg_reduction op, gg_var *x, unsigned int mask, int keepdims);

/* The number of elements of x along the axes of `mask`: a scalar of int64 in
 * x's graph. */
gg_var *gg__count(gg_var *x, unsigned int mask);
/* May x have size 0 along one of these axes? */
int gg__may_be_empty(const gg_var *x, unsigned int mask);
/* The operand that v is a view of, through any number of dimshuffles; v itself
 * if it is none. */
const gg_var *gg__viewed(const gg_var *v);
/* Are the elements of v certainly finite? True of finite numbers, integers, and
 * integers cast to float32 or float64. */
int gg__is_finite(const gg_var *v);
/* v, which equals a sum of x over the axes of `mask`, made 0 where these axes
 * have no elements; v itself may be NaN there. */
gg_var *gg__zero_of_none(gg_var *v, gg_var *x, unsigned int mask);

#endif
