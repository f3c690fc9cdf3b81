/* SPDX-License-Identifier: BSD-2-Clause */
/* JSON, value by value: each limit of what is a text, a size and a value, on
 * both sides, and the byte at which it ends to be one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "text/json.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* What lies behind a text in memory, and does not belong to it. */
static const char *const behind[] = {"",        " ",   "\"", "\x80\"", "1\"",
                                     "u0041\"", "n\"", ":",  "]",      "}"};

/* A text in memory of its own, so that tools see who reads behind it. */
static gg__json json_of(const char *text, const char *more) {
  const size_t n = strlen(text), m = strlen(more);
  char *p = malloc(n + m + (n + m == 0));

  assert_non_null(p);
  memcpy(p, text, n);
  memcpy(p + n, more, m);
  return (gg__json){p, p, p + n};
}

static void json_free(gg__json *j) {
  free((void *)(uintptr_t)j->start);
}

static void assert_says(const char *text, int err, const char *message) {
  if (err == GA_NO_ERROR)
    fail_msg("%s: accepted", text);
  assert_int_equal(err, GA_VALUE_ERROR);
  if (strstr(ga__err_text(err), message) == NULL)
    fail_msg("%s: %s, expected %s", text, ga__err_text(err), message);
}

/* --- texts --- */

typedef struct text_case {
  const char *written, *means; /* NULL: `message` says why not */
  const char *message;
} text_case;

#define NO_CHARACTER "no character of a text"
#define HALF "half of a pair"

static const text_case texts[] = {
    {"\"\"", "", NULL},
    {" \t\n\r\"a\x7f b\"", "a\x7f b", NULL},
    {"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t", NULL},
    /* The first and the last character of each number of bytes, as they are
     * and as escapes. */
    {"\"\xc2\x80\xdf\xbf\"", "\xc2\x80\xdf\xbf", NULL},
    {"\"\xe0\xa0\x80\xef\xbf\xbf\"", "\xe0\xa0\x80\xef\xbf\xbf", NULL},
    {"\"\xed\x9f\xbf\xee\x80\x80\"", "\xed\x9f\xbf\xee\x80\x80", NULL},
    {"\"\xf0\x90\x80\x80\xf4\x8f\xbf\xbf\"", "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf",
     NULL},
    {"\"\\u0001\\u007f\\u0080\\u07ff\"", "\x01\x7f\xc2\x80\xdf\xbf", NULL},
    {"\"\\u0800\\uFFFF\\ud7ff\\uE000\"",
     "\xe0\xa0\x80\xef\xbf\xbf\xed\x9f\xbf\xee\x80\x80", NULL},
    {"\"\\ud800\\udc00\\udbff\\udfff\"", "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf",
     NULL},
    /* One before and one behind. */
    {"\"\x80\"", NULL, "byte 1: " NO_CHARACTER},
    {"\"a\xbf\"", NULL, "byte 2: " NO_CHARACTER},
    {"\"\xc0\x80\"", NULL, NO_CHARACTER},
    {"\"\xc1\xbf\"", NULL, NO_CHARACTER},
    {"\"\xe0\x9f\xbf\"", NULL, NO_CHARACTER},
    {"\"\xed\xa0\x80\"", NULL, NO_CHARACTER},
    {"\"\xf0\x8f\xbf\xbf\"", NULL, NO_CHARACTER},
    {"\"\xf4\x90\x80\x80\"", NULL, NO_CHARACTER},
    {"\"\xf5\x80\x80\x80\"", NULL, NO_CHARACTER},
    {"\"\xff\"", NULL, NO_CHARACTER},
    {"\"\x1f\"", NULL, NO_CHARACTER},
    /* Bytes that do not go on, or are missing. */
    {"\"\xc2\"", NULL, NO_CHARACTER},
    {"\"\xc2", NULL, NO_CHARACTER},
    {"\"\xe0\xa0\"", NULL, NO_CHARACTER},
    {"\"\xe1\x80", NULL, NO_CHARACTER},
    {"\"\xf1\x80\x80\"", NULL, NO_CHARACTER},
    {"\"\xf1\x80\x80\xc0\"", NULL, NO_CHARACTER},
    {"\"\xc3\x7f\"", NULL, NO_CHARACTER},
    {"\"a", NULL, "byte 2: the text has no end"},
    {"\"", NULL, "byte 1: the text has no end"},
    {"a", NULL, "byte 0: expected '\"'"},
    {"", NULL, "byte 0: expected '\"'"},
    /* Escapes. */
    {"\"\\", NULL, "byte 2: expected an escape"},
    {"\"\\x\"", NULL, "byte 2: expected an escape"},
    {"\"\\u\"", NULL, "byte 3: expected four digits"},
    {"\"\\u", NULL, "byte 3: expected four digits"},
    {"\"\\u004", NULL, "byte 6: expected four digits"},
    {"\"\\u004g\"", NULL, "byte 6: expected four digits"},
    {"\"\\u004G\"", NULL, "byte 6: expected four digits"},
    {"\"\\u0000\"", NULL, "byte 7: " NO_CHARACTER},
    {"\"\\ud800\"", NULL, "byte 7: " HALF},
    {"\"\\udbff\"", NULL, HALF},
    {"\"\\ud800", NULL, HALF},
    {"\"\\ud800\\", NULL, "byte 7: " HALF},
    {"\"\\ud800\\n\"", NULL, "byte 7: " HALF},
    {"\"\\ud800xu1234\"", NULL, "byte 7: " HALF},
    {"\"\\ud800\\u", NULL, "byte 9: expected four digits"},
    {"\"\\ud800\\u00\"", NULL, "byte 11: expected four digits"},
    {"\"\\ud800\\udbff\"", NULL, "byte 13: " HALF},
    {"\"\\ud800\\ue000\"", NULL, "byte 13: " HALF},
    {"\"\\udc00\"", NULL, "byte 7: " NO_CHARACTER},
    {"\"\\udfff\"", NULL, NO_CHARACTER},
};

