/* SPDX-License-Identifier: BSD-2-Clause */
/* The listings of docs/save.md. */
#include "listings.h"
#include <stddef.h>

static void graphs(gpucontext *ctx) {
  gg_graph *g = gg_graph_new(ctx);
  gg_var *w1 = shared(g, GA_FLOAT, 1, SIZES(3)),
         *x = gg_input(g, "x", GA_FLOAT, 1);
  gg_func_spec train = {.name = "train",
                        .inputs = GG_VARS(x),
                        .updates =
                            GG_UPDATES({gg_named(w1, "w"), gg_add(w1, x)})};
  gg_func *f;
#include "1.h"
  if (w == NULL)
    exit(1);
  gg_func_free(f);
  gg_graph_free(g);
  gg_graph_free(h);
}

static void contexts(gpucontext *a) {
  gg_graph *h = gg_graph_new(a);
#include "2.h"
  gg_graph_free(h);
}

/* A file with names of sizes. */
static void sizes(gpucontext *ctx) {
  gg_graph *g = gg_graph_new(ctx), *h = gg_graph_new(ctx);
  gg_var *x = gg_size_named(gg_input(g, "x", GA_FLOAT, 2), 0, "n");

  gg_size_named(x, 1, "t");
  if (gg_graph_save(g, "model.gg") != GA_NO_ERROR)
    exit(1);
#include "3.h"
  if (gg_var_type(gg_graph_find(h, "x"))->dims[1] != 100)
    exit(1);
  gg_graph_free(g);
  gg_graph_free(h);
}

/* w and b are in one graph, the tensors of the file go to another one. */
static void tensors(gpucontext *ctx) {
  gg_graph *g = gg_graph_new(ctx), *h = g;
  gg_var *w =
      gg_shared_host(g, "w", GA_FLOAT, 1, (size_t[]){2}, (float[]){1, 2});
  gg_var *b = gg_shared_host(g, "b", GA_FLOAT, 0, NULL, &(float){0});

  g = gg_graph_new(ctx);
#include "4.h"
  gg_graph_free(g);
  gg_graph_free(h);
}

/* --- an op --- */

typedef struct blend_props {
  double weight;
  int32_t on, unused;
} blend_props;

static double blend_eval(const double *x) {
  return (x[0] + x[1]) / 2;
}

static const gg_code blend_code = {
    .text = "((%0 + %1) / 2)", .eval = blend_eval, .vector = 1, .flops = 2};
static const gg_op blend = {.name = "blend",
                            .kind = GG_OP_ELEMWISE,
                            .n_out = 1,
                            .props_bytes = sizeof(blend_props),
                            .code = &blend_code};

static void form_of_op(void) {
#include "5.h"
}

static void all(gpucontext *ctx) {
  graphs(ctx);
  contexts(ctx);
  sizes(ctx);
  tensors(ctx);
  form_of_op();
}

LISTINGS_MAIN(all)
