/* SPDX-License-Identifier: BSD-2-Clause */
/* Matrices for tests of factorisations: batches of them in several layouts, and
 * LAPACK's measures of their errors. */
#ifndef FACTOR_MATRICES_H
#define FACTOR_MATRICES_H

#include "support/device.h"

#include <gpuarray/device.h>
#include <gpuarray/launch.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"

/* LAPACK's tests accept residuals below this. */
#define THRESHOLD 30

enum { MOST_ND = 5 };

/* How the elements of an array lie in memory. */
typedef enum layout {
  ROWS,    /* C order */
  COLUMNS, /* matrices in F order */
  GAPS,    /* C order with gaps after rows and matrices */
  APART,   /* every other element, and batches in reversed order */
  TURNED,  /* the batch has the order of its axes swapped */
  LAYOUTS
} layout;

static const layout rows_only[3] = {ROWS, ROWS, ROWS};

/* A batch of matrices on the host, in doubles and C order. */
typedef struct host {
  unsigned int nd;
  size_t dims[MOST_ND], m, n, batch;
  double *v;
} host;

static uint32_t matrices_seed = 1;

static inline size_t draw(size_t low, size_t high) {
  matrices_seed = matrices_seed * 1664525u + 1013904223u;
  return low + (matrices_seed >> 8) % (high - low + 1);
}

/* A size for each mapping: blocks are larger on CPUs. */
static inline size_t by_mapping(size_t cpu, size_t gpu) {
  return gpucontext_caps(test_context())->is_cpu ? cpu : gpu;
}

static inline layout draw_layout(void) {
  return (layout)draw(0, LAYOUTS - 1);
}

static inline double draw_value(void) {
  return (double)draw(0, 1 << 20) / (1 << 19) - 1;
}

/* A host array of m x n matrices with `lead` leading sizes, of zeros. */
static inline host host_new(unsigned int lead, const size_t *dims, size_t m,
                            size_t n) {
  host h = {.nd = lead + 2, .m = m, .n = n, .batch = 1};

  for (unsigned int d = 0; d < lead; d++) {
    h.dims[d] = dims[d];
    h.batch *= dims[d];
  }
  h.dims[lead] = m;
  h.dims[lead + 1] = n;
  h.v = calloc(h.batch * m * n + 1, sizeof *h.v);
  return h;
}

static inline double *host_at(const host *h, size_t z, size_t i, size_t j) {
  return &h->v[(z * h->m + i) * h->n + j];
}

static inline size_t host_total(const host *h) {
  return h->batch * h->m * h->n;
}

static inline void host_random(host *h) {
  for (size_t i = 0; i < host_total(h); i++)
    h->v[i] = draw_value();
}

/* Strides in elements. */
static inline void layout_strides(layout how, unsigned int nd,
                                  const size_t *dims, ssize_t *strides) {
  const int gap = how == GAPS ? 3 : 0;
  ssize_t step = how == APART ? 2 : 1;

  for (unsigned int k = 0; k < nd; k++) {
    unsigned int d = nd - 1 - k;

    if (how == COLUMNS && k < 2)
      d = nd - 2 + k;
    if (how == TURNED && k >= 2)
      d = k - 2;
    strides[d] = step;
    step = step * (ssize_t)(dims[d] > 0 ? dims[d] : 1) + gap;
    if (how == APART && k >= 2)
      strides[d] = -strides[d];
  }
}

/* An array with these elements; the caller clears it. */
static inline void make(GpuArray *a, const host *h, int typecode, layout how) {
  char *data = malloc(host_total(h) * 8 + 8);
  ssize_t strides[MOST_ND];

  layout_strides(how, h->nd, h->dims, strides);
  for (size_t i = 0; i < host_total(h); i++)
    test_set(data, typecode, i, h->v[i]);
  test_array_strided(a, typecode, h->nd, h->dims, strides, data);
  free(data);
}

/* Round to the dtype, so that the host knows what the device gets. */
static inline void host_round(host *h, int typecode) {
  for (size_t i = 0; typecode == GA_FLOAT && i < host_total(h); i++)
    h->v[i] = (double)(float)h->v[i];
}

/* Run a launch that was prepared, once. */
static inline void run_once(GpuLaunch *launch) {
  assert_ok(GpuLaunch_run(launch));
  GpuLaunch_free(launch);
}

static inline void host_read(host *h, const GpuArray *a) {
  char *data = malloc(host_total(h) * 8 + 8);

  test_gather(a, data);
  for (size_t i = 0; i < host_total(h); i++)
    h->v[i] = test_get(data, a->typecode, i);
  free(data);
}

static inline double eps_of(int typecode) {
  return typecode == GA_FLOAT ? FLT_EPSILON : DBL_EPSILON;
}

/* The largest sum of absolute values of a column of matrix z. A sum that is no
 * number counts as infinite. */
