/* SPDX-License-Identifier: BSD-2-Clause */
/** \file ops.h
 *  Operations on variables.
 *
 *  Elementwise operations broadcast as NumPy does: shapes are aligned at the
 *  last dimension and a dimension known to be 1 stretches. Dtypes combine to
 *  the smallest that holds both of a kind, but for int64 with an unsigned one,
 *  which gives int64; an integer with a float gives that float (never a wider
 *  one), bool with anything gives the other, and counts as int8 in arithmetic
 *  with itself. Integers wrap around. All axes may
 *  be negative, counting from the end. Every function returns NULL on error
 *  and leaves the reason in the graph.
 */
#ifndef GPUGRAPH_OPS_H
#define GPUGRAPH_OPS_H

#include <gpugraph/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/* gg_add, gg_exp, gg_lt ...: all of one and two operands. */
#include <gpugraph/elementwise.h>

/** \name Choice and conversion */
/**@{*/
/** cond ? a : b, elementwise; cond is bool or compared with 0. */
GG_PUBLIC gg_var *gg_where(gg_var *cond, gg_var *a, gg_var *b);
/** gg_minimum(gg_maximum(x, lo), hi): NaN where any of the three is. */
GG_PUBLIC gg_var *gg_clip(gg_var *x, gg_var *lo, gg_var *hi);
/** Convert to another dtype. A float becomes the integer that is left without
 *  its fraction; beyond the dtype's range it becomes the nearest limit, and NaN
 *  becomes 0. An integer that another integer dtype does not hold keeps its low
 *  bits. bool is x != 0, so NaN is true. */
GG_PUBLIC gg_var *gg_cast(gg_var *x, int dtype);
/**@}*/

/** \name Shapes */
/**@{*/
/** `value` stretched to the shape of `like` (its values are not used). */
GG_PUBLIC gg_var *gg_fill(gg_var *like, gg_var *value);
GG_PUBLIC gg_var *gg_zeros_like(gg_var *x);
GG_PUBLIC gg_var *gg_ones_like(gg_var *x);
/** `value` stretched to sizes that calls decide, as gg_reshape_sizes has them
 *  but none open; its last axes are those of the result. */
GG_PUBLIC gg_var *gg_alloc(gg_var *value, unsigned int nd,
                           gg_var *const *sizes);
/** start, start + step, ... before stop, as int64. Integer scalars, known
 *  before anything runs where they decide how many there are. A step of 0 is
 *  GA_VALUE_ERROR where it is a constant, and no numbers in a call. */
GG_PUBLIC gg_var *gg_arange(gg_var *start, gg_var *stop, gg_var *step);
/** Size of one axis, or number of elements, as int64 scalars. They are known
 *  before anything runs and cost no kernel. */
GG_PUBLIC gg_var *gg_shape(gg_var *x, int axis);
GG_PUBLIC gg_var *gg_size(gg_var *x);
/** Permute, drop (only axes known to be 1) and insert axes: out axis i is
 *  axis pattern[i] of x, or a new one of size 1 where pattern[i] is -1. A view
 *  on the device: no copy. */
GG_PUBLIC gg_var *gg_dimshuffle(gg_var *x, unsigned int nd, const int *pattern);
GG_PUBLIC gg_var *gg_transpose(gg_var *x); /**< all axes reversed */
/** Same elements in C order; one dimension may be -1. */
GG_PUBLIC gg_var *gg_reshape(gg_var *x, unsigned int nd, const int64_t *dims);
GG_PUBLIC gg_var *gg_flatten(gg_var *x);
/** x, of which dims[i] is known to be the size of axis i, or GG_ANY: nothing
 *  new. One that is known to be 1 broadcasts from here on. A call where it is
 *  another is GA_VALUE_ERROR. A view, and x itself if nothing is new. */
