/* SPDX-License-Identifier: BSD-2-Clause */
/** \file replace.h
 *  Replace variables in expressions, and copy expressions to other graphs.
 */
#ifndef GPUGRAPH_REPLACE_H
#define GPUGRAPH_REPLACE_H

#include <gpugraph/func.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Build n variables of one graph again: out[i] is vars[i] with givens[k].var
 *  replaced by givens[k].by. The list ends with a NULL `var`. All are replaced
 *  at once, and nothing is replaced inside the replacements: these may contain
 *  what they replace, and two variables may be swapped. Nodes that do not
 *  depend on a replaced variable stay the same. `out` may be `vars`.
 *
 *  Errors, also kept in the graph: GA_VALUE_ERROR for a variable of another
 *  graph, for a type that does not fit, and for a variable that is replaced
 *  twice; errors of ops, if sizes that were unknown clash now. All of `out` is
 *  NULL then. */
GG_PUBLIC int gg_replace(gg_var **out, unsigned int n, gg_var *const *vars,
                         const gg_given *givens);

/** The same into another graph: build copies of n variables in `to`. The list
 *  replaces variables by variables of `to`. Other inputs are copied with their
 *  names, and shared variables share their values with those they are copied
 *  from. Default updates are not copied.
 *
 *  Errors, also kept in `to`: those of gg_replace; GA_VALUE_ERROR if a `by` is
 *  not in `to`. All of `out` is NULL then. */
GG_PUBLIC int gg_replace_in(gg_graph *to, gg_var **out, unsigned int n,
                            gg_var *const *vars, const gg_given *givens);

#ifdef __cplusplus
}
#endif

#endif
