/* SPDX-License-Identifier: BSD-2-Clause */
/** \file index_guard.h
 *  Indices out of range, found by the kernels that use them.
 *
 *  Kernels that index by data stay within their arrays whatever the indices are
 *  (index.h), and so an index out of range gives plausible numbers. In a context
 *  that guards indices such a kernel notes the first one in a buffer of the
 *  context. No call waits for that: whatever waits for the context next
 *  (GpuArray_read, gpudata_sync, ...) looks into the buffer, too, and returns
 *  GA_VALUE_ERROR with a message such as
 *
 *      take: index 7 at position 1 is out of range for axis 0 of size 2
 *
 *  once. Then the context is as before; what was computed meanwhile stays. Later
 *  indices out of range, up to that report, are not reported. Of several at the
 *  same time any may be reported. The position is in C order, and left out where
 *  the indices have gaps.
 *
 *  It costs a comparison for each index, and a small read for each wait after
 *  such kernels. Nothing guards indices unless it is asked to, but in builds of
 *  the library with assertions all contexts do. The environment variable
 *  GPUARRAY_GUARD_INDICES (1 or 0) decides for all contexts.
 */
#ifndef GPUARRAY_INDEX_GUARD_H
#define GPUARRAY_INDEX_GUARD_H

#include <gpuarray/array.h>
#include <gpuarray/launch.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Guard indices in a context from now on, or stop that. Launches that are
 *  prepared keep what they have. */
GPUARRAY_PUBLIC int gpucontext_guard_indices(gpucontext *ctx, int on);
/** Whether a context guards indices; for NULL, whether new ones do. */
GPUARRAY_PUBLIC int gpucontext_guards_indices(gpucontext *ctx);

/** Guard the indices of one launch or stop that, whatever its context does.
 *  Does nothing for launches without indices.
 *
 *  \param site where the program asked for it, such as "model.c:42", for the
 *              message; or NULL */
GPUARRAY_PUBLIC int GpuLaunch_guard_indices(GpuLaunch *l, int on,
                                            const char *site);

/** Prepare a copy of `index` to `res` that does nothing but report: for kernels
 *  that compute with indices instead of reaching for elements by them.
 *
 *  \param res,index integers of one dtype, C contiguous, of one size; may be
 *                   the same array. Slots: 0 `res`, 1 `index`
 *  \param size      the size of the axis; its number for the message is `axis`
 *  \param from_end  whether negative indices count from the end; else they are
 *                   out of range */
GPUARRAY_PUBLIC int GpuArray_check_index_prepare(GpuLaunch **out, GpuArray *res,
                                                 const GpuArray *index,
                                                 size_t size, unsigned int axis,
                                                 int from_end);

#ifdef __cplusplus
}
#endif

#endif
