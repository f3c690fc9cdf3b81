/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading JSON in tests: the text is valid, and its objects have members. */
#ifndef SUPPORT_JSON_H
#define SUPPORT_JSON_H

#include <stddef.h>

/* Fails the test unless the text is one JSON value (RFC 8259). */
void json_is_valid(const char *text);
/* The value of the member `key` of the object that begins there, or NULL. Here
 * and below the text is valid. */
const char *json_member(const char *object, const char *key);
/* Element i of the array that begins there, or NULL. */
const char *json_element(const char *array, size_t i);
/* Nonzero if the value is this string, which has no escapes. */
int json_is(const char *value, const char *string);
/* The value as a number; fails the test if it is none. */
double json_number(const char *value);

#endif
