/* SPDX-License-Identifier: BSD-2-Clause */
/* zlib, loaded at first use: raw deflate and CRC-32. */
#ifndef IO_DEFLATE_H
#define IO_DEFLATE_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* Load zlib, or GA_LOAD_ERROR. Call it before the other functions. */
int ga__deflate_need(void);

/* Continue from `crc`, 0 at first. */
uint32_t ga__crc32(uint32_t crc, const void *p, size_t n);

typedef struct ga__deflate ga__deflate;

int ga__inflate_new(ga__deflate **out);
int ga__deflate_new(ga__deflate **out);
void ga__deflate_free(ga__deflate *d); /* NULL is fine */

/* Input and output; calls advance the pointers and reduce the counts. */
typedef struct ga__flow {
  const unsigned char *in;
  size_t n_in;
  unsigned char *out;
  size_t n_out;
} ga__flow;

/* Work until the input is used up or the output full. *ended: the end of the
 * data was reached. GA_VALUE_ERROR for data that is not deflated. */
int ga__inflate_step(ga__deflate *d, ga__flow *f, int *ended);
/* With `last` there is no more input: call until *ended. */
int ga__deflate_step(ga__deflate *d, ga__flow *f, int last, int *ended);

#endif
