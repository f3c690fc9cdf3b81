/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading gzipped IDX files, the format of the MNIST family. */
#ifndef FASHION_IDX_H
#define FASHION_IDX_H

#include <stddef.h>

/* An array of bytes, C order. */
typedef struct idx {
  unsigned int nd;
  size_t dims[4];
  size_t n; /* elements in all */
  unsigned char *data;
} idx;

/* Read a file of unsigned bytes with `nd` dimensions. Returns 0, or -1 with a
 * sentence in `why`; *out is empty then. */
int idx_read(idx *out, const char *path, unsigned int nd, char *why,
             size_t why_bytes);
void idx_clear(idx *a);

#endif
