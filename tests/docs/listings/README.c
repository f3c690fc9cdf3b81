/* SPDX-License-Identifier: BSD-2-Clause */
/* The listings of README.md. */
#include "listings.h"

static int train_on(gpucontext *ctx) {
  GpuArray w0 = filled(ctx, GA_FLOAT, 0, SIZES(784));
  GpuArray b0 = filled(ctx, GA_FLOAT, 0, 0, NULL);
  GpuArray images = filled(ctx, GA_FLOAT, 0.5, SIZES(400, 784));
  GpuArray labels = filled(ctx, GA_FLOAT, 1, SIZES(400)), pred = {0},
           losses = {0};
  int err;
#include "1.h"
  check(err);
  check(GpuArray_sync(&losses));
  gg_func_free(train);
  gg_graph_free(g);
  return 0;
}

int main(void) {
  gpucontext *ctx = listings_begin();

  if (train_on(ctx) != 0)
    return 1;
  return listings_end(ctx);
}
