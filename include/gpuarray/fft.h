/* SPDX-License-Identifier: BSD-2-Clause */
/** \file fft.h
 *  Fourier transforms along axes of arrays, of any lengths.
 *
 *  y_k is the sum of x_j exp(-2 pi i j k / n) over j; the inverse has the other
 *  sign and, as NumPy's, a factor of 1 / n. Over several axes n is the product
 *  of their lengths. Arrays have any strides. float32 and float64 are computed
 *  as they are. A length with a prime above 13 is computed as a convolution,
 *  which costs about six times as much.
 *
 *  Of a real array only half of the result is computed, along the last axis
 *  of the list: n / 2 + 1 elements; the others are their conjugates.
 *
 *  Errors: GA_INVALID_ERROR for missing arrays; GA_VALUE_ERROR for wrong axes,
 *  lengths, ranks, sizes, dtypes, contexts, flags and overlaps;
 *  GA_UNSUPPORTED_ERROR for other dtypes, and for lengths above 2^32 with
 *  primes above 13; GA_READONLY_ERROR, GA_UNALIGNED_ERROR; GA_DEVSUP_ERROR for
 *  doubles on a device without them. Everything is checked before anything is
 *  enqueued.
 */
#ifndef GPUARRAY_FFT_H
#define GPUARRAY_FFT_H

#include <gpuarray/array.h>
#include <gpuarray/launch.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Flags. */
enum {
  GA_FFT_INVERSE = 1, /**< the exponent is positive */
  GA_FFT_ORTHO = 2,   /**< a factor of 1 / sqrt(n) in both directions */
  GA_FFT_FORWARD = 4  /**< the factor 1 / n in the forward direction instead of
                           the inverse one */
};

/** Prepare transforms along the `n_axes` axes in the list `axes`.
 *
 *  \param out     the launch, which the caller frees; NULL after a failure
 *  \param y       the result, with the sizes of `x` except along the axes
 *  \param x       the operand. At least one of both is complex: GA_CFLOAT with
 *                 GA_FLOAT, GA_CDOUBLE with GA_DOUBLE
 *  \param lengths those of the transforms, in the order of the axes; an `x`
 *                 that is shorter along an axis counts as zeros there, one that
 *                 is longer is cut. NULL: the sizes of `y`, or of a real `x`
 *
 *  Complex to complex: `y` has these lengths; it may be the same array as `x`.
 *  Real to complex: `y` has n / 2 + 1 elements along the last axis of the list.
 *  Complex to real: so should `x`, and the elements that `x` does not have are
 *  conjugates of those it has; imaginary parts that a real result cannot have
 *  are dropped. Slots: 0 `x`, 1 `y`. */
GPUARRAY_PUBLIC int GpuArray_fft_prepare(GpuLaunch **out, GpuArray *y,
                                         const GpuArray *x, unsigned int n_axes,
                                         const unsigned int *axes,
                                         const size_t *lengths, int flags);

/** Transform the complex array `x` into a new array in C order, which the
 *  caller clears. `lengths` NULL means the sizes of `x`. Does not block. */
GPUARRAY_PUBLIC int GpuArray_fft(GpuArray *y, const GpuArray *x,
                                 unsigned int n_axes, const unsigned int *axes,
                                 const size_t *lengths, int flags);
/** The same of a real array: half of the result, n / 2 + 1 elements along the
 *  last axis of the list. */
GPUARRAY_PUBLIC int GpuArray_rfft(GpuArray *y, const GpuArray *x,
                                  unsigned int n_axes, const unsigned int *axes,
                                  const size_t *lengths, int flags);
/** The real array of which `x` is that half. Without `lengths` that of the last
 *  axis is 2 (m - 1), where m is the size of `x`. Set GA_FFT_INVERSE to undo
 *  GpuArray_rfft. */
GPUARRAY_PUBLIC int GpuArray_irfft(GpuArray *y, const GpuArray *x,
                                   unsigned int n_axes,
                                   const unsigned int *axes,
                                   const size_t *lengths, int flags);

/** The least length from n on whose primes are at most 13, which needs no
 *  convolution; n itself if there is none below SIZE_MAX. */
GPUARRAY_PUBLIC size_t GpuArray_fft_length(size_t n);

#ifdef __cplusplus
}
#endif

#endif
