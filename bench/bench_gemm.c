/* SPDX-License-Identifier: BSD-2-Clause */
/* Matrix products beside OpenBLAS with as many threads as there are cores.
 *
 *   bench_gemm                     the usual shapes, float, double and half
 *   bench_gemm s|d|h TA TB M N K [BATCH]   one shape; TA, TB are n or t
 *
 * A batch has a loop of OpenBLAS's calls beside it.
 * OpenBLAS is loaded when the program runs; without it there is no reference,
 * and results are checked against sums on the host at a few places. Half has
 * our own float product of the same shape as its reference, on CPUs. The first
 * call compiles what the caches do not have: all of it when GPUARRAY_CACHE_PATH
 * and POCL_CACHE_DIR name empty folders. */
#include <dlfcn.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gpuarray/blas.h>
#include <gpuarray/device.h>
#include <gpuarray/error.h>
#include <gpuarray/launch.h>

#include "bench.h"

#include "base/dtype.h"

enum { ROW_MAJOR = 101, NO_TRANS = 111, TRANS = 112 };

typedef void (*sgemm_fn)(int, int, int, int, int, int, float, const float *,
                         int, const float *, int, float, float *, int);
typedef void (*dgemm_fn)(int, int, int, int, int, int, double, const double *,
                         int, const double *, int, double, double *, int);

static sgemm_fn sgemm;
static dgemm_fn dgemm;

typedef struct shape {
  int typecode, ta, tb;
  size_t m, n, k;
  size_t batch;
} shape;

/* One product on the device, prepared, with its operands on the host too. */
typedef struct job {
  shape s;
  GpuArray a, b, c;
  void *ha, *hb, *hc;
  GpuLaunch *launch;
  double first; /* seconds to prepare it and run it once */
  int inner;    /* runs per measurement */
} job;

static void load_openblas(void) {
  void *lib = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);

  if (lib == NULL) {
    printf("libopenblas.so.0 is not there: no reference\n");
    return;
  }
  *(void **)&sgemm = dlsym(lib, "cblas_sgemm");
  *(void **)&dgemm = dlsym(lib, "cblas_dgemm");
}

/* Numbers from a table that is converted once: large arrays come quickly. */
static void *make_host(int typecode, size_t n, unsigned int seed) {
  enum { TABLE = 4096 };
  const size_t size = ga__dtype_size(typecode);
  char *p = malloc((n + 1) * size), table[TABLE * sizeof(double)];
  uint32_t state = seed;

  bench_need(p == NULL, "host memory");
  srand(seed);
  for (size_t i = 0; i < TABLE; i++)
    ga__dtype_from_double(typecode, table + i * size,
                          (double)rand() / RAND_MAX - 0.5);
  for (size_t i = 0; i < n; i++) {
    state = state * 1664525u + 1013904223u;
    memcpy(p + i * size, table + (state >> 20) * size, size);
  }
  return p;
}

/* A batch of one has no dimension of its own. */
static void make_array(GpuArray *a, gpucontext *ctx, const shape *s,
                       size_t rows, size_t cols, const void *host) {
  const size_t dims[3] = {s->batch, rows, cols};
  const unsigned int nd = s->batch > 1 ? 3 : 2;
  const size_t bytes = s->batch * rows * cols * ga__dtype_size(s->typecode);

  bench_need(GpuArray_empty(a, ctx, s->typecode, nd, dims + 3 - nd, GA_C_ORDER),
             "array");
  bench_need(GpuArray_write(a, host, bytes), "write");
}

static void prepare(job *j) {
  const cb_transpose ta = j->s.ta ? cb_trans : cb_no_trans;
  const cb_transpose tb = j->s.tb ? cb_trans : cb_no_trans;
  int err;

  if (j->s.batch > 1)
    err = GpuArray_rgemmBatch_3d_prepare(&j->launch, ta, tb, 1, &j->a, &j->b, 0,
                                         &j->c);
  else
    err = GpuArray_rgemm_prepare(&j->launch, ta, tb, 1, &j->a, &j->b, 0, &j->c);
  bench_need(err, "prepare");
}

static double flops_of(const shape *s) {
  return 2.0 * (double)s->batch * (double)s->m * (double)s->n * (double)s->k;
}

