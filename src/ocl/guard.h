/* SPDX-License-Identifier: BSD-2-Clause */
/* Guarded buffers (<gpuarray/guard.h>), as the context makes all of its buffers
 * with GPUARRAY_GUARD. The lock is held for both of these. */
#ifndef OCL_GUARD_H
#define OCL_GUARD_H

#include <gpuarray/buffer.h>

#include "ocl/clerror.h"

int ga__guard_alloc(gpudata **out, gpucontext *ctx, size_t bytes);
/* Check the guards of a buffer that was argument `arg` of a kernel, which has
 * been enqueued. Buffers without guards are fine. Waits. */
int ga__guard_check_arg(gpudata *d, cl_kernel k, unsigned int arg);

#endif
