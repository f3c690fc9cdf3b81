/* SPDX-License-Identifier: BSD-2-Clause */
/** \file pooling.h
 *  Pooling and resizing: each element of the result is made of a window of the
 *  source, which is a product of windows along 1, 2 or 3 axes.
 *
 *  A GpuBand describes the windows along one axis. It is a matrix in which each
 *  row has few elements, side by side. Means over windows, interpolation and
 *  their gradients are sums with the weights of bands; the bands of a gradient
 *  are the transposed ones.
 */
#ifndef GPUARRAY_POOLING_H
#define GPUARRAY_POOLING_H

#include <gpuarray/launch.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GA_POOLING_ND 3 /**< most axes with windows */

/* --- bands --- */

/** The windows along one axis. Window o has the elements first[o] + k * step of
 *  the source, for each k below count[o]. Set all members to 0, or let one of
 *  the functions below fill them; GpuBand_clear frees what those allocate. */
typedef struct GpuBand {
  size_t from, n;  /**< elements of the source, and of the result; at most
                       INT_MAX / 4 */
  size_t step;     /**< at least 1 */
  size_t most;     /**< the largest count, or more, up to INT_MAX / 4 */
  int32_t *first;  /**< n positions; not used where the count is 0 */
  int32_t *count;  /**< n counts, 0 for windows outside of the source */
  double *weights; /**< [most][n]; NULL: all are 1 */
} GpuBand;

/** Free the lists of a band; accepts one whose members are 0. */
GPUARRAY_PUBLIC void GpuBand_clear(GpuBand *b);

/** Make the transposed band, that of the gradient. `out` is not `b`. On failure
 *  *out is empty. */
GPUARRAY_PUBLIC int GpuBand_transpose(GpuBand *out, const GpuBand *b);

/** Flags of a GpuPooling. */
enum {
  /** Sizes are rounded up: there is one more window where the last one does not
   *  reach the end, unless it would begin in the padding behind the source. */
  GA_POOLING_CEIL = 1,
  /** Means divide by the elements of a window that lie in the padding, too. */
  GA_POOLING_COUNT_PADDING = 2,
  /** `size` has the sizes of the result, and window o of n is all elements from
   *  floor(o x / n) to ceil((o + 1) x / n). Other members are not used. */
  GA_POOLING_ADAPTIVE = 4,
  /** Means divide by `size` in any case: they are sums up to a factor. */
  GA_POOLING_COUNT_ALL = 8
};

/** The geometry of pooling. Only the first `nd` elements of each list count. */
typedef struct GpuPooling {
  unsigned int nd;                /**< axes with windows: 1, 2 or 3 */
  size_t size[GA_POOLING_ND];     /**< elements of a window; at least 1 */
  size_t stride[GA_POOLING_ND];   /**< positions from window to window; at least
                                    1 */
  size_t dilation[GA_POOLING_ND]; /**< positions from element to element of a
                                    window; at least 1 */
  size_t before[GA_POOLING_ND];   /**< padding in front, which counts for no
                                    maximum and as zeros in means */
  size_t after[GA_POOLING_ND];    /**< padding behind */
  int flags;                      /**< GA_POOLING_CEIL ... */
} GpuPooling;

/** Set *y to the size of the result along axis `dim` of the pooled ones, where
 *  the source has size `x`: (x + before + after - (size - 1) dilation - 1) /
 *  stride + 1, rounded down, or up with GA_POOLING_CEIL. GA_VALUE_ERROR for a
 *  geometry that is not valid, for windows that are larger than the padded
 *  source, and for sizes above INT_MAX / 4. */
GPUARRAY_PUBLIC int GpuPooling_size(size_t *y, const GpuPooling *p,
                                    unsigned int dim, size_t x);

/** Make the band of axis `dim` for a source of size `x`, with the weights of a
 *  mean if `is_mean`. Errors as for GpuPooling_size, and GA_MEMORY_ERROR. On
 *  failure *out is empty. */
GPUARRAY_PUBLIC int GpuBand_pool(GpuBand *out, const GpuPooling *p,
                                 unsigned int dim, size_t x, int is_mean);

/** What a resized element is made of. */
typedef enum ga_resize_mode {
  GA_RESIZE_NEAREST = 0,
  GA_RESIZE_LINEAR, /**< of 2 neighbours */
  GA_RESIZE_CUBIC   /**< of 4 neighbours */
} ga_resize_mode;

/** The position in the source that belongs to position o of the result, where s
 *  is the scale, x the size of the source and y = s x. */
typedef enum ga_resize_rule {
  GA_RESIZE_HALF_PIXEL = 0,       /**< (o + 0.5) / s - 0.5 */
  GA_RESIZE_HALF_PIXEL_SYMMETRIC, /**< the same, moved by x / 2 (1 - n / y),
                                       for n elements of the result */
  GA_RESIZE_HALF_PIXEL_ONE, /**< the same as HALF_PIXEL; 0 if the result has
                                 one element ("pytorch_half_pixel") */
  GA_RESIZE_ALIGN_CORNERS,  /**< o (x - 1) / (y - 1) */
  GA_RESIZE_ASYMMETRIC,     /**< o / s */
  GA_RESIZE_CROP /**< from start (x - 1) to end (x - 1); elements outside of the
                      source are 0 ("tf_crop_and_resize") */
} ga_resize_rule;

