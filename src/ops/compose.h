/* SPDX-License-Identifier: BSD-2-Clause */
/* For builders that are composed of others: what messages call them, and
 * numbers that are constants as long as they can be. */
#ifndef OPS_COMPOSE_H
#define OPS_COMPOSE_H

#include "ops/ops.h"

/* What gg__refuse and gg__axis call a builder that has no op of its own. */
#define GG_CALLED(text) (&(const gg_op){.name = text})

/* int64 scalars: a + b, a b, the smaller and the larger of the two. Constants
 * where both are; NULL gives NULL. */
gg_var *gg__number_add(gg_var *a, gg_var *b);
gg_var *gg__number_mul(gg_var *a, gg_var *b);
gg_var *gg__number_least(gg_var *a, gg_var *b);
gg_var *gg__number_most(gg_var *a, gg_var *b);
/* The sizes of x as numbers. */
void gg__sizes_of(gg_var *x, gg_var **sizes);
/* The number of axes that x has. */
static inline unsigned int gg__rank_of(const gg_var *x) {
  return gg_var_type(x)->nd;
}

#endif
