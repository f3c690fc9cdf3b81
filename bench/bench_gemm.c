/* SPDX-License-Identifier: BSD-2-Clause */
/* Matrix products beside OpenBLAS with as many threads as there are cores.
 *
 *   bench_gemm [--all] [real|complex]          a few shapes, or all
 *   bench_gemm s|d|h|c|z TA TB M N K [BATCH]   one; TA, TB are n, t or c
 *
 * A batch has a loop of OpenBLAS's calls beside it. A complex product with one
 * column is gemv, on both sides.
 * OpenBLAS is loaded when the program runs; without it there is no reference,
 * and results are checked against sums on the host at a few places. Half has
 * our own float product of the same shape as its reference, on CPUs. The first
 * call compiles what the caches do not have: all of it when GPUARRAY_CACHE_PATH
 * and POCL_CACHE_DIR name empty folders. */
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
#include <gpuarray/launch.h>

#include "bench.h"

#include "base/dtype.h"

/* CBLAS's numbers; its transposes come in the order of cb_transpose. */
enum { ROW_MAJOR = 101, NO_TRANS = 111 };

typedef void (*sgemm_fn)(int, int, int, int, int, int, float, const float *,
                         int, const float *, int, float, float *, int);
typedef void (*dgemm_fn)(int, int, int, int, int, int, double, const double *,
                         int, const double *, int, double, double *, int);

typedef void (*cgemm_fn)(int, int, int, int, int, int, const void *,
                         const void *, int, const void *, int, const void *,
                         void *, int);
typedef void (*cgemv_fn)(int, int, int, int, const void *, const void *, int,
                         const void *, int, const void *, void *, int);

static sgemm_fn sgemm;
static dgemm_fn dgemm;
/* By precision: complex64, complex128. */
static cgemm_fn cgemm[2];
static cgemv_fn cgemv[2];

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
  double first; /* seconds to prepare it and run it once */
  int inner;    /* runs per measurement, */
  int ref;      /* and of OpenBLAS */
} job;

static void load_openblas(void) {
  void *lib = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);

  if (lib == NULL) {
    printf("libopenblas.so.0 is not there: no reference\n");
    return;
  }
  *(void **)&sgemm = dlsym(lib, "cblas_sgemm");
  *(void **)&dgemm = dlsym(lib, "cblas_dgemm");
  *(void **)&cgemm[0] = dlsym(lib, "cblas_cgemm");
  *(void **)&cgemm[1] = dlsym(lib, "cblas_zgemm");
  *(void **)&cgemv[0] = dlsym(lib, "cblas_cgemv");
  *(void **)&cgemv[1] = dlsym(lib, "cblas_zgemv");
}

static int is_complex(const shape *s) {
  return ga__dtype_is_complex(s->typecode);
}

/* The dtype of a number's parts, of which real ones have one. */
static int part_of(const shape *s) {
  return s->typecode == GA_CFLOAT    ? GA_FLOAT
         : s->typecode == GA_CDOUBLE ? GA_DOUBLE
                                     : s->typecode;
}

/* Numbers from a table that is converted once: large arrays come quickly. */
static void *make_host(const shape *s, size_t n, unsigned int seed) {
  enum { TABLE = 4096 };
  const int typecode = part_of(s);
  const size_t size = ga__dtype_size(typecode);
  char *p = malloc(2 * (n + 1) * size), table[TABLE * sizeof(double)];
  uint32_t state = seed;

  n *= is_complex(s) ? 2 : 1;
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
  const ga_complex one = {1, 0}, none = {0, 0};
  const cb_transpose ta = j->s.ta, tb = j->s.tb;
  GpuLaunch **l = &j->launch;
  int err;

  if (is_complex(&j->s))
    err = j->s.batch > 1 ? GpuArray_cgemmBatch_3d_prepare(l, ta, tb, one, &j->a,
                                                          &j->b, none, &j->c)
                         : GpuArray_cgemm_prepare(l, ta, tb, one, &j->a, &j->b,
                                                  none, &j->c);
  else
    err = j->s.batch > 1
              ? GpuArray_rgemmBatch_3d_prepare(l, ta, tb, 1, &j->a, &j->b, 0,
                                               &j->c)
              : GpuArray_rgemm_prepare(l, ta, tb, 1, &j->a, &j->b, 0, &j->c);
  bench_need(err, "prepare");
}