static void check_text(const text_case *t, const char *more) {
  gg__json j = json_of(t->written, more);
  ga__strb out = GA_STRB_INIT;
  const int err = gg__json_text(&j, &out);

  if (t->means == NULL) {
    assert_says(t->written, err, t->message);
  } else {
    assert_int_equal(err, GA_NO_ERROR);
    assert_string_equal(ga__strb_text(&out), t->means);
    assert_int_equal(gg__json_end(&j), GA_NO_ERROR);
    assert_true(gg__is_utf8(t->means, strlen(t->means)));
  }
  ga__strb_clear(&out);
  json_free(&j);
}

static void texts_are_checked(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT(texts); i++)
    for (size_t k = 0; k < COUNT(behind); k++)
      check_text(&texts[i], behind[k]);
  assert_true(gg__is_utf8("", 0));
  assert_false(gg__is_utf8("a\xc2", 2));
  assert_false(gg__is_utf8("\xed\xa0\x80", 3));
}

/* What is written as a text reads as the same. */
static void texts_come_back(void **state) {
  static const char text[] = "\"\\/\b\x01\x1f \x7f\xc2\x80\xf4\x8f\xbf\xbf";
  ga__strb written = GA_STRB_INIT, read = GA_STRB_INIT;

  (void)state;
  gg__json_put_text(&written, text);
  assert_string_equal(
      ga__strb_text(&written),
      "\"\\\"\\\\/\\u0008\\u0001\\u001f \x7f\xc2\x80\xf4\x8f\xbf\xbf\"");
  gg__json j = json_of(ga__strb_text(&written), "");
  assert_int_equal(gg__json_text(&j, &read), GA_NO_ERROR);
  assert_string_equal(ga__strb_text(&read), text);
  json_free(&j);
  ga__strb_clear(&written);
  ga__strb_clear(&read);
}

/* --- sizes --- */

static const struct {
  const char *written;
  uint64_t value;
  const char *message;
} sizes[] = {
    {"0", 0, NULL},
    {" 10", 10, NULL},
    {"18446744073709551615", UINT64_MAX, NULL},
    {"18446744073709551616", 0, "more than 64 bits"},
    {"184467440737095516150", 0, "more than 64 bits"},
    {"01", 0, "byte 0: expected a size"},
    {"00", 0, "expected a size"},
    {"09", 0, "expected a size"},
    {"-1", 0, "expected a size"},
    {"+1", 0, "expected a size"},
    {"", 0, "byte 0: expected a size"},
    {"x", 0, "expected a size"},
    {"/", 0, "expected a size"},
    {":", 0, "expected a size"},
    {"1.5", 0, "byte 1: something follows the value"},
    {"0 /", 0, "byte 2: something follows the value"},
};

static void check_size(size_t i, const char *more) {
  gg__json j = json_of(sizes[i].written, more);
  uint64_t v;
  int err = gg__json_count(&j, &v);

  if (err == GA_NO_ERROR)
    err = gg__json_end(&j);
  if (sizes[i].message != NULL)
    assert_says(sizes[i].written, err, sizes[i].message);
  else
    assert_int_equal(err, GA_NO_ERROR);
  if (sizes[i].message == NULL)
    assert_true(v == sizes[i].value);
  json_free(&j);
}