static inline double norm1(const host *h, size_t z) {
  double most = 0;

  for (size_t j = 0; j < h->n; j++) {
    double sum = 0;

    for (size_t i = 0; i < h->m; i++)
      sum += fabs(*host_at(h, z, i, j));
    if (!(sum <= most))
      most = isnan(sum) ? HUGE_VAL : sum;
  }
  return most;
}

/* c = a b for each matrix; with `ta` a is transposed, with `tb` b. */
static inline void host_multiply(host *c, const host *a, int ta, const host *b,
                                 int tb) {
  const size_t depth = ta ? a->m : a->n;

  for (size_t z = 0; z < c->batch; z++)
    for (size_t i = 0; i < c->m; i++)
      for (size_t k = 0; k < depth; k++) {
        const double v = ta ? *host_at(a, z, k, i) : *host_at(a, z, i, k);

        for (size_t j = 0; v != 0 && j < c->n; j++)
          *host_at(c, z, i, j) +=
              v * (tb ? *host_at(b, z, j, k) : *host_at(b, z, k, j));
      }
}

/* |a - b| / (scale eps) for matrix z, where both are m x n; 0 for 0 / 0. */
static inline double residual(const host *a, const host *b, size_t z,
                              double scale, int typecode) {
  host d = host_new(0, NULL, a->m, a->n);

  for (size_t i = 0; i < a->m; i++)
    for (size_t j = 0; j < a->n; j++)
      *host_at(&d, 0, i, j) = *host_at(a, z, i, j) - *host_at(b, z, i, j);
  const double norm = norm1(&d, 0);
  free(d.v);
  return norm == 0 ? 0 : norm / (scale * eps_of(typecode));
}

/* Symmetric positive definite matrices: B B^T + I, scaled. */
static inline void host_definite(host *a, double scale) {
  host b = host_new(a->nd - 2, a->dims, a->m, a->m);

  host_random(&b);
  host_multiply(a, &b, 0, &b, 1);
  for (size_t z = 0; z < a->batch; z++)
    for (size_t i = 0; i < a->m; i++)
      *host_at(a, z, i, i) += 1;
  for (size_t i = 0; i < host_total(a); i++)
    a->v[i] *= scale;
  free(b.v);
}

/* Hilbert's matrices, which are nearly singular, with `more` on the diagonal:
 * some eps make them definite after rounding. */
static inline void host_hilbert(host *a, double more) {
  for (size_t z = 0; z < a->batch; z++)
    for (size_t i = 0; i < a->m; i++)
      for (size_t j = 0; j < a->n; j++)
        *host_at(a, z, i, j) = 1 / (double)(i + j + 1) + (i == j ? more : 0);
}

/* Multiply rows by 1e-15 to 1e15 for `rows` of 1, by 1e15 to 1e-15 for -1, and
 * columns likewise. */
static inline void host_grade(host *a, int rows, int columns) {
  for (size_t z = 0; z < a->batch; z++)
    for (size_t i = 0; i < a->m; i++)
      for (size_t j = 0; j < a->n; j++) {
        const double u = 2 * (double)i / (double)(a->m - 1) - 1;
        const double v = 2 * (double)j / (double)(a->n - 1) - 1;

        *host_at(a, z, i, j) *= pow(10, 15 * (rows * u + columns * v));
      }
}

enum { HARD_SIZE = 12, HARD = 7 };

/* The k-th of HARD matrices that are ill-conditioned or have a huge range, of
 * HARD_SIZE rows and columns. */
static inline host host_hard(int k) {
  static const int grades[HARD][2] = {{0},     {1, 0}, {-1, 0}, {0, 1},
                                      {0, -1}, {1, 1}, {-1, -1}};
  host a = host_new(0, NULL, HARD_SIZE, HARD_SIZE);

  host_random(&a);
  if (k == 0)
    host_hilbert(&a, 0);
  host_grade(&a, grades[k][0], grades[k][1]);
  return a;
}

enum { HARD_DEFINITE = 3 };

/* The same of symmetric positive definite ones. */
static inline host host_hard_definite(int k) {
  host a = host_new(0, NULL, HARD_SIZE, HARD_SIZE);

  if (k == 0) {
    host_hilbert(&a, 2 * HARD_SIZE * FLT_EPSILON);
  } else {
    host_definite(&a, 1);
    host_grade(&a, k == 1 ? 1 : -1, k == 1 ? 1 : -1);
  }
  return a;
}

/* |p - b| / (n |A| |X| eps) is small, where p is what A and its solution X give
 * for the right-hand sides b. */
static inline void expect_solved(const host *p, const host *b, const host *a,
                                 const host *x, int flags, int typecode) {
  for (size_t z = 0; z < a->batch; z++) {
    const double scale = norm1(a, z) * norm1(x, z) * (double)a->n;
    const double got = residual(p, b, z, scale, typecode);

    if (!(got < THRESHOLD))
      fail_msg("residual %g of matrix %zu, n %zu, b %zu x %zu, flags %d, %s",
               got, z, a->n, b->m, b->n, flags, ga__dtype_name(typecode));
  }
}

#endif
