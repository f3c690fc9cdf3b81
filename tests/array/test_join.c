/* SPDX-License-Identifier: BSD-2-Clause */
/* Concatenation, and splitting as its inverse. */
#include "support/device.h"

#include <gpuarray/create.h>
#include <stdlib.h>
#include <string.h>

/* Numbers that tell part, row and column. */
static void make_part(GpuArray *a, int typecode, size_t rows, size_t columns,
                      int first) {
  size_t dims[2] = {rows, columns};
  char *data = calloc(rows * columns + 1, 16);

  for (size_t i = 0; i < rows * columns; i++)
    test_set(data, typecode, i, (double)first + (double)i);
  test_array(a, typecode, 2, dims, data);
  free(data);
}

static void test_rows(void **state) {
  const int want[10] = {0, 1, 10, 11, 12, 13, 20, 21, 22, 23};
  GpuArray parts[4], r;
  const GpuArray *as[4] = {&parts[0], &parts[1], &parts[2], &parts[3]};

  (void)state;
  make_part(&parts[0], GA_INT, 1, 2, 0);
  make_part(&parts[1], GA_INT, 2, 2, 10);
  make_part(&parts[2], GA_INT, 0, 2, 0);
  make_part(&parts[3], GA_INT, 2, 2, 20);
  assert_ok(GpuArray_concatenate(&r, as, 4, 0, GA_INT));
  assert_int_equal(r.dimensions[0], 5);
  assert_true(GpuArray_IS_C_CONTIGUOUS(&r));
  test_array_equal(&r, want);
  GpuArray_clear(&r);
  for (int k = 0; k < 4; k++)
    GpuArray_clear(&parts[k]);
}

static void test_columns_with_casts(void **state) {
  const float want[10] = {0, 10, 11, 20, 21, 1, 12, 13, 22, 23};
  GpuArray parts[3], turned, r;
  const GpuArray *as[3] = {&parts[0], &parts[1], &turned};
  const float last[4] = {20, 22, 21, 23};
  size_t two[2] = {2, 2};

  (void)state;
  make_part(&parts[0], GA_UBYTE, 2, 1, 0);
  make_part(&parts[1], GA_HALF, 2, 2, 10);
  test_array(&parts[2], GA_FLOAT, 2, two, last);
  assert_ok(GpuArray_transpose(&turned, &parts[2], NULL));
  assert_ok(GpuArray_concatenate(&r, as, 3, 1, GA_FLOAT));
  test_array_equal(&r, want);
  GpuArray_clear(&r);
  GpuArray_clear(&turned);
  for (int k = 0; k < 3; k++)
    GpuArray_clear(&parts[k]);
}

static void test_split_and_join(void **state) {
  size_t dims[3] = {3, 10, 4}, points[2] = {3, 7};
  int data[120];
  GpuArray a, parts[3], r;
  GpuArray *rs[3] = {&parts[0], &parts[1], &parts[2]};
  const GpuArray *as[3] = {&parts[0], &parts[1], &parts[2]};

  (void)state;
  test_fill(data, GA_INT, 120, 0, 1000, 1);
  test_array(&a, GA_INT, 3, dims, data);
  assert_ok(GpuArray_split(rs, &a, 2, points, 1));
  assert_int_equal(parts[1].dimensions[1], 4);
  assert_true(parts[1].data == a.data);
  assert_ok(GpuArray_concatenate(&r, as, 3, 1, GA_INT));
  test_array_equal(&r, data);
  GpuArray_clear(&r);
  for (int k = 0; k < 3; k++)
    GpuArray_clear(&parts[k]);
  GpuArray_clear(&a);
}

static void test_errors(void **state) {
  GpuArray a, b, line, r;
  const GpuArray *as[2] = {&a, &b}, *ranks[2] = {&a, &line};
  size_t n = 2;

  (void)state;
  make_part(&a, GA_INT, 2, 3, 0);
  make_part(&b, GA_INT, 2, 4, 0);
  assert_ok(GpuArray_zeros(&line, test_context(), GA_INT, 1, &n, GA_C_ORDER));
  assert_code(GA_VALUE_ERROR, GpuArray_concatenate(&r, as, 2, 0, GA_INT));
  assert_message(GA_VALUE_ERROR, "array 1: dim 1: expected 3, got 4");
  assert_null(r.data);
  assert_code(GA_VALUE_ERROR, GpuArray_concatenate(&r, ranks, 2, 0, GA_INT));
  assert_message(GA_VALUE_ERROR, "array 1: expected 2 dimensions, got 1");
  assert_code(GA_VALUE_ERROR, GpuArray_concatenate(&r, as, 1, 2, GA_INT));
  assert_code(GA_VALUE_ERROR, GpuArray_concatenate(&r, as, 0, 0, GA_INT));
  assert_code(GA_UNSUPPORTED_ERROR,
              GpuArray_concatenate(&r, as, 1, 0, GA_QUAD));
  assert_null(r.data);
  GpuArray_clear(&line);
  GpuArray_clear(&b);
  GpuArray_clear(&a);
}

/* --- narrow parts, which one kernel joins row by row --- */

/* Joins arrays of [rows, widths[i], inner] along axis 1; every element of part
 * i tells its part and place. */
