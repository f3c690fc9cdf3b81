/* SPDX-License-Identifier: BSD-2-Clause */
/* The hand-written side of bench_logistic. */
#include "raw_logistic.h"

#include <CL/cl.h>
#include <gpuarray/device.h>
#include <gpuarray/error.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FORWARD, MIDDLE, BACKWARD, BIAS, KERNELS };
enum { X, Y, W, Z, G, PREDICTION, XENT, B, BUFFERS };

struct raw_logistic {
  cl_context context;
  cl_command_queue queue;
  cl_program program;
  cl_kernel kernel[KERNELS];
  cl_mem buffer[BUFFERS];
  size_t global[KERNELS], local[KERNELS];
  int feats;
};

static const char *const names[KERNELS] = {"forward", "middle", "backward",
                                           "bias"};
/* Buffer arguments of each kernel, ended by -1; the last argument is n. */
static const int arguments[KERNELS][7] = {{X, W, Z, -1},
                                          {Z, Y, B, G, PREDICTION, XENT, -1},
                                          {X, G, W, -1},
                                          {G, B, -1}};

static cl_device_id pick_device(void) {
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

static char *read_source(void) {
  FILE *f = fopen(BENCH_DIR "/raw_logistic.cl", "rb");
  char *text = calloc(1, 1 << 16);
  if (f != NULL && text != NULL)
    text[fread(text, 1, (1 << 16) - 1, f)] = '\0';
  if (f != NULL)
    fclose(f);
  return text;
}

static int build(raw_logistic *r, cl_device_id device, int is_cpu) {
  char options[64], *text = read_source();
  cl_int err;
  if (text == NULL)
    return -1;
  snprintf(options, sizeof options, "-DFEATS=%d%s", r->feats,
           is_cpu ? " -DCPU" : "");
  const char *source = text;
  r->program = clCreateProgramWithSource(r->context, 1, &source, NULL, &err);
  if (err == CL_SUCCESS)
    err = clBuildProgram(r->program, 1, &device, options, NULL, NULL);
  for (int k = 0; k < KERNELS && err == CL_SUCCESS; k++)
    r->kernel[k] = clCreateKernel(r->program, names[k], &err);
  free(text);
  return err;
}

static int set_arguments(raw_logistic *r, int n) {
  cl_int err = CL_SUCCESS;
  for (int k = 0; k < KERNELS; k++) {
    cl_uint a = 0;
    for (; arguments[k][a] >= 0 && err == CL_SUCCESS; a++)
      err = clSetKernelArg(r->kernel[k], a, sizeof(cl_mem),
                           &r->buffer[arguments[k][a]]);
    if (err == CL_SUCCESS)
      err = clSetKernelArg(r->kernel[k], a, sizeof n, &n);
  }
  return err;
}

static void set_sizes(raw_logistic *r, int n, int is_cpu) {
  size_t rows = (size_t)n, blocks = (size_t)r->feats / 16;
  size_t cpu[KERNELS] = {8, 1, blocks / 7, 1};
  size_t gpu[KERNELS] = {rows * 64, (rows + 63) / 64 * 64, blocks * 256, 64};
  size_t gpu_local[KERNELS] = {64, 64, 256, 64};
  for (int k = 0; k < KERNELS; k++) {
    r->global[k] = is_cpu ? cpu[k] : gpu[k];
    r->local[k] = is_cpu ? 1 : gpu_local[k];
  }
}

static int make_buffers(raw_logistic *r, int n, const float *x, const float *y,
                        const float *w) {
  size_t rows = (size_t)n, cols = (size_t)r->feats;
  size_t floats[BUFFERS] = {rows * cols, rows, cols, rows, rows, rows, rows, 1};
  float zero = 0;
  const void *start[BUFFERS] = {x, y, w, NULL, NULL, NULL, NULL, &zero};
  cl_int err = CL_SUCCESS;
  for (int i = 0; i < BUFFERS && err == CL_SUCCESS; i++) {
    r->buffer[i] = clCreateBuffer(r->context, CL_MEM_READ_WRITE,
                                  floats[i] * sizeof(float), NULL, &err);
    if (err == CL_SUCCESS && start[i] != NULL)
      err = clEnqueueWriteBuffer(r->queue, r->buffer[i], CL_TRUE, 0,
                                 floats[i] * sizeof(float), start[i], 0, NULL,
                                 NULL);
  }
  return err;
}

raw_logistic *raw_logistic_new(int n, int feats, const float *x, const float *y,
                               const float *w) {
  raw_logistic *r = calloc(1, sizeof *r);
  cl_device_id device = pick_device();
  cl_device_type type = 0;
  cl_int err;
  if (r == NULL || device == NULL)
    goto fail;
  r->feats = feats;
  clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, NULL);
  int is_cpu = (type & CL_DEVICE_TYPE_CPU) != 0;
  r->context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
  if (err == CL_SUCCESS)
    r->queue = clCreateCommandQueue(r->context, device, 0, &err);
  if (err == CL_SUCCESS)
    err = build(r, device, is_cpu);
  if (err == CL_SUCCESS)
    err = make_buffers(r, n, x, y, w);
  if (err == CL_SUCCESS)
    err = set_arguments(r, n);
  set_sizes(r, n, is_cpu);
  if (err == CL_SUCCESS)
    return r;
fail:
  fprintf(stderr, "the hand-written program could not be set up\n");
  raw_logistic_free(r);
  return NULL;
}

int raw_logistic_run(raw_logistic *r, int steps) {
  cl_int err = CL_SUCCESS;
  for (int i = 0; i < steps && err == CL_SUCCESS; i++)
    for (int k = 0; k < KERNELS && err == CL_SUCCESS; k++)
      err = clEnqueueNDRangeKernel(r->queue, r->kernel[k], 1, NULL,
                                   &r->global[k], &r->local[k], 0, NULL, NULL);
  cl_int end = clFinish(r->queue);
  return err != CL_SUCCESS ? err : end;
}

int raw_logistic_weights(raw_logistic *r, float *w) {
  return clEnqueueReadBuffer(r->queue, r->buffer[W], CL_TRUE, 0,
                             (size_t)r->feats * sizeof *w, w, 0, NULL, NULL);
}

void raw_logistic_free(raw_logistic *r) {
  if (r == NULL)
    return;
  for (int k = 0; k < KERNELS; k++)
    if (r->kernel[k] != NULL)
      clReleaseKernel(r->kernel[k]);
  for (int i = 0; i < BUFFERS; i++)
    if (r->buffer[i] != NULL)
      clReleaseMemObject(r->buffer[i]);
  if (r->program != NULL)
    clReleaseProgram(r->program);
  if (r->queue != NULL)
    clReleaseCommandQueue(r->queue);
  if (r->context != NULL)
    clReleaseContext(r->context);
  free(r);
}
