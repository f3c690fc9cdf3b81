/* SPDX-License-Identifier: BSD-2-Clause */
/** \file stream.h
 *  Values that flow between arrays and functions of yours, piece by piece: from
 *  and to files, sockets, other libraries. No copy of the whole is made on the
 *  host; on a CPU the pieces are the array's own memory.
 */
#ifndef GPUARRAY_STREAM_H
#define GPUARRAY_STREAM_H

#include <gpuarray/array.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Write the next `n` bytes, at most 1 MiB, to `p`. May be called while the
 *  context is locked: call nothing of the library for the same context. A code
 *  other than GA_NO_ERROR ends the stream, which returns it. */
typedef int (*gpuarray_fill_fn)(void *arg, void *p, size_t n);
/** Take the next `n` bytes from `p`, likewise. */
typedef int (*gpuarray_drain_fn)(void *arg, const void *p, size_t n);

/** Fill a C contiguous, writable array (else GA_VALUE_ERROR) with its elements
 *  in C order. Returns when the last piece was asked for; the device may still
 *  be at work. After a failure the elements are unspecified. */
GPUARRAY_PUBLIC int GpuArray_stream_in(GpuArray *a, gpuarray_fill_fn fill,
                                       void *arg);
/** Hand out the elements in C order; an array of other strides is copied on the
 *  device first. Blocks. */
GPUARRAY_PUBLIC int GpuArray_stream_out(const GpuArray *a,
                                        gpuarray_drain_fn drain, void *arg);

#ifdef __cplusplus
}
#endif

#endif
