/* SPDX-License-Identifier: BSD-2-Clause */
/** \file fft.h
 *  Fourier transforms along axes, of any lengths (docs/fft.md).
 *
 *  Real operands become float32 or float64 and, where complex ones are needed,
 *  complex. All have gradients of any order. Axes count from the end if they
 *  are negative; none is twice in a list. `lengths` are those of the
 *  transforms, in the order of the axes: a longer x is cut, a shorter one
 *  gets zeros at its end; NULL means the sizes of x. On error every
 *  function returns NULL and leaves the reason in the graph.
 */
#ifndef GPUGRAPH_FFT_H
#define GPUGRAPH_FFT_H

#include <gpuarray/fft.h>
#include <gpugraph/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Which direction has the factor 1 / n, as in NumPy. */
typedef enum gg_fft_norm {
  GG_FFT_BACKWARD, /**< the inverse */
  GG_FFT_ORTHO,    /**< both have 1 / sqrt(n) */
  GG_FFT_FORWARD   /**< the forward one */
} gg_fft_norm;

/** The sum of x_j exp(-2 pi i j k / n) over j, along n axes; complex. */
GG_PUBLIC gg_var *gg_fft(gg_var *x, unsigned int n, const int *axes,
                         const int64_t *lengths, gg_fft_norm norm);
/** Its inverse: with a positive exponent. */
GG_PUBLIC gg_var *gg_ifft(gg_var *x, unsigned int n, const int *axes,
                          const int64_t *lengths, gg_fft_norm norm);
/** gg_fft of a real x: the first n / 2 + 1 elements along the last axis of the
 *  list; the others are conjugates of these. */
GG_PUBLIC gg_var *gg_rfft(gg_var *x, unsigned int n, const int *axes,
                          const int64_t *lengths, gg_fft_norm norm);
/** Its inverse: the real result of which x is that half. Without `lengths`, the
 *  last one is 2 (m - 1) for an x of size m. */
GG_PUBLIC gg_var *gg_irfft(gg_var *x, unsigned int n, const int *axes,
                           const int64_t *lengths, gg_fft_norm norm);

/** \name Frequencies, as in NumPy */
/**@{*/
/** Move frequency 0 to the middle of n axes, and back. Without a list, of all
 *  axes. */
GG_PUBLIC gg_var *gg_fftshift(gg_var *x, unsigned int n, const int *axes);
GG_PUBLIC gg_var *gg_ifftshift(gg_var *x, unsigned int n, const int *axes);
/** The frequencies of gg_fft and of gg_rfft of n elements that are d apart,
 *  float32 or float64. n is an integer scalar. */
GG_PUBLIC gg_var *gg_fftfreq(gg_var *n, double d, int dtype);
GG_PUBLIC gg_var *gg_rfftfreq(gg_var *n, double d, int dtype);
/**@}*/

/** \name Cosine transforms, as in SciPy */
/**@{*/
/** The cosine transform of type 1, 2 or 3 of a real x along n axes. With
 *  GG_FFT_ORTHO it is an orthogonal matrix. Type 1 takes 2 elements at
 *  least. */
GG_PUBLIC gg_var *gg_dct(gg_var *x, int type, unsigned int n, const int *axes,
                         gg_fft_norm norm);
/** Its inverse. */
GG_PUBLIC gg_var *gg_idct(gg_var *x, int type, unsigned int n, const int *axes,
                          gg_fft_norm norm);
/**@}*/

#ifdef __cplusplus
}
#endif

#endif
