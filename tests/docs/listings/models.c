/* SPDX-License-Identifier: BSD-2-Clause */
/* The listings of docs/models.md. */
#include "listings.h"
#include <gpugraph/onnx.h>

static void save(gpucontext *ctx) {
  gg_graph *g = gg_graph_new(ctx);
  gg_var *x = gg_named(
      gg_input_sized(g, "x", GA_FLOAT, 2, (int64_t[]){GG_ANY, 3}), "x");
  gg_var *p = gg_named(gg_softmax(x), "p");
#include "2.h"
  gg_graph_free(g);
}

static void load(gpucontext *ctx) {
  gg_graph *g = gg_graph_new(ctx);
  gg_func *f;
#include "1.h"
  gg_func_free(f);
  gg_graph_free(g);
}

static void both(gpucontext *ctx) {
  save(ctx);
  load(ctx);
}

LISTINGS_MAIN(both)
