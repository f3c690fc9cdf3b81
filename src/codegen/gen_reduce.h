/* SPDX-License-Identifier: BSD-2-Clause */
/* The source of reduction kernels: macros in front of cl/reduce_*.cl. */
#ifndef CODEGEN_GEN_REDUCE_H
#define CODEGEN_GEN_REDUCE_H

#include <gpuarray/reduction.h>

#include "base/strb.h"
#include "codegen/gen_arg.h"
#include "codegen/gen_combine.h"
#include "layout/reduce_layout.h"

/* One kernel to write. */
typedef struct ga__gen_reduce {
  /* Has a map and a post, each on one line; n_acc is at least 1. */
  const GpuReductionSpec *spec;
  const char *boolean; /* W_BOOL of vector text */
  ga__reduce_shape shape;
  unsigned int nk, nr;        /* kept and reduced dimensions, at least 1 */
  const ga__lane_step *steps; /* per input; unused for scalars and in FINAL */
  int parts;                  /* ROW, COL: store partial results */
  int wide_index;             /* counts do not fit 31 bits */
  int in_order; /* ARGMAX, ARGMIN: positions are those in the order of
                   iteration */
} ga__gen_reduce;

/* The parts of a kernel's source, in order. Templates are borrowed, the others
 * owned. */
typedef struct ga__reduce_text {
  const char *parts[12];
  unsigned int n;
  const char *entry;
  ga__strb vector, scalar; /* vector functions; scalar ones and the rest */
} ga__reduce_text;

/* Write the source of `g`. Dimension 0 is the innermost one. The kernel's
 * arguments are, in this order:
 *
 *   ROW and COL, per input: an array's buffer, offset, nk kept and nr reduced
 *   strides; a scalar's value. Then nk kept and nr reduced sizes. For ARGMAX
 *   and ARGMIN not in order: the first position and nr steps.
 *   FINAL: the workspaces.
 *   ROW and COL in parts: the workspaces. Otherwise nk kept sizes, and per
 *   post argument an array's buffer, offset and nk strides or a scalar's value.
 *   Then outputs, reduced elements (FINAL: parts), rows and (not FINAL) chunk.
 *
 * Sizes are ulong, strides and positions long. The first workspace has values
 * of ga__reduce_acc_dtype, accumulator by accumulator. ARGMAX and ARGMIN have a
 * second one with positions: long if wide_index, else int. The second one of
 * VAR has the means twice, and a count for each part. The caller clears `t`,
 * also after a failure. */
int ga__gen_reduce_write(ga__reduce_text *t, const ga__gen_reduce *g);
void ga__reduce_text_clear(ga__reduce_text *t);

#endif
