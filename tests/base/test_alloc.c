/* SPDX-License-Identifier: BSD-2-Clause */
/* Allocation: overflow, zero sizes, the live count and the fault switch. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/alloc.h"

static void test_zero_sizes_are_valid(void **state) {
  void *p[4];

  (void)state;
  p[0] = ga__malloc(0);
  p[1] = ga__calloc(0, 8);
  p[2] = ga__realloc_array(NULL, 0, 8);
  p[3] = ga__memdup(NULL, 0);
  for (size_t i = 0; i < 4; i++) {
    assert_non_null(p[i]);
    ga__free(p[i]);
  }
}

static void test_overflow_is_null(void **state) {
  (void)state;
  assert_null(ga__calloc(SIZE_MAX / 2, 3));
  assert_null(ga__realloc_array(NULL, SIZE_MAX / 2, 3));
}

static void test_live_counts_blocks(void **state) {
  const long before = ga__alloc_live();
  char *a = ga__strdup("text");
  char *b = ga__realloc_array(NULL, 4, 1);

  (void)state;
  assert_string_equal(a, "text");
  assert_int_equal(ga__alloc_live(), before + 2);
  b = ga__realloc_array(b, 4000, 1);
  assert_non_null(b);
  assert_int_equal(ga__alloc_live(), before + 2);
  ga__free(a);
  ga__free(b);
  ga__free(NULL);
  assert_int_equal(ga__alloc_live(), before);
}

static void test_nth_fails_once(void **state) {
  void *p[4];

  (void)state;
  ga__alloc_fail(3, 0);
  for (size_t i = 0; i < 4; i++)
    p[i] = ga__malloc(1);
  ga__alloc_fail(0, 0);
  for (size_t i = 0; i < 4; i++) {
    assert_int_equal(p[i] == NULL, i == 2);
    ga__free(p[i]);
  }
}

static void test_persistent_fails_until_off(void **state) {
  (void)state;
  ga__alloc_fail(2, 1);
  char *p = ga__malloc(1);
  assert_non_null(p);
  assert_null(ga__calloc(1, 1));
  assert_null(ga__realloc_array(p, 2, 1)); /* p stays valid */
  assert_null(ga__strdup("x"));
  ga__alloc_fail(0, 0);
  ga__free(p);
  p = ga__malloc(1);
  assert_non_null(p);
  ga__free(p);
}

/* Zeroed like all others, of any size. */
static void test_large_blocks(void **state) {
  const size_t sizes[] = {1, 2097151, 2097152, 5000000};
  const long before = ga__alloc_live();

  (void)state;
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    unsigned char *p = ga__calloc_large(sizes[i], 1);
    assert_non_null(p);
    assert_int_equal(ga__alloc_live(), before + 1);
    assert_int_equal(p[0], 0);
    assert_memory_equal(p, p + 1, sizes[i] - 1);
    memset(p, 1, sizes[i]); /* the next one may get this memory */
    ga__free(p);
  }
  assert_null(ga__calloc_large(SIZE_MAX / 2, 3));
  ga__alloc_fail(1, 0);
  assert_null(ga__calloc_large(3000000, 1));
  ga__alloc_fail(0, 0);
  assert_int_equal(ga__alloc_live(), before);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_zero_sizes_are_valid),
      cmocka_unit_test(test_overflow_is_null),
      cmocka_unit_test(test_live_counts_blocks),
      cmocka_unit_test(test_large_blocks),
      cmocka_unit_test(test_nth_fails_once),
      cmocka_unit_test(test_persistent_fails_until_off),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
