/* SPDX-License-Identifier: BSD-2-Clause */
/* Elements as text and back. The bits stay the same, in every locale. */
#ifndef GRAPH_LITERAL_H
#define GRAPH_LITERAL_H

#include <stddef.h>

#include "base/strb.h"

/* Append the element at `p`: integers in decimal, floats in as few digits as
 * read back the same, "inf", "nan" and, for other NaNs, "nan:" with the bits in
 * hexadecimal; bools are "true" and "false". */
void gg__literal_print(int dtype, const void *p, ga__strb *out);
/* Parse an element of this dtype and write it to `p`. 0 if the text is none,
 * or if the number does not fit. Also accepts hexadecimal floats and integers
 * ("0x1.8p3"), integers as floats, and 0 and 1 as bools. */
int gg__literal_parse(int dtype, const char *text, size_t n, void *p);
/* Nonzero if the text is not an integer: it has a point, an exponent, or no
 * digits. */
int gg__literal_is_real(const char *text, size_t n);

/* Append a text of at most `most` bytes in quotes, with escapes. */
void gg__quoted_print(const char *s, size_t most, ga__strb *out);

#endif
