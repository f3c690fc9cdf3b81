/* SPDX-License-Identifier: BSD-2-Clause */
/* The context's queue. The lock is held for all of these. */
#ifndef OCL_QUEUE_H
#define OCL_QUEUE_H

#include "ocl/objects.h"

int ga__queue_new(cl_command_queue *out, gpucontext *ctx, int profiling);
/* Enqueue a kernel and count it. On a memory error, trim the pool and try once
 * more. `ev` may be NULL. */
int ga__enqueue(gpucontext *ctx, cl_kernel k, unsigned int nd, const size_t *gs,
                const size_t *ls, cl_event *ev);
/* Note that a command was enqueued. Every few commands this flushes the
 * queue. */
void ga__queue_kick(gpucontext *ctx);
/* Send what is enqueued to the device now. Does not block. */
int ga__queue_flush(gpucontext *ctx);
/* Block until the queue is empty. The lock stays held: of three drivers tried,
 * one loses the order of commands and one crashes if a thread enqueues while
 * another one waits. */
int ga__queue_drain(gpucontext *ctx);
/* Drain the queue before host memory that it may use is freed. If clFinish
 * fails, wait for a marker. Reports no error. */
void ga__queue_settle(gpucontext *ctx);
/* Wait for a command that reads or writes host memory, release its event and
 * set *ev to NULL. Also after an error the command no longer uses that
 * memory. */
int ga__queue_await(gpucontext *ctx, cl_event *ev);
/* Wait for the queue at the end of the process, for a limited time. Needs no
 * lock. */
void ga__queue_end(gpucontext *ctx);

#endif
