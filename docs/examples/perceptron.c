/* SPDX-License-Identifier: BSD-2-Clause */
/* The training kit in one page: a perceptron learns classes of points from two
 * .npy files, float32 [rows, 2] and int32 [rows], with Adam, minibatches and a
 * schedule. It writes a graph with the prediction function and its weights, and
 * nothing else; and a report, if there is a folder for it.
 *
 *   perceptron points.npy labels.npy predict.gg [report] */
#include <gpugraph/nn.h>
#include <stdlib.h>

static void check(int err) {
  if (err != GA_NO_ERROR)
    exit(fprintf(stderr, "perceptron: %s\n", gpuarray_error_text(err)) > 0);
}

static gg_var *net(gg_params *p, gg_var *x) {
  x = gg_relu(gg_nn_dense(p, "first", x, 64, 0));
  x = gg_relu(gg_nn_dense(p, "second", x, 64, 0));
  return gg_nn_dense(p, "out", x, 2, 0);
}

int main(int argc, char **argv) {
  enum { EPOCHS = 30 };
  gpucontext *ctx = NULL;
  gg_training t = {.epochs = EPOCHS, .progress = stdout};
  t.report = argc == 5 ? argv[4] : NULL;
  check(argc == 4 || argc == 5 ? gpucontext_open(&ctx, NULL) : GA_VALUE_ERROR);
  check(gg_batches_npy(&t.batches, ctx, 2, (const char *const *)&argv[1],
                       &(gg_batches_spec){.size = 50, .seed = 1}));
  gg_graph *g = gg_graph_new(ctx);
  gg_params *p = t.params = gg_params_new(g, GA_FLOAT, 1);
  gg_var *x = gg_input_sized(g, "points", GA_FLOAT, 2, (int64_t[]){GG_ANY, 2}),
         *y = gg_input(g, "labels", GA_INT, 1), *z = net(p, x);
  gg_var *loss = gg_loss_cross_entropy(z, y, NULL);
  gg_optimiser adam = gg_adam(0);
  adam.schedule =
      gg_rate_cosine(gg_params_step(p), 0.01,
                     (double)(EPOCHS * gg_batches_count(t.batches)), 0);
  check(gg_func_new(&t.step, g,
                    &(gg_func_spec){.inputs = GG_VARS(x, y),
                                    .outputs = GG_VARS(loss),
                                    .updates = gg_optimise(p, loss, &adam)}));
  check(gg_train(&t, NULL));
  check(gg_nn_save(&(gg_func_spec){.name = "predict",
                                   .inputs = GG_VARS(x),
                                   .outputs = GG_VARS(gg_argmax_axis(z, 1))},
                   argv[3]));
  gg_batches_free(t.batches);
  gg_func_free(t.step);
  gg_params_free(p);
  gg_graph_free(g);
  gpucontext_deref(ctx);
  return 0;
}
