/* SPDX-License-Identifier: BSD-2-Clause */
/* What every layer needs of a context: its lock, its references, its OpenCL
 * handles, and a slot for one object of the layer. */
#ifndef OCL_CONTEXT_H
#define OCL_CONTEXT_H

#include <gpuarray/buffer.h>

#include "base/assert.h"
#include "ocl/clerror.h"
#include "ocl/keeper.h"

/* Create the lock of a context. */
int ga__ctx_init_lock(gpucontext *ctx);
/* The context's lock, which is recursive. It is held from the first
 * clSetKernelArg to the enqueue. */
void ga__ctx_lock(gpucontext *ctx);
void ga__ctx_unlock(gpucontext *ctx);
/* For GA_ASSERT: nonzero if this thread holds the lock. */
int ga__ctx_is_locked(const gpucontext *ctx);

/* Add a reference; gpucontext_deref drops it. */
void ga__ctx_retain(gpucontext *ctx);

/* One object per layer above that lives as long as the context. The context
 * owns it: it calls `drop` before it frees its own parts, or when another
 * object replaces this one. ga__ctx_kept gives NULL if there is none. Lock
 * held. */
void *ga__ctx_kept(gpucontext *ctx, ga__keeper who);
void ga__ctx_keep(gpucontext *ctx, ga__keeper who, void *kept,
                  void (*drop)(void *));

cl_context ga__ctx_cl(gpucontext *ctx);
cl_command_queue ga__ctx_queue(gpucontext *ctx);
cl_device_id ga__ctx_device(gpucontext *ctx);

#endif
