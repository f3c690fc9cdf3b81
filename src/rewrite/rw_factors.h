/* SPDX-License-Identifier: BSD-2-Clause */
/* Products as sets of factors, for the rules of rw_product.c. */
#ifndef REWRITE_RW_FACTORS_H
#define REWRITE_RW_FACTORS_H

#include "rewrite/rw_match.h"

#define GG_MAX_FACTORS 64

/* key^power. Equal values that are written differently have one key: 1 -
 * sigmoid(x) has sigmoid(-x), and 1 + exp(x) has sigmoid(-x)^-1. */
typedef struct gg__factor {
  gg_var *key;
  gg_var *direct;  /* the key as it was written, or NULL */
  gg_var *inverse; /* 1 / key as it was written, or NULL */
  int power;
} gg__factor;

typedef struct gg__product {
  double c; /* the product of all numbers in it */
  gg__factor f[GG_MAX_FACTORS];
  unsigned int n;
  gg_var *widest; /* the factor with the most axes */
  int gained;     /* something cancelled or was recognised */
} gg__product;

/* Collect the factors of v by expanding at most `steps` nodes; whatever is left
 * then counts as a factor. Returns 0 if there are too many factors, or if the
 * number is 0 or not finite. */
int gg__factors_collect(gg__product *p, gg_var *v, unsigned int steps);
/* Multiply by one more factor. Returns 0 if there are too many. */
int gg__factors_multiply(gg__product *p, const gg__factor *new);
/* The factor with this key, or NULL. */
gg__factor *gg__factors_find(gg__product *p, const gg_var *key);
/* Build c (scalars) (others) in the graph and dtype of `like`; sorts the
 * factors. NULL if the dtype cannot hold the number. */
gg_var *gg__factors_build(gg__product *p, gg_var *like);
/* Give v the rank of the node's output, and its shape if a factor had that. */
gg_var *gg__factors_fit(const gg_apply *a, const gg__product *p, gg_var *v);

#endif
