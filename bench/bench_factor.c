/* SPDX-License-Identifier: BSD-2-Clause */
/* Cholesky, LU and QR factors, equations, inverses, least squares, and solving
 * with one triangle, for as many columns, 512 or one, of matrices of n x n
 * (arguments; 512, 1024 and 2048 if there are none; names, such as LU or
 * "Cholesky f64", leave only their lines), in GFLOP/s beside OpenBLAS, which
 * has the same copies to make, or beside PyTorch on GPUs; batches of small
 * ones; and eigenvalues and singular values with their vectors, of 128 and 512
 * or the arguments, where both sides count operations as if they did the same.
 * The elements are floats, or doubles where the name says f64. Residuals of all
 * results are measured first (check_factor.h). */
#include "bench.h"

#include <dlfcn.h>
#include <float.h>
#include <gpuarray/device.h>
#include <gpuarray/factor.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "check_factor.h"
#include "peer.h"

enum { REPS = 7, MOST_SIZES = 16 };

typedef void (*potrf_fn)(const char *uplo, const int *n, float *a,
                         const int *lda, int *info);
typedef void (*dpotrf_fn)(const char *uplo, const int *n, double *a,
                          const int *lda, int *info);
typedef void (*getrf_fn)(const int *m, const int *n, float *a, const int *lda,
                         int *pivots, int *info);
typedef void (*trsm_fn)(const char *side, const char *uplo, const char *trans,
                        const char *diag, const int *m, const int *n,
                        const float *alpha, const float *a, const int *lda,
                        float *b, const int *ldb);
typedef void (*trsv_fn)(const char *uplo, const char *trans, const char *diag,
                        const int *n, const float *a, const int *lda, float *x,
                        const int *step);
typedef void (*geqrf_fn)(const int *m, const int *n, float *a, const int *lda,
                         float *tau, float *work, const int *n_work, int *info);
typedef void (*orgqr_fn)(const int *m, const int *n, const int *k, float *a,
                         const int *lda, const float *tau, float *work,
                         const int *n_work, int *info);
typedef void (*gesv_fn)(const int *n, const int *columns, float *a,
                        const int *lda, int *pivots, float *b, const int *ldb,
                        int *info);
typedef void (*getri_fn)(const int *n, float *a, const int *lda,
                         const int *pivots, float *work, const int *n_work,
                         int *info);
typedef void (*gels_fn)(const char *trans, const int *m, const int *n,
                        const int *columns, float *a, const int *lda, float *b,
                        const int *ldb, float *work, const int *n_work,
                        int *info);
typedef void (*syevd_fn)(const char *job, const char *uplo, const int *n,
                         float *a, const int *lda, float *w, float *work,
                         const int *n_work, int *ints, const int *n_ints,
                         int *info);
typedef void (*gesdd_fn)(const char *job, const int *m, const int *n, float *a,
                         const int *lda, float *s, float *u, const int *ldu,
                         float *vt, const int *ldvt, float *work,
                         const int *n_work, int *ints, int *info);

typedef struct lapack {
  potrf_fn potrf;
  dpotrf_fn dpotrf;
  getrf_fn getrf;
  trsm_fn trsm;
  trsv_fn trsv;
  geqrf_fn geqrf;
  orgqr_fn orgqr;
  gesv_fn gesv;
  getri_fn getri;
  gels_fn gels;
  syevd_fn syevd;
  gesdd_fn gesdd;
} lapack;

