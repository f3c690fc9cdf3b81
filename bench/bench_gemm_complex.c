/* SPDX-License-Identifier: BSD-2-Clause */
/* Complex matrix products beside OpenBLAS with as many threads as there are
 * cores. A product with one column is gemv, on both sides.
 *
 *   bench_gemm_complex                       the usual shapes
 *   bench_gemm_complex c|z TA TB M N K [BATCH]  one; TA, TB are n, t or c
 *
 * OpenBLAS is loaded when the program runs; without it there is no reference,
 * nor is there one for a batch, or for large products beside a GPU. Results are
 * checked against sums in double at a few places. */
#include <complex.h>
#include <dlfcn.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gpuarray/blas_complex.h>
#include <gpuarray/device.h>
#include <gpuarray/error.h>

#include "bench.h"

#include "base/dtype.h"

/* CBLAS's numbers; trans comes in the order of cb_transpose. */
enum { ROW_MAJOR = 101, NO_TRANS = 111 };

typedef void (*gemm_fn)(int, int, int, int, int, int, const void *,
                        const void *, int, const void *, int, const void *,
                        void *, int);
typedef void (*gemv_fn)(int, int, int, int, const void *, const void *, int,
                        const void *, int, const void *, void *, int);

/* By precision: complex64, complex128. */
static gemm_fn peer_gemm[2];
static gemv_fn peer_gemv[2];

typedef struct shape {
  int typecode;
  cb_transpose ta, tb;
  size_t m, n, k, batch;
} shape;

/* One product on the device, prepared, with its operands on the host too. */
typedef struct job {
  shape s;
  GpuArray a, b, c;
  void *ha, *hb, *hc;
  GpuLaunch *launch;
  int inner; /* runs per measurement */
} job;

static void load_openblas(void) {
  void *lib = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);

  if (lib == NULL) {
    printf("libopenblas.so.0 is not there: no reference\n");
    return;
  }
  *(void **)&peer_gemm[0] = dlsym(lib, "cblas_cgemm");
  *(void **)&peer_gemm[1] = dlsym(lib, "cblas_zgemm");
  *(void **)&peer_gemv[0] = dlsym(lib, "cblas_cgemv");
  *(void **)&peer_gemv[1] = dlsym(lib, "cblas_zgemv");
}

static int is_double(const shape *s) {
  return s->typecode == GA_CDOUBLE;
}

static double part_at(const shape *s, const void *p, size_t i) {
  return is_double(s) ? ((const double *)p)[i] : (double)((const float *)p)[i];
}

static double complex number_at(const shape *s, const void *p, size_t i) {
  return part_at(s, p, 2 * i) + part_at(s, p, 2 * i + 1) * I;
}

