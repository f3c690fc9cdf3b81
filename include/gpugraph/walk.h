/* SPDX-License-Identifier: BSD-2-Clause */
/** \file walk.h
 *  Walk from variables to what they are computed from.
 *
 *  Lists end with NULL, as in func.h. *n receives the length of the result; `n`
 *  may be NULL. For example, the shared variables of a model:
 *
 *      gg_var **params;
 *      size_t n;
 *      if (gg_leaves(&params, &n, GG_VARS(loss), NULL, GG_LEAF_SHARED) == 0) {
 *        ...
 *        gg_list_free(params);
 *      }
 *
 *  A walk goes from `vars` to leaves, or to the variables in `until` (NULL:
 *  none), which it includes but does not pass. A loop and a choice are one node
 *  each, and default updates of shared variables are not followed. Walks build
 *  nothing. Their time is linear in the number of variables older than the
 *  newest of `vars`.
 *
 *  Errors, also kept in the graph: GA_VALUE_ERROR when `vars` is empty and for
 *  variables of another graph; GA_MEMORY_ERROR; an earlier error of the graph,
 *  since a variable may be missing then. On failure *out is NULL, *n is 0. */
#ifndef GPUGRAPH_WALK_H
#define GPUGRAPH_WALK_H

#include <gpugraph/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/** List all variables that a walk reaches, each once, in the order in which
 *  they were built, so that inputs come before what is computed from them.
 *  They include `vars` and those of `until` that the walk reaches. Outputs of
 *  a node that the walk does not reach are left out. The caller frees the list
 *  (gg_list_free); its variables are the graph's. */
GG_PUBLIC int gg_ancestors(gg_var ***out, size_t *n, gg_var *const *vars,
                           gg_var *const *until);

/** Kinds of leaves, to be combined with |. */
#define GG_LEAF_INPUT 1 /**< also rows and states of a loop */
#define GG_LEAF_SHARED 2
#define GG_LEAF_CONST 4
#define GG_LEAF_ANY 7

/** List only the leaves of these kinds. GA_VALUE_ERROR for other kinds. */
GG_PUBLIC int gg_leaves(gg_var ***out, size_t *n, gg_var *const *vars,
                        gg_var *const *until, int kinds);

/** List the nodes (op.h) that compute `vars` from leaves and from the
 *  variables of `until`, each once, inputs before users. The caller frees the
 *  list (gg_list_free); its nodes are the graph's. */
GG_PUBLIC int gg_toposort(gg_apply ***out, size_t *n, gg_var *const *vars,
                          gg_var *const *until);

/** Set *yes to 1 if `v` is `on` or is computed from it, else to 0. */
GG_PUBLIC int gg_depends_on(int *yes, gg_var *v, gg_var *on);

/** Return the variable that `v` is a view of, through all view ops between
 *  them; `v` itself if no view op computes it. A call may still copy where
 *  strides do not allow a view, and results have memory of their own
 *  (borrowed_outputs in func.h). NULL for NULL. */
GG_PUBLIC gg_var *gg_view_root(gg_var *v);

/** Find which outputs have gradients by which inputs. `yes` has one element
 *  for each pair of an input and one of the m outputs: yes[i * m + j] is 1 if
 *  a path leads from outputs[j] back to inputs[i] through floats and connected
 *  operands (gg_op.connected), else 0. A float is connected with itself;
 *  shapes, indices and results of gg_stop_gradient are connected with nothing.
 *  Where it is 1 gg_grad finds a path, but an op may still refuse
 *  (gg_op.no_grad). Takes one pass over the graph for each input. All elements
 *  are 0 on error. */
GG_PUBLIC int gg_connections(unsigned char *yes, gg_var *const *inputs,
                             gg_var *const *outputs);

/** Free a list, but not its variables or nodes. Accepts NULL. */
GG_PUBLIC void gg_list_free(void *list);

#ifdef __cplusplus
}
#endif

#endif
