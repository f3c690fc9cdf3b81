/* SPDX-License-Identifier: BSD-2-Clause */
/* Factors of matrices, solutions and spectra. */
#include <gpuarray/blas.h>
#include <gpuarray/factor.h>
#include <math.h>

#include "base/alloc.h"
#include "base/err.h"
#include "cli/selftest.h"

enum { ROWS = SELFTEST_ROWS, COLS = SELFTEST_COLS };

static size_t parts_of(const selftest *t) {
  return t->dtype == GA_CFLOAT ? 2 : 1;
}

/* sum += a b, or a conj(b), of numbers of `parts` doubles. */
static void add_product(double *sum, const double *a, const double *b,
                        size_t parts, int conj) {
  const double im = parts == 2 ? (conj ? -b[1] : b[1]) : 0;

  sum[0] += a[0] * b[0] - (parts == 2 ? a[1] * im : 0);
  if (parts == 2)
    sum[1] += a[0] * im + a[1] * b[0];
}

/* The solution of A x = b, which is known, for an A with a large diagonal. */
int selftest_solve(selftest *t) {
  enum { N = SELFTEST_COLS };
  static const size_t square[2] = {N, N}, column[2] = {N, 1};
  const size_t parts = parts_of(t);
  float values[2 * N * N], right[2 * N];

  for (size_t i = 0; i < N * parts; i++)
    t->want[i] = selftest_value(1, i);
  for (size_t i = 0; i < N; i++) {
    double sum[2] = {0};

    for (size_t k = 0; k < N; k++) {
      const size_t o = (i * N + k) * parts;
      const double a[2] = {selftest_value(0, o) + (i == k ? 4 * N : 0),
                           selftest_value(0, o + 1)};
      for (size_t c = 0; c < parts; c++)
        values[o + c] = (float)a[c];
      add_product(sum, a, t->want + k * parts, parts, 0);
    }
    for (size_t c = 0; c < parts; c++)
      right[i * parts + c] = (float)sum[c];
  }
  GA_TRY(selftest_put(t, 0, t->dtype, 2, square, values));
  GA_TRY(selftest_put(t, 1, t->dtype, 2, column, right));
  GA_TRY(GpuArray_solve(&t->a[2], NULL, &t->a[0], &t->a[1], 0));
  return selftest_compare(t, 2);
}

/* Part c of element (i, j) of a lower triangle with a large real diagonal. */
static double factor_value(size_t i, size_t j, size_t c) {
  return i == j  ? (c == 0 ? 4 : 0)
         : j < i ? selftest_value(c, i * (i + 1) / 2 + j) / 8
                 : 0;
}

/* The factor of a product of such a triangle with its conjugate transpose: its
 * last rows, which more than one kernel computes. */
int selftest_cholesky(selftest *t) {
  enum { N = 130, MOST = 30 };
  static const size_t square[2] = {N, N};
  const size_t parts = parts_of(t), last = MOST / parts;
  const ssize_t start[2] = {(ssize_t)(N - last), 0}, stop[2] = {N, N},
                step[2] = {1, 1};
  float *values = ga__calloc(parts * N * N, sizeof *values);

  if (values == NULL)
    return ga__fail_nomem();
  for (size_t o = 0; o < (size_t)N * N; o++) {
    double sum[2] = {0};

    for (size_t k = 0; k < N; k++) {
      const double a[2] = {factor_value(o / N, k, 0),
                           factor_value(o / N, k, 1)};
      const double b[2] = {factor_value(o % N, k, 0),
                           factor_value(o % N, k, 1)};
      add_product(sum, a, b, parts, 1);
    }
    for (size_t c = 0; c < parts; c++)
      values[o * parts + c] = (float)sum[c];
  }
  const int err = selftest_put(t, 0, t->dtype, 2, square, values);
  ga__free(values);
  GA_TRY(err);
  for (size_t o = 0; o < last * N * parts; o++)
    t->want[o] = factor_value(N - last + o / parts / N, o / parts % N,
                              parts == 2 ? o % 2 : 0);
  GA_TRY(GpuArray_cholesky(&t->a[1], NULL, &t->a[0], 0));
  GA_TRY(GpuArray_index(&t->a[2], &t->a[1], start, stop, step));
  return selftest_compare(t, 2);
}

