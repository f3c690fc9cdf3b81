/* SPDX-License-Identifier: BSD-2-Clause */
/** \file sort.h
 *  Sort along an axis.
 *
 *  In ascending and in descending order, sorting is stable and NaN comes last.
 *  Complex numbers have the order of gpuarray/sort.h, and take three sorts.
 *  Scalars cannot be sorted. Negative axes count from the end. On error every
 *  function returns NULL and leaves the reason in the graph.
 */
#ifndef GPUGRAPH_SORT_H
#define GPUGRAPH_SORT_H

#include <gpuarray/sort.h>
#include <gpugraph/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/** x in ascending order, or in descending order if `descending` is nonzero.
 *  Each element gets the gradient of the position that it is sorted to. */
GG_PUBLIC gg_var *gg_sort(gg_var *x, int axis, int descending);
/** The positions (int64) along the axis of x from which gg_sort takes its
 *  elements. There is no gradient. */
GG_PUBLIC gg_var *gg_argsort(gg_var *x, int axis, int descending);
/** The positions (int64) along an axis in the ascending order of n keys of the
 *  same shape: by the last key, equal ones by the key before it, and so on:
 *  numpy.lexsort. Equal ones in all keys stay in their order. GA_VALUE_ERROR if
 *  there are no keys or their ranks or sizes differ. */
GG_PUBLIC gg_var *gg_lexsort(unsigned int n, gg_var *const *keys, int axis);
/** Sort keys, and n arrays of the same shape along with them, by one sort.
 *
 *  \param out    out[i] becomes the elements of values[i] in the order of the
 *                keys; all NULL on error
 *  \param values of any dtypes
 *
 *  Returns the keys in order. Each element gets the gradient of the position
 *  that it moves to. GA_VALUE_ERROR if ranks or sizes differ. */
GG_PUBLIC gg_var *gg_sort_by(gg_var **out, gg_var *keys, unsigned int n,
                             gg_var *const *values, int axis, int descending);

/** \name Partitions
 *  x with the elements of some ranks where an ascending sort puts them, smaller
 *  ones before and larger ones behind, and the positions (int64) of such an
 *  order: numpy.partition and numpy.argpartition. Ranks count from 0 or, if
 *  negative, from the end. Rows of at most GA_PARTITION_SORTED elements
 *  (gpuarray/sort.h) are sorted, and all rows for more than GA_PARTITION_RANKS
 *  ranks. Longer rows are split by the elements of the ranks; what lies before,
 *  between and behind them, and what equals one, keeps its order. gg_kth and
 *  gg_topk find one element, or one side, faster. Each element passes its
 *  gradient to the position that it comes from. GA_VALUE_ERROR if the axis has
 *  no such position. */
/**@{*/
GG_PUBLIC gg_var *gg_partition(gg_var *x, int64_t rank, int axis);
GG_PUBLIC gg_var *gg_argpartition(gg_var *x, int64_t rank, int axis);
/** The same for n ranks, integer scalars, which calls decide. GA_VALUE_ERROR if
 *  n is 0. */
GG_PUBLIC gg_var *gg_partition_ranks(gg_var *x, unsigned int n,
                                     gg_var *const *ranks, int axis);
GG_PUBLIC gg_var *gg_argpartition_ranks(gg_var *x, unsigned int n,
                                        gg_var *const *ranks, int axis);
/**@}*/

#ifdef __cplusplus
}
#endif

#endif
