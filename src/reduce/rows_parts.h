/* SPDX-License-Identifier: BSD-2-Clause */
/* Row programs, inside of this layer. */
#ifndef REDUCE_ROWS_PARTS_H
#define REDUCE_ROWS_PARTS_H

#include <gpuarray/rows.h>

#include "base/err.h"
#include "codegen/gen_expr.h"
#include "reduce/row_job.h"

struct GpuRows {
  ga__row_args args; /* arguments, then row arguments */
  GpuRowsSpec spec;  /* owned copies, with the lists of args */
  ga__expr all;      /* the code of all phases as one expression */
};

#endif