/* Element (i, j) of a Hermitian matrix. */
static void hermitian_value(double z[2], size_t i, size_t j) {
  const size_t o = i >= j ? i * (i + 1) / 2 + j : j * (j + 1) / 2 + i;

  z[0] = selftest_value(0, o);
  z[1] = i == j ? 0 : (i > j ? 1 : -1) * selftest_value(1, o);
}

/* Element (i, j) of L^H T L, where L is the triangle of factor_value and T the
 * Hermitian matrix; n x n. */
static void product_value(double z[2], size_t n, size_t i, size_t j,
                          size_t parts) {
  z[0] = z[1] = 0;
  for (size_t k = i; k < n; k++) {
    const double l[2] = {factor_value(k, i, 0), factor_value(k, i, 1)};
    double row[2] = {0}, to[2] = {0};

    for (size_t m = j; m < n; m++) {
      const double a[2] = {factor_value(m, j, 0), factor_value(m, j, 1)};
      double b[2];

      hermitian_value(b, k, m);
      add_product(row, b, a, parts, 0);
    }
    add_product(to, row, l, parts, 1);
    z[0] += to[0];
    z[1] += to[1];
  }
}

/* Column j of a lower G, of which the lower triangle of L^H G is that of
 * L^H T L: substitution from the last row on. */
static void gradient_column(float *g, size_t n, size_t j, size_t parts) {
  double x[SELFTEST_COLS][2] = {{0}};

  for (size_t i = n; i-- > j;) {
    double sum[2], less[2] = {0};

    product_value(sum, n, i, j, parts);
    for (size_t k = i + 1; k < n; k++) {
      const double l[2] = {factor_value(k, i, 0), factor_value(k, i, 1)};

      add_product(less, x[k], l, parts, 1);
    }
    for (size_t c = 0; c < parts; c++) {
      x[i][c] = (sum[c] - less[c]) / factor_value(i, i, 0);
      g[(i * n + j) * parts + c] = (float)x[i][c];
    }
  }
}

/* The T of GpuArray_cholesky_gradient, which is known. */
int selftest_cholesky_gradient(selftest *t) {
  enum { N = SELFTEST_COLS };
  static const size_t square[2] = {N, N};
  const size_t parts = parts_of(t);
  float l[2 * N * N], g[2 * N * N] = {0};

  for (size_t o = 0; o < (size_t)N * N; o++) {
    double z[2];

    hermitian_value(z, o / N, o % N);
    for (size_t c = 0; c < parts; c++) {
      l[o * parts + c] = (float)factor_value(o / N, o % N, c);
      t->want[o * parts + c] = z[c];
    }
  }
  for (size_t j = 0; j < N; j++)
    gradient_column(g, N, j, parts);
  GA_TRY(selftest_put(t, 0, t->dtype, 2, square, l));
  GA_TRY(selftest_put(t, 1, t->dtype, 2, square, g));
  GA_TRY(GpuArray_cholesky_gradient(&t->a[2], &t->a[0], &t->a[1], 0));
  return selftest_compare(t, 2);
}

/* The solution of A^H x = b, which is known, for an A with LOWER diagonals
 * below a large one, and UPPER above it. */
