/* SPDX-License-Identifier: BSD-2-Clause */
/* Several cases as one function: compiling is what takes the time. */
#ifndef SUPPORT_CASE_BATCH_H
#define SUPPORT_CASE_BATCH_H

#include <gpugraph/gpugraph.h>

#include "support/inputs.h"

#define CASE_BATCH 16 /* cases of one function */
#define CASE_MOST 160 /* inputs and outputs of one function */

typedef struct case_batch {
  gg_graph *g;
  interp *it; /* knows the operands' values */
  case_run run[CASE_BATCH];
  unsigned int n_runs, n_in, n_out;
  gg_var *in[CASE_MOST + 1], *out[CASE_MOST + 1]; /* end with NULL */
  GpuArray in_array[CASE_MOST];
  const case_run *of[CASE_MOST]; /* output i belongs to this case */
  int is_gradient[CASE_MOST];
} case_batch;

/* Cases from number `first` on, in `dtype`; with `gradients` also the gradients
 * of their float operands. In no context (NULL) it has no arrays. Returns the
 * number of the case after the last. */
size_t case_batch_begin(case_batch *b, gpucontext *ctx, size_t first, int dtype,
                        case_sizes sizes, int gradients);
/* Its function, without outputs' arrays and mode; valid as long as `b` is. */
gg_func_spec case_batch_spec(case_batch *b);
void case_batch_end(case_batch *b);

#endif
