/* SPDX-License-Identifier: BSD-2-Clause */
/** \file create.h
 *  Arrays that are made of a few numbers, as NumPy has them, and parts of
 *  matrices.
 *
 *  All of these are composed of the ops of ops.h, so they have gradients where
 *  there is something to differentiate. Sizes are integer scalars that calls
 *  decide, as gg_reshape_sizes has them; gg_i64 makes constants. Every function
 *  returns NULL on error and leaves the reason in the graph.
 */
#ifndef GPUGRAPH_CREATE_H
#define GPUGRAPH_CREATE_H

#include <gpugraph/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/** n x m with 1 at [i, i + k], else 0. */
GG_PUBLIC gg_var *gg_eye(gg_var *n, gg_var *m, int64_t k, int dtype);
/** n x m with 1 at [i, j] where j <= i + k, else 0. */
GG_PUBLIC gg_var *gg_tri(gg_var *n, gg_var *m, int64_t k, int dtype);
/** The matrices of the last two axes, with 0 above or below diagonal k. */
GG_PUBLIC gg_var *gg_tril(gg_var *x, int64_t k);
GG_PUBLIC gg_var *gg_triu(gg_var *x, int64_t k);
/** Diagonal k of a matrix, a vector, and a square matrix with a vector on it
 *  and 0 elsewhere. */
GG_PUBLIC gg_var *gg_diag(gg_var *x, int64_t k);
/** For each element of the integers x, a row of `depth` elements with 1 at that
 *  position, else 0: one more axis, the last one. A row whose position is not
 *  there has no 1. */
GG_PUBLIC gg_var *gg_one_hot(gg_var *x, gg_var *depth, int dtype);
/** n numbers from `start` to `stop`, both included, of the dtype that start and
 *  stop meet in as floats. One number is `start`. */
GG_PUBLIC gg_var *gg_linspace(gg_var *start, gg_var *stop, gg_var *n);
/** `base` to the power of these. */
GG_PUBLIC gg_var *gg_logspace(gg_var *start, gg_var *stop, gg_var *n,
                              double base);

#ifdef __cplusplus
}
#endif

#endif
