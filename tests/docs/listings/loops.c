/* SPDX-License-Identifier: BSD-2-Clause */
/* The listings of docs/loops.md. */
#include "listings.h"

static void loop(gpucontext *ctx) {
  gg_graph *g = gg_graph_new(ctx);
  gg_var *xs = shared(g, GA_FLOAT, 1, SIZES(5, 2, 3));
  gg_var *h0 = shared(g, GA_FLOAT, 0, SIZES(2, 4));
  gg_var *u = shared(g, GA_FLOAT, 0.5, SIZES(3, 4));
  gg_var *w = shared(g, GA_FLOAT, 0.5, SIZES(4, 4));
#include "1.h"
  compute(g, GG_VARS(hs));
  gg_graph_free(g);
}

static void shrink(gpucontext *ctx) {
  gg_graph *g = gg_graph_new(ctx);
  gg_var *x = SHARED_VECTOR(g, GA_FLOAT, 5, 40, 3, 20, 1);
#include "2.h"
  compute(g, GG_VARS(best));
  gg_graph_free(g);
}

static void both(gpucontext *ctx) {
  loop(ctx);
  shrink(ctx);
}

LISTINGS_MAIN(both)
