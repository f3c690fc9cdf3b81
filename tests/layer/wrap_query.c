/* SPDX-License-Identifier: BSD-2-Clause */
/* Platforms, devices, contexts and the questions about them. */
#include "layer/wrap.h"

static cl_int CL_API_CALL wrap_clGetPlatformIDs(cl_uint n,
                                                cl_platform_id *platforms,
                                                cl_uint *found) {
  const cl_int status = layer_enter(LAYER_clGetPlatformIDs).status;

  if (status != CL_SUCCESS)
    return status;
  if (layer_fake_now.no_platform)
    return -1001; /* CL_PLATFORM_NOT_FOUND_KHR */
  return layer_next.clGetPlatformIDs(n, platforms, found);
}

static cl_int CL_API_CALL wrap_clGetDeviceIDs(cl_platform_id p,
                                              cl_device_type type, cl_uint n,
                                              cl_device_id *devices,
                                              cl_uint *found) {
  const cl_int status = layer_enter(LAYER_clGetDeviceIDs).status;

  if (status != CL_SUCCESS)
    return status;
  if (layer_fake_now.no_device)
    return CL_DEVICE_NOT_FOUND;
  return layer_next.clGetDeviceIDs(p, type, n, devices, found);
}

static cl_int CL_API_CALL wrap_clGetDeviceInfo(cl_device_id d,
                                               cl_device_info what,
                                               size_t bytes, void *out,
                                               size_t *need) {
  cl_int status = layer_enter(LAYER_clGetDeviceInfo).status;

  if (status != CL_SUCCESS ||
      layer_fake_info(d, what, bytes, out, need, &status))
    return status;
  return layer_next.clGetDeviceInfo(d, what, bytes, out, need);
}

LAYER_PASS(clGetPlatformInfo,
           (cl_platform_id p, cl_platform_info what, size_t bytes, void *out,
            size_t *need),
           (p, what, bytes, out, need), NULL)

/* Has no status: a failure is a function that is not there. */
static void *CL_API_CALL wrap_clGetExtensionFunctionAddressForPlatform(
    cl_platform_id p, const char *name) {
  if (layer_enter(LAYER_clGetExtensionFunctionAddressForPlatform).status !=
      CL_SUCCESS)
    return NULL;
  return layer_next.clGetExtensionFunctionAddressForPlatform(p, name);
}

static cl_context CL_API_CALL wrap_clCreateContext(
    const cl_context_properties *props, cl_uint n, const cl_device_id *devices,
    void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *),
    void *arg, cl_int *err) {
  LAYER_FAILS(LAYER_clCreateContext, err);
  cl_context c =
      layer_next.clCreateContext(props, n, devices, notify, arg, err);
  layer_created(c, LAYER_CONTEXT, LAYER_clCreateContext);
  return c;
}

LAYER_RETAIN(clRetainContext, cl_context)
LAYER_RELEASE(clReleaseContext, cl_context, layer_released)
LAYER_PASS(clGetContextInfo,
           (cl_context c, cl_context_info what, size_t bytes, void *out,
            size_t *need),
           (c, what, bytes, out, need), c)

static cl_command_queue CL_API_CALL
wrap_clCreateCommandQueue(cl_context c, cl_device_id d,
                          cl_command_queue_properties props, cl_int *err) {
  layer_used(c, LAYER_clCreateCommandQueue);
  LAYER_FAILS(LAYER_clCreateCommandQueue, err);
  cl_command_queue q = layer_next.clCreateCommandQueue(c, d, props, err);
  layer_created(q, LAYER_QUEUE, LAYER_clCreateCommandQueue);
  return q;
}

LAYER_RETAIN(clRetainCommandQueue, cl_command_queue)
LAYER_RELEASE(clReleaseCommandQueue, cl_command_queue, layer_released)
LAYER_PASS(clGetCommandQueueInfo,
           (cl_command_queue q, cl_command_queue_info what, size_t bytes,
            void *out, size_t *need),
           (q, what, bytes, out, need), q)

#define ENTER(name) t->name = wrap_##name

void layer_wrap_query(struct _cl_icd_dispatch *t) {
  ENTER(clGetPlatformIDs);
  ENTER(clGetPlatformInfo);
  ENTER(clGetExtensionFunctionAddressForPlatform);
  ENTER(clGetDeviceIDs);
  ENTER(clGetDeviceInfo);
  ENTER(clCreateContext);
  ENTER(clRetainContext);
  ENTER(clReleaseContext);
  ENTER(clGetContextInfo);
  ENTER(clCreateCommandQueue);
  ENTER(clRetainCommandQueue);
  ENTER(clReleaseCommandQueue);
  ENTER(clGetCommandQueueInfo);
}
