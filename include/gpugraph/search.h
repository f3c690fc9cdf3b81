/* SPDX-License-Identifier: BSD-2-Clause */
/** \file search.h
 *  Find where elements belong among sorted ones, and count how many fall
 *  between edges.
 *
 *  Elements are ordered as gg_sort orders them: NaN comes last. There are no
 *  gradients. On error every function returns NULL and leaves the reason in the
 *  graph.
 */
#ifndef GPUGRAPH_SEARCH_H
#define GPUGRAPH_SEARCH_H

#include <gpugraph/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/** For each element of x, the number of edges (int64) that are smaller, or with
 *  `right` nonzero at most as large: numpy.searchsorted, torch.searchsorted.
 *  Operands get their common dtype.
 *
 *  \param edges ascending along their last axis, which is not checked: a
 *               vector, or of the rank and the sizes of x except for the last
 *               size; then each row of x has its own edges */
GG_PUBLIC gg_var *gg_searchsorted(gg_var *edges, gg_var *x, int right);
/** gg_searchsorted among a vector of edges, with the operands the other way
 *  round: torch.bucketize. The bins of numpy.digitize are closed on the other
 *  side: its right=False is `right` nonzero here. */
GG_PUBLIC gg_var *gg_bucketize(gg_var *x, gg_var *edges, int right);

#ifdef __cplusplus
}
#endif

#endif
