/* SPDX-License-Identifier: BSD-2-Clause */
/** \file special.h
 *  Special functions that are composed of others, and logarithms of densities
 *  and probabilities. The functions of one to three operands are in
 *  elementwise.h.
 *
 *  Operands broadcast; integers and bool become float32. On error every
 *  function returns NULL and leaves the reason in the graph.
 */
#ifndef GPUGRAPH_SPECIAL_H
#define GPUGRAPH_SPECIAL_H

#include <gpugraph/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Derivative n of gg_digamma; n is from 0 to 100. In float32 a factorial in it
 *  overflows from 35 on. */
GG_PUBLIC gg_var *gg_polygamma(int n, gg_var *x);
/** The logarithm of the number of ways to choose k of n things. */
GG_PUBLIC gg_var *gg_log_binomial(gg_var *n, gg_var *k);

/** \name Logarithms of densities and probabilities
 *  Of x, or of a count k, under the parameters; minus infinity where x is not
 *  possible. A count that is not whole is not refused. Parameters are not
 *  checked: impossible ones give NaN or values without meaning. All have
 *  gradients by x and by the parameters. */
/**@{*/
GG_PUBLIC gg_var *gg_logpdf_normal(gg_var *x, gg_var *mean, gg_var *deviation);
GG_PUBLIC gg_var *gg_logpdf_lognormal(gg_var *x, gg_var *mean,
                                      gg_var *deviation);
GG_PUBLIC gg_var *gg_logpdf_laplace(gg_var *x, gg_var *mean, gg_var *scale);
GG_PUBLIC gg_var *gg_logpdf_cauchy(gg_var *x, gg_var *median, gg_var *scale);
GG_PUBLIC gg_var *gg_logpdf_exponential(gg_var *x, gg_var *scale);
GG_PUBLIC gg_var *gg_logpdf_gamma(gg_var *x, gg_var *shape, gg_var *scale);
GG_PUBLIC gg_var *gg_logpdf_beta(gg_var *x, gg_var *a, gg_var *b);
/** Student's distribution with so many degrees of freedom. */
GG_PUBLIC gg_var *gg_logpdf_student(gg_var *x, gg_var *freedom);
GG_PUBLIC gg_var *gg_logpdf_uniform(gg_var *x, gg_var *low, gg_var *high);
GG_PUBLIC gg_var *gg_logpdf_logistic(gg_var *x, gg_var *mean, gg_var *scale);
/** Gumbel's distribution of largest values. */
GG_PUBLIC gg_var *gg_logpdf_gumbel(gg_var *x, gg_var *mode, gg_var *scale);
GG_PUBLIC gg_var *gg_logpdf_weibull(gg_var *x, gg_var *shape, gg_var *scale);
/** The sum of so many squares of standard normal numbers. */
GG_PUBLIC gg_var *gg_logpdf_chi2(gg_var *x, gg_var *freedom);
/** Pareto's distribution of numbers from `least` on. */
GG_PUBLIC gg_var *gg_logpdf_pareto(gg_var *x, gg_var *shape, gg_var *least);
/** 1 / x has a gamma distribution of this shape and of scale 1 / scale. */
GG_PUBLIC gg_var *gg_logpdf_inverse_gamma(gg_var *x, gg_var *shape,
                                          gg_var *scale);
GG_PUBLIC gg_var *gg_logpmf_bernoulli(gg_var *k, gg_var *p);
GG_PUBLIC gg_var *gg_logpmf_binomial(gg_var *k, gg_var *n, gg_var *p);
GG_PUBLIC gg_var *gg_logpmf_poisson(gg_var *k, gg_var *rate);
/** k failures before a success of probability p. */
GG_PUBLIC gg_var *gg_logpmf_geometric(gg_var *k, gg_var *p);
/** k failures before n successes of probability p; n need not be whole. */
GG_PUBLIC gg_var *gg_logpmf_negative_binomial(gg_var *k, gg_var *n, gg_var *p);
/**@}*/

#ifdef __cplusplus
}
#endif

#endif
