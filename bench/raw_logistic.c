/* SPDX-License-Identifier: BSD-2-Clause */
/* The hand-written side of bench_logistic and bench_client. */
#include "raw_logistic.h"

#include <stdio.h>
#include <stdlib.h>

#include "raw_device.h"

enum { MOST = 9 /* kernels */ };
enum { X, Y, W, Z, P, G, PREDICTION, XENT, GW, GB, B, BUFFERS };
/* What a kernel works on, which decides its sizes. */
enum work { ROW_SUMS, COLUMN_SUMS, ROWS, COLUMNS, ALONE };

/* Buffer arguments end with -1; the last argument is n. */
typedef struct step {
  const char *name;
  enum work work;
  int arguments[7];
} step;

static const step fused[] = {
    {"forward", ROW_SUMS, {X, W, Z, -1}},
    {"middle", ROWS, {Z, Y, B, G, PREDICTION, XENT, -1}},
    {"backward", COLUMN_SUMS, {X, G, W, -1}},
    {"bias", ALONE, {G, B, -1}},
};

static const step calls[] = {
    {"forward", ROW_SUMS, {X, W, Z, -1}},
    {"probability", ROWS, {Z, B, P, -1}},
    {"entropy", ROWS, {P, Y, XENT, -1}},
    {"slope", ROWS, {P, Y, G, -1}},
    {"predict", ROWS, {P, PREDICTION, -1}},
    {"backward", COLUMN_SUMS, {X, G, GW, -1}},
    {"bias", ALONE, {G, GB, -1}},
    {"update_w", COLUMNS, {GW, W, -1}},
    {"update_b", ALONE, {GB, B, -1}},
};

struct raw_logistic {
  raw_device device;
  const step *steps;
  int n_steps, sets_each_time;
  cl_kernel kernel[MOST];
  cl_mem buffer[BUFFERS];
  size_t global[MOST], local[MOST];
  int n, feats;
};

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
  snprintf(options, sizeof options, "-DFEATS=%d%s", r->feats,
           r->sets_each_time ? " -DCALLS" : "");
  err = raw_device_open(&r->device, text, options);
  for (int k = 0; k < r->n_steps && err == CL_SUCCESS; k++)
    r->kernel[k] = clCreateKernel(r->device.program, r->steps[k].name, &err);
  free(text);
  return err;
}

static cl_int set_arguments(raw_logistic *r, int k) {
  const int *buffers = r->steps[k].arguments;
  cl_int err = CL_SUCCESS;
  cl_uint a = 0;
  for (; buffers[a] >= 0 && err == CL_SUCCESS; a++)
    err =
        clSetKernelArg(r->kernel[k], a, sizeof(cl_mem), &r->buffer[buffers[a]]);
  if (err == CL_SUCCESS)
    err = clSetKernelArg(r->kernel[k], a, sizeof r->n, &r->n);
  return err;
}

static void set_sizes(raw_logistic *r) {
  const size_t rows = (size_t)r->n, cols = (size_t)r->feats, blocks = cols / 16;
  const size_t cpu[] = {[ROW_SUMS] = 8,
                        [COLUMN_SUMS] = blocks / 7,
                        [ROWS] = 1,
                        [COLUMNS] = 1,
                        [ALONE] = 1};
  const size_t gpu[] = {[ROW_SUMS] = rows * 64,
                        [COLUMN_SUMS] = blocks * 256,
                        [ROWS] = (rows + 63) / 64 * 64,
                        [COLUMNS] = (cols + 63) / 64 * 64,
                        [ALONE] = 64};
  for (int k = 0; k < r->n_steps; k++) {
    const enum work work = r->steps[k].work;
    r->global[k] = r->device.is_cpu ? cpu[work] : gpu[work];
    r->local[k] = r->device.is_cpu ? 1 : work == COLUMN_SUMS ? 256 : 64;
  }
}

static int make_buffers(raw_logistic *r, const float *x, const float *y,
                        const float *w) {
  const size_t rows = (size_t)r->n, cols = (size_t)r->feats;
  const float zero = 0;
  const size_t floats[BUFFERS] = {[X] = rows * cols,
                                  [Y] = rows,
                                  [W] = cols,
                                  [Z] = rows,
                                  [P] = rows,
                                  [G] = rows,
                                  [PREDICTION] = rows,
                                  [XENT] = rows,
                                  [GW] = cols,
                                  [GB] = 1,
                                  [B] = 1};
  const float *start[BUFFERS] = {[X] = x, [Y] = y, [W] = w, [B] = &zero};
  cl_int err = CL_SUCCESS;
  for (int i = 0; i < BUFFERS && err == CL_SUCCESS; i++)
    r->buffer[i] = raw_device_floats(&r->device, floats[i], start[i], &err);
  return err;
}

raw_logistic *raw_logistic_new(raw_way way, int n, int feats, const float *x,
                               const float *y, const float *w) {
  raw_logistic *r = calloc(1, sizeof *r);
  if (r == NULL)
    return NULL;
  r->n = n;
  r->feats = feats;
  r->sets_each_time = way == RAW_CALLS;
  r->steps = way == RAW_CALLS ? calls : fused;
  r->n_steps = way == RAW_CALLS ? (int)(sizeof calls / sizeof *calls)
                                : (int)(sizeof fused / sizeof *fused);
  cl_int err = build(r);
  if (err == CL_SUCCESS)
    err = make_buffers(r, x, y, w);
  for (int k = 0; k < r->n_steps && err == CL_SUCCESS; k++)
    err = set_arguments(r, k);
  set_sizes(r);
  if (err == CL_SUCCESS)
    return r;
  fprintf(stderr, "the hand-written program failed: status %d\n", err);
  raw_logistic_free(r);
  return NULL;
}

static cl_int enqueue(raw_logistic *r, int k) {
  if (r->sets_each_time) {
    cl_int err = set_arguments(r, k);
    if (err != CL_SUCCESS)
      return err;
  }
  return clEnqueueNDRangeKernel(r->device.queue, r->kernel[k], 1, NULL,
                                &r->global[k], &r->local[k], 0, NULL, NULL);
}

int raw_logistic_run(raw_logistic *r, int steps) {
  cl_int err = CL_SUCCESS;
  for (int i = 0; i < steps && err == CL_SUCCESS; i++)
    for (int k = 0; k < r->n_steps && err == CL_SUCCESS; k++)
      err = enqueue(r, k);
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
  for (int k = 0; k < MOST; k++)
    if (r->kernel[k] != NULL)
      clReleaseKernel(r->kernel[k]);
  for (int i = 0; i < BUFFERS; i++)
    if (r->buffer[i] != NULL)
      clReleaseMemObject(r->buffer[i]);
  raw_device_close(&r->device);
  free(r);
}
