/* SPDX-License-Identifier: BSD-2-Clause */
/** \file conv.h
 *  Convolutions in 1, 2 or 3 dimensions. They have gradients of any order. To
 *  pass an array whose channels lie last in memory, make a view with the
 *  channels second (gg_dimshuffle); that copies nothing.
 */
#ifndef GPUGRAPH_CONV_H
#define GPUGRAPH_CONV_H

#include <gpuarray/conv.h>
#include <gpugraph/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Convolve x [images, channels, sizes...] with the filters w [filters,
 *  channels of a group, sizes...]. The result is [images, filters, sizes...].
 *
 *  \param c the geometry (gpuarray/conv.h), copied. NULL: stride and dilation
 *           1, no padding, one group, and as many spatial dimensions as x has.
 *
 *  Operands of different float dtypes are cast to their common one. On failure,
 *  return NULL: GA_UNSUPPORTED_ERROR if that is not a float dtype,
 *  GA_VALUE_ERROR for ranks, sizes or a geometry that do not fit. Where types
 *  leave sizes open, the call fails instead. */
GG_PUBLIC gg_var *gg_conv(gg_var *x, gg_var *w, const GpuConv *c);

/** Compute the transposed convolution, which is the gradient of gg_conv by x
 *  where y is the gradient by the result. y is [images, filters, sizes...], w
 *  and c are as in gg_conv, and the result is [images, channels, sizes...]. Its
 *  spatial sizes are (y - 1) * stride + (w - 1) * dilation + 1 - before - after
 *  + more. Errors as for gg_conv; sizes below 1 are GA_VALUE_ERROR.
 *
 *  \param more c->nd counts of elements behind the last window, each below the
 *              stride of its dimension, or NULL for 0 each */
GG_PUBLIC gg_var *gg_conv_transposed(gg_var *y, gg_var *w, const GpuConv *c,
                                     const size_t *more);

/** Convolve with filters that differ from position to position, as in locally
 *  connected layers: element y[n, f, o] of the result [images, filters,
 *  positions...] is the sum over c, k of w[f, o, c, k] * x[n, c, o * stride +
 *  k * dilation - before].
 *
 *  \param x [images, channels, sizes...]
 *  \param w [filters, positions..., channels of a group, sizes of a filter...];
 *           there are as many positions as the result of gg_conv has
 *  \param c as in gg_conv
 *
 *  It is one product for each position, of filters and of windows that are
 *  copied: that copy has the size of x times the elements of a filter. It is
 *  composed of other ops and has gradients of any order. Errors as for
 *  gg_conv. */
GG_PUBLIC gg_var *gg_conv_unshared(gg_var *x, gg_var *w, const GpuConv *c);

#ifdef __cplusplus
}
#endif

#endif
