/* SPDX-License-Identifier: BSD-2-Clause */
/** \file ops.h
 *  Operations on variables.
 *
 *  Elementwise operations broadcast as NumPy does: shapes are aligned at the
 *  last dimension, and a dimension that is known to be 1 is broadcast. Two
 *  floats, or two integers, take the smallest dtype that holds both, except
 *  that a signed integer and uint64 give int64. An integer and a float give
 *  that float, never a wider one. bool and another dtype give that dtype; in
 *  arithmetic two bools count as int8. Weak scalars (gg_weak) take the dtype of
 *  the others: docs/dtypes.md. Integers wrap around. All axes may be negative
 *  and then count from the end. Every function returns NULL on error and leaves
 *  the reason in the graph.
 */
#ifndef GPUGRAPH_OPS_H
#define GPUGRAPH_OPS_H

#include <gpugraph/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Most operations of one to three operands: gg_add, gg_exp, gg_lt ... */
#include <gpugraph/elementwise.h>

/** \name Choice and conversion */
/**@{*/
/** cond ? a : b, elementwise. If cond is not bool, it is compared with 0. */
GG_PUBLIC gg_var *gg_where(gg_var *cond, gg_var *a, gg_var *b);
/** gg_minimum(gg_maximum(x, lo), hi). NaN where any of the three is NaN. */
GG_PUBLIC gg_var *gg_clip(gg_var *x, gg_var *lo, gg_var *hi);
/** Convert to another dtype. A float is truncated towards 0 to an integer;
 *  beyond the range of the dtype it becomes the nearest limit, and NaN becomes
 *  0. An integer that does not fit another integer dtype keeps its low bits. To
 *  bool: x != 0, so NaN becomes true. */
GG_PUBLIC gg_var *gg_cast(gg_var *x, int dtype);
/** The bits of each element as another dtype of the same size, such as float32
 *  as int32; GA_VALUE_ERROR for other sizes and complex numbers. NaN keeps its
 *  bits. A byte that becomes bool is true if it is not 0. Has no gradient
 *  between floats and others. */
GG_PUBLIC gg_var *gg_bit_cast(gg_var *x, int dtype);
/** out[0] = gg_floordiv(a, b) and out[1] = gg_mod(a, b). */
GG_PUBLIC int gg_divmod(gg_var *a, gg_var *b, gg_var **out);
/**@}*/

/** \name Shapes */
/**@{*/
/** Broadcast `value` to the shape of `like`, whose values are not used. If no
 *  axis of `value` broadcasts, the result is `value`: calls do not compare open
 *  sizes with those of `like`. */
GG_PUBLIC gg_var *gg_fill(gg_var *like, gg_var *value);
/** Zeros, or ones, in the shape and dtype of x. */
GG_PUBLIC gg_var *gg_zeros_like(gg_var *x);
GG_PUBLIC gg_var *gg_ones_like(gg_var *x);
/** Broadcast `value` to nd sizes that calls decide. They are scalars as in
 *  gg_reshape_sizes, but none may be -1. The axes of `value` are aligned with
 *  the last axes of the result. */
GG_PUBLIC gg_var *gg_alloc(gg_var *value, unsigned int nd,
                           gg_var *const *sizes);
/** The vector start, start + step, ... of the values before stop, int64. The
 *  arguments are integer scalars. Those that decide the length must be known
 *  before anything runs. A constant step of 0 is GA_VALUE_ERROR; a step that is
 *  0 in a call gives no elements. A length of 2^53 or more is refused; ends
 *  beyond 2^61 count as 2^61, and are rounded beyond 2^53, to find the length.
 */
GG_PUBLIC gg_var *gg_arange(gg_var *start, gg_var *stop, gg_var *step);
/** The size of one axis, or the number of elements, as an int64 scalar. It is
 *  known before anything runs and costs no kernel. */
GG_PUBLIC gg_var *gg_shape(gg_var *x, int axis);
GG_PUBLIC gg_var *gg_size(gg_var *x);
/** Permute, drop and insert axes: axis i of the result is axis pattern[i] of x,
 *  or a new axis of size 1 where pattern[i] is -1. Only axes that are known to
 *  have size 1 can be dropped. A view. */
GG_PUBLIC gg_var *gg_dimshuffle(gg_var *x, unsigned int nd, const int *pattern);
GG_PUBLIC gg_var *gg_transpose(gg_var *x); /**< all axes reversed */
/** The same elements in C order with other sizes. One size may be -1: it
 *  follows from the others. */
GG_PUBLIC gg_var *gg_reshape(gg_var *x, unsigned int nd, const int64_t *dims);
/** All elements in C order, as a vector. */
GG_PUBLIC gg_var *gg_flatten(gg_var *x);
/** x with the promise that axis i has size dims[i]; GG_ANY promises nothing. An
 *  axis that is promised to have size 1 broadcasts from here on. A call with
 *  another size fails with GA_VALUE_ERROR. A view; x itself if all these sizes
 *  are known already. */
