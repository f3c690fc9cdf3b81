/* SPDX-License-Identifier: BSD-2-Clause */
/** \file debug.h
 *  Test values: a graph that computes while it is built. Values that are shown
 *  or checked on their way.
 *
 *  See also GG_DEBUG, GG_NAN_GUARD and GG_INF_GUARD (func.h), and the places in
 *  messages (site.h).
 */
#ifndef GPUGRAPH_DEBUG_H
#define GPUGRAPH_DEBUG_H

#include <gpugraph/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Give `v`, an input, a value to build with: from now on every node that
 *  follows from inputs with such values, constants and shared variables is
 *  computed by the host in the moment when it is built. Sizes that clash are
 *  errors of the line that made them clash, though the types leave them open.
 *
 *  \param dims  sizes, which v's type must allow
 *  \param value host memory, C order, v's dtype; copied
 *
 *  GA_VALUE_ERROR, kept in the graph, when v is no input, has been used by a
 *  node already, or cannot have these sizes. Functions that are compiled do not
 *  see test values. Plain C in double precision: keep them small. */
GG_PUBLIC int gg_test_value(gg_var *v, const size_t *dims, const void *value);
/** The test value of `v`, C order, borrowed until its graph is freed; NULL if
 *  there is none: an input on the way has none, or an op has no host form
 *  (gg_op.reference). `dims` (GG_MAX_ND sizes; may be NULL) gets its sizes. */
GG_PUBLIC const void *gg_var_test_value(const gg_var *v, size_t *dims);

/** \name Values on their way
 *  Both give x itself, and gradients pass through. They happen when a function
 *  computes what uses them, after the kernels before them; rewrites move and
 *  fuse nothing across them and leave them in place, but those of equal
 *  operands and messages are one. The rewrites "remove print" and "remove
 *  assert" drop them from functions whose spec includes these names. Messages
 *  have up to 127 bytes. NULL on error, kept in the graph. */
/**@{*/
/** Called with what a gg_print meets: its message and its value, an array that
 *  is borrowed for the length of the call and not to be changed. Returns 0, or
 *  a GA_* code that ends the function's call. It must not call functions. */
typedef int (*gg_print_fn)(void *arg, const char *message,
                           const GpuArray *value);
/** Show the values of gg_print to `fn`, in functions made of `g` from now on;
 *  NULL: to nobody, as at first. */
GG_PUBLIC void gg_graph_on_print(gg_graph *g, gg_print_fn fn, void *arg);
/** Who that is, and its `arg`. */
GG_PUBLIC gg_print_fn gg_graph_printer(const gg_graph *g, void **arg);
GG_PUBLIC gg_var *gg_print(gg_var *x, const char *message);
/** A call where an element of `cond` is zero ends with GA_VALUE_ERROR and the
 *  message; what is computed before may be stored by then. Waits for the
 *  device. */
GG_PUBLIC gg_var *gg_assert(gg_var *x, gg_var *cond, const char *message);
/**@}*/

#ifdef __cplusplus
}
#endif

#endif