GG_PUBLIC gg_var *gg_specify_shape(gg_var *x, const int64_t *dims);
/** gg_reshape and gg_specify_shape with sizes that calls decide: integer
 *  scalars that are known before anything runs, such as gg_shape, integer
 *  inputs, constants and what is computed from these. -1 leaves a size open. A
 *  call where one is negative otherwise, not known or does not fit is
 *  GA_VALUE_ERROR. A function reads integer inputs for that when it is called,
 *  which waits for them, and makes a plan for each number as for shapes.
 *  gg_specify_sizes takes a size for each axis of x. */
GG_PUBLIC gg_var *gg_reshape_sizes(gg_var *x, unsigned int nd,
                                   gg_var *const *sizes);
GG_PUBLIC gg_var *gg_specify_sizes(gg_var *x, gg_var *const *sizes);
/** x[start:stop:step] of one axis, Python rules; GG_END leaves an end open. */
#define GG_END INT64_MIN
GG_PUBLIC gg_var *gg_slice(gg_var *x, int axis, int64_t start, int64_t stop,
                           int64_t step);
/** x[index] of one axis, which disappears. */
GG_PUBLIC gg_var *gg_index(gg_var *x, int axis, int64_t index);
/** The same with numbers that calls decide, as gg_reshape_sizes has them: start
 *  and stop may be NULL, or GG_END in a call, where an end is open; a step that
 *  is NULL is 1. Bounds beyond the axis are cut to it. A step of 0 and an index
 *  that is not there are GA_VALUE_ERROR of the call. No size follows from the
 *  bounds while the graph is built: gg_specify_shape tells those you know. */
GG_PUBLIC gg_var *gg_slice_at(gg_var *x, int axis, gg_var *start, gg_var *stop,
                              gg_var *step);
GG_PUBLIC gg_var *gg_index_at(gg_var *x, int axis, gg_var *index);
/** Join along an axis. */
GG_PUBLIC gg_var *gg_join(int axis, unsigned int n, gg_var *const *x);
/** Rows of x along axis 0 by an integer vector; negative counts from the end.
 *  Indices out of range are clamped. */
GG_PUBLIC gg_var *gg_take(gg_var *x, gg_var *index);
/** The same along any axis. */
GG_PUBLIC gg_var *gg_take_axis(gg_var *x, int axis, gg_var *index);
/** x, but with v where gg_take_axis takes from; v broadcasts to that shape and
 *  gets the dtype of x. Of values for one place the last stays. Indices out of
 *  range are left out. The gradient of v is what gg_take_axis takes of the
 *  result's: right where no place is set twice. */
GG_PUBLIC gg_var *gg_put(gg_var *x, int axis, gg_var *index, gg_var *v);
/** The same with v added, in the order of the indices. */
GG_PUBLIC gg_var *gg_put_add(gg_var *x, int axis, gg_var *index, gg_var *v);
/** x, but with v where gg_slice takes from; v broadcasts to that shape and gets
 *  the dtype of x. To add, set the slice plus v. */
GG_PUBLIC gg_var *gg_slice_set(gg_var *x, int axis, int64_t start, int64_t stop,
                               int64_t step, gg_var *v);
/** The same with bounds that calls decide, as gg_slice_at has them. As an
 *  update of a shared variable x it writes to that place of x alone. */
GG_PUBLIC gg_var *gg_slice_set_at(gg_var *x, int axis, gg_var *start,
                                  gg_var *stop, gg_var *step, gg_var *v);
/** The positions 0, 1, ... along `axis` in the shape of x, as int64. */
GG_PUBLIC gg_var *gg_positions(gg_var *x, int axis);
/**@}*/

/** \name Reductions
 *  Short forms reduce all axes to a scalar. float16 and float32 accumulate in
 *  float32; sums and products of integers are int64, of unsigned ones uint64;
 *  NaN propagates through max and min, whose gradient is shared evenly by all
 *  elements that attain them. The mean of integers is float32, of 64-bit ones
 *  float64. */