int selftest_banded(selftest *t) {
  enum { N = SELFTEST_ROWS, LOWER = 2, UPPER = 1, BANDS = LOWER + UPPER + 1 };
  static const size_t bands[2] = {BANDS, N}, column[2] = {N, 1};
  const size_t parts = parts_of(t);
  float ab[2 * BANDS * N], right[2 * N];

  for (size_t o = 0; o < (size_t)BANDS * N; o++)
    for (size_t c = 0; c < parts; c++)
      ab[o * parts + c] =
          (float)(selftest_value(c, o) + (o / N == UPPER && c == 0 ? 8 : 0));
  for (size_t i = 0; i < N * parts; i++)
    t->want[i] = selftest_value(1, i);
  for (size_t j = 0; j < N; j++) {
    double sum[2] = {0};

    for (size_t d = 0; d < BANDS; d++) {
      const size_t i = j + d - UPPER; /* wraps above the first row */
      const float *const at = ab + (d * N + j) * parts;
      const double a[2] = {at[0], parts == 2 ? at[1] : 0};

      if (i < N)
        add_product(sum, t->want + i * parts, a, parts, 1);
    }
    for (size_t c = 0; c < parts; c++)
      right[j * parts + c] = (float)sum[c];
  }
  GA_TRY(selftest_put(t, 0, t->dtype, 2, bands, ab));
  GA_TRY(selftest_put(t, 1, t->dtype, 2, column, right));
  GA_TRY(GpuArray_solve_banded(&t->a[2], NULL, &t->a[0], &t->a[1], LOWER,
                               GA_FACTOR_CONJ_TRANS));
  return selftest_compare(t, 2);
}

/* Element i of a matrix of ROWS x COLS whose columns are far from dependent. */
static double tall_value(size_t i) {
  return selftest_value(0, i) + (i / COLS == i % COLS ? 4 : 0);
}

static int make_tall(selftest *t) {
  float v[SELFTEST_ELEMENTS];

  for (size_t i = 0; i < SELFTEST_ELEMENTS; i++)
    v[i] = (float)tall_value(i);
  return selftest_put(t, 0, GA_FLOAT, 2, selftest_matrix, v);
}

/* Compare the product of QR factors with the matrix. Rounding errors of a
 * column are relative to its norm: that of the first one stands for all. */
static int compare_product(selftest *t) {
  double sum = 0;

  GA_TRY(GpuArray_empty(&t->a[3], t->ctx, GA_FLOAT, 2, selftest_matrix,
                        GA_C_ORDER));
  GA_TRY(GpuArray_rgemm(cb_no_trans, cb_no_trans, 1, &t->a[1], &t->a[2], 0,
                        &t->a[3], 0));
  for (size_t i = 0; i < SELFTEST_ELEMENTS; i += COLS)
    sum += tall_value(i) * tall_value(i);
  return selftest_compare_by(t, 3, sqrt(sum));
}

/* The product of the factors is the matrix. */
int selftest_qr(selftest *t) {
  GpuArray *a = t->a;

  GA_TRY(make_tall(t));
  for (size_t i = 0; i < SELFTEST_ELEMENTS; i++)
    t->want[i] = tall_value(i);
  GA_TRY(GpuArray_qr(&a[1], &a[2], &a[0], 0));
  return compare_product(t);
}

/* The product of the factors is the matrix, its columns in the order of the
 * pivots. */
int selftest_pivoted_qr(selftest *t) {
  int32_t order[COLS];
  GpuArray *a = t->a, places;

  GA_TRY(make_tall(t));
  GA_TRY(GpuArray_qr_pivoted(&a[1], &a[2], &places, &a[0], 0));
  const int err = GpuArray_read(order, sizeof order, &places);
  GpuArray_clear(&places);
  GA_TRY(err);
  for (size_t i = 0; i < SELFTEST_ELEMENTS; i++) {
    const int32_t from = order[i % COLS];

    t->want[i] = from >= 0 && from < COLS
                     ? tall_value(i / COLS * COLS + (size_t)from)
                     : (double)NAN;
  }
  return compare_product(t);
}