static double flops_of(const shape *s) {
  return (is_complex(s) ? 8.0 : 2.0) * (double)s->batch * (double)s->m *
         (double)s->n * (double)s->k;
}

static void job_open(job *j, gpucontext *ctx, shape s) {
  const int ta = s.ta != cb_no_trans, tb = s.tb != cb_no_trans;
  const size_t ar = ta ? s.k : s.m, ac = ta ? s.m : s.k;
  const size_t br = tb ? s.n : s.k, bc = tb ? s.k : s.n;
  const double flops = flops_of(&s);

  memset(j, 0, sizeof *j);
  j->s = s;
  j->ha = make_host(&s, s.batch * s.m * s.k, 1);
  j->hb = make_host(&s, s.batch * s.k * s.n, 2);
  j->hc = make_host(&s, s.batch * s.m * s.n, 3);
  make_array(&j->a, ctx, &s, ar, ac, j->ha);
  make_array(&j->b, ctx, &s, br, bc, j->hb);
  make_array(&j->c, ctx, &s, s.m, s.n, j->hc);
  j->inner = flops < 1e7 ? 20 : flops < 1e8 ? 4 : 1;
  j->ref = j->inner;
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

/* OpenBLAS's complex product of matrices at these places. */
static void openblas_complex(const shape *s, const char *a, int lda,
                             const char *b, int ldb, char *c) {
  const double one_z[2] = {1, 0}, none_z[2] = {0, 0};
  const float one_c[2] = {1, 0}, none_c[2] = {0, 0};
  const int is_double = s->typecode == GA_CDOUBLE;
  const void *one = is_double ? (const void *)one_z : one_c;
  const void *none = is_double ? (const void *)none_z : none_c;
  const int ta = NO_TRANS + (int)s->ta, tb = NO_TRANS + (int)s->tb;
  const int m = (int)s->m, n = (int)s->n, k = (int)s->k;
  const int has_rows = s->ta == cb_no_trans;

  if (n == 1 && s->tb == cb_no_trans)
    cgemv[is_double](ROW_MAJOR, ta, has_rows ? m : k, has_rows ? k : m, one, a,
                     lda, b, 1, none, c, 1);
  else
    cgemm[is_double](ROW_MAJOR, ta, tb, m, n, k, one, a, lda, b, ldb, none, c,
                     n);
}

static int run_openblas(void *arg) {
  job *j = arg;
  const shape *s = &j->s;
  const int ta = NO_TRANS + (int)s->ta, tb = NO_TRANS + (int)s->tb;
  const int m = (int)s->m, n = (int)s->n, k = (int)s->k;
  const int lda = s->ta ? m : k, ldb = s->tb ? k : n;
  const size_t size = ga__dtype_size(s->typecode);

  for (size_t i = 0; i < (size_t)j->ref * s->batch; i++) {
    const size_t z = i % s->batch;
    char *a = (char *)j->ha + z * s->m * s->k * size;
    char *b = (char *)j->hb + z * s->k * s->n * size;
    char *c = (char *)j->hc + z * s->m * s->n * size;

    if (is_complex(s))
      openblas_complex(s, a, lda, b, ldb, c);
    else if (s->typecode == GA_DOUBLE)
      dgemm(ROW_MAJOR, ta, tb, m, n, k, 1, (double *)(void *)a, lda,
            (double *)(void *)b, ldb, 0, (double *)(void *)c, n);
    else
      sgemm(ROW_MAJOR, ta, tb, m, n, k, 1, (float *)(void *)a, lda,
            (float *)(void *)b, ldb, 0, (float *)(void *)c, n);
  }
  return GA_NO_ERROR;
}

/* Number i, conjugated where its matrix is. */
static double complex host_at(const shape *s, const void *p, size_t i,
                              cb_transpose trans) {
  const int part = part_of(s);
  const size_t size = ga__dtype_size(part);
  const char *at = (const char *)p + i * ga__dtype_size(s->typecode);
  double complex v = ga__dtype_to_double(part, at);

  if (is_complex(s))
    v += ga__dtype_to_double(part, at + size) * I;
  return trans == cb_conj_trans ? conj(v) : v;
}

/* Some elements, of the first of a batch, against sums in double. */
static void check(job *j) {
  const shape *s = &j->s;
  const int is_tf32 = s->typecode == GA_FLOAT && getenv("GPUARRAY_TF32");
  const double eps = part_of(s) == GA_DOUBLE              ? 1e-13
                     : part_of(s) == GA_FLOAT && !is_tf32 ? 1e-5
                                                          : 1e-2;
  const size_t bytes = s->batch * s->m * s->n * ga__dtype_size(s->typecode);
  void *got = malloc(bytes);

  bench_need(got == NULL, "host memory");
  bench_need(run_ours(j), "run");
  bench_need(GpuArray_read(got, bytes, &j->c), "read");
  for (size_t t = 0; t < 100; t++) {
    const size_t i = t * 7919 % s->m, c = t * 104729 % s->n;
    double complex sum = 0;

    for (size_t p = 0; p < s->k; p++)
      sum += host_at(s, j->ha, s->ta ? p * s->m + i : i * s->k + p, s->ta) *
             host_at(s, j->hb, s->tb ? c * s->k + p : p * s->n + c, s->tb);
    sum -= host_at(s, got, i * s->n + c, cb_no_trans);
    if (!(cabs(sum) <= eps * (1 + sqrt((double)s->k)))) {
      printf("wrong at %zu, %zu by %g\n", i, c, cabs(sum));
      exit(1);
    }
  }
  free(got);
}

/* Beside a GPU, OpenBLAS takes too long for large products. */
static int has_reference(gpucontext *ctx, const shape *s) {
  const int is_cpu = gpucontext_caps(ctx)->is_cpu;

  return sgemm != NULL && cgemm[0] != NULL && s->typecode != GA_HALF &&
         (is_cpu || flops_of(s) < 1e10);
}

static void bench_shape(gpucontext *ctx, shape s) {
  const double flops = flops_of(&s);
  const int reps = flops < 1e8 ? 60 : flops < 3e9 ? 15 : 7;
  const char kind = s.typecode == GA_DOUBLE    ? 'd'
                    : s.typecode == GA_HALF    ? 'h'
                    : s.typecode == GA_CFLOAT  ? 'c'
                    : s.typecode == GA_CDOUBLE ? 'z'
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
    j.ref = other.inner;
    job_close(&other);
  } else if (has_reference(ctx, &s)) {
    bench_pair_apart(run_ours, &j, run_openblas, &j, reps, &ours, &ref);
  } else {
    ours = bench_median(run_ours, &j, reps);
  }
  snprintf(name, sizeof name, "%cgemm %c%c %zux%zux%zu", kind, "ntc"[s.ta],
           "ntc"[s.tb], s.m, s.n, s.k);
  if (s.batch > 1)
    snprintf(name + strlen(name), sizeof name - strlen(name), " x %zu",
             s.batch);
  bench_print(name, 1e-9 * flops * j.inner / ours.median, "GFLOP/s",
              ref.median > 0 ? 1e-9 * flops * j.ref / ref.median : 0);
  bench_print("  first call", j.first, "s", 0);
  job_close(&j);
}

