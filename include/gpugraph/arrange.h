/* SPDX-License-Identifier: BSD-2-Clause */
/** \file arrange.h
 *  Functions that rearrange elements, as in NumPy.
 *
 *  All of them are composed of the ops of ops.h, so they have gradients and
 *  work with sizes that only calls know. Views cost nothing. Axes may be
 *  negative and then count from the end. On error every function returns NULL,
 *  or a GA_* code, and leaves the reason in the graph.
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
/** Insert a new axis of size 1, which is `axis` of the result. */
GG_PUBLIC gg_var *gg_expand_dims(gg_var *x, int axis);
/** Drop an axis that is known to have size 1. */
GG_PUBLIC gg_var *gg_squeeze(gg_var *x, int axis);
/** Move axis `from` to `to`; the others keep their order. */
GG_PUBLIC gg_var *gg_moveaxis(gg_var *x, int from, int to);
/** Swap two axes. */
GG_PUBLIC gg_var *gg_swapaxes(gg_var *x, int a, int b);
/** Insert axes of size 1 in front until x has at least nd. */
GG_PUBLIC gg_var *gg_atleast(gg_var *x, unsigned int nd);
/** Broadcast x to these sizes. Its own sizes are aligned with the last of them.
 *  If the result is stored, it is a copy; maps and reductions that follow read
 *  only x. */
GG_PUBLIC gg_var *gg_broadcast_to(gg_var *x, unsigned int nd,
                                  const int64_t *dims);
/** The same with sizes that calls decide, scalars as in gg_reshape_sizes. x
 *  and the sizes broadcast to each other: where a size is 1, or nd is less than
 *  the rank of x, x keeps its own. An axis of x is only broadcast if it is
 *  known to have size 1. */
GG_PUBLIC gg_var *gg_broadcast_sizes(gg_var *x, unsigned int nd,
                                     gg_var *const *sizes);
/** Reverse the elements along an axis. */
GG_PUBLIC gg_var *gg_flip(gg_var *x, int axis);
/** Rotate by k right angles, from axis a towards axis b. */
GG_PUBLIC gg_var *gg_rot90(gg_var *x, int k, int a, int b);
/**@}*/

/** \name Parts and wholes */
/**@{*/
/** gg_slice_at along n axes at once: axis axes[i] by start[i], stop[i] and
 *  step[i]. axes NULL: the first n axes. Other lists may be NULL, too: all
 *  their elements are. A view. */
GG_PUBLIC gg_var *gg_slice_sizes(gg_var *x, unsigned int n, const int *axes,
                                 gg_var *const *start, gg_var *const *stop,
                                 gg_var *const *step);
/** Split an axis into n equal parts out[0 .. n - 1], which are views of x.
 *  GA_VALUE_ERROR if the size is not a multiple of n, here or in a call. */
GG_PUBLIC int gg_split(gg_var *x, int axis, unsigned int n, gg_var **out);
/** Split an axis at n bounds into the n + 1 parts out[0 .. n], which are views
 *  of x. Bounds follow the rules of gg_slice. */
GG_PUBLIC int gg_split_at(gg_var *x, int axis, unsigned int n,
                          const int64_t *bounds, gg_var **out);
/** The same with bounds that calls decide, by the rules of gg_slice_at. A bound
 *  that is constant gives parts of known sizes, as in gg_split_at. */
GG_PUBLIC int gg_split_bounds(gg_var *x, int axis, unsigned int n,
                              gg_var *const *bounds, gg_var **out);
/** Join n variables of the same shape along a new axis, `axis` of the
 *  result. */
GG_PUBLIC gg_var *gg_stack(int axis, unsigned int n, gg_var *const *x);
/** Repeat x as a whole: reps[i] copies side by side along axis i. If nd is more
 *  than the rank of x, x gets axes in front; if it is less, reps are those of
 *  the last nd axes. */
GG_PUBLIC gg_var *gg_tile(gg_var *x, unsigned int nd, const int64_t *reps);
/** Repeat each element along an axis n times. */
GG_PUBLIC gg_var *gg_repeat(gg_var *x, int axis, int64_t n);
/** The same two with counts that calls decide: scalars as in
 *  gg_reshape_sizes. */
GG_PUBLIC gg_var *gg_tile_sizes(gg_var *x, unsigned int nd,
                                gg_var *const *reps);
GG_PUBLIC gg_var *gg_repeat_sizes(gg_var *x, int axis, gg_var *n);
/** Shift the elements along an axis by `shift` positions towards its end. Those
 *  that leave the end enter at the start. gg_roll_at takes an integer scalar as
 *  in gg_reshape_sizes. */
GG_PUBLIC gg_var *gg_roll(gg_var *x, int axis, int64_t shift);
GG_PUBLIC gg_var *gg_roll_at(gg_var *x, int axis, gg_var *shift);

typedef enum gg_pad_mode {
  GG_PAD_CONSTANT, /**< `value`, or 0 if that is NULL */
  GG_PAD_EDGE,     /**< the element at the edge */
  GG_PAD_REFLECT,  /**< mirrored at the edge element, which is not repeated */
  GG_PAD_WRAP,     /**< the elements from the other end */
  GG_PAD_SYMMETRIC /**< mirrored behind the edge element, which is repeated */
} gg_pad_mode;
/** Add before[i] and after[i] elements at the two ends of axis i; negative
 *  counts remove elements. `value` is a scalar of any dtype, cast to that of
 *  x. GA_VALUE_ERROR, here or in a call, if an axis has fewer elements than
 *  are removed, or if elements are added to an axis of size 0, unless the mode
 *  is GG_PAD_CONSTANT. */
GG_PUBLIC gg_var *gg_pad(gg_var *x, const int64_t *before, const int64_t *after,
                         gg_pad_mode mode, gg_var *value);
/** The same with counts that calls decide: scalars as in gg_reshape_sizes. A
 *  count that is NULL is 0. */
GG_PUBLIC gg_var *gg_pad_sizes(gg_var *x, gg_var *const *before,
                               gg_var *const *after, gg_pad_mode mode,
                               gg_var *value);

/** The differences of neighbours along an axis, taken n times: each time there
 *  is one element less. For bool: whether neighbours differ. */
GG_PUBLIC gg_var *gg_diff(gg_var *x, int axis, unsigned int n);
/** Coordinates on a grid of n vectors: out[i] has the elements of x[i] along
 *  axis i, for i in 0 .. n - 1. With `xy`, axes 0 and 1 are swapped, which is
 *  NumPy's default. */
GG_PUBLIC int gg_meshgrid(unsigned int n, gg_var *const *x, int xy,
                          gg_var **out);
/**@}*/

#ifdef __cplusplus
}
#endif

#endif
