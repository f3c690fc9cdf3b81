/* SPDX-License-Identifier: BSD-2-Clause */
/* A convolutional net on one page: it learns classes of pictures from two .npy
 * files, float32 [pictures, channels, height, width] and int32 [pictures], with
 * Adam, minibatches and a schedule. It writes a graph with the prediction
 * function and its weights, and nothing else; and a report, if there is a
 * folder for it.
 *
 *   pictures CLASSES CHANNELS pictures.npy labels.npy predict.gg [report] */
#include <gpugraph/nn.h>
#include <stdlib.h>

static void check(int err) {
  if (err != GA_NO_ERROR)
    exit(fprintf(stderr, "pictures: %s\n", gpuarray_error_text(err)) > 0);
}

/* Filters of 3 x 3, then the largest of each 2 x 2. */
static gg_var *block(gg_params *p, const char *name, gg_var *x,
                     size_t filters) {
  const GpuPooling two = {
      .nd = 2, .size = {2, 2}, .stride = {2, 2}, .dilation = {1, 1}};
  x = gg_relu(gg_nn_conv(p, name, x, filters, (size_t[]){3, 3}, NULL, 0));
  return gg_pool_max(x, &two);
}

static gg_var *net(gg_params *p, gg_var *x, size_t classes) {
  x = block(p, "second", block(p, "first", x, 8), 16);
  x = gg_mean_axis(gg_mean_axis(x, -1), -1);
  return gg_nn_dense(p, "out", gg_nn_dropout(p, x, 0.1), classes, 0);
}

int main(int argc, char **argv) {
  enum { EPOCHS = 10 };
  gpucontext *ctx = NULL;
  gg_training t = {.epochs = EPOCHS, .progress = stdout};
  t.report = argc == 7 ? argv[6] : NULL;
  check(argc == 6 || argc == 7 ? gpucontext_open(&ctx, NULL) : GA_VALUE_ERROR);
  const size_t classes = strtoul(argv[1], NULL, 10);
  check(gg_batches_npy(&t.batches, ctx, 2, (const char *const *)&argv[3],
                       &(gg_batches_spec){.size = 25, .seed = 1}));
  gg_graph *g = gg_graph_new(ctx);
  gg_params *p = t.params = gg_params_new(g, GA_FLOAT, 1);
  const int64_t sizes[4] = {GG_ANY, strtol(argv[2], NULL, 10), GG_ANY, GG_ANY};
  gg_var *x = gg_input_sized(g, "pictures", GA_FLOAT, 4, sizes),
         *y = gg_input(g, "labels", GA_INT, 1);
  gg_var *loss = gg_loss_cross_entropy(net(p, x, classes), y, NULL);
  gg_optimiser adam = gg_adam(0);
  const double steps = (double)(EPOCHS * gg_batches_count(t.batches));
  adam.schedule = gg_rate_cosine(gg_params_step(p), 0.02, steps, 0);
  check(gg_func_new(&t.step, g,
                    &(gg_func_spec){.inputs = GG_VARS(x, y),
                                    .outputs = GG_VARS(loss),
                                    .updates = gg_optimise(p, loss, &adam)}));
  check(gg_train(&t, NULL));
  check(gg_params_training(p, 0));
  gg_var *best = gg_argmax_axis(net(p, x, classes), 1);
  check(gg_nn_save(&(gg_func_spec){.name = "predict",
                                   .inputs = GG_VARS(x),
                                   .outputs = GG_VARS(best)},
                   argv[5]));
  gg_batches_free(t.batches);
  gg_func_free(t.step);
  gg_params_free(p);
  gg_graph_free(g);
  gpucontext_deref(ctx);
  return 0;
}
