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

#ifdef __cplusplus
}
#endif

#endif
