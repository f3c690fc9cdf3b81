/* SPDX-License-Identifier: BSD-2-Clause */
/** \file create.h
 *  Create arrays: filled, in steps (arange), diagonal (eye), cast or joined.
 *
 *  Nothing here blocks. Arrays that a function initialises are all zeros after
 *  a failure and need no clearing then.
 */
#ifndef GPUARRAY_CREATE_H
#define GPUARRAY_CREATE_H

#include <gpuarray/array.h>
#include <gpuarray/launch.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Set every element of `a` to one value.
 *
 *  \param a        any dtype, strides and offset
 *  \param typecode dtype of the value, which is cast as GpuArray_setarray()
 *                  casts; on devices without float64, too, float64 may fill
 *                  an array of another float dtype, and complex128 complex64
 *  \param value    one element, read before the call returns
 *
 *  GA_READONLY_ERROR, GA_VALUE_ERROR without a value, GA_UNSUPPORTED_ERROR for
 *  dtypes that arrays do not compute with. */
GPUARRAY_PUBLIC int GpuArray_fill(GpuArray *a, int typecode, const void *value);

/** Make the vector start, start + step, ... up to but without `stop`.
 *
 *  \param a    initialised on success; ceil((stop - start) / step) elements, 0
 *              when that is negative; the caller clears it
 *  \param step not 0
 *
 *  Element i is start + i * step, of integers without error, of floats with one
 *  rounding of i and one of the result in the dtype (half and bfloat: in
 *  float). Complex dtypes get imaginary parts of 0. GA_VALUE_ERROR for bool,
 *  and for integer dtypes when start or step is not whole or the first or last
 *  element is not a value of the dtype. */
GPUARRAY_PUBLIC int GpuArray_arange(GpuArray *a, gpucontext *ctx, int typecode,
                                    double start, double stop, double step);

/** Make a matrix with ones on a diagonal and zeros elsewhere.
 *
 *  \param a initialised on success; rows x cols, C order; the caller clears it
 *  \param k the diagonal: 0 the main one, 1 the one above, -1 the one below; it
 *           may lie outside of the matrix, which is then all zeros */
GPUARRAY_PUBLIC int GpuArray_eye(GpuArray *a, gpucontext *ctx, int typecode,
                                 size_t rows, size_t cols, ssize_t k);

/** Copy to a new array of another dtype.
 *
 *  \param res   initialised on success; sizes of `a`; the caller clears it
 *  \param order as for GpuArray_copy()
 *
 *  A cast from real to complex sets the imaginary part to 0; one from complex
 *  to real drops it. Floats are rounded towards zero for integers, and to
 *  nearest even for half and bfloat. As bool, every value but 0 is true. */
GPUARRAY_PUBLIC int GpuArray_cast(GpuArray *res, const GpuArray *a,
                                  int typecode, ga_order order);

/** Prepare a join of narrow arrays by one kernel, which writes whole rows.
 *
 *  \param out  the caller frees it
 *  \param res  array with the dtype and sizes that GpuArray_concatenate() gives
 *  \param as   n arrays of that dtype, at most GPUARRAY_JOIN_PARTS
 *
 *  Slots: 0 is the result, then the arrays. A row is what `axis` and the axes
 *  after it span. GA_UNSUPPORTED_ERROR for more arrays, for rows of more than
 *  GPUARRAY_JOIN_BYTES bytes, and for arrays that are not C contiguous or not
 *  aligned: one copy for each array is then the way. GA_VALUE_ERROR for other
 *  dtypes, sizes and overlaps. Does not block. */
GPUARRAY_PUBLIC int GpuArray_join_prepare(GpuLaunch **out, GpuArray *res,
                                          const GpuArray **as, size_t n,
                                          unsigned int axis);

#define GPUARRAY_JOIN_PARTS 64
#define GPUARRAY_JOIN_BYTES 256

#ifdef __cplusplus
}
#endif

#endif