static void join_narrow(int typecode, size_t rows, size_t n,
                        const size_t *widths, size_t inner) {
  const size_t size = gpuarray_get_elsize(typecode);
  const GpuArray *as[80];
  GpuArray parts[80], r;
  size_t width = 0, at = 0;

  for (size_t i = 0; i < n; i++)
    width += widths[i];
  const size_t all = rows * width * inner;
  char *want = calloc(all + 1, size), *data = calloc(all + 1, size);
  for (size_t i = 0; i < n; at += widths[i++]) {
    const size_t dims[3] = {rows, widths[i], inner}, run = widths[i] * inner;

    for (size_t k = 0; k < rows * run; k++)
      test_set(data, typecode, k, (double)((7 * i + k) % 120));
    test_array(&parts[i], typecode, 3, dims, data);
    for (size_t row = 0; row < rows; row++)
      memcpy(want + (row * width + at) * inner * size, data + row * run * size,
             run * size);
    as[i] = &parts[i];
  }
  assert_ok(GpuArray_concatenate(&r, as, n, 1, typecode));
  assert_int_equal(r.dimensions[1], width);
  test_array_equal(&r, want);
  GpuArray_clear(&r);
  for (size_t i = 0; i < n; i++)
    GpuArray_clear(&parts[i]);
  free(want);
  free(data);
}

static void narrow_joins(void) {
  static const size_t ones[80] = {
      1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
      1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
      1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
      1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  static const size_t mixed[5] = {3, 1, 0, 2, 5};

  join_narrow(GA_FLOAT, 20011, 2, ones, 1);
  join_narrow(GA_FLOAT, 1, 2, ones, 1);
  join_narrow(GA_FLOAT, 0, 2, ones, 1);
  join_narrow(GA_UBYTE, 1000, 16, ones, 1);
  join_narrow(GA_HALF, 301, 5, mixed, 1);
  join_narrow(GA_DOUBLE, 301, 5, mixed, 2);
  join_narrow(GA_CFLOAT, 77, 5, mixed, 1);
  join_narrow(GA_CDOUBLE, 77, 3, ones, 3);
  join_narrow(GA_BYTE, 40, 64, ones, 1);
  join_narrow(GA_BYTE, 40, 70, ones, 1);    /* too many parts */
  join_narrow(GA_DOUBLE, 40, 5, mixed, 30); /* too wide */
}

static void test_narrow(void **state) {
  (void)state;
  test_mappings(narrow_joins);
}

static void test_prepared(void **state) {
  const float left[3] = {1, 3, 5}, right[3] = {2, 4, 6}, other[3] = {7, 8, 9};
  const float want[6] = {1, 2, 3, 4, 5, 6}, later[6] = {7, 2, 8, 4, 9, 6};
  const size_t one[2] = {3, 1}, two[2] = {3, 2}, wide[2] = {3, 70};
  GpuArray a, b, c, r, w, x;
  const GpuArray *as[2] = {&a, &b};
  GpuLaunch *l;

  (void)state;
  test_array(&a, GA_FLOAT, 2, one, left);
  test_array(&b, GA_FLOAT, 2, one, right);
  test_array(&c, GA_FLOAT, 2, one, other);
  assert_ok(GpuArray_empty(&r, test_context(), GA_FLOAT, 2, two, GA_C_ORDER));
  assert_ok(GpuArray_zeros(&w, test_context(), GA_FLOAT, 2, wide, GA_C_ORDER));
  assert_ok(GpuArray_join_prepare(&l, &r, as, 2, 1));
  assert_ok(GpuLaunch_run(l));
  test_array_equal(&r, want);
  assert_ok(GpuLaunch_bind(l, 1, c.data, c.offset));
  assert_ok(GpuLaunch_run(l));
  test_array_equal(&r, later);
  GpuLaunch_free(l);

  assert_code(GA_VALUE_ERROR, GpuArray_join_prepare(&l, &w, as, 2, 1));
  assert_message(GA_VALUE_ERROR, "result: dim 1: expected 2, got 70");
  assert_null(l);
  assert_code(GA_VALUE_ERROR, GpuArray_join_prepare(&l, &r, as, 2, 2));
  const GpuArray *wides[1] = {&w};
  assert_ok(GpuArray_empty(&x, test_context(), GA_FLOAT, 2, wide, GA_C_ORDER));
  assert_code(GA_UNSUPPORTED_ERROR, GpuArray_join_prepare(&l, &x, wides, 1, 1));
  assert_message(GA_UNSUPPORTED_ERROR, "rows of 280 bytes, at most 256");
  assert_code(GA_VALUE_ERROR, GpuArray_join_prepare(&l, &w, wides, 1, 1));
  assert_message(GA_VALUE_ERROR, "result: overlaps a part");
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  GpuArray_clear(&c);
  GpuArray_clear(&r);
  GpuArray_clear(&w);
  GpuArray_clear(&x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rows),
      cmocka_unit_test(test_columns_with_casts),
      cmocka_unit_test(test_split_and_join),
      cmocka_unit_test(test_narrow),
      cmocka_unit_test(test_prepared),
      cmocka_unit_test(test_errors),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
