/* SPDX-License-Identifier: BSD-2-Clause */
#include "support/json.h"

#include "support/device.h"

#include <stdlib.h>
#include <string.h>

/* What follows a value, or NULL if it is invalid. */
static const char *after(const char *p);

static const char *space(const char *p) {
  return p != NULL ? p + strspn(p, " \t\r\n") : NULL;
}

static const char *after_escape(const char *p) {
  if (*p == 'u')
    return strspn(p + 1, "0123456789abcdefABCDEF") >= 4 ? p + 5 : NULL;
  return *p != '\0' && strchr("\"\\/bfnrt", *p) != NULL ? p + 1 : NULL;
}

static const char *after_string(const char *p) {
  if (p == NULL || *p++ != '"')
    return NULL;
  while (p != NULL && *p != '"')
    if ((unsigned char)*p < 0x20)
      return NULL;
    else
      p = *p == '\\' ? after_escape(p + 1) : p + 1;
  return p != NULL ? p + 1 : NULL;
}

static const char *digits(const char *p) {
  const size_t n = p != NULL ? strspn(p, "0123456789") : 0;

  return n > 0 ? p + n : NULL;
}

static const char *after_number(const char *p) {
  p += *p == '-';
  const char *whole = digits(p);
  if (whole == NULL || (*p == '0' && whole > p + 1))
    return NULL;
  if (*whole == '.')
    whole = digits(whole + 1);
  if (whole != NULL && (*whole == 'e' || *whole == 'E')) {
    whole++;
    whole = digits(whole + (*whole == '-' || *whole == '+'));
  }
  return whole;
}

/* The members of an object, or the elements of an array. */
static const char *after_list(const char *p) {
  const char end = *p == '{' ? '}' : ']';

  p = space(p + 1);
  if (*p == end)
    return p + 1;
  for (;; p++) {
    if (end == '}') {
      p = space(after_string(space(p)));
      if (p == NULL || *p++ != ':')
        return NULL;
    }
    p = space(after(p));
    if (p == NULL || *p == end)
      return p != NULL ? p + 1 : NULL;
    if (*p != ',')
      return NULL;
  }
}

static const char *after(const char *p) {
  static const char *const words[] = {"true", "false", "null"};

  p = space(p);
  if (*p == '{' || *p == '[')
    return after_list(p);
  if (*p == '"')
    return after_string(p);
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
    if (strncmp(p, words[i], strlen(words[i])) == 0)
      return p + strlen(words[i]);
  return after_number(p);
}

void json_is_valid(const char *text) {
  const char *end = space(after(text));

  if (end == NULL || *end != '\0')
    fail_msg("no JSON: %.200s", text);
}

const char *json_member(const char *object, const char *key) {
  const char *p = space(object);

  assert_int_equal(*p, '{');
  p = space(p + 1);
  while (*p == '"') {
    const char *value = space(after_string(p)) + 1;
    if (json_is(p, key))
      return space(value);
    p = space(after(value));
    p = space(p + (*p == ','));
  }
  return NULL;
}

const char *json_element(const char *array, size_t i) {
  const char *p = space(array);

  assert_int_equal(*p, '[');
  for (p = space(p + 1); *p != ']' && i > 0; i--) {
    p = space(after(p));
    p = space(p + (*p == ','));
  }
  return *p != ']' ? p : NULL;
}

int json_is(const char *value, const char *string) {
  const size_t n = strlen(string);

  return value != NULL && *value == '"' && strncmp(value + 1, string, n) == 0 &&
         value[n + 1] == '"';
}

double json_number(const char *value) {
  assert_non_null(value);
  assert_non_null(after_number(value));
  return strtod(value, NULL);
}
