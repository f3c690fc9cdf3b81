/* SPDX-License-Identifier: BSD-2-Clause */
/* Launches whose kernels index by data. */
#ifndef OCL_LAUNCH_LAUNCH_GUARD_H
#define OCL_LAUNCH_LAUNCH_GUARD_H

#include <gpuarray/index_guard.h>

#include "ocl/memory/index_guard.h"

/* Add the arguments GA_GUARD_PARAMS of cl/index_guard.cl: the buffer in which
 * the kernel reports indices out of range (NULL unless the context guards
 * indices), and an id. All kernels of one launch have the same ga__indexing. */
void ga__launch_index_guard(GpuLaunch *l, const ga__indexing *x);

#endif
