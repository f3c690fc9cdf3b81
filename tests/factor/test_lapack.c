/* SPDX-License-Identifier: BSD-2-Clause */
/* Factorisations by LAPACK: who computes, what is not finite, what fails. The
 * values are the business of test_cholesky, test_eigh and test_svd, which run
 * with LAPACK, too. */
#include "support/device.h"

#include <dlfcn.h>
#include <gpuarray/create.h>
#include <gpuarray/factor.h>
#include <gpuarray/guard.h>
#include <math.h>
#include <stdlib.h>

#include "ocl/launch/launch_native.h"

enum { N = 200, BATCH = 3 };

static void need_lapack(void) {
  void *handle = dlopen("liblapacke.so.3", RTLD_NOW | RTLD_LOCAL);

  if (handle == NULL || !ga__native_is_supported(test_context())) {
    print_message("%s\n",
                  handle == NULL ? "no liblapacke.so.3" : "no native kernels");
    skip();
  }
  dlclose(handle);
}

/* Matrices with `diagonal` on the diagonal and 0.5 beside it. */
static void make(GpuArray *a, float diagonal) {
  const size_t dims[3] = {BATCH, N, N};
  float *v = calloc((size_t)BATCH * N * N, sizeof *v);

  for (size_t z = 0; z < BATCH; z++)
    for (size_t i = 0; i < N; i++)
      for (size_t j = i > 0 ? i - 1 : 0; j < N && j <= i + 1; j++)
        v[(z * N + i) * N + j] = i == j ? diagonal + (float)z : 0.5f;
  test_array(a, GA_FLOAT, 3, dims, v);
  free(v);
}

static void run_by_lapack(GpuLaunch *l) {
  GpuLaunchStats stats;

  assert_ok(GpuLaunch_stats(l, &stats));
  assert_string_equal(stats.provider, "lapacke");
  assert_ok(GpuLaunch_run(l));
  GpuLaunch_free(l);
}

static void check_values(const float *got) {
  for (size_t z = 0; z < BATCH; z++)
    for (size_t i = 0; i < N; i++) {
      const double want =
          2 + (double)z - cos((double)(i + 1) * 3.14159265358979 / (N + 1));
      assert_true(fabs(got[z * N + i] - want) < 1e-5);
    }
}

/* The launch may be gone before the device has come to it. */
static void test_provider(void **state) {
  const size_t square[3] = {BATCH, N, N}, vector[2] = {BATCH, N};
  GpuArray a, x, y, w;
  GpuLaunch *l;
  float got[BATCH * N];

  (void)state;
  need_lapack();
  make(&a, 2);
  assert_ok(
      GpuArray_empty(&x, test_context(), GA_FLOAT, 3, square, GA_C_ORDER));
  assert_ok(
      GpuArray_empty(&y, test_context(), GA_FLOAT, 3, square, GA_C_ORDER));
  assert_ok(
      GpuArray_empty(&w, test_context(), GA_FLOAT, 2, vector, GA_C_ORDER));
  assert_ok(GpuArray_cholesky_prepare(&l, &x, NULL, &a, 0));
  run_by_lapack(l);
  assert_ok(GpuArray_svd_prepare(&l, &x, &w, &y, &a));
  run_by_lapack(l);
  assert_ok(GpuArray_eigh_prepare(&l, &w, &x, &a, 0));
  run_by_lapack(l);
  assert_ok(GpuArray_read(got, sizeof got, &w));
  check_values(got);
  GpuArray_clear(&a);
  GpuArray_clear(&x);
  GpuArray_clear(&y);
  GpuArray_clear(&w);
}

