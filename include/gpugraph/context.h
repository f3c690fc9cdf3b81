/* SPDX-License-Identifier: BSD-2-Clause */
/** \file context.h
 *  Several devices in one graph.
 *
 *  Every variable whose values are on a device has a context, which is part of
 *  its type (gg_type). A shared variable has the context of its array, and the
 *  result of an op that of the operands. An input has the graph's own context
 *  unless gg_input_in made it. Operands in two contexts are an error that names
 *  both: only gg_transfer moves values.
 *
 *      gg_var *half = gg_slice(x, 0, GG_END, n / 2, 1);
 *      gg_var *there = gg_sum(gg_sqr(gg_transfer(half, other)));
 *      gg_var *here = gg_transfer(there, gg_graph_context(g));
 *
 *  Constants, sizes (gg_shape, gg_size) and values computed from these alone
 *  have no context: they fit any operand. If they are results, they are in the
 *  graph's own context.
 *
 *  The devices work at the same time: a call first enqueues, on all of them,
 *  the steps that wait for no transfer. It blocks only until the sources of
 *  transfers are read. */
#ifndef GPUGRAPH_CONTEXT_H
#define GPUGRAPH_CONTEXT_H

#include <gpugraph/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Move `x` to `ctx` (NULL: the graph's own context). Returns `x` itself if it
 *  is there already, else a copy that each call makes. A copy of a copy is
 *  made from the original, so a transfer there and back is no copy at all.
 *  Gradients go the other way. GA_VALUE_ERROR, kept in the graph, when the
 *  context is gone. */
GG_PUBLIC gg_var *gg_transfer(gg_var *x, gpucontext *ctx);

/** Create an input whose arrays are in `ctx`. `dims` is as for gg_input_sized;
 *  NULL: any sizes. */
GG_PUBLIC gg_var *gg_input_in(gg_graph *g, gpucontext *ctx, const char *name,
                              int dtype, unsigned int nd, const int64_t *dims);

/** Return the context of a variable's values; the graph's own for variables
 *  that go with any. Borrowed. NULL for NULL. */
GG_PUBLIC gpucontext *gg_var_context(const gg_var *v);

/** \name For authors of ops */
/**@{*/
/** Find the one context of all variables, except those that go with any; the
 *  graph's own if there are no others. GA_VALUE_ERROR, kept in their graphs,
 *  when there is no variable or two are in different contexts; *ctx is NULL
 *  then. */
GG_PUBLIC int gg_infer_context(gpucontext **ctx, unsigned int n,
                               gg_var *const *vars);
/** gg_transfer that refuses a `ctx` of NULL. */
GG_PUBLIC gg_var *gg_as_gpu_variable(gg_var *x, gpucontext *ctx);
/** The same for n variables; `out` may be `vars`. */
GG_PUBLIC int gg_as_context(gpucontext *ctx, unsigned int n,
                            gg_var *const *vars, gg_var **out);
/**@}*/

/** \name Names
 *  Messages, profiles and prints show them, and contexts can be looked up by
 *  them. They are valid in the whole process. Any thread may call these
 *  functions. */
/**@{*/
/** Register a name for a context, which is retained until the name is
 *  unregistered. GA_VALUE_ERROR when the name is empty or taken, or when the
 *  context has a name or is gone. */
GG_PUBLIC int gg_context_register(const char *name, gpucontext *ctx);
/** Unregister a name and release its context. GA_VALUE_ERROR when there is no
 *  such name. */
GG_PUBLIC int gg_context_unregister(const char *name);
/** Look up a context by name. Borrowed; NULL, with a GA_VALUE_ERROR recorded
 *  whose message lists the names, if there is none. */
GG_PUBLIC gpucontext *gg_context_get(const char *name);
/** Write the text for a context in prints: its name, else its device and index,
 *  "NVIDIA H200 (ocl0:1)". Always terminated. Returns `buf`. */
GG_PUBLIC char *gg_context_text(gpucontext *ctx, char *buf, size_t bytes);
/**@}*/

#ifdef __cplusplus
}
#endif

#endif
