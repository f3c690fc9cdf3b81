/* SPDX-License-Identifier: BSD-2-Clause */
/* Row programs inside of this layer. */
#ifndef REDUCE_ROWS_PARTS_H
#define REDUCE_ROWS_PARTS_H

#include <gpuarray/rows.h>

#include "base/err.h"
#include "codegen/gen_expr.h"

struct GpuRows {
  gpucontext *ctx;       /* retained */
  gpuelemwise_arg *args; /* arguments, then row arguments; owned */
  GpuRowsSpec spec;      /* owned copies */
  ga__expr all;          /* what the texts together say about themselves */
};

#endif