static void job_open(job *j, gpucontext *ctx, shape s) {
  const size_t ar = s.ta ? s.k : s.m, ac = s.ta ? s.m : s.k;
  const size_t br = s.tb ? s.n : s.k, bc = s.tb ? s.k : s.n;
  const double flops = flops_of(&s);

  memset(j, 0, sizeof *j);
  j->s = s;
  j->ha = make_host(s.typecode, s.batch * s.m * s.k, 1);
  j->hb = make_host(s.typecode, s.batch * s.k * s.n, 2);
  j->hc = make_host(s.typecode, s.batch * s.m * s.n, 3);
  make_array(&j->a, ctx, &s, ar, ac, j->ha);
  make_array(&j->b, ctx, &s, br, bc, j->hb);
  make_array(&j->c, ctx, &s, s.m, s.n, j->hc);
  j->inner = flops < 1e7 ? 20 : flops < 1e8 ? 4 : 1;
  if (!gpucontext_caps(ctx)->is_cpu) /* so that waiting does not count */
    j->inner = flops < 1e10 ? 50 : flops < 2e11 ? 8 : 3;
  j->first = bench_now();
  prepare(j);
  bench_need(GpuLaunch_run(j->launch), "run");
  bench_need(GpuArray_sync(&j->c), "sync");
  j->first = bench_now() - j->first;
}

static void job_close(job *j) {
  GpuLaunch_free(j->launch);
  GpuArray_clear(&j->a);
  GpuArray_clear(&j->b);
  GpuArray_clear(&j->c);
  free(j->ha);
  free(j->hb);
  free(j->hc);
}

static int run_ours(void *arg) {
  job *j = arg;

  for (int i = 0; i < j->inner; i++) {
    int err = GpuLaunch_run(j->launch);

    if (err != GA_NO_ERROR)
      return err;
  }
  return GpuArray_sync(&j->c);
}

static int run_openblas(void *arg) {
  job *j = arg;
  const shape *s = &j->s;
  const int ta = s->ta ? TRANS : NO_TRANS, tb = s->tb ? TRANS : NO_TRANS;
  const int m = (int)s->m, n = (int)s->n, k = (int)s->k;
  const int lda = s->ta ? m : k, ldb = s->tb ? k : n;

  for (size_t i = 0; i < (size_t)j->inner * s->batch; i++) {
    const size_t z = i % s->batch;
    const size_t a = z * s->m * s->k, b = z * s->k * s->n, c = z * s->m * s->n;

    if (s->typecode == GA_DOUBLE)
      dgemm(ROW_MAJOR, ta, tb, m, n, k, 1, (double *)j->ha + a, lda,
            (double *)j->hb + b, ldb, 0, (double *)j->hc + c, n);
    else
      sgemm(ROW_MAJOR, ta, tb, m, n, k, 1, (float *)j->ha + a, lda,
            (float *)j->hb + b, ldb, 0, (float *)j->hc + c, n);
  }
  return GA_NO_ERROR;
}

static double host_at(const job *j, const void *p, size_t i) {
  return ga__dtype_to_double(
      j->s.typecode, (const char *)p + i * ga__dtype_size(j->s.typecode));
}

/* Some elements, of the first of a batch, against sums in double. */
static void check(job *j) {
  const shape *s = &j->s;
  const int is_tf32 = s->typecode == GA_FLOAT && getenv("GPUARRAY_TF32");
  const double eps = s->typecode == GA_DOUBLE              ? 1e-13
                     : s->typecode == GA_FLOAT && !is_tf32 ? 1e-5
                                                           : 1e-2;
  const size_t bytes = s->batch * s->m * s->n * ga__dtype_size(s->typecode);
  void *got = malloc(bytes);

  bench_need(got == NULL, "host memory");
  bench_need(run_ours(j), "run");
  bench_need(GpuArray_read(got, bytes, &j->c), "read");
  for (size_t t = 0; t < 100; t++) {
    const size_t i = t * 7919 % s->m, c = t * 104729 % s->n;
    double sum = 0;

    for (size_t p = 0; p < s->k; p++)
      sum += host_at(j, j->ha, s->ta ? p * s->m + i : i * s->k + p) *
             host_at(j, j->hb, s->tb ? c * s->k + p : p * s->n + c);
    if (!(fabs(host_at(j, got, i * s->n + c) - sum) <=
          eps * (1 + sqrt((double)s->k)))) {
      printf("wrong at %zu, %zu: %g, expected %g\n", i, c,
             host_at(j, got, i * s->n + c), sum);
      exit(1);
    }
  }
  free(got);
}

