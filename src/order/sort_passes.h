/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernels of a sort in a launch. */
#ifndef ORDER_SORT_PASSES_H
#define ORDER_SORT_PASSES_H

#include "order/sort_input.h"

/* Add kernels that put the elements of `in` in order, and j->k of them into the
 * results of j, which has at least one element: all, unless rows are short (at
 * most GA_SORT_SHORT elements). The results must not be what `in` has. */
int ga__sort_add(GpuLaunch *l, ga__sort_job *j, ga__sort_input in);

#endif
