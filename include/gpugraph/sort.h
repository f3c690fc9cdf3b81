/* SPDX-License-Identifier: BSD-2-Clause */
/** \file sort.h
 *  Sort along an axis.
 *
 *  In ascending and in descending order, sorting is stable and NaN comes last.
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

#ifdef __cplusplus
}
#endif

#endif
