/* SPDX-License-Identifier: BSD-2-Clause */
/* What builders of and around Fourier transforms share. */
#ifndef OPS_FOURIER_FOURIER_H
#define OPS_FOURIER_FOURIER_H

#include <gpugraph/fft.h>

/* Set `at` to n axes of x. Otherwise returns 0 and records an error of `op`: no
 * axis, one out of range, or one twice in the list. */
int gg__fourier_axes(const gg_op *op, gg_var *x, unsigned int n,
                     const int *axes, unsigned int *at);
/* Nonzero if this is a norm. Otherwise records an error of `op`. */
int gg__fourier_norm(const gg_op *op, gg_var *x, gg_fft_norm norm);
/* x as float32 or float64 or, if asked for, as complex numbers. */
gg_var *gg__fourier_float(gg_var *x, int is_complex);
/* gg_irfft with a length along the last axis of the list that calls may decide,
 * an int64 scalar. */
gg_var *gg__irfft_sized(gg_var *x, unsigned int n, const int *axes,
                        gg_var *length, gg_fft_norm norm);

#endif
