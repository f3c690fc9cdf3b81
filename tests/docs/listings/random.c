/* SPDX-License-Identifier: BSD-2-Clause */
/* The listings of docs/random.md. */
#include "listings.h"
#include <gpugraph/random.h>

static void drop_out(gpucontext *ctx) {
  gg_graph *g = gg_graph_new(ctx);
  gg_var *x = gg_input(g, "x", GA_FLOAT, 2);
  GpuArray a = filled(ctx, GA_FLOAT, 1, SIZES(2, 3)), out = {0};
  gg_func *f;
#include "1.h"
  check(gg_func_call(f, (GpuArray *[]){&a}, (GpuArray *[]){&out}));
  gg_func_free(f);
  GpuArray_clear(&out);
  GpuArray_clear(&a);
  gg_graph_free(g);
}

LISTINGS_MAIN(drop_out)
