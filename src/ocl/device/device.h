/* SPDX-License-Identifier: BSD-2-Clause */
/* Finding devices, and reading what they can do. */
#ifndef OCL_DEVICE_DEVICE_H
#define OCL_DEVICE_DEVICE_H

#include <gpuarray/device.h>

#include "ocl/clerror.h"

/* What the driver reports of a device, without compiling anything. */
typedef struct ga__device {
  cl_platform_id cl_platform;
  cl_device_id cl;
  int platform, device; /* indices, as in "opencl<P>:<D>" */
  char platform_name[128];
  char platform_version[128];
  char name[256];
  char vendor[128];
  char version[128];
  char driver[128];
  int is_nvidia;
  int is_host; /* it computes on the host's memory, even where caps.is_cpu is
                  0 */
  size_t size_max; /* the largest size_t of its kernels */
  int has_fp16, has_int64_atomics, has_subgroups; /* by the list of
                                                     extensions */
  gpudevice_caps caps; /* without what probe.c finds out */
} ga__device;

/* GA_INVALID_ERROR unless `name` is "opencl". */
int ga__device_backend(const char *name);
/* GA_NODEV_ERROR when there is no such platform or device. */
int ga__device_find(int platform, int device, cl_platform_id *cl_platform,
                    cl_device_id *cl);
/* The indices of a device that the caller already has; -1 for what is not in
 * the driver's lists. */
void ga__device_number(cl_platform_id platform, cl_device_id device, int *p,
                       int *d);
int ga__device_describe(ga__device *out, cl_platform_id platform,
                        cl_device_id device);
/* Nonzero if its work-groups and its local memory are large enough for kernels
 * written for GPUs. Kernels for CPUs need neither. */
int ga__caps_suit_gpu(const gpudevice_caps *caps);

#endif
