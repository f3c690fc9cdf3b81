/* SPDX-License-Identifier: BSD-2-Clause */
/** \file bincount.h
 *  Count elements by bin, or sum weights by bin: integers are bins themselves,
 *  or edges separate the bins.
 *
 *  Weights are summed in parts, which are added up in order, so two runs on a
 *  device give the same bits. Nothing is written for elements outside of the
 *  bins.
 */
#ifndef GPUARRAY_BINCOUNT_H
#define GPUARRAY_BINCOUNT_H

#include <gpuarray/array.h>
#include <gpuarray/launch.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Count the elements of x that are 0, 1, ... n - 1; others do not count.
 *
 *  \param res     initialised on success: a vector of n int64, or of the dtype
 *                 of the weights; the caller clears it
 *  \param x       integers or bools of any shape
 *  \param weights NULL, or of the shape of x, in float32, float64 or int64:
 *                 their sums instead of counts
 *
 *  GA_VALUE_ERROR if dtypes or sizes do not fit. Does not block. */
GPUARRAY_PUBLIC int GpuArray_bincount(GpuArray *res, const GpuArray *x,
                                      const GpuArray *weights, size_t n);

/** Count the elements of x between neighbours of m `edges`, a vector of at
 *  least one edge, of the dtype of x and ascending, which is checked only if
 *  indices are guarded (index_guard.h). Bin i has edges[i] <= x < edges[i + 1];
 *  the last one has elements that equal the last edge, too. NaN is in no bin.
 *  The result has m - 1 elements. Complex numbers have no order
 *  (GA_UNSUPPORTED_ERROR). Else as GpuArray_bincount. */
GPUARRAY_PUBLIC int GpuArray_histogram(GpuArray *res, const GpuArray *x,
                                       const GpuArray *edges,
                                       const GpuArray *weights);

/** GpuArray_histogram with n equal bins, as numpy.histogram with a number of
 *  bins.
 *
 *  \param edges   set to the n + 1 edges, in the dtype of x, float32 if that is
 *                 no float; or NULL
 *  \param range   two numbers, the first and the last edge; NULL: the smallest
 *                 and the largest element of x, which then has elements. Those
 *                 must be finite, or else results have no meaning. If both
 *                 ends are equal, bins reach from 0.5 below to 0.5 above.
 *
 *  x is compared in the dtype of the edges. GA_VALUE_ERROR for no bins, for a
 *  range that decreases or is not finite, and for neither elements nor a range.
 *  Does not block. */
GPUARRAY_PUBLIC int GpuArray_histogram_bins(GpuArray *res, GpuArray *edges,
                                            const GpuArray *x, size_t n,
                                            const double *range,
                                            const GpuArray *weights);

/** Prepare counts for one geometry. The caller provides the result, with any
 *  stride, and frees *out; its size is the number of bins. It must not overlap
 *  the operands. Slots: 0 x, 1 `weights`, 2 `edges`, 3 the result. */
GPUARRAY_PUBLIC int GpuArray_bincount_prepare(GpuLaunch **out, GpuArray *res,
                                              const GpuArray *x,
                                              const GpuArray *weights);
GPUARRAY_PUBLIC int GpuArray_histogram_prepare(GpuLaunch **out, GpuArray *res,
                                               const GpuArray *x,
                                               const GpuArray *edges,
                                               const GpuArray *weights);

#ifdef __cplusplus
}
#endif

#endif
