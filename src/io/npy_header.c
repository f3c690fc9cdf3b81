/* SPDX-License-Identifier: BSD-2-Clause */
/* Headers of .npy files: a Python dictionary, which is not trusted. */
#include "io/npy_header.h"

#include <limits.h>
#include <string.h>

#include "base/dtype.h"

static const unsigned char magic[6] = {0x93, 'N', 'U', 'M', 'P', 'Y'};

static int host_is_little(void) {
  const uint16_t one = 1;

  return *(const unsigned char *)&one == 1;
}

/* --- types --- */

static const struct {
  int typecode;
  char kind;
  unsigned char size;
  const char *little, *big;
} types[] = {
    {GA_BOOL, 'b', 1, "|b1", "|b1"},   {GA_BYTE, 'i', 1, "|i1", "|i1"},
    {GA_UBYTE, 'u', 1, "|u1", "|u1"},  {GA_SHORT, 'i', 2, "<i2", ">i2"},
    {GA_USHORT, 'u', 2, "<u2", ">u2"}, {GA_INT, 'i', 4, "<i4", ">i4"},
    {GA_UINT, 'u', 4, "<u4", ">u4"},   {GA_LONG, 'i', 8, "<i8", ">i8"},
    {GA_ULONG, 'u', 8, "<u8", ">u8"},  {GA_HALF, 'f', 2, "<f2", ">f2"},
    {GA_FLOAT, 'f', 4, "<f4", ">f4"},  {GA_DOUBLE, 'f', 8, "<f8", ">f8"},
    {GA_CFLOAT, 'c', 8, "<c8", ">c8"}, {GA_CDOUBLE, 'c', 16, "<c16", ">c16"},
};
#define TYPES (sizeof types / sizeof *types)

const char *ga__npy_descr(int typecode) {
  const int canon = ga__dtype_canon(typecode);

  for (size_t i = 0; i < TYPES; i++) {
    if (types[i].typecode == canon)
      return host_is_little() ? types[i].little : types[i].big;
  }
  return NULL;
}

/* --- reading the text --- */

typedef struct cursor {
  const char *text;
  size_t n, at;
} cursor;

static int fail_at(const cursor *c, const char *expected) {
  if (c->at >= c->n)
    return ga__fail(GA_VALUE_ERROR, "the header ends where %s was expected",
                    expected);
  return ga__fail(GA_VALUE_ERROR,
                  "byte %zu of the header: expected %s, got "
                  "0x%02x",
                  c->at, expected, (unsigned char)c->text[c->at]);
}

static void skip_blanks(cursor *c) {
  static const char blanks[4] = {' ', '\t', '\r', '\n'};

  while (c->at < c->n && memchr(blanks, c->text[c->at], sizeof blanks) != NULL)
    c->at++;
}

/* Skip blanks, and `what` if it follows. Returns whether it did. */
static int take(cursor *c, const char *what) {
  const size_t n = strlen(what);

  skip_blanks(c);
  if (c->n - c->at < n || memcmp(c->text + c->at, what, n) != 0)
    return 0;
  c->at += n;
  return 1;
}

static int need(cursor *c, const char *what) {
  return take(c, what) ? GA_NO_ERROR : fail_at(c, what);
}

/* Read a string without escapes; *s points into the text. */
static int read_string(cursor *c, const char **s, size_t *n) {
  char quote = '\0';

  skip_blanks(c);
  if (c->at < c->n)
    quote = c->text[c->at];
  if (quote != '\'' && quote != '"')
    return fail_at(c, "a string");
  *s = c->text + c->at + 1;
  const char *end = memchr(*s, quote, c->n - c->at - 1);
  if (end == NULL || memchr(*s, '\\', (size_t)(end - *s)) != NULL)
    return fail_at(c, "a plain string");
  *n = (size_t)(end - *s);
  c->at += *n + 2;
  return GA_NO_ERROR;
}

static int is_digit(char ch) {
  return ch >= '0' && ch <= '9';
}

static int read_size(cursor *c, size_t *out) {
  size_t v = 0;

  skip_blanks(c);
  size_t first = c->at;
  for (; c->at < c->n && is_digit(c->text[c->at]); c->at++) {
    const size_t digit = (size_t)(c->text[c->at] - '0');

    if (v > (SSIZE_MAX - digit) / 10)
      return ga__fail(GA_XLARGE_ERROR,
                      "byte %zu of the header: a size beyond %zd", first,
                      (ssize_t)SSIZE_MAX);
    v = 10 * v + digit;
  }
  if (c->at == first)
    return fail_at(c, "a size");
  take(c, "L"); /* Python 2 wrote sizes such as 3L */
  *out = v;
  return GA_NO_ERROR;
}

/* --- the three values --- */

/* Read a dtype: a byte order, a letter and the bytes of an element. */
static int read_descr(cursor *c, ga__npy_header *h) {
  static const char orders[4] = {'<', '>', '|', '='};
  const char *s;
  size_t n, size = 0, i = 1;
  char order = '\0';

  skip_blanks(c);
  if (c->at < c->n && c->text[c->at] == '[')
    return ga__fail(GA_UNSUPPORTED_ERROR, "the elements are structures");
  GA_TRY(read_string(c, &s, &n));
  if (n > 0 && memchr(orders, s[0], sizeof orders) != NULL)
    order = s[0];
  if (order != '\0') {
    s++;
    n--;
  }
  for (; i < n && is_digit(s[i]) && size < 1000; i++)
    size = 10 * size + (size_t)(s[i] - '0');
  for (size_t t = 0; t < TYPES && n > 1 && i == n; t++) {
    if (types[t].kind != s[0] || types[t].size != size)
      continue;
    h->typecode = types[t].typecode;
    h->is_swapped = (order == '<' && !host_is_little()) ||
                    (order == '>' && host_is_little());
    return GA_NO_ERROR;
  }
  return ga__fail(GA_UNSUPPORTED_ERROR, "no type for NumPy's \"%.*s\"",
                  (int)(n < 32 ? n : 32), s);
}