/* Results and the workspace are parts of other memory objects. */
static void test_parts(void **state) {
  const size_t vector[2] = {BATCH, N};
  float got[BATCH * N];
  GpuArray a, w;
  GpuLaunch *l;
  size_t bytes;

  (void)state;
  need_lapack();
  make(&a, 2);
  assert_ok(
      GpuArray_empty(&w, test_context(), GA_FLOAT, 2, vector, GA_C_ORDER));
  assert_ok(GpuArray_eigh_prepare(&l, &w, NULL, &a, 0));
  assert_ok(GpuLaunch_workspace_bytes(l, &bytes));
  assert_true(bytes > sizeof(float) * BATCH * N * N);
  gpudata *work = gpudata_alloc(test_context(), bytes, NULL, 0, NULL);
  gpudata *part = gpudata_alloc_guarded(test_context(), sizeof got, NULL);
  assert_non_null(work);
  assert_non_null(part);
  assert_ok(GpuLaunch_bind_workspace(l, work, 0));
  assert_ok(GpuLaunch_bind(l, 1, part, 0));
  run_by_lapack(l);
  assert_ok(gpudata_read(got, part, 0, sizeof got));
  check_values(got);
  assert_ok(gpudata_check_guards(part));
  gpudata_release(work);
  gpudata_release(part);
  GpuArray_clear(&a);
  GpuArray_clear(&w);
}

/* The first leading minor that is not positive definite: a negative diagonal,
 * and NaN, with which LAPACK goes on. */
static void test_minors(void **state) {
  static const float odd[2] = {-1, NAN};
  int32_t info[BATCH];
  float *l = malloc(sizeof(float) * BATCH * N * N);

  (void)state;
  need_lapack();
  for (int k = 0; k < 2; k++) {
    const ssize_t from[3] = {1, 150, 150}, to[3] = {2, 151, 151},
                  step[3] = {0, 0, 0};
    GpuArray a, part, f, i;

    make(&a, 2);
    assert_ok(GpuArray_index(&part, &a, from, to, step));
    assert_ok(GpuArray_fill(&part, GA_FLOAT, &odd[k]));
    assert_ok(GpuArray_cholesky(&f, &i, &a, 0));
    assert_ok(GpuArray_read(info, sizeof info, &i));
    assert_true(info[0] == 0 && info[1] == 151 && info[2] == 0);
    assert_ok(GpuArray_read(l, sizeof(float) * BATCH * N * N, &f));
    const float *const second = l + (size_t)N * N;
    assert_true(second[149 * N + 149] > 1 && isnan(second[150 * N + 150]));
    assert_true(isnan(second[199 * N + 199]) && second[150 * N + 151] == 0);
    GpuArray_clear(&a);
    GpuArray_clear(&part);
    GpuArray_clear(&f);
    GpuArray_clear(&i);
  }
  free(l);
}

/* --- solutions --- */

enum { ROWS = 520, COLUMNS = 4 };

/* Element (i, j) of matrix z: not symmetric, with a large diagonal. */
static float at(size_t z, size_t i, size_t j) {
  return i == j ? 2 + (float)z : 0.5f / (float)(i > j ? i - j : 2 * (j - i));
}

/* Rows are in another order, so that LAPACK exchanges them. */
static size_t row_of(size_t i) {
  return (3 * i + 1) % ROWS;
}

static float wanted(size_t i, size_t c) {
  return 1 + (float)((i + 3 * c) % 7) / 8;
}

/* The right-hand sides of n equations for column c of x. */
static float right(size_t z, size_t n, size_t i, size_t c, int trans) {
  double sum = 0;

  for (size_t k = 0; k < n; k++)
    sum += (double)(trans ? at(z, k, i) : at(z, i, k)) * (double)wanted(k, c);
  return (float)sum;
}

/* Column 150 of the second matrix is 0, and the third one has a NaN. */
static void make_equations(GpuArray *a, GpuArray *b, size_t r, int trans) {
  const size_t dims[3] = {BATCH, ROWS, ROWS}, sides[3] = {BATCH, ROWS, r};
  float *const v = malloc(sizeof *v * BATCH * ROWS * ROWS);
  float *const w = malloc(sizeof *w * BATCH * ROWS * r);

  for (size_t z = 0; z < BATCH; z++)
    for (size_t i = 0; i < ROWS; i++) {
      for (size_t j = 0; j < ROWS; j++)
        v[(z * ROWS + i) * ROWS + j] =
            z == 1 && j == 150 ? 0 : at(z, row_of(i), j);
      for (size_t c = 0; c < r; c++)
        w[(z * ROWS + i) * r + c] =
            right(z, ROWS, trans ? i : row_of(i), c, trans);
    }
  v[(2 * ROWS + 5) * ROWS + 9] = NAN;
  test_array(a, GA_FLOAT, 3, dims, v);
  test_array(b, GA_FLOAT, 3, sides, w);
  free(v);
  free(w);
}

