/* SPDX-License-Identifier: BSD-2-Clause */
/** \file sizes.h
 *  Sizes as vectors. NumPy programs and model files compute sizes in vectors of
 *  integers: they take some, join them with others, multiply them. Such vectors
 *  need no kernel. gg_element follows an element back through the ops that
 *  compute it, and finds it as a scalar:
 *
 *      gg_var *s = gg_shape_vector(x), *two[2];
 *      two[0] = gg_slice(s, 0, 0, 1, 1);
 *      two[1] = gg_expand_dims(gg_prod(gg_slice(s, 0, 1, GG_END, 1)), 0);
 *      x = gg_reshape_vector(x, gg_join(0, 2, two));
 *
 *  All functions that take sizes, counts or bounds which calls decide look for
 *  them in this way. On error every function returns NULL, or a GA_* code, and
 *  leaves the reason in the graph.
 */
#ifndef GPUGRAPH_SIZES_H
#define GPUGRAPH_SIZES_H

#include <gpugraph/arrange.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GG_MAX_VECTOR 64 /**< elements of a vector at most */
/** The vector of n integer scalars, int64, for n from 1 to GG_MAX_VECTOR. They
 *  must be known before anything runs, as in gg_reshape_sizes. It costs no
 *  kernel. */
GG_PUBLIC gg_var *gg_vector(unsigned int n, gg_var *const *scalars);
/** The vector of all sizes of x: gg_vector of gg_shape for each axis. */
GG_PUBLIC gg_var *gg_shape_vector(gg_var *x);
/** Element `at` of v, in C order, as a scalar of the same dtype. If v has known
 *  sizes and at most GG_MAX_VECTOR elements, the element is followed through
 *  the ops that compute v: gg_vector, gg_shape_vector, elementwise ops, casts,
 *  gg_where, joins, takes, slices, indices, reshapes, dimshuffles,
 *  broadcasts and reductions (sum, prod, max, min, any, all). It is known
 *  before anything runs if it depends only on constants, sizes, and integer
 *  inputs that are scalars or vectors; calls read these inputs, as
 *  gg_reshape_sizes says. Otherwise the device computes it. If it depends on
 *  constants alone, it is a constant. GA_VALUE_ERROR if v is known to have no
 *  element `at`. */
GG_PUBLIC gg_var *gg_element(gg_var *v, size_t at);
/** Fill out[0 .. n - 1] with the elements of v, a vector of n integers. If its
 *  size is unknown, calls check it. On error all of `out` are NULL. */
GG_PUBLIC int gg_elements(gg_var *v, unsigned int n, gg_var **out);

/** \name Ops whose sizes are vectors
 *  gg_reshape_sizes, gg_alloc, gg_broadcast_sizes, gg_tile_sizes,
 *  gg_slice_sizes and gg_pad_sizes of the elements of integer vectors of known
 *  sizes. start, stop, step, before and after may be NULL. */
/**@{*/
GG_PUBLIC gg_var *gg_reshape_vector(gg_var *x, gg_var *sizes);
GG_PUBLIC gg_var *gg_alloc_vector(gg_var *value, gg_var *sizes);
GG_PUBLIC gg_var *gg_broadcast_vector(gg_var *x, gg_var *sizes);
GG_PUBLIC gg_var *gg_tile_vector(gg_var *x, gg_var *reps);
GG_PUBLIC gg_var *gg_slice_vector(gg_var *x, const int *axes, gg_var *start,
                                  gg_var *stop, gg_var *step);
GG_PUBLIC gg_var *gg_pad_vector(gg_var *x, gg_var *before, gg_var *after,
                                gg_pad_mode mode, gg_var *value);
/**@}*/

#ifdef __cplusplus
}
#endif

#endif
