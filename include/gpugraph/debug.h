/* SPDX-License-Identifier: BSD-2-Clause */
/** \file debug.h
 *  Test values, which compute a graph while it is built; ops that show or check
 *  values.
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

/** Give the input `v` a test value. From now on the host computes every node
 *  that follows from inputs with test values, constants and shared variables
 *  when it is built. Sizes that clash are errors of the line that builds the
 *  node, even where types leave them open.
 *
 *  \param dims  sizes, which v's type must allow
 *  \param value host memory, C order, v's dtype; copied
 *
 *  GA_VALUE_ERROR, kept in the graph, when v is no input, when a node uses it
 *  already, or when it cannot have these sizes. Compiled functions ignore test
 *  values. The host computes in plain C and double precision: keep them
 *  small. */
GG_PUBLIC int gg_test_value(gg_var *v, const size_t *dims, const void *value);
/** The test value of `v`, C order, borrowed until its graph is freed; NULL if
 *  there is none, because an input has none or an op has no host form
 *  (gg_op.reference). `dims` (GG_MAX_ND sizes; may be NULL) gets its sizes. */
GG_PUBLIC const void *gg_var_test_value(const gg_var *v, size_t *dims);

/** \name Ops that show or check values
 *  Both return x, and gradients pass through. They run when a function computes
 *  their users, after the kernels before them. Rewrites and fusion do not cross
 *  or remove them; those with equal operands and messages are one. The rewrites
 *  "remove print" and "remove assert" drop them from functions whose spec
 *  includes these names. Messages have up to 127 bytes. NULL on error, kept in
 *  the graph. */
/**@{*/
/** Called with the message and the value of a gg_print; the array is borrowed
 *  for the call and must not be changed. Returns 0, or a GA_* code that ends
 *  the function's call. It must not call functions. */
typedef int (*gg_print_fn)(void *arg, const char *message,
                           const GpuArray *value);
/** Set the function that gets the values of gg_print, in functions compiled
 *  from `g` from now on; NULL, the default: none. */
GG_PUBLIC void gg_graph_on_print(gg_graph *g, gg_print_fn fn, void *arg);
/** That function, and its `arg`. */
GG_PUBLIC gg_print_fn gg_graph_printer(const gg_graph *g, void **arg);
GG_PUBLIC gg_var *gg_print(gg_var *x, const char *message);
/** A call ends with GA_VALUE_ERROR and the message when an element of `cond` is
 *  zero; results of earlier steps may be stored by then. Blocks. */
GG_PUBLIC gg_var *gg_assert(gg_var *x, gg_var *cond, const char *message);
/**@}*/

#ifdef __cplusplus
}
#endif

#endif
