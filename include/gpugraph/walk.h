/* SPDX-License-Identifier: BSD-2-Clause */
/** \file walk.h
 *  What variables are computed from.
 *
 *  Lists go in and come out as func.h has them, with NULL at the end; *n gets
 *  the length of what comes out and may be NULL. The shared variables of a
 *  model, say:
 *
 *      gg_var **params;
 *      size_t n;
 *      if (gg_leaves(&params, &n, GG_VARS(loss), NULL, GG_LEAF_SHARED) == 0) {
 *        ...
 *        gg_list_free(params);
 *      }
 *
 *  A walk goes from `vars` to leaves, or to the variables in `until` (NULL:
 *  none), which it reaches and does not enter. A loop and a choice are one node
 *  each, and default updates of shared variables are not followed. Walks build
 *  nothing, and take as long as there are variables older than the newest of
 *  `vars`.
 *
 *  Errors, also kept in the graph: GA_VALUE_ERROR where `vars` is empty and for
 *  variables of another graph, GA_MEMORY_ERROR; what went wrong in the graph
 *  before, since a variable may be missing then. *out is NULL and *n is 0 then.
 */
#ifndef GPUGRAPH_WALK_H
#define GPUGRAPH_WALK_H

#include <gpugraph/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/** All variables that a walk reaches, each once, in the order in which they
 *  were built, so that inputs come before what is computed from them. `vars`
 *  and what of `until` is reached are among them; of the outputs of a node
 *  those that something asks for. The caller frees the list (gg_list_free); its
 *  variables are the graph's. */
GG_PUBLIC int gg_ancestors(gg_var ***out, size_t *n, gg_var *const *vars,
                           gg_var *const *until);

/** Kinds of leaves, to be added up. */
#define GG_LEAF_INPUT 1 /**< also what stands for a row or state of a loop */
#define GG_LEAF_SHARED 2
#define GG_LEAF_CONST 4
#define GG_LEAF_ANY 7

/** The same, leaves of these kinds only. GA_VALUE_ERROR for other kinds. */
GG_PUBLIC int gg_leaves(gg_var ***out, size_t *n, gg_var *const *vars,
                        gg_var *const *until, int kinds);

/** The nodes (op.h) that lie between `vars` and `until`, or leaves: those that
 *  compute `vars` when `until` is given. Each once, inputs before users. The
 *  caller frees the list (gg_list_free); its nodes are the graph's. */
GG_PUBLIC int gg_toposort(gg_apply ***out, size_t *n, gg_var *const *vars,
                          gg_var *const *until);

/** Set *yes to 1 if `v` is `on` or is computed from it, else to 0. */
GG_PUBLIC int gg_depends_on(int *yes, gg_var *v, gg_var *on);

/** The variable whose memory `v` shows: the input of the view that computes it
 *  (op.h), or of the views before that one, as far up as they go; `v` itself
 *  where it is no view. A call may still copy on the way: where strides do not
 *  allow a view, and results have memory of their own (borrowed_outputs in
 *  func.h). NULL for NULL. */
GG_PUBLIC gg_var *gg_view_root(gg_var *v);

/** Which outputs depend on which inputs as far as gradients go: yes[i * m + j],
 *  of which the caller has as many as there are inputs times the m outputs, is
 *  1 if a path leads from outputs[j] back to inputs[i] through floats and
 *  through operands that ops are connected with (gg_op.connected), else 0. A
 *  float is connected with itself; shapes, indices and what gg_stop_gradient
 *  returns with nothing. Where it is 1 gg_grad finds a way, which an op may
 *  still refuse (gg_op.no_grad). A pass over the graph for each input. All 0 on
 *  error. */
GG_PUBLIC int gg_connections(unsigned char *yes, gg_var *const *inputs,
                             gg_var *const *outputs);

/** Free a list, not what is in it. Accepts NULL. */
GG_PUBLIC void gg_list_free(void *list);

#ifdef __cplusplus
}
#endif

#endif
