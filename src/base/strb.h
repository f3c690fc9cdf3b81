/* SPDX-License-Identifier: BSD-2-Clause */
/* A string builder with a sticky error, so that callers check once at the end.
 * The message is recorded when the error occurs. */
#ifndef BASE_STRB_H
#define BASE_STRB_H

#include <stdarg.h>
#include <stddef.h>

#include "base/err.h"

typedef struct ga__strb {
  char *s;    /* NUL-terminated, or NULL while empty */
  size_t n;   /* bytes, without the NUL */
  size_t cap; /* bytes allocated */
  int err;    /* GA_NO_ERROR or GA_MEMORY_ERROR, sticky */
} ga__strb;

#define GA_STRB_INIT                                                           \
  { NULL, 0, 0, GA_NO_ERROR }

void ga__strb_append(ga__strb *b, const char *text);
void ga__strb_append_n(ga__strb *b, const char *text, size_t n);
void ga__strb_appendf(ga__strb *b, const char *fmt, ...) GPUARRAY_PRINTF(2, 3);
void ga__strb_vappendf(ga__strb *b, const char *fmt, va_list ap);
/* Append a floating-point literal that reads back as exactly `v` ("1.0", "0.5",
 * "1e-07"), independent of the locale. For generated source. */
void ga__strb_append_real(ga__strb *b, double v);
/* The text so far, "" while empty; borrowed until the next append. */
const char *ga__strb_text(const ga__strb *b);
/* Give the text to the caller, who frees it with ga__free, and clear the
 * builder. *out is NULL after a sticky error, which is returned. */
int ga__strb_take(ga__strb *b, char **out);
/* Record the text as the message of `code` and return `code`; or return the
 * sticky error. Clears the builder. */
int ga__strb_fail(ga__strb *b, int code);
void ga__strb_reset(ga__strb *b); /* empties it and clears the error; keeps the
                                     memory */
void ga__strb_clear(ga__strb *b); /* frees; accepts a zeroed builder */

#endif
