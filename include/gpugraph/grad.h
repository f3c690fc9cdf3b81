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
 *  Errors, also kept in the graph: GA_VALUE_ERROR when the cost is not a scalar
 *  or is an integer, or when some wrt[i] is an integer or does not influence
 *  the cost; GA_UNSUPPORTED_ERROR when an op in between has no gradient: the
 *  message has the op, the operand, the reason that its author gave, and the
 *  site. */
GG_PUBLIC int gg_grad(gg_var **out, gg_var *cost, unsigned int n,
                      gg_var *const *wrt);

/** Flags of gg_grad_ex. */
#define GG_GRAD_ALLOW_DISCONNECTED 1 /**< zeros instead of an error */
#define GG_GRAD_NULL_DISCONNECTED 2  /**< NULL instead of an error */
/** Where the cost and a variable have names, name the gradient "(dcost/dw)" in
 *  pictures and messages. Gradients that have a name keep it. */
#define GG_GRAD_NAMES 4

/** The same with flags, and with values taken as constant. */
GG_PUBLIC int gg_grad_ex(gg_var **out, gg_var *cost, unsigned int n,
                         gg_var *const *wrt, unsigned int n_constant,
                         gg_var *const *constant, int flags);

/** What to differentiate. NULL lists are empty. */
typedef struct gg_grad_spec {
  gg_var *cost; /**< a float scalar; NULL: only the known gradients count */
  unsigned int n_wrt;
  gg_var *const *wrt;
  unsigned int n_constant; /**< values taken as constant */
  gg_var *const *constant;
  /** known_grad[i] is the gradient of known[i], whatever else depends on
   *  known[i]. Use it where the rest of the cost is computed elsewhere. Each
   *  has the type of its variable. */
  unsigned int n_known;
  gg_var *const *known, *const *known_grad;
  int flags; /**< GG_GRAD_* */
} gg_grad_spec;

/** gg_grad by a spec; out has n_wrt results. */
GG_PUBLIC int gg_grad_of(gg_var **out, const gg_grad_spec *spec);

/** Build the products of `seed` with the Jacobian of y (L operator): out[i] is
 *  the gradient of sum over j of sum(y[j] seed[j]) in wrt[i]. seed[j] has the
 *  type of y[j]. */
GG_PUBLIC int gg_lop(gg_var **out, unsigned int n_y, gg_var *const *y,
                     gg_var *const *seed, unsigned int n, gg_var *const *wrt);

/** Build the Jacobians of the float vector y: out[i] is [m, ...] for y [m] and
 *  wrt[i] [...], row k the gradient of y[k]; zeros where there is no influence.
 *  Rows are computed one by one: unrolled for a vector that is known to be
 *  short, else in a loop (scan.h). For a scalar y it is the gradient. */
GG_PUBLIC int gg_jacobian(gg_var **out, gg_var *y, unsigned int n,
                          gg_var *const *wrt);
/** Build the second derivatives of a scalar cost in vectors: out[i] is [m, m],
 * d2 cost / d wrt[i] d wrt[i]. */
GG_PUBLIC int gg_hessian(gg_var **out, gg_var *cost, unsigned int n,
                         gg_var *const *wrt);

/** \name x with another gradient
 *  The value is that of x. */
/**@{*/
/** No gradient: gg_grad ignores the path. */
GG_PUBLIC gg_var *gg_stop_gradient(gg_var *x);
/** Zeros, along a path that counts as connected. */
GG_PUBLIC gg_var *gg_zero_gradient(gg_var *x);
/** Each element of the gradient clipped to [lo, hi]. */
GG_PUBLIC gg_var *gg_clip_gradient(gg_var *x, double lo, double hi);
/** The gradient times `factor`; -1 reverses it. */
GG_PUBLIC gg_var *gg_scale_gradient(gg_var *x, double factor);
/** No gradient, as an error: a gg_grad that needs it gets GA_UNSUPPORTED_ERROR,
 *  with `reason` (at most 127 bytes) and the site in the message. Gradients
 *  along other paths are not affected. For values without a meaningful
 *  gradient; an op of your own uses gg_op.no_grad (op.h). */
GG_PUBLIC gg_var *gg_undefined_gradient(gg_var *x, const char *reason);
/**@}*/

/** Compare gradients with differences of the function.
 *
 *  \param y     any float variable; sum(y r) is differentiated, with fixed
 *               random numbers r in [0.5, 1.5)
 *  \param wrt   n inputs: all that y depends on, besides shared variables
 *  \param at    their values
 *  \param step  of the central differences; 0: 1e-6 for float64, 1e-2 else
 *  \param rtol  tolerance relative to the greatest gradient of that input; 0:
 *               1e-6 for float64, 1e-2 else
 *
 *  Integer inputs are taken as constant. Runs the function twice per element
 *  and blocks. GA_VALUE_ERROR when a gradient is wrong: the message, kept in
 *  the graph, has the input, the first element and both values; reset it before
 *  you go on building. */
GG_PUBLIC int gg_check_gradient(gg_var *y, unsigned int n, gg_var *const *wrt,
                                GpuArray *const *at, double step, double rtol);

#ifdef __cplusplus
}
#endif

#endif
