/* SPDX-License-Identifier: BSD-2-Clause */
/* Streams into and out of buffers. */
#ifndef OCL_MEMORY_STREAM_DATA_H
#define OCL_MEMORY_STREAM_DATA_H

#include <stddef.h>

#include <gpuarray/buffer.h>

/* Write the next `n` bytes to `p`, or read them from there. May run with the
 * context's lock held. */
typedef int (*ga__filler)(void *arg, void *p, size_t n);
typedef int (*ga__drainer)(void *arg, const void *p, size_t n);

/* Call `fill` for pieces of at most 1 MiB and write them to the buffer. All
 * pieces but the last are multiples of 16 bytes. May return before the last
 * writes have ended. Stops at the first failure and returns its code; the bytes
 * in the range are then unspecified. */
int ga__data_stream_in(gpudata *d, size_t off, size_t bytes, ga__filler fill,
                       void *arg);
/* Read pieces from the buffer and call `drain` for each. Blocks until all are
 * read. */
int ga__data_stream_out(gpudata *d, size_t off, size_t bytes, ga__drainer drain,
                        void *arg);

#endif
