/* SPDX-License-Identifier: BSD-2-Clause */
/** \file select.h
 *  Select elements: positions of those that are not 0, elements under a mask.
 *
 *  An element counts if it is not 0: NaN counts, -0.0 does not. Results are in
 *  C order. On error every function returns NULL and leaves the reason in the
 *  graph.
 *
 *  Ops that are `_bounded` have n rows, whatever the data are; n is an integer
 *  scalar as in gg_reshape_sizes. Rows after the last one are filled; if more
 *  than n elements count, the first n are kept. *count, unless `count` is NULL,
 *  is how many count, an int64 scalar that the device computes. Nothing waits.
 */
#ifndef GPUGRAPH_SELECT_H
#define GPUGRAPH_SELECT_H

#include <gpugraph/gather.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The coordinates of the elements of x that are not 0: int64, [n, rank of x].
 *  Rows after the last one hold `fill`. No gradient. */
GG_PUBLIC gg_var *gg_nonzero_bounded(gg_var *x, gg_var *n, int64_t fill,
                                     gg_var **count);
/** Their positions in C order: int64, [n]. No gradient. */
GG_PUBLIC gg_var *gg_flatnonzero_bounded(gg_var *x, gg_var *n, int64_t fill,
                                         gg_var **count);
/** The elements of x for which the mask is not 0: [n], 0 after the last one.
 *  The mask has the shape of x. The gradient of each goes to its element. */
GG_PUBLIC gg_var *gg_compress_bounded(gg_var *x, gg_var *mask, gg_var *n,
                                      gg_var **count);

/** x with the elements of v, in order, at those elements for which the mask is
 *  not 0: x[mask] = v of NumPy, masked_scatter of PyTorch. `how` combines them
 *  with x instead, as in gg_put_along.
 *
 *  \param mask has the shape of x
 *  \param v    a vector, cast to the dtype of x; if it has fewer elements than
 *              count, the others of x stay as they are. Or a scalar, for all.
 *
 *  Nothing waits: no size depends on the mask. */
GG_PUBLIC gg_var *gg_mask_put(gg_var *x, gg_var *mask, gg_var *v,
                              gg_put_op how);

#ifdef __cplusplus
}
#endif

#endif
