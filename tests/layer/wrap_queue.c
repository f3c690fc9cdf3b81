/* SPDX-License-Identifier: BSD-2-Clause */
/* Commands. One whose event is to fail is made and its event marked; without
 * an event it fails at once, as a driver may. */
#include "layer/wrap.h"

/* Before the command: objects in order, and what becomes of it. */
static layer_verdict before(int entry, cl_command_queue q, cl_mem a, cl_mem b,
                            cl_uint n_wait, const cl_event *wait,
                            const cl_event *event) {
  layer_used(q, entry);
  layer_used(a, entry);
  layer_used(b, entry);
  for (cl_uint i = 0; i < n_wait; i++)
    layer_used(wait[i], entry);
  layer_verdict v = layer_enter(entry);
  if (v.spoil && event == NULL)
    v.status = v.code;
  return v;
}

static cl_int after(int entry, layer_verdict v, cl_int status,
                    const cl_event *event) {
  if (status != CL_SUCCESS || event == NULL)
    return status;
  layer_created(*event, LAYER_EVENT, entry);
  if (v.spoil)
    layer_spoil(*event, v.code);
  return status;
}

/* A command with the usual end of its parameters: n_wait, wait, event. */
#define COMMAND(name, params, args, q, a, b)                                   \
  static cl_int CL_API_CALL wrap_##name params {                               \
    layer_verdict v = before(LAYER_##name, q, a, b, n_wait, wait, event);      \
                                                                               \
    if (v.status != CL_SUCCESS)                                                \
      return v.status;                                                         \
    return after(LAYER_##name, v, layer_next.name args, event);                \
  }

COMMAND(clEnqueueReadBuffer,
        (cl_command_queue q, cl_mem m, cl_bool wait_for, size_t off,
         size_t bytes, void *p, cl_uint n_wait, const cl_event *wait,
         cl_event *event),
        (q, m, wait_for, off, bytes, p, n_wait, wait, event), q, m, NULL)

COMMAND(clEnqueueWriteBuffer,
        (cl_command_queue q, cl_mem m, cl_bool wait_for, size_t off,
         size_t bytes, const void *p, cl_uint n_wait, const cl_event *wait,
         cl_event *event),
        (q, m, wait_for, off, bytes, p, n_wait, wait, event), q, m, NULL)

COMMAND(clEnqueueFillBuffer,
        (cl_command_queue q, cl_mem m, const void *pattern, size_t width,
         size_t off, size_t bytes, cl_uint n_wait, const cl_event *wait,
         cl_event *event),
        (q, m, pattern, width, off, bytes, n_wait, wait, event), q, m, NULL)

COMMAND(clEnqueueCopyBuffer,
        (cl_command_queue q, cl_mem from, cl_mem to, size_t from_off,
         size_t to_off, size_t bytes, cl_uint n_wait, const cl_event *wait,
         cl_event *event),
        (q, from, to, from_off, to_off, bytes, n_wait, wait, event), q, from,
        to)

COMMAND(clEnqueueUnmapMemObject,
        (cl_command_queue q, cl_mem m, void *p, cl_uint n_wait,
         const cl_event *wait, cl_event *event),
        (q, m, p, n_wait, wait, event), q, m, NULL)

COMMAND(clEnqueueMarkerWithWaitList,
        (cl_command_queue q, cl_uint n_wait, const cl_event *wait,
         cl_event *event),
        (q, n_wait, wait, event), q, NULL, NULL)

COMMAND(clEnqueueBarrierWithWaitList,
        (cl_command_queue q, cl_uint n_wait, const cl_event *wait,
         cl_event *event),
        (q, n_wait, wait, event), q, NULL, NULL)

static void *CL_API_CALL wrap_clEnqueueMapBuffer(cl_command_queue q, cl_mem m,
                                                 cl_bool wait_for,
                                                 cl_map_flags flags, size_t off,
                                                 size_t bytes, cl_uint n_wait,
                                                 const cl_event *wait,
                                                 cl_event *event, cl_int *err) {
  layer_verdict v =
      before(LAYER_clEnqueueMapBuffer, q, m, NULL, n_wait, wait, event);
  cl_int status = v.status;
  void *p = NULL;

  if (status == CL_SUCCESS) {
    p = layer_next.clEnqueueMapBuffer(q, m, wait_for, flags, off, bytes, n_wait,
                                      wait, event, &status);
    after(LAYER_clEnqueueMapBuffer, v, status, event);
  }
  if (err != NULL)
    *err = status;
  return p;
}

static cl_int CL_API_CALL wrap_clEnqueueNDRangeKernel(
    cl_command_queue q, cl_kernel k, cl_uint nd, const size_t *offset,
    const size_t *gs, const size_t *ls, cl_uint n_wait, const cl_event *wait,
    cl_event *event) {
  const int entry = LAYER_clEnqueueNDRangeKernel;
  layer_verdict v = before(entry, q, NULL, NULL, n_wait, wait, event);
  cl_int status = v.status;

  layer_used(k, entry);
  layer_kernel_launched(k);
  if (status == CL_SUCCESS)
    status = layer_fake_launch(k, nd, gs, ls);
  if (status == CL_SUCCESS)
    status = layer_next.clEnqueueNDRangeKernel(q, k, nd, offset, gs, ls, n_wait,
                                               wait, event);
  return after(entry, v, status, event);
}

static cl_int CL_API_CALL wrap_clEnqueueNativeKernel(
    cl_command_queue q, void(CL_CALLBACK *fn)(void *), void *args, size_t bytes,
    cl_uint n, const cl_mem *mems, const void **places, cl_uint n_wait,
    const cl_event *wait, cl_event *event) {
  const int entry = LAYER_clEnqueueNativeKernel;
  layer_verdict v = before(entry, q, NULL, NULL, n_wait, wait, event);

  for (cl_uint i = 0; i < n; i++)
    layer_used(mems[i], entry);
  if (v.status != CL_SUCCESS)
    return v.status;
  return after(entry, v,
               layer_next.clEnqueueNativeKernel(q, fn, args, bytes, n, mems,
                                                places, n_wait, wait, event),
               event);
}

LAYER_PASS(clFlush, (cl_command_queue q), (q), q)
LAYER_PASS(clFinish, (cl_command_queue q), (q), q)

#define ENTER(name) t->name = wrap_##name

void layer_wrap_queue(struct _cl_icd_dispatch *t) {
  ENTER(clEnqueueReadBuffer);
  ENTER(clEnqueueWriteBuffer);
  ENTER(clEnqueueFillBuffer);
  ENTER(clEnqueueCopyBuffer);
  ENTER(clEnqueueMapBuffer);
  ENTER(clEnqueueUnmapMemObject);
  ENTER(clEnqueueMarkerWithWaitList);
  ENTER(clEnqueueBarrierWithWaitList);
  ENTER(clEnqueueNDRangeKernel);
  ENTER(clEnqueueNativeKernel);
  ENTER(clFlush);
  ENTER(clFinish);
}
