/* SPDX-License-Identifier: BSD-2-Clause */
/** \file stream.h
 *  Move elements between arrays and functions of the caller, piece by piece:
 *  from and to files, sockets, other libraries. The host never holds a copy of
 *  the whole array; on a CPU device the pieces are the array's own memory.
 */
#ifndef GPUARRAY_STREAM_H
#define GPUARRAY_STREAM_H

#include <gpuarray/array.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Write the next `n` bytes, at most 1 MiB, to `p`. The context may be locked
 *  meanwhile: do not call the library for the same context. A code other than
 *  GA_NO_ERROR ends the stream, and the call returns it. */
typedef int (*gpuarray_fill_fn)(void *arg, void *p, size_t n);
/** Read the next `n` bytes from `p`, by the same rules. */
typedef int (*gpuarray_drain_fn)(void *arg, const void *p, size_t n);

/** Fill a C contiguous, writable array (else GA_VALUE_ERROR) in C order.
 *  Returns after `fill` has written the last piece; the device may still copy
 *  it. After a failure the elements are unspecified. */
GPUARRAY_PUBLIC int GpuArray_stream_in(GpuArray *a, gpuarray_fill_fn fill,
                                       void *arg);
/** Pass the elements to `drain` in C order; an array with other strides is
 *  copied on the device first. Blocks. */
GPUARRAY_PUBLIC int GpuArray_stream_out(const GpuArray *a,
                                        gpuarray_drain_fn drain, void *arg);

#ifdef __cplusplus
}
#endif

#endif