GG_PUBLIC gg_var *gg_specify_shape(gg_var *x, const int64_t *dims);
/** gg_reshape and gg_specify_shape with sizes that calls decide: integer
 *  scalars. They are known before anything runs if they are gg_shape, integer
 *  inputs, constants, elements of vectors of these (sizes.h), or computed from
 *  these. A function reads such integer inputs when it is called, which blocks
 *  until they are computed, and makes a plan for each value as it does for
 *  shapes. Other scalars are computed by the device: then a call runs what they
 *  need first, waits for them, and plans the rest (docs/select.md). -1 leaves a
 *  size open. A call fails with GA_VALUE_ERROR if a size is another negative
 *  value or does not fit. gg_specify_sizes takes one size for each axis of
 *  x. */
GG_PUBLIC gg_var *gg_reshape_sizes(gg_var *x, unsigned int nd,
                                   gg_var *const *sizes);
GG_PUBLIC gg_var *gg_specify_sizes(gg_var *x, gg_var *const *sizes);
/** x[start:stop:step] along one axis by Python's rules. GG_END leaves an end
 *  open. */
#define GG_END INT64_MIN
GG_PUBLIC gg_var *gg_slice(gg_var *x, int axis, int64_t start, int64_t stop,
                           int64_t step);
/** x[index] along one axis. The result does not have that axis. */
GG_PUBLIC gg_var *gg_index(gg_var *x, int axis, int64_t index);
/** The same with bounds that calls decide: integer scalars as in
 *  gg_reshape_sizes. An end is open where start or stop is NULL, or is GG_END
 *  in a call. A step of NULL is 1. Bounds beyond the axis are clipped to it. A
 *  call fails with GA_VALUE_ERROR if the step is 0 or the index is out of
 *  range. While the graph is built, the size of the slice is unknown; use
 *  gg_specify_shape if you know it. */
GG_PUBLIC gg_var *gg_slice_at(gg_var *x, int axis, gg_var *start, gg_var *stop,
                              gg_var *step);
GG_PUBLIC gg_var *gg_index_at(gg_var *x, int axis, gg_var *index);
/** Join n variables along an axis. */
GG_PUBLIC gg_var *gg_join(int axis, unsigned int n, gg_var *const *x);
/** The rows of x (along axis 0) that an integer vector selects. Negative
 *  indices count from the end. Indices out of range are clamped. */
GG_PUBLIC gg_var *gg_take(gg_var *x, gg_var *index);
/** gg_take along any axis. */
GG_PUBLIC gg_var *gg_take_axis(gg_var *x, int axis, gg_var *index);
/** x with v at the positions that gg_take_axis reads; v broadcasts to that
 *  shape and gets the dtype of x. Where an index repeats, the last value
 *  counts. Indices out of range are ignored. The gradient for v is gg_take_axis
 *  of the gradient for the result, and 0 where v is ignored. It is correct only
 *  if no index repeats. */
GG_PUBLIC gg_var *gg_put(gg_var *x, int axis, gg_var *index, gg_var *v);
/** The same, but v is added, in the order of the indices. */
GG_PUBLIC gg_var *gg_put_add(gg_var *x, int axis, gg_var *index, gg_var *v);
/** x with v at the positions that gg_slice reads; v broadcasts to that shape
 *  and gets the dtype of x. To add v, set the sum of the slice and v. */
GG_PUBLIC gg_var *gg_slice_set(gg_var *x, int axis, int64_t start, int64_t stop,
                               int64_t step, gg_var *v);
/** The same with bounds that calls decide, as in gg_slice_at. As the update of
 *  a shared variable x it writes only these elements of x. */
GG_PUBLIC gg_var *gg_slice_set_at(gg_var *x, int axis, gg_var *start,
                                  gg_var *stop, gg_var *step, gg_var *v);
/** The positions 0, 1, ... along `axis`, int64, in the shape of x. */
GG_PUBLIC gg_var *gg_positions(gg_var *x, int axis);
/**@}*/

/** \name Reductions
 *  The short forms without an axis reduce all axes to a scalar. float16,
 *  bfloat16 and float32 accumulate in float32. Sums and products of signed
 *  integers are int64, of unsigned integers uint64. NaN propagates through max
 *  and min; all elements that attain the extremum share its gradient evenly.
 *  The mean of integers is float32, of 64-bit integers float64. */
/**@{*/
typedef enum gg_reduction {
  GG_SUM = 0,
  GG_PROD,
  GG_MAX,
  GG_MIN,
  GG_ANY_OF, /**< bool */
  GG_ALL_OF, /**< bool */
  GG_ARGMAX, /**< int64; the first of equal elements */
  GG_ARGMIN,
  GG_VARIANCE /**< of the population, in one pass; dtypes as for the mean */
} gg_reduction;
/** Reduce over `naxes` axes (0: all). With keepdims the result keeps these axes
 *  with size 1. */
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
/** The product of two vectors, a matrix and a vector, a vector and a matrix, or
 *  two matrices, of float dtypes. With a scalar operand it is gg_mul. */
