/* SPDX-License-Identifier: BSD-2-Clause */
/* The source of kernels of cumulations: functions and macros in front of
 * cl/cumulate_*.cl. */
#ifndef CODEGEN_GEN_CUMULATE_H
#define CODEGEN_GEN_CUMULATE_H

#include <gpuarray/cumulate.h>

#include "base/strb.h"
#include "layout/cumulate_layout.h"

/* What a kernel does with parts of the axis. */
typedef enum ga__cumulate_pass {
  GA_CUMULATE_WHOLE = 0, /* there is one part */
  GA_CUMULATE_TOTALS,    /* store the total of each part */
  GA_CUMULATE_PARTS      /* read totals, and store results */
} ga__cumulate_pass;

/* One kernel to write. */
typedef struct ga__gen_cumulate {
  /* Has all texts, each on one line; values have work types. */
  const GpuCumulationSpec *spec;
  const char *boolean; /* W_BOOL of vector text */
  ga__cumulate_shape shape;
  ga__cumulate_pass pass;
  int flags;                  /* GA_CUMULATE_EXCLUSIVE, GA_CUMULATE_REVERSED */
  unsigned int nk;            /* dimensions beside the axis, at least 1 */
  const ga__lane_step *steps; /* per argument, along the lanes */
  int wide_index;             /* counts do not fit 31 bits */
} ga__gen_cumulate;

/* The parts of a kernel's source, in order. */
typedef struct ga__cumulate_text {
  const char *parts[8];
  unsigned int n;
  const char *entry;
  ga__strb own;
} ga__cumulate_text;

/* Write the source of `g`. Dimension 0 is the innermost one. The kernel's
 * arguments are, per argument, an array's buffer, offset, nk strides and the
 * stride of the axis, or a scalar's value; nk sizes; rows, elements of the
 * axis, rows or strips of a work-item, elements of a part; but for WHOLE the
 * workspaces, one per value, [parts][rows]. Sizes are ulong, strides long. The
 * caller clears `t`, also after a failure. */
int ga__gen_cumulate_write(ga__cumulate_text *t, const ga__gen_cumulate *g);
void ga__cumulate_text_clear(ga__cumulate_text *t);

#endif
