/* SPDX-License-Identifier: BSD-2-Clause */
/* The guard of edges: what searches among sorted elements has a kernel that
 * reports where they decrease. */
#ifndef ORDER_CHECK_EDGES_H
#define ORDER_CHECK_EDGES_H

#include <gpuarray/array.h>

#include "ocl/ocl.h"

/* Add that kernel for the edges in a slot, which ascend along their last axis.
 * It runs while the launch guards indices. */
void ga__check_edges(GpuLaunch *l, const GpuArray *edges, unsigned int slot);

#endif
