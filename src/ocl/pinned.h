/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory of the host that a device reaches fast. */
#ifndef OCL_PINNED_H
#define OCL_PINNED_H

#include <stddef.h>

#include <gpuarray/buffer.h>

#include "ocl/clerror.h"

typedef struct ga__pinned {
  unsigned char *host; /* NULL: there is none */
  cl_mem mem;          /* what `host` maps; NULL: it is ordinary memory */
} ga__pinned;

/* Ordinary memory where the driver gives none of its own. Waits for the queue.
 * Lock held. */
int ga__pinned_open(ga__pinned *p, gpucontext *ctx, size_t bytes);
/* No command may use it any more; one that was never opened is fine. Lock
 * held. */
void ga__pinned_close(ga__pinned *p, gpucontext *ctx);

#endif