static void sizes_are_checked(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT(sizes); i++)
    for (size_t k = 0; k < COUNT(behind); k++)
      check_size(i, behind[k]);
}

/* --- values --- */

static const struct {
  const char *written, *message;
} values[] = {
    {"1", NULL},
    {"-1.5e+30", NULL},
    {"null", NULL},
    {"\"a\\\"]\"", NULL},
    {"[]", NULL},
    {"{ }", NULL},
    {"[1, [2, \"x\"], {\"a\": [], \"b\": {\"c\": true}}]", NULL},
    {"{\"a\": 1, \"b\": \"}\"}", NULL},
    {"", "byte 0: expected a value"},
    {"]", "byte 0: expected a value"},
    {"[1", "byte 2: expected ','"},
    {"[1 2]", "byte 3: expected ','"},
    {"[1,]", "byte 3: expected a value"},
    {"[", "expected a value"},
    {"[}", "byte 1: expected a value"},
    {"{\"a\"}", "byte 4: expected ':'"},
    {"{\"a\":}", "byte 5: expected a value"},
    {"{1:2}", "byte 1: expected '\"'"},
    {"{\"a\":1,}", "byte 7: expected '\"'"},
    {"[\"\\x\"]", "expected an escape"},
    {"[1] 2", "byte 4: something follows the value"},
    {"[1]]", "byte 3: something follows the value"},
};

static void check_value(size_t i, const char *more) {
  gg__json j = json_of(values[i].written, more);
  int err = gg__json_skip(&j);

  if (err == GA_NO_ERROR)
    err = gg__json_end(&j);
  if (values[i].message != NULL)
    assert_says(values[i].written, err, values[i].message);
  else
    assert_int_equal(err, GA_NO_ERROR);
  json_free(&j);
}

static void values_are_skipped(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT(values); i++)
    for (size_t k = 0; k < COUNT(behind); k++)
      check_value(i, behind[k]);
}

static void depth_is_bounded(void **state) {
  char text[2 * (GG_JSON_DEEP + 1) + 1];

  (void)state;
  for (size_t deep = GG_JSON_DEEP; deep <= GG_JSON_DEEP + 1; deep++) {
    memset(text, '[', deep);
    memset(text + deep, ']', deep);
    text[2 * deep] = '\0';
    gg__json j = json_of(text, "");
    int err = gg__json_skip(&j);
    if (deep > GG_JSON_DEEP)
      assert_says("brackets", err, "byte 64: values nest too deep");
    else
      assert_int_equal(err, GA_NO_ERROR);
    json_free(&j);
  }
}

/* Names and members, as readers of objects ask for them. */
static void members_are_read_in_order(void **state) {
  static const char text[] = " { \"a\" : 1 , \"b\" : [ 2 , 3 ] } ";
  gg__json j = json_of(text, "");
  ga__strb name = GA_STRB_INIT;
  uint64_t v;
  int more;

  (void)state;
  assert_int_equal(gg__json_open(&j, '{'), GA_NO_ERROR);
  assert_int_equal(gg__json_more(&j, '{', 1, &more), GA_NO_ERROR);
  assert_true(more);
  assert_int_equal(gg__json_key(&j, &name), GA_NO_ERROR);
  assert_string_equal(ga__strb_text(&name), "a");
  assert_int_equal(gg__json_count(&j, &v), GA_NO_ERROR);
  assert_int_equal(gg__json_more(&j, '{', 0, &more), GA_NO_ERROR);
  assert_true(more);
  assert_int_equal(gg__json_key(&j, &name), GA_NO_ERROR);
  assert_string_equal(ga__strb_text(&name), "b");
  assert_int_equal(gg__json_open(&j, '['), GA_NO_ERROR);
  for (int i = 0; i < 2; i++) {
    assert_int_equal(gg__json_more(&j, '[', i == 0, &more), GA_NO_ERROR);
    assert_true(more);
    assert_int_equal(gg__json_count(&j, &v), GA_NO_ERROR);
    assert_int_equal(v, i + 2);
  }
  assert_int_equal(gg__json_more(&j, '[', 0, &more), GA_NO_ERROR);
  assert_false(more);
  assert_int_equal(gg__json_more(&j, '{', 0, &more), GA_NO_ERROR);
  assert_false(more);
  assert_int_equal(gg__json_end(&j), GA_NO_ERROR);
  ga__strb_clear(&name);
  json_free(&j);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(texts_are_checked),
      cmocka_unit_test(texts_come_back),
      cmocka_unit_test(sizes_are_checked),
      cmocka_unit_test(values_are_skipped),
      cmocka_unit_test(depth_is_bounded),
      cmocka_unit_test(members_are_read_in_order),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
