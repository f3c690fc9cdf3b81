/* SPDX-License-Identifier: BSD-2-Clause */
#include "text/learner.h"

const float learner_weights[6] = {1, -2, 3, 0.1f, 5, 6};

gg_graph *learner_new(gpucontext *ctx) {
  gg_graph *g = gg_graph_new(ctx);
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1);
  gg_var *w =
      gg_shared_host(g, "w", GA_FLOAT, 1, (size_t[]){6}, learner_weights);
  gg_var *b = gg_shared_host(g, "b", GA_FLOAT, 0, NULL, learner_weights + 3);
  float many[200];

  for (size_t i = 0; i < 200; i++)
    many[i] = 1.0f / (float)(i + 1);
  gg_var *k = gg_constant(g, GA_FLOAT, 1, (size_t[]){200}, many);
  gg_var *y = gg_named(gg_add(gg_mul(x, w), gg_add(b, gg_sum(k))), "y");
  assert_ok(gg_graph_add_func(g, &(gg_func_spec){.name = "predict",
                                                 .inputs = GG_VARS(x),
                                                 .outputs = GG_VARS(y)}));
  assert_ok(gg_graph_add_func(
      g, &(gg_func_spec){
             .name = "step",
             .inputs = GG_VARS(x),
             .updates = GG_UPDATES({w, gg_sub(w, gg_mul(gg_f32(g, 0.1f), y))}),
         }));
  return g;
}
