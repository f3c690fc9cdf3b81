/* SPDX-License-Identifier: BSD-2-Clause */
/** \file index_guard.h
 *  Detect indices out of range, and edges that decrease, in the kernels that
 *  use them.
 *
 *  Kernels that index by data stay within their arrays whatever the indices are
 *  (index.h), so an index out of range gives plausible results. In a context
 *  that guards indices, such a kernel reports the first one in a buffer of the
 *  context. No call waits for that: the next call that waits for the context
 *  (GpuArray_read, gpudata_sync, ...) also reads that buffer, and returns
 *  GA_VALUE_ERROR with a message such as
 *
 *      take: index 7 at position 1 is out of range for axis 0 of size 2
 *
 *  once. Then the context works as before, and results computed meanwhile stay.
 *  Further indices out of range before that call are not reported; of several
 *  at the same time, any one may be. The position is in C order, and is left
 *  out if the indices have gaps.
 *
 *  Edges of GpuArray_searchsorted and GpuArray_histogram that decrease are
 *  reported in the same way:
 *
 *      histogram: edges decrease from 3 to 2 at position 5
 *
 *  NaN is last in order, so edges decrease from NaN to a number. Positions are
 *  those of all rows of edges in C order.
 *
 *  It costs a comparison for each index, a kernel that reads the edges once for
 *  each call that searches among them, and a small read for each wait after
 *  such kernels. It is off by default, except in builds of the library with
 *  assertions. The environment variable GPUARRAY_GUARD_INDICES (1 or 0) sets
 *  the default for all contexts.
 */
#ifndef GPUARRAY_INDEX_GUARD_H
#define GPUARRAY_INDEX_GUARD_H

#include <gpuarray/array.h>
#include <gpuarray/launch.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Switch the index guard of a context on or off, for launches that are
 *  prepared from now on. */
GPUARRAY_PUBLIC int gpucontext_guard_indices(gpucontext *ctx, int on);
/** Nonzero if a context guards indices; for NULL, if new contexts do. */
GPUARRAY_PUBLIC int gpucontext_guards_indices(gpucontext *ctx);

/** Switch the index guard of one launch on or off, independently of its
 *  context. Does nothing for launches without indices.
 *
 *  \param site source line of the program for the message, such as
 *              "model.c:42", copied; or NULL */
GPUARRAY_PUBLIC int GpuLaunch_guard_indices(GpuLaunch *l, int on,
                                            const char *site);

/** Prepare a copy of `index` to `res` that reports indices out of range. For
 *  kernels that compute with indices instead of accessing elements by them.
 *
 *  \param res,index integers of one dtype, C contiguous, of one size; may be
 *                   the same array. Slots: 0 `res`, 1 `index`
 *  \param size      the size of the axis; the message has `axis` as its index
 *  \param from_end  nonzero if negative indices count from the end; else they
 *                   are out of range */
GPUARRAY_PUBLIC int GpuArray_check_index_prepare(GpuLaunch **out, GpuArray *res,
                                                 const GpuArray *index,
                                                 size_t size, unsigned int axis,
                                                 int from_end);

#ifdef __cplusplus
}
#endif

#endif
