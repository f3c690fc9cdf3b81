/* SPDX-License-Identifier: BSD-2-Clause */
/* Host memory that a device reads and writes fast. */
#ifndef OCL_MEMORY_PINNED_H
#define OCL_MEMORY_PINNED_H

#include <stddef.h>

#include <gpuarray/buffer.h>

#include "ocl/clerror.h"

typedef struct ga__pinned {
  unsigned char *host; /* NULL: there is none */
  cl_mem mem;          /* mapped at `host`; NULL: `host` is from ga__malloc */
} ga__pinned;

/* Allocate `bytes` bytes: mapped memory of the driver, or ordinary memory if it
 * has none. Blocks. Lock held. */
int ga__pinned_open(ga__pinned *p, gpucontext *ctx, size_t bytes);
/* Free the memory. No command may use it any more. A zeroed ga__pinned is
 * accepted. Blocks. Lock held. */
void ga__pinned_close(ga__pinned *p, gpucontext *ctx);

#endif
