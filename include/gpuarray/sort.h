/* SPDX-License-Identifier: BSD-2-Clause */
/** \file sort.h
 *  Sort along one axis: values, and the positions that they come from.
 *
 *  In ascending and in descending order, sorting is stable (equal elements stay
 *  in their order) and NaN comes last. -0 equals 0. Bools are sorted as 0 and
 *  1. Complex numbers are sorted by their real parts, then by their imaginary
 *  parts; behind them those whose imaginary part is NaN, then those whose real
 *  part is, then those of which both are, as in NumPy.
 */
#ifndef GPUARRAY_SORT_H
#define GPUARRAY_SORT_H

#include <gpuarray/array.h>
#include <gpuarray/launch.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Flags. */
enum {
  GA_SORT_DESCENDING = 1 /**< the largest element first */
};

/** Sort `src` along `axis`.
 *
 *  \param values  initialised on success: the elements in order; or NULL
 *  \param indices initialised on success: int64, the position of each of them
 *                 along the axis of `src`; or NULL
 *  \param flags   GA_SORT_DESCENDING, or 0
 *
 *  Results have the sizes of `src` and are in C order; the caller clears them.
 *  GA_VALUE_ERROR if both are NULL. Does not block. */
GPUARRAY_PUBLIC int GpuArray_sort(GpuArray *values, GpuArray *indices,
                                  const GpuArray *src, unsigned int axis,
                                  int flags);

/** Prepare a sort of real numbers (else GA_UNSUPPORTED_ERROR) for one geometry.
 *  The caller provides the results, with any strides, and frees *out. `values`
 *  has the dtype of `src`, `indices` is int64; one of them may be NULL. They
 *  must not overlap `src` or each other (GA_VALUE_ERROR). Slots: 0 `src`, 1
 *  `values`, 2 `indices`. */
GPUARRAY_PUBLIC int GpuArray_sort_prepare(GpuLaunch **out, GpuArray *values,
                                          GpuArray *indices,
                                          const GpuArray *src,
                                          unsigned int axis, int flags);

/** \name Composed of sorts
 *  Results are initialised on success and in C order; the caller clears them.
 *  Those that may be NULL are not computed then. Nothing blocks. */
/**@{*/
/** Sort keys, and n arrays of the same sizes along with them.
 *
 *  \param sorted  the keys in order; or NULL
 *  \param results n arrays: the elements of values[i] in the order of the keys
 *  \param values  of any dtypes
 *  \param flags   GA_SORT_DESCENDING, or 0
 *
 *  GA_VALUE_ERROR if sizes differ. */
GPUARRAY_PUBLIC int GpuArray_sort_by(GpuArray *sorted, unsigned int n,
                                     GpuArray *const *results,
                                     const GpuArray *keys,
                                     const GpuArray *const *values,
                                     unsigned int axis, int flags);
/** The positions (int64) along `axis` in the ascending order of n keys of the
 *  same sizes: by the last key, equal ones by the key before it, and so on, as
 *  numpy.lexsort. GA_VALUE_ERROR if there are no keys, or sizes differ. */
GPUARRAY_PUBLIC int GpuArray_lexsort(GpuArray *indices, unsigned int n,
                                     const GpuArray *const *keys,
                                     unsigned int axis);
/** The position (int64) of each element of `src` in the sorted axis: the number
 *  of elements that come before it. */
GPUARRAY_PUBLIC int GpuArray_rank(GpuArray *ranks, const GpuArray *src,
                                  unsigned int axis);
/**@}*/

/** \name Partitions
 *  The elements of some ranks, counted from 0, are where sorting puts them,
 *  with smaller ones before and larger ones behind: numpy.partition and
 *  numpy.argpartition. Rows of at most GA_PARTITION_SORTED elements are sorted,
 *  and all rows for more than GA_PARTITION_RANKS ranks. In other rows the
 *  elements of the ranks split the row: what is smaller than the first of them
 *  in order, what equals it, what is between it and the next one, and so on,
 *  each in the order of the row. So two runs give the same bits on all devices.
 *  GA_VALUE_ERROR if there are no ranks, or the axis has no such position. Else
 *  as GpuArray_sort; GpuArray_kth and GpuArray_topk find one element, or one
 *  side, faster. */
/**@{*/
enum {
  GA_PARTITION_SORTED = 4096, /**< the most elements of a row that is sorted */
  GA_PARTITION_RANKS = 4      /**< the most ranks that split rows */
};

GPUARRAY_PUBLIC int GpuArray_partition(GpuArray *values, GpuArray *indices,
                                       const GpuArray *src, size_t rank,
                                       unsigned int axis);
/** The same for n ranks, in any order. */
GPUARRAY_PUBLIC int
GpuArray_partition_ranks(GpuArray *values, GpuArray *indices,
                         const GpuArray *src, unsigned int n,
                         const size_t *ranks, unsigned int axis);
/** Prepare that, as GpuArray_sort_prepare. */
GPUARRAY_PUBLIC int
GpuArray_partition_prepare(GpuLaunch **out, GpuArray *values, GpuArray *indices,
                           const GpuArray *src, unsigned int n,
                           const size_t *ranks, unsigned int axis);
/**@}*/

#ifdef __cplusplus
}
#endif

#endif
