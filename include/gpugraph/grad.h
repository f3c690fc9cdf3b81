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
 *  \param out  n results; out[i] has the type of wrt[i]. All NULL on error.
 *  \param cost a float scalar
 *
 *  Errors, also kept in the graph: GA_VALUE_ERROR when the cost is not a scalar
 *  or is an integer, or when some wrt[i] is an integer or does not influence
 *  the cost; GA_UNSUPPORTED_ERROR when an op in between has no gradient. The
 *  message names the op, the operand, the reason that the op gives, and the
 *  site. */
GG_PUBLIC int gg_grad(gg_var **out, gg_var *cost, unsigned int n,
                      gg_var *const *wrt);

/** Flags of gg_grad_ex. */
#define GG_GRAD_ALLOW_DISCONNECTED 1 /**< zeros instead of an error */
#define GG_GRAD_NULL_DISCONNECTED 2  /**< NULL instead of an error */
/** If the cost and a variable have names, name the gradient "(dcost/dw)" in
 *  pictures and messages. Gradients that have a name keep it. */
#define GG_GRAD_NAMES 4

/** gg_grad with flags, and with variables that count as constants. */
GG_PUBLIC int gg_grad_ex(gg_var **out, gg_var *cost, unsigned int n,
                         gg_var *const *wrt, unsigned int n_constant,
                         gg_var *const *constant, int flags);

/** What to differentiate. A list may be NULL if its count is 0. */
typedef struct gg_grad_spec {
  gg_var *cost; /**< a float scalar, or NULL: only the known gradients count */
  unsigned int n_wrt;
  gg_var *const *wrt;
  unsigned int n_constant; /**< variables that count as constants */
  gg_var *const *constant;
  /** known_grad[i] is taken as the gradient for known[i], whatever else depends
   *  on known[i]. Use it if the rest of the cost is computed elsewhere.
   *  known_grad[i] has the type of known[i]. */
  unsigned int n_known;
  gg_var *const *known, *const *known_grad;
  int flags; /**< GG_GRAD_* */
} gg_grad_spec;

/** gg_grad as a spec describes it; out has n_wrt results. */
GG_PUBLIC int gg_grad_of(gg_var **out, const gg_grad_spec *spec);

/** Build the products of `seed` with the Jacobian of y (L operator): out[i] is
 *  the gradient, with respect to wrt[i], of the sum over j of sum(y[j]
 *  seed[j]). seed[j] has the type of y[j]. */
GG_PUBLIC int gg_lop(gg_var **out, unsigned int n_y, gg_var *const *y,
                     gg_var *const *seed, unsigned int n, gg_var *const *wrt);

/** Build the Jacobians of the float vector y: out[i] is [m, ...] for y [m] and
 *  wrt[i] [...]. Row k is the gradient of y[k]; it is zeros where wrt[i] has no
 *  influence. Rows are computed one by one: unrolled for a vector that is known
 *  to be short, else in a loop (scan.h). For a scalar y the result is the
 *  gradient. */
GG_PUBLIC int gg_jacobian(gg_var **out, gg_var *y, unsigned int n,
                          gg_var *const *wrt);
/** Build the second derivatives of a scalar cost with respect to vectors: for
 *  wrt[i] [m], out[i] [m, m] is d2 cost / d wrt[i] d wrt[i]. */
GG_PUBLIC int gg_hessian(gg_var **out, gg_var *cost, unsigned int n,
                         gg_var *const *wrt);

/** \name x with another gradient
 *  The value is that of x. */
/**@{*/
/** gg_grad ignores this path. */
GG_PUBLIC gg_var *gg_stop_gradient(gg_var *x);
/** The gradient is zeros, and the path counts as connected. */
GG_PUBLIC gg_var *gg_zero_gradient(gg_var *x);
/** Each element of the gradient is clipped to [lo, hi]. */
GG_PUBLIC gg_var *gg_clip_gradient(gg_var *x, double lo, double hi);
/** The gradient is multiplied by `factor`; -1 reverses it. */
GG_PUBLIC gg_var *gg_scale_gradient(gg_var *x, double factor);
/** gg_grad fails with GA_UNSUPPORTED_ERROR if it needs this gradient; the
 *  message has `reason` (at most 127 bytes) and the site. Gradients along other
 *  paths are not affected. Use it for values without a meaningful gradient. Ops
 *  of your own use gg_op.no_grad (op.h). */
GG_PUBLIC gg_var *gg_undefined_gradient(gg_var *x, const char *reason);
/**@}*/

/** Compare gradients with finite differences of the function.
 *
 *  \param y     any float variable; sum(y r) is differentiated, with fixed
 *             random values r in [0.5, 1.5)
 *  \param wrt   n inputs: all inputs that y depends on
 *  \param at    their values
 *  \param step  of the central differences; 0: 1e-6 for float64, 1e-2 otherwise
 *  \param rtol  tolerance relative to the largest gradient of that input; 0:
 *             1e-6 for float64, 1e-2 otherwise
 *
 *  Integer inputs count as constants. Runs the function twice per element and
 *  blocks. GA_VALUE_ERROR when a gradient is wrong: the message, kept in the
 *  graph, names the input, the first wrong element and both values. Reset the
 *  graph's error before you build more. */
GG_PUBLIC int gg_check_gradient(gg_var *y, unsigned int n, gg_var *const *wrt,
                                GpuArray *const *at, double step, double rtol);

#ifdef __cplusplus
}
#endif

#endif
