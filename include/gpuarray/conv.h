/* SPDX-License-Identifier: BSD-2-Clause */
/** \file conv.h
 *  Convolutions of arrays with filters, in 1, 2 or 3 dimensions, and their
 *  gradients.
 *
 *  y[n, f, o] = sum over c, k of
 *               w[f, c, k] * x[n, c, o * stride + k * dilation - before]
 *
 *  Elements outside of x count as zero. x is [images, channels, sizes...], w is
 *  [filters, channels of a group, sizes...], and y is [images, filters,
 *  sizes...]. With groups, each group of filters reads its own part of the
 *  channels. All three arrays have one dtype, GA_HALF, GA_BFLOAT, GA_FLOAT or
 *  GA_DOUBLE, and lie in one context. Their strides are any multiples of the
 *  element's size: an array whose channels lie last in memory needs no copy,
 *  only a view. There are at most INT_MAX images, channels and filters, each;
 *  without images or filters y is empty.
 *  Narrow floats are summed as float32. Two runs on a device give the same
 *  bits.
 */
#ifndef GPUARRAY_CONV_H
#define GPUARRAY_CONV_H

#include <gpuarray/launch.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GA_CONV_ND 3 /**< most spatial dimensions */

/** The geometry of a convolution. Only the first `nd` elements of each list
 *  count. A stride, a dilation and a padding are at most INT_MAX / 4. */
typedef struct GpuConv {
  unsigned int nd;             /**< spatial dimensions: 1, 2 or 3 */
  size_t stride[GA_CONV_ND];   /**< positions from window to window; at least
                                    1 */
  size_t dilation[GA_CONV_ND]; /**< positions from element to element of a
                                    window; at least 1 */
  size_t before[GA_CONV_ND];   /**< zeros in front of each dimension */
  size_t after[GA_CONV_ND];    /**< zeros behind each dimension */
  size_t groups;               /**< at least 1 */
  int flip; /**< nonzero: filters are read backwards in each spatial dimension,
                 as the mathematical definition says */
} GpuConv;

/** Which of the three arrays is computed from the other two. */
typedef enum ga_conv_part {
  GA_CONV_FORWARD, /**< y from x and w */
  GA_CONV_INPUT,  /**< the gradient by x from the gradient by y and from w, also
                        known as transposed convolution */
  GA_CONV_FILTERS /**< the gradient by w from x and from the gradient by y */
} ga_conv_part;

/** Set *y to the size of a result along spatial dimension `dim`, where the
 *  input has size `x` and the filters size `w`: (x + before + after -
 *  (w - 1) * dilation - 1) / stride + 1, rounded down. GA_INVALID_ERROR if `c`
 *  is NULL. GA_VALUE_ERROR if `dim` is not below c->nd, if c->nd exceeds 3, if
 *  the filters are empty or span more than the padded input, if a stride or
 *  dilation is 0, and if x, the span of the filters or a member of `c` exceeds
 *  INT_MAX / 4. */
GPUARRAY_PUBLIC int GpuConv_size(size_t *y, const GpuConv *c, unsigned int dim,
                                 size_t x, size_t w);

/** Paddings by name. The span of a filter of size w is (w - 1) * dilation +
 *  1. */
typedef enum ga_conv_padding {
  GA_CONV_VALID, /**< none: windows lie inside of the input */
  GA_CONV_HALF,  /**< half of the span, rounded down, on both sides: for odd
                      spans and stride 1 the result has the input's size */
  GA_CONV_FULL,  /**< the span less 1, on both sides: all windows that reach
                      the input */
  GA_CONV_SAME,  /**< as much as gives a result of the input's size divided by
                      the stride, rounded up; an odd zero is behind */
  GA_CONV_PADDINGS
} ga_conv_padding;

/** Set c->before and c->after of each dimension from the other members of `c`
 *  and the sizes `w` of the filters, [nd]. The sizes `x` of the input, [nd],
 *  may be NULL unless `how` is GA_CONV_SAME and a stride is above 1. On error
 *  `c` keeps its padding: GA_INVALID_ERROR if `c`, `w` or an `x` that is needed
 *  is NULL, GA_VALUE_ERROR for an unknown name, a wrong `nd`, filters of size
 *  0, strides and dilations that are 0, and what exceeds INT_MAX / 4. */
GPUARRAY_PUBLIC int GpuConv_pad(GpuConv *c, ga_conv_padding how,
                                const size_t *w, const size_t *x);

/** Prepare a convolution or one of its gradients. Nothing is enqueued, unless
 *  the environment asks to measure which algorithm is the fastest
 *  (docs/environment.md); then the first call for a geometry blocks.
 *
 *  \param out  the launch, which the caller frees; NULL after a failure
 *  \param a,b  the operands. GA_CONV_FORWARD: x and w; GA_CONV_INPUT: the
 *              gradient by y, and w; GA_CONV_FILTERS: x, and the gradient by y
 *  \param r    the result. Its sizes must fit those of the operands. For
 *              GA_CONV_INPUT, they decide how many elements behind the last
 *              window get zeros ("output padding"). With an epilogue, only its
 *              rank and sizes are read, and nothing is written to it.
 *  \param e    an epilogue without a `sum` (launch.h), or NULL
 *  \param args arguments of the epilogue: as for products, with the rank and
 *              the sizes of the result
 *
 *  Slots: a, b, r (unused with an epilogue), then the arguments of the
 *  epilogue. Neither the result nor a written argument may overlap an
 *  operand.
 *
 *  GA_VALUE_ERROR for sizes, ranks or geometries that do not fit, different
 *  dtypes or contexts, and overlaps; GA_INVALID_ERROR for missing arrays, and
 *  for operands that are not of one of the dtypes above; GA_COPY_ERROR for
 *  strides that are no multiples of the element's size; GA_READONLY_ERROR for a
 *  result that is not writeable; GA_DEVSUP_ERROR for a dtype that the device
 *  does not have, and for too many arguments.
 *
 *  Workspaces: at most two copies of w (for GA_CONV_FILTERS: of the gradient by
 *  y), one of them as it is worked with. CPUs add one copy of the result, also
 *  as it is worked with, for narrow floats or with an epilogue. Devices that
 *  cut long sums into parts add one copy of the result for each part: at most
 *  128. Large convolutions of 3 x 3 elements with stride and dilation 1, and
 *  their gradients by input, are computed by Winograd's algorithm, whose
 *  rounding errors are up to 8 times as large: float32 and float64 on GPUs,
 *  float32 on CPUs. GPUs add four times the memory of w, and up to 256 MiB (or
 *  that of 128 tiles of 4 x 4 elements of y, if it is more). CPUs add at most
 *  four times the memory of w (more for few channels), and 4 MiB for each
 *  core. On NVIDIA's GPUs, narrow floats whose channels lie last in memory and
 *  are no multiple of 8 may add a copy of x with at most four times as many
 *  channels, and up to 256 MiB. */
GPUARRAY_PUBLIC int GpuConv_prepare(GpuLaunch **out, const GpuConv *c,
                                    ga_conv_part part, GpuArray *a, GpuArray *b,
                                    GpuArray *r, const GpuEpilogue *e,
                                    void **args);

/** Prepare a convolution without an epilogue, and enqueue it. Does not wait for
 *  the result. Errors as for GpuConv_prepare. */
GPUARRAY_PUBLIC int GpuConv_call(const GpuConv *c, ga_conv_part part,
                                 GpuArray *a, GpuArray *b, GpuArray *r);

#ifdef __cplusplus
}
#endif

#endif
