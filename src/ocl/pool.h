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
#include <stdint.h>

#include <gpuarray/buffer.h>

/* 256 B ... 1 MiB in 4 steps per doubling, then 16 per doubling. */
#define GA_POOL_SMALL_BITS 8
#define GA_POOL_LARGE_BITS 20
#define GA_POOL_CLASSES                                                        \
  (4 * (GA_POOL_LARGE_BITS - GA_POOL_SMALL_BITS) +                             \
   16 * (64 - GA_POOL_LARGE_BITS) + 1)

typedef struct ga__pool {
  gpudata *classes[GA_POOL_CLASSES]; /* idle buffers, last released first */
  gpudata *newest, *oldest;          /* the same by time of release */
  uint64_t idle_bytes, idle_max;
  uint64_t held_bytes; /* idle and in use */
  uint64_t peak_bytes; /* of bytes in use */
  uint64_t limit;      /* of held_bytes; 0: none */
  uint64_t allocs;     /* clCreateBuffer calls */
} ga__pool;

/* The class of a size and the bytes that its buffers have. */
size_t ga__pool_class(size_t bytes, size_t *room);

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
