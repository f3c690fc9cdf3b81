/* SPDX-License-Identifier: BSD-2-Clause */
/* Selection of one element in a launch of others. */
#ifndef ORDER_TOPK_H
#define ORDER_TOPK_H

#include "order/sort_rows.h"

/* Add kernels that put the element of a rank of each row of j, which have more
 * than GA_SORT_SHORT elements, into a workspace. What j stores is not used. */
int ga__topk_add_rank(GpuLaunch *l, const ga__sort_job *j, size_t rank,
                      ga__sort_place *to);

#endif
