/* SPDX-License-Identifier: BSD-2-Clause */
/* A model goes to a file; a graph that knows nothing of it loads it. */
#include <gpugraph/nn.h>
#include <stdlib.h>

/* End the program if a call failed. */
static void check(int err) {
  if (err == GA_NO_ERROR)
    return;
  fprintf(stderr, "%s\n", gpuarray_error_text(err));
  exit(1);
}

/* Make a small model, and save it twice. */
static void save(gpucontext *ctx) {
  gg_graph *g = gg_graph_new(ctx);
  gg_params *p = gg_params_new(g, GA_FLOAT, 1);
  size_t sizes[] = {1, 3};
  gg_var *x = gg_input_sized(g, "x", GA_FLOAT, 2, (int64_t[]){GG_ANY, 3});
  gg_param(p, "out.weight", 2, sizes, gg_init_constant(2));
  gg_var *y = gg_named(gg_nn_dense(p, "out", x, 1, GG_NN_NO_BIAS), "y");

  /* The weights alone, by name. */
  check(gg_params_save(p, "weights.safetensors"));

  /* The function with all that it needs. */
  gg_func_spec predict = {
      .name = "predict", .inputs = GG_VARS(x), .outputs = GG_VARS(y)};
  check(gg_nn_save(&predict, "model.gg"));

  gg_params_free(p);
  gg_graph_free(g);
}

/* Load the model, and call its function by name. */
static void load(gpucontext *ctx) {
  gg_graph *g = gg_graph_new(ctx);
  check(gg_graph_load(g, "model.gg"));
  check(gg_graph_print(g, stdout, 0));

  gg_func *f;
  check(gg_func_new(&f, g, gg_graph_func(g, "predict")));
  float xs[2][3] = {{1, 2, 3}, {4, 5, 6}}, ys[2];
  gg_host_array in = {.dtype = GA_FLOAT, .nd = 2, .dims = {2, 3}, .data = xs};
  gg_host_array out = {.data = ys, .bytes = sizeof ys};
  check(gg_func_call_host(f, (const gg_host_array *[]){&in},
                          (gg_host_array *[]){&out}));
  printf("%g and %g\n", (double)ys[0], (double)ys[1]);

  /* Other weights of the same names and sizes. */
  gg_var *weights = gg_func_shared(f, 0);
  check(gg_shared_write(weights, (float[]){1, 0, 0}, 3 * sizeof(float)));
  check(gg_func_call_host(f, (const gg_host_array *[]){&in},
                          (gg_host_array *[]){&out}));
  printf("%g and %g\n", (double)ys[0], (double)ys[1]);
  check(
      gg_safetensors_load((gg_var *[]){weights, NULL}, "weights.safetensors"));
  check(gg_func_call_host(f, (const gg_host_array *[]){&in},
                          (gg_host_array *[]){&out}));
  printf("%g and %g\n", (double)ys[0], (double)ys[1]);

  gg_func_free(f);
  gg_graph_free(g);
}

int main(void) {
  gpucontext *ctx;
  check(gpucontext_open(&ctx, NULL));
  save(ctx);
  load(ctx);
  gpucontext_deref(ctx);
  return 0;
}
