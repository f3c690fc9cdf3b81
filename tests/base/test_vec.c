/* SPDX-License-Identifier: BSD-2-Clause */
/* Growable arrays. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/vec.h"

static void test_push_keeps_order(void **state) {
  GA_VEC(int) v = {NULL, 0, 0};

  (void)state;
  for (int i = 0; i < 10000; i++)
    assert_int_equal(ga__vec_push(&v, i), GA_NO_ERROR);
  assert_int_equal(v.n, 10000);
  for (int i = 0; i < 10000; i++)
    assert_int_equal(v.v[i], i);
  ga__vec_clear(&v);
  assert_null(v.v);
  assert_int_equal(v.n + v.cap, 0);
}

static void test_failed_push_changes_nothing(void **state) {
  const long before = ga__alloc_live();
  GA_VEC(double) v = {NULL, 0, 0};

  (void)state;
  for (int i = 0; i < 8; i++)
    assert_int_equal(ga__vec_push(&v, i), GA_NO_ERROR);
  assert_int_equal(v.cap, 8);
  ga__alloc_fail(1, 1);
  assert_int_equal(ga__vec_push(&v, 8), GA_MEMORY_ERROR);
  ga__alloc_fail(0, 0);
  assert_int_equal(v.n, 8);
  assert_true(v.v[7] == 7);
  assert_int_equal(ga__vec_push(&v, 8), GA_NO_ERROR);
  assert_true(v.v[8] == 8);
  ga__vec_clear(&v);
  assert_int_equal(ga__alloc_live(), before);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_push_keeps_order),
      cmocka_unit_test(test_failed_push_changes_nothing),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
