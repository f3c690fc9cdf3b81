/* SPDX-License-Identifier: BSD-2-Clause */
/** \file guard.h
 *  Buffers between guard bytes, which detect writes beyond the ends of a
 *  buffer. For finding errors, not for production.
 *
 *  If GPUARRAY_GUARD is set when a context is made, the context guards all its
 *  buffers, and checks the arguments of a kernel after each call:
 *  gpukernel_call, GpuKernel_call and GpuLaunch_run block, and return
 *  GA_VALUE_ERROR if a kernel wrote beyond a buffer. The message has the
 *  kernel, its argument and how far it wrote.
 */
#ifndef GPUARRAY_GUARD_H
#define GPUARRAY_GUARD_H

#include <gpuarray/buffer.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Allocate a buffer of `sz` bytes with a pattern before and after it: 64 bytes
 *  before, or more if the device's alignment is larger, and 4096 after. The
 *  buffer starts at offset 0 like any other one; it is a sub-buffer of a larger
 *  memory object. The caller releases it with gpudata_release. It is never
 *  pooled.
 *
 *  Returns NULL on failure, with the code in *ret (`ret` may be NULL).
 *  Blocks. */
GPUARRAY_PUBLIC gpudata *gpudata_alloc_guarded(gpucontext *ctx, size_t sz,
                                               int *ret);
/** Nonzero for a buffer that has guards. */
GPUARRAY_PUBLIC int gpudata_has_guards(const gpudata *b);
/** Check the guard bytes of a buffer. GA_VALUE_ERROR if one was written: the
 *  message has the offset of the first such byte from the buffer's start, and
 *  the pattern is restored. GA_NO_ERROR for buffers without guards. Blocks. */
GPUARRAY_PUBLIC int gpudata_check_guards(gpudata *b);

#ifdef __cplusplus
}
#endif

#endif
