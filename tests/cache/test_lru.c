/* SPDX-License-Identifier: BSD-2-Clause */
/* Objects in memory: order of use, bounds, who is dropped when. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/err.h"
#include "cache/lru.h"

#define N 100

static int drops[N]; /* how often each object was dropped */

static void drop(void *value) {
  ++*(int *)value;
}

static int forget_drops(void **state) {
  (void)state;
  for (int i = 0; i < N; i++)
    drops[i] = 0;
  return 0;
}

enum { KEY_BYTES = 20 };

static const unsigned char *key_of(int i) {
  static unsigned char key[KEY_BYTES];

  key[0] = (unsigned char)i;
  return key;
}

static void *get(ga__lru *c, int i) {
  return ga__lru_get(c, key_of(i), KEY_BYTES);
}

static void put(ga__lru *c, int i) {
  assert_int_equal(ga__lru_put(c, key_of(i), KEY_BYTES, &drops[i], 0),
                   GA_NO_ERROR);
}

static void test_oldest_use_leaves_first(void **state) {
  const long before = ga__alloc_live();
  ga__lru *c;

  (void)state;
  assert_int_equal(ga__lru_new(&c, 3, 0, drop), GA_NO_ERROR);
  for (int i = 0; i < 3; i++)
    put(c, i);
  assert_ptr_equal(get(c, 0), &drops[0]);
  put(c, 3); /* 1 leaves */
  assert_int_equal(ga__lru_count(c), 3);
  assert_null(get(c, 1));
  assert_ptr_equal(get(c, 2), &drops[2]);
  put(c, 4); /* 0 leaves */
  assert_null(get(c, 0));
  assert_int_equal(drops[0], 1);
  assert_int_equal(drops[1], 1);
  assert_int_equal(drops[2] + drops[3] + drops[4], 0);
  ga__lru_free(c);
  for (int i = 0; i < 5; i++)
    assert_int_equal(drops[i], 1);
  assert_int_equal(ga__alloc_live(), before);
}

static void test_replacing_drops_the_old(void **state) {
  ga__lru *c;

  (void)state;
  assert_int_equal(ga__lru_new(&c, 3, 0, drop), GA_NO_ERROR);
  put(c, 0);
  put(c, 1);
  assert_int_equal(ga__lru_put(c, key_of(0), KEY_BYTES, &drops[9], 0),
                   GA_NO_ERROR);
  assert_int_equal(drops[0], 1);
  assert_int_equal(ga__lru_count(c), 2);
  assert_ptr_equal(get(c, 0), &drops[9]);
  put(c, 2);
  put(c, 3); /* 1 is the oldest: replacing was a use of 0 */
  assert_int_equal(drops[1], 1);
  assert_int_equal(drops[9], 0);
  ga__lru_free(c);
}

static void test_bound_holds(void **state) {
  ga__lru *c;

  (void)state;
  assert_int_equal(ga__lru_new(&c, 10, 0, drop), GA_NO_ERROR);
  for (int i = 0; i < N; i++) {
    put(c, i);
    assert_int_equal(ga__lru_count(c), i < 10 ? i + 1 : 10);
    if (i >= 10)
      assert_int_equal(drops[i - 10], 1);
  }
  ga__lru_free(c);
  for (int i = 0; i < N; i++)
    assert_int_equal(drops[i], 1);
}

static void put_at_cost(ga__lru *c, int i, size_t cost) {
  assert_int_equal(ga__lru_put(c, key_of(i), KEY_BYTES, &drops[i], cost),
                   GA_NO_ERROR);
}

static void test_bound_of_costs_holds(void **state) {
  ga__lru *c;

  (void)state;
  assert_int_equal(ga__lru_new(&c, 10, 100, drop), GA_NO_ERROR);
  put_at_cost(c, 0, 60);
  put_at_cost(c, 1, 40);
  assert_int_equal(ga__lru_count(c), 2);
  put_at_cost(c, 2, 1); /* 0 leaves */
  assert_int_equal(drops[0], 1);
  assert_int_equal(ga__lru_count(c), 2);
  put_at_cost(c, 2, 60); /* replaced: 1 and it fill the bound */
  assert_int_equal(ga__lru_count(c), 2);
  put_at_cost(c, 3, 50); /* 1 and 2 leave */
  assert_int_equal(ga__lru_count(c), 1);
  put_at_cost(c, 4, 101); /* alone too dear */
  assert_int_equal(ga__lru_count(c), 0);
  assert_int_equal(drops[4], 1);
  ga__lru_free(c);
}

static void test_small_bounds(void **state) {
  ga__lru *c;

  (void)state;
  assert_int_equal(ga__lru_new(&c, 0, 0, drop), GA_NO_ERROR);
  put(c, 0);
  assert_int_equal(drops[0], 1);
  assert_null(get(c, 0));
  ga__lru_free(c);

  assert_int_equal(ga__lru_new(&c, 1, 0, drop), GA_NO_ERROR);
  put(c, 1);
  put(c, 2);
  assert_int_equal(drops[1], 1);
  assert_ptr_equal(get(c, 2), &drops[2]);
  ga__lru_free(c);
  ga__lru_free(NULL);
}

static void test_every_failure_drops_the_value(void **state) {
  const long before = ga__alloc_live();
  int failures = 0;
  ga__lru *c;

  (void)state;
  ga__alloc_fail(1, 0);
  assert_int_equal(ga__lru_new(&c, 5, 0, drop), GA_MEMORY_ERROR);
  assert_null(c);
  assert_int_equal(ga__lru_new(&c, 5, 0, drop), GA_NO_ERROR);
  for (int i = 0; i < N; i++) {
    ga__alloc_fail(i % 4, 0);
    if (ga__lru_put(c, key_of(i), KEY_BYTES, &drops[i], 0) != GA_NO_ERROR) {
      assert_int_equal(drops[i], 1);
      assert_null(get(c, i));
      failures++;
    } else {
      assert_ptr_equal(get(c, i), &drops[i]);
    }
  }
  ga__alloc_fail(0, 0);
  assert_in_range(failures, 40, 60);
  ga__lru_free(c);
  for (int i = 0; i < N; i++)
    assert_int_equal(drops[i], 1);
  assert_int_equal(ga__alloc_live(), before);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(test_oldest_use_leaves_first, forget_drops),
      cmocka_unit_test_setup(test_replacing_drops_the_old, forget_drops),
      cmocka_unit_test_setup(test_bound_holds, forget_drops),
      cmocka_unit_test_setup(test_bound_of_costs_holds, forget_drops),
      cmocka_unit_test_setup(test_small_bounds, forget_drops),
      cmocka_unit_test_setup(test_every_failure_drops_the_value, forget_drops),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
