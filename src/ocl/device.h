/* SPDX-License-Identifier: BSD-2-Clause */
/* Devices: found, numbered, described. */
#ifndef OCL_DEVICE_H
#define OCL_DEVICE_H

#include <gpuarray/device.h>

#include "ocl/clerror.h"

/* What is read from the driver when a context is made; no compiling. */
typedef struct ga__device {
  cl_platform_id cl_platform;
  cl_device_id cl;
  int platform, device; /* numbers of "opencl<P>:<D>" */
  char platform_name[128];
  char platform_version[128];
  char name[256];
  char vendor[128];
  char version[128];
  char driver[128];
  int is_nvidia;
  int is_host; /* its memory is the host's, whatever it is mapped like */
  int has_fp16, has_int64_atomics, has_subgroups; /* by extension string */
  gpudevice_caps caps; /* without what only a probe can tell */
} ga__device;

/* GA_NODEV_ERROR when there is no such platform or device. */
int ga__device_find(int platform, int device, cl_platform_id *cl_platform,
                    cl_device_id *cl);
/* Numbers of a device found by others; -1 when it is in no platform. */
void ga__device_number(cl_platform_id platform, cl_device_id device, int *p,
                       int *d);
int ga__device_describe(ga__device *out, cl_platform_id platform,
                        cl_device_id device);
/* Nonzero if it has the work-groups and the local memory that kernels for GPUs
 * need. Those for CPUs need neither. */
int ga__caps_suit_gpu(const gpudevice_caps *caps);

#endif
