/* SPDX-License-Identifier: BSD-2-Clause */
/* Reductions inside of this layer. */
#ifndef REDUCE_REDUCE_H
#define REDUCE_REDUCE_H

#include <gpuarray/reduction.h>

#include "base/err.h"
#include "codegen/gen_expr.h"
#include "reduce/row_job.h"

struct GpuReduction {
  ga__row_args args;     /* inputs, then post arguments */
  GpuReductionSpec spec; /* with the lists of args, the texts of map and post */
  ga__expr map, post;
  int is_pairs; /* sums complex numbers as they are */
};

/* GpuReduction_prepare(), where moving by one along axis i of the space moves
 * the position that ARGMAX and ARGMIN report by positions[i]; those of kept
 * axes are not used. NULL counts the reduced axes in C order. */
int ga__reduction_prepare(GpuLaunch **out, GpuReduction *r, unsigned int nd,
                          const size_t *dims, const unsigned char *reduced,
                          void **in, void **post, const ptrdiff_t *positions);

#endif
