/* SPDX-License-Identifier: BSD-2-Clause */
/* Cholesky and LU factors, and solving with one triangle, of matrices of n x n
 * (arguments; 512, 1024 and 2048 if there are none), in GFLOP/s beside
 * OpenBLAS's LAPACK, which has the same copies to make; and a batch of small
 * ones. */
#include "bench.h"

#include <dlfcn.h>
#include <gpuarray/device.h>
#include <gpuarray/factor.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"

enum { REPS = 7 };

typedef void (*potrf_fn)(const char *uplo, const int *n, float *a,
                         const int *lda, int *info);
typedef void (*getrf_fn)(const int *m, const int *n, float *a, const int *lda,
                         int *pivots, int *info);
typedef void (*trsm_fn)(const char *side, const char *uplo, const char *trans,
                        const char *diag, const int *m, const int *n,
                        const float *alpha, const float *a, const int *lda,
                        float *b, const int *ldb);

typedef struct lapack {
  potrf_fn potrf;
  getrf_fn getrf;
  trsm_fn trsm;
} lapack;

typedef struct bench_state {
  gpucontext *ctx;
  lapack by;
  size_t n, batch;
  GpuArray a, r, pivots;
  GpuLaunch *launch;
  float *host, *work;
  int *ints;
} bench_state;

static int run_launch(void *arg) {
  bench_state *s = arg;

  GA_TRY(GpuLaunch_run(s->launch));
  return GpuArray_sync(&s->r);
}

static size_t elements(const bench_state *s) {
  return s->batch * s->n * s->n;
}

static int run_potrf(void *arg) {
  bench_state *s = arg;
  const int n = (int)s->n;
  int info;

  memcpy(s->work, s->host, elements(s) * sizeof *s->work);
  for (size_t z = 0; z < s->batch; z++)
    s->by.potrf("U", &n, s->work + z * s->n * s->n, &n, &info);
  return GA_NO_ERROR;
}

static int run_getrf(void *arg) {
  bench_state *s = arg;
  const int n = (int)s->n;
  int info;

  memcpy(s->work, s->host, elements(s) * sizeof *s->work);
  for (size_t z = 0; z < s->batch; z++)
    s->by.getrf(&n, &n, s->work + z * s->n * s->n, &n, s->ints, &info);
  return GA_NO_ERROR;
}

static int run_trsm(void *arg) {
  bench_state *s = arg;
  const int n = (int)s->n;
  const float one = 1;

  memcpy(s->work, s->host, elements(s) * sizeof *s->work);
  s->by.trsm("R", "U", "N", "N", &n, &n, &one, s->host, &n, s->work, &n);
  return GA_NO_ERROR;
}

/* A symmetric matrix with a large diagonal: all three can work with it. */
static int make_data(bench_state *s) {
  const size_t n = s->n, dims[3] = {s->batch, n, n};
  uint32_t seed = 3;

  s->host = malloc(elements(s) * sizeof *s->host);
  s->work = malloc(elements(s) * sizeof *s->work);
  s->ints = malloc(n * sizeof *s->ints);
  if (s->host == NULL || s->work == NULL || s->ints == NULL)
    return ga__fail_nomem();
  for (size_t z = 0; z < s->batch; z++)
    for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j <= i; j++) {
        float *const to = s->host + z * n * n;
        seed = seed * 1664525u + 1013904223u;
        const float v = (float)(seed >> 8) / (1 << 24) - 0.5f;
        to[i * n + j] = to[j * n + i] = i == j ? (float)n + v : v;
      }
  GA_TRY(GpuArray_empty(&s->a, s->ctx, GA_FLOAT, 3, dims, GA_C_ORDER));
  GA_TRY(GpuArray_empty(&s->r, s->ctx, GA_FLOAT, 3, dims, GA_C_ORDER));
  GA_TRY(GpuArray_empty(&s->pivots, s->ctx, GA_INT, 2, dims, GA_C_ORDER));
  return GpuArray_write(&s->a, s->host, elements(s) * sizeof *s->host);
}

