/* SPDX-License-Identifier: BSD-2-Clause */
/* Products as sets of factors, for the rules of rw_product.c. */
#ifndef REWRITE_RW_FACTORS_H
#define REWRITE_RW_FACTORS_H

#include "rewrite/rw_match.h"

#define GG_MAX_FACTORS 64

/* key^power. The key stands for equal values that are written differently:
 * 1 - sigmoid(x) is sigmoid(-x), 1 + exp(x) is sigmoid(-x)^-1. */
typedef struct gg__factor {
  gg_var *key;
  gg_var *direct;  /* how the key is written, or NULL */
  gg_var *inverse; /* how 1 / key is written, or NULL */
  int power;
} gg__factor;

typedef struct gg__product {
  double c; /* all numbers in it */
  gg__factor f[GG_MAX_FACTORS];
  unsigned int n;
  gg_var *widest; /* a factor that had the most axes */
  int gained;     /* something cancelled or was recognised */
} gg__product;

/* The factors of v, looking through at most `steps` nodes; what is left then
 * counts as a factor. 0 when there are too many, or the number is 0 or not
 * finite. */
int gg__factors_collect(gg__product *p, gg_var *v, unsigned int steps);
/* Multiply by one more; 0 when there are too many. */
int gg__factors_multiply(gg__product *p, const gg__factor *new);
/* The factor with that key, or NULL. */
gg__factor *gg__factors_find(gg__product *p, const gg_var *key);
/* c (scalars) (others), in the graph and dtype of `like`; orders the factors.
 * NULL when the dtype does not have the number. */
gg_var *gg__factors_build(gg__product *p, gg_var *like);
/* Give v the rank and shape of the node's output, if a factor had that. */
gg_var *gg__factors_fit(const gg_apply *a, const gg__product *p, gg_var *v);

#endif
