/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers as text, the same in every locale. */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include <stddef.h>

/* Copy a number's text for strtod: with a NUL and the locale's decimal point.
 * 0 if that needs more than `most` bytes. */
int ga__number_local(const char *text, size_t n, char *out, size_t most);

#endif
