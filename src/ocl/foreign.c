/* SPDX-License-Identifier: BSD-2-Clause */
/* Sharing OpenCL objects: handles of a context, events, foreign contexts. */
#include "ocl/foreign.h"

#include <string.h>

#include <gpuarray/opencl.h>

#include "base/alloc.h"
#include "ocl/context.h"
#include "ocl/context_new.h"
#include "ocl/objects.h"
#include "ocl/queue.h"

static const gpuforeign retained = {GPU_RETAIN, NULL, NULL};

/* --- the library's handles --- */

int gpucontext_opencl(gpucontext *ctx, gpuopencl *out) {
  memset(out, 0, sizeof *out);
  if (ctx == NULL)
    return ga__fail(GA_INVALID_ERROR, "the context is NULL");
  ga__ctx_lock(ctx);
  out->platform = ctx->dev.cl_platform;
  out->context = ctx->cl;
  out->device = ctx->dev.cl;
  out->queue = ctx->queue;
  ga__ctx_unlock(ctx);
  return GA_NO_ERROR;
}

int gpudata_opencl(gpudata *d, cl_mem *out) {
  *out = NULL;
  if (d == NULL)
    return ga__fail(GA_INVALID_ERROR, "the buffer is NULL");
  *out = d->mem;
  return GA_NO_ERROR;
}

/* --- events --- */

int gpucontext_event(gpucontext *ctx, cl_event *out) {
  int err;

  *out = NULL;
  if (ctx == NULL)
    return ga__fail(GA_INVALID_ERROR, "the context is NULL");
  ga__ctx_lock(ctx);
  GA_CHECK(GA_CL(clEnqueueMarkerWithWaitList(ctx->queue, 0, NULL, out)));
  err = ga__queue_flush(ctx);
  if (err != GA_NO_ERROR) {
    clReleaseEvent(*out);
    *out = NULL;
  }

done:
  ga__ctx_unlock(ctx);
  return err;
}

static int check_event(const gpucontext *ctx, unsigned int i, cl_event ev) {
  cl_context owner = NULL;
  cl_int status = CL_COMPLETE;

  GA_TRY(
      GA_CL(clGetEventInfo(ev, CL_EVENT_CONTEXT, sizeof owner, &owner, NULL)));
  if (owner != ctx->cl)
    return ga__fail(GA_VALUE_ERROR, "event %u is of another context", i);
  GA_TRY(GA_CL(clGetEventInfo(ev, CL_EVENT_COMMAND_EXECUTION_STATUS,
                              sizeof status, &status, NULL)));
  if (status < 0)
    return ga__fail(GA_RUN_ERROR, "event %u: its command failed with %s", i,
                    ga__status_name(status));
  return GA_NO_ERROR;
}

int gpucontext_wait(gpucontext *ctx, unsigned int n, const cl_event *events) {
  if (ctx == NULL)
    return ga__fail(GA_INVALID_ERROR, "the context is NULL");
  for (unsigned int i = 0; i < n; i++)
    GA_TRY(check_event(ctx, i, events[i]));
  if (n == 0)
    return GA_NO_ERROR;
  ga__ctx_lock(ctx);
  int err = GA_CL(clEnqueueBarrierWithWaitList(ctx->queue, n, events, NULL));
  if (err == GA_NO_ERROR)
    ga__queue_kick(ctx);
  ga__ctx_unlock(ctx);
  return err;
}

/* The lock keeps gpucontext_profile from replacing the queue meanwhile. */
static int is_own_queue(gpucontext *ctx, const void *queue) {
  ga__ctx_lock(ctx);
  const int is_own = queue == ctx->queue;
  ga__ctx_unlock(ctx);
  return is_own;
}

int ga__ctx_join_queue(gpucontext *ctx, void *queue) {
  cl_event ev = NULL;
  int err;

  if (queue == NULL || is_own_queue(ctx, queue))
    return GA_NO_ERROR;
  GA_TRY(GA_CL(clEnqueueMarkerWithWaitList(queue, 0, NULL, &ev)));
  GA_CHECK(GA_CL(clFlush(queue)));
  GA_CHECK(gpucontext_wait(ctx, 1, &ev));

done:
  clReleaseEvent(ev);
  return err;
}

