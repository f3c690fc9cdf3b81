/* SPDX-License-Identifier: BSD-2-Clause */
/** \file debug.h
 *  Test values, with which the host computes a graph while it is built; ops
 *  that print or check values.
 *
 *  See also GG_DEBUG, GG_NAN_GUARD and GG_INF_GUARD (func.h), and the sites in
 *  messages (site.h).
 */
#ifndef GPUGRAPH_DEBUG_H
#define GPUGRAPH_DEBUG_H

#include <gpugraph/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Give the input `v` a test value. From now on, the host computes each node
 *  as it is built, if all its inputs have values: inputs with test values,
 *  constants, shared variables and results of such nodes. Sizes that clash are
 *  then errors of the line that builds the node, even where types leave them
 *  open.
 *
 *  \param dims  v's sizes, in elements; v's type must allow them
 *  \param value host memory, C order, v's dtype; copied
 *
 *  GA_VALUE_ERROR, which sticks to the graph, if v is no input, if a node uses
 *  it already, or if it cannot have these sizes. Compiled functions ignore test
 *  values. The host computes in plain C and double precision, so keep the sizes
 *  small. */
GG_PUBLIC int gg_test_value(gg_var *v, const size_t *dims, const void *value);
/** Return the test value of `v` in host memory, C order, borrowed until its
 *  graph is freed. NULL if there is none, because an input has none or an op
 *  has no host form (gg_op.reference). `dims` (GG_MAX_ND sizes; may be NULL)
 *  gets its sizes in elements. */
GG_PUBLIC const void *gg_var_test_value(const gg_var *v, size_t *dims);

/** \name Ops that print or check values
 *  Both return x, and gradients pass through. They run in a call that needs
 *  their result, after the kernels that they depend on. Rewrites and fusion
 *  neither cross nor remove them; ops with equal operands and messages are one
 *  node. The rewrites "remove print" and "remove assert" remove them from
 *  functions whose spec includes these names. Messages have up to 127 bytes.
 *  NULL on error, which sticks to the graph. */
/**@{*/
/** Gets the message and the value of a gg_print. The array is borrowed until
 *  the function returns, and must not be changed. Returns 0, or a GA_* code
 *  that ends the call with this error. It must not call functions. */
typedef int (*gg_print_fn)(void *arg, const char *message,
                           const GpuArray *value);
/** Set the function that gets the values of gg_print in functions compiled from
 *  `g` from now on. NULL, the default: none. */
GG_PUBLIC void gg_graph_on_print(gg_graph *g, gg_print_fn fn, void *arg);
/** Return that function; *arg gets its `arg`. */
GG_PUBLIC gg_print_fn gg_graph_printer(const gg_graph *g, void **arg);
/** Pass the value of x to the function of gg_graph_on_print, if one is set, in
 *  every call that needs the result. */
GG_PUBLIC gg_var *gg_print(gg_var *x, const char *message);
/** End the call with GA_VALUE_ERROR and the message if an element of `cond` is
 *  zero. Results of earlier steps may be stored by then. Blocks. */
GG_PUBLIC gg_var *gg_assert(gg_var *x, gg_var *cond, const char *message);
/**@}*/

#ifdef __cplusplus
}
#endif

#endif
