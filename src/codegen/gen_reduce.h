/* SPDX-License-Identifier: BSD-2-Clause */
/* The text of reduction kernels: the macros in front of cl/reduce_*.cl. */
#ifndef CODEGEN_GEN_REDUCE_H
#define CODEGEN_GEN_REDUCE_H

#include <gpuarray/reduction.h>

#include "base/strb.h"
#include "codegen/gen_arg.h"
#include "codegen/gen_combine.h"
#include "layout/reduce_layout.h"

/* One kernel to write. */
typedef struct ga__gen_reduce {
  /* Map and post given, each on one line, n_acc 1 at least. */
  const GpuReductionSpec *spec;
  const char *boolean; /* W_BOOL of vector text */
  ga__reduce_shape shape;
  unsigned int nk, nr;        /* kept and reduced dimensions, at least 1 */
  const ga__lane_step *steps; /* per input; unused for scalars and in FINAL */
  int parts;                  /* ROW, COL: store partial results */
  int wide_index;             /* counts do not fit 31 bits */
  int in_order; /* ARGMAX, ARGMIN: positions are counted as elements come */
} ga__gen_reduce;

/* Texts of a program, in order. Templates are borrowed, the others owned. */
typedef struct ga__reduce_text {
  const char *parts[10];
  unsigned int n;
  const char *entry;
  ga__strb vector, scalar; /* vector text; scalar text and the rest */
} ga__reduce_text;

/* Write the texts of `g`. Dimension 0 is the innermost one. The kernel's
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
 * Sizes are ulong, strides and positions long. Workspaces are values of
 * ga__reduce_acc_dtype, those of each accumulator behind one another, and for
 * ARGMAX and ARGMIN positions: long if wide_index, else int; for VAR means
 * twice, and a count for each part.
 * The caller clears `t` in any case. */
int ga__gen_reduce_write(ga__reduce_text *t, const ga__gen_reduce *g);
void ga__reduce_text_clear(ga__reduce_text *t);

#endif
