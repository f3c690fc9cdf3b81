/* SPDX-License-Identifier: BSD-2-Clause */
/* Attention with masks. Heads have one number; keys of 0 give equal weights, so
 * that results are means of the values that a row attends to. */
#include <math.h>

#include "support/device.h"
#include "support/onnx_trial.h"

static const float zeros[8] = {0};
static const float values[] = {1, 3, 8, 100};

/* A mask of -infinity hides a value whatever the cap is. */
static void test_cap(void **state) {
  static const float keys[] = {1, 5}, mask[] = {0, -INFINITY}, q = 1;
  message attrs = {.n = 0}, stage = number("qk_matmul_output_mode", 1);

  (void)state;
  put_float(&attrs, "softcap", 2);
  put_message(&attrs, 5, &stage);
  trial t = trial_new("Attention", "a b c d", "y - - z", &attrs);
  t.n_out = 2;
  GIVE(&t, &q, 1, 1, 1, 1);
  GIVE(&t, keys, 1, 1, 2, 1);
  GIVE(&t, values, 1, 1, 2, 1);
  GIVE(&t, mask, 1, 2);
  run(&t, 23);
  EXPECT(&t, 0, 1);
  EXPECT(&t, 1, 2 * tanhf(0.5f), 2 * tanhf(2.5f)); /* before the mask */
}

/* A row that attends to nothing is 0. */
static void test_closed_rows(void **state) {
  static const float mask[] = {-INFINITY, -INFINITY, 0, 0};

  (void)state;
  trial t = trial_new("Attention", "a b c d", "y", NULL);
  GIVE(&t, zeros, 1, 1, 2, 1);
  GIVE(&t, zeros, 1, 1, 2, 1);
  GIVE(&t, values, 1, 1, 2, 1);
  GIVE(&t, mask, 2, 2);
  run(&t, 23);
  EXPECT(&t, 0, 0, 2);
}

/* Gradients of rows that attend to nothing are 0. */
static void test_closed_gradient(void **state) {
  gg_graph *g = gg_graph_new(test_context());
  const int64_t one[] = {1, 1, 1, 1}, two[] = {1, 1, 2, 1};
  static const float mask[] = {-INFINITY, -INFINITY}, q = 3;
  message graph = {.n = 0}, m = {.n = 0};
  gg_host_array a = {GA_FLOAT, 4, {1, 1, 1, 1}, (void *)(size_t)&q, 4},
                b = {GA_FLOAT, 4, {1, 1, 2, 1}, (void *)(size_t)values, 8};
  float got = 1;
  gg_host_array out = {.data = &got, .bytes = sizeof got};
  gg_onnx *model;
  gg_var *slope;
  gg_func *f;

  (void)state;
  put_value(&graph, 11, "a", 4, one);
  put_value(&graph, 11, "b", 4, two);
  put_elements(&graph, "m", 1, 1, 2, mask);
  put_node(&graph, "Attention", "a b b m", "y", NULL);
  put_value(&graph, 12, "y", 4, one);
  put_model(&m, &graph, 23);
  assert_ok(gg_onnx_open_memory(&model, m.bytes, m.n, NULL));
  assert_ok(gg_onnx_load(model, g, NULL));
  assert_ok(gg_grad(&slope, gg_sum(gg_onnx_outputs(model)[0]), 1,
                    gg_onnx_inputs(model)));
  assert_ok(gg_func_new(&f, g,
                        &(gg_func_spec){.inputs = gg_onnx_inputs(model),
                                        .outputs = GG_VARS(slope)}));
  gg_onnx_close(model);
  assert_ok(gg_func_call_host(f, (const gg_host_array *[]){&a, &b},
                              (gg_host_array *[]){&out}));
  assert_true(got == 0);
  gg_func_free(f);
  gg_graph_free(g);
}

/* The last rows of q belong to the last values that count. */
static void test_causal_counts(void **state) {
  static const int64_t counts[] = {3, 2};
  static const float two[] = {1, 3, 8, 100, 2, 4, 100, 100};
  message attrs = {.n = 0}, causal = number("is_causal", 1);

  (void)state;
  put_message(&attrs, 5, &causal);
  trial t = trial_new("Attention", "a b c - - - d", "y", &attrs);
  GIVE(&t, zeros, 2, 1, 2, 1);
  GIVE(&t, zeros, 2, 1, 4, 1);
  GIVE(&t, two, 2, 1, 4, 1);
  give(&t, GA_LONG, 1, (size_t[]){2}, counts);
  run(&t, 24);
  EXPECT(&t, 0, 2, 4, 2, 3);
}

static trial windowed(int64_t left, int64_t right) {
  message attrs = {.n = 0}, before = number("left_window_size", left),
          after = number("right_window_size", right);

  put_message(&attrs, 5, &before);
  put_message(&attrs, 5, &after);
  trial t = trial_new("Attention", "a b c", "y", &attrs);
  GIVE(&t, zeros, 1, 1, 4, 1);
  GIVE(&t, zeros, 1, 1, 4, 1);
  GIVE(&t, values, 1, 1, 4, 1);
  return t;
}

static void test_windows(void **state) {
  (void)state;
  trial t = windowed(1, 0);
  run(&t, 25);
  EXPECT(&t, 0, 1, 2, 5.5f, 54);
  t = windowed(-1, 1);
  run(&t, 25);
  EXPECT(&t, 0, 2, 4, 28, 28);
  t = windowed(0, -1);
  run(&t, 25);
  EXPECT(&t, 0, 28, 37, 54, 100);
  t = windowed(1, 0);
  refuse_in(&t, 24, GA_UNSUPPORTED_ERROR,
            "\"left_window_size\" is not supported");
  t = windowed(1, 0);
  refuse_in(&t, 22, GA_UNSUPPORTED_ERROR, "supported since opset 23");
  t = windowed(-2, 0);
  refuse_in(&t, 25, GA_VALUE_ERROR, "-2 positions before and 0 after");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_cap),
      cmocka_unit_test(test_closed_rows),
      cmocka_unit_test(test_closed_gradient),
      cmocka_unit_test(test_causal_counts),
      cmocka_unit_test(test_windows),
  };
  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
