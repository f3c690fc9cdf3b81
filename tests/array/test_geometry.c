/* SPDX-License-Identifier: BSD-2-Clause */
/* Sizes, strides and orders at the limits of what fits. */
#include <limits.h>

#include "array/geometry.h"
#include "support/device.h"

#define MOST ((size_t)SSIZE_MAX)

static void test_totals(void **state) {
  size_t n;

  (void)state;
  assert_ok(ga__dims_total(&n, 2, (size_t[]){1, MOST}));
  assert_int_equal(n, MOST);
  assert_ok(ga__dims_total(&n, 3, (size_t[]){MOST, 0, MOST}));
  assert_int_equal(n, 0);
  assert_code(GA_XLARGE_ERROR, ga__dims_total(&n, 1, (size_t[]){MOST + 1}));
  assert_code(GA_XLARGE_ERROR, ga__dims_total(&n, 2, (size_t[]){2, MOST}));
  assert_message(GA_XLARGE_ERROR, "dim 1: size 9223372036854775807 times 2 ");
}

static void test_bytes(void **state) {
  size_t n = 1;

  (void)state;
  assert_ok(ga__dims_bytes(&n, 1, (size_t[]){MOST / 8}, 8));
  assert_int_equal(n, MOST / 8 * 8);
  assert_code(GA_XLARGE_ERROR,
              ga__dims_bytes(&n, 1, (size_t[]){MOST / 8 + 1}, 8));
  assert_message(GA_XLARGE_ERROR, "elements of 8 bytes");
  assert_int_equal(n, 0);
}

static void spans(size_t size, ssize_t stride, size_t elsize, ssize_t low,
                  ssize_t high) {
  ssize_t from, to;

  assert_ok(ga__extent(&from, &to, 1, &size, &stride, elsize));
  assert_true(from == low && to == high);
}

static void too_wide(size_t size, ssize_t stride, size_t elsize,
                     const char *why) {
  ssize_t from, to;

  assert_code(GA_XLARGE_ERROR,
              ga__extent(&from, &to, 1, &size, &stride, elsize));
  assert_message(GA_XLARGE_ERROR, why);
}

static void test_extents(void **state) {
  (void)state;
  spans(3, 4, 4, 0, 12);
  spans(3, -4, 4, -8, 4);
  spans(1, -4, 4, 0, 4);
  spans(0, SSIZE_MAX, 4, 0, 0);
  spans(MOST, 0, 4, 0, 4);
  spans(2, SSIZE_MAX - 4, 4, 0, SSIZE_MAX);
  spans(2, -SSIZE_MAX, 4, -SSIZE_MAX, 4);
  spans(MOST, 1, 1, 0, SSIZE_MAX);
  too_wide(2, SSIZE_MAX - 3, 4, "spans too many bytes");
  too_wide(MOST / 4 + 3, 4, 4, "dim 0: size 2305843009213693954 with stride 4");
  too_wide(4, SSIZE_MAX / 2, 1, "with stride 4611686018427387903");
  too_wide(((size_t)1 << 32) + 1, (ssize_t)1 << 32, 4,
           "dim 0: size 4294967297 with stride 4294967296");
}

static void test_strides(void **state) {
  ssize_t s[3];

  (void)state;
  ga__strides_fill(s, 3, (size_t[]){2, 3, 4}, 4, GA_C_ORDER);
  assert_true(s[0] == 48 && s[1] == 16 && s[2] == 4);
  ga__strides_fill(s, 3, (size_t[]){2, 3, 4}, 4, GA_F_ORDER);
  assert_true(s[0] == 4 && s[1] == 8 && s[2] == 24);
  ga__strides_fill(s, 3, (size_t[]){2, 0, 4}, 4, GA_C_ORDER);
  assert_true(s[0] == 16 && s[1] == 16 && s[2] == 4);
  ga__strides_fill(s, 3, (size_t[]){2, MOST / 4, 1}, 4, GA_C_ORDER);
  assert_true(s[0] == (ssize_t)(MOST / 4 * 4) && s[1] == 4);
  ga__strides_fill(s, 3, (size_t[]){2, MOST / 4 + 1, 1}, 4, GA_C_ORDER);
  assert_true(s[0] == 4 && s[1] == 4);
}

/* An array of zeros has rank 0; one of an unknown dtype has no flags. */
static void test_cleared(void **state) {
  GpuArray none = {0};
  GpuArray strange = {.typecode = 4711,
                      .flags = GA_C_CONTIGUOUS | GA_ALIGNED | GA_WRITEABLE};

  (void)state;
  assert_int_equal(ga__array_total(&none), 1);
  GpuArray_fix_flags(&strange);
  assert_int_equal(strange.flags, GA_WRITEABLE);
}

static void test_orders(void **state) {
  GpuArray a = {.flags = GA_C_CONTIGUOUS};

  (void)state;
  assert_int_equal(ga__array_order(&a, GA_F_ORDER), GA_F_ORDER);
  assert_int_equal(ga__array_order(&a, GA_ANY_ORDER), GA_C_ORDER);
  a.flags = GA_F_CONTIGUOUS;
  assert_int_equal(ga__array_order(&a, GA_ANY_ORDER), GA_F_ORDER);
  a.flags = GA_C_CONTIGUOUS | GA_F_CONTIGUOUS;
  assert_int_equal(ga__array_order(&a, GA_ANY_ORDER), GA_C_ORDER);
  a.flags = 0;
  assert_int_equal(ga__array_order(&a, GA_ANY_ORDER), GA_C_ORDER);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_totals),  cmocka_unit_test(test_bytes),
      cmocka_unit_test(test_extents), cmocka_unit_test(test_strides),
      cmocka_unit_test(test_cleared), cmocka_unit_test(test_orders),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
