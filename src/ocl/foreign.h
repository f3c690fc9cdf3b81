/* SPDX-License-Identifier: BSD-2-Clause */
/* Queues of others. `queue` is a cl_command_queue or NULL. */
#ifndef OCL_FOREIGN_H
#define OCL_FOREIGN_H

#include <gpuarray/buffer.h>

/* Make our work wait for what is enqueued there. */
int ga__ctx_join_queue(gpucontext *ctx, void *queue);
/* Make what will be enqueued there wait for our work, or with NULL wait for it
 * now. */
int ga__ctx_hand_to_queue(gpucontext *ctx, void *queue);

#endif
