/* SPDX-License-Identifier: BSD-2-Clause */
/* The listings of docs/dtypes.md. */
#include "listings.h"

static void weak(gpucontext *ctx) {
  gg_graph *g = gg_graph_new(ctx);
  gg_var *x = shared(g, GA_FLOAT, 1, SIZES(3));
  gg_var *n = shared(g, GA_INT, 1, SIZES(3));
#include "1.h"
  compute(g, GG_VARS(y, z));
  if (gg_var_type(y)->dtype != GA_FLOAT || gg_var_type(z)->dtype != GA_INT)
    exit(1);
  gg_graph_free(g);
}

LISTINGS_MAIN(weak)
