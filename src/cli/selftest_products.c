/* SPDX-License-Identifier: BSD-2-Clause */
/* Products, real and complex, compared with plain loops over complex numbers.
 * For real dtypes the imaginary parts are 0. */
#include <gpuarray/blas.h>
#include <gpuarray/blas_complex.h>
#include <gpuarray/factor.h>
#include <math.h>

#include "base/alloc.h"
#include "base/dtype.h"
#include "base/err.h"
#include "cli/selftest.h"

enum { ROWS = SELFTEST_ROWS, COLS = SELFTEST_COLS, INNER = 29 };

static const size_t rows = ROWS, cols = COLS;
static const size_t left[2] = {ROWS, INNER}, right[2] = {INNER, COLS};
static const ga_complex one = {1, 0}, zero = {0, 0}, factor = {0.5, -2};

static int is_complex(const selftest *t) {
  return ga__dtype_is_complex(t->dtype);
}

/* Element i of operand `which`. */
static ga_complex element(const selftest *t, size_t which, size_t i) {
  if (!is_complex(t))
    return (ga_complex){selftest_value(which, i), 0};
  return (ga_complex){selftest_value(which, 2 * i),
                      selftest_value(which, 2 * i + 1)};
}

static ga_complex conj_of(ga_complex a) {
  return (ga_complex){a.re, -a.im};
}

