/* SPDX-License-Identifier: BSD-2-Clause */
/* The hand-written side of bench_check: chunks of 16-float vectors on a CPU,
 * one 4-float vector per item on a GPU. */
#include "raw_check.h"

#include <stdio.h>
#include <stdlib.h>

#include "raw_device.h"

static const char source[] =
    "kernel void exp_cpu(global const float *x, global float *y, int n) {\n"
    "  int chunk = 4096, i = (int)get_global_id(0) * chunk;\n"
    "  int end = min(i + chunk, n);\n"
    "  for (; i + 16 <= end; i += 16)\n"
    "    vstore16(exp(vload16(0, x + i)), 0, y + i);\n"
    "  for (; i < end; i++)\n"
    "    y[i] = exp(x[i]);\n"
    "}\n"
    "kernel void exp_gpu(global const float4 *x, global float4 *y, int n) {\n"
    "  int i = get_global_id(0);\n"
    "  if (i < n / 4)\n"
    "    y[i] = exp(x[i]);\n"
    "}\n";

struct raw_check {
  raw_device device;
  cl_kernel kernel;
  cl_mem x, y;
  size_t n, global, local;
};

static cl_int set_up(raw_check *r, const float *x) {
  int n = (int)r->n;
  cl_int err = raw_device_open(&r->device, source, "");
  int is_cpu = r->device.is_cpu;
  r->local = is_cpu ? 1 : 256;
  r->global = is_cpu ? (r->n + 4095) / 4096 : (r->n / 4 + 255) / 256 * 256;
  if (err == CL_SUCCESS)
    r->kernel =
        clCreateKernel(r->device.program, is_cpu ? "exp_cpu" : "exp_gpu", &err);
  if (err == CL_SUCCESS)
    r->x = raw_device_floats(&r->device, r->n, x, &err);
  if (err == CL_SUCCESS)
    r->y = raw_device_floats(&r->device, r->n, NULL, &err);
  if (err == CL_SUCCESS)
    err = clSetKernelArg(r->kernel, 0, sizeof r->x, &r->x);
  if (err == CL_SUCCESS)
    err = clSetKernelArg(r->kernel, 1, sizeof r->y, &r->y);
  if (err == CL_SUCCESS)
    err = clSetKernelArg(r->kernel, 2, sizeof n, &n);
  return err;
}

raw_check *raw_check_new(size_t n, const float *x) {
  raw_check *r = calloc(1, sizeof *r);
  if (r == NULL)
    return NULL;
  r->n = n;
  cl_int err = set_up(r, x);
  if (err == CL_SUCCESS)
    return r;
  fprintf(stderr, "the hand-written program failed: status %d\n", err);
  raw_check_free(r);
  return NULL;
}

int raw_check_run(raw_check *r, int calls) {
  cl_int err = CL_SUCCESS;
  for (int i = 0; i < calls && err == CL_SUCCESS; i++)
    err = clEnqueueNDRangeKernel(r->device.queue, r->kernel, 1, NULL,
                                 &r->global, &r->local, 0, NULL, NULL);
  cl_int end = clFinish(r->device.queue);
  return err != CL_SUCCESS ? err : end;
}

int raw_check_result(raw_check *r, float *y) {
  return clEnqueueReadBuffer(r->device.queue, r->y, CL_TRUE, 0,
                             r->n * sizeof *y, y, 0, NULL, NULL);
}

void raw_check_free(raw_check *r) {
  if (r == NULL)
    return;
  if (r->kernel != NULL)
    clReleaseKernel(r->kernel);
  if (r->x != NULL)
    clReleaseMemObject(r->x);
  if (r->y != NULL)
    clReleaseMemObject(r->y);
  raw_device_close(&r->device);
  free(r);
}
