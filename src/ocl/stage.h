/* SPDX-License-Identifier: BSD-2-Clause */
/* Staging for writes: the host's bytes are copied here, so that the call can
 * return while the queue is still busy with earlier work. A ring of slots of
 * host memory that the device reaches fast; a slot is free again when the
 * write from it has ended. */
#ifndef OCL_STAGE_H
#define OCL_STAGE_H

#include <stddef.h>

#include "ocl/ocl.h"

#define GA_STAGE_SLOTS 16
#define GA_STAGE_SLOT_BYTES ((size_t)256 << 10)

typedef struct ga__stage {
  cl_mem mem; /* NULL until the first write, or when there is none to be had */
  unsigned char *host; /* mem as mapped */
  int refused;         /* the driver gave none */
  unsigned int next;   /* slot */
  cl_event busy[GA_STAGE_SLOTS];
} ga__stage;

/* Can a write of this size go through the stage? Lock held. */
int ga__stage_takes(gpucontext *ctx, size_t bytes);
/* Copy and enqueue; does not wait for the queue unless the ring is full. Lock
 * held. */
int ga__stage_write(gpucontext *ctx, cl_mem dst, size_t off, const void *src,
                    size_t bytes);
/* Wait for what is under way and give everything back. */
void ga__stage_clear(gpucontext *ctx);

#endif
