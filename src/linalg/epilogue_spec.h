/* SPDX-License-Identifier: BSD-2-Clause */
/* Descriptions of epilogues, as callers give them. */
#ifndef LINALG_EPILOGUE_SPEC_H
#define LINALG_EPILOGUE_SPEC_H

#include <gpuarray/launch.h>

#include "array/elemwise_parts.h"
#include "codegen/gen_expr.h"

/* Check a description, and that the device takes as many kernel arguments as it
 * needs: `own`, and `each` for an array that is no argument of the sum. */
int ga__epilogue_check(const GpuEpilogue *e, gpucontext *ctx, size_t own,
                       size_t each);
/* Check that the space of the arguments has the sizes of the result, which
 * messages call `result`. */
int ga__epilogue_check_space(const ga__iter *it, const char *result,
                             unsigned int nd, const size_t *dims);
/* Initialise `out` with the expression. `acc`, of dtype `typecode`, is one of
 * its arguments. */
int ga__epilogue_read(ga__expr *out, const GpuEpilogue *e, int typecode);

#endif
