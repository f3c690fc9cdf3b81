/* SPDX-License-Identifier: BSD-2-Clause */
/* Texts in JSON. */
#ifndef BASE_JSON_TEXT_H
#define BASE_JSON_TEXT_H

#include <stddef.h>
#include <stdio.h>

/* Bytes of the UTF-8 character at the beginning of n bytes; 0 if there is
 * none. */
size_t ga__utf8(const char *s, size_t n);
/* Write a text between quotes. What is no UTF-8 becomes U+FFFD. */
void ga__json_put_text(FILE *f, const char *text);

#endif
