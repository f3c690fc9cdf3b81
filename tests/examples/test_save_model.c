/* SPDX-License-Identifier: BSD-2-Clause */
/* docs/examples/save_model.c: what another process has saved predicts the same
 * to the last bit, and most of it is right. */
#include <stdlib.h>
#include <string.h>

#include "support/child.h"
#include "support/device.h"
#include "support/tmpfile.h"

/* The example's own functions, without its main. */
int example_main(int argc, char **argv);
#define main example_main
#include "../../docs/examples/save_model.c"
#undef main

typedef float predictions[N][CLASSES];

/* In a process of its own. */
static int train_and_save(void) {
  gpucontext *ctx = test_context();
  gg_graph *g = gg_graph_new(ctx);
  data d = make_data(ctx);
  predictions p;
  float cost;

  build(g);
  call(g, "train", &d, STEPS, &cost, sizeof cost);
  call(g, "predict", &d, 1, p, sizeof p);
  check(gg_graph_save(g, test_file_path("model.gg")), "save");
  test_file_write(test_file_path("model.expected"), p, sizeof p);
  GpuArray_clear(&d.x);
  GpuArray_clear(&d.y);
  gg_graph_free(g);
  return test_context_drop(NULL);
}

static void test_same_elsewhere(void **state) {
  predictions p;
  size_t n;

  (void)state;
  gpucontext *ctx = test_context();
  assert_int_equal(test_child("train", (const char *const[]){NULL}), 0);
  gg_graph *g = gg_graph_new(ctx);
  data d = make_data(ctx);
  assert_ok(gg_graph_load(g, test_file_path("model.gg")));
  unsigned char *expected =
      test_file_read(test_file_path("model.expected"), &n);
  call(g, "predict", &d, 1, p, sizeof p);
  assert_int_equal(n, sizeof p);
  assert_memory_equal(p, expected, n);
  assert_true(count_right(g, &d) >= N * 95 / 100);
  free(expected);
  GpuArray_clear(&d.x);
  GpuArray_clear(&d.y);
  gg_graph_free(g);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_elsewhere)};

  if (argc > 1 && strcmp(argv[1], "train") == 0)
    return train_and_save();
  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