int ga__ctx_hand_to_queue(gpucontext *ctx, void *queue) {
  cl_event ev = NULL;

  if (queue == NULL) {
    ga__ctx_lock(ctx);
    int err = ga__queue_drain(ctx);
    ga__ctx_unlock(ctx);
    return err;
  }
  if (is_own_queue(ctx, queue))
    return GA_NO_ERROR; /* its commands are in order */
  GA_TRY(gpucontext_event(ctx, &ev));
  int err = GA_CL(clEnqueueBarrierWithWaitList(queue, 1, &ev, NULL));
  clReleaseEvent(ev);
  return err;
}

/* --- foreign contexts --- */

/* from->device, which must be one of the context's, or the first one if it is
 * NULL. */
static int pick_device(cl_device_id *out, const gpuopencl *from) {
  size_t bytes = 0;
  cl_device_id *all = NULL;
  int err;

  GA_TRY(GA_CL(
      clGetContextInfo(from->context, CL_CONTEXT_DEVICES, 0, NULL, &bytes)));
  all = ga__malloc(bytes);
  if (all == NULL)
    return ga__fail_nomem();
  GA_CHECK(GA_CL(
      clGetContextInfo(from->context, CL_CONTEXT_DEVICES, bytes, all, NULL)));
  *out = NULL;
  for (size_t i = 0; i < bytes / sizeof *all && *out == NULL; i++) {
    if (from->device == NULL || from->device == all[i])
      *out = all[i];
  }
  if (*out == NULL)
    err = ga__fail(GA_VALUE_ERROR, "the device is none of the context's %zu",
                   bytes / sizeof *all);

done:
  ga__free(all);
  return err;
}

static int check_queue(const gpuopencl *from, cl_device_id device) {
  cl_context context = NULL;
  cl_device_id its = NULL;
  cl_command_queue_properties has = 0;

  GA_TRY(GA_CL(clGetCommandQueueInfo(from->queue, CL_QUEUE_CONTEXT,
                                     sizeof context, &context, NULL)));
  GA_TRY(GA_CL(clGetCommandQueueInfo(from->queue, CL_QUEUE_DEVICE, sizeof its,
                                     &its, NULL)));
  GA_TRY(GA_CL(clGetCommandQueueInfo(from->queue, CL_QUEUE_PROPERTIES,
                                     sizeof has, &has, NULL)));
  if (context != from->context)
    return ga__fail(GA_VALUE_ERROR, "the queue is of another context");
  if (its != device)
    return ga__fail(GA_VALUE_ERROR, "the queue is of another device");
  if (has & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)
    return ga__fail(GA_VALUE_ERROR, "the queue runs out of order");
  return GA_NO_ERROR;
}

/* Retain the context and the queue, unless they are borrowed. */
static int hold_context(const gpuopencl *from, const gpuforeign *how) {
  if (how->hold == GPU_BORROW)
    return GA_NO_ERROR;
  GA_TRY(GA_CL(clRetainContext(from->context)));
  if (from->queue == NULL)
    return GA_NO_ERROR;
  int err = GA_CL(clRetainCommandQueue(from->queue));
  if (err != GA_NO_ERROR)
    clReleaseContext(from->context);
  return err;
}

static int wrap_context(gpucontext **out, const gpuopencl *from,
                        const gpuforeign *how, gpucontext_props *props) {
  cl_platform_id platform;
  cl_device_id device;
  ga__device dev;

  GA_TRY(pick_device(&device, from));
  if (from->queue != NULL)
    GA_TRY(check_queue(from, device));
  GA_TRY(GA_CL(clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform,
                               &platform, NULL)));
  GA_TRY(ga__device_describe(&dev, platform, device));
  ga__device_number(platform, device, &dev.platform, &dev.device);
  GA_TRY(hold_context(from, how));
  return ga__ctx_new(out, &dev, from->context, from->queue, how, props);
}

int gpucontext_from_opencl(gpucontext **out, const gpuopencl *from,
                           const gpuforeign *how, gpucontext_props *props) {
  *out = NULL;
  int err = wrap_context(out, from, how != NULL ? how : &retained, props);
  gpucontext_props_del(props);
  return err;
}
