/* SPDX-License-Identifier: BSD-2-Clause */
/* Every case in debug mode: what the host makes of each node agrees with the
 * device, kernel by kernel. */
#include "support/check_cases.h"

static void test_float32(void **state) {
  (void)state;
  check_cases(GA_FLOAT, GG_DEBUG, SIZES_KNOWN, 0);
}

static void test_float16(void **state) {
  (void)state;
  test_need_full();
  check_cases(GA_HALF, GG_DEBUG, SIZES_KNOWN, 0);
}

static void test_bfloat16(void **state) {
  (void)state;
  test_need_full();
  check_cases(GA_BFLOAT, GG_DEBUG, SIZES_KNOWN, 0);
}

static void test_int32(void **state) {
  (void)state;
  check_cases(GA_INT, GG_DEBUG, SIZES_KNOWN, 0);
}

static void test_uint8(void **state) {
  (void)state;
  test_need_full();
  check_cases(GA_UBYTE, GG_DEBUG, SIZES_KNOWN, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_float32),  cmocka_unit_test(test_float16),
      cmocka_unit_test(test_bfloat16), cmocka_unit_test(test_int32),
      cmocka_unit_test(test_uint8),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
