/* SPDX-License-Identifier: BSD-2-Clause */
/** \file numeric.h
 *  Polynomials, integrals of samples, interpolation, weighted means and
 *  covariances, with the meaning that they have in NumPy.
 *
 *  Integers and bool count as floats. On error every function returns NULL and
 *  leaves the reason in the graph.
 */
#ifndef GPUGRAPH_NUMERIC_H
#define GPUGRAPH_NUMERIC_H

#include <gpugraph/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/** c[0] x^(n - 1) + ... + c[n - 1], by Horner's rule; n is at least 1, and the
 *  coefficients broadcast to x. */
GG_PUBLIC gg_var *gg_polyval(unsigned int n, gg_var *const *c, gg_var *x);
/** The integral of samples y along an axis by the trapezoidal rule. Sample i is
 *  at x[i], where x broadcasts to y, or, if x is NULL, at i dx. */
GG_PUBLIC gg_var *gg_trapezoid(gg_var *y, gg_var *x, double dx, int axis);
/** numpy.interp: the values at x of the lines through the points
 *  (places[i], values[i]); beyond the first and the last place their values.
 *  Both are vectors of one size, and the places ascend, which is not checked.
 *  x has any shape. All three have gradients; that by x is the slope of the
 *  line right of x, and 0 beyond the ends. */
GG_PUBLIC gg_var *gg_interp(gg_var *x, gg_var *places, gg_var *values);
/** The sum of x w over the sum of w, which broadcasts to x. Axes are those of
 *  gg_mean_axes (statistics.h). */
GG_PUBLIC gg_var *gg_average(gg_var *x, gg_var *w, unsigned int naxes,
                             const int *axes, int keepdims);
/** The covariances [m, m] of m variables with n observations each, x [m, n]:
 *  sums of products over n - ddof. */
GG_PUBLIC gg_var *gg_cov(gg_var *x, unsigned int ddof);
/** The correlations [m, m], between -1 and 1; NaN of a variable that does not
 *  vary. */
GG_PUBLIC gg_var *gg_corrcoef(gg_var *x);

#ifdef __cplusplus
}
#endif

#endif
