/* SPDX-License-Identifier: BSD-2-Clause */
/* Solutions with banded matrices, measured as LAPACK's tests measure them. */
#include <gpuarray/factor.h>

#include "factor/complex_matrices.h"

/* A dense batch with the elements of bands, of which those outside the matrix
 * become NaN. */
static host dense(host *ab, size_t lower) {
  const size_t n = ab->n, upper = ab->m - 1 - lower;
  host a = host_new(ab->nd - 2, ab->dims, n, n);

  for (size_t z = 0; z < a.batch; z++)
    for (size_t d = 0; d < ab->m; d++)
      for (size_t j = 0; j < n; j++) {
        if (j + d >= upper && j + d - upper < n)
          *host_at(&a, z, j + d - upper, j) = *host_at(ab, z, d, j);
        else
          *host_at(ab, z, d, j) = NAN;
      }
  return a;
}

static void check_banded(unsigned int lead, const size_t *dims, size_t n,
                         size_t lower, size_t upper, size_t r, int typecode,
                         const layout how[3], int flags) {
  host ab = host_new(lead, dims, lower + upper + 1, n),
       b = host_new(lead, dims, n, r), x = host_new(lead, dims, n, r),
       p = host_new(lead, dims, n, r);
  GpuArray d_ab, db, dx;
  GpuLaunch *launch;

  host_random(&ab);
  host_random(&b);
  host_round(&ab, typecode);
  host_round(&b, typecode);
  host a = dense(&ab, lower);
  make(&d_ab, &ab, typecode, how[0]);
  make(&db, &b, typecode, how[1]);
  make(&dx, &x, typecode, how[2]);
  assert_ok(GpuArray_solve_banded_prepare(&launch, &dx, NULL, &d_ab, &db,
                                          (unsigned int)lower, flags));
  run_once(launch);
  host_read(&x, &dx);
  host_multiply(&p, &a, flags != 0, &x, 0);
  expect_solved(&p, &b, &a, &x, flags, typecode);
  GpuArray_clear(&d_ab);
  GpuArray_clear(&db);
  GpuArray_clear(&dx);
  free(ab.v);
  free(a.v);
  free(b.v);
  free(x.v);
  free(p.v);
}

static void all_real(void) {
  static const size_t sizes[][3] = {{1, 0, 0},  {2, 1, 1},  {5, 0, 2},
                                    {5, 2, 0},  {40, 1, 1}, {40, 3, 7},
                                    {40, 9, 2}, {3, 5, 6},  {100, 20, 20}};
  const size_t dims[2] = {2, 3};

  check_banded(0, NULL, 0, 1, 1, 2, GA_FLOAT, rows_only, 0);
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
    check_banded(0, NULL, sizes[k][0], sizes[k][1], sizes[k][2], k % 4 + 1,
                 GA_FLOAT, rows_only, k % 3 == 2 ? GA_FACTOR_TRANS : 0);
  for (int h = 0; h < LAYOUTS; h++)
    check_banded(2, dims, 7, 2, 1, 3, GA_FLOAT,
                 (layout[3]){(layout)h, draw_layout(), (layout)h},
                 h % 2 * GA_FACTOR_TRANS);
}

static void test_real(void **state) {
  (void)state;
  test_mappings(all_real);
  if (gpucontext_caps(test_context())->fp64)
    check_banded(0, NULL, 40, 3, 2, 2, GA_DOUBLE, rows_only, 0);
}

static void check_complex(int flags) {
  enum { N = 12, LOWER = 2, UPPER = 1 };
  numbers ab = zeros(0, NULL, LOWER + UPPER + 1, N), a = zeros(0, NULL, N, N),
          b = zeros(0, NULL, N, 2), x = zeros(0, NULL, N, 2);
  GpuArray d_ab, db, dx;

  fill_random(&ab, 1);
  fill_random(&b, 1);
  to_array(&d_ab, &ab, GA_CFLOAT, ROWS);
  to_array(&db, &b, GA_CFLOAT, ROWS);
  for (size_t i = 0; i < N; i++)
    for (size_t j = 0; j < N; j++)
      if (i <= j + LOWER && j <= i + UPPER)
        *at(&a, 0, i, j) = *at(&ab, 0, UPPER + i - j, j);
  assert_ok(GpuArray_solve_banded(&dx, NULL, &d_ab, &db, LOWER, flags));
  from_array(&x, &dx);
  numbers p = product(&a, flags, &x, 0);
  expect_near("A X - B", &p, &b, &a, N * norm_of(&x, 0), GA_CFLOAT);
  GpuArray_clear(&d_ab);
  GpuArray_clear(&db);
  GpuArray_clear(&dx);
  free(ab.v);
  free(a.v);
  free(b.v);
  free(x.v);
  free(p.v);
}

