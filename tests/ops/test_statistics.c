/* SPDX-License-Identifier: BSD-2-Clause */
/* Gradients of statistics, and what is delicate about their values. NumPy
 * judges the others (numpy/statistics.c). */
#include <math.h>

#include "support/graph_case.h"

static const float values[6] = {1, -2, 3, 0.5f, 2, -1};

static void gradients_are_those_of_differences(void **state) {
  const int last = -1;
  gg_var *x = gg_input(g, "x", GA_FLOAT, 2);
  gg_var *y[11];
  unsigned int n = 0;

  (void)state;
  float_array(&a, 2, (size_t[]){2, 3}, values);
  y[n++] = gg_mean_axes(x, 1, &last, 0);
  y[n++] = gg_variance(x, 1, &last, 0, 1);
  y[n++] = gg_std(x, 1, &last, 0, 0);
  y[n++] = gg_logsumexp(x, 1, &last, 0);
  y[n++] = gg_norm(x, 2, 1, &last, 0);
  y[n++] = gg_norm(x, 3, 1, &last, 0);
  y[n++] = gg_ptp(x, 1, &last, 0);
  y[n++] = gg_nansum(x, 1, &last, 0);
  y[n++] = gg_nanmean(x, 1, &last, 0);
  y[n++] = gg_nanmax(x, 1, &last, 0);
  y[n++] = gg_nanmin(x, 1, &last, 0);
  assert_ok(
      gg_check_gradient(gg_stack(0, n, y), 1, &x, (GpuArray *[]){&a}, 0, 0));
}

static void call(gg_var *x, gg_var *y) {
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x), .outputs = GG_VARS(y)});

  assert_ok(gg_func_call(f, (GpuArray *[]){&a}, (GpuArray *[]){&out}));
  gg_func_free(f);
}

/* NaN has none, and takes none away from the others. */
static void gradients_are_finite_beside_nan(void **state) {
  static const float rows[6] = {1, NAN, 3, NAN, NAN, NAN};
  const int last = -1;
  gg_var *const x = gg_input(g, "x", GA_FLOAT, 2);
  gg_var *y = gg_add(gg_nansum(x, 1, &last, 0), gg_nanmean(x, 1, &last, 0)),
         *dx;

  (void)state;
  y = gg_add(y, gg_nanmax(x, 1, &last, 0));
  y = gg_index(gg_sub(y, gg_nanmin(x, 1, &last, 0)), 0, 0);
  assert_ok(gg_grad(&dx, y, 1, &x));
  float_array(&a, 2, (size_t[]){2, 3}, rows);
  call(x, gg_index(dx, 0, 0));
  assert_floats(&out, (float[]){0.5f, 0, 2.5f}, 3);
}

/* Norms and deviations that are 0 have the gradient 0, where a square root has
 * none. */
static void gradients_at_0_are_0(void **state) {
  static const float rows[6] = {0, 0, 0, 0, 3, -4};
  const int last = -1;
  gg_var *const x = gg_input(g, "x", GA_FLOAT, 2);
  gg_var *y = gg_add(gg_norm(x, 2, 1, &last, 0), gg_norm(x, 3, 1, &last, 0)),
         *dx;

  (void)state;
  y = gg_add(y, gg_std(x, 1, &last, 0, 0));
  assert_ok(gg_grad(&dx, gg_sum(gg_index(y, 0, 0)), 1, &x));
  float_array(&a, 2, (size_t[]){2, 3}, rows);
  call(x, dx);
  assert_floats(&out, (float[6]){0}, 6);
  call(x, gg_norm(x, 2, 1, &last, 0));
  assert_floats(&out, (float[]){0, 5}, 2);
  graph_refused(gg_norm(x, NAN, 1, &last, 0), "norm(float32[?, ?]): p is NaN");
}

static void large_and_infinite_exponents_stay(void **state) {
  static const float rows[8] = {1000, 1000,      -1000,     -1001,
                                1,    -INFINITY, -INFINITY, -INFINITY};
  const int last = -1;
  gg_var *const x = gg_input(g, "x", GA_FLOAT, 2);

  (void)state;
  float_array(&a, 2, (size_t[]){4, 2}, rows);
  call(x, gg_logsumexp(x, 1, &last, 0));
  assert_floats(
      &out, (float[]){1000 + logf(2), -1000 + log1pf(expf(-1)), 1, -INFINITY},
      4);
}

static void halfs_are_summed_as_floats(void **state) {
  gg_var *const x = gg_input(g, "x", GA_FLOAT, 1);
  gg_var *const y = gg_mean_axes(gg_cast(x, GA_HALF), 0, NULL, 0);
  float many[40];

  (void)state;
  for (int i = 0; i < 40; i++)
    many[i] = 60000;
  float_vector(&a, 40, many);
  assert_int_equal(gg_var_type(y)->dtype, GA_HALF);
  call(x, gg_cast(y, GA_FLOAT));
  assert_floats(&out, (float[]){60000}, 1);
}

/* As in NumPy: a division by 0, not by a negative number. */
static void too_few_elements_have_no_variance(void **state) {
  gg_var *const x = gg_input(g, "x", GA_FLOAT, 1);
  float got = 0;

  (void)state;
  float_vector(&a, 2, (float[]){1, 3});
  call(x, gg_variance(x, 0, NULL, 0, 3));
  assert_ok(GpuArray_read(&got, sizeof got, &out));
  assert_true(got > 0 && isinf(got));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(gradients_are_those_of_differences,
                                      graph_setup, graph_teardown),
      cmocka_unit_test_setup_teardown(gradients_are_finite_beside_nan,
                                      graph_setup, graph_teardown),
      cmocka_unit_test_setup_teardown(gradients_at_0_are_0, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(large_and_infinite_exponents_stay,
                                      graph_setup, graph_teardown),
      cmocka_unit_test_setup_teardown(halfs_are_summed_as_floats, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(too_few_elements_have_no_variance,
                                      graph_setup, graph_teardown),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
