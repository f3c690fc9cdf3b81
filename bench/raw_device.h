/* SPDX-License-Identifier: BSD-2-Clause */
/* What every hand-written reference starts with: the device that
 * gpudevice_choose names, a context, an in-order queue, a program. */
#ifndef BENCH_RAW_DEVICE_H
#define BENCH_RAW_DEVICE_H

#include <CL/cl.h>

typedef struct raw_device {
  cl_device_id id;
  int is_cpu;
  cl_context context;
  cl_command_queue queue;
  cl_program program;
} raw_device;

/* Build `source` with `options`; a CPU adds -DCPU. CL_SUCCESS or a status;
 * raw_device_close cleans up either way. */
cl_int raw_device_open(raw_device *d, const char *source, const char *options);
void raw_device_close(raw_device *d);
/* A buffer of `n` floats, filled from `start` unless that is NULL. */
cl_mem raw_device_floats(raw_device *d, size_t n, const float *start,
                         cl_int *err);

#endif
