/* SPDX-License-Identifier: BSD-2-Clause */
/* Staging for writes: the host's bytes are copied here, so that the call can
 * return while the queue is still busy with earlier work. A ring of slots of
 * host memory that the device reaches fast; a slot is free again when the
 * write from it has ended. */
#ifndef OCL_STAGE_H
#define OCL_STAGE_H

#include <stddef.h>

#include <gpuarray/buffer.h>

#include "ocl/clerror.h"

/* The most that is taken at once. */
#define GA_STAGE_PIECE_BYTES ((size_t)1 << 20)

/* Neighbouring slots. */
typedef struct ga__stage_piece {
  unsigned char *host;
  unsigned int slot, n;
} ga__stage_piece;

/* Can a write of this size go through the stage? Lock held. */
int ga__stage_takes(gpucontext *ctx, size_t bytes);
/* Copy and enqueue; does not wait for the queue unless the ring is full. Lock
 * held. */
int ga__stage_write(gpucontext *ctx, cl_mem dst, size_t off, const void *src,
                    size_t bytes);
/* The two halves of that, for bytes that come from elsewhere: host memory for
 * at most GA_STAGE_PIECE_BYTES bytes, and the write from it. A piece that is
 * not sent is free again. Lock held. */
int ga__stage_take(gpucontext *ctx, size_t bytes, ga__stage_piece *out);
int ga__stage_send(gpucontext *ctx, const ga__stage_piece *piece, cl_mem dst,
                   size_t off, size_t bytes);
/* Wait for what is under way and give everything back. */
void ga__stage_clear(gpucontext *ctx);

#endif
