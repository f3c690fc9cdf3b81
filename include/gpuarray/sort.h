/* SPDX-License-Identifier: BSD-2-Clause */
/** \file sort.h
 *  Sort along one axis: values, and the positions that they come from.
 *
 *  In ascending and in descending order, sorting is stable (equal elements stay
 *  in their order) and NaN comes last. -0 equals 0. Bools are sorted as 0 and
 *  1. Complex numbers have no order (GA_UNSUPPORTED_ERROR).
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
 *  \param values  initialised on success: the elements in order; or NULL
 *  \param indices initialised on success: int64, the position of each of them
 *                 along the axis of `src`; or NULL
 *  \param flags   GA_SORT_DESCENDING, or 0
 *
 *  Results have the sizes of `src` and are in C order; the caller clears them.
 *  GA_VALUE_ERROR if both are NULL. Does not block. */
GPUARRAY_PUBLIC int GpuArray_sort(GpuArray *values, GpuArray *indices,
                                  const GpuArray *src, unsigned int axis,
                                  int flags);

/** Prepare a sort for one geometry. The caller provides the results, with any
 *  strides, and frees *out. `values` has the dtype of `src`, `indices` is
 *  int64; one of them may be NULL. They must not overlap `src` or each other
 *  (GA_VALUE_ERROR). Slots: 0 `src`, 1 `values`, 2 `indices`. */
GPUARRAY_PUBLIC int GpuArray_sort_prepare(GpuLaunch **out, GpuArray *values,
                                          GpuArray *indices,
                                          const GpuArray *src,
                                          unsigned int axis, int flags);

#ifdef __cplusplus
}
#endif

#endif