/* The first few of each are those without --all. */
enum { FEW_REAL = 7, FEW_COMPLEX = 5 };

static const shape real_shapes[] = {
    {GA_FLOAT, 0, 0, 256, 256, 256, 1},
    {GA_FLOAT, 0, 0, 1024, 1024, 1024, 1},
    {GA_FLOAT, 1, 0, 1024, 1024, 1024, 1},
    {GA_FLOAT, 0, 0, 128, 10, 784, 1},
    {GA_FLOAT, 0, 0, 64, 64, 64, 64},
    {GA_DOUBLE, 0, 0, 512, 512, 512, 1},
    {GA_HALF, 0, 0, 512, 512, 512, 1},
    {GA_FLOAT, 0, 0, 512, 512, 512, 1},
    {GA_FLOAT, 0, 0, 2048, 2048, 2048, 1},
    {GA_FLOAT, 0, 0, 1000, 1000, 1000, 1},
    {GA_FLOAT, 0, 1, 1024, 1024, 1024, 1},
    {GA_FLOAT, 1, 1, 1024, 1024, 1024, 1},
    {GA_FLOAT, 1, 0, 784, 10, 128, 1},
    {GA_FLOAT, 0, 1, 128, 784, 10, 1},
    {GA_FLOAT, 0, 0, 128, 128, 784, 1},
    {GA_FLOAT, 0, 0, 64, 2048, 2048, 1},
    {GA_FLOAT, 0, 0, 2048, 784, 10, 1},
    {GA_FLOAT, 0, 0, 2048, 10, 784, 1},
    {GA_DOUBLE, 0, 0, 1024, 1024, 1024, 1},
    {GA_DOUBLE, 1, 0, 1024, 1024, 1024, 1},
    {GA_HALF, 0, 0, 1024, 1024, 1024, 1},
};

