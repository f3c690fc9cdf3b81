/* SPDX-License-Identifier: BSD-2-Clause */
/** \file gather.h
 *  Gather and scatter: elements by index. gg_take, gg_take_axis, gg_put and
 *  gg_put_add of ops.h do the same with whole slices.
 *
 *  Indices are integers of any width. Negative ones count from the end. Where
 *  elements are read, indices out of range are clamped; where they are written,
 *  they are ignored. A function with GG_BOUNDS_GUARD or GG_INDEX_GUARD fails
 *  instead (func.h).
 *
 *  What is put is combined with an element value by value, in C order of the
 *  indices, so two runs give the same bits. Extrema of NaN are NaN. On error
 *  every function returns NULL and leaves the reason in the graph.
 *
 *  In a function, reading elements by index costs no kernel of its own if a map
 *  follows that reads the result, or if a map computes the indices:
 *  exp(take_along(x, i + 1)) * y is one kernel. Whole rows are copied by a
 *  kernel for that, and so are elements, on a CPU, of an array that is known to
 *  exceed the caches.
 */
#ifndef GPUGRAPH_GATHER_H
#define GPUGRAPH_GATHER_H

#include <gpugraph/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What putting a value does to an element. The gradient of an extremum goes in
 *  equal parts to all that are equal to it. The gradient of SET for the values
 *  is correct only if no index repeats. */
typedef enum gg_put_op {
  GG_PUT_SET = 0, /**< the last value counts */
  GG_PUT_ADD,     /**< bools are or-ed */
  GG_PUT_MUL,     /**< bools are and-ed */
  GG_PUT_MAX,
  GG_PUT_MIN
} gg_put_op;

/** For each index the element of x at the same position, except that the index
 *  replaces the position along `axis`: x[index[i, j], j] for axis 0. This is
 *  numpy.take_along_axis, torch.gather and GatherElements of ONNX.
 *
 *  \param index of the rank of x. Along the other axes x and the indices
 *               broadcast: a size that is known to be 1 repeats. */
GG_PUBLIC gg_var *gg_take_along(gg_var *x, int axis, gg_var *index);

/** x with v at the elements that gg_take_along reads, as
 *  numpy.put_along_axis, torch.scatter_reduce and ScatterElements of ONNX.
 *
 *  \param index of the rank of x, broadcast to it along the other axes
 *  \param v     broadcast to the shape of what gg_take_along reads, and cast to
 *               the dtype of x */
GG_PUBLIC gg_var *gg_put_along(gg_var *x, int axis, gg_var *index, gg_var *v,
                               gg_put_op how);

/** The elements or slices of x that tuples of indices select, as GatherND of
 *  ONNX: x[i, j, ...] for each tuple (i, j, ...) along the last axis of
 *  `index`. The result has the other axes of `index`, then those axes of x that
 *  the tuples leave.
 *
 *  \param index      its last size is known
 *  \param batch_dims how many leading axes x and `index` have in common; the
 *                    tuples are for the axes after them
 *
 *  Where the tuples have more than one index, messages about one that is out of
 *  range have the size of all those axes together. */
GG_PUBLIC gg_var *gg_gather_nd(gg_var *x, gg_var *index,
                               unsigned int batch_dims);
/** x with v put at the elements or slices that gg_gather_nd reads, as ScatterND
 *  of ONNX.
 *
 *  \param v of the shape of what is read, or a scalar; cast to the dtype of
 *           x */
GG_PUBLIC gg_var *gg_scatter_nd(gg_var *x, gg_var *index, gg_var *v,
                                gg_put_op how);

/** gg_put with a choice of what is done. */
GG_PUBLIC gg_var *gg_put_with(gg_var *x, int axis, gg_var *index, gg_var *v,
                              gg_put_op how);

#ifdef __cplusplus
}
#endif

#endif
