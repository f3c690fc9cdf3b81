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
/** x with the element of a rank, counted from 0 or, if negative, from the end,
 *  where an ascending sort puts it, smaller ones before it and larger ones
 *  behind it: numpy.partition; and the positions (int64) of such an order:
 *  numpy.argpartition. All are sorted. gg_kth and gg_topk find one element, or
 *  one side, faster. GA_VALUE_ERROR if the size of the axis is known and it has
 *  no such position. */
GG_PUBLIC gg_var *gg_partition(gg_var *x, int64_t rank, int axis);
GG_PUBLIC gg_var *gg_argpartition(gg_var *x, int64_t rank, int axis);

#ifdef __cplusplus
}
#endif

#endif
