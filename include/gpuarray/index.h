/* SPDX-License-Identifier: BSD-2-Clause */
/** \file index.h
 *  Elements by number and by condition: take, gather, put, scatter, where.
 *
 *  Indices are integers of any width, in arrays of any rank and strides; they
 *  count from the end when negative. An index is good from -n to n - 1, where n
 *  is the size of the axis. With `check_error` a bad one is GA_VALUE_ERROR with
 *  the first of them and its position in C order in the message, and nothing
 *  has changed; this waits for the device. Without it nothing blocks: take and
 *  gather read the first or last row for a bad index, put and scatter leave it
 *  out.
 *
 *  All arrays are of one context and may have any strides, but what is written
 *  must not overlap what is read (GA_VALUE_ERROR). Arrays that a function
 *  initialises are all zeros after a failure.
 */
#ifndef GPUARRAY_INDEX_H
#define GPUARRAY_INDEX_H

#include <gpuarray/array.h>
#include <gpuarray/launch.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Take `a[..., index, ...]` along `axis` into a new array.
 *
 *  \param res initialised on success; C order; its sizes are those of `a` with
 *             that of `axis` replaced by the sizes of `index`; the caller
 *             clears it */
GPUARRAY_PUBLIC int GpuArray_take(GpuArray *res, const GpuArray *a,
                                  const GpuArray *index, unsigned int axis,
                                  int check_error);

/** Take, for each element of `index`, the element of `a` at the same place but
 *  for `axis`, where it is the one numbered by the index:
 *  `res[i, j] = a[index[i, j], j]` for axis 0.
 *
 *  \param res   initialised on success; C order; of the sizes of `index`; the
 *               caller clears it
 *  \param index of the sizes of `a`, but for `axis` */
GPUARRAY_PUBLIC int GpuArray_gather(GpuArray *res, const GpuArray *a,
                                    const GpuArray *index, unsigned int axis,
                                    int check_error);

/** What happens to the elements that indices name. */
typedef enum ga_put_op {
  GA_PUT_SET = 0, /**< the last value for an element stays */
  GA_PUT_ADD,     /**< values are added one after the other, in C order of their
                       indices: two runs give the same bits. Halfs round after
                       each addition; bools are or-ed. */
  GA_PUT_SET_ANY, /**< one of the values for an element stays */
  GA_PUT_ADD_ANY  /**< added in any order: on GPUs by atomic additions to 32-bit
                       integers, floats and, where the device has 64-bit
                       atomics, to 64-bit integers and doubles, complex numbers
                       part by part. As GA_PUT_ADD where that is faster: on
                       CPUs, and floats and doubles in rows of thousands. Other
                       dtypes as well. */
} ga_put_op;

/** Set or add to `a[..., index, ...]` along `axis`.
 *
 *  \param a     changed; writeable
 *  \param v     of a's dtype; its sizes are those that GpuArray_take() gives,
 *               or 1 where a value is for all, or missing in front */
GPUARRAY_PUBLIC int GpuArray_put(GpuArray *a, const GpuArray *index,
                                 const GpuArray *v, unsigned int axis,
                                 ga_put_op op, int check_error);

/** Set or add to the elements that GpuArray_gather() would take:
 *  `a[index[i, j], j] = v[i, j]` for axis 0.
 *
 *  \param v of a's dtype and the sizes of `index`, or 1, or missing */
GPUARRAY_PUBLIC int GpuArray_scatter(GpuArray *a, const GpuArray *index,
                                     const GpuArray *v, unsigned int axis,
                                     ga_put_op op, int check_error);

/** Choose element by element: `cond ? x : y`, into a new array.
 *
 *  \param res  initialised on success; C order; the caller clears it
 *  \param cond any dtype; NaN counts as true
 *  \param x,y  of one dtype, which is that of `res`; bits are kept
 *
 *  Sizes are equal or 1; missing ones in front count as 1. */
GPUARRAY_PUBLIC int GpuArray_where(GpuArray *res, const GpuArray *cond,
                                   const GpuArray *x, const GpuArray *y);

/** \name Prepared
 *  The same for one geometry, without a check of the indices; results are
 *  arrays of the caller's, of any strides. What is taken or gathered is
 *  converted to the dtype of the result. Slots: 0 what is written, 1 what is
 *  read, 2 the indices; of where: 0 `res`, 1 `cond`, 2 `x`, 3 `y`. */
/**@{*/
GPUARRAY_PUBLIC int GpuArray_take_prepare(GpuLaunch **out, GpuArray *res,
                                          const GpuArray *a,
                                          const GpuArray *index,
                                          unsigned int axis);
GPUARRAY_PUBLIC int GpuArray_gather_prepare(GpuLaunch **out, GpuArray *res,
                                            const GpuArray *a,
                                            const GpuArray *index,
                                            unsigned int axis);
GPUARRAY_PUBLIC int GpuArray_put_prepare(GpuLaunch **out, GpuArray *a,
                                         const GpuArray *index,
                                         const GpuArray *v, unsigned int axis,
                                         ga_put_op op);
GPUARRAY_PUBLIC int GpuArray_scatter_prepare(GpuLaunch **out, GpuArray *a,
                                             const GpuArray *index,
                                             const GpuArray *v,
                                             unsigned int axis, ga_put_op op);
GPUARRAY_PUBLIC int GpuArray_where_prepare(GpuLaunch **out, GpuArray *res,
                                           const GpuArray *cond,
                                           const GpuArray *x,
                                           const GpuArray *y);
/**@}*/

#ifdef __cplusplus
}
#endif

#endif
