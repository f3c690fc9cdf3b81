/* SPDX-License-Identifier: BSD-2-Clause */
/* Selecting from long rows on a GPU by narrowing them to short lists
 * (cl/topk_narrow.cl). */
#ifndef ORDER_TOPK_NARROW_H
#define ORDER_TOPK_NARROW_H

#include "order/sort_rows.h"

/* Whether narrowing serves for the first `wanted` elements of the rows of j, or
 * the last one of these alone. */
int ga__topk_narrow_fits(const ga__sort_job *j, size_t wanted, int is_one);
/* Add kernels that put these into the results, in order. */
int ga__topk_narrow_add(GpuLaunch *l, const ga__sort_job *j, size_t wanted,
                        int is_one);

#endif