static void check_equations(const float *x, size_t r, int trans) {
  for (size_t k = 0; k < ROWS * r; k++) {
    const size_t i = k / r;
    assert_true(fabsf(x[k] - wanted(trans ? row_of(i) : i, k % r)) < 1e-4f);
  }
  assert_true(trans || !isfinite(x[(ROWS + 150) * r]));
  for (size_t k = (size_t)2 * ROWS * r; k < (size_t)BATCH * ROWS * r; k++)
    assert_true(isnan(x[k]));
}

/* The same equations by inverses, in place or not. */
static void check_inverses(const GpuArray *a, GpuArray *x, GpuArray *i) {
  static float v[BATCH * ROWS * ROWS];
  int32_t info[BATCH];
  GpuLaunch *l;

  assert_ok(GpuArray_inverse_prepare(&l, x, i, a, 0));
  run_by_lapack(l);
  assert_ok(GpuArray_read(info, sizeof info, i));
  assert_true(info[0] == 0 && info[1] == 151 && info[2] == 0);
  assert_ok(GpuArray_read(v, sizeof v, x));
  for (size_t k = 0; k < ROWS; k++) {
    double sum = 0;

    for (size_t j = 0; j < ROWS; j++)
      sum += (double)v[k * ROWS + j] * (double)right(0, ROWS, row_of(j), 0, 0);
    assert_true(fabs(sum - (double)wanted(k, 0)) < 1e-4);
  }
  for (size_t k = (size_t)ROWS * ROWS; k < sizeof v / sizeof *v; k++)
    assert_true(isnan(v[k]));
}

static void test_inverses(void **state) {
  const size_t n = BATCH, dims[3] = {BATCH, ROWS, ROWS};
  GpuArray a, b, x, i;

  (void)state;
  need_lapack();
  make_equations(&a, &b, 1, 0);
  assert_ok(GpuArray_empty(&x, test_context(), GA_FLOAT, 3, dims, GA_C_ORDER));
  assert_ok(GpuArray_empty(&i, test_context(), GA_INT, 1, &n, GA_C_ORDER));
  check_inverses(&a, &x, &i);
  check_inverses(&a, &a, &i);
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  GpuArray_clear(&x);
  GpuArray_clear(&i);
}

static void test_equations(void **state) {
  static const size_t columns[] = {1, 3};
  static float got[BATCH * ROWS * 3];
  int32_t info[BATCH];

  (void)state;
  need_lapack();
  for (int k = 0; k < 2; k++) {
    const size_t r = columns[k], n = BATCH, sides[3] = {BATCH, ROWS, r};
    GpuArray a, b, x, i;
    GpuLaunch *l;

    make_equations(&a, &b, r, k);
    assert_ok(
        GpuArray_empty(&x, test_context(), GA_FLOAT, 3, sides, GA_C_ORDER));
    assert_ok(GpuArray_empty(&i, test_context(), GA_INT, 1, &n, GA_C_ORDER));
    assert_ok(
        GpuArray_solve_prepare(&l, &x, &i, &a, &b, k ? GA_FACTOR_TRANS : 0));
    run_by_lapack(l);
    assert_ok(GpuArray_read(info, sizeof info, &i));
    assert_true(info[0] == 0 && info[1] == 151 && info[2] == 0);
    assert_ok(GpuArray_read(got, sizeof(float) * BATCH * ROWS * r, &x));
    check_equations(got, r, k);
    GpuArray_clear(&a);
    GpuArray_clear(&b);
    GpuArray_clear(&x);
    GpuArray_clear(&i);
  }
}

