/* SPDX-License-Identifier: BSD-2-Clause */
/** \file conv.h
 *  Convolutions of arrays with filters, in 1, 2 or 3 dimensions, and their
 *  gradients.
 *
 *  y[n, f, o] = sum over c, k of w[f, c, k] * x[n, c, o * stride + k * dilation
 *  - before], where elements of x outside of the array are zero. x is [images,
 *  channels, sizes...], w [filters, channels of a group, sizes...], y [images,
 *  filters, sizes...]. With groups, each group of filters reads its own part of
 *  the channels. All three arrays are half, float or double, and may have any
 *  strides: channels that lie last in memory need no copy, only a view. Sums of
 *  halfs are floats. Results are the same in each run.
 */
#ifndef GPUARRAY_CONV_H
#define GPUARRAY_CONV_H

#include <gpuarray/launch.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GA_CONV_ND 3 /**< most spatial dimensions */

/** The geometry of a convolution. */
typedef struct GpuConv {
  unsigned int nd;             /**< spatial dimensions: 1, 2 or 3 */
  size_t stride[GA_CONV_ND];   /**< from window to window; at least 1 */
  size_t dilation[GA_CONV_ND]; /**< from element to element of a window; at
                                    least 1 */
  size_t before[GA_CONV_ND];   /**< zeros in front of each dimension */
  size_t after[GA_CONV_ND];    /**< and behind it */
  size_t groups;               /**< at least 1 */
  int flip; /**< nonzero: filters are read backwards in each spatial dimension, as
                 in mathematics */
} GpuConv;

/** Which of the three arrays is computed from the other two. */
typedef enum ga_conv_part {
  GA_CONV_FORWARD, /**< y from x and w */
  GA_CONV_INPUT,   /**< the gradient by x from that by y and from w: also known
                        as transposed convolution */
  GA_CONV_FILTERS  /**< the gradient by w from x and from that by y */
} ga_conv_part;

/** Set *y to the size of a result along dimension `dim` of `c`, from the sizes
 *  of x and of the filters: (x + before + after - (w - 1) * dilation - 1) /
 *  stride + 1. GA_VALUE_ERROR if a filter does not fit. */
GPUARRAY_PUBLIC int GpuConv_size(size_t *y, const GpuConv *c, unsigned int dim,
                                 size_t x, size_t w);

/** Prepare a convolution or one of its gradients.
 *
 *  \param a,b  the operands: x and w, or the gradient by y and w, or x and the
 *              gradient by y
 *  \param r    the result. Its sizes must fit those of the operands. For
 *              GA_CONV_INPUT, they decide how many elements behind the last
 *              window get zeros ("output padding").
 *  \param e    an epilogue (launch.h), or NULL. With one, r gives only the
 *              sizes of the result: it is not written.
 *  \param args of the epilogue, of the result's rank
 *
 *  Slots: a, b, r (unused with an epilogue), then the arguments of the
 *  epilogue. GA_VALUE_ERROR for sizes that do not fit; GA_INVALID_ERROR for
 *  wrong dtypes. The result must not overlap an operand.
 *
 *  Workspaces: at most two copies of w (for GA_CONV_FILTERS: of the gradient by
 *  y), and for halfs or with an epilogue one of the result, as floats. */
GPUARRAY_PUBLIC int GpuConv_prepare(GpuLaunch **out, const GpuConv *c,
                                    ga_conv_part part, GpuArray *a, GpuArray *b,
                                    GpuArray *r, const GpuEpilogue *e,
                                    void **args);

/** The same without an epilogue, run at once. */
GPUARRAY_PUBLIC int GpuConv_call(const GpuConv *c, ga_conv_part part,
                                 GpuArray *a, GpuArray *b, GpuArray *r);

#ifdef __cplusplus
}
#endif

#endif
