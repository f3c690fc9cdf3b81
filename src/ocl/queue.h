/* SPDX-License-Identifier: BSD-2-Clause */
/* The context's queue. The lock is held for all of these. */
#ifndef OCL_QUEUE_H
#define OCL_QUEUE_H

#include "ocl/objects.h"

int ga__queue_new(cl_command_queue *out, gpucontext *ctx, int profiling);
/* Enqueue a kernel and count it; on a memory error the pool is trimmed and the
 * call made once more. `ev` may be NULL. */
int ga__enqueue(gpucontext *ctx, cl_kernel k, unsigned int nd, const size_t *gs,
                const size_t *ls, cl_event *ev);
/* Note that a command went to the queue; flushes now and then. */
void ga__queue_kick(gpucontext *ctx);
/* Send what is enqueued to the device now. */
int ga__queue_flush(gpucontext *ctx);
/* Block until the queue is empty. The lock stays held: of three drivers tried,
 * one loses the order of commands and one crashes when a thread waits while
 * another enqueues. */
int ga__queue_drain(gpucontext *ctx);
/* The same before memory of the host goes: a driver that refuses it is asked
 * in another way, and no error is reported. */
void ga__queue_settle(gpucontext *ctx);
/* Wait for a command of the queue that reads or writes memory of the host, and
 * release its event. It is done whatever is answered. */
int ga__queue_await(gpucontext *ctx, cl_event *ev);
/* The process ends: wait for the queue, but not forever. Needs no lock. */
void ga__queue_end(gpucontext *ctx);

#endif
