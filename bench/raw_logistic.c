/* SPDX-License-Identifier: BSD-2-Clause */
/* The hand-written side of bench_logistic. */
#include "raw_logistic.h"

#include <stdio.h>
#include <stdlib.h>

#include "raw_device.h"

enum { FORWARD, MIDDLE, BACKWARD, BIAS, KERNELS };
enum { X, Y, W, Z, G, PREDICTION, XENT, B, BUFFERS };

struct raw_logistic {
  raw_device device;
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

static char *read_source(void) {
  FILE *f = fopen(BENCH_DIR "/raw_logistic.cl", "rb");
  char *text = calloc(1, 1 << 16);
  if (f != NULL && text != NULL)
    text[fread(text, 1, (1 << 16) - 1, f)] = '\0';
  if (f != NULL)
    fclose(f);
  return text;
}

static int build(raw_logistic *r) {
  char options[64], *text = read_source();
  cl_int err;
  if (text == NULL)
    return CL_OUT_OF_HOST_MEMORY;
  snprintf(options, sizeof options, "-DFEATS=%d", r->feats);
  err = raw_device_open(&r->device, text, options);
  for (int k = 0; k < KERNELS && err == CL_SUCCESS; k++)
    r->kernel[k] = clCreateKernel(r->device.program, names[k], &err);
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
  const float *start[BUFFERS] = {x, y, w, NULL, NULL, NULL, NULL, &zero};
  cl_int err = CL_SUCCESS;
  for (int i = 0; i < BUFFERS && err == CL_SUCCESS; i++)
    r->buffer[i] = raw_device_floats(&r->device, floats[i], start[i], &err);
  return err;
}

raw_logistic *raw_logistic_new(int n, int feats, const float *x, const float *y,
                               const float *w) {
  raw_logistic *r = calloc(1, sizeof *r);
  if (r == NULL)
    return NULL;
  r->feats = feats;
  cl_int err = build(r);
  if (err == CL_SUCCESS)
    err = make_buffers(r, n, x, y, w);
  if (err == CL_SUCCESS)
    err = set_arguments(r, n);
  set_sizes(r, n, r->device.is_cpu);
  if (err == CL_SUCCESS)
    return r;
  fprintf(stderr, "the hand-written program failed: status %d\n", err);
  raw_logistic_free(r);
  return NULL;
}

int raw_logistic_run(raw_logistic *r, int steps) {
  cl_int err = CL_SUCCESS;
  for (int i = 0; i < steps && err == CL_SUCCESS; i++)
    for (int k = 0; k < KERNELS && err == CL_SUCCESS; k++)
      err = clEnqueueNDRangeKernel(r->device.queue, r->kernel[k], 1, NULL,
                                   &r->global[k], &r->local[k], 0, NULL, NULL);
  cl_int end = clFinish(r->device.queue);
  return err != CL_SUCCESS ? err : end;
}

int raw_logistic_weights(raw_logistic *r, float *w) {
  return clEnqueueReadBuffer(r->device.queue, r->buffer[W], CL_TRUE, 0,
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
  raw_device_close(&r->device);
  free(r);
}
