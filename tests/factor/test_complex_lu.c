/* SPDX-License-Identifier: BSD-2-Clause */
/* LU factors of complex matrices, measured as LAPACK's tests measure them. */
#include <gpuarray/factor.h>

#include "factor/complex_case.h"

static double size_of(number v) {
  return fabs(creal(v)) + fabs(cimag(v));
}

/* P L U of matrix z. */
static void rebuild(const numbers *p, const numbers *lu, const int32_t *pivots,
                    size_t z) {
  const size_t least = lu->m < lu->n ? lu->m : lu->n;

  for (size_t i = 0; i < lu->m; i++)
    for (size_t j = 0; j < lu->n; j++)
      for (size_t k = 0; k < least && k <= i && k <= j; k++)
        *at(p, z, i, j) += (k == i ? 1 : *at(lu, z, i, k)) * *at(lu, z, k, j);
  for (size_t k = least; k-- > 0;)
    for (size_t j = 0; j < lu->n; j++) {
      number *const a = at(p, z, k, j), *const b =
                                            at(p, z, (size_t)pivots[k], j);
      const number t = *a;

      *a = *b;
      *b = t;
    }
}

/* The order of rows is that of the pivots, which are in range. */
static void check_order(const int32_t *pivots, size_t least,
                        const int32_t *order, size_t m) {
  int32_t *const rows = malloc((m + 1) * sizeof *rows);

  for (size_t i = 0; i < m; i++)
    rows[i] = (int32_t)i;
  for (size_t k = 0; k < least; k++) {
    assert_true(pivots[k] >= (int)k && pivots[k] < (int)m);
    const int32_t t = rows[k];
    rows[k] = rows[pivots[k]];
    rows[pivots[k]] = t;
  }
  assert_memory_equal(rows, order, m * sizeof *rows);
  free(rows);
}

static void check_lu(unsigned int lead, const size_t *dims, size_t m, size_t n,
                     layout from, layout to, int in_place, double scale) {
  const size_t least = m < n ? m : n;
  numbers a = zeros(lead, dims, m, n), lu = zeros(lead, dims, m, n);
  const numbers p = zeros(lead, dims, m, n);
  GpuArray x, y, ints[3];
  GpuLaunch *launch;
  int32_t *got[3];

  fill_random(&a, scale);
  to_array(&x, &a, tested, from);
  if (in_place)
    assert_ok(GpuArray_view(&y, &x));
  else
    to_array(&y, &lu, tested, to);
  ints_array(&ints[0], lead, dims, 1, least);
  ints_array(&ints[1], lead, dims, 1, m);
  ints_array(&ints[2], lead, dims, 0, 1);
  assert_ok(GpuArray_lu_prepare(&launch, &y, &ints[0], &ints[1], &ints[2], &x));
  run_once(launch);
  from_array(&lu, &y);
  for (int i = 0; i < 3; i++)
    got[i] = ints_of(&ints[i]);
  for (size_t z = 0; z < a.batch; z++) {
    assert_int_equal(got[2][z], 0);
    check_order(got[0] + z * least, least, got[1] + z * m, m);
    rebuild(&p, &lu, got[0] + z * least, z);
    for (size_t i = 0; i < m; i++)
      for (size_t j = 0; j < i && j < n; j++)
        assert_true(cabs(*at(&lu, z, i, j)) < 1.415);
  }
  expect_near("A - P L U", &a, &p, &a, (double)n, tested);
  for (int i = 0; i < 3; i++)
    free(got[i]);
  GpuArray_clear(&x);
  GpuArray_clear(&y);
  free(a.v);
  free(lu.v);
  free(p.v);
}

static void all_lu(void) {
  static const size_t sizes[][2] = {{0, 0},     {1, 1},    {5, 5},    {3, 7},
                                    {7, 3},     {17, 33},  {200, 70}, {70, 200},
                                    {300, 300}, {600, 40}, {0, 3},    {3, 0}};
  const size_t dims[2] = {2, 3};

  check_lu(0, NULL, 90, 100, ROWS, ROWS, 0, 1);
  check_lu(0, NULL, 40, 30, COLUMNS, COLUMNS, 1,
           tested == GA_CFLOAT ? 1e30 : 1e300);
  check_lu(2, dims, 7, 5, TURNED, TURNED, 0, 1);
  for (size_t k = 0; !is_short && k < sizeof sizes / sizeof *sizes; k++)
    check_lu(0, NULL, sizes[k][0], sizes[k][1], draw_layout(), draw_layout(),
             (int)(k % 2), 1);
  for (int h = 0; !is_short && h < LAYOUTS; h++)
    check_lu(2, dims, draw(1, 60), draw(1, 60), (layout)h, draw_layout(), h % 2,
             1);
}

static void test_lu(void **state) {
  (void)state;
  with_dtypes(all_lu);
}

/* Pivots are compared by |re| + |im|; a NaN is none; a column of zeros has
 * none, and then nothing is divided. */
static void all_pivots(void) {
  const size_t batch = 3;
  numbers a = zeros(1, &batch, 3, 3), lu = zeros(1, &batch, 3, 3);
  GpuArray x, y, pivots, info;

  fill_random(&a, 1);
  *at(&a, 0, 0, 0) = 5;
  *at(&a, 0, 1, 0) = CMPLX(-4, 3);
  *at(&a, 0, 2, 0) = CMPLX(1, -5.5);
  *at(&a, 1, 0, 0) = CMPLX(1, NAN);
  *at(&a, 1, 1, 0) = CMPLX(0, 0.5);
  *at(&a, 1, 2, 0) = CMPLX(0, 0.25);
  for (size_t i = 0; i < 3; i++)
    *at(&a, 2, i, 1) = 0;
  to_array(&x, &a, tested, ROWS);
  assert_ok(GpuArray_lu(&y, &pivots, NULL, &info, &x));
  from_array(&lu, &y);
  int32_t *const rows = ints_of(&pivots), *const bad = ints_of(&info);
  assert_true(rows[0] == 1 && rows[3] == 1);
  assert_true(bad[0] == 0 && bad[2] == 2);
  assert_true(is_nan(*at(&lu, 1, 2, 0)));
  for (size_t i = 0; i < 9; i++)
    assert_true(isfinite(size_of(*at(&lu, 2, i / 3, i % 3))));
  GpuArray_clear(&x);
  GpuArray_clear(&y);
  free(rows);
  free(bad);
  free(a.v);
  free(lu.v);
}

static void test_pivots(void **state) {
  (void)state;
  with_dtypes(all_pivots);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_lu),
                                     cmocka_unit_test(test_pivots)};

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
