/* SPDX-License-Identifier: BSD-2-Clause */
/* The listings of docs/pooling.md. */
#include "listings.h"
#include <gpugraph/pooling.h>

static GpuPooling arrays(GpuArray x) {
  GpuArray y;
  gpucontext *ctx = GpuArray_context(&x);

  check(
      GpuArray_empty(&y, ctx, GA_FLOAT, 4, (size_t[]){2, 3, 4, 4}, GA_C_ORDER));
#include "1.h"
  check(GpuArray_sync(&y));
  GpuArray_clear(&y);
  return g;
}

static void graphs(gg_graph *of, GpuPooling g) {
  gg_var *x = shared(of, GA_FLOAT, 1, SIZES(2, 3, 8, 8));
#include "2.h"
  compute(of, GG_VARS(y, z));
}

static void both(gpucontext *ctx) {
  GpuArray x = filled(ctx, GA_FLOAT, 1, SIZES(2, 3, 8, 8));
  gg_graph *g = gg_graph_new(ctx);

  graphs(g, arrays(x));
  gg_graph_free(g);
  GpuArray_clear(&x);
}

LISTINGS_MAIN(both)
