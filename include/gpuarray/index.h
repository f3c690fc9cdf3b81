/* SPDX-License-Identifier: BSD-2-Clause */
/** \file index.h
 *  Read and write elements by index or by condition: take, gather, put,
 *  scatter, where.
 *
 *  Indices are integers of any width, in arrays of any rank and strides;
 *  negative ones count from the end. An index is valid from -n to n - 1, where
 *  n is the size of the axis. With `check_error` an invalid index is
 *  GA_VALUE_ERROR, and nothing is changed; the message has the first one and
 *  its position in C order. This check blocks. Without it no call blocks: take
 *  and gather read the first or last row for an invalid index, put and scatter
 *  skip it, and a context that guards indices reports it later (index_guard.h).
 *  To select elements along an axis of size 0 is GA_VALUE_ERROR in any case.
 *
 *  All arrays belong to one context and may have any strides, but written
 *  arrays must not overlap others (GA_VALUE_ERROR). Arrays that a function
 *  initialises are zeroed after a failure.
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
 *  \param res initialised on success; C order; it has the sizes of `a`, but the
 *             sizes of `index` in place of that of `axis`; the caller clears
 *             it */
GPUARRAY_PUBLIC int GpuArray_take(GpuArray *res, const GpuArray *a,
                                  const GpuArray *index, unsigned int axis,
                                  int check_error);

/** Take, for each element of `index`, the element of `a` at the same position,
 *  except that the index replaces the position along `axis`: `res[i, j] =
 *  a[index[i, j], j]` for axis 0.
 *
 *  \param res   initialised on success; C order; it has the sizes of `index`;
 *               the caller clears it
 *  \param index has the sizes of `a`, except along `axis` */
GPUARRAY_PUBLIC int GpuArray_gather(GpuArray *res, const GpuArray *a,
                                    const GpuArray *index, unsigned int axis,
                                    int check_error);

/** What happens to the elements that the indices select. */
typedef enum ga_put_op {
  GA_PUT_SET = 0, /**< an element becomes its last value, in C order of the
                       indices */
  GA_PUT_ADD,     /**< values are added one after the other, in C order of their
                       indices, so two runs give the same bits. Narrow floats
                       are rounded after each addition; bools are or-ed. */
  GA_PUT_SET_ANY, /**< an element becomes any one of its values */
  GA_PUT_ADD_ANY, /**< values are added in any order. GPUs use atomic additions
                       for 32-bit integers and floats and, if the device has
                       64-bit atomics, for 64-bit integers and doubles; the
                       parts of complex numbers are added one by one. For other
                       dtypes, and where GA_PUT_ADD is faster (on CPUs, and for
                       floats and doubles in rows of thousands, or for many
                       values of each row), it is the same as GA_PUT_ADD. */
  GA_PUT_MUL,     /**< values are multiplied one after the other, in C order of
                       their indices; bools are and-ed */
  GA_PUT_MAX,     /**< the largest of the element and its values; NaN if one of
                       them is NaN. Complex numbers have no MUL, MAX and MIN
                       (GA_UNSUPPORTED_ERROR). GPUs use atomics for 32-bit
                       integers and floats; 0 is larger than -0 then, so two
                       runs give the same bits. Elsewhere the first of two
                       zeros stays. */
  GA_PUT_MIN      /**< the smallest of them; NaN if one is NaN */
} ga_put_op;

/** Set `a[..., index, ...]` along `axis`, or combine values with it.
 *
 *  \param a     changed; writeable
 *  \param v     of a's dtype; its sizes are those of the result of
 *               GpuArray_take(), or 1 where a value repeats; leading sizes may
 *               be missing */
GPUARRAY_PUBLIC int GpuArray_put(GpuArray *a, const GpuArray *index,
                                 const GpuArray *v, unsigned int axis,
                                 ga_put_op op, int check_error);

/** Set the elements that GpuArray_gather() takes, or combine values with them:
 *  `a[index[i, j], j] = v[i, j]` for axis 0.
 *
 *  \param v of a's dtype; broadcast to the sizes of `index` */
GPUARRAY_PUBLIC int GpuArray_scatter(GpuArray *a, const GpuArray *index,
                                     const GpuArray *v, unsigned int axis,
                                     ga_put_op op, int check_error);

/** Choose element by element: `cond ? x : y`, into a new array.
 *
 *  \param res  initialised on success; C order; the caller clears it
 *  \param cond any dtype; NaN counts as true
 *  \param x,y  of one dtype, that of `res`; elements are copied bit by bit
 *
 *  `cond`, `x` and `y` broadcast: sizes are equal or 1, and leading sizes that
 *  are missing count as 1. */
GPUARRAY_PUBLIC int GpuArray_where(GpuArray *res, const GpuArray *cond,
                                   const GpuArray *x, const GpuArray *y);

/** \name Prepared
 *  Prepare these functions for one geometry. The launches do not check indices.
 *  The caller provides the results, with any strides, and frees *out. Take and
 *  gather convert to the dtype of the result. Slots: 0 the array that is
 *  written, 1 the one that is read, 2 the indices. Slots of where: 0 `res`, 1
 *  `cond`, 2 `x`, 3 `y`. */
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

/** \name Arguments read by index
 *  GE_TAKE(axis) is a flag of an argument of GpuElemwise_new(), instead of
 *  GE_READ. The expression reads this array by index, as if it were a function:
 *  `x(i)` is the element of x at the current position, except that the integer
 *  i replaces the position along `axis`. So one kernel does what
 *  GpuArray_gather() does, and what is computed before and after it:
 *
 *      gpuelemwise_arg args[] = {{"z", GA_FLOAT, GE_WRITE},
 *                                {"x", GA_FLOAT, GE_TAKE(1)},
 *                                {"i", GA_INT, GE_READ}};
 *      GpuElemwise_new(ctx, NULL, "z = exp(x(i + 1))", 3, args, 2, 0);
 *
 *  The array has the rank of the others, and real elements or bools. Its size
 *  is arbitrary along the axis; along other axes it is that of the space or,
 *  with GE_BROADCAST, 1. Indices follow the rules above for calls without a
 *  check. If indices are guarded, the report has no position. Written arrays
 *  must not overlap the array. The first call reports mistakes in such an
 *  expression. */
/**@{*/
#define GE_TAKE(axis) (GE_TAKEN | (int)(axis) << 16)
#define GE_TAKEN 0x0040 /**< set in every GE_TAKE(axis) */
/**@}*/

#ifdef __cplusplus
}
#endif

#endif