static void all_complex(void) {
  check_complex(0);
  check_complex(GA_FACTOR_TRANS);
  check_complex(GA_FACTOR_CONJ_TRANS);
}

static void test_complex(void **state) {
  (void)state;
  test_mappings(all_complex);
}

/* A pivot of 0 in the second of two matrices, and NaN. */
static void all_odd(void) {
  float v[2][3][3] = {{{0, 1, 1}, {0, 2, 2}, {1, 1, 0}},
                      {{0, 0, 0}, {1, 0, 2}, {0, 0, 0}}};
  const float b[2][3] = {{1, 4, 3}, {1, 1, 1}}, want[3] = {1, 1, 1};

  for (int k = 0; k < 2; k++) {
    GpuArray d_ab, db, dx, info;
    int32_t bad[2];
    float x[6];

    test_array(&d_ab, GA_FLOAT, 3, (size_t[]){2, 3, 3}, v);
    test_array(&db, GA_FLOAT, 3, (size_t[]){2, 3, 1}, b);
    assert_ok(GpuArray_solve_banded(&dx, &info, &d_ab, &db, 1, 0));
    assert_ok(GpuArray_read(bad, sizeof bad, &info));
    assert_ok(GpuArray_read(x, sizeof x, &dx));
    assert_true(bad[0] == 0 && bad[1] == 2 && !isfinite(x[4]));
    for (int i = 0; i < 3; i++)
      assert_true(k == 0 ? fabsf(x[i] - want[i]) < 1e-6f : isnan(x[i]));
    GpuArray_clear(&d_ab);
    GpuArray_clear(&db);
    GpuArray_clear(&dx);
    GpuArray_clear(&info);
    v[0][1][1] = NAN;
  }
}

static void test_odd(void **state) {
  (void)state;
  test_mappings(all_odd);
}

static void test_refusals(void **state) {
  const float v[12] = {0};
  GpuArray ab, b, x;

  (void)state;
  test_array(&ab, GA_FLOAT, 2, (size_t[]){3, 4}, v);
  test_array(&b, GA_FLOAT, 2, (size_t[]){3, 2}, v);
  assert_code(GA_VALUE_ERROR, GpuArray_solve_banded(&x, NULL, &ab, &b, 1, 0));
  assert_message(GA_VALUE_ERROR, "b: expected 4 x 2, got 3 x 2");
  assert_code(GA_VALUE_ERROR, GpuArray_solve_banded(&x, NULL, &ab, &b, 3, 0));
  assert_message(GA_VALUE_ERROR, "ab: 3 rows, expected more than the 3 "
                                 "diagonals below the main one");
  assert_code(GA_VALUE_ERROR,
              GpuArray_solve_banded(&x, NULL, &ab, &b, 1, GA_FACTOR_UPPER));
  assert_message(GA_VALUE_ERROR, "flags 0x1 are not known");
  assert_code(GA_VALUE_ERROR,
              GpuArray_solve_banded(&x, NULL, &ab, &b, 1,
                                    GA_FACTOR_TRANS | GA_FACTOR_CONJ_TRANS));
  assert_code(GA_INVALID_ERROR,
              GpuArray_solve_banded(&x, NULL, &ab, NULL, 1, 0));
  assert_code(GA_INVALID_ERROR,
              GpuArray_solve_banded(NULL, NULL, &ab, &b, 1, 0));
  GpuArray_clear(&ab);
  GpuArray_clear(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_real),
      cmocka_unit_test(test_complex),
      cmocka_unit_test(test_odd),
      cmocka_unit_test(test_refusals),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
