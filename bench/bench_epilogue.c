/* SPDX-License-Identifier: BSD-2-Clause */
/* A product and what follows it in one kernel, beside the product and then an
 * elementwise kernel. The second column is the pair, in microseconds. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gpuarray/device.h>
#include <gpuarray/error.h>
#include <gpuarray/launch.h>

#include "bench.h"

typedef struct job {
  unsigned int nd; /* of the result */
  size_t m, n, k;
  GpuArray a, b, c, out, bias;
  GpuElemwise *after;
  GpuLaunch *together, *product, *rest;
  int inner; /* runs per measurement */
} job;

static void make(GpuArray *a, gpucontext *ctx, unsigned int nd, size_t rows,
                 size_t cols) {
  const size_t dims[2] = {rows, cols}, n = rows * cols;
  float *host = malloc(n * sizeof *host);

  bench_need(host == NULL, "host memory");
  for (size_t i = 0; i < n; i++)
    host[i] = (float)rand() / (float)RAND_MAX - 0.5f;
  bench_need(GpuArray_empty(a, ctx, GA_FLOAT, nd, dims + 2 - nd, GA_C_ORDER),
             "array");
  bench_need(GpuArray_write(a, host, n * sizeof *host), "write");
  free(host);
}

/* The expression reads acc in the one, and c, the product, in the other. */
static void prepare(job *j, gpucontext *ctx, const char *text) {
  gpuelemwise_arg args[3] = {{"o", GA_FLOAT, GE_WRITE},
                             {"bias", GA_FLOAT, GE_READ},
                             {"acc", GA_FLOAT, GE_READ}};
  const GpuEpilogue e = {
      .text = text, .n_args = 2, .args = args, .flags = GE_VECTOR};
  void *given[3] = {&j->out, &j->bias, &j->c};

  j->after = GpuElemwise_new(ctx, NULL, text, 3, args, j->nd, GE_VECTOR);
  bench_need(j->after == NULL, "elementwise");
  bench_need(GpuElemwise_prepare(&j->rest, j->after, given, GE_BROADCAST),
             "elementwise");
  if (j->nd == 1) {
    bench_need(GpuArray_rgemv_prepare(&j->product, cb_no_trans, 1, &j->a, &j->b,
                                      0, &j->c),
               "gemv");
    bench_need(GpuArray_rgemv_epilogue_prepare(&j->together, cb_no_trans, 1,
                                               &j->a, &j->b, 0, NULL, &e,
                                               given),
               "gemv");
  } else {
    bench_need(GpuArray_rgemm_prepare(&j->product, cb_no_trans, cb_no_trans, 1,
                                      &j->a, &j->b, 0, &j->c),
               "gemm");
    bench_need(GpuArray_rgemm_epilogue_prepare(&j->together, cb_no_trans,
                                               cb_no_trans, 1, &j->a, &j->b, 0,
                                               NULL, &e, given),
               "gemm");
  }
}

static int run_together(void *arg) {
  job *j = arg;
  int err = GA_NO_ERROR;

  for (int i = 0; i < j->inner && err == GA_NO_ERROR; i++)
    err = GpuLaunch_run(j->together);
  return err == GA_NO_ERROR ? GpuArray_sync(&j->out) : err;
}

static int run_apart(void *arg) {
  job *j = arg;
  int err = GA_NO_ERROR;

  for (int i = 0; i < j->inner && err == GA_NO_ERROR; i++) {
    err = GpuLaunch_run(j->product);
    if (err == GA_NO_ERROR)
      err = GpuLaunch_run(j->rest);
  }
  return err == GA_NO_ERROR ? GpuArray_sync(&j->out) : err;
}

/* Both ways give the same numbers, up to the order of sums. */
static void check(job *j) {
  const size_t n = j->m * j->n;
  float *one = malloc(n * sizeof *one), *two = malloc(n * sizeof *two);

  bench_need(one == NULL || two == NULL, "host memory");
  bench_need(run_together(j), "run");
  bench_need(GpuArray_read(one, n * sizeof *one, &j->out), "read");
  bench_need(run_apart(j), "run");
  bench_need(GpuArray_read(two, n * sizeof *two, &j->out), "read");
  for (size_t i = 0; i < n; i++) {
    if (!(fabsf(one[i] - two[i]) <= 1e-4f)) {
      printf("wrong at %zu: %g, expected %g\n", i, (double)one[i],
             (double)two[i]);
      exit(1);
    }
  }
  free(one);
  free(two);
}

static void bench(gpucontext *ctx, const char *name, unsigned int nd, size_t m,
                  size_t n, size_t k, const char *text) {
  job j = {.nd = nd, .m = m, .n = n, .k = k};
  bench_time one, two;

  j.inner = m * n * k < 10000000 ? 50 : 4;
  make(&j.a, ctx, 2, m, k);
  make(&j.b, ctx, nd, nd == 1 ? 1 : k, nd == 1 ? k : n);
  make(&j.c, ctx, nd, nd == 1 ? 1 : m, nd == 1 ? m : n);
  make(&j.out, ctx, nd, nd == 1 ? 1 : m, nd == 1 ? m : n);
  make(&j.bias, ctx, nd, 1, nd == 1 ? 1 : n);
  prepare(&j, ctx, text);
  check(&j);
  bench_pair(run_together, &j, run_apart, &j, 61, &one, &two);
  bench_print(name, 1e6 * one.median / j.inner, "us",
              1e6 * two.median / j.inner);
  GpuLaunch_free(j.together);
  GpuLaunch_free(j.product);
  GpuLaunch_free(j.rest);
  GpuElemwise_free(j.after);
  GpuArray_clear(&j.a);
  GpuArray_clear(&j.b);
  GpuArray_clear(&j.c);
  GpuArray_clear(&j.out);
  GpuArray_clear(&j.bias);
}

int main(void) {
  static const char sigmoid[] =
      "o = (w_float)(1) / ((w_float)(1) + exp(-(acc + bias)));";
  static const char relu[] = "o = fmax(acc + bias, (w_float)(0));";
  gpucontext *ctx;

  bench_need(gpucontext_open(&ctx, NULL), "context");
  bench(ctx, "gemv 128x784, bias, sigmoid", 1, 128, 1, 784, sigmoid);
  bench(ctx, "gemv 400x784, bias, sigmoid", 1, 400, 1, 784, sigmoid);
  bench(ctx, "gemm 128x512x784, bias, relu", 2, 128, 512, 784, relu);
  bench(ctx, "gemm 128x10x512, bias, relu", 2, 128, 10, 512, relu);
  bench(ctx, "gemm 1024x1024x1024, bias, relu", 2, 1024, 1024, 1024, relu);
  gpucontext_deref(ctx);
  return 0;
}
