/* SPDX-License-Identifier: BSD-2-Clause */
/* Fourier transforms on the host, in double. */
#ifndef OPS_FOURIER_FOURIER_HOST_H
#define OPS_FOURIER_FOURIER_HOST_H

#include <gpuarray/array.h>

/* Transform x, whose elements `from` are in C order, into y at `to`. Bit d of
 * `axes` means axis d; flags are those of gpuarray/fft.h. If x or y is real,
 * there is one axis. */
int gg__fft_host(const GpuArray *x, const void *from, const GpuArray *y,
                 void *to, unsigned int axes, int flags);

#endif