static int read_order(cursor *c, ga__npy_header *h) {
  if (take(c, "True"))
    h->order = GA_F_ORDER;
  else if (take(c, "False"))
    h->order = GA_C_ORDER;
  else
    return fail_at(c, "True or False");
  return GA_NO_ERROR;
}

static int read_shape(cursor *c, ga__npy_header *h) {
  int has_comma = 1;

  h->nd = 0;
  GA_TRY(need(c, "("));
  while (!take(c, ")")) {
    if (!has_comma)
      return fail_at(c, "a comma");
    if (h->nd == GA_ND_MAX)
      return ga__fail(GA_VALUE_ERROR, "more than %d dimensions", GA_ND_MAX);
    GA_TRY(read_size(c, &h->dims[h->nd++]));
    has_comma = take(c, ",");
  }
  if (h->nd == 1 && !has_comma)
    return ga__fail(GA_VALUE_ERROR, "the shape is a number, not a tuple");
  return GA_NO_ERROR;
}

/* --- the dictionary --- */

static const struct {
  const char *name;
  int (*read)(cursor *c, ga__npy_header *h);
} keys[] = {{"descr", read_descr},
            {"fortran_order", read_order},
            {"shape", read_shape}};
#define KEYS 3

static int read_entry(cursor *c, ga__npy_header *h, int seen[KEYS]) {
  const char *s;
  size_t n;

  GA_TRY(read_string(c, &s, &n));
  GA_TRY(need(c, ":"));
  for (int k = 0; k < KEYS; k++) {
    if (strlen(keys[k].name) != n || memcmp(keys[k].name, s, n) != 0)
      continue;
    if (seen[k]++)
      return ga__fail(GA_VALUE_ERROR, "the header has two entries \"%s\"",
                      keys[k].name);
    return keys[k].read(c, h);
  }
  return ga__fail(GA_VALUE_ERROR, "the header has an entry \"%.*s\"",
                  (int)(n < 32 ? n : 32), s);
}

static int read_dictionary(cursor *c, ga__npy_header *h) {
  int seen[KEYS] = {0}, has_comma = 1;

  GA_TRY(need(c, "{"));
  while (!take(c, "}")) {
    if (!has_comma)
      return fail_at(c, "a comma");
    GA_TRY(read_entry(c, h, seen));
    has_comma = take(c, ",");
  }
  skip_blanks(c);
  if (c->at < c->n)
    return fail_at(c, "the end");
  for (int k = 0; k < KEYS; k++) {
    if (!seen[k])
      return ga__fail(GA_VALUE_ERROR, "the header has no entry \"%s\"",
                      keys[k].name);
  }
  return GA_NO_ERROR;
}

int ga__npy_parse(ga__npy_header *h, const char *text, size_t n) {
  cursor c = {text, n, 0};
  size_t total;

  memset(h, 0, sizeof *h);
  GA_TRY(read_dictionary(&c, h));
  GA_TRY(ga__dims_total(&total, h->nd, h->dims));
  size_t size = gpuarray_get_elsize(h->typecode);
  if (total > SSIZE_MAX / size)
    return ga__fail(GA_XLARGE_ERROR, "%zu elements of %zu bytes", total, size);
  h->bytes = total * size;
  return GA_NO_ERROR;
}

/* --- the prefix --- */

int ga__npy_prefix_bytes(size_t *n, const unsigned char *p) {
  if (memcmp(p, magic, sizeof magic) != 0)
    return ga__fail(GA_VALUE_ERROR, "no .npy data: it starts with 0x%02x%02x",
                    p[0], p[1]);
  if (p[6] < 1 || p[6] > 3 || p[7] != 0)
    return ga__fail(GA_UNSUPPORTED_ERROR, "version %u.%u of .npy", p[6], p[7]);
  *n = p[6] == 1 ? 10 : 12;
  return GA_NO_ERROR;
}

int ga__npy_text_bytes(size_t *n, const unsigned char *prefix) {
  *n = prefix[8] + ((size_t)prefix[9] << 8);
  if (prefix[6] > 1)
    *n += ((size_t)prefix[10] << 16) + ((size_t)prefix[11] << 24);
  if (*n > GA_NPY_TEXT_MAX)
    return ga__fail(GA_VALUE_ERROR, "a header of %zu bytes, the limit is %zu",
                    *n, GA_NPY_TEXT_MAX);
  return GA_NO_ERROR;
}

void ga__npy_format(ga__strb *out, const ga__npy_header *h) {
  size_t start = out->n;

  ga__strb_append_n(out, (const char *)magic, sizeof magic);
  ga__strb_append_n(out, "\1\0\0\0", 4);
  ga__strb_appendf(out, "{'descr': '%s', 'fortran_order': %s, 'shape': (",
                   ga__npy_descr(h->typecode),
                   h->order == GA_F_ORDER ? "True" : "False");
  for (unsigned int k = 0; k < h->nd; k++)
    ga__strb_appendf(out, k == 0 ? "%zu%s" : " %zu%s", h->dims[k],
                     h->nd == 1 || k + 1 < h->nd ? "," : "");
  ga__strb_append(out, "), }");
  while ((out->n - start) % 64 != 63 && out->err == GA_NO_ERROR)
    ga__strb_append(out, " ");
  ga__strb_append(out, "\n");
  if (out->err != GA_NO_ERROR)
    return;
  size_t n = out->n - start - 10;
  out->s[start + 8] = (char)(n & 0xFF);
  out->s[start + 9] = (char)(n >> 8);
}
