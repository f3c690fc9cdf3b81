/* SPDX-License-Identifier: BSD-2-Clause */
/* Reductions to the last digits: accuracy, the same bits in every run, the
 * limits of integers, dtypes of results. */
#include "support/device.h"

#include <gpuarray/reduction.h>
#include <stdlib.h>

/* --- accuracy --- */

/* Float sums stay within one part in a million at any length. */
static void accuracy(void) {
  const size_t n = (size_t)1 << 22;
  float *data = malloc(n * sizeof *data), got;
  GpuArray a, r;

  for (int k = 0; k < 3; k++) {
    const double each = k == 0 ? 1 : 0.1;
    double want = 0;

    test_fill(data, GA_FLOAT, n, 0, 1, 3);
    for (size_t i = 0; i < n; i++) {
      if (k < 2)
        data[i] = (float)each;
      want += (double)data[i];
    }
    test_array(&a, GA_FLOAT, 1, &n, data);
    assert_ok(GpuArray_reduction(&r, &a, GA_REDUCE_SUM, 0, NULL, 0, -1, -1));
    test_gather(&r, &got);
    test_close(GA_FLOAT, &got, &(float){(float)want}, 1, 5e-7, 0);
    GpuArray_clear(&r);
    GpuArray_clear(&a);
  }
  free(data);
}

static void test_accuracy(void **state) {
  (void)state;
  test_mappings(accuracy);
}

/* The order of additions is fixed. */
static void repeats(void) {
  const size_t dims[2] = {300, 4001};
  const size_t n = 300 * 4001;
  float *data = malloc(n * sizeof *data);
  float first[4001], second[4001];
  GpuArray a, r;

  test_fill(data, GA_FLOAT, n, -1, 1, 11);
  test_array(&a, GA_FLOAT, 2, dims, data);
  for (unsigned int axis = 0; axis < 3; axis++) {
    for (int k = 0; k < 2; k++) {
      assert_ok(GpuArray_reduction(&r, &a, GA_REDUCE_SUM, axis < 2,
                                   axis < 2 ? &axis : NULL, 0, -1, -1));
      test_gather(&r, k == 0 ? first : second);
      if (k == 1)
        assert_memory_equal(first, second, test_size(&r) * sizeof *first);
      GpuArray_clear(&r);
    }
  }
  GpuArray_clear(&a);
  free(data);
}

static void test_repeatable(void **state) {
  (void)state;
  test_mappings(repeats);
}

/* One pass finds variances of numbers far from zero, and of columns that begin
 * with an element far from the others. */
static void variances(void) {
  enum { ROWS = 3000, COLS = 40 };
  const size_t dims[2] = {ROWS, COLS};
  const unsigned int axis = 0;
  float *x = malloc(ROWS * COLS * sizeof *x), want[COLS];
  GpuArray a, r;

  assert_non_null(x);
  test_fill(x, GA_FLOAT, ROWS * COLS, -0.5, 0.5, 3);
  for (size_t i = 0; i < COLS; i++) {
    double mean = 0, squares = 0;

    for (size_t k = 0; k < ROWS; k++) {
      x[k * COLS + i] += i % 2 != 0 ? 4096.0f : 0;
      x[i] = i % 4 == 0 ? -1e6f : x[i];
      mean += (double)x[k * COLS + i] / ROWS;
    }
    for (size_t k = 0; k < ROWS; k++) {
      const double d = (double)x[k * COLS + i] - mean;
      squares += d * d / ROWS;
    }
    want[i] = (float)squares;
  }
  test_array(&a, GA_FLOAT, 2, dims, x);
  assert_ok(GpuArray_reduction(&r, &a, GA_REDUCE_VAR, 1, &axis, 0, -1, -1));
  test_array_close(&r, want, 4e-6, 0);
  GpuArray_clear(&r);
  GpuArray_clear(&a);
  free(x);
}

static void test_variance(void **state) {
  (void)state;
  test_mappings(variances);
}

/* --- integers --- */

/* Smallest and largest values of integers do not collide with the neutral
 * element. */
