/* SPDX-License-Identifier: BSD-2-Clause */
/* The context's in-order queue: launches, flushing, draining, profiling.
 *
 * PoCL starts work when it is enqueued. Other drivers may delay it until a
 * flush, so they get one every FLUSH_EVERY commands. Every wait flushes,
 * too. */
#include "ocl/queue.h"

#include <gpuarray/timeline.h>

#include <time.h>

#include "ocl/context.h"
#include "ocl/kernel/programs.h"
#include "ocl/memory/pool.h"

#define FLUSH_EVERY 16
#define END_SECONDS 60     /* limit for the wait at the end of a process */
#define POLL_NS 10000000   /* longest pause between two polls */
#define FIRST_POLL_NS 2000 /* pause after the first poll */

int ga__queue_new(cl_command_queue *out, gpucontext *ctx, int profiling) {
  cl_int status;

  *out = clCreateCommandQueue(
      ctx->cl, ctx->dev.cl, profiling ? CL_QUEUE_PROFILING_ENABLE : 0, &status);
  if (status != CL_SUCCESS) {
    *out = NULL;
    return ga__fail_status("clCreateCommandQueue", status);
  }
  return GA_NO_ERROR;
}

void ga__queue_kick(gpucontext *ctx) {
  GA_ASSERT(ga__ctx_is_locked(ctx));
  if (ctx->is_pocl || ++ctx->unflushed < FLUSH_EVERY)
    return;
  ctx->unflushed = 0;
  clFlush(ctx->queue);
}

int ga__queue_flush(gpucontext *ctx) {
  GA_ASSERT(ga__ctx_is_locked(ctx));
  ctx->unflushed = 0;
  return GA_CL(clFlush(ctx->queue));
}

int ga__queue_drain(gpucontext *ctx) {
  const uint64_t begin = gpuarray_timeline_now();

  GA_ASSERT(ga__ctx_is_locked(ctx));
  ctx->unflushed = 0;
  const int err = GA_CL(clFinish(ctx->queue));
  gpuarray_timeline_add("finish", "wait", begin);
  return err;
}

void ga__queue_settle(gpucontext *ctx) {
  cl_event end;

  GA_ASSERT(ga__ctx_is_locked(ctx));
  ctx->unflushed = 0;
  if (clFinish(ctx->queue) == CL_SUCCESS)
    return;
  if (clEnqueueMarkerWithWaitList(ctx->queue, 0, NULL, &end) != CL_SUCCESS)
    return;
  clWaitForEvents(1, &end);
  clReleaseEvent(end);
}

int ga__queue_await(gpucontext *ctx, cl_event *ev) {
  const int err = GA_CL(clWaitForEvents(1, ev));

  /* If the driver failed to wait, it may still use the memory. */
  if (err != GA_NO_ERROR)
    ga__queue_settle(ctx);
  clReleaseEvent(*ev);
  *ev = NULL;
  return err;
}

static int has_ended(cl_event ev) {
  cl_int status;

  return clGetEventInfo(ev, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status,
                        &status, NULL) != CL_SUCCESS ||
         status <= CL_COMPLETE;
}

/* Polls with a time limit: the queue may wait for an event that nobody will set
 * any more. */
void ga__queue_end(gpucontext *ctx) {
  struct timespec pause = {0, FIRST_POLL_NS};
  const time_t start = time(NULL);
  cl_event end;

  if (clEnqueueMarkerWithWaitList(ctx->queue, 0, NULL, &end) != CL_SUCCESS)
    return;
  clFlush(ctx->queue);
  while (!has_ended(end) && time(NULL) - start < END_SECONDS) {
    nanosleep(&pause, NULL);
    pause.tv_nsec = pause.tv_nsec < POLL_NS / 2 ? 2 * pause.tv_nsec : POLL_NS;
  }
  clReleaseEvent(end);
}

static int is_memory_status(cl_int status) {
  return status == CL_MEM_OBJECT_ALLOCATION_FAILURE ||
         status == CL_OUT_OF_RESOURCES || status == CL_OUT_OF_HOST_MEMORY;
}

int ga__enqueue(gpucontext *ctx, cl_kernel k, unsigned int nd, const size_t *gs,
                const size_t *ls, cl_event *ev) {
  cl_int status =
      clEnqueueNDRangeKernel(ctx->queue, k, nd, NULL, gs, ls, 0, NULL, ev);

  GA_ASSERT(ga__ctx_is_locked(ctx));
  /* Drivers that allocate at first use may run out of memory here. */
  if (is_memory_status(status) && ctx->pool.idle_bytes > 0) {
    ga__pool_trim(ctx);
    status =
        clEnqueueNDRangeKernel(ctx->queue, k, nd, NULL, gs, ls, 0, NULL, ev);
  }
  if (status != CL_SUCCESS)
    return ga__fail_status("clEnqueueNDRangeKernel", status);
  ctx->count.launches++;
  ga__programs_launched(ctx, k);
  ga__queue_kick(ctx);
  return GA_NO_ERROR;
}

/* A foreign queue is never replaced: it orders the library's work and the
 * program's. */
static int switch_foreign(gpucontext *ctx, int on) {
  cl_command_queue_properties has = 0;

  GA_TRY(GA_CL(clGetCommandQueueInfo(ctx->queue, CL_QUEUE_PROPERTIES,
                                     sizeof has, &has, NULL)));
  if (on && !(has & CL_QUEUE_PROFILING_ENABLE))
    return ga__fail(GA_UNSUPPORTED_ERROR,
                    "the context's foreign queue does not profile");
  ctx->profiling = on;
  return GA_NO_ERROR;
}

static int switch_profiling(gpucontext *ctx, int on) {
  cl_command_queue queue;

  if (ctx->profiling == on)
    return GA_NO_ERROR;
  if (ctx->has_foreign_queue)
    return switch_foreign(ctx, on);
  GA_TRY(ga__queue_drain(ctx));
  GA_TRY(ga__queue_new(&queue, ctx, on));
  clReleaseCommandQueue(ctx->queue);
  ctx->queue = queue;
  ctx->profiling = on;
  return GA_NO_ERROR;
}

int gpucontext_profile(gpucontext *ctx, int on) {
  ga__ctx_lock(ctx);
  int err = switch_profiling(ctx, on != 0);
  ga__ctx_unlock(ctx);
  return err;
}
