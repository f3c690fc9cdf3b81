/* SPDX-License-Identifier: BSD-2-Clause */
/** \file debug.h
 *  Test values: a graph that computes while it is built.
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

#ifdef __cplusplus
}
#endif

#endif
