/* SPDX-License-Identifier: BSD-2-Clause */
/* Arrays that maps read by index: which kernels there are, and their values
 * against the interpreter. */
#include <gpuarray/device.h>
#include <gpuarray/error.h>
#include <gpuarray/index_guard.h>
#include <stdlib.h>
#include <string.h>

#include "support/graph_case.h"
#include "support/interp.h"

enum { ROWS = 6, COLS = 40 };

static const size_t dims[2] = {ROWS, COLS};
static gg_var *x, *y, *i;
static double xs[ROWS * COLS], ys[ROWS * COLS], is[ROWS * COLS];
static GpuArray arrays[3];

/* x and y of floats, and i of indices along the columns, all of one shape. */
static void start(void) {
  float v[ROWS * COLS];
  int32_t at[ROWS * COLS];

  x = gg_input(g, "x", GA_FLOAT, 2);
  y = gg_input(g, "y", GA_FLOAT, 2);
  i = gg_input(g, "i", GA_INT, 2);
  for (int k = 0; k < ROWS * COLS; k++) {
    xs[k] = v[k] = (float)(k * 37 % 101) / 50 - 1;
    is[k] = at[k] = k * 29 % (2 * ROWS) - ROWS;
  }
  test_array(&arrays[0], GA_FLOAT, 2, dims, v);
  for (int k = 0; k < ROWS * COLS; k++)
    ys[k] = v[k] = (float)(k * 17 % 31) / 16;
  test_array(&arrays[1], GA_FLOAT, 2, dims, v);
  test_array(&arrays[2], GA_INT, 2, dims, at);
}

static void end(void) {
  for (int k = 0; k < 3; k++)
    GpuArray_clear(&arrays[k]);
}

/* Compute z of x, y and i; expect so many kernels. */
static void check(gg_var *z, size_t steps) {
  gg_func *f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(x, y, i),
                                            .outputs = GG_VARS(z),
                                            .flags = GG_WARN_UNUSED_INPUT});
  interp *it = interp_new();

  func_run(f, (GpuArray *[]){&arrays[0], &arrays[1], &arrays[2]},
           (GpuArray *[]){&out});
  assert_int_equal(func_stats(f).steps, steps);
  interp_bind(it, x, 2, dims, xs);
  interp_bind(it, y, 2, dims, ys);
  interp_bind(it, i, 2, dims, is);
  const tensor *want = interp_eval(it, z);
  float *v = malloc((want->n + 1) * sizeof *v);
  for (size_t k = 0; k < want->n; k++)
    v[k] = (float)want->v[k];
  test_array_close(&out, v, 1e-5, 1e-5);
  free(v);
  interp_free(it);
  GpuArray_clear(&out);
  gg_func_free(f);
}

static gg_var *one_more(gg_var *v) {
  return gg_sub(v, gg_scalar(g, GA_INT, 1));
}

/* A map computes the indices, and a map follows. */
static void test_one_kernel(void **state) {
  (void)state;
  assert_ok(gpucontext_guard_indices(test_context(), 0));
  start();
  check(gg_mul(gg_exp(gg_take_along(x, 0, one_more(i))), y), 1);
  check(gg_take_along(x, 0, one_more(i)), 1);
  check(gg_exp(gg_take_along(x, 1, i)), 1);
  check(gg_add(gg_take_along(x, 0, i), gg_take_along(y, 1, i)), 1);
  /* Read by index and as it is; by index twice. */
  check(gg_add(gg_take_along(x, 0, i), x), 1);
  check(gg_add(gg_take_along(x, 0, i), gg_take_along(x, 0, one_more(i))), 1);
  /* What is alone has a kernel of its own. */
  check(gg_take_along(x, 0, i), 1);
  end();
}

/* What is read by index is in memory first, though its shape is the same. */
static void test_order(void **state) {
  gg_var *t;

  (void)state;
  start();
  t = gg_exp(x);
  check(gg_mul(gg_take_along(t, 0, i), y), 2);
  check(gg_mul(gg_take_along(t, 0, i), t), 2);
  t = gg_take_along(gg_exp(x), 0, i);
  check(gg_add(gg_take_along(gg_add(t, y), 1, i), t), 3);
  /* Not before a row program that computes it. */
  t = gg_softmax(x);
  check(gg_mul(gg_take_along(t, 1, gg_abs(i)), t), 2);
  end();
}

