/* SPDX-License-Identifier: BSD-2-Clause */
/* Elements as text and back, bit by bit, whatever the locale. */
#ifndef GRAPH_LITERAL_H
#define GRAPH_LITERAL_H

#include <stddef.h>

#include "base/strb.h"

/* Append the element at `p`: integers in decimal, floats in as few digits as
 * read back the same, "inf", "nan" and, for other NaNs, "nan:" with the bits in
 * hexadecimal; bools are "true" and "false". */
void gg__literal_print(int dtype, const void *p, ga__strb *out);
/* Write an element to `p`. 0 when the text is no such number, or one that does
 * not fit. Also takes hexadecimal floats and integers ("0x1.8p3"), and whole
 * numbers for bools (0 or 1) and floats. */
int gg__literal_parse(int dtype, const char *text, size_t n, void *p);
/* Nonzero if the text is not an integer: it has a point, an exponent, or no
 * digits. */
int gg__literal_is_real(const char *text, size_t n);

/* Append a text of at most `most` bytes in quotes, with escapes. */
void gg__quoted_print(const char *s, size_t most, ga__strb *out);

#endif