/**@{*/
typedef enum gg_reduction {
  GG_SUM = 0,
  GG_PROD,
  GG_MAX,
  GG_MIN,
  GG_ANY_OF, /**< bool */
  GG_ALL_OF, /**< bool */
  GG_ARGMAX, /**< int64; first of equals */
  GG_ARGMIN,
  GG_VARIANCE /**< of the population, from one read; of integers as the mean */
} gg_reduction;
/** Reduce over `naxes` axes (0: all). keepdims leaves them with size 1. */
GG_PUBLIC gg_var *gg_reduce(gg_reduction op, gg_var *x, unsigned int naxes,
                            const int *axes, int keepdims);
GG_PUBLIC gg_var *gg_sum(gg_var *x);
GG_PUBLIC gg_var *gg_prod(gg_var *x);
GG_PUBLIC gg_var *gg_max(gg_var *x);
GG_PUBLIC gg_var *gg_min(gg_var *x);
GG_PUBLIC gg_var *gg_mean(gg_var *x);
GG_PUBLIC gg_var *gg_sum_axis(gg_var *x, int axis);
GG_PUBLIC gg_var *gg_mean_axis(gg_var *x, int axis);
GG_PUBLIC gg_var *gg_max_axis(gg_var *x, int axis);
GG_PUBLIC gg_var *gg_argmax_axis(gg_var *x, int axis);
/**@}*/

/** \name Linear algebra */
/**@{*/
/** Vector . vector, matrix . vector, vector . matrix, matrix . matrix; a scalar
 *  operand multiplies. Float dtypes. */
GG_PUBLIC gg_var *gg_dot(gg_var *a, gg_var *b);
GG_PUBLIC gg_var *gg_outer(gg_var *a, gg_var *b);
/** a[i] . b[i] for each i of the first axes, as gg_dot has it: a [B, m, k] or
 *  [B, k], b [B, k, n] or [B, k], the result [B], [B, m], [B, n] or [B, m, n].
 *  An operand [B] multiplies. Transposed matrices and any order of axes in
 *  memory where one of the last two has no gaps are taken without a copy.
 *  Float dtypes. Sizes B or k that differ are GA_VALUE_ERROR; neither
 *  broadcasts. */
GG_PUBLIC gg_var *gg_batched_dot(gg_var *a, gg_var *b);
/** The sum of a b over n pairs of axes, a_axes[i] of a with b_axes[i] of b;
 *  where these are NULL, the last n of a with the first n of b, in their order.
 *  The result has the other axes of a, then those of b. With n = 0 it is all
 *  products. One gg_dot of what is reshaped: an operand is copied where its
 *  axes do not become rows or columns as they lie. Float dtypes unless n is 0.
 *  Sizes of a pair that differ, here or in a call, axes that are not there or
 *  come twice, and more than GG_MAX_ND of the result are GA_VALUE_ERROR;
 *  nothing broadcasts. */
GG_PUBLIC gg_var *gg_tensordot(gg_var *a, gg_var *b, unsigned int n,
                               const int *a_axes, const int *b_axes);
/** The same for a[i] and b[i], for each i of the first axes, which are the
 *  first one of the result. Axes are those of a and b, so that none is 0; NULL:
 *  the last n of a with the n behind the first of b. One gg_batched_dot. */
GG_PUBLIC gg_var *gg_batched_tensordot(gg_var *a, gg_var *b, unsigned int n,
                                       const int *a_axes, const int *b_axes);
/**@}*/

/** \name Classification
 *  Along the last axis. */
/**@{*/
GG_PUBLIC gg_var *gg_softmax(gg_var *x);
GG_PUBLIC gg_var *gg_log_softmax(gg_var *x);
/** -log p[i, y[i]] for each row i of the probabilities p [n, k]; y [n] holds
 *  integers in 0 .. k - 1. If y is known to have one element, p has to be known
 *  to have one row. With p = gg_softmax(z) the compiled form stays
 *  finite whatever z is. */
GG_PUBLIC gg_var *gg_crossentropy(gg_var *p, gg_var *y);
/**@}*/

#ifdef __cplusplus
}
#endif

#endif
