/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of random numbers share.
 *
 *   streams.c        seeds, states, updates
 *   draw.c           the ops that draw
 *   distributions.c  what is made of uniform and normal numbers */
#ifndef OPS_DRAW_H
#define OPS_DRAW_H

#include <gpugraph/random.h>

#include "ops/ops.h"

/* Properties of the ops that draw: what, its dtype, and its shape if it is not
 * that of the second input. */
typedef struct gg__draw_props {
  int32_t what, dtype;
  int64_t nd;
  int64_t dims[GG_MAX_ND]; /* 0 past nd */
} gg__draw_props;

/* (state), (state, like): the numbers; mrg31k3p has the next state as output
 * 1. */
extern const gg_op gg__op_philox, gg__op_mrg31k3p;

/* The inverse of the normal distribution function; (bits, n): uint64 below n.
 */
extern const gg_op gg__op_ndtri, gg__op_random_below;

/* A new draw with a stream of its own; d->dtype is ignored. */
gg_var *gg__draw(gg_random *r, const gg_draw *d, ga_random what, int dtype);

/* The number of elements of a draw, GG_ANY if not known. */
int64_t gg__draw_size(const gg_draw *d);

#endif
