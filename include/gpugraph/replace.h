/* SPDX-License-Identifier: BSD-2-Clause */
/** \file replace.h
 *  Variables with others in the place of some.
 */
#ifndef GPUGRAPH_REPLACE_H
#define GPUGRAPH_REPLACE_H

#include <gpugraph/func.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Build n variables of one graph anew: out[i] is what vars[i] were if
 *  givens[k].by had stood wherever givens[k].var stands. The list ends with a
 *  NULL `var`. All are replaced at once, and what comes in is left as it is:
 *  it may contain what it replaces, and two variables may change places. Nodes
 *  that are not above a replaced one are the same as before. `out` may be
 *  `vars`.
 *
 *  Errors, also kept in the graph: GA_VALUE_ERROR for a variable of another
 *  graph, for a type that does not fit, and for what is replaced twice; those
 *  of the ops, where sizes that were open clash now. All of out is NULL then.
 */
GG_PUBLIC int gg_replace(gg_var **out, unsigned int n, gg_var *const *vars,
                         const gg_given *givens);

#ifdef __cplusplus
}
#endif

#endif