/** How GA_RESIZE_NEAREST rounds a position. */
typedef enum ga_resize_round {
  GA_RESIZE_ROUND_DOWN = 0, /**< to the nearest; halves down */
  GA_RESIZE_ROUND_UP,       /**< to the nearest; halves up */
  GA_RESIZE_FLOOR,
  GA_RESIZE_CEIL
} ga_resize_round;

/** How to resize along one axis. */
typedef struct GpuResize {
  ga_resize_mode mode;
  ga_resize_rule rule;
  ga_resize_round round; /**< for GA_RESIZE_NEAREST */
  int antialias; /**< nonzero: where the result is smaller, windows grow with 1
                      / s; not for GA_RESIZE_NEAREST */
  int exclude_outside; /**< nonzero: neighbours outside of the source get no
                            weight, and the others sum up to 1. Else the element
                            at the border stands for them. */
  double cubic;        /**< the coefficient of GA_RESIZE_CUBIC, such as -0.75 */
  double scale;        /**< s; 0: the quotient of the sizes */
  double start, end;   /**< for GA_RESIZE_CROP */
} GpuResize;

/** Make the band that resizes `x` elements to `n`. GA_VALUE_ERROR for members
 *  that are not valid, sizes above INT_MAX / 4, and an empty source of a result
 *  that is not empty. On failure *out is empty. */
GPUARRAY_PUBLIC int GpuBand_resize(GpuBand *out, const GpuResize *r, size_t x,
                                   size_t n);

/* --- arrays --- */

/** What is made of the elements of a window. */
typedef enum ga_pool_op {
  GA_POOLING_SUM =
      0,          /**< their sum with the weights of the bands, 0 for an empty
                        window. Weights are for floats alone. */
  GA_POOLING_MAX, /**< the largest, and NaN if one is NaN. An empty window gives
                        -infinity or the least integer. Weights are not
                        used. */
  GA_POOLING_PICK /**< the sum of those whose index is that of the result's
                    element: the gradient of GA_POOLING_MAX, where bands are the
                    transposed ones. Floats alone. */
} ga_pool_op;

/** Prepare a launch for the last `n` axes of x; the other axes are those of a
 *  batch. Nothing is enqueued but copies of the bands.
 *
 *  \param out   the launch, which the caller frees; NULL after a failure
 *  \param n     1 to 3
 *  \param bands one for each of the last n axes; read before the call returns
 *  \param x     the source: any real dtype and any strides that are multiples
 *               of its element's size. half and bfloat are worked with as
 *               float32.
 *  \param index int64. GA_POOLING_MAX: NULL, or a second result: where the
 *               first of the largest elements, or the first NaN, is, counted in
 *               C order over the last n axes of x; -1 for an empty window.
 *               GA_POOLING_PICK: has the sizes of x, and indices count over the
 *               last n axes of y. GA_POOLING_SUM: NULL.
 *  \param y     the result, of the rank and the dtype of x; GA_POOLING_MAX
 *               accepts NULL if there are indices
 *
 *  Slots: x, index, y. Results may not overlap each other or a source. To pool
 *  an array whose channels lie last in memory, pass a view.
 *
 *  GA_VALUE_ERROR for bands, sizes, ranks and dtypes that do not fit, and for
 *  overlaps; GA_INVALID_ERROR for missing arrays; GA_UNSUPPORTED_ERROR for
 *  dtypes that the operation does not have; GA_COPY_ERROR for strides;
 *  GA_UNALIGNED_ERROR; GA_READONLY_ERROR; GA_DEVSUP_ERROR if the device has no
 *  float64. */
GPUARRAY_PUBLIC int GpuPooling_prepare(GpuLaunch **out, ga_pool_op op,
                                       unsigned int n, const GpuBand *bands,
                                       GpuArray *x, GpuArray *index,
                                       GpuArray *y);

/** Prepare a launch that computes what windows read with the map e->front, and
 *  passes its results to the epilogue `e` instead of storing them.
 *
 *  \param x    the source; with e->front only its dtype and its sizes count,
 *              and it needs no memory
 *  \param index as above; a second result of GA_POOLING_MAX is stored as it is
 *  \param args e->n_args pointers: GpuArray * of the rank of x, each size that
 *              of the result or, if it is only read, 1; any strides that are
 *              multiples of the element's size; or for GE_SCALAR a pointer to
 *              the value, read before the call returns. After them those of
 *              e->front, with the sizes of the source or 1.
 *
 *  The map is computed for each window that has an element, so it should be
 *  cheap where windows overlap. Slots: x, index, an unused one, then the
 *  arguments. A result may be the same array as an argument of `e` that is
 *  read; other overlaps are GA_VALUE_ERROR. Other errors as above. */
GPUARRAY_PUBLIC int
GpuPooling_epilogue_prepare(GpuLaunch **out, ga_pool_op op, unsigned int n,
                            const GpuBand *bands, GpuArray *x, GpuArray *index,
                            const GpuEpilogue *e, void **args);

/** Prepare a launch and enqueue it. Does not wait for the result. Errors as for
 *  GpuPooling_prepare. */
GPUARRAY_PUBLIC int GpuPooling_call(ga_pool_op op, unsigned int n,
                                    const GpuBand *bands, GpuArray *x,
                                    GpuArray *index, GpuArray *y);

#ifdef __cplusplus
}
#endif

#endif
