/* SPDX-License-Identifier: BSD-2-Clause */
/* docs/examples/pictures.c: it learns which way stripes run, and the graph that
 * it saves predicts that. */
#include "support/device.h"
#include "support/tmpfile.h"

#include <gpuarray/npy.h>

/* The example's own functions, without its main. */
int example_main(int argc, char **argv);
#define main example_main
#include "../../docs/examples/pictures.c"
#undef main

enum { N = 200, H = 12, W = 14 };

static float pictures[N][1][H][W];
static int32_t labels[N];

/* Stripes of three, somewhere, in noise. */
static void draw(void) {
  test_fill(pictures, GA_FLOAT, (size_t)N * H * W, -0.5, 0.5, 5);
  for (int i = 0; i < N; i++) {
    labels[i] = i * 7 % 10 < 5;
    for (int k = 0; k < H * W; k++) {
      const int at = (labels[i] ? k / W : k % W) + i % 6;
      pictures[i][0][k / W][k % W] += at / 3 % 2 == 0 ? 1.0F : 0.0F;
    }
  }
}

static void save(int typecode, unsigned int nd, const void *data,
                 const char *path) {
  GpuArray a;

  test_array(&a, typecode, nd, (size_t[]){N, 1, H, W}, data);
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
  assert_null(gg_graph_find(g, "optimiser.step"));
  assert_non_null(gg_graph_find(g, "first.weight"));
  assert_ok(gg_func_new(&f, g, gg_graph_func(g, "predict")));
  test_array(&a, GA_FLOAT, 4, (size_t[]){N, 1, H, W}, pictures);
  assert_ok(gg_func_call(f, (GpuArray *[]){&a}, (GpuArray *[]){&out}));
  assert_ok(GpuArray_read(got, sizeof got, &out));
  for (int i = 0; i < N; i++)
    right += got[i] == labels[i];
  GpuArray_clear(&a);
  GpuArray_clear(&out);
  gg_func_free(f);
  gg_graph_free(g);
  return right;
}

static void the_example_learns_and_saves(void **state) {
  char x[512], y[512], graph[512], two[] = "2", one[] = "1";
  char *arguments[7] = {"pictures", two, one, x, y, graph, NULL};

  (void)state;
  test_need_full();
  test_context(); /* or skip */
  snprintf(x, sizeof x, "%s", test_file_path("pictures.npy"));
  snprintf(y, sizeof y, "%s", test_file_path("stripes.npy"));
  snprintf(graph, sizeof graph, "%s", test_file_path("pictures.gg"));
  draw();
  save(GA_FLOAT, 4, pictures, x);
  save(GA_INT, 1, labels, y);
  assert_int_equal(example_main(6, arguments), 0);
  assert_true(count_right(graph) >= N * 95 / 100);
  remove(x);
  remove(y);
  remove(graph);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_example_learns_and_saves)};

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
