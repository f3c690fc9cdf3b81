/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory that is freed all at once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdalign.h>
#include <string.h>

#include "base/alloc.h"
#include "base/arena.h"

#define N 3000

/* Sizes of small objects, with a large one now and then. */
static size_t size_of(size_t i) {
  return i % 500 == 499 ? 100000 : i % 97;
}

static void test_objects_are_zeroed_aligned_apart(void **state) {
  const long before = ga__alloc_live();
  static unsigned char *p[N];
  ga__arena a = GA_ARENA_INIT;

  (void)state;
  for (size_t i = 0; i < N; i++) {
    p[i] = ga__arena_alloc(&a, size_of(i));
    assert_non_null(p[i]);
    assert_int_equal((uintptr_t)p[i] % alignof(max_align_t), 0);
    for (size_t j = 0; j < size_of(i); j++)
      assert_int_equal(p[i][j], 0);
    memset(p[i], (int)(i % 255) + 1, size_of(i));
  }
  for (size_t i = 0; i < N; i++)
    for (size_t j = 0; j < size_of(i); j++)
      assert_int_equal(p[i][j], i % 255 + 1);
  assert_true(a.bytes >= 6 * 100000);
  /* Far fewer blocks than objects, and little waste. */
  assert_in_range(ga__alloc_live() - before, 2, 40);
  ga__arena_clear(&a);
  assert_null(a.head);
  assert_int_equal(ga__alloc_live(), before);
}

static void test_copies(void **state) {
  ga__arena a = GA_ARENA_INIT;
  const int numbers[] = {1, 2, 3};

  (void)state;
  assert_string_equal(ga__arena_strdup(&a, "name"), "name");
  assert_string_equal(ga__arena_strdup(&a, ""), "");
  assert_memory_equal(ga__arena_dup(&a, numbers, sizeof numbers), numbers,
                      sizeof numbers);
  assert_non_null(ga__arena_dup(&a, NULL, 0));
  ga__arena_clear(&a);
}

static void test_failure_is_null(void **state) {
  ga__arena a = GA_ARENA_INIT;

  (void)state;
  ga__alloc_fail(1, 1);
  assert_null(ga__arena_alloc(&a, 1));
  assert_null(ga__arena_strdup(&a, "x"));
  ga__alloc_fail(0, 0);
  assert_null(ga__arena_alloc(&a, SIZE_MAX));
  assert_null(ga__arena_alloc(&a, SIZE_MAX - 64));
  char *p = ga__arena_strdup(&a, "still works");
  ga__alloc_fail(1, 1);
  assert_null(ga__arena_alloc(&a, 1000000));
  assert_non_null(ga__arena_alloc(&a, 8)); /* what is left of the block */
  ga__alloc_fail(0, 0);
  assert_string_equal(p, "still works");
  ga__arena_clear(&a);
}

/* An arena that was emptied gives zeroed memory, from the block that it has. */
static void test_emptied(void **state) {
  ga__arena a = GA_ARENA_INIT;

  (void)state;
  ga__arena_empty(&a);
  for (int turn = 0; turn < 3; turn++) {
    for (size_t i = 0; i < 40; i++) {
      unsigned char *p = ga__arena_alloc(&a, 500);
      for (size_t j = 0; j < 500; j++)
        assert_int_equal(p[j], 0);
      memset(p, 1, 500);
    }
    ga__arena_empty(&a);
    assert_int_equal(a.bytes, 0);
    ga__alloc_fail(1, 1);
    assert_non_null(ga__arena_alloc(&a, 1000));
    ga__alloc_fail(0, 0);
  }
  ga__arena_clear(&a);
}

/* An arena that was rewound gives the memory that it has, as it is. */
static void test_rewound(void **state) {
  ga__arena a = GA_ARENA_INIT;

  (void)state;
  ga__arena_rewind(&a);
  unsigned char *p = ga__arena_alloc(&a, 500);
  memset(p, 1, 500);
  ga__arena_rewind(&a);
  assert_int_equal(a.bytes, 0);
  assert_ptr_equal(ga__arena_alloc(&a, 500), p);
  assert_int_equal(p[499], 1);
  for (int i = 0; i < 40; i++)
    assert_non_null(ga__arena_alloc(&a, 500));
  ga__arena_rewind(&a); /* one block holds them all now */
  ga__alloc_fail(1, 1);
  assert_non_null(ga__arena_alloc(&a, 20000));
  ga__alloc_fail(0, 0);
  ga__arena_clear(&a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_objects_are_zeroed_aligned_apart),
      cmocka_unit_test(test_copies),
      cmocka_unit_test(test_failure_is_null),
      cmocka_unit_test(test_emptied),
      cmocka_unit_test(test_rewound),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