static const shape complex_shapes[] = {
    {GA_CFLOAT, 0, 0, 64, 64, 64, 1},
    {GA_CFLOAT, 0, 0, 512, 512, 512, 1},
    {GA_CFLOAT, 0, 0, 8, 1024, 1024, 1},
    {GA_CFLOAT, 0, 0, 1024, 1, 1024, 1},
    {GA_CDOUBLE, 0, 0, 512, 512, 512, 1},
    {GA_CFLOAT, 0, 0, 256, 256, 256, 1},
    {GA_CFLOAT, 0, 0, 1000, 1000, 1000, 1},
    {GA_CFLOAT, 0, 0, 1024, 1024, 1024, 1},
    {GA_CFLOAT, 1, 0, 512, 512, 512, 1},
    {GA_CFLOAT, 0, 2, 512, 512, 512, 1},
    {GA_CFLOAT, 2, 1, 512, 512, 512, 1},
    {GA_CFLOAT, 0, 0, 1024, 8, 1024, 1},
    {GA_CFLOAT, 0, 0, 1024, 1024, 8, 1},
    {GA_CFLOAT, 2, 0, 1024, 1, 1024, 1},
    {GA_CDOUBLE, 0, 0, 256, 256, 256, 1},
    {GA_CDOUBLE, 0, 0, 1024, 1024, 1024, 1},
    {GA_CDOUBLE, 2, 0, 512, 512, 512, 1},
    {GA_CDOUBLE, 0, 0, 1024, 1, 1024, 1},
};

static int type_of(char c) {
  return c == 'd'   ? GA_DOUBLE
         : c == 'h' ? GA_HALF
         : c == 'c' ? GA_CFLOAT
         : c == 'z' ? GA_CDOUBLE
                    : GA_FLOAT;
}

static cb_transpose trans_of(char c) {
  return c == 'c' ? cb_conj_trans : c == 't' ? cb_trans : cb_no_trans;
}

static void bench_shapes(gpucontext *ctx, size_t n, const shape *shapes) {
  for (size_t i = 0; i < n; i++) {
    if (part_of(&shapes[i]) != GA_DOUBLE || gpucontext_caps(ctx)->fp64)
      bench_shape(ctx, shapes[i]);
  }
}

int main(int argc, char **argv) {
  const int all = argc > 1 && strcmp(argv[1], "--all") == 0;
  const char *which = argc == 2 + all ? argv[1 + all] : "";
  gpucontext *ctx;

  setenv("POCL_AFFINITY", "1", 0); /* else its threads share a core at times */
  bench_need(gpucontext_open(&ctx, NULL), "context");
  load_openblas();
  if (argc == 7 || argc == 8) {
    bench_shape(ctx,
                (shape){type_of(argv[1][0]), trans_of(argv[2][0]),
                        trans_of(argv[3][0]), strtoul(argv[4], NULL, 10),
                        strtoul(argv[5], NULL, 10), strtoul(argv[6], NULL, 10),
                        argc == 8 ? strtoul(argv[7], NULL, 10) : 1});
  } else {
    if (strcmp(which, "complex") != 0)
      bench_shapes(ctx,
                   all ? sizeof real_shapes / sizeof *real_shapes : FEW_REAL,
                   real_shapes);
    if (strcmp(which, "real") != 0)
      bench_shapes(ctx,
                   all ? sizeof complex_shapes / sizeof *complex_shapes
                       : FEW_COMPLEX,
                   complex_shapes);
  }
  gpucontext_deref(ctx);
  return 0;
}
