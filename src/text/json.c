/* SPDX-License-Identifier: BSD-2-Clause */
#include "text/json.h"

#include <string.h>

#include "base/json_text.h"

static int bad(const gg__json *j, const char *what) {
  return ga__fail(GA_VALUE_ERROR, "JSON, byte %zu: %s",
                  (size_t)(j->p - j->start), what);
}

/* The next character that is no space, or 0 at the end. */
static char peek(gg__json *j) {
  while (j->p < j->end && *j->p != '\0' && strchr(" \t\n\r", *j->p) != NULL)
    j->p++;
  if (j->p == j->end)
    return '\0';
  return *j->p;
}

static int expect(gg__json *j, char c) {
  char what[] = "expected ' '";

  what[10] = c;
  if (peek(j) != c || j->p == j->end)
    return bad(j, what);
  j->p++;
  return GA_NO_ERROR;
}

int gg__json_open(gg__json *j, char bracket) {
  return expect(j, bracket);
}

int gg__json_more(gg__json *j, char bracket, int first, int *more) {
  const char close = bracket == '{' ? '}' : ']';

  *more = peek(j) != close;
  if (!*more)
    j->p++;
  else if (!first)
    return expect(j, ',');
  return GA_NO_ERROR;
}

int gg__json_end(gg__json *j) {
  peek(j);
  return j->p == j->end ? GA_NO_ERROR : bad(j, "something follows the value");
}

/* --- texts --- */

int gg__is_utf8(const char *text, size_t n) {
  size_t bytes;

  for (; n != 0; text += bytes, n -= bytes) {
    bytes = ga__utf8(text, n);
    if (bytes == 0)
      return 0;
  }
  return 1;
}

/* Append a code point, which is valid. */
static void put_point(ga__strb *out, uint32_t c) {
  char b[4];
  size_t n = 0;

  if (c < 0x80)
    b[n++] = (char)c;
  else if (c < 0x800)
    b[n++] = (char)(0xc0 | c >> 6);
  else if (c < 0x10000)
    b[n++] = (char)(0xe0 | c >> 12);
  else
    b[n++] = (char)(0xf0 | c >> 18);
  if (c >= 0x10000)
    b[n++] = (char)(0x80 | (c >> 12 & 0x3f));
  if (c >= 0x800)
    b[n++] = (char)(0x80 | (c >> 6 & 0x3f));
  if (c >= 0x80)
    b[n++] = (char)(0x80 | (c & 0x3f));
  ga__strb_append_n(out, b, n);
}

static int read_hex(gg__json *j, uint32_t *v) {
  static const char digits[] = "0123456789abcdef";

  *v = 0;
  for (int i = 0; i < 4; i++, j->p++) {
    const char *d =
        j->p < j->end && *j->p != '\0'
            ? strchr(digits,
                     *j->p >= 'A' && *j->p <= 'F' ? *j->p + 'a' - 'A' : *j->p)
            : NULL;
    if (d == NULL)
      return bad(j, "expected four digits");
    *v = *v << 4 | (uint32_t)(d - digits);
  }
  return GA_NO_ERROR;
}

/* After "\u": one number, or two for what does not fit 16 bits. */
static int read_point(gg__json *j, ga__strb *out) {
  uint32_t c, low;

  GA_TRY(read_hex(j, &c));
  if (c >= 0xd800 && c < 0xdc00) {
    if (j->end - j->p < 2 || j->p[0] != '\\' || j->p[1] != 'u')
      return bad(j, "half of a pair");
    j->p += 2;
    GA_TRY(read_hex(j, &low));
    if (low < 0xdc00 || low > 0xdfff)
      return bad(j, "half of a pair");
    c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
  } else if (c == 0 || (c >= 0xdc00 && c < 0xe000)) {
    return bad(j, "no character of a text");
  }
  put_point(out, c);
  return GA_NO_ERROR;
}