GG_PUBLIC gg_var *gg_dot(gg_var *a, gg_var *b);
/** The matrix a[i] b[j] of two vectors. */
GG_PUBLIC gg_var *gg_outer(gg_var *a, gg_var *b);
/** op(a[i], b[j]) for all pairs of elements: the axes of the result are those
 *  of a, then those of b. `op` is any function of two operands that works on
 *  elements, such as gg_add. */
GG_PUBLIC gg_var *gg_outer_of(gg_var *(*op)(gg_var *a, gg_var *b), gg_var *a,
                              gg_var *b);
/** Kronecker's product: each element of a times the whole of b, as a block in
 *  its place. The operand of lower rank gets axes in front. At most 4 axes. */
GG_PUBLIC gg_var *gg_kron(gg_var *a, gg_var *b);
/** The vector product along an axis of size 3; the others broadcast. */
GG_PUBLIC gg_var *gg_cross(gg_var *a, gg_var *b, int axis);
/** gg_dot(a[i], b[i]) for each index i of the first axes: a [B, m, k] or [B,
 *  k], b [B, k, n] or [B, k], the result [B], [B, m], [B, n] or [B, m, n]. An
 *  operand of shape [B] multiplies each entry of the batch by a scalar.
 *  Transposed matrices need no copy, nor does any other order of axes in memory
 *  in which one of the last two axes is contiguous. Float dtypes.
 *  GA_VALUE_ERROR if the sizes B or k differ; neither broadcasts. */
GG_PUBLIC gg_var *gg_batched_dot(gg_var *a, gg_var *b);
/** The sum of products of a and b over n pairs of axes, a_axes[i] of a with
 *  b_axes[i] of b. If these are NULL, the last n axes of a pair with the first
 *  n of b, in their order. The result has the other axes of a, then those of b.
 *  With n = 0 it is the outer product. Computed as one gg_dot of reshaped
 *  operands: an operand is copied if its strides do not allow the reshape.
 *  Float dtypes unless n is 0. GA_VALUE_ERROR if the sizes of a pair differ,
 *  here or in a call, if an axis does not exist or is listed twice, and if the
 *  result has more than GG_MAX_ND axes; nothing broadcasts. */
GG_PUBLIC gg_var *gg_tensordot(gg_var *a, gg_var *b, unsigned int n,
                               const int *a_axes, const int *b_axes);
/** The same for a[i] and b[i], for each index i of the first axes; the first
 *  axis of the result is the batch. Axes count in a and b with the batch, so
 *  none may be 0. NULL pairs the last n axes of a with the n axes of b after
 *  the first. Computed as one gg_batched_dot. */
GG_PUBLIC gg_var *gg_batched_tensordot(gg_var *a, gg_var *b, unsigned int n,
                                       const int *a_axes, const int *b_axes);
/** The sum of products that an equation describes, as in NumPy: "ij,jk->ik" is
 *  the product of two matrices. Each operand has a term of letters, one for
 *  each of its axes. Letters that are not in the result are summed over. A
 *  letter that occurs twice in a term takes the diagonal. "..." means all other
 *  axes, aligned at the last one. Without "->" the result has the axes of "..."
 *  and then the letters that occur once, in the order of ASCII. Spaces are
 *  ignored. Axes that are known to have size 1 broadcast.
 *
 *  Operands, up to 64, are multiplied two at a time as products of matrices,
 *  in the cheapest order for up to 8 operands and in a good one for more;
 *  sizes that only calls know count as 64. The result has the common dtype:
 *  sums of integers wrap around, and a sum of bools is whether any is true.
 *  GA_VALUE_ERROR if the sizes of a letter differ, here or in a call. */
GG_PUBLIC gg_var *gg_einsum(const char *equation, unsigned int n,
                            gg_var *const *x);
/**@}*/

/** \name Classification
 *  Along the last axis. */
/**@{*/
/** exp(x) / sum(exp(x)), without overflow. Integers become float32 first. */
GG_PUBLIC gg_var *gg_softmax(gg_var *x);
/** The logarithm of gg_softmax, finite for every finite x. */
GG_PUBLIC gg_var *gg_log_softmax(gg_var *x);
/** -log p[i, y[i]] for each row i of the probabilities p [n, k]; y [n] holds
 *  integers in 0 .. k - 1. If y is known to have one element, p must be known
 *  to have one row. With p = gg_softmax(z) the compiled form is finite for
 *  every finite z. */
GG_PUBLIC gg_var *gg_crossentropy(gg_var *p, gg_var *y);
/**@}*/

#ifdef __cplusplus
}
#endif

#endif
