/* SPDX-License-Identifier: BSD-2-Clause */
/** \file conv.h
 *  Convolutions in 1, 2 or 3 dimensions. They have gradients of any order.
 *  Arrays whose channels lie last in memory are passed as views with the
 *  channels first (gg_dimshuffle); nothing is copied for that.
 */
#ifndef GPUGRAPH_CONV_H
#define GPUGRAPH_CONV_H

#include <gpuarray/conv.h>
#include <gpugraph/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Convolve x [images, channels, sizes...] with the filters w [filters,
 *  channels of a group, sizes...]; the result is [images, filters, sizes...].
 *
 *  \param c the geometry (gpuarray/conv.h), copied. NULL: stride and dilation
 *           1, no padding, one group.
 *
 *  Float dtypes; GA_VALUE_ERROR if sizes do not fit, here or in a call. */
GG_PUBLIC gg_var *gg_conv(gg_var *x, gg_var *w, const GpuConv *c);

/** The transposed convolution: the gradient of gg_conv by x, at y. y is
 *  [images, filters, sizes...], w as in gg_conv, the result [images, channels,
 *  sizes...]. Each of its sizes is (y - 1) * stride + (w - 1) * dilation + 1 -
 *  before - after + more.
 *
 *  \param more elements behind the last window, below stride; NULL: 0 each */
GG_PUBLIC gg_var *gg_conv_transposed(gg_var *y, gg_var *w, const GpuConv *c,
                                     const size_t *more);

#ifdef __cplusplus
}
#endif

#endif
