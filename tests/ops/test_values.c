/* SPDX-License-Identifier: BSD-2-Clause */
/* Values of every case on the device, against the reference. */
#include "support/check_cases.h"

static void test_float32(void **state) {
  (void)state;
  check_cases(GA_FLOAT, GG_FAST_RUN, SIZES_KNOWN, 0);
}

static void test_float32_each_op_alone(void **state) {
  (void)state;
  check_cases(GA_FLOAT, GG_NO_REWRITE, SIZES_KNOWN, 0);
}

static void test_float64(void **state) {
  (void)state;
  test_need_double();
  check_cases(GA_DOUBLE, GG_FAST_RUN, SIZES_KNOWN, 0);
}

static void test_float16(void **state) {
  (void)state;
  check_cases(GA_HALF, GG_FAST_RUN, SIZES_KNOWN, 0);
}

static void test_bfloat16(void **state) {
  (void)state;
  test_need_full();
  check_cases(GA_BFLOAT, GG_FAST_RUN, SIZES_KNOWN, 0);
}

static void test_int32(void **state) {
  (void)state;
  check_cases(GA_INT, GG_FAST_RUN, SIZES_KNOWN, 0);
}

static void test_uint8(void **state) {
  (void)state;
  check_cases(GA_UBYTE, GG_FAST_RUN, SIZES_KNOWN, 0);
}

static void test_bool(void **state) {
  (void)state;
  check_cases(GA_BOOL, GG_FAST_RUN, SIZES_KNOWN, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_float32),
      cmocka_unit_test(test_float32_each_op_alone),
      cmocka_unit_test(test_float64),
      cmocka_unit_test(test_float16),
      cmocka_unit_test(test_bfloat16),
      cmocka_unit_test(test_int32),
      cmocka_unit_test(test_uint8),
      cmocka_unit_test(test_bool),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
