/* SPDX-License-Identifier: BSD-2-Clause */
/* The order in which the factors of gg_einsum are multiplied: the cheapest one
 * for few factors, a good one for many. A product of two costs 1 for each
 * combination of their indices and 1 for each element of the result. */
#include "ops/linalg/einsum_order.h"

/* The size that is assumed where only calls know it. */
#define USUAL_SIZE 64

/* The number of elements with these indices. */
static double elements(gg__indices all, const int64_t *size) {
  double n = 1;

  for (unsigned int i = 0; i < GG_INDICES; i++)
    if (gg__has_index(all, i))
      n *= size[i] == GG_ANY ? USUAL_SIZE : (double)size[i];
  return n;
}

/* The indices of the product of a subset: those that the result or another
 * factor has. */
static gg__indices left_of(unsigned int subset, unsigned int n,
                           const gg__indices *factor, gg__indices out) {
  gg__indices inside = 0, outside = out;

  for (unsigned int i = 0; i < n; i++)
    *(subset >> i & 1u ? &inside : &outside) |= factor[i];
  return inside & outside;
}

static int is_single(unsigned int subset) {
  return (subset & (subset - 1)) == 0;
}

void gg__order_optimal(gg__order_of_factors *o, unsigned int n,
                       const gg__indices *factor, gg__indices out,
                       const int64_t *size) {
  gg__indices left[1 << GG_MAX_OPTIMAL];
  double cost[1 << GG_MAX_OPTIMAL];

  for (unsigned int s = 1; s < 1u << n; s++) {
    left[s] = left_of(s, n, factor, out);
    cost[s] = 0;
    /* Part `a` has the lowest factor, so that each split is tried once. */
    for (unsigned int a = (s - 1) & s; a != 0 && !is_single(s);
         a = (a - 1) & s) {
      if (!(a & s & (0u - s)))
        continue;
      const double all = cost[a] + cost[s ^ a] +
                         elements(left[a] | left[s ^ a], size) +
                         elements(left[s], size);
      if (cost[s] == 0 || all < cost[s]) {
        cost[s] = all;
        o->split[s] = (unsigned char)a;
      }
    }
  }
}

/* The indices of the result and of all factors except i and k. */
static gg__indices others(unsigned int n, const gg__indices *factor,
                          gg__indices out, unsigned int i, unsigned int k) {
  for (unsigned int j = 0; j < n; j++)
    if (j != i && j != k)
      out |= factor[j];
  return out;
}

void gg__order_greedy(unsigned int pair[2], unsigned int n,
                      const gg__indices *factor, gg__indices out,
                      const int64_t *size) {
  double best = 0;

  pair[0] = pair[1] = 0;
  for (unsigned int i = 0; i < n; i++)
    for (unsigned int k = i + 1; k < n; k++) {
      const gg__indices both = factor[i] | factor[k];
      const double grows = elements(both & others(n, factor, out, i, k), size) -
                           elements(factor[i], size) -
                           elements(factor[k], size);
      if (pair[1] == 0 || grows < best) {
        best = grows;
        pair[0] = i;
        pair[1] = k;
      }
    }
}
