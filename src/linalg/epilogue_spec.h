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

/* Check the arguments of a description: real types, and names that neither are
 * `own`, the value that its text is about, nor begin with p_. */
int ga__epilogue_check_names(const GpuEpilogue *e, gpucontext *ctx,
                             const char *own);
/* Read its text, an expression over the arguments and `own`, which has the work
 * type of `typecode`. */
int ga__epilogue_expr(ga__expr *to, const GpuEpilogue *e, const char *own,
                      int typecode);
/* What GpuEpilogue_read() has read for this context and dtype, or NULL. `e` may
 * be NULL. */
const GpuEpilogueText *ga__epilogue_known(const GpuEpilogue *e,
                                          const gpucontext *ctx, int typecode);

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
/* The first argument that is written; there is one. */
static inline unsigned int ga__epilogue_first_written(const GpuEpilogue *e) {
  unsigned int k = 0;

  while ((e->args[k].flags & GE_WRITE) == 0)
    k++;
  return k;
}
/* Check what is passed for the arguments, and that the first one that is
 * written has the sizes of the result, which messages call `result`. */
int ga__epilogue_check_args(const GpuEpilogue *e, void *const *args,
                            gpucontext *ctx, const char *result,
                            unsigned int nd, const size_t *dims);
/* Set the strides of an array, in bytes, along the axes of the result. Those
 * that are only read repeat along axes where they have size 1. */
int ga__epilogue_place(ptrdiff_t *strides, const gpuelemwise_arg *arg,
                       const GpuArray *a, unsigned int nd, const size_t *dims);

#endif
