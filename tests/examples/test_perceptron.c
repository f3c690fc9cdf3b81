/* SPDX-License-Identifier: BSD-2-Clause */
/* docs/examples/perceptron.c: it learns points in a circle, and the graph that
 * it saves predicts them, and has nothing else. */
#include "support/device.h"
#include "support/tmpfile.h"

#include <gpuarray/npy.h>
#include <stdlib.h>
#include <string.h>

/* The example's own functions, without its main. */
int example_main(int argc, char **argv);
#define main example_main
#include "../../docs/examples/perceptron.c"
#undef main

enum { N = 600 };

static float at[N][2];
static int32_t inside[N];

static void save(int typecode, unsigned int nd, const void *data,
                 const char *path) {
  GpuArray a;

  test_array(&a, typecode, nd, (size_t[]){N, 2}, data);
  assert_ok(GpuArray_save_npy(&a, path));
  GpuArray_clear(&a);
}

static int count_right(const char *path) {
  GpuArray a, out = {0};
  int64_t got[N];
  gg_func *f;
  int right = 0;

  gg_graph *g = gg_graph_new(test_context());
  assert_ok(gg_graph_load(g, path));
  assert_null(gg_graph_find(g, "labels"));
  assert_null(gg_graph_find(g, "optimiser.step"));
  assert_non_null(gg_graph_find(g, "first.weight"));
  assert_ok(gg_func_new(&f, g, gg_graph_func(g, "predict")));
  test_array(&a, GA_FLOAT, 2, (size_t[]){N, 2}, at);
  assert_ok(gg_func_call(f, (GpuArray *[]){&a}, (GpuArray *[]){&out}));
  assert_ok(GpuArray_read(got, sizeof got, &out));
  for (int i = 0; i < N; i++)
    right += got[i] == inside[i];
  GpuArray_clear(&a);
  GpuArray_clear(&out);
  gg_func_free(f);
  gg_graph_free(g);
  return right;
}

static void the_example_learns_and_saves(void **state) {
  char points[512], labels[512], graph[512], report[512];
  char *arguments[6] = {"perceptron", points, labels, graph, report, NULL};

  (void)state;
  test_context(); /* or skip */
  snprintf(points, sizeof points, "%s", test_file_path("points.npy"));
  snprintf(labels, sizeof labels, "%s", test_file_path("labels.npy"));
  snprintf(graph, sizeof graph, "%s", test_file_path("predict.gg"));
  snprintf(report, sizeof report, "%s", test_file_path("perceptron_report"));
  test_fill(at, GA_FLOAT, (size_t)N * 2, -1, 1, 5);
  for (int i = 0; i < N; i++)
    inside[i] = at[i][0] * at[i][0] + at[i][1] * at[i][1] < 0.6f;
  save(GA_FLOAT, 2, at, points);
  save(GA_INT, 1, inside, labels);
  assert_int_equal(example_main(5, arguments), 0);
  assert_true(count_right(graph) >= N * 95 / 100);
  assert_true(
      test_file_exists(test_file_path("perceptron_report/report.html")));
  remove(points);
  remove(labels);
  remove(graph);
}

static void bad_functions_are_not_saved(void **state) {
  gg_graph *g = gg_graph_new(test_context());
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1), *w[2] = {NULL, NULL};
  const char *path = test_file_path("none.gg");

  (void)state;
  w[0] = gg_shared_host(g, "w", GA_FLOAT, 0, NULL, &(float){1});
  assert_code(GA_INVALID_ERROR, gg_nn_save(NULL, path));
  assert_code(GA_INVALID_ERROR, gg_nn_save(&(gg_func_spec){.name = "f"}, NULL));
  assert_code(GA_VALUE_ERROR, gg_nn_save(&(gg_func_spec){.name = "f"}, path));
  assert_message(GA_VALUE_ERROR, "needs outputs");
  assert_code(GA_VALUE_ERROR, gg_nn_save(&(gg_func_spec){.outputs = w}, path));
  assert_message(GA_VALUE_ERROR, "needs a name");
  assert_code(GA_VALUE_ERROR,
              gg_nn_save(&(gg_func_spec){.name = "f",
                                         .outputs = w,
                                         .updates = GG_UPDATES({w[0], w[0]})},
                         path));
  assert_message(GA_VALUE_ERROR, "updates");
  assert_ok(gg_nn_save(&(gg_func_spec){.name = "f",
                                       .inputs = GG_VARS(x),
                                       .outputs = GG_VARS(gg_mul(x, w[0]))},
                       path));
  assert_true(test_file_exists(path));
  remove(path);
  gg_graph_free(g);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_example_learns_and_saves),
      cmocka_unit_test(bad_functions_are_not_saved)};

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
