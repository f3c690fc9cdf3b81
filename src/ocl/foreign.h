/* SPDX-License-Identifier: BSD-2-Clause */
/* Order between a context and a foreign queue: `queue` is a cl_command_queue or
 * NULL. */
#ifndef OCL_FOREIGN_H
#define OCL_FOREIGN_H

#include <gpuarray/buffer.h>

/* Make later work of the context wait for what has been enqueued in `queue`.
 * NULL does nothing. Does not block. */
int ga__ctx_join_queue(gpucontext *ctx, void *queue);
/* Make later commands of `queue` wait for the context's work so far. Blocks
 * until that work has ended if `queue` is NULL. */
int ga__ctx_hand_to_queue(gpucontext *ctx, void *queue);

#endif
