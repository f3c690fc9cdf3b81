/* SPDX-License-Identifier: BSD-2-Clause */
/* Small pictures inside of an HTML page. */
#ifndef FASHION_PNG_H
#define FASHION_PNG_H

#include <stddef.h>
#include <stdio.h>

enum { PNG_SIDE = 32 /* pixels, at most */ };

/* Write grey pixels, [height, width], as a PNG file in a "data:" address.
 * Larger pictures are not written. */
void png_put(FILE *f, const unsigned char *grey, size_t height, size_t width);

#endif
