/* SPDX-License-Identifier: BSD-2-Clause */
/* The buffer pool of a context.
 *
 * The pool stores released buffers by size class and reuses them at once: the
 * queue is in order, so commands that still use a buffer run before those of
 * its next owner. Sizes are rounded up to a class: 4 steps between powers of
 * two up to 1 MiB (at most 25% lost), 16 above (6%). Idle memory is bounded;
 * the oldest buffer is freed first. When memory runs out, all idle buffers are
 * freed. */
#ifndef OCL_MEMORY_POOL_H
#define OCL_MEMORY_POOL_H

#include <stddef.h>

#include "ocl/objects.h"

/* The class of a size. *room is the size of its memory objects, in bytes. */
size_t ga__pool_class(size_t bytes, size_t *room);

/* A buffer around `mem`, which it takes over on success only. */
int ga__data_wrap(gpudata **out, gpucontext *ctx, cl_mem mem, size_t bytes);
/* A buffer of `bytes` bytes, with one reference. Lock held. */
int ga__pool_alloc(gpudata **out, gpucontext *ctx, size_t bytes, int flags);
/* A buffer of `bytes` bytes inside a larger memory object, d->around, with
 * `before` bytes before it and `behind` bytes after it. `before` must be an
 * offset at which the device allows sub-buffers. The buffer never enters the
 * pool. Lock held. */
int ga__pool_alloc_inside(gpudata **out, gpucontext *ctx, size_t bytes,
                          size_t before, size_t behind);
/* Take back a buffer without references. Lock held. */
void ga__pool_give(gpucontext *ctx, gpudata *d);
/* Give every idle buffer back to the driver. Lock held. */
void ga__pool_trim(gpucontext *ctx);

#endif
