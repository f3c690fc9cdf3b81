/* SPDX-License-Identifier: BSD-2-Clause */
/* The stream-ordered buffer pool.
 *
 * A released buffer is kept, by size class, and handed out again at once: the
 * queue is in order, so whatever still uses it runs before what comes next.
 * Sizes are rounded up to a class: 4 steps between powers of two up to 1 MiB
 * (at most 25% lost), 16 above (6%). Idle memory is bounded; the oldest goes
 * first. Under memory pressure all of it goes. */
#ifndef OCL_POOL_H
#define OCL_POOL_H

#include <stddef.h>

#include "ocl/objects.h"

/* The class of a size and the bytes that its buffers have. */
size_t ga__pool_class(size_t bytes, size_t *room);

/* A buffer struct around `mem`, which is taken over only on success. */
int ga__data_wrap(gpudata **out, gpucontext *ctx, cl_mem mem, size_t bytes);
/* A buffer of at least `bytes`, with one reference. Lock held. */
int ga__pool_alloc(gpudata **out, gpucontext *ctx, size_t bytes, int flags);
/* A buffer of `bytes` that is not pooled, with bytes before it, so many that a
 * sub-buffer can start there, and behind it: d->around. Lock held. */
int ga__pool_alloc_inside(gpudata **out, gpucontext *ctx, size_t bytes,
                          size_t before, size_t behind);
/* Take a buffer without references. Lock held. */
void ga__pool_give(gpucontext *ctx, gpudata *d);
/* Give every idle buffer back to the driver. Lock held. */
void ga__pool_trim(gpucontext *ctx);

#endif
