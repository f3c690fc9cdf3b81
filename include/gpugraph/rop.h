/* SPDX-License-Identifier: BSD-2-Clause */
/** \file rop.h
 *  Forward-mode differentiation: derivatives along a direction.
 */
#ifndef GPUGRAPH_ROP_H
#define GPUGRAPH_ROP_H

#include <gpugraph/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Build the derivative of y[j] when every wrt[i] moves along dir[i]: the
 *  product of the Jacobian with the direction (R operator).
 *
 *  \param out n_y results; out[j] has the type of y[j], and is zeros if y[j]
 *             is connected with no wrt (gg_op.connected), as samples are not
 *             with probabilities. All NULL on error.
 *  \param dir n directions; dir[i] has the type of wrt[i]
 *
 *  For an op with a `rop` it uses that; for others it differentiates the
 *  gradient once more. Errors, also kept in the graph: GA_VALUE_ERROR for
 *  integers and for types that differ, GA_UNSUPPORTED_ERROR when an op in
 *  between has neither rop nor gradient. */
GG_PUBLIC int gg_rop(gg_var **out, unsigned int n_y, gg_var *const *y,
                     unsigned int n, gg_var *const *wrt, gg_var *const *dir);

#ifdef __cplusplus
}
#endif

#endif
