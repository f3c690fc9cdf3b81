/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers as text. */
#include "graph/literal.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "base/number.h"

#define MOST 128   /* bytes of a number's text, NUL included */
#define DIGITS 17  /* enough to tell all doubles apart */
#define NAN_MARK 4 /* length of "nan:" */

/* --- bits --- */

/* The n low bytes of a word. */
static unsigned char *low_bytes(uint64_t *word, size_t n) {
  const uint16_t one = 1;
  const int is_little = *(const unsigned char *)&one == 1;

  return (unsigned char *)word + (is_little ? 0 : sizeof *word - n);
}

static uint64_t load_bits(const void *p, size_t bytes) {
  uint64_t bits = 0;

  memcpy(low_bytes(&bits, bytes), p, bytes);
  return bits;
}

static void store_bits(void *p, size_t bytes, uint64_t bits) {
  memcpy(p, low_bytes(&bits, bytes), bytes);
}

static uint64_t infinity_bits(int dtype) {
  switch (dtype) {
  case GA_HALF:
    return 0x7c00u;
  case GA_BFLOAT:
    return 0x7f80u;
  case GA_FLOAT:
    return 0x7f800000u;
  default:
    return UINT64_C(0x7ff0000000000000);
  }
}

/* The bits of the NaN that is written "nan": quiet, positive, no payload. The
 * exponent of infinity ends where the fraction begins. */
static uint64_t plain_nan(int dtype) {
  const uint64_t infinity = infinity_bits(dtype);

  return infinity | (infinity & (0 - infinity)) >> 1;
}

/* Store the NaN with these bits; 0 if they are not those of a NaN. */
static int store_nan(int dtype, void *p, uint64_t bits) {
  const size_t bytes = ga__dtype_size(dtype);
  const uint64_t sign = UINT64_C(1) << (8 * bytes - 1);
  const uint64_t infinity = infinity_bits(dtype);

  if ((bytes < 8 && bits >> (8 * bytes) != 0) || (bits & ~sign) <= infinity)
    return 0;
  store_bits(p, bytes, bits);
  return 1;
}

/* --- printing --- */

/* Print `v` with `digits` significant digits, and with '.' in every locale. */
static void format_real(double v, int digits, char out[MOST]) {
  const char *point = localeconv()->decimal_point;

  snprintf(out, MOST, "%.*g", digits, v);
  char *at = strstr(out, point);
  if (at == NULL)
    return;
  *at = '.';
  memmove(at + 1, at + strlen(point), strlen(at + strlen(point)) + 1);
}

static void print_real(int dtype, const void *p, ga__strb *out) {
  const size_t bytes = ga__dtype_size(dtype);
  const double v = ga__dtype_to_double(dtype, p);
  char text[MOST], back[sizeof(double)];

  if (isnan(v)) {
    ga__strb_append(out, "nan");
    if (load_bits(p, bytes) != plain_nan(dtype))
      ga__strb_appendf(out, ":%" PRIx64, load_bits(p, bytes));
    return;
  }
  for (int digits = 1; digits <= DIGITS; digits++) {
    format_real(v, digits, text);
    if (gg__literal_parse(dtype, text, strlen(text), back) &&
        memcmp(p, back, bytes) == 0)
      break;
  }
  ga__strb_append(out, text);
}

/* "1.5+-2j": real part, '+', imaginary part with its sign, 'j'. */
static void print_complex(int dtype, const void *p, ga__strb *out) {
  const int part = ga__dtype_real(dtype);

  print_real(part, p, out);
  ga__strb_append(out, "+");
  print_real(part, (const char *)p + ga__dtype_size(part), out);
  ga__strb_append(out, "j");
}

void gg__literal_print(int dtype, const void *p, ga__strb *out) {
  const size_t bytes = ga__dtype_size(dtype);
  const ga__kind kind = ga__dtype_kind(dtype);
  const int is_whole = kind != GA_KIND_FLOAT && kind != GA_KIND_COMPLEX;
  uint64_t v = is_whole ? load_bits(p, bytes) : 0;

  if (kind == GA_KIND_COMPLEX) {
    print_complex(dtype, p, out);
  } else if (kind == GA_KIND_FLOAT) {
    print_real(dtype, p, out);
  } else if (kind == GA_KIND_BOOL) {
    ga__strb_append(out, v != 0 ? "true" : "false");
  } else if (kind == GA_KIND_INT && v >> (8 * bytes - 1) != 0) {
    /* Negative: the magnitude, in the width of the dtype. */
    ga__strb_appendf(out, "-%" PRIu64,
                     (0 - v) & UINT64_MAX >> (64 - 8 * bytes));
  } else {
    ga__strb_appendf(out, "%" PRIu64, v);
  }
}

/* --- parsing --- */

static int is_text(const char *text, size_t n, const char *want) {
  return strlen(want) == n && memcmp(text, want, n) == 0;
}

static int is_hex(const char *text, size_t n) {
  const size_t sign = n > 0 && (text[0] == '-' || text[0] == '+');

  return n > sign + 2 && text[sign] == '0' &&
         (text[sign + 1] == 'x' || text[sign + 1] == 'X');
}

int gg__literal_is_real(const char *text, size_t n) {
  const char *marks = is_hex(text, n) ? ".pP" : ".eEn"; /* n: inf, nan */

  for (size_t i = 0; i < n; i++)
    if (text[i] != '\0' && strchr(marks, text[i]) != NULL)
      return 1;
  return 0;
}

