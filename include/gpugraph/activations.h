/* SPDX-License-Identifier: BSD-2-Clause */
/** \file activations.h
 *  Activations by their usual names.
 *
 *  gg_relu, gg_sigmoid, gg_softplus and gg_tanh are elementwise ops
 *  (elementwise.h), gg_softmax is in ops.h. The functions here are composed of
 *  these; a kernel computes each of them with its neighbours. Integers count as
 *  floats, as in gg_exp. Parameters are numbers, unless they are to be learned.
 *  Every function returns NULL on error and leaves the reason in the graph.
 */
#ifndef GPUGRAPH_ACTIVATIONS_H
#define GPUGRAPH_ACTIVATIONS_H

#include <gpugraph/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/** \name Like relu */
/**@{*/
GG_PUBLIC gg_var *gg_relu6(gg_var *x); /**< min(max(x, 0), 6) */
/** x where x > 0, else slope x. */
GG_PUBLIC gg_var *gg_leaky_relu(gg_var *x, double slope);
/** The same with a slope that broadcasts to x and may be learned. */
GG_PUBLIC gg_var *gg_prelu(gg_var *x, gg_var *slope);
/** x where x > limit, else value. */
GG_PUBLIC gg_var *gg_threshold(gg_var *x, double limit, double value);
/** x where x > 0, else alpha (exp(x) - 1). */
GG_PUBLIC gg_var *gg_elu(gg_var *x, double alpha);
/** max(x, 0) + min(alpha (exp(x / alpha) - 1), 0); an alpha of 0 is
 *  GA_VALUE_ERROR. */
GG_PUBLIC gg_var *gg_celu(gg_var *x, double alpha);
/** scale elu(x, alpha) with the constants of Klambauer and others (2017), which
 *  keep mean 0 and variance 1. */
GG_PUBLIC gg_var *gg_selu(gg_var *x);
/**@}*/

/** \name Like x sigmoid(x) */
/**@{*/
/** x times the normal distribution's probability below x: by erf, and by the
 *  approximation with tanh of Hendrycks and Gimpel (2016). */
GG_PUBLIC gg_var *gg_gelu(gg_var *x);
GG_PUBLIC gg_var *gg_gelu_tanh(gg_var *x);
GG_PUBLIC gg_var *gg_silu(gg_var *x); /**< x sigmoid(x), also called swish */
GG_PUBLIC gg_var *gg_mish(gg_var *x); /**< x tanh(softplus(x)) */
/** min(max(x / 6 + 1 / 2, 0), 1), and x times that. */
GG_PUBLIC gg_var *gg_hard_sigmoid(gg_var *x);
GG_PUBLIC gg_var *gg_hard_swish(gg_var *x);
/** The first half of an axis times the sigmoid of the second half. The size is
 *  even, here or in the call: else GA_VALUE_ERROR. */
GG_PUBLIC gg_var *gg_glu(gg_var *x, int axis);
/** log(sigmoid(x)), finite for all finite x. */
GG_PUBLIC gg_var *gg_log_sigmoid(gg_var *x);
/**@}*/

/** \name Like tanh */
/**@{*/
GG_PUBLIC gg_var *gg_hard_tanh(gg_var *x, double lo, double hi); /**< clipped */
GG_PUBLIC gg_var *gg_softsign(gg_var *x);    /**< x / (1 + |x|) */
GG_PUBLIC gg_var *gg_tanh_shrink(gg_var *x); /**< x - tanh(x) */
/** x nearer to 0 by `by`, 0 where |x| <= by. */
GG_PUBLIC gg_var *gg_soft_shrink(gg_var *x, double by);
/** x, 0 where |x| <= by. */
GG_PUBLIC gg_var *gg_hard_shrink(gg_var *x, double by);
/**@}*/

#ifdef __cplusplus
}
#endif

#endif
