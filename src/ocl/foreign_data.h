/* SPDX-License-Identifier: BSD-2-Clause */
/* Buffers around memory of others. */
#ifndef OCL_FOREIGN_DATA_H
#define OCL_FOREIGN_DATA_H

#include <gpuarray/buffer.h>

/* What kernels may do with the memory, by the flags it was made with. */
int ga__data_access(int *can_read, int *can_write, const gpudata *d);
/* Leave the base of a foreign buffer to the caller, who fails: `drop` will not
 * be called. */
void ga__data_disown(gpudata *d);
/* GA_DEVSUP_ERROR unless kernels compute on the host's own memory. */
int ga__ctx_check_sharing(gpucontext *ctx);
/* Let go of a buffer that others own; the last reference is gone. */
void ga__foreign_free(gpudata *d);

#endif
