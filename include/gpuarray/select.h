/* SPDX-License-Identifier: BSD-2-Clause */
/** \file select.h
 *  Select elements: positions of those that are not 0, elements under a mask,
 *  distinct elements, runs of equal elements.
 *
 *  The number of selected elements depends on the data. Calls that allocate
 *  results of this size wait once, for the count. Prepared launches never wait:
 *  the caller gives a bound, rows after the last one get a fill value, and the
 *  count stays on the device.
 *
 *  An element is selected if it is not 0. NaN is, -0.0 is not. Results are in
 *  the C order of the operand.
 */
#ifndef GPUARRAY_SELECT_H
#define GPUARRAY_SELECT_H

#include <gpuarray/array.h>
#include <gpuarray/launch.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Find the elements of x that are not 0.
 *
 *  \param positions initialised on success: int64, [count, x->nd]: the
 *                   coordinates of each; C order; the caller clears it
 *
 *  Blocks. */
GPUARRAY_PUBLIC int GpuArray_nonzero(GpuArray *positions, const GpuArray *x);

/** Take `x[mask]`: the elements, or rows, of x for which the mask is not 0.
 *
 *  \param res  initialised on success: [count, ...]; C order; the caller clears
 *              it
 *  \param mask any dtype and at least one dimension; its sizes are the leading
 *              sizes of x; axes of x behind them stay
 *
 *  Blocks. */
GPUARRAY_PUBLIC int GpuArray_compress(GpuArray *res, const GpuArray *x,
                                      const GpuArray *mask);

/** Find the distinct elements of x, in ascending order.
 *
 *  \param values  initialised on success: [count], of x's dtype
 *  \param first   the position in x, in C order, of the first element that
 *                 equals each; int64, [count]
 *  \param inverse for each element of x, in C order, the position of its equal
 *                 among `values`; int64, [elements of x]
 *  \param counts  how many elements of x equal each; int64, [count]
 *
 *  Each result may be NULL; the caller clears the others. All NaN are one
 *  element, which comes last. -0 equals 0; the value is the first of the equal
 *  elements. Complex numbers have the order of GpuArray_sort; those with a NaN
 *  are one element. Blocks. */
GPUARRAY_PUBLIC int GpuArray_unique(GpuArray *values, GpuArray *first,
                                    GpuArray *inverse, GpuArray *counts,
                                    const GpuArray *x);

/** Find the runs of equal neighbours in x, in C order.
 *
 *  \param values  initialised on success: [count], an element of each run
 *  \param starts  the position of its first element; int64, [count]
 *  \param lengths its number of elements; int64, [count]
 *
 *  Each result may be NULL; the caller clears the others. NaN equals NaN and -0
 *  equals 0 here; the value is the first element of its run. Blocks. */
GPUARRAY_PUBLIC int GpuArray_run_lengths(GpuArray *values, GpuArray *starts,
                                         GpuArray *lengths, const GpuArray *x);

/** \name Sets
 *  Operands are any arrays of one dtype (GA_VALUE_ERROR). `res` is initialised
 *  on success: a vector of distinct elements in ascending order; the caller
 *  clears it. NaN equals no element, so that one NaN of `a` is in the
 *  difference. These calls block. */
/**@{*/
GPUARRAY_PUBLIC int GpuArray_union(GpuArray *res, const GpuArray *a,
                                   const GpuArray *b);
GPUARRAY_PUBLIC int GpuArray_intersection(GpuArray *res, const GpuArray *a,
                                          const GpuArray *b);
GPUARRAY_PUBLIC int GpuArray_difference(GpuArray *res, const GpuArray *a,
                                        const GpuArray *b); /**< in a, not b */
/** Whether each element of x is in `set`: bool, with the sizes of x. Does not
 *  block. */
GPUARRAY_PUBLIC int GpuArray_is_member(GpuArray *res, const GpuArray *x,
                                       const GpuArray *set);
/**@}*/

/** \name Prepared, with a bound
 *  Arrays are C contiguous, else GA_COPY_ERROR; written ones must not overlap
 *  others (GA_VALUE_ERROR). `count` is int64 without dimensions, or
 *  NULL; it gets the number of elements that count, also if that exceeds the
 *  rows of the result. Then the first ones are kept. The caller frees *out.
 *  Does not block. */
/**@{*/
/** The positions of the elements of x that are not 0.
 *
 *  \param positions int64; [rows] for positions in C order, or [rows, x->nd]
 *                   for coordinates
 *  \param fill      for rows after the last one
 *
 *  Slots: 0 `positions`, 1 `count`, 2 `x`. */
GPUARRAY_PUBLIC int GpuArray_nonzero_prepare(GpuLaunch **out,
                                             GpuArray *positions,
                                             GpuArray *count, const GpuArray *x,
                                             int64_t fill);
/** The elements of x for which the mask is not 0.
 *
 *  \param res  [rows], of x's dtype
 *  \param mask has the sizes of x
 *  \param fill one element, for rows after the last one; NULL: 0
 *
 *  Slots: 0 `res`, 1 `count`, 2 `x`, 3 `mask`. */
GPUARRAY_PUBLIC int GpuArray_compress_prepare(GpuLaunch **out, GpuArray *res,
                                              GpuArray *count,
                                              const GpuArray *x,
                                              const GpuArray *mask,
                                              const void *fill);
/**@}*/

#ifdef __cplusplus
}
#endif

#endif
