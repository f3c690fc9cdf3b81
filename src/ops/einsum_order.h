/* SPDX-License-Identifier: BSD-2-Clause */
/* The order in which the factors of gg_einsum are multiplied. */
#ifndef OPS_EINSUM_ORDER_H
#define OPS_EINSUM_ORDER_H

#include "ops/einsum_text.h"

enum { GG_MAX_OPTIMAL = 8 };

/* How the product of each subset of up to GG_MAX_OPTIMAL factors is made: of
 * two subsets, split[subset] and the rest. Bit i of a subset is factor i. */
typedef struct gg__order_of_factors {
  unsigned char split[1 << GG_MAX_OPTIMAL];
} gg__order_of_factors;

/* size[i] is the size of index i, or GG_ANY. `out` are the indices of the
 * result. */
void gg__order_optimal(gg__order_of_factors *o, unsigned int n,
                       const gg__indices *factor, gg__indices out,
                       const int64_t *size);
/* The pair of n factors, more than one, whose product is to come first: the one
 * that leaves the fewest elements. */
void gg__order_greedy(unsigned int pair[2], unsigned int n,
                      const gg__indices *factor, gg__indices out,
                      const int64_t *size);

#endif
