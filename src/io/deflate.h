/* SPDX-License-Identifier: BSD-2-Clause */
/* Raw deflate and CRC-32 by zlib, which is loaded at first use. */
#ifndef IO_DEFLATE_H
#define IO_DEFLATE_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* Load zlib; GA_LOAD_ERROR when it is missing. Call this before the other
 * functions. */
int ga__deflate_need(void);

/* The CRC-32 of `n` more bytes. `crc` is that of the bytes before, 0 at
 * first. */
uint32_t ga__crc32(uint32_t crc, const void *p, size_t n);

typedef struct ga__deflate ga__deflate;

int ga__inflate_new(ga__deflate **out);
int ga__deflate_new(ga__deflate **out);
void ga__deflate_free(ga__deflate *d); /* accepts NULL */

/* Input and output; calls advance the pointers and reduce the counts. */
typedef struct ga__flow {
  const unsigned char *in;
  size_t n_in;
  unsigned char *out;
  size_t n_out;
} ga__flow;

/* Decompress until the input is used up or the output is full. Sets *ended when
 * the end of the data was reached. GA_VALUE_ERROR for invalid data. */
int ga__inflate_step(ga__deflate *d, ga__flow *f, int *ended);
/* Compress in the same way. With `last` no input follows: call until *ended. */
int ga__deflate_step(ga__deflate *d, ga__flow *f, int last, int *ended);

#endif
