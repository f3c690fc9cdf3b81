/* SPDX-License-Identifier: BSD-2-Clause */
/* Descriptions of epilogues, as callers give them. */
#ifndef LINALG_EPILOGUE_SPEC_H
#define LINALG_EPILOGUE_SPEC_H

#include <gpuarray/launch.h>

#include "codegen/gen_expr.h"

/* Check a description, and add the kernel arguments that it needs to *params:
 * `array_params` for each array. */
int ga__epilogue_check(const GpuEpilogue *e, gpucontext *ctx,
                       size_t array_params, size_t *params);
/* GA_DEVSUP_ERROR if the device does not take so many kernel arguments. */
int ga__epilogue_check_params(gpucontext *ctx, size_t params);
/* Initialise `out` with the expression. `acc`, of dtype `typecode`, is one of
 * its arguments. */
int ga__epilogue_read(ga__expr *out, const GpuEpilogue *e, int typecode);

#endif
