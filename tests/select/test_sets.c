/* SPDX-License-Identifier: BSD-2-Clause */
/* Sets of arrays, by lists of what they have. */
#include "support/device.h"

#include <math.h>
#include <string.h>

#include <gpuarray/select.h>

static const float left[6] = {3, 1, NAN, 3, -0.0f, 7};
static const float right[4] = {0, 7, 2, NAN};

static GpuArray a, b;

static int setup(void **state) {
  (void)state;
  test_array(&a, GA_FLOAT, 2, (size_t[]){2, 3}, left);
  test_array(&b, GA_FLOAT, 1, (size_t[]){4}, right);
  return 0;
}

static int teardown(void **state) {
  (void)state;
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  return 0;
}

static void expect(int err, GpuArray *got, size_t n, const float *want) {
  assert_ok(err);
  assert_int_equal(got->nd, 1);
  assert_int_equal(got->dimensions[0], n);
  test_array_close(got, want, 0, 0);
  GpuArray_clear(got);
}

static void elements_are_those_of_both_or_one(void **state) {
  GpuArray r;

  (void)state;
  expect(GpuArray_union(&r, &a, &b), &r, 6, (float[]){0, 1, 2, 3, 7, NAN});
  expect(GpuArray_intersection(&r, &a, &b), &r, 2, (float[]){0, 7});
  expect(GpuArray_difference(&r, &a, &b), &r, 3, (float[]){1, 3, NAN});
}

static void nan_is_in_no_set(void **state) {
  GpuArray r;

  (void)state;
  assert_ok(GpuArray_is_member(&r, &a, &b));
  assert_int_equal(r.nd, 2);
  test_array_equal(&r, (unsigned char[]){0, 0, 0, 0, 1, 1});
  GpuArray_clear(&r);
}

static void operands_may_be_empty(void **state) {
  GpuArray none, r;

  (void)state;
  test_array(&none, GA_FLOAT, 1, (size_t[]){0}, NULL);
  expect(GpuArray_union(&r, &none, &b), &r, 4, (float[]){0, 2, 7, NAN});
  expect(GpuArray_intersection(&r, &b, &none), &r, 0, NULL);
  expect(GpuArray_difference(&r, &b, &none), &r, 4, (float[]){0, 2, 7, NAN});
  expect(GpuArray_difference(&r, &none, &b), &r, 0, NULL);
  assert_ok(GpuArray_is_member(&r, &a, &none));
  test_array_equal(&r, (unsigned char[]){0, 0, 0, 0, 0, 0});
  GpuArray_clear(&r);
  GpuArray_clear(&none);
}

static void complex_numbers_have_sets(void **state) {
  static const float z[12] = {3, 1, 1, 2, 3, -1, NAN, 0, 3, 1, 5, NAN};
  static const float w[6] = {1, 2, NAN, 0, 3, 1};
  GpuArray p, q, r, first, inverse, counts;

  (void)state;
  test_array(&p, GA_CFLOAT, 2, (size_t[]){2, 3}, z);
  test_array(&q, GA_CFLOAT, 1, (size_t[]){3}, w);
  assert_ok(GpuArray_unique(&r, &first, &inverse, &counts, &p));
  test_array_equal(&r, (float[]){1, 2, 3, -1, 3, 1, 5, NAN});
  test_array_equal(&first, (int64_t[]){1, 2, 0, 5});
  test_array_equal(&inverse, (int64_t[]){2, 0, 1, 3, 2, 3});
  test_array_equal(&counts, (int64_t[]){1, 1, 2, 2});
  GpuArray_clear(&r);
  GpuArray_clear(&first);
  GpuArray_clear(&inverse);
  GpuArray_clear(&counts);
  assert_ok(GpuArray_is_member(&r, &p, &q));
  test_array_equal(&r, (unsigned char[]){1, 1, 0, 0, 1, 0});
  GpuArray_clear(&r);
  expect(GpuArray_union(&r, &q, &q), &r, 3, (float[]){1, 2, 3, 1, NAN, 0});
  expect(GpuArray_intersection(&r, &p, &q), &r, 2, (float[]){1, 2, 3, 1});
  expect(GpuArray_difference(&r, &p, &q), &r, 2, (float[]){3, -1, 5, NAN});
  GpuArray_clear(&p);
  GpuArray_clear(&q);
}

static void mistakes_are_named(void **state) {
  GpuArray other, r = {0};

  (void)state;
  test_array(&other, GA_INT, 1, (size_t[]){2}, (int32_t[]){1, 2});
  assert_code(GA_VALUE_ERROR, GpuArray_union(&r, &a, &other));
  assert_code(GA_VALUE_ERROR, GpuArray_is_member(&r, &other, &a));
  assert_code(GA_VALUE_ERROR, GpuArray_difference(&a, &a, &b));
  assert_null(r.data);
  GpuArray_clear(&other);
}

int main(void) {
  const struct CMUnitTest tests[] = {
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
      TEST(elements_are_those_of_both_or_one),
      TEST(nan_is_in_no_set),
      TEST(operands_may_be_empty),
      TEST(complex_numbers_have_sets),
      TEST(mistakes_are_named),
#undef TEST
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