/* The first elements of factors and solutions follow from those of A. */
static int check(bench_state *s, double want) {
  float *got = malloc(elements(s) * sizeof *got);
  int err;

  if (got == NULL)
    return ga__fail_nomem();
  GA_CHECK(run_launch(s));
  GA_CHECK(GpuArray_read(got, elements(s) * sizeof *got, &s->r));
  if (!(fabs((double)got[0] - want) <= 1e-5 * fabs(want)))
    err = ga__fail(GA_VALUE_ERROR, "element 0 is %g, expected %g",
                   (double)got[0], want);

done:
  free(got);
  return err;
}

static int measure(bench_state *s, const char *what, bench_fn ref, double flops,
                   double want) {
  bench_time ours, theirs = {0};
  char name[64];

  GA_TRY(check(s, want));
  if (s->by.potrf != NULL)
    bench_pair_apart(run_launch, s, ref, s, REPS, &ours, &theirs);
  else
    ours = bench_median(run_launch, s, REPS);
  snprintf(name, sizeof name, "%s %zu x %zux%zu", what, s->batch, s->n, s->n);
  bench_print(name, flops / ours.median / 1e9, "GFLOP/s",
              theirs.median > 0 ? flops / theirs.median / 1e9 : 0);
  GpuLaunch_free(s->launch);
  s->launch = NULL;
  return GA_NO_ERROR;
}

static int measure_size(bench_state *s, size_t n, size_t batch) {
  const double cube = (double)batch * pow((double)n, 3);
  int err;

  s->n = n;
  s->batch = batch;
  GA_CHECK(make_data(s));
  const double first = (double)s->host[0];
  GA_CHECK(GpuArray_cholesky_prepare(&s->launch, &s->r, NULL, &s->a, 0));
  GA_CHECK(measure(s, "Cholesky", run_potrf, cube / 3, sqrt(first)));
  GA_CHECK(
      GpuArray_lu_prepare(&s->launch, &s->r, &s->pivots, NULL, NULL, &s->a));
  GA_CHECK(measure(s, "LU", run_getrf, cube * 2 / 3, first));
  if (batch == 1) {
    GA_CHECK(
        GpuArray_triangular_solve_prepare(&s->launch, &s->r, &s->a, &s->a, 0));
    GA_CHECK(measure(s, "solve", run_trsm, cube, 1));
  }

done:
  GpuLaunch_free(s->launch);
  s->launch = NULL;
  GpuArray_clear(&s->a);
  GpuArray_clear(&s->r);
  GpuArray_clear(&s->pivots);
  free(s->host);
  free(s->work);
  free(s->ints);
  s->host = s->work = NULL;
  s->ints = NULL;
  return err;
}

/* POSIX lets an object pointer become a function pointer by way of memory. */
static void find(void *lib, const char *name, void *to) {
  void *const p = lib != NULL ? dlsym(lib, name) : NULL;

  memcpy(to, &p, sizeof p);
}

static int run_all(bench_state *s, int argc, char **argv) {
  static const size_t sizes[] = {512, 1024, 2048};

  for (int i = 1; i < argc; i++)
    GA_TRY(measure_size(s, (size_t)strtoull(argv[i], NULL, 10), 1));
  for (size_t i = 0; argc <= 1 && i < 3; i++)
    GA_TRY(measure_size(s, sizes[i], 1));
  GA_TRY(measure_size(s, 8, 10000));
  return measure_size(s, 32, 1000);
}

int main(int argc, char **argv) {
  void *lib = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
  bench_state s = {0};

  find(lib, "spotrf_", &s.by.potrf);
  find(lib, "sgetrf_", &s.by.getrf);
  find(lib, "strsm_", &s.by.trsm);
  bench_need(gpucontext_open(&s.ctx, NULL), "device");
  bench_need(run_all(&s, argc, argv), "measurements");
  gpucontext_deref(s.ctx);
  return 0;
}
