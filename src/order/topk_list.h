/* SPDX-License-Identifier: BSD-2-Clause */
/* Selecting few elements of long rows by lists, which read a row once
 * (cl/topk_list.cl, cl/topk_heap.cl). */
#ifndef ORDER_TOPK_LIST_H
#define ORDER_TOPK_LIST_H

#include "order/sort_rows.h"

/* Whether lists of the first `wanted` elements serve for the rows of j. */
int ga__topk_list_fits(const ga__sort_job *j, size_t wanted);
/* Add kernels that put the last j->k of the first `wanted` elements in order
 * into the results. */
int ga__topk_list_add(GpuLaunch *l, ga__sort_job *j, size_t wanted);

#endif
