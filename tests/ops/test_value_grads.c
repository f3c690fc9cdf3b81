/* SPDX-License-Identifier: BSD-2-Clause */
/* Gradients of every case on the device, against the reference's value of the
 * same graph: rewriting and fusing must not change what they compute. */
#include "support/check_cases.h"

static void test_float32(void **state) {
  (void)state;
  check_cases(GA_FLOAT, GG_FAST_RUN, SIZES_OPEN, 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_float32),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
