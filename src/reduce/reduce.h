/* SPDX-License-Identifier: BSD-2-Clause */
/* Reductions, inside of this layer. */
#ifndef REDUCE_REDUCE_H
#define REDUCE_REDUCE_H

#include <gpuarray/reduction.h>

#include "base/err.h"
#include "codegen/gen_expr.h"
#include "reduce/row_job.h"

struct GpuReduction {
  ga__row_args args;     /* inputs, then post arguments */
  GpuReductionSpec spec; /* points to args, map, post; preamble owned */
  ga__expr map, post;
  int is_pairs; /* sums complex numbers unchanged */
  int is_heavy; /* the map is costly */
};

/* GpuReduction_prepare() with a choice of positions: one element along axis i
 * of the space adds positions[i] to the position that ARGMAX and ARGMIN report.
 * Entries of kept axes are ignored. NULL counts the reduced axes in C order. */
int ga__reduction_prepare(GpuLaunch **out, GpuReduction *r, unsigned int nd,
                          const size_t *dims, const unsigned char *reduced,
                          void **in, void **post, const ptrdiff_t *positions);

#endif