/* Reductions, products and row programs keep what is read by index out. */
static void test_others(void **state) {
  gg_var *t;

  (void)state;
  start();
  t = gg_take_along(x, 0, i);
  check(gg_sum_axis(gg_exp(t), 1), 2);
  check(gg_softmax(gg_mul(t, y)), 2);
  check(gg_add(gg_dot(x, gg_transpose(y)),
               gg_take_along(gg_dot(y, gg_transpose(x)), 0,
                             gg_slice(i, 1, 0, ROWS, 1))),
        3);
  end();
}

/* The steps of a map that reads whole rows: on CPUs a copy comes first. */
static size_t steps_of_rows(void) {
  return gpucontext_caps(test_context())->is_cpu ? 2 : 1;
}

/* Indices of some columns and of some rows. */
static void test_vectors(void **state) {
  gg_var *v, *w;

  (void)state;
  start();
  v = gg_index(gg_slice(i, 1, 0, 5, 1), 0, 0);
  w = gg_slice(y, 1, 0, 5, 1);
  check(gg_exp(gg_take_axis(x, 1, v)), 1);
  check(gg_mul(gg_take_axis(x, -1, v), w), 1);
  check(gg_exp(gg_take_axis(x, 0, v)), steps_of_rows());
  check(gg_take_axis(x, 0, v), 1);
  check(gg_exp(gg_take(gg_index(x, 0, 1), one_more(v))), 1);
  end();
}

/* Indices of size 1 along an axis. */
static void test_one_column(void **state) {
  (void)state;
  start();
  gg_var *v = gg_specify_shape(gg_slice(i, 1, 0, 1, 1), (int64_t[]){ROWS, 1});
  check(gg_exp(gg_take_along(x, 0, v)), steps_of_rows());
  check(gg_exp(gg_take_along(x, 1, v)), 1);
  end();
}

/* A shared variable that is read by index is not updated in place. */
static void test_update(void **state) {
  const float start_value[4] = {1, 2, 3, 4}, want[4] = {8, 6, 4, 2};
  const int32_t at[4] = {3, 2, 1, 0};
  GpuArray v;

  (void)state;
  float_vector(&v, 4, start_value);
  gg_var *s = gg_shared(g, "s", &v);
  gg_var *j = gg_input(g, "j", GA_INT, 1);
  gg_func *f = func_make(
      g,
      &(gg_func_spec){.inputs = GG_VARS(j),
                      .updates = GG_UPDATES(
                          {s, gg_mul(gg_take_along(s, 0, j), gg_f32(g, 2))})});
  test_array(&a, GA_INT, 1, (size_t[]){4}, at);
  func_run(f, (GpuArray *[]){&a}, NULL);
  assert_shared(s, want, 4);
  GpuArray_clear(&v);
  gg_func_free(f);
}

/* Indices out of range are named like those of the op's own kernels. */
static void test_guard(void **state) {
  const int32_t at[3] = {0, 7, 1};

  (void)state;
  gg_var *v = gg_input(g, "v", GA_FLOAT, 1), *j = gg_input(g, "j", GA_INT, 1);
  gg_func *f =
      func_make(g, &(gg_func_spec){.inputs = GG_VARS(v, j),
                                   .outputs = GG_VARS(gg_exp(gg_take(v, j))),
                                   .flags = GG_INDEX_GUARD});
  float_vector(&a, 3, (float[]){1, 2, 3});
  test_array(&b, GA_INT, 1, (size_t[]){3}, at);
  assert_ok(gg_func_call(f, (GpuArray *[]){&a, &b}, (GpuArray *[]){&out}));
  assert_int_equal(GpuArray_sync(&out), GA_VALUE_ERROR);
  const char *text = gpuarray_error_text(GA_VALUE_ERROR);
  if (strstr(text, "take: index 7 is out of range for axis 0 of size 3") ==
      NULL)
    fail_msg("%s", text);
  gg_func_free(f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_one_kernel, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(test_order, graph_setup, graph_teardown),
      cmocka_unit_test_setup_teardown(test_others, graph_setup, graph_teardown),
      cmocka_unit_test_setup_teardown(test_vectors, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(test_one_column, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(test_update, graph_setup, graph_teardown),
      cmocka_unit_test_setup_teardown(test_guard, graph_setup, graph_teardown),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
