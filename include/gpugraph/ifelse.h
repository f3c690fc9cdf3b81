/* SPDX-License-Identifier: BSD-2-Clause */
/** \file ifelse.h
 *  Lazy choices: of two values, only the one that is chosen is computed.
 *
 *  gg_where chooses element by element and computes both of its operands.
 *  gg_ifelse chooses whole values by one condition: nodes that only one branch
 *  needs run only when that branch is taken. Nodes that both branches or other
 *  users need are computed as usual.
 */
#ifndef GPUGRAPH_IFELSE_H
#define GPUGRAPH_IFELSE_H

#include <gpugraph/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/** `yes` if `cond`, a scalar, is not 0, else `no`. Both must have the same
 *  dtype and rank. Known sizes must agree; calls compare the others, unless a
 *  size in a branch follows from data, as that of a selection does: then the
 *  value has the sizes of the branch that was taken. The host reads the
 *  condition, so a call blocks.
 *
 *  Gradients pass to the branch that was taken; the other one gets zeros. */
GG_PUBLIC gg_var *gg_ifelse(gg_var *cond, gg_var *yes, gg_var *no);
/** Choose n values by one condition: out[i] is yes[i] or no[i]. On error all
 *  are NULL, and the error is returned and kept in the graph. */
GG_PUBLIC int gg_ifelse_all(gg_var **out, gg_var *cond, unsigned int n,
                            gg_var *const *yes, gg_var *const *no);

#ifdef __cplusplus
}
#endif

#endif
