/* SPDX-License-Identifier: BSD-2-Clause */
/* Guarded buffers (<gpuarray/guard.h>). With GPUARRAY_GUARD, a context guards
 * all of its buffers. The lock is held for both functions. */
#ifndef OCL_MEMORY_GUARD_H
#define OCL_MEMORY_GUARD_H

#include <gpuarray/buffer.h>

#include "ocl/clerror.h"

int ga__guard_alloc(gpudata **out, gpucontext *ctx, size_t bytes);
/* Check the guards of a buffer after a kernel that had it as argument `arg` was
 * enqueued. GA_VALUE_ERROR if it wrote outside. Blocks. NULL and buffers
 * without guards are accepted, and cost nothing. */
int ga__guard_check_arg(gpudata *d, cl_kernel k, unsigned int arg);

#endif
