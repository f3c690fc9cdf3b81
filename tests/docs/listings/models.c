/* SPDX-License-Identifier: BSD-2-Clause */
/* The listings of docs/models.md. */
#include "listings.h"
#include <gpugraph/nn.h>
#include <gpugraph/onnx.h>
#include <string.h>

enum { MOST = 2 }; /* weights */

/* A model with weights [3, 2] and [2]: y = x w + b. */
static void save(gpucontext *ctx) {
  gg_graph *g = gg_graph_new(ctx);
  gg_var *x = gg_input_sized(g, "x", GA_FLOAT, 2, (int64_t[]){GG_ANY, 3});
  gg_var *w = shared(g, GA_FLOAT, 0.5, SIZES(3, 2));
  gg_var *b = shared(g, GA_FLOAT, 0, SIZES(2));
  gg_var *p = gg_named(gg_add(gg_dot(x, w), b), "y");
#include "3.h"
  gg_graph_free(g);
}

static void load(gpucontext *ctx) {
  gg_graph *g = gg_graph_new(ctx);
  gg_func *f;
#include "1.h"
  gg_func_free(f);
  gg_graph_free(g);
}

/* It learns that both elements of y are the sum of x; at first they are a half
 * of it. */
static void tune(gpucontext *ctx) {
  float in[12] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1}, out[8];
  float wanted[8] = {1, 1, 1, 1, 1, 1, 3, 3}, last;
  const gg_host_array rows = {GA_FLOAT, 2, {4, 3}, in, sizeof in};
  const gg_host_array targets = {GA_FLOAT, 2, {4, 2}, wanted, sizeof wanted};
  gg_host_array results = {.data = out, .bytes = sizeof out};
  gg_host_array loss = {.data = &last, .bytes = sizeof last};
  gg_graph *g = gg_graph_new(ctx);
  gg_func *predict, *step;
  gg_onnx *m;
  size_t n;
#include "2.h"
  check(gg_onnx_open(&m, "tuned.onnx"));
  if (out[7] != 1.5f || last > 0.05f || n != MOST ||
      strcmp(gg_onnx_output(m, 0)->name, "y") != 0 ||
      strcmp(gg_onnx_input(m, 0)->size_names[0], "batch") != 0) {
    fprintf(stderr, "result %g, loss %g\n", out[7], last);
    exit(1);
  }
  gg_onnx_close(m);
  gg_list_free(weights);
  gg_func_free(predict);
  gg_func_free(step);
  gg_graph_free(g);
}

static void all(gpucontext *ctx) {
  save(ctx);
  load(ctx);
  tune(ctx);
}

LISTINGS_MAIN(all)
