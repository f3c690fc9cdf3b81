/* SPDX-License-Identifier: BSD-2-Clause */
/** \file signal.h
 *  What Fourier transforms are used for (docs/fft.md).
 *
 *  Real operands become float32 or float64. All have gradients. On error every
 *  function returns NULL and leaves the reason in the graph.
 */
#ifndef GPUGRAPH_SIGNAL_H
#define GPUGRAPH_SIGNAL_H

#include <gpugraph/arrange.h>
#include <gpugraph/fft.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The elements of a convolution that are computed, as in SciPy. */
typedef enum gg_fft_convolve_part {
  GG_CONVOLVE_FULL, /**< all: n + m - 1 of n and m */
  GG_CONVOLVE_SAME, /**< as many as x has, from the middle */
  GG_CONVOLVE_VALID /**< those of which no term is beyond an end: the
                         difference of n and m, and 1 */
} gg_fft_convolve_part;

/** The convolution of x and y along n axes, or along all without a list, by
 *  Fourier transforms: its work grows as n log n. Along the other axes both
 *  broadcast. Both have the same rank. */
GG_PUBLIC gg_var *gg_fft_convolve(gg_var *x, gg_var *y, unsigned int n,
                                  const int *axes, gg_fft_convolve_part part);

/** \name Spectra of short frames, as in PyTorch */
/**@{*/
typedef enum gg_window_kind {
  GG_WINDOW_ONES,
  GG_WINDOW_HANN,
  GG_WINDOW_HAMMING,
  GG_WINDOW_BLACKMAN
} gg_window_kind;

/** A window of n elements, a constant vector of float32 or float64. It is one
 *  period, as spectra want it, or symmetric. */
GG_PUBLIC gg_var *gg_window(gg_graph *g, gg_window_kind kind, int64_t n,
                            int is_symmetric, int dtype);

typedef struct gg_stft_spec {
  int64_t length; /**< elements of a frame */
  int64_t step;   /**< between the beginnings of frames; 0: a quarter of that */
  gg_var *window; /**< a real vector of known size, at most `length`, in the
                       middle of a frame; NULL: ones */
  int is_centred; /**< frame i has element i step of the signal in its middle:
                       half a frame is added at both ends */
  gg_pad_mode padding; /**< in this mode */
  int is_two_sided;    /**< all frequencies; of complex signals always */
  gg_fft_norm norm;
} gg_stft_spec;

/** The spectra of frames along the last axis of x, [..., frequencies, frames]:
 *  length / 2 + 1 frequencies of a real x. There are as many frames as fit,
 *  none of a signal that is shorter. */
GG_PUBLIC gg_var *gg_stft(gg_var *x, const gg_stft_spec *spec);
/** The signal of such spectra: the frames times the window, added, over the sum
 *  of the windows' squares where that is more than 1e-11. It is real unless
 *  `is_two_sided`. `size` is an integer scalar, the number of elements, zeros
 *  behind the frames; NULL: as many as the frames have. */
GG_PUBLIC gg_var *gg_istft(gg_var *y, const gg_stft_spec *spec, gg_var *size);
/**@}*/

#ifdef __cplusplus
}
#endif

#endif
