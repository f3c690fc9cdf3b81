/* SPDX-License-Identifier: BSD-2-Clause */
/* Matrix times vector beside OpenBLAS and beside the rate at which the matrix
 * can be read: a sum over it, one serial run per core.
 *
 *   bench_gemv           the usual shapes
 *   bench_gemv n|t M N   one shape
 *
 * Figures are microseconds per call and GB/s of the matrix. The first shapes
 * are those of a logistic regression's step, with beta 1 for the gradient. */
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gpuarray/blas.h>
#include <gpuarray/device.h>
#include <gpuarray/error.h>
#include <gpuarray/launch.h>
#include <gpuarray/profile.h>
#include <gpuarray/reduction.h>

#include "bench.h"

enum { ROW_MAJOR = 101, NO_TRANS = 111, TRANS = 112 };

typedef void (*sgemv_fn)(int, int, int, int, float, const float *, int,
                         const float *, int, float, float *, int);

static sgemv_fn sgemv;

typedef struct job {
  size_t m, n; /* of A as stored */
  int trans;
  float beta;
  GpuArray a, x, y;
  float *ha, *hx, *hy;
  GpuLaunch *launch;
  int inner; /* runs per measurement */
} job;

static float *make_host(size_t n, unsigned int seed) {
  float *p = malloc((n + 1) * sizeof *p);

  bench_need(p == NULL, "host memory");
  srand(seed);
  for (size_t i = 0; i < n; i++)
    p[i] = (float)rand() / (float)RAND_MAX - 0.5f;
  return p;
}

static void make_array(GpuArray *a, gpucontext *ctx, unsigned int nd,
                       const size_t *dims, const float *host) {
  const size_t n = dims[0] * (nd == 2 ? dims[1] : 1);

  bench_need(GpuArray_empty(a, ctx, GA_FLOAT, nd, dims, GA_C_ORDER), "array");
  bench_need(GpuArray_write(a, host, n * sizeof *host), "write");
}

static void job_open(job *j, gpucontext *ctx, int trans, size_t m, size_t n,
                     float beta) {
  const size_t dims[2] = {m, n};

  memset(j, 0, sizeof *j);
  j->m = m;
  j->n = n;
  j->trans = trans;
  j->beta = beta;
  j->ha = make_host(m * n, 1);
  j->hx = make_host(trans ? m : n, 2);
  j->hy = make_host(trans ? n : m, 3);
  make_array(&j->a, ctx, 2, dims, j->ha);
  make_array(&j->x, ctx, 1, &dims[!trans], j->hx);
  make_array(&j->y, ctx, 1, &dims[trans], j->hy);
  j->inner = m * n < 1000000 ? 50 : 2;
  if (!gpucontext_caps(ctx)->is_cpu) /* so that waiting does not count */
    j->inner = 50;
  bench_need(GpuArray_rgemv_prepare(&j->launch, trans ? cb_trans : cb_no_trans,
                                    1e-3, &j->a, &j->x, beta, &j->y),
             "prepare");
}

static void job_close(job *j) {
  GpuLaunch_free(j->launch);
  GpuArray_clear(&j->a);
  GpuArray_clear(&j->x);
  GpuArray_clear(&j->y);
  free(j->ha);
  free(j->hx);
  free(j->hy);
}

static int run_ours(void *arg) {
  job *j = arg;

  for (int i = 0; i < j->inner; i++) {
    int err = GpuLaunch_run(j->launch);

    if (err != GA_NO_ERROR)
      return err;
  }
  return GpuArray_sync(&j->y);
}

static int run_openblas(void *arg) {
  job *j = arg;

  for (int i = 0; i < j->inner; i++)
    sgemv(ROW_MAJOR, j->trans ? TRANS : NO_TRANS, (int)j->m, (int)j->n, 1e-3f,
          j->ha, (int)j->n, j->hx, 1, j->beta, j->hy, 1);
  return GA_NO_ERROR;
}

/* One run with beta 1 or 0 against sums in double. */
static void check(job *j) {
  const size_t rows = j->trans ? j->n : j->m, cols = j->trans ? j->m : j->n;
  float *got = malloc(rows * sizeof *got);

  bench_need(got == NULL, "host memory");
  bench_need(GpuLaunch_run(j->launch), "run");
  bench_need(GpuArray_read(got, rows * sizeof *got, &j->y), "read");
  for (size_t i = 0; i < rows; i++) {
    double sum = 0;

    for (size_t p = 0; p < cols; p++)
      sum += (double)j->ha[j->trans ? p * j->n + i : i * j->n + p] * j->hx[p];
    sum = 1e-3 * sum + (double)j->beta * j->hy[i];
    if (!(fabs(got[i] - sum) <= 1e-5)) {
      printf("wrong at %zu: %g, expected %g\n", i, (double)got[i], sum);
      exit(1);
    }
  }
  free(got);
}

/* Microseconds of a run on the device's own clock. */
static double device_time(gpucontext *ctx, job *j) {
  GpuLaunchStats stats;

  bench_need(gpucontext_profile(ctx, 1), "profile");
  for (int i = 0; i < 20; i++)
    bench_need(run_ours(j), "run");
  bench_need(GpuLaunch_stats(j->launch, &stats), "stats");
  bench_need(gpucontext_profile(ctx, 0), "profile");
  return 1e6 * stats.seconds / (double)stats.calls;
}

static void bench_shape(gpucontext *ctx, int trans, size_t m, size_t n,
                        float beta) {
  const double bytes = (double)m * (double)n * sizeof(float);
  bench_time ours, ref = {0, 0, 0};
  char name[64];
  job j;

  job_open(&j, ctx, trans, m, n, beta);
  check(&j);
  if (sgemv != NULL)
    bench_pair_apart(run_ours, &j, run_openblas, &j, 25, &ours, &ref);
  else
    ours = bench_median(run_ours, &j, 25);
  snprintf(name, sizeof name, "sgemv %c %zux%zu beta %g", "nt"[trans], m, n,
           (double)beta);
  bench_print(name, 1e6 * ours.median / j.inner, "us",
              1e6 * ref.median / j.inner);
  bench_print("  on the device", device_time(ctx, &j), "us",
              1e6 * ref.median / j.inner);
  bench_print("  matrix read", 1e-9 * bytes * j.inner / ours.median, "GB/s",
              ref.median > 0 ? 1e-9 * bytes * j.inner / ref.median : 0);
  job_close(&j);
}

int main(int argc, char **argv) {
  static const struct {
    int trans;
    size_t m, n;
    float beta;
  } usual[] = {
      {0, 400, 784, 0},   {1, 400, 784, 1},   {0, 128, 784, 0},
      {1, 128, 784, 0},   {0, 2048, 2048, 0}, {1, 2048, 2048, 0},
      {0, 8192, 4096, 0}, {1, 8192, 4096, 0}, {0, 60000, 10, 0},
      {1, 60000, 10, 0},  {0, 10, 60000, 0},  {1, 10, 60000, 0},
  };
  gpucontext *ctx;
  void *lib = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);

  if (lib != NULL)
    *(void **)&sgemv = dlsym(lib, "cblas_sgemv");
  bench_need(gpucontext_open(&ctx, NULL), "context");
  if (argc == 4) {
    bench_shape(ctx, argv[1][0] == 't', strtoul(argv[2], NULL, 10),
                strtoul(argv[3], NULL, 10), 0);
  } else {
    for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++)
      bench_shape(ctx, usual[i].trans, usual[i].m, usual[i].n, usual[i].beta);
  }
  gpucontext_deref(ctx);
  return 0;
}