/* Element (i, j) of the triangle. */
static float of_triangle(size_t i, size_t j, int flags) {
  if (i == j)
    return flags & GA_FACTOR_UNIT ? 1 : at(0, i, i);
  return (flags & GA_FACTOR_UPPER ? i < j : i > j) ? at(0, i, j) / 8 : 0;
}

/* Element (i, c) of op(A) X, or with GA_FACTOR_RIGHT of X^T op(A), turned. */
static float side(size_t i, size_t c, int flags) {
  const int turned = !(flags & GA_FACTOR_TRANS) != !(flags & GA_FACTOR_RIGHT);
  double sum = 0;

  for (size_t k = 0; k < ROWS; k++)
    sum +=
        (double)(turned ? of_triangle(k, i, flags) : of_triangle(i, k, flags)) *
        (double)wanted(k, c);
  return (float)sum;
}

/* A view, m x n, whose elements lie by columns if `turned`. */
static void make_by(GpuArray *a, size_t m, size_t n, int turned,
                    const float *rows) {
  const size_t dims[2] = {turned ? n : m, turned ? m : n};
  float *const v = calloc(m * n, sizeof *v);

  for (size_t k = 0; k < m * n; k++)
    v[turned ? k % n * m + k / n : k] = rows[k];
  test_array(a, GA_FLOAT, 2, dims, v);
  if (turned)
    assert_ok(GpuArray_transpose_inplace(a, NULL));
  free(v);
}

static void check_triangle(int flags, int a_turned, int x_turned) {
  const int is_right = (flags & GA_FACTOR_RIGHT) != 0;
  const size_t m = is_right ? COLUMNS : ROWS;
  const size_t n = is_right ? ROWS : COLUMNS;
  static float v[(size_t)ROWS * ROWS], got[ROWS * COLUMNS];
  GpuArray a, x;
  GpuLaunch *l;

  for (size_t k = 0; k < (size_t)ROWS * ROWS; k++) /* 7 is not read */
    v[k] = of_triangle(k / ROWS, k % ROWS, flags) != 0 &&
                   !(k % (ROWS + 1) == 0 && flags & GA_FACTOR_UNIT)
               ? of_triangle(k / ROWS, k % ROWS, flags)
               : 7;
  make_by(&a, ROWS, ROWS, a_turned, v);
  for (size_t k = 0; k < m * n; k++)
    v[k] = is_right ? side(k % n, k / n, flags) : side(k / n, k % n, flags);
  make_by(&x, m, n, x_turned, v);
  assert_ok(GpuArray_triangular_solve_prepare(&l, &x, &a, &x, flags));
  run_by_lapack(l);
  if (x_turned)
    assert_ok(GpuArray_transpose_inplace(&x, NULL));
  assert_ok(GpuArray_read(got, sizeof got, &x));
  for (size_t k = 0; k < m * n; k++) {
    const size_t i = x_turned ? k % m : k / n, j = x_turned ? k / m : k % n;
    const float want = is_right ? wanted(j, i) : wanted(i, j);
    assert_true(fabsf(got[k] - want) < 1e-4f);
  }
  GpuArray_clear(&a);
  GpuArray_clear(&x);
}

static void test_triangles(void **state) {
  static const int flags[] = {0, GA_FACTOR_UPPER | GA_FACTOR_TRANS,
                              GA_FACTOR_RIGHT | GA_FACTOR_UNIT,
                              GA_FACTOR_RIGHT | GA_FACTOR_UPPER};

  (void)state;
  need_lapack();
  for (int k = 0; k < 4; k++)
    for (int i = 0; i < 2; i++) {
      const int order = i == 0 ? k : 3 - k;
      check_triangle(flags[k], order & 1, order >> 1);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_provider), cmocka_unit_test(test_parts),
      cmocka_unit_test(test_minors),   cmocka_unit_test(test_equations),
      cmocka_unit_test(test_inverses), cmocka_unit_test(test_triangles),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
