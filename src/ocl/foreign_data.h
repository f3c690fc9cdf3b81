/* SPDX-License-Identifier: BSD-2-Clause */
/* Buffers over memory that the library does not own. */
#ifndef OCL_FOREIGN_DATA_H
#define OCL_FOREIGN_DATA_H

#include <gpuarray/buffer.h>

/* Whether kernels may read and write the buffer, by the flags of its memory
 * object. */
int ga__data_access(int *can_read, int *can_write, const gpudata *d);
/* Do not call `drop` when this foreign buffer is freed: the caller failed, so
 * the base stays with its owner. */
void ga__data_disown(gpudata *d);
/* GA_DEVSUP_ERROR unless the device computes on the host's own memory. The
 * first call blocks. */
int ga__ctx_check_sharing(gpucontext *ctx);
/* Free a foreign buffer without references. Blocks if it has a `drop`. */
void ga__foreign_free(gpudata *d);

#endif
