/* SPDX-License-Identifier: BSD-2-Clause */
/** \file arrange.h
 *  Other arrangements of the same elements, as NumPy has them.
 *
 *  All of these are composed of the ops of ops.h, so they have gradients, and
 *  they work with sizes that only calls know. What is said to be a view costs
 *  nothing. Axes may be negative, counting from the end. Every function returns
 *  NULL, or a code, on error and leaves the reason in the graph.
 */
#ifndef GPUGRAPH_ARRANGE_H
#define GPUGRAPH_ARRANGE_H

#include <gpugraph/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/** \name Axes
 *  Views. */
/**@{*/
/** A new axis of size 1, which is `axis` of the result. */
GG_PUBLIC gg_var *gg_expand_dims(gg_var *x, int axis);
/** Drop an axis that is known to have size 1. */
GG_PUBLIC gg_var *gg_squeeze(gg_var *x, int axis);
/** Axis `from` becomes axis `to`; the others keep their order. */
GG_PUBLIC gg_var *gg_moveaxis(gg_var *x, int from, int to);
GG_PUBLIC gg_var *gg_swapaxes(gg_var *x, int a, int b);
/** x with axes of size 1 in front, so that there are at least nd. */
GG_PUBLIC gg_var *gg_atleast(gg_var *x, unsigned int nd);
/** x stretched to these sizes, which its own are aligned with at the end. Not a
 *  view where it is stored; maps and reductions that follow read x alone. */
GG_PUBLIC gg_var *gg_broadcast_to(gg_var *x, unsigned int nd,
                                  const int64_t *dims);
/** The elements of an axis backwards. */
GG_PUBLIC gg_var *gg_flip(gg_var *x, int axis);
/** A turn by k right angles, from axis a towards axis b. */
GG_PUBLIC gg_var *gg_rot90(gg_var *x, int k, int a, int b);
/**@}*/

/** \name Parts and wholes */
/**@{*/
/** n equal parts along an axis, to out[0 .. n - 1], which are views of x as far
 *  as its strides allow. GA_VALUE_ERROR where the size is not a multiple of n,
 *  here or in a call. */
GG_PUBLIC int gg_split(gg_var *x, int axis, unsigned int n, gg_var **out);
/** The n + 1 parts before, between and behind the bounds, which count as those
 *  of slices do. Views. */
GG_PUBLIC int gg_split_at(gg_var *x, int axis, unsigned int n,
                          const int64_t *bounds, gg_var **out);
/** Join n variables of one shape along a new axis, `axis` of the result. */
GG_PUBLIC gg_var *gg_stack(int axis, unsigned int n, gg_var *const *x);
/** reps[i] copies of x side by side along axis i; nd may be more than the rank
 *  of x, which then gets axes in front, or less, and then counts from the last
 *  axis. */
GG_PUBLIC gg_var *gg_tile(gg_var *x, unsigned int nd, const int64_t *reps);
/** Each element of an axis `n` times in a row. */
GG_PUBLIC gg_var *gg_repeat(gg_var *x, int axis, int64_t n);
/** The two with numbers that calls decide, as gg_reshape_sizes has them. */
GG_PUBLIC gg_var *gg_tile_sizes(gg_var *x, unsigned int nd,
                                gg_var *const *reps);
GG_PUBLIC gg_var *gg_repeat_sizes(gg_var *x, int axis, gg_var *n);
/** Elements of an axis moved `shift` places towards its end; those that leave it
 *  come in at its start. */
GG_PUBLIC gg_var *gg_roll(gg_var *x, int axis, int64_t shift);
GG_PUBLIC gg_var *gg_roll_at(gg_var *x, int axis, gg_var *shift);

typedef enum gg_pad_mode {
  GG_PAD_CONSTANT, /**< `value`, or 0 where that is NULL */
  GG_PAD_EDGE,     /**< the element at the edge */
  GG_PAD_REFLECT,  /**< mirrored at the edge, which is there once */
  GG_PAD_WRAP      /**< the elements of the other end */
} gg_pad_mode;
/** before[i] and after[i] elements more at the two ends of axis i; a negative
 *  number takes elements away. `value` is a scalar. */
GG_PUBLIC gg_var *gg_pad(gg_var *x, const int64_t *before, const int64_t *after,
                         gg_pad_mode mode, gg_var *value);

/** Differences of neighbours along an axis, n times: one element less each
 *  time. bool gives whether they differ. */
GG_PUBLIC gg_var *gg_diff(gg_var *x, int axis, unsigned int n);
/** Coordinates on a grid of n vectors, to out[0 .. n - 1]: out[i] has the
 *  elements of x[i] along axis i. With `xy`, axes 0 and 1 change places, as
 *  NumPy has it unless it is told otherwise. */
GG_PUBLIC int gg_meshgrid(unsigned int n, gg_var *const *x, int xy,
                          gg_var **out);
/**@}*/

#ifdef __cplusplus
}
#endif

#endif