static void test_limits(void **state) {
  const int64_t most[4] = {INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN};
  const uint64_t least[3] = {UINT64_MAX, UINT64_MAX, UINT64_MAX};
  const size_t four = 4, three = 3;
  GpuArray a, r;
  int64_t got;

  (void)state;
  test_array(&a, GA_LONG, 1, &four, most);
  assert_ok(GpuArray_reduction(&r, &a, GA_REDUCE_MAX, 0, NULL, 0, -1, -1));
  test_array_equal(&r, most);
  GpuArray_clear(&r);
  assert_ok(GpuArray_reduction(&r, &a, GA_REDUCE_ARGMAX, 0, NULL, 0, -1, -1));
  test_gather(&r, &got);
  assert_int_equal(got, 0);
  GpuArray_clear(&r);
  GpuArray_clear(&a);
  test_array(&a, GA_ULONG, 1, &three, least);
  assert_ok(GpuArray_reduction(&r, &a, GA_REDUCE_MIN, 0, NULL, 0, -1, -1));
  test_array_equal(&r, least);
  GpuArray_clear(&r);
  GpuArray_clear(&a);
}

/* 64-bit sums are exact beyond what double holds. */
static void test_exact(void **state) {
  const int64_t data[4] = {INT64_MAX - 5, 3, -INT64_MAX, 7};
  const int64_t want = 5;
  const size_t n = 4;
  GpuArray a, r;

  (void)state;
  test_array(&a, GA_LONG, 1, &n, data);
  assert_ok(GpuArray_reduction(&r, &a, GA_REDUCE_SUM, 0, NULL, 0, -1, -1));
  test_array_equal(&r, &want);
  GpuArray_clear(&r);
  GpuArray_clear(&a);
}

/* --- shapes and dtypes of results --- */

static void test_result_type(void **state) {
  const size_t dims[3] = {2, 3, 4};
  const unsigned int axes[2] = {2, 0};
  int8_t data[24];
  GpuArray a, r;

  (void)state;
  test_fill(data, GA_BYTE, 24, -100, 100, 1);
  test_array(&a, GA_BYTE, 3, dims, data);
  assert_ok(GpuArray_reduction(&r, &a, GA_REDUCE_SUM, 2, axes, 1, -1, -1));
  assert_int_equal(r.nd, 3);
  assert_int_equal(r.dimensions[0], 1);
  assert_int_equal(r.dimensions[1], 3);
  assert_int_equal(r.dimensions[2], 1);
  assert_int_equal(r.typecode, GA_LONG);
  GpuArray_clear(&r);
  assert_ok(
      GpuArray_reduction(&r, &a, GA_REDUCE_SUM, 2, axes, 0, -1, GA_FLOAT));
  assert_int_equal(r.nd, 1);
  assert_int_equal(r.typecode, GA_FLOAT);
  GpuArray_clear(&r);
  assert_ok(GpuArray_reduction(&r, &a, GA_REDUCE_MAX, 2, axes, 0, -1, -1));
  assert_int_equal(r.typecode, GA_BYTE);
  GpuArray_clear(&r);
  assert_ok(GpuArray_reduction(&r, &a, GA_REDUCE_ARGMIN, 2, axes, 0, -1, -1));
  assert_int_equal(r.typecode, GA_LONG);
  GpuArray_clear(&r);
  /* In a byte the sum wraps around. */
  assert_ok(
      GpuArray_reduction(&r, &a, GA_REDUCE_SUM, 0, NULL, 0, GA_BYTE, GA_BYTE));
  {
    int8_t got, want = 0;
    for (int i = 0; i < 24; i++)
      want = (int8_t)(want + data[i]);
    test_gather(&r, &got);
    assert_int_equal(got, want);
  }
  GpuArray_clear(&r);
  GpuArray_clear(&a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_limits),     cmocka_unit_test(test_variance),
      cmocka_unit_test(test_exact),      cmocka_unit_test(test_accuracy),
      cmocka_unit_test(test_repeatable), cmocka_unit_test(test_result_type),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
