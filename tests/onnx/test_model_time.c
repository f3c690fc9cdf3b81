/* SPDX-License-Identifier: BSD-2-Clause */
/* Writing, reading and loading models take time linear in the number of nodes,
 * weights, inputs and outputs. */
#include <gpugraph/gpugraph.h>
#include <gpugraph/onnx.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/device.h"
#include "support/growth.h"
#include "support/tmpfile.h"

enum { FEW = 500 };

/* What a model has n of. */
typedef enum { NODES, WEIGHTS, INPUTS, OUTPUTS } many;

static const char *const names[] = {"nodes", "weights", "inputs", "outputs"};

static gg_var *weight(gg_graph *g, size_t i) {
  const float v[2] = {(float)i, 1};

  return gg_constant(g, GA_FLOAT, 1, (size_t[]){2}, v);
}

static gg_var *input(gg_graph *g, size_t i) {
  char name[32];

  snprintf(name, sizeof name, "x%zu", i);
  return gg_input_sized(g, name, GA_FLOAT, 1, (int64_t[]){2});
}

static void save(const char *path, many what, size_t n) {
  gg_graph *g = gg_graph_new(NULL);
  gg_var **in = calloc(n + 1, sizeof *in), **out = calloc(n + 1, sizeof *out);

  assert_true(g != NULL && in != NULL && out != NULL);
  in[0] = input(g, 0);
  gg_var *y = gg_exp(in[0]);
  for (size_t i = 0; i < n; i++) {
    if (what == INPUTS && i > 0)
      in[i] = input(g, i);
    gg_var *const operand = what == WEIGHTS  ? weight(g, i)
                            : what == INPUTS ? in[i]
                                             : in[0];
    y = what == NODES || what == OUTPUTS ? gg_tanh(y) : gg_add(y, operand);
    out[what == OUTPUTS ? i : 0] = y;
  }
  if (gg_onnx_save(&(gg_func_spec){.inputs = in, .outputs = out}, path, NULL))
    fail_msg("%.200s", gpuarray_error_text(GA_VALUE_ERROR));
  free(in);
  free(out);
  gg_graph_free(g);
}

static void save_and_load(const void *arg, size_t n) {
  const char *path = test_file_path("many.onnx");
  const many what = *(const many *)arg;
  gg_graph *g = gg_graph_new(NULL);
  gg_onnx *m;

  save(path, what, n);
  assert_ok(gg_onnx_open(&m, path));
  assert_ok(gg_onnx_load(m, g, NULL));
  assert_int_equal(gg_onnx_n_outputs(m), what == OUTPUTS ? n : 1);
  gg_onnx_close(m);
  gg_graph_free(g);
}

static void test_models(void **state) {
  (void)state;
  for (many what = NODES; what <= OUTPUTS; what++)
    test_is_linear(names[what], save_and_load, &what, FEW);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_models)};

  return cmocka_run_group_tests(tests, NULL, NULL);
}