/* After a backslash. */
static int read_escape(gg__json *j, ga__strb *out) {
  static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
  const char *at = j->p < j->end && *j->p != '\0' ? strchr(from, *j->p) : NULL;

  if (j->p < j->end && *j->p == 'u') {
    j->p++;
    return read_point(j, out);
  }
  if (at == NULL)
    return bad(j, "expected an escape");
  ga__strb_append_n(out, to + (at - from), 1);
  j->p++;
  return GA_NO_ERROR;
}

int gg__json_text(gg__json *j, ga__strb *out) {
  GA_TRY(expect(j, '"'));
  ga__strb_reset(out);
  for (;;) {
    if (j->p == j->end)
      return bad(j, "the text has no end");
    const size_t n = ga__utf8(j->p, (size_t)(j->end - j->p));
    if (n == 0 || (unsigned char)*j->p < 0x20)
      return bad(j, "no character of a text");
    const char *at = j->p;
    j->p += n;
    if (*at == '"')
      return out->err;
    if (*at == '\\')
      GA_TRY(read_escape(j, out));
    else
      ga__strb_append_n(out, at, n);
  }
}

int gg__json_key(gg__json *j, ga__strb *out) {
  GA_TRY(gg__json_text(j, out));
  return expect(j, ':');
}

void gg__json_put_text(ga__strb *out, const char *text) {
  ga__strb_append(out, "\"");
  for (; *text != '\0'; text++) {
    if (*text == '"' || *text == '\\')
      ga__strb_appendf(out, "\\%c", *text);
    else if ((unsigned char)*text < 0x20)
      ga__strb_appendf(out, "\\u%04x", (unsigned int)*text);
    else
      ga__strb_append_n(out, text, 1);
  }
  ga__strb_append(out, "\"");
}

/* --- other values --- */

static int is_digit(const gg__json *j) {
  return j->p < j->end && *j->p >= '0' && *j->p <= '9';
}

int gg__json_count(gg__json *j, uint64_t *v) {
  *v = 0;
  peek(j);
  if (!is_digit(j) ||
      (*j->p == '0' && j->end - j->p > 1 && j->p[1] >= '0' && j->p[1] <= '9'))
    return bad(j, "expected a size");
  for (; is_digit(j); j->p++) {
    const uint64_t digit = (uint64_t)(*j->p - '0');

    if (*v > (UINT64_MAX - digit) / 10)
      return bad(j, "a number has more than 64 bits");
    *v = *v * 10 + digit;
  }
  return GA_NO_ERROR;
}

/* Skip a number, true, false or null. */
static int skip_word(gg__json *j) {
  const char *at = j->p;

  while (j->p < j->end && *j->p != '\0' &&
         strchr("+-.0123456789abcdefghijklmnopqrstuvwxyzE", *j->p) != NULL)
    j->p++;
  return j->p > at ? GA_NO_ERROR : bad(j, "expected a value");
}

/* Skip the name of a member and what is no bracket. */
static int skip_plain(gg__json *j, int named, ga__strb *text, int *opened) {
  if (named)
    GA_TRY(gg__json_key(j, text));
  *opened = peek(j) == '{' || peek(j) == '[';
  if (*opened)
    return GA_NO_ERROR;
  return peek(j) == '"' ? gg__json_text(j, text) : skip_word(j);
}

/* The brackets that are open are in open[0 .. n - 1]. */
static int skip(gg__json *j, ga__strb *text) {
  char open[GG_JSON_DEEP] = {0};
  size_t n = 0;
  int first = 0, more = 1, opened;

  do {
    if (n != 0)
      GA_TRY(gg__json_more(j, open[n - 1], first, &more));
    first = 0;
    if (!more) {
      n--;
      continue;
    }
    GA_TRY(skip_plain(j, n != 0 && open[n - 1] == '{', text, &opened));
    if (opened && n == GG_JSON_DEEP)
      return bad(j, "values nest too deep");
    if (opened)
      open[n++] = *j->p++;
    first = opened;
  } while (n != 0);
  return GA_NO_ERROR;
}

int gg__json_skip(gg__json *j) {
  ga__strb text = GA_STRB_INIT;
  int err = skip(j, &text);

  ga__strb_clear(&text);
  return err;
}
