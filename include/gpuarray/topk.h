/* SPDX-License-Identifier: BSD-2-Clause */
/** \file topk.h
 *  Select by order along one axis: the first k elements, or the element of one
 *  rank, without sorting the row.
 *
 *  NaN counts as larger than all other elements, as NumPy and PyTorch sort it,
 *  and -0 equals 0. Of equal elements, those with lower positions are selected,
 *  and come first. Bools are 0 and 1. Complex numbers have no order
 *  (GA_UNSUPPORTED_ERROR). Two runs give the same bits.
 */
#ifndef GPUARRAY_TOPK_H
#define GPUARRAY_TOPK_H

#include <gpuarray/array.h>
#include <gpuarray/launch.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Flags. */
enum {
  GA_TOPK_SMALLEST = 1, /**< the smallest elements instead of the largest */
  GA_TOPK_UNSORTED = 2  /**< in an order that depends only on the elements,
                             but need not be sorted; faster */
};

/** Select the k largest elements of `src` along `axis`, the largest first.
 *
 *  \param values  initialised on success: the elements; or NULL
 *  \param indices initialised on success: int64, their positions along the axis
 *                 of `src`; or NULL
 *  \param k       at most the size of the axis (GA_VALUE_ERROR)
 *  \param flags   of GA_TOPK_SMALLEST and GA_TOPK_UNSORTED
 *
 *  Results have size k along the axis and are in C order; the caller clears
 *  them. GA_VALUE_ERROR if both are NULL. Does not block. */
GPUARRAY_PUBLIC int GpuArray_topk(GpuArray *values, GpuArray *indices,
                                  const GpuArray *src, size_t k,
                                  unsigned int axis, int flags);

/** Prepare that for one geometry. The caller provides the results, with any
 *  strides, and frees *out; their size along the axis is k. `values` has the
 *  dtype of `src`, `indices` is int64; one of them may be NULL. They must not
 *  overlap `src` or each other (GA_VALUE_ERROR). Slots: 0 `src`, 1 `values`,
 *  2 `indices`. */
GPUARRAY_PUBLIC int GpuArray_topk_prepare(GpuLaunch **out, GpuArray *values,
                                          GpuArray *indices,
                                          const GpuArray *src,
                                          unsigned int axis, int flags);

/** Select the element that a stable ascending sort puts at position `rank`,
 *  from 0; NaN comes last. Results have size 1 along the axis. GA_VALUE_ERROR
 *  if the axis has no such position. Else as GpuArray_topk. */
GPUARRAY_PUBLIC int GpuArray_kth(GpuArray *values, GpuArray *indices,
                                 const GpuArray *src, size_t rank,
                                 unsigned int axis);

/** Prepare that, as GpuArray_topk_prepare. */
GPUARRAY_PUBLIC int GpuArray_kth_prepare(GpuLaunch **out, GpuArray *values,
                                         GpuArray *indices, const GpuArray *src,
                                         size_t rank, unsigned int axis);

/** What a quantile is that falls between two elements a and b, for numpy's
 *  parameter `method`. */
typedef enum ga_quantile_method {
  GA_QUANTILE_LINEAR = 0, /**< a + t (b - a) for the part t of the way */
  GA_QUANTILE_LOWER,      /**< a */
  GA_QUANTILE_HIGHER,     /**< b */
  GA_QUANTILE_NEAREST,    /**< the nearer one; halfway, that of even rank */
  GA_QUANTILE_MIDPOINT    /**< their mean */
} ga_quantile_method;

/** The element of `src` at the rank q (n - 1) of n along `axis`, which the
 *  result does not have: numpy.quantile. NaN if there is one along the axis.
 *
 *  \param res initialised on success, in C order; the caller clears it. LINEAR
 *             and MIDPOINT give floats: float64 for integers of 64 bits,
 *             float32 for other integers and bools; the other methods have the
 *             dtype of `src`
 *  \param q   from 0 to 1 (GA_VALUE_ERROR)
 *
 *  GA_VALUE_ERROR if the axis is empty. Does not block. */
GPUARRAY_PUBLIC int GpuArray_quantile(GpuArray *res, const GpuArray *src,
                                      double q, unsigned int axis,
                                      ga_quantile_method method);
/** GpuArray_quantile of 0.5 with GA_QUANTILE_MIDPOINT: numpy.median. */
GPUARRAY_PUBLIC int GpuArray_median(GpuArray *res, const GpuArray *src,
                                    unsigned int axis);

#ifdef __cplusplus
}
#endif

#endif
