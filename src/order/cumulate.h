/* SPDX-License-Identifier: BSD-2-Clause */
/* The struct of a cumulation, private to src/order. */
#ifndef ORDER_CUMULATE_H
#define ORDER_CUMULATE_H

#include <gpuarray/cumulate.h>

#include "base/err.h"
#include "codegen/gen_expr.h"

struct GpuCumulation {
  gpucontext *ctx;       /* retained */
  gpuelemwise_arg *args; /* with their names; owned, and so are `values` */
  gpuelemwise_arg *values;
  GpuCumulationSpec spec; /* its pointers are to what is owned here */
  ga__expr map, combine, neutral, post;
  ga__expr all; /* the four as one expression */
};

#endif
