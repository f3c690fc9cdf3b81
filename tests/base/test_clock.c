/* SPDX-License-Identifier: BSD-2-Clause */
/* Monotonic time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <time.h>

#include "base/clock.h"

static void test_advances_with_a_sleep(void **state) {
  const struct timespec ms2 = {0, 2000000};
  uint64_t before = ga__now_ns();

  (void)state;
  nanosleep(&ms2, NULL);
  uint64_t after = ga__now_ns();
  assert_true(after - before >= 2000000u);
  assert_true(after - before < 60u * 1000000000u);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_advances_with_a_sleep),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
