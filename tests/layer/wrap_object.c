/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory objects and events. */
#include <stddef.h>

#include "layer/wrap.h"

static cl_mem CL_API_CALL wrap_clCreateBuffer(cl_context c, cl_mem_flags flags,
                                              size_t bytes, void *host,
                                              cl_int *err) {
  layer_used(c, LAYER_clCreateBuffer);
  LAYER_FAILS(LAYER_clCreateBuffer, err);
  cl_int refused = layer_fake_alloc(bytes);
  if (refused != CL_SUCCESS) {
    if (err != NULL)
      *err = refused;
    return NULL;
  }
  cl_mem m = layer_next.clCreateBuffer(c, flags, bytes, host, err);
  layer_created(m, LAYER_MEM, LAYER_clCreateBuffer);
  if (m != NULL) {
    layer_sized(m, bytes);
    layer_fake_allocated(m, bytes);
  }
  return m;
}

static cl_mem CL_API_CALL wrap_clCreateSubBuffer(cl_mem parent,
                                                 cl_mem_flags flags,
                                                 cl_buffer_create_type type,
                                                 const void *info,
                                                 cl_int *err) {
  layer_used(parent, LAYER_clCreateSubBuffer);
  LAYER_FAILS(LAYER_clCreateSubBuffer, err);
  cl_mem m = layer_next.clCreateSubBuffer(parent, flags, type, info, err);
  layer_created(m, LAYER_MEM, LAYER_clCreateSubBuffer);
  return m;
}

static void mem_released(cl_mem m, int entry) {
  layer_released(m, entry);
  layer_fake_released(m);
}

LAYER_RETAIN(clRetainMemObject, cl_mem)
LAYER_RELEASE(clReleaseMemObject, cl_mem, mem_released)
LAYER_PASS(clGetMemObjectInfo,
           (cl_mem m, cl_mem_info what, size_t bytes, void *out, size_t *need),
           (m, what, bytes, out, need), m)

/* --- events --- */

static cl_int CL_API_CALL wrap_clWaitForEvents(cl_uint n,
                                               const cl_event *events) {
  for (cl_uint i = 0; i < n; i++)
    layer_used(events[i], LAYER_clWaitForEvents);
  cl_int status = layer_enter(LAYER_clWaitForEvents).status;
  if (status == CL_SUCCESS)
    status = layer_next.clWaitForEvents(n, events);
  for (cl_uint i = 0; i < n && status == CL_SUCCESS; i++)
    if (layer_spoiled(events[i]) != CL_SUCCESS)
      status = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
  return status;
}

static cl_int CL_API_CALL wrap_clGetEventInfo(cl_event e, cl_event_info what,
                                              size_t bytes, void *out,
                                              size_t *need) {
  const cl_int code = layer_spoiled(e);

  layer_used(e, LAYER_clGetEventInfo);
  cl_int status = layer_enter(LAYER_clGetEventInfo).status;
  if (status == CL_SUCCESS)
    status = layer_next.clGetEventInfo(e, what, bytes, out, need);
  if (status == CL_SUCCESS && code != CL_SUCCESS && out != NULL &&
      what == CL_EVENT_COMMAND_EXECUTION_STATUS)
    *(cl_int *)out = code;
  return status;
}

static cl_int CL_API_CALL wrap_clGetEventProfilingInfo(cl_event e,
                                                       cl_profiling_info what,
                                                       size_t bytes, void *out,
                                                       size_t *need) {
  layer_used(e, LAYER_clGetEventProfilingInfo);
  cl_int status = layer_enter(LAYER_clGetEventProfilingInfo).status;
  if (status == CL_SUCCESS && layer_spoiled(e) != CL_SUCCESS)
    status = CL_PROFILING_INFO_NOT_AVAILABLE;
  return status != CL_SUCCESS
             ? status
             : layer_next.clGetEventProfilingInfo(e, what, bytes, out, need);
}

LAYER_RETAIN(clRetainEvent, cl_event)
LAYER_RELEASE(clReleaseEvent, cl_event, layer_released)

#define ENTER(name) t->name = wrap_##name

void layer_wrap_object(struct _cl_icd_dispatch *t) {
  ENTER(clCreateBuffer);
  ENTER(clCreateSubBuffer);
  ENTER(clRetainMemObject);
  ENTER(clReleaseMemObject);
  ENTER(clGetMemObjectInfo);
  ENTER(clWaitForEvents);
  ENTER(clGetEventInfo);
  ENTER(clGetEventProfilingInfo);
  ENTER(clRetainEvent);
  ENTER(clReleaseEvent);
}
