/* SPDX-License-Identifier: BSD-2-Clause */
/* A net learns which points lie inside of a circle. */
#include <gpugraph/nn.h>
#include <stdlib.h>

enum { POINTS = 512, EPOCHS = 30 };

/* End the program if a call failed. */
static void check(int err) {
  if (err == GA_NO_ERROR)
    return;
  fprintf(stderr, "%s\n", gpuarray_error_text(err));
  exit(1);
}

/* The points of a grid: half of them lie inside of the circle. */
static void make_points(float (*x)[2], int32_t *label) {
  for (int i = 0; i < POINTS; i++) {
    x[i][0] = (float)(i % 32) / 16 - 1;
    x[i][1] = (float)(i / 32) / 8 - 1;
    label[i] = x[i][0] * x[i][0] + x[i][1] * x[i][1] < 0.64f;
  }
}

/* Two layers. Their parameters belong to the group p. */
static gg_var *net(gg_params *p, gg_var *x) {
  gg_var *hidden = gg_tanh(gg_nn_dense(p, "hidden", x, 16, 0));
  return gg_nn_dense(p, "out", hidden, 2, 0);
}

int main(void) {
  static float x_host[POINTS][2];
  static int32_t y_host[POINTS];
  make_points(x_host, y_host);
  gpucontext *ctx;
  check(gpucontext_open(&ctx, NULL));

  /* The model and its loss. */
  gg_graph *g = gg_graph_new(ctx);
  gg_params *p = gg_params_new(g, GA_FLOAT, 1);
  gg_var *x = gg_input_sized(g, "x", GA_FLOAT, 2, (int64_t[]){GG_ANY, 2});
  gg_var *y = gg_input(g, "y", GA_INT, 1);
  gg_var *z = net(p, x);
  gg_var *loss = gg_loss_cross_entropy(z, y, NULL);
  gg_params_print(p, stdout);

  /* The step of training: Adam makes the updates. */
  gg_optimiser adam = gg_adam(0.05);
  gg_func *step;
  check(gg_func_new(&step, g,
                    &(gg_func_spec){.name = "step",
                                    .inputs = GG_VARS(x, y),
                                    .outputs = GG_VARS(loss),
                                    .updates = gg_optimise(p, loss, &adam)}));

  /* Batches of 64 points, in an order that changes with each epoch. */
  gg_host_array data[] = {
      {.dtype = GA_FLOAT, .nd = 2, .dims = {POINTS, 2}, .data = x_host},
      {.dtype = GA_INT, .nd = 1, .dims = {POINTS}, .data = y_host}};
  gg_batches *batches;
  check(gg_batches_new(&batches, ctx, 2, data,
                       &(gg_batches_spec){.size = 64, .seed = 1}));
  gg_trained done;
  check(gg_train(
      &(gg_training){
          .step = step, .batches = batches, .params = p, .epochs = EPOCHS},
      &done));
  printf("%zu epochs, %zu steps\n", done.epochs, done.steps);

  /* How many points does the net get right? */
  gg_var *is_right = gg_eq(gg_argmax_axis(z, 1), y);
  gg_func *count;
  check(gg_func_new(&count, g,
                    &(gg_func_spec){.name = "count",
                                    .inputs = GG_VARS(x, y),
                                    .outputs = GG_VARS(gg_sum(is_right))}));
  int64_t right;
  gg_host_array out = {.data = &right, .bytes = sizeof right};
  check(gg_func_call_host(count, (const gg_host_array *[]){&data[0], &data[1]},
                          (gg_host_array *[]){&out}));
  printf("more than 95 %% right: %s\n", right > 0.95 * POINTS ? "yes" : "no");

  gg_batches_free(batches);
  gg_func_free(count);
  gg_func_free(step);
  gg_params_free(p);
  gg_graph_free(g);
  gpucontext_deref(ctx);
  return 0;
}
