/* SPDX-License-Identifier: BSD-2-Clause */
/* Reductions and their axes, as rules ask for and build them. */
#ifndef REWRITE_RW_AXES_H
#define REWRITE_RW_AXES_H

#include "rewrite/rw_match.h"

/* Of a node of gg__op_reduce. */
static inline const gg_reduce_props *gg__reduce_props_of(const gg_apply *a) {
  GA_ASSERT(a->op == &gg__op_reduce);
  return a->props;
}
gg_var *gg__reduce(gg_reduction op, gg_var *x, unsigned int mask, int keepdims);

/* How many elements the axes of `mask` hold in x, in x's graph; int64. */
gg_var *gg__count(gg_var *x, unsigned int mask);
/* May x have no elements along these axes? */
int gg__may_be_empty(const gg_var *x, unsigned int mask);
/* v without views. */
const gg_var *gg__viewed(const gg_var *v);
/* Are its elements finite for sure? Those of finite numbers, integers, and
 * integers as float32 or float64. */
int gg__is_finite(const gg_var *v);
/* A sum over the axes of `mask` of x, worked out as v: where they hold no
 * elements it is 0, and v may be NaN. */
gg_var *gg__zero_of_none(gg_var *v, gg_var *x, unsigned int mask);

#endif