typedef struct bench_state {
  gpucontext *ctx;
  lapack by;
  size_t n, batch, columns; /* columns: of right-hand sides */
  char **names;             /* of lines that are measured; none: all */
  int n_names;
  GpuArray a, r, pivots, values, right;
  GpuArray b, x; /* right-hand sides, of elements of a; solutions */
  GpuArray doubles, r_double; /* a and r as doubles */
  GpuLaunch *launch;
  float *host, *work, *spare; /* spare: workspace of LAPACK */
  double *host_double;        /* doubles, and a copy to work on */
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

static int run_dpotrf(void *arg) {
  bench_state *s = arg;
  const int n = (int)s->n;
  double *const work = s->host_double + elements(s);
  int info;

  memcpy(work, s->host_double, elements(s) * sizeof *work);
  s->by.dpotrf("U", &n, work, &n, &info);
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
  const int n = (int)s->n, m = (int)s->columns;
  const float one = 1;

  memcpy(s->work, s->host, s->n * s->columns * sizeof *s->work);
  s->by.trsm("R", "U", "N", "N", &m, &n, &one, s->host, &n, s->work, &m);
  return GA_NO_ERROR;
}

static int run_trsv(void *arg) {
  bench_state *s = arg;
  const int n = (int)s->n, one = 1;

  memcpy(s->spare, s->host, s->n * sizeof *s->spare);
  s->by.trsv("U", "T", "N", &n, s->host, &n, s->spare, &one);
  return GA_NO_ERROR;
}

static int run_gesv(void *arg) {
  bench_state *s = arg;
  const int n = (int)s->n, one = 1;
  int info;

  memcpy(s->work, s->host, elements(s) * sizeof *s->work);
  memcpy(s->spare, s->host, s->n * sizeof *s->spare);
  s->by.gesv(&n, &one, s->work, &n, s->ints, s->spare, &n, &info);
  return GA_NO_ERROR;
}

static int run_geqrf(void *arg) {
  bench_state *s = arg;
  const int n = (int)s->n, n_work = 64 * n;
  int info;

  memcpy(s->work, s->host, elements(s) * sizeof *s->work);
  s->by.geqrf(&n, &n, s->work, &n, s->spare, s->spare + n, &n_work, &info);
  s->by.orgqr(&n, &n, &n, s->work, &n, s->spare, s->spare + n, &n_work, &info);
  return GA_NO_ERROR;
}

static int run_getri(void *arg) {
  bench_state *s = arg;
  const int n = (int)s->n, n_work = 64 * n;
  int info;

  GA_TRY(run_getrf(s));
  s->by.getri(&n, s->work, &n, s->ints, s->spare, &n_work, &info);
  return GA_NO_ERROR;
}

static int run_gels(void *arg) {
  bench_state *s = arg;
  const int n = (int)s->n, one = 1, n_work = 65 * n;
  int info;

  memcpy(s->work, s->host, elements(s) * sizeof *s->work);
  memcpy(s->spare, s->host, s->n * sizeof *s->spare);
  s->by.gels("N", &n, &n, &one, s->work, &n, s->spare, &n, s->spare + n,
             &n_work, &info);
  return GA_NO_ERROR;
}

/* Elements of workspaces of LAPACK for the two below: what it asks for, and
 * more for its blocks. */
static size_t spare_of(size_t n) {
  return 8 * n * n + 128 * n + 64;
}

static int run_syevd(void *arg) {
  bench_state *s = arg;
  const int n = (int)s->n, n_work = (int)spare_of(s->n) - n, n_ints = 8 * n + 8;
  int info;

  memcpy(s->work, s->host, elements(s) * sizeof *s->work);
  for (size_t z = 0; z < s->batch; z++)
    s->by.syevd("V", "U", &n, s->work + z * s->n * s->n, &n, s->spare,
                s->spare + n, &n_work, s->ints, &n_ints, &info);
  return GA_NO_ERROR;
}

static int run_gesdd(void *arg) {
  bench_state *s = arg;
  const size_t square = s->n * s->n;
  const int n = (int)s->n, n_work = (int)(spare_of(s->n) - 2 * square) - n;
  float *const u = s->spare + n, *const vt = u + square;
  int info;

  memcpy(s->work, s->host, elements(s) * sizeof *s->work);
  for (size_t z = 0; z < s->batch; z++)
    s->by.gesdd("S", &n, &n, s->work + z * square, &n, s->spare, u, &n, vt, &n,
                vt + square, &n_work, s->ints, &info);
  return GA_NO_ERROR;
}

/* Symmetric matrices with a large diagonal: all can work with them. */
static int make_data(bench_state *s) {
  const size_t n = s->n, dims[3] = {s->batch, n, n};
  uint32_t seed = 3;

  s->host = malloc(elements(s) * sizeof *s->host);
  s->work = malloc(elements(s) * sizeof *s->work);
  s->ints = malloc((8 * n + 8) * sizeof *s->ints);
  s->spare = malloc(spare_of(n) * sizeof *s->spare);
  if (s->host == NULL || s->work == NULL || s->ints == NULL || s->spare == NULL)
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
  GA_TRY(GpuArray_empty(&s->values, s->ctx, GA_FLOAT, 2, dims, GA_C_ORDER));
  GA_TRY(GpuArray_empty(&s->right, s->ctx, GA_FLOAT, 3, dims, GA_C_ORDER));
  return GpuArray_write(&s->a, s->host, elements(s) * sizeof *s->host);
}

/* Right-hand sides of one matrix: its first elements, as rows of s->columns.
 * One column is that of the matrix, which is symmetric. */
static int make_sides(bench_state *s) {
  const size_t dims[3] = {1, s->n, s->columns};
  const size_t bytes = s->n * s->columns * sizeof *s->host;

  GpuArray_clear(&s->b);
  GpuArray_clear(&s->x);
  GA_TRY(GpuArray_empty(&s->b, s->ctx, GA_FLOAT, 3, dims, GA_C_ORDER));
  GA_TRY(GpuArray_empty(&s->x, s->ctx, GA_FLOAT, 3, dims, GA_C_ORDER));
  return GpuArray_write(&s->b, s->host, bytes);
}

/* The same matrices as doubles. */
static int make_doubles(bench_state *s) {
  const size_t n = elements(s), dims[3] = {s->batch, s->n, s->n};

  s->host_double = malloc(2 * n * sizeof *s->host_double);
  if (s->host_double == NULL)
    return ga__fail_nomem();
  for (size_t i = 0; i < n; i++)
    s->host_double[i] = (double)s->host[i];
  GA_TRY(GpuArray_empty(&s->doubles, s->ctx, GA_DOUBLE, 3, dims, GA_C_ORDER));
  GA_TRY(GpuArray_empty(&s->r_double, s->ctx, GA_DOUBLE, 3, dims, GA_C_ORDER));
  return GpuArray_write(&s->doubles, s->host_double,
                        n * sizeof *s->host_double);
}

/* --- results --- */

/* The elements of an array as doubles, which the caller frees; NULL after an
 * error. */
static double *doubles_of(const GpuArray *a) {
  size_t n = 1;

  for (unsigned int d = 0; d < a->nd; d++)
    n *= a->dimensions[d];
  double *const to = malloc((n + 1) * sizeof *to);
  float *const from = (float *)to + n; /* the second half */
  const int is_double = a->typecode == GA_DOUBLE;

  if (to == NULL || GpuArray_read(is_double ? (void *)to : (void *)from,
                                  n * GpuArray_ITEMSIZE(a), a) != GA_NO_ERROR) {
    free(to);
    return NULL;
  }
  for (size_t i = 0; !is_double && i < n; i++)
    to[i] = (double)from[i];
  return to;
}

/* What a residual is computed from. */
typedef struct results {
  check_factor c;
  double *a, *x, *y, *z;
} results;

/* Run the launch, and read the matrix and the results x, y and z, of which the
 * last ones may be NULL. */
static int results_open(results *r, bench_state *s, const GpuArray *x,
                        const GpuArray *y, const GpuArray *z) {
  const int is_double = x->typecode == GA_DOUBLE;
  const GpuArray *const from[4] = {is_double ? &s->doubles : &s->a, x, y, z};
  double **const to[4] = {&r->a, &r->x, &r->y, &r->z};

  GA_TRY(run_launch(s));
  for (int i = 0; i < 4; i++) {
    *to[i] = from[i] != NULL ? doubles_of(from[i]) : NULL;
    if (from[i] != NULL && *to[i] == NULL)
      return ga__fail_nomem();
  }
  r->c = (check_factor){.n = s->n,
                        .batch = s->batch,
                        .eps = is_double ? DBL_EPSILON : (double)FLT_EPSILON,
                        .a = r->a};
  return GA_NO_ERROR;
}

static int results_close(results *r, double measure) {
  free(r->a);
  free(r->x);
  free(r->y);
  free(r->z);
  if (measure < CHECK_FACTOR_MOST)
    return GA_NO_ERROR;
  return ga__fail(GA_VALUE_ERROR, "a residual is %g, expected less than %d",
                  measure, CHECK_FACTOR_MOST);
}

/* --- launches, prepared and checked --- */

static int check_factors(bench_state *s, const GpuArray *l) {
  results r = {.a = NULL};

  GA_TRY(results_open(&r, s, l, NULL, NULL));
  return results_close(&r, check_cholesky(&r.c, r.x));
}

static int check_answer(bench_state *s, check_part part, const GpuArray *x,
                        const GpuArray *b) {
  results r = {.a = NULL};

  GA_TRY(results_open(&r, s, x, b, NULL));
  return results_close(
      &r, check_solution(&r.c, part, r.x, r.y, b != NULL ? s->columns : s->n));
}

static int start_cholesky(bench_state *s) {
  GA_TRY(GpuArray_cholesky_prepare(&s->launch, &s->r, NULL, &s->a, 0));
  return check_factors(s, &s->r);
}

static int start_doubles(bench_state *s) {
  GA_TRY(make_doubles(s));
  GA_TRY(GpuArray_cholesky_prepare(&s->launch, &s->r_double, NULL, &s->doubles,
                                   0));
  return check_factors(s, &s->r_double);
}

static int start_lu(bench_state *s) {
  results r = {.a = NULL};
  int *const pivots = malloc(s->batch * s->n * sizeof *pivots);
  int err;

  if (pivots == NULL)
    return ga__fail_nomem();
  GA_CHECK(
      GpuArray_lu_prepare(&s->launch, &s->r, &s->pivots, NULL, NULL, &s->a));
  GA_CHECK(results_open(&r, s, &s->r, NULL, NULL));
  GA_CHECK(GpuArray_read(pivots, s->batch * s->n * sizeof *pivots, &s->pivots));
  err = results_close(&r, check_lu(&r.c, r.x, pivots));

done:
  free(pivots);
  return err;
}

static int start_triangle(bench_state *s) {
  GA_TRY(make_sides(s));
  GA_TRY(GpuArray_triangular_solve_prepare(&s->launch, &s->x, &s->a, &s->b, 0));
  return check_answer(s, CHECK_LOWER, &s->x, &s->b);
}

static int start_equations(bench_state *s) {
  GA_TRY(make_sides(s));
  GA_TRY(GpuArray_solve_prepare(&s->launch, &s->x, NULL, &s->a, &s->b, 0));
  return check_answer(s, CHECK_ALL, &s->x, &s->b);
}

static int start_squares(bench_state *s) {
  GA_TRY(make_sides(s));
  GA_TRY(GpuArray_lstsq_prepare(&s->launch, &s->x, &s->a, &s->b));
  return check_answer(s, CHECK_ALL, &s->x, &s->b);
}

static int start_inverse(bench_state *s) {
  GA_TRY(GpuArray_inverse_prepare(&s->launch, &s->r, NULL, &s->a, 0));
  return check_answer(s, CHECK_ALL, &s->r, NULL);
}

static int start_qr(bench_state *s) {
  results r = {.a = NULL};

  GA_TRY(GpuArray_qr_prepare(&s->launch, &s->right, &s->r, &s->a));
  GA_TRY(results_open(&r, s, &s->right, &s->r, NULL));
  return results_close(&r, check_qr(&r.c, r.x, r.y));
}

static int start_eigh(bench_state *s) {
  results r = {.a = NULL};

  GA_TRY(GpuArray_eigh_prepare(&s->launch, &s->values, &s->r, &s->a, 0));
  GA_TRY(results_open(&r, s, &s->r, &s->values, NULL));
  return results_close(&r, check_values(&r.c, r.x, r.y, r.x, 0));
}

static int start_svd(bench_state *s) {
  results r = {.a = NULL};

  GA_TRY(GpuArray_svd_prepare(&s->launch, &s->r, &s->values, &s->right, &s->a));
  GA_TRY(results_open(&r, s, &s->r, &s->values, &s->right));
  return results_close(&r, check_values(&r.c, r.x, r.y, r.z, 1));
}

/* --- measurements --- */

/* What is measured. Its operations are `cubes` times n^3, and `squares` times
 * n^2 for each column at the right. */
typedef struct kind {
  const char *name, *op; /* op: of ops_torch.py */
  int (*start)(bench_state *s);
  bench_fn ref;
  double cubes, squares;
  size_t columns; /* 0: n */
} kind;

static const kind factors[] = {
    {"Cholesky", "cholesky", start_cholesky, run_potrf, 1. / 3, 0, 0},
    {"LU", "lu", start_lu, run_getrf, 2. / 3, 0, 0}};
static const kind doubles = {
    "Cholesky f64", "double_cholesky", start_doubles, run_dpotrf, 1. / 3, 0, 0};
static const kind others[] = {
    {"triangle", "triangle", start_triangle, run_trsm, 0, 1, 0},
    {"512 columns", "triangle", start_triangle, run_trsm, 0, 1, 512},
    {"column", "triangle", start_triangle, run_trsv, 0, 1, 1},
    {"equations", "equations", start_equations, run_gesv, 2. / 3, 2, 1},
    {"inverse", "inverse", start_inverse, run_getri, 2, 0, 0},
    {"least squares", "squares", start_squares, run_gels, 4. / 3, 4, 1},
    {"QR", "qr", start_qr, run_geqrf, 8. / 3, 0, 0}};
static const kind values[] = {{"eigh", "eigh", start_eigh, run_syevd, 9, 0, 0},
                              {"svd", "svd", start_svd, run_gesdd, 21, 0, 0}};

static int is_wanted(const bench_state *s, const char *name) {
  for (int i = 0; i < s->n_names; i++)
    if (strcmp(name, s->names[i]) == 0)
      return 1;
  return s->n_names == 0;
}

static int measure(bench_state *s, const kind *k) {
  const double n = (double)s->n;
  const int is_cpu = gpucontext_caps(s->ctx)->is_cpu;
  bench_time ours, theirs = {0};
  char name[64];

  if (!is_wanted(s, k->name) || k->columns > s->n)
    return GA_NO_ERROR;
  s->columns = k->columns > 0 ? k->columns : s->n;
  const double flops = (double)s->batch * n * n *
                       (k->cubes * n + k->squares * (double)s->columns);
  GA_TRY(k->start(s));
  if (is_cpu && s->by.potrf != NULL)
    bench_pair_apart(run_launch, s, k->ref, s, REPS, &ours, &theirs);
  else
    ours = bench_median(run_launch, s, REPS);
  if (!is_cpu)
    theirs.median = 1e-6 * peer_us("ops_torch.py cuda %s %zu %zu %zu", k->op,
                                   s->batch, s->n, s->columns);
  snprintf(name, sizeof name, "%s %zu x %zux%zu", k->name, s->batch, s->n,
           s->n);
  bench_print(name, flops / ours.median / 1e9, "GFLOP/s",
              theirs.median > 0 ? flops / theirs.median / 1e9 : 0);
  GpuLaunch_free(s->launch);
  s->launch = NULL;
  return GA_NO_ERROR;
}

/* Factors and solutions. */
static int measure_factors(bench_state *s) {
  for (size_t i = 0; i < sizeof factors / sizeof *factors; i++)
    GA_TRY(measure(s, &factors[i]));
  if (s->batch == 1 && gpucontext_caps(s->ctx)->fp64)
    GA_TRY(measure(s, &doubles));
  for (size_t i = 0; s->batch == 1 && i < sizeof others / sizeof *others; i++)
    GA_TRY(measure(s, &others[i]));
  return GA_NO_ERROR;
}

/* Values with their vectors. */
static int measure_values(bench_state *s) {
  for (size_t i = 0; i < sizeof values / sizeof *values; i++)
    GA_TRY(measure(s, &values[i]));
  return GA_NO_ERROR;
}

static int measure_size(bench_state *s, size_t n, size_t batch,
                        int (*run)(bench_state *)) {
  int err;

  s->n = n;
  s->batch = batch;
  GA_CHECK(make_data(s));
  GA_CHECK(run(s));

done:
  GpuLaunch_free(s->launch);
  s->launch = NULL;
  GpuArray_clear(&s->a);
  GpuArray_clear(&s->r);
  GpuArray_clear(&s->pivots);
  GpuArray_clear(&s->values);
  GpuArray_clear(&s->right);
  GpuArray_clear(&s->b);
  GpuArray_clear(&s->x);
  GpuArray_clear(&s->doubles);
  GpuArray_clear(&s->r_double);
  free(s->host);
  free(s->work);
  free(s->spare);
  free(s->ints);
  free(s->host_double);
  s->host = s->work = s->spare = NULL;
  s->host_double = NULL;
  s->ints = NULL;
  return err;
}

/* POSIX lets an object pointer become a function pointer by way of memory. */
static void find(void *lib, const char *name, void *to) {
  void *const p = lib != NULL ? dlsym(lib, name) : NULL;

  memcpy(to, &p, sizeof p);
}

/* The numbers that the arguments begin with; the others are names, which may
 * begin with digits. */
static int take_sizes(bench_state *s, int argc, char **argv, size_t *sizes) {
  int n = 0;

  for (; n < MOST_SIZES && n + 1 < argc; n++) {
    char *end;
    sizes[n] = (size_t)strtoull(argv[n + 1], &end, 10);
    if (sizes[n] == 0 || *end != '\0')
      break;
  }
  s->names = argv + 1 + n;
  s->n_names = argc - 1 - n;
  return n;
}

static int run_all(bench_state *s, int argc, char **argv) {
  static const size_t usual[] = {512, 1024, 2048};
  size_t sizes[MOST_SIZES];
  const int n_sizes = take_sizes(s, argc, argv, sizes);

  for (int i = 0; i < n_sizes; i++) {
    GA_TRY(measure_size(s, sizes[i], 1, measure_factors));
    GA_TRY(measure_size(s, sizes[i], 1, measure_values));
  }
  for (size_t i = 0; n_sizes == 0 && i < 3; i++)
    GA_TRY(measure_size(s, usual[i], 1, measure_factors));
  GA_TRY(measure_size(s, 8, 10000, measure_factors));
  GA_TRY(measure_size(s, 32, 10000, measure_factors));
  for (size_t n = 128; n_sizes == 0 && n <= 512; n *= 4)
    GA_TRY(measure_size(s, n, 1, measure_values));
  return measure_size(s, 32, 1000, measure_values);
}

int main(int argc, char **argv) {
  void *lib = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
  bench_state s = {0};

  find(lib, "spotrf_", &s.by.potrf);
  find(lib, "dpotrf_", &s.by.dpotrf);
  find(lib, "sgetrf_", &s.by.getrf);
  find(lib, "strsm_", &s.by.trsm);
  find(lib, "strsv_", &s.by.trsv);
  find(lib, "sgeqrf_", &s.by.geqrf);
  find(lib, "sorgqr_", &s.by.orgqr);
  find(lib, "sgesv_", &s.by.gesv);
  find(lib, "sgetri_", &s.by.getri);
  find(lib, "sgels_", &s.by.gels);
  find(lib, "ssyevd_", &s.by.syevd);
  find(lib, "sgesdd_", &s.by.gesdd);
  bench_need(gpucontext_open(&s.ctx, NULL), "device");
  bench_need(run_all(&s, argc, argv), "measurements");
  gpucontext_deref(s.ctx);
  return 0;
}
