/* SPDX-License-Identifier: BSD-2-Clause */
/* The listings of docs/convolution.md. */
#include "listings.h"

static void convolve(gpucontext *ctx) {
  gg_graph *g = gg_graph_new(ctx);
  gg_var *x = shared(g, GA_FLOAT, 1, SIZES(2, 3, 8, 8));
  gg_var *w = shared(g, GA_FLOAT, 1, SIZES(4, 3, 3, 3));
#include "1.h"
  compute(g, GG_VARS(y, z));
  gg_graph_free(g);
}

LISTINGS_MAIN(convolve)
