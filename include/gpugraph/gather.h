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
 *  Values are put one after the other, in C order of their indices, so two runs
 *  give the same bits. Extrema of NaN are NaN. On error every function returns
 *  NULL and leaves the reason in the graph.
 *
 *  In a function, reading elements by index needs no kernel of its own if a map
 *  reads the result or computes the indices: exp(take_along(x, i + 1)) * y is
 *  one kernel. A kernel of its own copies whole rows and, on a CPU, the
 *  elements of an array that is known to exceed the caches.
 */
#ifndef GPUGRAPH_GATHER_H
#define GPUGRAPH_GATHER_H

#include <gpugraph/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What putting a value does to an element. All values and elements that equal
 *  an extremum get equal parts of its gradient. The gradient of SET for the
 *  values is correct only if no index repeats. Gradients for values whose index
 *  is out of range are 0. */
typedef enum gg_put_op {
  GG_PUT_SET = 0, /**< an element becomes its last value */
  GG_PUT_ADD,     /**< bools are or-ed */
  GG_PUT_MUL,     /**< bools are and-ed */
  GG_PUT_MAX,
  GG_PUT_MIN
} gg_put_op;

/** Read, for each index, the element of x at the same position, except that the
 *  index replaces the position along `axis`: x[index[i, j], j] for axis 0. This
 *  is numpy.take_along_axis, torch.gather and GatherElements of ONNX.
 *
 *  \param index has the rank of x. x and the indices broadcast along the other
 *               axes: an array repeats where its size is known to be 1. */
GG_PUBLIC gg_var *gg_take_along(gg_var *x, int axis, gg_var *index);

/** x with v put at the elements that gg_take_along reads. This is
 *  numpy.put_along_axis, torch.scatter_reduce and ScatterElements of ONNX.
 *
 *  \param index has the rank of x; broadcast to x along the other axes
 *  \param v     broadcast to the shape of what gg_take_along reads, and cast to
 *               the dtype of x */
GG_PUBLIC gg_var *gg_put_along(gg_var *x, int axis, gg_var *index, gg_var *v,
                               gg_put_op how);

/** Read the elements or slices of x that tuples of indices select, as GatherND
 *  of ONNX: x[i, j, ...] for each tuple (i, j, ...) along the last axis of
 *  `index`. The result has the other axes of `index`, and then the axes of x
 *  that the tuples do not index.
 *
 *  \param index      its last size is known
 *  \param batch_dims how many leading axes x and `index` have in common; the
 *                    tuples index the axes after them
 *
 *  Tuples of several indices become one index along the joined axes, whose size
 *  is the product of theirs. Where an index is out of range, the last element
 *  or slice is read, and messages have the index and the size of the joined
 *  axis. */
GG_PUBLIC gg_var *gg_gather_nd(gg_var *x, gg_var *index,
                               unsigned int batch_dims);
/** x with v put at the elements or slices that gg_gather_nd reads, as ScatterND
 *  of ONNX.
 *
 *  \param v of the shape of what gg_gather_nd reads, or a scalar; cast to the
 *           dtype of x */
GG_PUBLIC gg_var *gg_scatter_nd(gg_var *x, gg_var *index, gg_var *v,
                                gg_put_op how);

/** gg_put with any gg_put_op. */
GG_PUBLIC gg_var *gg_put_with(gg_var *x, int axis, gg_var *index, gg_var *v,
                              gg_put_op how);

#ifdef __cplusplus
}
#endif

#endif
