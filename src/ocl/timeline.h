/* SPDX-License-Identifier: BSD-2-Clause */
/* Device time in a timeline (gpuarray/timeline.h). */
#ifndef OCL_TIMELINE_H
#define OCL_TIMELINE_H

#include <gpuarray/timeline.h>

#include "ocl/objects.h"

/* Record what lies between two events, which are retained. Those of a kernel
 * are the same; others are markers, and their ends count. `host` is the time
 * just before `first` was enqueued (gpuarray_timeline_now); 0: nothing is
 * recorded. */
void ga__timeline_device(const gpucontext *ctx, const char *name,
                         cl_event first, cl_event last, uint64_t host);

#endif
