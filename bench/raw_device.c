/* SPDX-License-Identifier: BSD-2-Clause */
/* Set-up shared by the hand-written references. */
#include "raw_device.h"

#include <gpuarray/device.h>
#include <gpuarray/error.h>
#include <stdio.h>
#include <string.h>

static cl_device_id pick(void) {
  cl_platform_id platforms[16];
  cl_device_id devices[64];
  cl_uint np = 0, nd = 0;
  int platform, device;
  if (gpudevice_choose(NULL, &platform, &device, NULL, 0) != GA_NO_ERROR ||
      clGetPlatformIDs(16, platforms, &np) != CL_SUCCESS ||
      clGetDeviceIDs(platforms[platform], CL_DEVICE_TYPE_ALL, 64, devices,
                     &nd) != CL_SUCCESS ||
      (cl_uint)device >= nd)
    return NULL;
  return devices[device];
}

cl_int raw_device_open(raw_device *d, const char *source, const char *options) {
  char all[256];
  cl_device_type type = 0;
  cl_int err = CL_DEVICE_NOT_FOUND;
  memset(d, 0, sizeof *d);
  d->id = pick();
  if (d->id == NULL)
    return err;
  clGetDeviceInfo(d->id, CL_DEVICE_TYPE, sizeof type, &type, NULL);
  d->is_cpu = (type & CL_DEVICE_TYPE_CPU) != 0;
  snprintf(all, sizeof all, "%s%s", options, d->is_cpu ? " -DCPU" : "");
  d->context = clCreateContext(NULL, 1, &d->id, NULL, NULL, &err);
  if (err == CL_SUCCESS)
    d->queue = clCreateCommandQueue(d->context, d->id, 0, &err);
  if (err == CL_SUCCESS)
    d->program = clCreateProgramWithSource(d->context, 1, &source, NULL, &err);
  if (err == CL_SUCCESS)
    err = clBuildProgram(d->program, 1, &d->id, all, NULL, NULL);
  return err;
}

void raw_device_close(raw_device *d) {
  if (d->program != NULL)
    clReleaseProgram(d->program);
  if (d->queue != NULL)
    clReleaseCommandQueue(d->queue);
  if (d->context != NULL)
    clReleaseContext(d->context);
  memset(d, 0, sizeof *d);
}

cl_mem raw_device_floats(raw_device *d, size_t n, const float *start,
                         cl_int *err) {
  cl_mem m = clCreateBuffer(d->context, CL_MEM_READ_WRITE, n * sizeof(float),
                            NULL, err);
  if (*err == CL_SUCCESS && start != NULL)
    *err = clEnqueueWriteBuffer(d->queue, m, CL_TRUE, 0, n * sizeof(float),
                                start, 0, NULL, NULL);
  return m;
}
