/* SPDX-License-Identifier: BSD-2-Clause */
/** \file pooling.h
 *  Pooling and resizing along the last 1, 2 or 3 axes; the other axes are those
 *  of a batch. To pool an array whose channels lie last in memory, make a view
 *  with the channels in front of the pooled axes (gg_dimshuffle); that copies
 *  nothing.
 *
 *  All have gradients of any order. The first of several largest elements gets
 *  the gradient. Results are the same bits in every run. On error every
 *  function returns NULL and leaves the reason in the graph. Where types leave
 *  sizes open, calls check them.
 */
#ifndef GPUGRAPH_POOLING_H
#define GPUGRAPH_POOLING_H

#include <gpuarray/pooling.h>
#include <gpugraph/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The largest element of each window, for any real dtype; NaN if one is NaN. A
 *  window that lies in the padding altogether gives -infinity, or the least
 *  integer.
 *
 *  \param p the geometry, copied; GA_POOLING_ADAPTIVE gives the sizes of the
 *           result */
GG_PUBLIC gg_var *gg_pool_max(gg_var *x, const GpuPooling *p);
/** Where these elements are: int64, counted in C order over the pooled axes of
 *  x; -1 for a window in the padding. */
GG_PUBLIC gg_var *gg_pool_indices(gg_var *x, const GpuPooling *p);
/** Zeros in the shape of `like`, with the elements of y where `indices` says,
 *  as gg_pool_indices counts over the last `n` axes of `like`. The inverse of
 *  gg_pool_max. If an index repeats, its last element stays. An element with
 *  an index below 0, that of a window in the padding, is left out. */
GG_PUBLIC gg_var *gg_unpool(gg_var *y, gg_var *indices, unsigned int n,
                            gg_var *like);
/** The mean of each window. With GA_POOLING_COUNT_PADDING zeros in the padding
 *  count. Integers become float32. */
GG_PUBLIC gg_var *gg_pool_mean(gg_var *x, const GpuPooling *p);
/** sum(|x|^q)^(1/q) of each window, for finite q above 0. */
GG_PUBLIC gg_var *gg_pool_norm(gg_var *x, double q, const GpuPooling *p);

/** What gg_pool_global makes of all elements. */
typedef enum gg_pool_kind {
  GG_POOL_MAX = 0, /**< the largest; several share the gradient evenly */
  GG_POOL_MEAN,    /**< the mean; integers become float32 */
  GG_POOL_NORM     /**< sum(|x|^q)^(1/q) */
} gg_pool_kind;

/** Pool each of the last n axes of x to size 1.
 *
 *  \param n from 1 to the rank of x
 *  \param q for GG_POOL_NORM, finite and above 0; else not read */
GG_PUBLIC gg_var *gg_pool_global(gg_var *x, gg_pool_kind kind, unsigned int n,
                                 double q);

/** Resize the last `n` axes of x by interpolation. Integers become float32,
 *  except with GA_RESIZE_NEAREST.
 *
 *  \param how   for each of the n axes; mode, rule, round, antialias,
 *               exclude_outside and cubic must be equal
 *  \param sizes n integer scalars that are known before anything runs, as in
 *               gg_reshape_sizes. NULL: the sizes of x times the scales in
 *               `how`, rounded down; a scale of 0 is then an error. A
 *               size of 0 is GA_VALUE_ERROR, here or in a call, unless x has
 *               no elements there. */
GG_PUBLIC gg_var *gg_resize(gg_var *x, unsigned int n, const GpuResize *how,
                            gg_var *const *sizes);

#ifdef __cplusplus
}
#endif

#endif
