/* SPDX-License-Identifier: BSD-2-Clause */
/* The hand-written side of bench_client. */
#include "raw_client.h"

#include <stdio.h>
#include <stdlib.h>

#include "raw_device.h"

enum {
  FORWARD,
  PROBABILITY,
  ENTROPY,
  SLOPE,
  PREDICT,
  BACKWARD,
  TOTAL,
  UPDATE_W,
  UPDATE_B,
  KERNELS
};
enum { X, Y, W, Z, P, XENT, G, PREDICTION, GW, GB, B, BUFFERS };

struct raw_client {
  raw_device device;
  cl_kernel kernel[KERNELS];
  cl_mem buffer[BUFFERS];
  size_t global[KERNELS], local[KERNELS];
  int n, feats;
};

/* Buffer arguments of each kernel end with -1; the last argument is n. */
static const struct {
  const char *name;
  int arguments[4];
} kernels[KERNELS] = {
    [FORWARD] = {"forward", {X, W, Z, -1}},
    [PROBABILITY] = {"probability", {Z, B, P, -1}},
    [ENTROPY] = {"entropy", {P, Y, XENT, -1}},
    [SLOPE] = {"slope", {P, Y, G, -1}},
    [PREDICT] = {"predict", {P, PREDICTION, -1}},
    [BACKWARD] = {"backward", {X, G, GW, -1}},
    [TOTAL] = {"total", {G, GB, -1}},
    [UPDATE_W] = {"update_w", {GW, W, -1}},
    [UPDATE_B] = {"update_b", {GB, B, -1}},
};

static char *read_source(void) {
  FILE *f = fopen(BENCH_DIR "/raw_client.cl", "rb");
  char *text = calloc(1, 1 << 16);
  if (f != NULL && text != NULL)
    text[fread(text, 1, (1 << 16) - 1, f)] = '\0';
  if (f != NULL)
    fclose(f);
  return text;
}

static int build(raw_client *r) {
  char options[64], *text = read_source();
  cl_int err;
  if (text == NULL)
    return CL_OUT_OF_HOST_MEMORY;
  snprintf(options, sizeof options, "-DFEATS=%d", r->feats);
  err = raw_device_open(&r->device, text, options);
  for (int k = 0; k < KERNELS && err == CL_SUCCESS; k++)
    r->kernel[k] = clCreateKernel(r->device.program, kernels[k].name, &err);
  free(text);
  return err;
}

static void set_sizes(raw_client *r) {
  const size_t n = (size_t)r->n, blocks = (size_t)r->feats / 16;
  const size_t feats = (size_t)r->feats;
  for (int k = 0; k < KERNELS; k++) {
    r->local[k] = r->device.is_cpu ? 1 : k == BACKWARD ? 256 : 64;
    if (k == FORWARD)
      r->global[k] = r->device.is_cpu ? 8 : n * 64;
    else if (k == BACKWARD)
      r->global[k] = r->device.is_cpu ? blocks / 7 : blocks * 256;
    else if (k == TOTAL || k == UPDATE_B || r->device.is_cpu)
      r->global[k] = r->local[k];
    else
      r->global[k] = ((k == UPDATE_W ? feats : n) + 63) / 64 * 64;
  }
}

static int make_buffers(raw_client *r, const float *x, const float *y,
                        const float *w) {
  const size_t n = (size_t)r->n, feats = (size_t)r->feats;
  const float zero = 0;
  const struct {
    size_t floats;
    const float *start;
  } made[BUFFERS] = {
      [X] = {n * feats, x}, [Y] = {n, y},
      [W] = {feats, w},     [Z] = {n, NULL},
      [P] = {n, NULL},      [XENT] = {n, NULL},
      [G] = {n, NULL},      [PREDICTION] = {n, NULL},
      [GW] = {feats, NULL}, [GB] = {1, NULL},
      [B] = {1, &zero},
  };
  cl_int err = CL_SUCCESS;
  for (int i = 0; i < BUFFERS && err == CL_SUCCESS; i++)
    r->buffer[i] =
        raw_device_floats(&r->device, made[i].floats, made[i].start, &err);
  return err;
}

raw_client *raw_client_new(int n, int feats, const float *x, const float *y,
                           const float *w) {
  raw_client *r = calloc(1, sizeof *r);
  if (r == NULL)
    return NULL;
  r->n = n;
  r->feats = feats;
  cl_int err = build(r);
  if (err == CL_SUCCESS)
    err = make_buffers(r, x, y, w);
  set_sizes(r);
  if (err == CL_SUCCESS)
    return r;
  fprintf(stderr, "the hand-written program failed: status %d\n", err);
  raw_client_free(r);
  return NULL;
}

static cl_int call(raw_client *r, int k) {
  cl_uint a = 0;
  cl_int err = CL_SUCCESS;
  for (; kernels[k].arguments[a] >= 0 && err == CL_SUCCESS; a++)
    err = clSetKernelArg(r->kernel[k], a, sizeof(cl_mem),
                         &r->buffer[kernels[k].arguments[a]]);
  if (err == CL_SUCCESS)
    err = clSetKernelArg(r->kernel[k], a, sizeof r->n, &r->n);
  if (err == CL_SUCCESS)
    err = clEnqueueNDRangeKernel(r->device.queue, r->kernel[k], 1, NULL,
                                 &r->global[k], &r->local[k], 0, NULL, NULL);
  return err;
}

int raw_client_run(raw_client *r, int steps) {
  cl_int err = CL_SUCCESS;
  for (int i = 0; i < steps && err == CL_SUCCESS; i++)
    for (int k = 0; k < KERNELS && err == CL_SUCCESS; k++)
      err = call(r, k);
  cl_int end = clFinish(r->device.queue);
  return err != CL_SUCCESS ? err : end;
}

int raw_client_weights(raw_client *r, float *w) {
  return clEnqueueReadBuffer(r->device.queue, r->buffer[W], CL_TRUE, 0,
                             (size_t)r->feats * sizeof *w, w, 0, NULL, NULL);
}

void raw_client_free(raw_client *r) {
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
