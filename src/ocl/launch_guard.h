/* SPDX-License-Identifier: BSD-2-Clause */
/* Launches whose kernels index by data. */
#ifndef OCL_LAUNCH_GUARD_H
#define OCL_LAUNCH_GUARD_H

#include <gpuarray/index_guard.h>

#include "ocl/index_guard.h"

/* GA_GUARD_PARAMS of cl/index_guard.cl, which stands in front of the source:
 * the buffer that the kernel reports indices out of range in, if the context
 * guards indices, and an id. All kernels of a launch index in one way. */
void ga__launch_index_guard(GpuLaunch *l, const ga__indexing *x);

#endif
