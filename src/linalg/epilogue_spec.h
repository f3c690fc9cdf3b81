/* SPDX-License-Identifier: BSD-2-Clause */
/* Descriptions of epilogues, as callers give them. */
#ifndef LINALG_EPILOGUE_SPEC_H
#define LINALG_EPILOGUE_SPEC_H

#include <gpuarray/launch.h>

#include "array/elemwise_parts.h"
#include "blas/epilogue.h"

/* Kernel arguments of an array of the sum: buffer and offset, since it has one
 * element. */
enum { GA_SUM_PARAMS = 2 };

/* Initialise the epilogue of a product of dtype `typecode`, with zeroed
 * arguments: check the description and read its text, unless it has been read
 * for this context and dtype. Clear it in any case, also after a failure. */
int ga__epilogue_init(ga__epilogue *to, const GpuEpilogue *e, gpucontext *ctx,
                      int typecode);
void ga__epilogue_clear(ga__epilogue *e);

/* Check that the device takes as many kernel arguments as an epilogue and its
 * sum need: `own`, and `each` for an array that is no argument of the sum. */
int ga__epilogue_check_params(const GpuEpilogue *e, gpucontext *ctx, size_t own,
                              size_t each);
/* Check that the space of the arguments has the sizes of the result, which
 * messages call `result`. */
int ga__epilogue_check_space(const ga__iter *it, const char *result,
                             unsigned int nd, const size_t *dims);

#endif
