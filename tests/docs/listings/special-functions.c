/* SPDX-License-Identifier: BSD-2-Clause */
/* The listings of docs/special-functions.md. */
#include "listings.h"

static void gamma_fit(gpucontext *ctx) {
  gg_graph *g = gg_graph_new(ctx);
  gg_var *x = shared(g, GA_FLOAT, 2, SIZES(5));
  gg_var *shape = shared(g, GA_FLOAT, 3, 0, NULL), *one = gg_f32(g, 1);
#include "1.h"
  compute(g, GG_VARS(cost));
  gg_graph_free(g);
}

LISTINGS_MAIN(gamma_fit)
