/* SPDX-License-Identifier: BSD-2-Clause */
/* Distances from a value computed from a sum of the same elements, such as
 * their mean. */
#ifndef REWRITE_RW_DISTANCE_H
#define REWRITE_RW_DISTANCE_H

#include "rewrite/rw_axes.h"

/* x - c or c - x, where c is computed from `sum`, a sum of x. */
typedef struct gg__distance {
  gg_var *x, *c;
  gg_apply *sum;
} gg__distance;

/* Is v, which has the shape of the operand of sum `a`, such a distance along
 * the axes of `a`? */
int gg__find_distance(const gg_apply *a, const gg_var *v, gg__distance *d);
/* Is v, a possible operand of sum `a`, a distance of x from its mean along the
 * axes of `a`? */
int gg__is_deviation(const gg_apply *a, const gg_var *v);
/* v, which has the shape of the result of `a`, with the reduced axes as axes of
 * size 1. */
gg_var *gg__with_axes(const gg_apply *a, gg_var *v);

#endif