/* The X with A X = B, which is known, where A has more rows than columns. */
int selftest_lstsq(selftest *t) {
  static const size_t column[2] = {ROWS, 1};
  float b[ROWS];

  for (size_t i = 0; i < ROWS; i++) {
    double sum = 0;

    for (size_t k = 0; k < COLS; k++)
      sum += tall_value(i * COLS + k) * selftest_value(1, k);
    b[i] = (float)sum;
  }
  for (size_t k = 0; k < COLS; k++)
    t->want[k] = selftest_value(1, k);
  GA_TRY(make_tall(t));
  GA_TRY(selftest_put(t, 1, GA_FLOAT, 2, column, b));
  GA_TRY(GpuArray_lstsq(&t->a[2], &t->a[0], &t->a[1]));
  return selftest_compare(t, 2);
}

/* a[0] with 2 on its diagonal and -1 beside it: its k-th eigenvalue, and so its
 * k-th singular value from the end, is 2 - 2 cos(pi k / (n + 1)). The complex
 * one has -i below its diagonal and i above, and the same values. */
static int make_known_values(selftest *t, int ascending) {
  enum { N = SELFTEST_COLS };
  static const size_t square[2] = {N, N};
  const size_t parts = t->dtype == GA_CFLOAT ? 2 : 1;
  float v[2 * N * N] = {0};

  for (size_t i = 0; i < N; i++) {
    const double k = (double)(ascending ? i + 1 : N - i);
    t->want[i] = 2 - 2 * cos(acos(-1) * k / (N + 1));
    v[parts * i * (N + 1)] = 2;
    if (i > 0) {
      v[parts * (i * (N + 1)) - 1] = -1;
      v[parts * (i * (N + 1) - N) + parts - 1] = parts == 2 ? 1 : -1;
    }
  }
  return selftest_put(t, 0, t->dtype, 2, square, v);
}

int selftest_eigenvalues(selftest *t) {
  GA_TRY(make_known_values(t, 1));
  GA_TRY(GpuArray_eigh(&t->a[1], &t->a[2], &t->a[0], 0));
  return selftest_compare(t, 1);
}

/* A V = V diag(w) for a matrix that is not symmetric, and so has complex
 * eigenvalues. The elements of a column of V have squares that add up to 1. */
int selftest_general_eigenvalues(selftest *t) {
  enum { N = SELFTEST_COLS };
  static const size_t square[2] = {N, N};
  float a[N * N], w[2 * N], v[2 * N * N];
  double worst = 0;

  for (size_t i = 0; i < (size_t)N * N; i++)
    a[i] = (float)selftest_value(0, i);
  GA_TRY(selftest_put(t, 0, GA_FLOAT, 2, square, a));
  GA_TRY(GpuArray_eig(&t->a[1], &t->a[2], &t->a[0]));
  GA_TRY(GpuArray_read(w, sizeof w, &t->a[1]));
  GA_TRY(GpuArray_read(v, sizeof v, &t->a[2]));
  for (size_t k = 0; k < N; k++) {
    double norm = -1;

    for (size_t i = 0; i < N; i++) {
      const float *const x = v + 2 * (i * N + k);
      double re = (double)w[2 * k + 1] * x[1] - (double)w[2 * k] * x[0];
      double im = -(double)w[2 * k] * x[1] - (double)w[2 * k + 1] * x[0];

      norm += (double)x[0] * x[0] + (double)x[1] * x[1];
      for (size_t j = 0; j < N; j++) {
        re += (double)a[i * N + j] * v[2 * (j * N + k)];
        im += (double)a[i * N + j] * v[2 * (j * N + k) + 1];
      }
      worst = fmax(worst, hypot(re, im));
    }
    worst = fmax(worst, fabs(norm));
  }
  selftest_judge(t, worst < 1e-4);
  return GA_NO_ERROR;
}

int selftest_singular_values(selftest *t) {
  GA_TRY(make_known_values(t, 0));
  GA_TRY(GpuArray_svd(NULL, &t->a[1], NULL, &t->a[0], 0));
  return selftest_compare(t, 1);
}