static ga_complex times(ga_complex a, ga_complex b) {
  return (ga_complex){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

/* Add `v` to element i of t->want. */
static void want(selftest *t, size_t i, ga_complex v) {
  if (is_complex(t)) {
    t->want[2 * i] += v.re;
    t->want[2 * i + 1] += v.im;
  } else {
    t->want[i] += v.re;
  }
}

int selftest_dot(selftest *t) {
  GA_TRY(selftest_make(t, 0, 1, &rows));
  GA_TRY(selftest_make(t, 1, 1, &rows));
  GA_TRY(GpuArray_empty(&t->a[2], t->ctx, t->dtype, 0, NULL, GA_C_ORDER));
  for (size_t i = 0; i < ROWS; i++)
    want(t, 0, times(conj_of(element(t, 0, i)), element(t, 1, i)));
  GA_TRY(is_complex(t) ? GpuArray_cdotc(&t->a[0], &t->a[1], &t->a[2], 1)
                       : GpuArray_rdot(&t->a[0], &t->a[1], &t->a[2], 1));
  return selftest_compare(t, 2);
}

int selftest_gemv(selftest *t) {
  GpuArray *a = t->a;

  GA_TRY(selftest_make(t, 0, 2, selftest_matrix));
  GA_TRY(selftest_make(t, 1, 1, &cols));
  GA_TRY(selftest_make(t, 2, 1, &rows));
  for (size_t i = 0; i < SELFTEST_ELEMENTS; i++)
    want(t, i / COLS, times(element(t, 0, i), element(t, 1, i % COLS)));
  GA_TRY(is_complex(t)
             ? GpuArray_cgemv(cb_no_trans, one, &a[0], &a[1], zero, &a[2], 1)
             : GpuArray_rgemv(cb_no_trans, 1, &a[0], &a[1], 0, &a[2], 1));
  return selftest_compare(t, 2);
}

int selftest_ger(selftest *t) {
  const ga_complex by = is_complex(t) ? factor : (ga_complex){factor.re, 0};
  GpuArray *a = t->a;

  GA_TRY(selftest_make(t, 0, 1, &rows));
  GA_TRY(selftest_make(t, 1, 1, &cols));
  GA_TRY(selftest_make(t, 2, 2, selftest_matrix));
  for (size_t i = 0; i < SELFTEST_ELEMENTS; i++) {
    want(t, i, element(t, 2, i));
    want(t, i,
         times(by, times(element(t, 0, i / COLS),
                         conj_of(element(t, 1, i % COLS)))));
  }
  GA_TRY(is_complex(t) ? GpuArray_cgerc(by, &a[0], &a[1], &a[2], 1)
                       : GpuArray_rger(by.re, &a[0], &a[1], &a[2], 1));
  return selftest_compare(t, 2);
}

/* The solution of A x = b, which is known, for an A with a large diagonal. */
int selftest_solve(selftest *t) {
  enum { N = SELFTEST_COLS };
  static const size_t square[2] = {N, N}, column[2] = {N, 1};
  double a[N * N], b[N] = {0};
  float values[N * N];

  for (size_t i = 0; i < N; i++) {
    t->want[i] = selftest_value(1, i);
    for (size_t k = 0; k < N; k++) {
      a[i * N + k] = selftest_value(0, i * N + k) + (i == k ? 4 * N : 0);
      b[i] += a[i * N + k] * selftest_value(1, k);
    }
  }
  for (size_t i = 0; i < (size_t)N * N; i++)
    values[i] = (float)a[i];
  GA_TRY(selftest_put(t, 0, GA_FLOAT, 2, square, values));
  for (size_t i = 0; i < N; i++)
    values[i] = (float)b[i];
  GA_TRY(selftest_put(t, 1, GA_FLOAT, 2, column, values));
  GA_TRY(GpuArray_solve(&t->a[2], NULL, &t->a[0], &t->a[1], 0));
  return selftest_compare(t, 2);
}

/* Element (i, j) of a lower triangle with a large diagonal. */
static double factor_value(size_t i, size_t j) {
  return i == j ? 4 : j < i ? selftest_value(0, i * (i + 1) / 2 + j) / 8 : 0;
}

/* The factor of a product of such a triangle with its transpose: its last rows,
 * which more than one kernel computes. */
int selftest_cholesky(selftest *t) {
  enum { N = 130, LAST = 30 };
  static const size_t square[2] = {N, N};
  const ssize_t start[2] = {N - LAST, 0}, stop[2] = {N, N}, step[2] = {1, 1};
  float *values = ga__calloc((size_t)N * N, sizeof *values);

  if (values == NULL)
    return ga__fail_nomem();
  for (size_t o = 0; o < (size_t)N * N; o++) {
    double sum = 0;

    for (size_t k = 0; k < N; k++)
      sum += factor_value(o / N, k) * factor_value(o % N, k);
    values[o] = (float)sum;
  }
  const int err = selftest_put(t, 0, GA_FLOAT, 2, square, values);
  ga__free(values);
  GA_TRY(err);
  for (size_t o = 0; o < (size_t)LAST * N; o++)
    t->want[o] = factor_value(N - LAST + o / N, o % N);
  GA_TRY(GpuArray_cholesky(&t->a[1], NULL, &t->a[0], 0));
  GA_TRY(GpuArray_index(&t->a[2], &t->a[1], start, stop, step));
  return selftest_compare(t, 2);
}

/* a[0] with 2 on its diagonal and -1 beside it: its k-th eigenvalue, and so its
 * k-th singular value from the end, is 2 - 2 cos(pi k / (n + 1)). */
static int make_known_values(selftest *t, int ascending) {
  enum { N = SELFTEST_COLS };
  static const size_t square[2] = {N, N};
  float v[N * N] = {0};

  for (size_t i = 0; i < N; i++) {
    const double k = (double)(ascending ? i + 1 : N - i);
    t->want[i] = 2 - 2 * cos(acos(-1) * k / (N + 1));
    v[i * (N + 1)] = 2;
    if (i > 0)
      v[i * (N + 1) - 1] = v[i * (N + 1) - N] = -1;
  }
  return selftest_put(t, 0, GA_FLOAT, 2, square, v);
}

int selftest_eigenvalues(selftest *t) {
  GA_TRY(make_known_values(t, 1));
  GA_TRY(GpuArray_eigh(&t->a[1], &t->a[2], &t->a[0], 0));
  return selftest_compare(t, 1);
}

int selftest_singular_values(selftest *t) {
  GA_TRY(make_known_values(t, 0));
  GA_TRY(GpuArray_svd(NULL, &t->a[1], NULL, &t->a[0], 0));
  return selftest_compare(t, 1);
}

/* A complex left factor is stored transposed and used conjugated. */
int selftest_gemm(selftest *t) {
  const size_t turned[2] = {INNER, ROWS};
  GpuArray *a = t->a;

  GA_TRY(selftest_make(t, 0, 2, is_complex(t) ? turned : left));
  GA_TRY(selftest_make(t, 1, 2, right));
  GA_TRY(selftest_make(t, 2, 2, selftest_matrix));
  for (size_t i = 0; i < SELFTEST_ELEMENTS; i++) {
    want(t, i, element(t, 2, i));
    for (size_t k = 0; k < INNER; k++) {
      const size_t at =
          is_complex(t) ? k * ROWS + i / COLS : i / COLS * INNER + k;
      want(t, i,
           times(conj_of(element(t, 0, at)),
                 element(t, 1, k * COLS + i % COLS)));
    }
  }
  GA_TRY(is_complex(t) ? GpuArray_cgemm(cb_conj_trans, cb_no_trans, one, &a[0],
                                        &a[1], one, &a[2], 1)
                       : GpuArray_rgemm(cb_no_trans, cb_no_trans, 1, &a[0],
                                        &a[1], 1, &a[2], 1));
  return selftest_compare(t, 2);
}
