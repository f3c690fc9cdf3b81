/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of random numbers share.
 *
 *   streams.c        seeds, states, updates
 *   draw.c           the ops that draw
 *   distributions.c  what is made of uniform and normal numbers
 *   sample.c         the ops that make counts, choices and orders
 *   chances.c        what those are given */
#ifndef OPS_DRAW_H
#define OPS_DRAW_H

#include <gpugraph/random.h>

#include "ops/ops.h"

/* Properties of the ops that draw: what, its dtype, and its shape if it is not
 * that of the second input. */
typedef struct gg__draw_props {
  int what, dtype;
  int64_t nd;
  int64_t dims[GG_MAX_ND]; /* 0 past nd */
} gg__draw_props;

GA_NO_PADDING(gg__draw_props,
              2 * sizeof(int) + (1 + GG_MAX_ND) * sizeof(int64_t));

/* (state), (state, like): the numbers; mrg31k3p has the next state as output
 * 1. */
extern const gg_op gg__op_philox, gg__op_mrg31k3p;

/* The inverse of the normal distribution function; (bits, n): uint64 below n.
 */
extern const gg_op gg__op_ndtri, gg__op_random_below;

/* Properties of ops that make other numbers: their dtype, and how many are
 * drawn where the inputs do not tell; -1: all there are. */
typedef struct gg__sample_props {
  int dtype, count;
} gg__sample_props;

GA_NO_PADDING(gg__sample_props, 2 * sizeof(int));

/* (u, n, p), (u, p), (u, p) and (bits, n). */
extern const gg_op gg__op_binomial, gg__op_multinomial, gg__op_choice,
    gg__op_permutation;

/* Nonzero if `p`, an argument that `what` names, is not NULL; else the graph of
 * the stream has an error that says so. */
int gg__draw_given(const gg_random *r, const char *what, const void *p);
/* A new draw with a stream of its own; d->dtype is ignored. */
gg_var *gg__draw(gg_random *r, const gg_draw *d, ga_random what, int dtype);

/* The number of elements of a draw, GG_ANY if not known. */
int64_t gg__draw_size(const gg_draw *d);

/* `p` in the dtype of the numbers `x`; NULL, with the reason in the graph,
 * unless it broadcasts to their shape, as far as is known. */
gg_var *gg__parameter(gg_var *x, const char *name, gg_var *p);

/* `p`, or NULL when it is a constant with elements outside of [low, high]. */
gg_var *gg__check_range(gg_var *x, const char *name, gg_var *p, double low,
                        double high);

#endif
