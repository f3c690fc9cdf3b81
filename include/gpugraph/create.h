/* SPDX-License-Identifier: BSD-2-Clause */
/** \file create.h
 *  Arrays computed from a few scalars, and parts of matrices, as in NumPy.
 *
 *  All of them are composed of the ops of ops.h, so they have gradients where
 *  they have float operands. Sizes are integer scalars as in gg_reshape_sizes;
 *  gg_i64 makes constants. A negative one is GA_VALUE_ERROR, here or in a call.
 *  Every function returns NULL on error and leaves the reason in the graph.
 */
#ifndef GPUGRAPH_CREATE_H
#define GPUGRAPH_CREATE_H

#include <gpugraph/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/** An n x m matrix with 1 at [i, i + k] and 0 elsewhere. */
GG_PUBLIC gg_var *gg_eye(gg_var *n, gg_var *m, int64_t k, int dtype);
/** An n x m matrix with 1 at [i, j] where j <= i + k, and 0 elsewhere. */
GG_PUBLIC gg_var *gg_tri(gg_var *n, gg_var *m, int64_t k, int dtype);
/** x with 0 above (tril) or below (triu) diagonal k of the matrices that its
 *  last two axes form. */
GG_PUBLIC gg_var *gg_tril(gg_var *x, int64_t k);
GG_PUBLIC gg_var *gg_triu(gg_var *x, int64_t k);
/** The same four with a diagonal that calls decide: any integer scalar, also
 *  one that the device computes. Nothing waits for it. */
GG_PUBLIC gg_var *gg_eye_at(gg_var *n, gg_var *m, gg_var *k, int dtype);
GG_PUBLIC gg_var *gg_tri_at(gg_var *n, gg_var *m, gg_var *k, int dtype);
GG_PUBLIC gg_var *gg_tril_at(gg_var *x, gg_var *k);
GG_PUBLIC gg_var *gg_triu_at(gg_var *x, gg_var *k);
/** For a matrix: its diagonal k, a vector. For a vector: a square matrix with x
 *  on diagonal k and 0 elsewhere. */
GG_PUBLIC gg_var *gg_diag(gg_var *x, int64_t k);
/** The diagonals k of the matrices that axes axis1 and axis2 of x form, along a
 *  new last axis, and their sums. */
GG_PUBLIC gg_var *gg_diagonal(gg_var *x, int64_t k, int axis1, int axis2);
GG_PUBLIC gg_var *gg_trace(gg_var *x, int64_t k, int axis1, int axis2);
/** For each element of the integers x, a row of `depth` elements with 1 at that
 *  position and 0 elsewhere, along a new last axis. A row has no 1 if the
 *  position is out of range. */
GG_PUBLIC gg_var *gg_one_hot(gg_var *x, gg_var *depth, int dtype);
/** The powers 0 to n - 1 of the elements of a vector: a row for each element,
 *  the highest power first, or last if `increasing`. */
GG_PUBLIC gg_var *gg_vander(gg_var *x, gg_var *n, int increasing);
/** n evenly spaced values from `start` to `stop`, both included. The dtype is
 *  the common one of start and stop, or float32 if that is no float. With n = 1
 *  the value is `start`. */
GG_PUBLIC gg_var *gg_linspace(gg_var *start, gg_var *stop, gg_var *n);
/** `base` to the power of the values of gg_linspace. */
GG_PUBLIC gg_var *gg_logspace(gg_var *start, gg_var *stop, gg_var *n,
                              double base);

#ifdef __cplusplus
}
#endif

#endif
