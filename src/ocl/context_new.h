/* SPDX-License-Identifier: BSD-2-Clause */
/* Contexts made of devices. */
#ifndef OCL_CONTEXT_NEW_H
#define OCL_CONTEXT_NEW_H

#include <gpuarray/foreign.h>

#include "ocl/device.h"

/* Create a context on a described device. `queue` may be NULL. The two are
 * released with the context, or now on failure, unless `how` borrows them
 * (NULL: it does not); its `drop` is not called on failure. */
int ga__ctx_new(gpucontext **out, const ga__device *dev, cl_context cl,
                cl_command_queue queue, const gpuforeign *how,
                gpucontext_props *props);

#endif
