/* SPDX-License-Identifier: BSD-2-Clause */
/** \file grad.h
 *  Reverse-mode differentiation.
 */
#ifndef GPUGRAPH_GRAD_H
#define GPUGRAPH_GRAD_H

#include <gpugraph/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Build d cost / d wrt[i] into out[i].
 *
 *  \param out  n results; each has the type of wrt[i]. All NULL on error.
 *  \param cost a float scalar
 *
 *  Errors, also kept in the graph: GA_VALUE_ERROR when the cost is not a
 *  scalar, is an integer, when some wrt[i] is an integer or does not influence
 *  the cost; GA_UNSUPPORTED_ERROR when an op on the way has no gradient. */
GG_PUBLIC int gg_grad(gg_var **out, gg_var *cost, unsigned int n,
                      gg_var *const *wrt);

/** Flags of gg_grad_ex. */
#define GG_GRAD_ALLOW_DISCONNECTED 1 /**< zeros instead of an error */

/** The same with flags, and with values taken as constant. */
GG_PUBLIC int gg_grad_ex(gg_var **out, gg_var *cost, unsigned int n,
                         gg_var *const *wrt, unsigned int n_constant,
                         gg_var *const *constant, int flags);

/** The value of x with a gradient of zero; gg_grad treats the path as not
 *  there. */
GG_PUBLIC gg_var *gg_stop_gradient(gg_var *x);

#ifdef __cplusplus
}
#endif

#endif
