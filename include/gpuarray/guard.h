/* SPDX-License-Identifier: BSD-2-Clause */
/** \file guard.h
 *  Buffers between guard bytes that nothing should write, so that writes beyond
 *  their ends are found. For finding errors, not for production.
 *
 *  With GPUARRAY_GUARD in the environment, a context that is made then guards
 *  all its buffers, and checks those that a kernel gets after each of its
 *  calls: gpukernel_call, GpuKernel_call and GpuLaunch_run then return
 *  GA_VALUE_ERROR with the kernel, its argument and how far it wrote.
 */
#ifndef GPUARRAY_GUARD_H
#define GPUARRAY_GUARD_H

#include <gpuarray/buffer.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Allocate `sz` bytes with a pattern before and behind them: 64 bytes before,
 *  or more where the device aligns buffers so, and 4096 behind. The buffer itself starts at
 *  offset 0 like any other; it is a sub-buffer of one memory object. Released
 *  with gpudata_release, never pooled.
 *
 *  NULL on failure, with the code in *ret (may be NULL): GA_MEMORY_ERROR. */
GPUARRAY_PUBLIC gpudata *gpudata_alloc_guarded(gpucontext *ctx, size_t sz,
                                               int *ret);
/** Nonzero for a buffer that has guards. */
GPUARRAY_PUBLIC int gpudata_has_guards(const gpudata *b);
/** Check the guard bytes of a buffer. GA_VALUE_ERROR when one was written: the
 *  message has the first such byte, counted from the buffer's start, and the
 *  pattern is restored. GA_NO_ERROR for buffers without guards. Blocks. */
GPUARRAY_PUBLIC int gpudata_check_guards(gpudata *b);

#ifdef __cplusplus
}
#endif

#endif
