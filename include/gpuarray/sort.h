/* SPDX-License-Identifier: BSD-2-Clause */
/** \file sort.h
 *  Sort along one axis: values, and the positions that they come from.
 *
 *  Sorting is stable: elements that are equal stay in their order, in either
 *  direction. NaN comes last, in either direction; -0 equals 0. Bools are
 *  sorted as 0 and 1. Complex numbers have no order (GA_UNSUPPORTED_ERROR).
 */
#ifndef GPUARRAY_SORT_H
#define GPUARRAY_SORT_H

#include <gpuarray/array.h>
#include <gpuarray/launch.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Flags. */
enum {
  GA_SORT_DESCENDING = 1 /**< the largest element first */
};

/** Sort `src` along `axis`.
 *
 *  \param values  initialised on success, unless NULL: the elements in order
 *  \param indices initialised on success, unless NULL: int64, the position of
 *                 each of them along the axis of `src`
 *
 *  Results have the sizes of `src` and are in C order; the caller clears them.
 *  One of them may be NULL. Does not block. */
GPUARRAY_PUBLIC int GpuArray_sort(GpuArray *values, GpuArray *indices,
                                  const GpuArray *src, unsigned int axis,
                                  int flags);

/** Prepare it for one geometry. The caller provides the results, with any
 *  strides, apart from `src` and from each other, and frees *out. `values` has
 *  the dtype of `src`, `indices` is int64; one of them may be NULL. Slots: 0
 *  `src`, 1 `values`, 2 `indices`. */
GPUARRAY_PUBLIC int GpuArray_sort_prepare(GpuLaunch **out, GpuArray *values,
                                          GpuArray *indices,
                                          const GpuArray *src,
                                          unsigned int axis, int flags);

#ifdef __cplusplus
}
#endif

#endif
