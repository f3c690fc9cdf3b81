/* SPDX-License-Identifier: BSD-2-Clause */
/* Staging for writes: a call copies the host's bytes here, so that it can
 * return while the queue is busy with earlier work. The stage is a ring of
 * slots of host memory that the device reads fast. A slot is free again when
 * the write from it has ended. */
#ifndef OCL_MEMORY_STAGE_H
#define OCL_MEMORY_STAGE_H

#include <stddef.h>

#include <gpuarray/buffer.h>

#include "ocl/clerror.h"

/* The largest piece. */
#define GA_STAGE_PIECE_BYTES ((size_t)1 << 20)

/* Consecutive slots: `n` of them from `slot` on. */
typedef struct ga__stage_piece {
  unsigned char *host;
  unsigned int slot, n;
} ga__stage_piece;

/* Nonzero if a write of `bytes` bytes should go through the stage. Lock
 * held. */
int ga__stage_takes(gpucontext *ctx, size_t bytes);
/* Copy the bytes and enqueue their write. Blocks only while the ring is full.
 * Lock held. */
int ga__stage_write(gpucontext *ctx, cl_mem dst, size_t off, const void *src,
                    size_t bytes);
/* The two halves of ga__stage_write, for callers that produce the bytes in
 * place: take host memory for at most GA_STAGE_PIECE_BYTES bytes, and enqueue
 * the write from it. A piece that is not sent is free again. Lock held. */
int ga__stage_take(gpucontext *ctx, size_t bytes, ga__stage_piece *out);
int ga__stage_send(gpucontext *ctx, const ga__stage_piece *piece, cl_mem dst,
                   size_t off, size_t bytes);
/* Wait for all writes and free the stage. Lock held. */
void ga__stage_clear(gpucontext *ctx);

#endif
