/* SPDX-License-Identifier: BSD-2-Clause */
/* Gradients of activations, and what they refuse. NumPy judges their values
 * (numpy/statistics.c). */
#include "support/graph_case.h"

enum { MOST = 24 };

/* All of x, in one function. */
static gg_var *activations(gg_var *x) {
  gg_var *y[MOST];
  unsigned int n = 0;

  y[n++] = gg_relu6(x);
  y[n++] = gg_leaky_relu(x, 0.25);
  y[n++] = gg_prelu(x, gg_f32(g, 0.5f));
  y[n++] = gg_threshold(x, 1, -1);
  y[n++] = gg_elu(x, 1.5);
  y[n++] = gg_celu(x, 2);
  y[n++] = gg_selu(x);
  y[n++] = gg_gelu(x);
  y[n++] = gg_gelu_tanh(x);
  y[n++] = gg_silu(x);
  y[n++] = gg_mish(x);
  y[n++] = gg_hard_sigmoid(x);
  y[n++] = gg_hard_swish(x);
  y[n++] = gg_log_sigmoid(x);
  y[n++] = gg_hard_tanh(x, -1, 2);
  y[n++] = gg_softsign(x);
  y[n++] = gg_tanh_shrink(x);
  y[n++] = gg_soft_shrink(x, 0.5);
  y[n++] = gg_hard_shrink(x, 0.5);
  return gg_stack(0, n, y);
}

/* Away from the corners. */
static const float values[6] = {-4, -1.4f, -0.3f, 0.2f, 1.3f, 7};

static void gradients_are_those_of_differences(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1);

  (void)state;
  float_vector(&a, 6, values);
  assert_ok(gg_check_gradient(activations(x), 1, &x, (GpuArray *[]){&a}, 0, 0));
  assert_ok(gg_check_gradient(gg_glu(x, 0), 1, &x, (GpuArray *[]){&a}, 0, 0));
}

static void integers_count_as_floats(void **state) {
  gg_var *x = gg_input(g, "x", GA_INT, 1);

  (void)state;
  assert_int_equal(gg_var_type(gg_silu(x))->dtype, GA_FLOAT);
  assert_int_equal(gg_var_type(gg_prelu(x, gg_f32(g, 1)))->dtype, GA_FLOAT);
  assert_int_equal(gg_var_type(gg_threshold(x, 1, 2))->dtype, GA_INT);
}

static void odd_halves_and_null_are_refused(void **state) {
  gg_var *const x = gg_input_sized(g, "x", GA_FLOAT, 1, (int64_t[]){5});

  (void)state;
  assert_null(gg_glu(x, 0));
  assert_string_equal(gg_graph_error(g),
                      "glu(float32[5]): axis 0 of size 5 is not 2 equal parts");
  gg_graph_reset_error(g);
  assert_null(gg_prelu(x, NULL));
  assert_string_equal(gg_graph_error(g),
                      "prelu(float32[5], NULL): operand 1 is NULL");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(gradients_are_those_of_differences,
                                      graph_setup, graph_teardown),
      cmocka_unit_test_setup_teardown(integers_count_as_floats, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(odd_halves_and_null_are_refused,
                                      graph_setup, graph_teardown),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
