/* SPDX-License-Identifier: BSD-2-Clause */
/* The operands of Fourier transforms. */
#ifndef FFT_FFT_CHECK_H
#define FFT_FFT_CHECK_H

#include <gpuarray/fft.h>

#include "array/geometry.h"

typedef struct ga__fft_call {
  const GpuArray *x;
  GpuArray *y;
  unsigned int n_axes;
  const unsigned int *axes;
  int flags;
  size_t n[GA_ND_MAX]; /* lengths of transforms, in the order of the axes */
} ga__fft_call;

/* Check all but `y` and `n`. */
int ga__fft_check_operand(const ga__fft_call *c);
/* Set `n`, and check everything. `lengths` may be NULL. */
int ga__fft_check(ga__fft_call *c, const size_t *lengths);

#endif
