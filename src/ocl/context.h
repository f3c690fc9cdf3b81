/* SPDX-License-Identifier: BSD-2-Clause */
/* What every layer needs of a context: its lock, references, handles, and a
 * place for an object of its own. */
#ifndef OCL_CONTEXT_H
#define OCL_CONTEXT_H

#include <gpuarray/buffer.h>

#include "base/assert.h"
#include "ocl/clerror.h"
#include "ocl/keeper.h"

/* Make the lock of a context. */
int ga__ctx_init_lock(gpucontext *ctx);
/* The context's lock: held around clSetKernelArg .. enqueue. Recursive. */
void ga__ctx_lock(gpucontext *ctx);
void ga__ctx_unlock(gpucontext *ctx);
/* For GA_ASSERT: does this thread hold the lock? */
int ga__ctx_is_locked(const gpucontext *ctx);

/* Add a reference; gpucontext_deref drops it. */
void ga__ctx_retain(gpucontext *ctx);

/* One object of a layer above that lives as long as the context: `drop` is
 * called with it before anything else of the context goes, or when another is
 * kept in its place. Lock held. */
void *ga__ctx_kept(gpucontext *ctx, ga__keeper who);
void ga__ctx_keep(gpucontext *ctx, ga__keeper who, void *kept,
                  void (*drop)(void *));

cl_context ga__ctx_cl(gpucontext *ctx);
cl_command_queue ga__ctx_queue(gpucontext *ctx);
cl_device_id ga__ctx_device(gpucontext *ctx);

#endif
