/* SPDX-License-Identifier: BSD-2-Clause */
/* Concatenation, and splitting as its inverse. */
#include "support/device.h"

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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rows),
      cmocka_unit_test(test_columns_with_casts),
      cmocka_unit_test(test_split_and_join),
      cmocka_unit_test(test_errors),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
