/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading JSON from memory, value by value. What a caller does not ask for is
 * skipped. Values nest at most GG_JSON_DEEP deep. Errors name the byte. */
#ifndef TEXT_JSON_H
#define TEXT_JSON_H

#include <stddef.h>
#include <stdint.h>

#include "base/strb.h"

#define GG_JSON_DEEP 64

typedef struct gg__json {
  const char *start, *p, *end;
} gg__json;

/* Read a '{' or '['. */
int gg__json_open(gg__json *j, char bracket);
/* Go on to the next member of what `bracket` opened: set *more to 1, or to 0
 * behind the end. `first` is nonzero for the first call. */
int gg__json_more(gg__json *j, char bracket, int first, int *more);
/* Read the name of a member and the colon. */
int gg__json_key(gg__json *j, ga__strb *out);
/* Read a text, as UTF-8 without NUL. */
int gg__json_text(gg__json *j, ga__strb *out);
/* Read a whole number without sign. */
int gg__json_count(gg__json *j, uint64_t *v);
/* Skip a value. */
int gg__json_skip(gg__json *j);
/* Fail unless nothing but spaces follows. */
int gg__json_end(gg__json *j);

/* Append a text with its quotes. */
void gg__json_put_text(ga__strb *out, const char *text);
/* Nonzero if n bytes are UTF-8. */
int gg__is_utf8(const char *text, size_t n);

#endif
