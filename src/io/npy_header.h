/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads and writes headers of .npy files. Uses no device. */
#ifndef IO_NPY_HEADER_H
#define IO_NPY_HEADER_H

#include <gpuarray/array.h>

#include "array/geometry.h"
#include "base/strb.h"

/* Bytes of the longest prefix: magic, version and length of the text. */
#define GA_NPY_PREFIX_MAX 12
/* Limit of the text in bytes; 64 sizes of 20 digits need a tenth of it. */
#define GA_NPY_TEXT_MAX ((size_t)64 << 10)

typedef struct ga__npy_header {
  int typecode;
  int is_swapped; /* the byte order is not that of the host */
  ga_order order;
  unsigned int nd;
  size_t dims[GA_ND_MAX];
  size_t bytes; /* of all elements */
} ga__npy_header;

/* Get the bytes of the prefix from its first 8; GA_VALUE_ERROR for other
 * files. */
int ga__npy_prefix_bytes(size_t *n, const unsigned char *p);
/* Get the bytes of the text after the prefix. */
int ga__npy_text_bytes(size_t *n, const unsigned char *prefix);
/* Parse the text. The message of GA_VALUE_ERROR has the byte at which it is
 * invalid, that of GA_UNSUPPORTED_ERROR the unknown dtype. */
int ga__npy_parse(ga__npy_header *h, const char *text, size_t n);
/* Append prefix and text of version 1.0, a multiple of 64 bytes. Errors stick
 * to `out`. */
void ga__npy_format(ga__strb *out, const ga__npy_header *h);
/* NumPy's name of a dtype, such as "<f4"; NULL when it has none. */
const char *ga__npy_descr(int typecode);

#endif