/* Nonzero if the text begins with a sign, a digit or a point. strtod accepts
 * more, such as blanks. */
static int begins_well(const char *text) {
  text += *text == '-' || *text == '+';
  return isdigit((unsigned char)*text) || *text == '.';
}

static int parse_bits(int dtype, const char *text, size_t n, void *p) {
  char digits[MOST], *end;

  if (n <= NAN_MARK || n - NAN_MARK > 16)
    return 0;
  memcpy(digits, text + NAN_MARK, n - NAN_MARK);
  digits[n - NAN_MARK] = '\0';
  if (strspn(digits, "0123456789abcdef") != n - NAN_MARK)
    return 0;
  uint64_t bits = strtoull(digits, &end, 16);
  return store_nan(dtype, p, bits);
}

/* Parse a finite number. It is refused if it is too large for the dtype, and
 * rounded if it is too small. */
static int parse_finite(int dtype, const char *text, size_t n, void *p) {
  char local[MOST], *end;

  if (!ga__number_local(text, n, local, MOST) || !begins_well(local))
    return 0;
  double v = strtod(local, &end);
  if (*end != '\0' || isinf(v))
    return 0;
  if (dtype == GA_FLOAT) { /* one rounding, not two */
    float f = strtof(local, &end);
    memcpy(p, &f, sizeof f);
  } else {
    ga__dtype_from_double(dtype, p, v);
  }
  return !isinf(ga__dtype_to_double(dtype, p));
}

static int parse_real(int dtype, const char *text, size_t n, void *p) {
  if (is_text(text, n, "nan")) {
    store_bits(p, ga__dtype_size(dtype), plain_nan(dtype));
    return 1;
  }
  if (is_text(text, n, "inf") || is_text(text, n, "-inf")) {
    ga__dtype_from_double(dtype, p, text[0] == '-' ? -INFINITY : INFINITY);
    return 1;
  }
  if (n > NAN_MARK && memcmp(text, "nan:", NAN_MARK) == 0)
    return parse_bits(dtype, text, n, p);
  return parse_finite(dtype, text, n, p);
}

/* Parse two parts, or a real number. A '+' may also belong to an exponent. */
static int parse_complex(int dtype, const char *text, size_t n, void *p) {
  const int part = ga__dtype_real(dtype);
  char *im = (char *)p + ga__dtype_size(part);

  if (n == 0 || text[n - 1] != 'j') {
    ga__dtype_from_double(part, im, 0);
    return parse_real(part, text, n, p);
  }
  for (size_t i = 1; i + 2 < n; i++)
    if (text[i] == '+' && parse_real(part, text, i, p) &&
        parse_real(part, text + i + 1, n - i - 2, im))
      return 1;
  return 0;
}

/* Parse an unsigned integer; 0 if the text is none or it does not fit. */
static int parse_magnitude(const char *text, size_t n, uint64_t *out) {
  char copy[MOST], *end;

  if (n == 0 || n >= MOST || !isdigit((unsigned char)text[0]))
    return 0;
  memcpy(copy, text, n);
  copy[n] = '\0';
  errno = 0;
  *out = strtoull(copy, &end, is_hex(text, n) ? 16 : 10);
  return *end == '\0' && errno == 0;
}

static int parse_whole(int dtype, const char *text, size_t n, void *p) {
  const int minus = n > 0 && text[0] == '-';
  const size_t sign = n > 0 && (text[0] == '-' || text[0] == '+');
  const int no_sign = ga__dtype_kind(dtype) == GA_KIND_UINT;
  const uint64_t top = UINT64_MAX >> (64 - 8 * ga__dtype_size(dtype));
  uint64_t v;

  if (!parse_magnitude(text + sign, n - sign, &v))
    return 0;
  uint64_t most = no_sign ? (minus ? 0 : top) : top / 2 + (minus ? 1 : 0);
  if (v > most)
    return 0;
  store_bits(p, ga__dtype_size(dtype), minus ? 0 - v : v);
  return 1;
}

static int parse_bool(const char *text, size_t n, void *p) {
  const int yes = is_text(text, n, "true") || is_text(text, n, "1");

  if (!yes && !is_text(text, n, "false") && !is_text(text, n, "0"))
    return 0;
  *(unsigned char *)p = (unsigned char)yes;
  return 1;
}

int gg__literal_parse(int dtype, const char *text, size_t n, void *p) {
  switch (ga__dtype_kind(dtype)) {
  case GA_KIND_COMPLEX:
    return parse_complex(dtype, text, n, p);
  case GA_KIND_FLOAT:
    return parse_real(dtype, text, n, p);
  case GA_KIND_BOOL:
    return parse_bool(text, n, p);
  case GA_KIND_INT:
  case GA_KIND_UINT:
    return parse_whole(dtype, text, n, p);
  default:
    return 0;
  }
}

void gg__quoted_print(const char *s, size_t most, ga__strb *out) {
  ga__strb_append(out, "\"");
  for (size_t i = 0; i < most && s[i] != '\0'; i++)
    if (s[i] == '"' || s[i] == '\\')
      ga__strb_appendf(out, "\\%c", s[i]);
    else if ((unsigned char)s[i] < ' ' || s[i] == 127)
      ga__strb_appendf(out, "\\x%02x", (unsigned int)(unsigned char)s[i]);
    else
      ga__strb_append_n(out, &s[i], 1);
  ga__strb_append(out, "\"");
}
