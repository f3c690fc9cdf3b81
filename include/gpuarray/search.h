/* SPDX-License-Identifier: BSD-2-Clause */
/** \file search.h
 *  Find where elements belong among sorted ones, by bisection.
 *
 *  Elements are ordered as GpuArray_sort orders them: NaN comes last and equals
 *  NaN, -0 equals 0, bools are 0 and 1. Complex numbers have no order
 *  (GA_UNSUPPORTED_ERROR).
 */
#ifndef GPUARRAY_SEARCH_H
#define GPUARRAY_SEARCH_H

#include <gpuarray/array.h>
#include <gpuarray/launch.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Flags. */
enum {
  GA_SEARCH_RIGHT = 1 /**< behind equal elements instead of before them */
};

/** For each element of x, count the elements of `edges` that are smaller, or
 *  with GA_SEARCH_RIGHT at most as large: the position where inserting it keeps
 *  them sorted.
 *
 *  \param res   initialised on success: int64, with the sizes of x, in C order;
 *               the caller clears it
 *  \param edges ascending along its last axis, which is checked only if
 *               indices are guarded (index_guard.h); results are positions of
 *               that axis in any case. A vector, or an array of the rank and
 *               the sizes of x except for the last size: then each row of x has
 *               its own edges. Of the dtype of x.
 *
 *  GA_VALUE_ERROR if dtypes, ranks or sizes do not fit. Does not block. */
GPUARRAY_PUBLIC int GpuArray_searchsorted(GpuArray *res, const GpuArray *edges,
                                          const GpuArray *x, int flags);

/** Prepare that for one geometry. The caller provides the result, with any
 *  strides, and frees *out. The result must not overlap the operands. Slots: 0
 *  `edges`, 1 x, 2 the result. */
GPUARRAY_PUBLIC int GpuArray_searchsorted_prepare(GpuLaunch **out,
                                                  GpuArray *res,
                                                  const GpuArray *edges,
                                                  const GpuArray *x, int flags);

#ifdef __cplusplus
}
#endif

#endif
