/* SPDX-License-Identifier: BSD-2-Clause */
/* The text builder: growth, sticky errors, numbers in any locale. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/strb.h"
#include "support/locale.h"

static void test_empty_is_a_string(void **state) {
  ga__strb b = GA_STRB_INIT;
  char *text;

  (void)state;
  assert_string_equal(ga__strb_text(&b), "");
  assert_int_equal(ga__strb_take(&b, &text), GA_NO_ERROR);
  assert_string_equal(text, "");
  ga__free(text);
  ga__strb_clear(&b);
}

static void test_appends_of_every_kind(void **state) {
  ga__strb b = GA_STRB_INIT;
  char *text;

  (void)state;
  ga__strb_append(&b, "a");
  ga__strb_append(&b, "");
  ga__strb_append_n(&b, "bcd", 2);
  ga__strb_appendf(&b, "[%d %s]", 42, "x");
  assert_string_equal(ga__strb_text(&b), "abc[42 x]");
  assert_int_equal(b.n, 9);
  ga__strb_reset(&b);
  assert_string_equal(ga__strb_text(&b), "");
  ga__strb_append(&b, "again");
  assert_int_equal(ga__strb_take(&b, &text), GA_NO_ERROR);
  assert_string_equal(text, "again");
  assert_string_equal(ga__strb_text(&b), "");
  ga__free(text);
}

/* Pieces of every length meet every fill of the buffer. */
static void test_growth_keeps_all_bytes(void **state) {
  ga__strb b = GA_STRB_INIT;
  size_t i, n = 0;

  (void)state;
  for (i = 0; i < 300; i++) {
    ga__strb_appendf(&b, "%*s", (int)i, i % 2 != 0 ? "#" : "");
    n += i;
    assert_int_equal(b.n, n);
    assert_int_equal(strlen(b.s), n);
  }
  for (i = 0, n = 0; i < 300; n += i++)
    for (size_t j = 0; j < i; j++)
      assert_int_equal(b.s[n + j], i % 2 != 0 && j + 1 == i ? '#' : ' ');
  ga__strb_clear(&b);
}

/* The first piece and the second one, of every length, leave room for the
 * NUL. */
static void test_capacity_counts_the_nul(void **state) {
  static const char text[301] = {0};

  (void)state;
  for (size_t n = 0; n <= 300; n++) {
    ga__strb b = GA_STRB_INIT;

    ga__strb_append_n(&b, text, n);
    assert_true(b.cap > b.n);
    ga__strb_append_n(&b, text, 300 - n);
    assert_int_equal(b.n, 300);
    assert_true(b.cap > b.n);
    ga__strb_clear(&b);
  }
}

static void build(ga__strb *b) {
  for (int i = 0; i < 50; i++) {
    ga__strb_appendf(b, "line %d: ", i);
    ga__strb_append(b, "some text that makes the builder grow\n");
    ga__strb_append_real(b, 0.25);
  }
}

static void test_every_failure_sticks(void **state) {
  const long before = ga__alloc_live();
  ga__strb b = GA_STRB_INIT;
  int nth, failed = 1;
  char *text;

  (void)state;
  for (nth = 1; failed; nth++) {
    ga__alloc_fail(nth, 0);
    build(&b);
    failed = b.err != GA_NO_ERROR;
    ga__alloc_fail(0, 0);
    if (failed) {
      size_t n = b.n;
      ga__strb_append(&b, "more"); /* memory is back, the error stays */
      ga__strb_appendf(&b, "%d", 1);
      assert_int_equal(b.n, n);
      assert_int_equal(strlen(ga__strb_text(&b)), n);
      assert_int_equal(ga__strb_take(&b, &text), GA_MEMORY_ERROR);
      assert_null(text);
      assert_int_equal(b.err, GA_NO_ERROR);
    }
    ga__strb_clear(&b);
  }
  assert_true(nth > 4); /* it did grow several times */
  assert_int_equal(ga__alloc_live(), before);
}

static void assert_real(double v, const char *text) {
  ga__strb b = GA_STRB_INIT;

  ga__strb_append_real(&b, v);
  if (text != NULL)
    assert_string_equal(ga__strb_text(&b), text);
  assert_true(strtod(ga__strb_text(&b), NULL) == v);
  ga__strb_clear(&b);
}

static void test_reals_read_back(void **state) {
  (void)state;
  assert_real(1, "1.0");
  assert_real(-3, "-3.0");
  assert_real(0.5, "0.5");
  assert_real(1e100, "1e+100");
  assert_real(0.1, NULL);
  assert_real(DBL_MAX, NULL);
  assert_real(-DBL_MIN / 1024, NULL);
  assert_real(1.0 / 3, NULL);
}

static void test_reals_ignore_the_locale(void **state) {
  ga__strb b = GA_STRB_INIT;

  (void)state;
  test_comma_locale();
  ga__strb_append_real(&b, 0.5);
  test_plain_locale();
  assert_string_equal(ga__strb_text(&b), "0.5");
  ga__strb_clear(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_empty_is_a_string),
      cmocka_unit_test(test_appends_of_every_kind),
      cmocka_unit_test(test_growth_keeps_all_bytes),
      cmocka_unit_test(test_capacity_counts_the_nul),
      cmocka_unit_test(test_every_failure_sticks),
      cmocka_unit_test(test_reals_read_back),
      cmocka_unit_test(test_reals_ignore_the_locale),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
