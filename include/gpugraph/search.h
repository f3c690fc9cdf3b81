/* SPDX-License-Identifier: BSD-2-Clause */
/** \file search.h
 *  Find where elements belong among sorted ones, and count how many fall
 *  between edges.
 *
 *  Elements are ordered as gg_sort orders them: NaN comes last. Edges that
 *  decrease give results of no meaning; a function with GG_BOUNDS_GUARD or
 *  GG_INDEX_GUARD fails instead. Positions have no gradients. On error every
 *  function returns NULL and leaves the reason in the graph.
 */
#ifndef GPUGRAPH_SEARCH_H
#define GPUGRAPH_SEARCH_H

#include <gpugraph/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/** For each element of x, the number of edges (int64) that are smaller, or with
 *  `right` nonzero at most as large: numpy.searchsorted, torch.searchsorted.
 *  Operands get their common dtype.
 *
 *  \param edges ascending along their last axis: a vector, or of the rank and
 *               the sizes of x except for the last size; then each row of x has
 *               its own edges */
GG_PUBLIC gg_var *gg_searchsorted(gg_var *edges, gg_var *x, int right);
/** gg_searchsorted among a vector of edges, with the operands the other way
 *  round: torch.bucketize. The bins of numpy.digitize are closed on the other
 *  side: its right=False is `right` nonzero here. */
GG_PUBLIC gg_var *gg_bucketize(gg_var *x, gg_var *edges, int right);

/** \name Counts by bin
 *  Counts are int64. With `weights`, of the shape of x, results are their sums,
 *  in the dtype of the weights (int64 for integers and bools); weights have
 *  gradients, x has none. Parts are added up in order: two runs on a device
 *  give the same bits. */
/**@{*/
/** How often x, integers or bools of any shape, has each of 0, 1, ... n - 1.
 *  Others do not count. This is numpy.bincount of a vector with minlength n
 *  and without elements from n on.
 *
 *  \param weights NULL: counts
 *  \param n       an integer scalar, which calls decide, as sizes of
 *                 gg_reshape_sizes */
GG_PUBLIC gg_var *gg_bincount(gg_var *x, gg_var *weights, gg_var *n);
/** How many elements of x lie between neighbours of m edges, an ascending
 *  vector: m - 1 bins, as numpy.histogram has them. Bin i has edges[i] <= x <
 *  edges[i + 1], the last one also elements that equal the last edge. Others
 *  and NaN do not count. x and the edges get their common dtype. */
GG_PUBLIC gg_var *gg_histogram(gg_var *x, gg_var *edges, gg_var *weights);
/** gg_histogram with n equal bins from `lo` to `hi`, scalars; NULL for the
 *  smallest and the largest element of x, which then must have elements. Those
 *  must be finite, or else results have no meaning. If both ends are equal,
 *  bins reach from 0.5 below to 0.5 above, as in NumPy. The edges have the
 *  common dtype of all, float32 if that is no float. Ends that descend and an n
 *  below 1 are refused with GA_VALUE_ERROR where the graph knows them.
 *
 *  \param n     an integer scalar, which calls decide
 *  \param edges set to the edges; may be NULL */
GG_PUBLIC gg_var *gg_histogram_bins(gg_var *x, gg_var *n, gg_var *lo,
                                    gg_var *hi, gg_var *weights,
                                    gg_var **edges);
/** How many pairs of x and y, which have the same shape, lie in each bin of a
 *  grid, [bins of x, bins of y], as numpy.histogram2d. */
GG_PUBLIC gg_var *gg_histogram2d(gg_var *x, gg_var *y, gg_var *x_edges,
                                 gg_var *y_edges, gg_var *weights);
/**@}*/

#ifdef __cplusplus
}
#endif

#endif
