/* SPDX-License-Identifier: BSD-2-Clause */
/** \file select.h
 *  Select elements: positions of those that are not 0, elements under a mask,
 *  distinct elements, runs, sets.
 *
 *  An element counts if it is not 0: NaN counts, -0.0 does not. Of a complex
 *  number either part may count. Results are in C order. On error every
 *  function returns NULL, or a GA_* code, and leaves the reason in the graph.
 *
 *  How many elements are selected, only the data know. A call waits once, reads
 *  the count, and plans all that depends on it for the real size. Any size,
 *  bound or number of iterations may be such a scalar: an integer that the
 *  device computes (docs/select.md).
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

/** The coordinates of the elements of x that are not 0: int64, [count, rank of
 *  x]. No gradient. */
GG_PUBLIC gg_var *gg_nonzero(gg_var *x);
/** Their positions in C order: int64, [count]. No gradient. */
GG_PUBLIC gg_var *gg_flatnonzero(gg_var *x);
/** x[mask]: the elements, or rows, of x for which the mask is not 0: [count,
 *  ...]. The mask has the leading axes of x, at least one; axes behind them
 *  stay. The gradient of each goes to its element. */
GG_PUBLIC gg_var *gg_compress(gg_var *x, gg_var *mask);
/** The distinct elements of x in ascending order, [count].
 *
 *  \param first   unless NULL, *first becomes the position in x, in C order, of
 *                 the first element that equals each: int64, [count]
 *  \param inverse unless NULL: for each element of x, in C order, the position
 *                 of its equal in the result: int64, [elements of x]
 *  \param counts  unless NULL: how many elements of x equal each: int64,
 *                 [count]
 *
 *  All NaN are one element, the last, and so are all complex numbers with a
 *  NaN; -0 equals 0. The gradient of each goes to
 *  the first element that equals it. */
GG_PUBLIC gg_var *gg_unique(gg_var *x, gg_var **first, gg_var **inverse,
                            gg_var **counts);
/** The first element of each run of equal neighbours in x, in C order, [count].
 *  Unless NULL, *starts becomes the positions of these elements, and *lengths
 *  the number of elements of each run: int64, [count]. */
GG_PUBLIC gg_var *gg_run_lengths(gg_var *x, gg_var **starts, gg_var **lengths);

/** \name Sets
 *  a and b have one dtype, that of the result, which is a vector of distinct
 *  elements in ascending order. */
/**@{*/
GG_PUBLIC gg_var *gg_union(gg_var *a, gg_var *b);
GG_PUBLIC gg_var *gg_intersection(gg_var *a, gg_var *b);
GG_PUBLIC gg_var *gg_difference(gg_var *a, gg_var *b); /**< in a, not in b */
/** Whether each element of x is in `set`, any array: bool, of the shape of x.
 *  NaN is in no set. No size depends on the data, so nothing waits. */
GG_PUBLIC gg_var *gg_is_member(gg_var *x, gg_var *set);
/**@}*/

/** Select boxes by score, as NonMaxSuppression of ONNX: the best box of a
 *  class, then the best of those that do not overlap it, and so on.
 *
 *  \param boxes           [B, N, 4], floats: two opposite corners (y, x, y, x);
 *                         with `is_center` (x, y) of the centre, width, height
 *  \param scores          [B, C, N], of the dtype of the boxes
 *  \param most            boxes of a class at most, an integer scalar
 *  \param iou_threshold   boxes overlap if their intersection exceeds this part
 *                         of their union; a scalar
 *  \param score_threshold only boxes of greater scores are selected; or NULL
 *
 *  The result is int64, [count, 3]: batch, class and box, in this order; the
 *  boxes of a class from the best score on. No gradient. */
GG_PUBLIC gg_var *gg_non_max_suppression(gg_var *boxes, gg_var *scores,
                                         gg_var *most, gg_var *iou_threshold,
                                         gg_var *score_threshold,
                                         int is_center);

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
