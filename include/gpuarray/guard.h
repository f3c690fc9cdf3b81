/* SPDX-License-Identifier: BSD-2-Clause */
/** \file guard.h
 *  Buffers between bytes that nobody should touch, so that what is written
 *  beyond their ends shows. For finding errors, not for production.
 */
#ifndef GPUARRAY_GUARD_H
#define GPUARRAY_GUARD_H

#include <gpuarray/buffer.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Allocate `sz` bytes with a pattern before and behind them: 64 bytes, or more
 *  before them where the device aligns buffers so. The buffer itself starts at
 *  offset 0 like any other; it is a sub-buffer of one memory object. Released
 *  with gpudata_release, never pooled.
 *
 *  NULL on failure, with the code in *ret (may be NULL): GA_MEMORY_ERROR. */
GPUARRAY_PUBLIC gpudata *gpudata_alloc_guarded(gpucontext *ctx, size_t sz,
                                               int *ret);
/** Was the buffer allocated so? */
GPUARRAY_PUBLIC int gpudata_has_guards(const gpudata *b);
/** Look at the bytes around a buffer. GA_VALUE_ERROR when one was written: the
 *  message has the first of them, counted from the buffer's start, and the
 *  pattern is whole again. Buffers without guards are fine. Blocks. */
GPUARRAY_PUBLIC int gpudata_check_guards(gpudata *b);

#ifdef __cplusplus
}
#endif

#endif
