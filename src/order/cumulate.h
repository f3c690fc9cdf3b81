/* SPDX-License-Identifier: BSD-2-Clause */
/* Cumulations, inside of this layer. */
#ifndef ORDER_CUMULATE_H
#define ORDER_CUMULATE_H

#include <gpuarray/cumulate.h>

#include "base/err.h"
#include "codegen/gen_expr.h"

struct GpuCumulation {
  gpucontext *ctx;       /* retained */
  gpuelemwise_arg *args; /* with names of their own; owned */
  gpuelemwise_arg *values;
  GpuCumulationSpec spec; /* points to what is owned here; preamble owned */
  ga__expr map, combine, neutral, post;
  ga__expr all; /* the four as one expression */
};

#endif
