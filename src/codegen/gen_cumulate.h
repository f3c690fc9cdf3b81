/* SPDX-License-Identifier: BSD-2-Clause */
/* The source of kernels of cumulations: functions and macros in front of
 * cl/cumulate_*.cl. */
#ifndef CODEGEN_GEN_CUMULATE_H
#define CODEGEN_GEN_CUMULATE_H

#include <gpuarray/cumulate.h>

#include "base/strb.h"
#include "layout/cumulate_layout.h"

/* What a kernel does with the parts of the axis. */
typedef enum ga__cumulate_pass {
  GA_CUMULATE_WHOLE = 0, /* there is one part */
  GA_CUMULATE_TOTALS,    /* store the total of each part */
  GA_CUMULATE_PARTS,     /* read totals, and store results */
  GA_CUMULATE_CHAIN      /* hand sums on, and store results (cl/chain.cl) */
} ga__cumulate_pass;

/* One kernel to write. */
typedef struct ga__gen_cumulate {
  /* No text is NULL, and each is one line; values have work types. */
  const GpuCumulationSpec *spec;
  const char *boolean; /* W_BOOL of vector code */
  ga__cumulate_shape shape;
  ga__cumulate_pass pass;
  int flags;                  /* GA_CUMULATE_EXCLUSIVE, GA_CUMULATE_REVERSED */
  unsigned int nk;            /* dimensions besides the axis, at least 1 */
  const ga__lane_step *steps; /* per argument, along the lanes */
  const unsigned char *streams; /* per argument: stores of vectors bypass the
                                   caches */
  int wide_index;               /* counts need 64-bit indices */
} ga__gen_cumulate;

/* Units of 32 bits of the values of an element. */
unsigned int ga__cumulate_granules(const GpuCumulationSpec *s);

/* The parts of a kernel's source, in order. */
typedef struct ga__cumulate_text {
  const char *parts[8];
  unsigned int n;
  const char *entry;
  ga__strb own;
} ga__cumulate_text;

/* Write the source of `g`. Dimension 0 is the innermost one. The kernel's
 * arguments are: for each array its buffer, offset, nk strides and the stride
 * of the axis, for each scalar its value; nk sizes; the number of rows, of
 * elements of the axis, of rows or strips of a work-item, and of elements of a
 * part; then for TOTALS and PARTS a workspace per value, [parts][rows], and for
 * CHAIN slots. Sizes are ulong, strides long. The caller clears `t`, also after
 * a failure. */
int ga__gen_cumulate_write(ga__cumulate_text *t, const ga__gen_cumulate *g);
void ga__cumulate_text_clear(ga__cumulate_text *t);

#endif