/* Beside a GPU, OpenBLAS takes too long for large products. */
static int has_reference(gpucontext *ctx, const shape *s) {
  const int is_cpu = gpucontext_caps(ctx)->is_cpu;

  return sgemm != NULL && dgemm != NULL && s->typecode != GA_HALF &&
         (is_cpu || flops_of(s) < 1e10);
}

static void bench_shape(gpucontext *ctx, shape s) {
  const double flops = flops_of(&s);
  const int reps = flops < 1e8 ? 60 : flops < 3e9 ? 15 : 7;
  const char kind = s.typecode == GA_DOUBLE ? 'd'
                    : s.typecode == GA_HALF ? 'h'
                                            : 's';
  bench_time ours, ref = {0, 0, 0};
  char name[64];
  job j, other;

  job_open(&j, ctx, s);
  check(&j);
  if (s.typecode == GA_HALF && gpucontext_caps(ctx)->is_cpu) {
    shape f = s;

    f.typecode = GA_FLOAT;
    job_open(&other, ctx, f);
    bench_pair(run_ours, &j, run_ours, &other, reps, &ours, &ref);
    job_close(&other);
  } else if (has_reference(ctx, &s)) {
    bench_pair_apart(run_ours, &j, run_openblas, &j, reps, &ours, &ref);
  } else {
    ours = bench_median(run_ours, &j, reps);
  }
  snprintf(name, sizeof name, "%cgemm %c%c %zux%zux%zu", kind, "nt"[s.ta],
           "nt"[s.tb], s.m, s.n, s.k);
  if (s.batch > 1)
    snprintf(name + strlen(name), sizeof name - strlen(name), " x %zu",
             s.batch);
  bench_print(name, 1e-9 * flops * j.inner / ours.median, "GFLOP/s",
              ref.median > 0 ? 1e-9 * flops * j.inner / ref.median : 0);
  bench_print("  first call", j.first, "s", 0);
  job_close(&j);
}

static const shape usual[] = {
    {GA_FLOAT, 0, 0, 256, 256, 256, 1},
    {GA_FLOAT, 0, 0, 512, 512, 512, 1},
    {GA_FLOAT, 0, 0, 1024, 1024, 1024, 1},
    {GA_FLOAT, 0, 0, 2048, 2048, 2048, 1},
    {GA_FLOAT, 0, 0, 1000, 1000, 1000, 1},
    {GA_FLOAT, 1, 0, 1024, 1024, 1024, 1},
    {GA_FLOAT, 0, 1, 1024, 1024, 1024, 1},
    {GA_FLOAT, 1, 1, 1024, 1024, 1024, 1},
    {GA_FLOAT, 0, 0, 128, 10, 784, 1},
    {GA_FLOAT, 1, 0, 784, 10, 128, 1},
    {GA_FLOAT, 0, 1, 128, 784, 10, 1},
    {GA_FLOAT, 0, 0, 128, 128, 784, 1},
    {GA_FLOAT, 0, 0, 64, 2048, 2048, 1},
    {GA_FLOAT, 0, 0, 2048, 784, 10, 1},
    {GA_FLOAT, 0, 0, 2048, 10, 784, 1},
    {GA_FLOAT, 0, 0, 64, 64, 64, 64},
    {GA_DOUBLE, 0, 0, 512, 512, 512, 1},
    {GA_DOUBLE, 0, 0, 1024, 1024, 1024, 1},
    {GA_DOUBLE, 1, 0, 1024, 1024, 1024, 1},
    {GA_HALF, 0, 0, 512, 512, 512, 1},
    {GA_HALF, 0, 0, 1024, 1024, 1024, 1},
};

static int type_of(char c) {
  return c == 'd' ? GA_DOUBLE : c == 'h' ? GA_HALF : GA_FLOAT;
}

int main(int argc, char **argv) {
  gpucontext *ctx;

  bench_need(gpucontext_open(&ctx, NULL), "context");
  load_openblas();
  if (argc == 7 || argc == 8) {
    bench_shape(ctx,
                (shape){type_of(argv[1][0]), argv[2][0] == 't',
                        argv[3][0] == 't', strtoul(argv[4], NULL, 10),
                        strtoul(argv[5], NULL, 10), strtoul(argv[6], NULL, 10),
                        argc == 8 ? strtoul(argv[7], NULL, 10) : 1});
  } else {
    for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++) {
      if (usual[i].typecode != GA_DOUBLE || gpucontext_caps(ctx)->fp64)
        bench_shape(ctx, usual[i]);
    }
  }
  gpucontext_deref(ctx);
  return 0;
}
