/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the files of random numbers.
 *
 *   streams.c        seeds, states, updates
 *   draw.c           the ops that draw random numbers
 *   distributions.c  builders of uniform, normal and other elementwise draws
 *   sample.c         the ops that compute counts, choices and orders
 *   chances.c        their builders */
#ifndef OPS_RANDOM_DRAW_H
#define OPS_RANDOM_DRAW_H

#include <gpugraph/random.h>

#include "ops/ops.h"

/* Properties of the ops that draw: what (ga_random), its dtype, and its shape
 * if there is no second input. */
typedef struct gg__draw_props {
  int what, dtype;
  int64_t nd;
  int64_t dims[GG_MAX_ND]; /* 0 past nd */
} gg__draw_props;

GA_NO_PADDING(gg__draw_props,
              2 * sizeof(int) + (1 + GG_MAX_ND) * sizeof(int64_t));

/* (state) or (state, like): the random numbers, in the shape of `like`. Output
 * 1 of mrg31k3p is the next state. */
extern const gg_op gg__op_philox, gg__op_mrg31k3p;

/* (bits, n), uint64: integers below n. */
extern const gg_op gg__op_random_below;

/* Properties of the ops in sample.c: the dtype of the result, and how many
 * elements are drawn. -1: as many as there are (permutation), or unused
 * (binomial). */
typedef struct gg__sample_props {
  int dtype, count;
} gg__sample_props;

GA_NO_PADDING(gg__sample_props, 2 * sizeof(int));

/* Their inputs: (u, n, p), (u, p), (u, p) and (bits, n); u are uniform random
 * numbers. */
extern const gg_op gg__op_binomial, gg__op_multinomial, gg__op_choice,
    gg__op_permutation;

/* Nonzero if r and the argument p, which `what` names, are not NULL. If p is
 * NULL, records an error in the graph of r. */
int gg__draw_given(const gg_random *r, const char *what, const void *p);
/* A new draw of `dtype` with a stream of its own; d->dtype is ignored. */
gg_var *gg__draw(gg_random *r, const gg_draw *d, ga_random what, int dtype);

/* The parameter p, called `name`, in the dtype of the draw x. NULL, with the
 * reason in the graph, unless p broadcasts to the shape of x, as far as sizes
 * are known. */
gg_var *gg__parameter(gg_var *x, const char *name, gg_var *p);

/* p, or NULL with the reason in the graph if p is a constant with elements
 * outside of [low, high]. x is the draw. */
gg_var *gg__check_range(gg_var *x, const char *name, gg_var *p, double low,
                        double high);

#endif
