/* SPDX-License-Identifier: BSD-2-Clause */
/** \file statistics.h
 *  Means, deviations, norms and the like over any axes.
 *
 *  Each function reduces `naxes` axes, or all axes if naxes is 0. With
 *  `keepdims` the reduced axes stay, with size 1. Negative axes count from the
 *  end. Means, norms and logarithms of integers are floats, as in gg_mean. On
 *  error every function returns NULL and leaves the reason in the graph.
 */
#ifndef GPUGRAPH_STATISTICS_H
#define GPUGRAPH_STATISTICS_H

#include <gpugraph/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The sum divided by the number of elements. */
GG_PUBLIC gg_var *gg_mean_axes(gg_var *x, unsigned int naxes, const int *axes,
                               int keepdims);
/** The mean of the squares of distances from the mean, computed in one read of
 *  x, and its square root, whose gradient is 0 where all elements are equal.
 *  For n elements the sum of squares is divided by n - ddof: ddof is 0 for a
 *  population, 1 for a sample. */
GG_PUBLIC gg_var *gg_variance(gg_var *x, unsigned int naxes, const int *axes,
                              int keepdims, unsigned int ddof);
GG_PUBLIC gg_var *gg_std(gg_var *x, unsigned int naxes, const int *axes,
                         int keepdims, unsigned int ddof);
/** log(sum(exp(x))), which neither overflows nor loses small elements. */
GG_PUBLIC gg_var *gg_logsumexp(gg_var *x, unsigned int naxes, const int *axes,
                               int keepdims);
/** sum(|x|^p)^(1/p). p = INFINITY gives the largest |x|, -INFINITY the
 *  smallest, and 0 how many are not 0; NaN is refused with GA_VALUE_ERROR. For
 *  p of at least 1 the gradient of a norm that is 0 is 0. */
GG_PUBLIC gg_var *gg_norm(gg_var *x, double p, unsigned int naxes,
                          const int *axes, int keepdims);
/** The largest element less the smallest. */
GG_PUBLIC gg_var *gg_ptp(gg_var *x, unsigned int naxes, const int *axes,
                         int keepdims);
/** How many elements are not 0, int64. */
GG_PUBLIC gg_var *gg_count_nonzero(gg_var *x, unsigned int naxes,
                                   const int *axes, int keepdims);

/** \name Without NaN
 *  Sums, means and extrema of the elements that are not NaN. If all are NaN,
 *  the sum is 0 and the other results are NaN. Dtypes are those of gg_sum,
 *  gg_mean and gg_max. */
/**@{*/
GG_PUBLIC gg_var *gg_nansum(gg_var *x, unsigned int naxes, const int *axes,
                            int keepdims);
GG_PUBLIC gg_var *gg_nanmean(gg_var *x, unsigned int naxes, const int *axes,
                             int keepdims);
GG_PUBLIC gg_var *gg_nanmax(gg_var *x, unsigned int naxes, const int *axes,
                            int keepdims);
GG_PUBLIC gg_var *gg_nanmin(gg_var *x, unsigned int naxes, const int *axes,
                            int keepdims);
/**@}*/

/** \name Comparing and cleaning */
/**@{*/
/** |a - b| <= atol + rtol |b|; equal infinities are close, NaN is close to
 *  nothing. */
GG_PUBLIC gg_var *gg_isclose(gg_var *a, gg_var *b, double rtol, double atol);
/** x with other numbers where it is NaN, infinity or -infinity. */
GG_PUBLIC gg_var *gg_nan_to_num(gg_var *x, double nan, double above,
                                double below);
/**@}*/

#ifdef __cplusplus
}
#endif

#endif
