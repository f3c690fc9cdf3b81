/* SPDX-License-Identifier: BSD-2-Clause */
/* Distances from what a sum of the same elements gave, such as their mean. */
#ifndef REWRITE_RW_DISTANCE_H
#define REWRITE_RW_DISTANCE_H

#include "rewrite/rw_axes.h"

/* x - c or c - x, where c has been computed from the sum of x. */
typedef struct gg__distance {
  gg_var *x, *c;
  gg_apply *sum;
} gg__distance;

/* Is v, which has the shape that `a` reduces, such a distance? */
int gg__find_distance(const gg_apply *a, const gg_var *v, gg__distance *d);
/* Is v, which sum `a` could add up, a distance of x from its mean along the
 * axes of `a`? */
int gg__is_deviation(const gg_apply *a, const gg_var *v);
/* v with the axes that `a` may have dropped. */
gg_var *gg__with_axes(const gg_apply *a, gg_var *v);

#endif
