/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorting on a GPU, tile by tile in local memory (cl/sort_tile.cl). */
#ifndef ORDER_SORT_TILES_H
#define ORDER_SORT_TILES_H

#include "order/sort_input.h"

/* Whether the device has the local memory and the groups for it. */
int ga__sort_tiles_fit(const ga__sort_job *j);
/* Like ga__sort_add, for all elements of the rows. */
int ga__sort_tiles_add(GpuLaunch *l, ga__sort_job *j, ga__sort_input in);

#endif