/* Parts of both precisions in [-0.5, 0.5). */
static void *make_host(const shape *s, size_t n, uint32_t state) {
  void *p = malloc((n + 1) * ga__dtype_size(s->typecode));

  bench_need(p == NULL, "host memory");
  for (size_t i = 0; i < 2 * n; i++) {
    double v;

    state = state * 1664525u + 1013904223u;
    v = (double)(state >> 12) / (1 << 20) - 0.5;
    if (is_double(s))
      ((double *)p)[i] = v;
    else
      ((float *)p)[i] = (float)v;
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
  const ga_complex one = {1, 0}, none = {0, 0};
  const shape *s = &j->s;
  int err;

  if (s->batch > 1)
    err = GpuArray_cgemmBatch_3d_prepare(&j->launch, s->ta, s->tb, one, &j->a,
                                         &j->b, none, &j->c);
  else
    err = GpuArray_cgemm_prepare(&j->launch, s->ta, s->tb, one, &j->a, &j->b,
                                 none, &j->c);
  bench_need(err, "prepare");
}

static double flops_of(const shape *s) {
  return 8.0 * (double)s->batch * (double)s->m * (double)s->n * (double)s->k;
}

static void job_open(job *j, gpucontext *ctx, const shape *s) {
  const int ta = s->ta != cb_no_trans, tb = s->tb != cb_no_trans;
  const double flops = flops_of(s);

  memset(j, 0, sizeof *j);
  j->s = *s;
  j->ha = make_host(s, s->batch * s->m * s->k, 1);
  j->hb = make_host(s, s->batch * s->k * s->n, 2);
  j->hc = make_host(s, s->batch * s->m * s->n, 3);
  make_array(&j->a, ctx, s, ta ? s->k : s->m, ta ? s->m : s->k, j->ha);
  make_array(&j->b, ctx, s, tb ? s->n : s->k, tb ? s->k : s->n, j->hb);
  make_array(&j->c, ctx, s, s->m, s->n, j->hc);
  j->inner = flops < 1e7 ? 20 : flops < 1e8 ? 4 : 1;
  if (!gpucontext_caps(ctx)->is_cpu) /* so that waiting does not count */
    j->inner = flops < 1e10 ? 50 : flops < 2e11 ? 8 : 3;
  prepare(j);
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
  static const float one[2] = {1, 0}, none[2] = {0, 0};
  static const double one_z[2] = {1, 0}, none_z[2] = {0, 0};
  job *j = arg;
  const shape *s = &j->s;
  const int z = is_double(s), ta = NO_TRANS + (int)s->ta;
  const int tb = NO_TRANS + (int)s->tb;
  const int m = (int)s->m, n = (int)s->n, k = (int)s->k;
  const int lda = s->ta ? m : k, ldb = s->tb ? k : n;
  const void *alpha = z ? (const void *)one_z : one;
  const void *beta = z ? (const void *)none_z : none;

  for (int i = 0; i < j->inner; i++) {
    if (n == 1)
      peer_gemv[z](ROW_MAJOR, ta, s->ta ? k : m, s->ta ? m : k, alpha, j->ha,
                   lda, j->hb, 1, beta, j->hc, 1);
    else
      peer_gemm[z](ROW_MAJOR, ta, tb, m, n, k, alpha, j->ha, lda, j->hb, ldb,
                   beta, j->hc, n);
  }
  return GA_NO_ERROR;
}

/* Number (i, j) of op(X), which is rows x cols. */
static double complex factor_at(const shape *s, const void *x, cb_transpose t,
                                size_t rows, size_t cols, size_t i, size_t j) {
  const size_t at = t == cb_no_trans ? i * cols + j : j * rows + i;
  const double complex v = number_at(s, x, at);

  return t == cb_conj_trans ? conj(v) : v;
}

/* Some numbers, of the first of a batch, against sums in double. */
static void check(job *j) {
  const shape *s = &j->s;
  const double eps = is_double(s) ? 1e-13 : 1e-5;
  const size_t bytes = s->batch * s->m * s->n * ga__dtype_size(s->typecode);
  void *got = malloc(bytes);

  bench_need(got == NULL, "host memory");
  bench_need(run_ours(j), "run");
  bench_need(GpuArray_read(got, bytes, &j->c), "read");
  for (size_t t = 0; t < 100; t++) {
    const size_t i = t * 7919 % s->m, c = t * 104729 % s->n;
    double complex sum = 0;

    for (size_t p = 0; p < s->k; p++)
      sum += factor_at(s, j->ha, s->ta, s->m, s->k, i, p) *
             factor_at(s, j->hb, s->tb, s->k, s->n, p, c);
    if (!(cabs(number_at(s, got, i * s->n + c) - sum) <=
          eps * (1 + sqrt((double)s->k)))) {
      printf("wrong at %zu, %zu\n", i, c);
      exit(1);
    }
  }
  free(got);
}

/* Beside a GPU, OpenBLAS takes too long for large products. */
static int has_reference(gpucontext *ctx, const shape *s) {
  const int is_cpu = gpucontext_caps(ctx)->is_cpu;

  return peer_gemm[0] != NULL && s->batch == 1 &&
         (is_cpu || flops_of(s) < 1e10);
}

static void bench_shape(gpucontext *ctx, const shape *s) {
  const double flops = flops_of(s);
  const int reps = flops < 1e8 ? 60 : flops < 3e9 ? 15 : 7;
  bench_time ours, ref = {0, 0, 0};
  char name[64];
  job j;

  job_open(&j, ctx, s);
  check(&j);
  if (has_reference(ctx, s))
    bench_pair(run_ours, &j, run_openblas, &j, reps, &ours, &ref);
  else
    ours = bench_median(run_ours, &j, reps);
  snprintf(name, sizeof name, "%cgem%c %c%c %zux%zux%zu x%zu",
           is_double(s) ? 'z' : 'c', s->n == 1 ? 'v' : 'm', "ntc"[s->ta],
           "ntc"[s->tb], s -> m, s -> n, s -> k, s -> batch);
  bench_print(name, 1e-9 * flops * j.inner / ours.median, "GFLOP/s",
              ref.median > 0 ? 1e-9 * flops * j.inner / ref.median : 0);
  job_close(&j);
}

#define C64(ta, tb, m, n, k)                                                   \
  { GA_CFLOAT, ta, tb, m, n, k, 1 }
#define C128(ta, tb, m, n, k)                                                  \
  { GA_CDOUBLE, ta, tb, m, n, k, 1 }

static const shape usual[] = {
    C64(cb_no_trans, cb_no_trans, 64, 64, 64),
    C64(cb_no_trans, cb_no_trans, 256, 256, 256),
    C64(cb_no_trans, cb_no_trans, 512, 512, 512),
    C64(cb_no_trans, cb_no_trans, 1000, 1000, 1000),
    C64(cb_no_trans, cb_no_trans, 1024, 1024, 1024),
    C64(cb_trans, cb_no_trans, 512, 512, 512),
    C64(cb_no_trans, cb_conj_trans, 512, 512, 512),
    C64(cb_conj_trans, cb_trans, 512, 512, 512),
    C64(cb_no_trans, cb_no_trans, 8, 1024, 1024),
    C64(cb_no_trans, cb_no_trans, 1024, 8, 1024),
    C64(cb_no_trans, cb_no_trans, 1024, 1024, 8),
    C64(cb_no_trans, cb_no_trans, 1024, 1, 1024),
    C64(cb_conj_trans, cb_no_trans, 1024, 1, 1024),
    C128(cb_no_trans, cb_no_trans, 256, 256, 256),
    C128(cb_no_trans, cb_no_trans, 512, 512, 512),
    C128(cb_no_trans, cb_no_trans, 1024, 1024, 1024),
    C128(cb_conj_trans, cb_no_trans, 512, 512, 512),
    C128(cb_no_trans, cb_no_trans, 1024, 1, 1024),
};

static cb_transpose trans_of(char c) {
  return c == 'c' ? cb_conj_trans : c == 't' ? cb_trans : cb_no_trans;
}

int main(int argc, char **argv) {
  gpucontext *ctx;

  bench_need(gpucontext_open(&ctx, NULL), "context");
  load_openblas();
  if (argc == 7 || argc == 8) {
    const shape s = {argv[1][0] == 'z' ? GA_CDOUBLE : GA_CFLOAT,
                     trans_of(argv[2][0]),
                     trans_of(argv[3][0]),
                     strtoul(argv[4], NULL, 10),
                     strtoul(argv[5], NULL, 10),
                     strtoul(argv[6], NULL, 10),
                     argc == 8 ? strtoul(argv[7], NULL, 10) : 1};

    bench_shape(ctx, &s);
  } else {
    for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++) {
      if (!is_double(&usual[i]) || gpucontext_caps(ctx)->fp64)
        bench_shape(ctx, &usual[i]);
    }
  }
  gpucontext_deref(ctx);
  return 0;
}
