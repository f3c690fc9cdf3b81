/* SPDX-License-Identifier: BSD-2-Clause */
/* Reductions inside of this layer. */
#ifndef REDUCE_REDUCE_H
#define REDUCE_REDUCE_H

#include <gpuarray/reduction.h>

#include "base/err.h"
#include "codegen/gen_expr.h"

struct GpuReduction {
  gpucontext *ctx;       /* retained */
  gpuelemwise_arg *args; /* inputs, then post arguments; owned */
  GpuReductionSpec spec; /* owned copies; the texts are those of map, post */
  ga__expr map, post;
};

/* "sum" ... "argmin"; borrowed. */
const char *ga__reduce_op_name(ga_reduce_op op);

/* GpuReduction_prepare(), where moving by one along axis i of the space moves
 * the position that ARGMAX and ARGMIN report by positions[i]; those of kept
 * axes are not used. NULL counts the reduced axes in C order. */
int ga__reduction_prepare(GpuLaunch **out, GpuReduction *r, unsigned int nd,
                          const size_t *dims, const unsigned char *reduced,
                          void **in, void **post, const ptrdiff_t *positions);

#endif
