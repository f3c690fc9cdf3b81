/* SPDX-License-Identifier: BSD-2-Clause */
/* The hash map, against plain arrays. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/map.h"

#define N 100000

static int values[N];

static void *put(ga__map *m, size_t i) {
  char key[32];
  int n = snprintf(key, sizeof key, "key/%zu", i);

  assert_int_equal(ga__map_put(m, key, (size_t)n, &values[i]), GA_NO_ERROR);
  return &values[i];
}

static void *get(const ga__map *m, size_t i) {
  char key[32];
  int n = snprintf(key, sizeof key, "key/%zu", i);

  return ga__map_get(m, key, (size_t)n);
}

static void *take(ga__map *m, size_t i) {
  char key[32];
  int n = snprintf(key, sizeof key, "key/%zu", i);

  return ga__map_remove(m, key, (size_t)n);
}

static void test_many_entries(void **state) {
  const long before = ga__alloc_live();
  ga__map m = GA_MAP_INIT;

  (void)state;
  for (size_t i = 0; i < N; i++)
    put(&m, i);
  for (size_t i = 0; i < N; i += 3)
    put(&m, i); /* overwriting adds nothing */
  assert_int_equal(m.n, N);
  for (size_t i = 0; i < N; i++)
    assert_ptr_equal(get(&m, i), &values[i]);
  for (size_t i = 0; i < N; i += 2)
    assert_ptr_equal(take(&m, i), &values[i]);
  assert_null(take(&m, 0));
  assert_int_equal(m.n, N / 2);
  for (size_t i = 0; i < N; i++)
    assert_ptr_equal(get(&m, i), i % 2 != 0 ? &values[i] : NULL);
  ga__map_clear(&m);
  assert_int_equal(ga__alloc_live(), before);
}

/* Few keys, many changes: runs of the table form and close all the time. */
static void test_random_changes(void **state) {
  enum { KEYS = 40 };
  void *model[KEYS] = {NULL};
  ga__map m = GA_MAP_INIT;
  uint64_t r = 1;
  size_t n = 0;

  (void)state;
  for (size_t step = 0; step < 20000; step++) {
    r = ga__hash(r, &step, sizeof step);
    size_t i = (size_t)(r >> 20) % KEYS;
    n -= model[i] != NULL;
    if ((r >> 50) % 2 == 0) {
      model[i] = put(&m, i);
    } else {
      assert_ptr_equal(take(&m, i), model[i]);
      model[i] = NULL;
    }
    n += model[i] != NULL;
    assert_int_equal(m.n, n);
    if (step % 16 == 0)
      for (i = 0; i < KEYS; i++)
        assert_ptr_equal(get(&m, i), model[i]);
  }
  assert_in_range(m.cap, 1, 64); /* removal leaves nothing behind */
  ga__map_clear(&m);
}

static void test_keys_are_bytes(void **state) {
  ga__map m = GA_MAP_INIT;
  int a, b, c, d;

  (void)state;
  assert_null(ga__map_get(&m, "x", 1));
  assert_null(ga__map_remove(&m, "x", 1));
  assert_int_equal(ga__map_put(&m, "", 0, &a), GA_NO_ERROR);
  assert_int_equal(ga__map_put(&m, "\0", 1, &b), GA_NO_ERROR);
  assert_int_equal(ga__map_put(&m, "\0\0", 2, &c), GA_NO_ERROR);
  assert_int_equal(ga__map_put(&m, "\0x", 2, &d), GA_NO_ERROR);
  assert_ptr_equal(ga__map_get(&m, "", 0), &a);
  assert_ptr_equal(ga__map_get(&m, "\0", 1), &b);
  assert_ptr_equal(ga__map_get(&m, "\0\0", 2), &c);
  assert_ptr_equal(ga__map_get(&m, "\0x", 2), &d);
  assert_int_equal(m.n, 4);
  ga__map_clear(&m);
}

static void test_failed_put_changes_nothing(void **state) {
  const long before = ga__alloc_live();
  size_t n = 0, failures = 0;
  ga__map m = GA_MAP_INIT;

  (void)state;
  for (size_t i = 0; i < 2000; i++) {
    ga__alloc_fail((long)(i % 3), 0);
    if (ga__map_put(&m, &i, sizeof i, &values[i]) == GA_NO_ERROR) {
      assert_ptr_equal(ga__map_get(&m, &i, sizeof i), &values[i]);
      n++;
    } else {
      assert_null(ga__map_get(&m, &i, sizeof i));
      failures++;
    }
    assert_int_equal(m.n, n);
  }
  ga__alloc_fail(0, 0);
  assert_in_range(failures, 600, 800);
  ga__map_clear(&m);
  assert_int_equal(ga__alloc_live(), before);
}

/* Every byte, the length and the seed count. */
static void test_hash_sees_all(void **state) {
  unsigned char bytes[40] = {0};

  (void)state;
  for (size_t n = 0; n <= sizeof bytes; n++) {
    const uint64_t before = ga__hash(0, bytes, n);

    assert_true(ga__hash(0, bytes, n) == before);
    assert_true(ga__hash(1, bytes, n) != before);
    assert_true(n == 0 || ga__hash(0, bytes, n - 1) != before);
    for (size_t i = 0; i < n; i++) {
      bytes[i] = 0x80;
      assert_true(ga__hash(0, bytes, n) != before);
      bytes[i] = 0;
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_many_entries),
      cmocka_unit_test(test_random_changes),
      cmocka_unit_test(test_keys_are_bytes),
      cmocka_unit_test(test_failed_put_changes_nothing),
      cmocka_unit_test(test_hash_sees_all),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
