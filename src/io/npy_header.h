/* SPDX-License-Identifier: BSD-2-Clause */
/* The headers of .npy files: text in, geometry out, and back. No device. */
#ifndef IO_NPY_HEADER_H
#define IO_NPY_HEADER_H

#include <gpuarray/array.h>

#include "array/geometry.h"
#include "base/strb.h"

/* The magic, the version and the longest form of the text's length. */
#define GA_NPY_PREFIX_MAX 12
/* Longer texts are refused; 64 sizes of 20 digits need a tenth of this. */
#define GA_NPY_TEXT_MAX ((size_t)64 << 10)

typedef struct ga__npy_header {
  int typecode;
  int is_swapped; /* numbers have the other byte order */
  ga_order order;
  unsigned int nd;
  size_t dims[GA_ND_MAX];
  size_t bytes; /* of all elements */
} ga__npy_header;

/* Bytes of the prefix, from its first 8; GA_VALUE_ERROR for other files. */
int ga__npy_prefix_bytes(size_t *n, const unsigned char *p);
/* Bytes of the text after the prefix. */
int ga__npy_text_bytes(size_t *n, const unsigned char *prefix);
/* The message of GA_VALUE_ERROR has the byte at which the text is invalid, that
 * of GA_UNSUPPORTED_ERROR the unknown type. */
int ga__npy_parse(ga__npy_header *h, const char *text, size_t n);
/* Prefix and text of version 1.0, a multiple of 64 bytes; errors stick. */
void ga__npy_format(ga__strb *out, const ga__npy_header *h);
/* The text for `typecode`, such as "<f4"; NULL when NumPy has no such type. */
const char *ga__npy_descr(int typecode);

#endif
