/* SPDX-License-Identifier: BSD-2-Clause */
/** \file sort.h
 *  Sort along an axis.
 *
 *  Sorting is stable in either direction, and NaN comes last in either. Scalars
 *  and complex numbers cannot be sorted. Negative axes count from the end. On
 *  error every function returns NULL and leaves the reason in the graph.
 */
#ifndef GPUGRAPH_SORT_H
#define GPUGRAPH_SORT_H

#include <gpugraph/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/** x in ascending order, or if `descending` the largest element first. The
 *  gradient goes back to where elements came from. */
GG_PUBLIC gg_var *gg_sort(gg_var *x, int axis, int descending);
/** int64: the positions of those elements along the axis of x. It has no
 *  gradient. */
GG_PUBLIC gg_var *gg_argsort(gg_var *x, int axis, int descending);

#ifdef __cplusplus
}
#endif

#endif
