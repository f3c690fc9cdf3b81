/* SPDX-License-Identifier: BSD-2-Clause */
/* Row programs, inside of this layer. */
#ifndef REDUCE_ROWS_PARTS_H
#define REDUCE_ROWS_PARTS_H

#include <gpuarray/rows.h>

#include "base/err.h"
#include "codegen/gen_expr.h"
#include "reduce/row_job.h"

/* How the phases use an operand. */
typedef struct ga__rows_use {
  int is_held; /* an argument that several phases read */
  int is_last; /* written in the last phase, if it is written */
} ga__rows_use;

struct GpuRows {
  ga__row_args args;  /* arguments, then row arguments */
  GpuRowsSpec spec;   /* owned copies, with the lists of args */
  ga__expr all;       /* the code of all phases as one expression */
  ga__rows_use *uses; /* per operand; owned */
};

#endif
