/* SPDX-License-Identifier: BSD-2-Clause */
/* Creating contexts. */
#ifndef OCL_CONTEXT_NEW_H
#define OCL_CONTEXT_NEW_H

#include <gpuarray/foreign.h>

#include "ocl/device/device.h"

/* Create a context on a described device. With `queue` NULL it makes a queue.
 * The context takes over a reference to `cl` and one to `queue`, also on
 * failure, unless how->hold is GPU_BORROW. `how` may be NULL. On failure
 * how->drop is not called. */
int ga__ctx_new(gpucontext **out, const ga__device *dev, cl_context cl,
                cl_command_queue queue, const gpuforeign *how,
                gpucontext_props *props);

#endif
