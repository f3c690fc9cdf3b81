/* SPDX-License-Identifier: BSD-2-Clause */
/* Streams into and out of buffers. */
#ifndef OCL_STREAM_DATA_H
#define OCL_STREAM_DATA_H

#include <stddef.h>

#include <gpuarray/buffer.h>

/* Write `n` bytes to `p`; may be called under the context's lock. */
typedef int (*ga__filler)(void *arg, void *p, size_t n);
typedef int (*ga__drainer)(void *arg, const void *p, size_t n);

/* Call `fill` for pieces of at most 1 MiB, each a multiple of 16 bytes but for
 * the last, and send them to the buffer. Does not wait for the last of them.
 * Stops at the first failure; what is there then is unspecified. */
int ga__data_stream_in(gpudata *d, size_t off, size_t bytes, ga__filler fill,
                       void *arg);
/* The other way round; blocks until all is read. */
int ga__data_stream_out(gpudata *d, size_t off, size_t bytes, ga__drainer drain,
                        void *arg);

#endif
