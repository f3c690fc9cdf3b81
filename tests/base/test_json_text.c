/* SPDX-License-Identifier: BSD-2-Clause */
/* Texts in JSON. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/json_text.h"

static void expect(const char *text, const char *want) {
  char got[128] = "";
  FILE *const f = fmemopen(got, sizeof got, "w");

  assert_non_null(f);
  ga__json_put_text(f, text);
  fclose(f);
  assert_string_equal(got, want);
}

static void test_text(void **state) {
  (void)state;
  expect("", "\"\"");
  expect("a \"b\" \\", "\"a \\\"b\\\" \\\\\"");
  expect("\n\x1f\x7f", "\"\\u000a\\u001f\\u007f\"");
  expect("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80",
         "\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\"");
  expect("\xff"
         "a\xe2\x82",
         "\"\\ufffda\\ufffd\\ufffd\"");
}

static void test_utf8(void **state) {
  (void)state;
  assert_int_equal(ga__utf8("a", 0), 0);
  assert_int_equal(ga__utf8("a", 1), 1);
  assert_int_equal(ga__utf8("\xc3\xa4", 1), 0);
  assert_int_equal(ga__utf8("\xc3\xa4", 2), 2);
  assert_int_equal(ga__utf8("\xc0\x80", 2), 0);
  assert_int_equal(ga__utf8("\xe0\x9f\xbf", 3), 0);
  assert_int_equal(ga__utf8("\xed\xa0\x80", 3), 0);
  assert_int_equal(ga__utf8("\xf4\x90\x80\x80", 4), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_text),
      cmocka_unit_test(test_utf8),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
