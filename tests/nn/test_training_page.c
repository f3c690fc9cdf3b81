/* SPDX-License-Identifier: BSD-2-Clause */
/* A layer of a transformer trains with a report. The folder stays, for the
 * browser that check_pages.sh opens. */
#include "support/device.h"
#include "support/tmpfile.h"

#include <gpugraph/nn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 8, POSITIONS = 6, SIZE = 8, CLASSES = 3 };

static float x_data[ROWS][POSITIONS][SIZE];
static int y_data[ROWS];

static gg_var *encoder(gg_params *of, const char *name, gg_var *x) {
  gg_params *own = gg_params_group(of, name);
  const gg_attention how = {.heads = 2};
  gg_var *h = gg_nn_layer_norm(own, "norm1", x, -1);

  x = gg_add(x, gg_nn_attention(own, "self_attn", h, h, h, &how));
  h = gg_nn_layer_norm(own, "norm2", x, -1);
  h = gg_relu(gg_nn_dense(own, "linear1", h, 2 * SIZE, 0));
  return gg_add(x, gg_nn_dense(own, "linear2", h, SIZE, 0));
}

static void make_step(gg_training *t, gg_graph *g) {
  gg_var *x = gg_input_sized(g, "words", GA_FLOAT, 3,
                             (int64_t[]){GG_ANY, POSITIONS, SIZE}),
         *y = gg_input(g, "labels", GA_INT, 1);
  gg_optimiser how = gg_sgd(1e-2);

  gg_var *h = encoder(t->params, "encoder", x);
  h = gg_nn_dense(t->params, "out", gg_mean_axis(h, 1), CLASSES, 0);
  gg_var *loss = gg_named(gg_loss_cross_entropy(h, y, NULL), "loss");
  if (gg_func_new(&t->step, g,
                  &(gg_func_spec){.name = "transformer",
                                  .inputs = GG_VARS(x, y),
                                  .outputs = GG_VARS(loss),
                                  .updates = gg_optimise(t->params, loss,
                                                         &how)}) != GA_NO_ERROR)
    fail_msg("%s", gg_graph_error(g));
}

#define LAYER "<details class=\"layer\""

/* How often a text stands in the page of the step. */
static int count(const char *part) {
  size_t n;
  char path[512];

  snprintf(path, sizeof path, "%s/step.html", test_file_path("pages"));
  unsigned char *bytes = test_file_read(path, &n);
  char *text = calloc(n + 1, 1);
  int found = 0;
  memcpy(text, bytes, n);
  free(bytes);
  for (const char *at = text; (at = strstr(at, part)) != NULL; at++)
    found++;
  free(text);
  return found;
}

/* A layer has one box with its name and time, also for its gradients and
 * updates. Values have the names of ops, not numbers alone. */
static void check_step(void) {
  static const char *const layers[] = {
      "encoder.norm1", "encoder.self_attn", "encoder.self_attn.out_proj",
      "encoder.norm2", "encoder.linear1",   "encoder.linear2",
      "out",           "optimiser"};
  enum { LAYERS = sizeof layers / sizeof *layers };

  assert_int_equal(count("<details>") + count(LAYER ">"), count("</details>"));
  for (int i = 0; i < LAYERS; i++) {
    char box[64];
    snprintf(box, sizeof box, LAYER "><summary>%s: ", layers[i]);
    assert_int_equal(count(box), 1);
  }
  assert_int_equal(count(LAYER ">"), LAYERS);
  assert_true(count(" us a call</summary>\n<details>") >= LAYERS);
  assert_true(count("dot v") > 0);
  assert_int_equal(count("<td>v"), 0);
  assert_int_equal(count("<br>v"), 0);
}

static void a_transformer_leaves_pages(void **state) {
  const gg_host_array arrays[2] = {
      {.dtype = GA_FLOAT,
       .nd = 3,
       .dims = {ROWS, POSITIONS, SIZE},
       .data = x_data},
      {.dtype = GA_INT, .nd = 1, .dims = {ROWS}, .data = y_data}};
  gg_graph *g = gg_graph_new(test_context());
  gg_training t = {.epochs = 3, .report = test_file_path("pages")};
  gg_trained done;

  (void)state;
  test_fill(x_data, GA_FLOAT, (size_t)ROWS * POSITIONS * SIZE, -1, 1, 3);
  for (int i = 0; i < ROWS; i++)
    y_data[i] = i % CLASSES;
  t.params = gg_params_new(g, GA_FLOAT, 4);
  make_step(&t, g);
  assert_ok(gg_batches_new(&t.batches, test_context(), 2, arrays,
                           &(gg_batches_spec){.size = 4, .seed = 2}));
  assert_ok(gg_train(&t, &done));
  assert_int_equal(done.epochs, 3);
  check_step();
  gg_batches_free(t.batches);
  gg_func_free(t.step);
  gg_params_free(t.params);
  gg_graph_free(g);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_transformer_leaves_pages)};

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
