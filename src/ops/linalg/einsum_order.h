/* SPDX-License-Identifier: BSD-2-Clause */
/* The order in which the factors of gg_einsum are multiplied. */
#ifndef OPS_LINALG_EINSUM_ORDER_H
#define OPS_LINALG_EINSUM_ORDER_H

#include "ops/linalg/einsum_text.h"

enum { GG_MAX_OPTIMAL = 8 /* factors */ };

/* For each subset of up to GG_MAX_OPTIMAL factors: its product is that of the
 * subset split[subset] and the rest. Bit i of a subset is factor i. */
typedef struct gg__order_of_factors {
  unsigned char split[1 << GG_MAX_OPTIMAL];
} gg__order_of_factors;

/* Find the cheapest order for n factors, 1 to GG_MAX_OPTIMAL. factor[i] are the
 * indices of factor i, `out` those of the result. size[i] is the size of index
 * i, or GG_ANY. */
void gg__order_optimal(gg__order_of_factors *o, unsigned int n,
                       const gg__indices *factor, gg__indices out,
                       const int64_t *size);
/* Find the pair of n factors, at least 2, to multiply first: then the factors
 * have the fewest elements. pair[0] < pair[1]. */
void gg__order_greedy(unsigned int pair[2], unsigned int n,
                      const gg__indices *factor, gg__indices out,
                      const int64_t *size);

#endif
