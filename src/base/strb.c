/* SPDX-License-Identifier: BSD-2-Clause */
/* A string builder with a sticky error. */
#include "base/strb.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"

#define FIRST_CAP 64 /* bytes */

/* Allocate memory for `extra` more bytes and the NUL. Returns 0 with a sticky
 * error on failure. */
static int has_room(ga__strb *b, size_t extra) {
  size_t cap = b->cap;

  if (b->err != GA_NO_ERROR)
    return 0;
  if (b->s != NULL && extra < b->cap - b->n)
    return 1;
  if (extra > SIZE_MAX / 4 || b->n > SIZE_MAX / 4) {
    b->err = ga__fail_nomem();
    return 0;
  }
  if (cap == 0)
    cap = FIRST_CAP;
  while (cap - b->n <= extra)
    cap *= 2;
  char *s = ga__realloc_array(b->s, cap, 1);
  if (s == NULL) {
    b->err = ga__fail_nomem();
    return 0;
  }
  if (b->s == NULL)
    s[0] = '\0';
  b->s = s;
  b->cap = cap;
  return 1;
}

void ga__strb_append(ga__strb *b, const char *text) {
  ga__strb_append_n(b, text, strlen(text));
}

void ga__strb_append_n(ga__strb *b, const char *text, size_t n) {
  if (!has_room(b, n))
    return;
  memcpy(b->s + b->n, text, n);
  b->n += n;
  b->s[b->n] = '\0';
}

void ga__strb_appendf(ga__strb *b, const char *fmt, ...) {
  va_list ap;

  va_start(ap, fmt);
  ga__strb_vappendf(b, fmt, ap);
  va_end(ap);
}

void ga__strb_vappendf(ga__strb *b, const char *fmt, va_list ap) {
  va_list again;

  if (!has_room(b, 0))
    return;
  size_t room = b->cap - b->n;
  va_copy(again, ap);
  int n = vsnprintf(b->s + b->n, room, fmt, ap);
  if (n < 0) {
    b->s[b->n] = '\0';
    b->err = ga__fail(GA_MEMORY_ERROR, "cannot format text by \"%s\"", fmt);
  } else if ((size_t)n < room) {
    b->n += (size_t)n;
  } else if (has_room(b, (size_t)n)) {
    vsnprintf(b->s + b->n, (size_t)n + 1, fmt, again);
    b->n += (size_t)n;
  } else {
    b->s[b->n] = '\0'; /* append all or nothing */
  }
  va_end(again);
}

void ga__strb_append_real(ga__strb *b, double v) {
  char text[40];
  size_t n = 0;

  snprintf(text, sizeof text, "%.17g", v);
  if (text[strspn(text, "-0123456789")] == '\0')
    strcat(text, ".0");
  /* The locale may use a comma, or several bytes, as the decimal point. */
  for (size_t i = 0; text[i] != '\0'; i++)
    if (strchr("+-0123456789einfa", text[i]) != NULL)
      text[n++] = text[i];
    else if (n == 0 || text[n - 1] != '.')
      text[n++] = '.';
  ga__strb_append_n(b, text, n);
}

const char *ga__strb_text(const ga__strb *b) {
  return b->s != NULL ? b->s : "";
}

int ga__strb_take(ga__strb *b, char **out) {
  *out = NULL;
  if (has_room(b, 0)) {
    *out = b->s;
    b->s = NULL;
  }
  int err = b->err;
  ga__strb_clear(b);
  return err;
}

int ga__strb_fail(ga__strb *b, int code) {
  const int err =
      b->err != GA_NO_ERROR ? b->err : ga__fail_text(code, ga__strb_text(b));

  ga__strb_clear(b);
  return err;
}

void ga__strb_reset(ga__strb *b) {
  b->n = 0;
  b->err = GA_NO_ERROR;
  if (b->s != NULL)
    b->s[0] = '\0';
}

void ga__strb_clear(ga__strb *b) {
  ga__free(b->s);
  *b = (ga__strb)GA_STRB_INIT;
}
