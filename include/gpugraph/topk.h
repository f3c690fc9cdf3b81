/* SPDX-License-Identifier: BSD-2-Clause */
/** \file topk.h
 *  Select by order along an axis, without sorting the whole of it: the first k
 *  elements, the element of one rank, medians and quantiles.
 *
 *  NaN counts as larger than all other elements, as NumPy and PyTorch sort it,
 *  and -0 equals 0. Of equal elements, those with lower positions are selected,
 *  and come first. Each selected element passes its gradient to the position
 *  that it comes from; positions have none. Negative axes count from the end.
 *  Scalars have no axis. On error every function returns NULL and leaves the
 *  reason in the graph.
 */
#ifndef GPUGRAPH_TOPK_H
#define GPUGRAPH_TOPK_H

#include <gpuarray/topk.h>
#include <gpugraph/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The k largest elements of x along an axis, the largest first: torch.topk and
 *  TopK of ONNX.
 *
 *  \param k       an integer scalar; calls decide it, as the sizes of
 *                 gg_reshape_sizes. At most the size of the axis
 *                 (GA_VALUE_ERROR).
 *  \param flags   of GA_TOPK_SMALLEST and GA_TOPK_UNSORTED (gpuarray/topk.h)
 *  \param indices set to their positions along the axis, int64; may be NULL */
GG_PUBLIC gg_var *gg_topk(gg_var *x, gg_var *k, int axis, int flags,
                          gg_var **indices);
/** The element of x that an ascending sort puts at position `rank`, from 0;
 *  NaN comes last. The result does not have the axis. numpy.partition has it at
 *  this position; torch.kthvalue counts from 1.
 *
 *  \param rank    an integer scalar, which calls decide; a negative one counts
 *                 from the end. GA_VALUE_ERROR if the axis has no such position
 *  \param indices set to its position along the axis, int64; may be NULL */
GG_PUBLIC gg_var *gg_kth(gg_var *x, gg_var *rank, int axis, gg_var **indices);

/** What a quantile is that falls between two elements, as ga_quantile_method
 *  (gpuarray/topk.h) has it. */
typedef enum gg_quantile_method {
  GG_QUANTILE_LINEAR = GA_QUANTILE_LINEAR,
  GG_QUANTILE_LOWER = GA_QUANTILE_LOWER,
  GG_QUANTILE_HIGHER = GA_QUANTILE_HIGHER,
  GG_QUANTILE_NEAREST = GA_QUANTILE_NEAREST,
  GG_QUANTILE_MIDPOINT = GA_QUANTILE_MIDPOINT
} gg_quantile_method;

/** The element of x at the rank q (n - 1) of n along an axis, which the result
 *  does not have: numpy.quantile. NaN if there is one along the axis. LINEAR
 *  and MIDPOINT give floats, also of integers, as gg_mean does; the others have
 *  the dtype of x. GA_VALUE_ERROR unless q is from 0 to 1. */
GG_PUBLIC gg_var *gg_quantile(gg_var *x, double q, int axis,
                              gg_quantile_method method);
/** gg_quantile of 0.5 with GG_QUANTILE_MIDPOINT: the middle element, or the
 *  mean of the two in the middle. This is numpy.median; torch.median has the
 *  lower one. */
GG_PUBLIC gg_var *gg_median(gg_var *x, int axis);
/** The position (int64) of each element of x in the sorted axis: its number of
 *  elements that are smaller, or equal and before it. */
GG_PUBLIC gg_var *gg_rank(gg_var *x, int axis);

#ifdef __cplusplus
}
#endif

#endif
