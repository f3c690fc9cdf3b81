/* SPDX-License-Identifier: BSD-2-Clause */
/* Batch normalisation, which no op of its own computes: how many kernels it and
 * its gradients are, and that values are those of the same function unfused. */
#include <gpuarray/device.h>
#include <stdlib.h>

#include "support/compared.h"

static int reads_columns(void) {
  return gpucontext_caps(test_context())->is_cpu;
}

static gg_var *matrix(const char *name) {
  return gg_input(g, name, GA_FLOAT, 2);
}

/* gamma (x - mean) / sqrt(var + eps) + beta, one mean for each place of the
 * axes that are left. */
static gg_var *batch_norm(gg_var *x, unsigned int n_axes, const int *axes,
                          gg_var *gamma, gg_var *beta) {
  gg_var *n = gg_cast(gg_shape(x, axes[0]), GA_FLOAT), *d, *var;

  for (unsigned int i = 1; i < n_axes; i++)
    n = gg_mul(n, gg_cast(gg_shape(x, axes[i]), GA_FLOAT));
  d = gg_sub(x, gg_div(gg_reduce(GG_SUM, x, n_axes, axes, 1), n));
  var = gg_div(gg_reduce(GG_SUM, gg_sqr(d), n_axes, axes, 1), n);
  var = gg_sqrt(gg_add(var, gg_f32(g, 1e-5f)));
  return gg_add(gg_mul(gg_div(d, var), gamma), beta);
}

/* The value with its gradients for x, gamma and beta: a kernel for all, unless
 * rows are columns that are long or that a GPU reads. */
static void check_batch_norm(unsigned int nd, const size_t *dims, int is_one,
                             unsigned int n_axes, const int *axes,
                             const int *pattern) {
  const int64_t sizes[4] = {(int64_t)dims[0], GG_ANY, GG_ANY, GG_ANY};
  gg_var *x = gg_input_sized(g, "x", GA_FLOAT, nd, sizes), *grad[3], *y;
  gg_var *dy = gg_input_sized(g, "dy", GA_FLOAT, nd, sizes);
  gg_var *gamma = gg_input(g, "gamma", GA_FLOAT, 1);
  gg_var *beta = gg_input(g, "beta", GA_FLOAT, 1);
  compared c;

  y = batch_norm(x, n_axes, axes, gg_dimshuffle(gamma, nd, pattern),
                 gg_dimshuffle(beta, nd, pattern));
  assert_ok(
      gg_grad(grad, gg_sum(gg_mul(dy, y)), 3, (gg_var *[]){x, gamma, beta}));
  compare_make(&c, GG_VARS(x, gamma, beta, dy),
               GG_VARS(y, grad[0], grad[1], grad[2]));
  compare_give(&c, 0, nd, dims);
  compare_give(&c, 1, 1, &dims[1]);
  compare_give(&c, 2, 1, &dims[1]);
  compare_give(&c, 3, nd, dims);
  compare_run(&c);
  if (is_one)
    assert_int_equal(func_stats(c.fused).steps, 1);
  else
    assert_true(func_stats(c.fused).steps > 1);
  compare_clear(&c);
}

static void test_batch_norm(void **state) {
  static const size_t dims[3][2] = {{37, 10}, {300, 33}, {3, 200}};

  (void)state;
  for (int i = 0; i < 3; i++)
    check_batch_norm(2, dims[i], i != 1 && reads_columns(), 1, (int[]){0},
                     (int[]){-1, 0});
}

/* Any number of rows: what is once per column from one read, then the rest. */
static void test_batch_norm_open(void **state) {
  static const size_t dims[3][2] = {{1, 3}, {37, 10}, {3000, 70}};
  gg_var *x = matrix("x"), *gamma = gg_input(g, "gamma", GA_FLOAT, 1);
  gg_var *beta = gg_input(g, "beta", GA_FLOAT, 1);
  gg_var *y =
      batch_norm(x, 1, (int[]){0}, gg_dimshuffle(gamma, 2, (int[]){-1, 0}),
                 gg_dimshuffle(beta, 2, (int[]){-1, 0}));
  compared c;

  (void)state;
  compare_make(&c, GG_VARS(x, gamma, beta), GG_VARS(y));
  for (int i = 0; i < 3; i++) {
    compare_give(&c, 0, 2, dims[i]);
    compare_give(&c, 1, 1, &dims[i][1]);
    compare_give(&c, 2, 1, &dims[i][1]);
    compare_run(&c);
    assert_true(func_stats(c.fused).steps <= 3); /* sums may be in parts */
  }
  char *text = func_text(c.fused);
  assert_non_null(strstr(text, "variance axis=0 keepdims, sum axis=0"));
  assert_null(strstr(text, "  3  "));
  free(text);
  compare_clear(&c);
}

/* Its gradients: what is once per column from x, the same from x and dy, then
 * the gradient for x. Those for gamma and beta are views of what the second
 * computes. */
static void test_batch_norm_open_gradients(void **state) {
  static const size_t dims[3][2] = {{2, 3}, {3000, 70}, {37, 10}};
  gg_var *x = matrix("x"), *dy = matrix("dy"), *grad[3], *y;
  gg_var *gamma = gg_input(g, "gamma", GA_FLOAT, 1);
  gg_var *beta = gg_input(g, "beta", GA_FLOAT, 1);
  compared c;

  (void)state;
  y = batch_norm(x, 1, (int[]){0}, gg_dimshuffle(gamma, 2, (int[]){-1, 0}),
                 gg_dimshuffle(beta, 2, (int[]){-1, 0}));
  assert_ok(
      gg_grad(grad, gg_sum(gg_mul(dy, y)), 3, (gg_var *[]){x, gamma, beta}));
  compare_make(&c, GG_VARS(x, dy, gamma, beta),
               GG_VARS(grad[0], grad[1], grad[2]));
  for (int i = 0; i < 3; i++) {
    compare_give(&c, 0, 2, dims[i]);
    compare_give(&c, 1, 2, dims[i]);
    compare_give(&c, 2, 1, &dims[i][1]);
    compare_give(&c, 3, 1, &dims[i][1]);
    compare_run(&c);
  }
  assert_int_equal(func_stats(c.fused).steps, 3);
  /* x, gamma and beta of the last sizes, against differences. */
  assert_ok(gg_check_gradient(y, 3, (gg_var *[]){x, gamma, beta},
                              (GpuArray *[]){&c.in[0], &c.in[2], &c.in[3]}, 0,
                              0));
  compare_clear(&c);
}

static void test_batch_norm_images(void **state) {
  (void)state;
  check_batch_norm(4, (size_t[]){6, 3, 5, 7}, 1, 3, (int[]){0, 2, 3},
                   (int[]){-1, 0, -1, -1});
}

/* The gradient that comes back is a product, but 0 where z is not positive. The
 * product's kernel stores it, and both sums of it are of the same rows. */
static void test_batch_norm_behind_product(void **state) {
  static const size_t dims[2] = {37, 60}, left[2] = {37, 5}, right[2] = {5, 60};
  gg_var *x = gg_input_sized(g, "x", GA_FLOAT, 2, (int64_t[]){37, 60});
  gg_var *z = gg_input_sized(g, "z", GA_FLOAT, 2, (int64_t[]){37, 60});
  gg_var *u = matrix("u"), *v = matrix("v"), *grad[2];
  gg_var *gamma = gg_input(g, "gamma", GA_FLOAT, 1);
  gg_var *column = gg_dimshuffle(gamma, 2, (int[]){0, -1});
  gg_var *y = batch_norm(x, 1, (int[]){1}, column, column);
  gg_var *dy = gg_where(gg_gt(z, gg_f32(g, 0)), gg_dot(u, v), gg_f32(g, 0));
  compared c;

  (void)state;
  assert_ok(gg_grad(grad, gg_sum(gg_mul(dy, y)), 2, (gg_var *[]){x, gamma}));
  compare_make(&c, GG_VARS(x, gamma, z, u, v), GG_VARS(grad[0], grad[1]));
  compare_give(&c, 0, 2, dims);
  compare_give(&c, 1, 1, &dims[0]);
  compare_give(&c, 2, 2, dims);
  compare_give(&c, 3, 2, left);
  compare_give(&c, 4, 2, right);
  compare_run(&c);
  char *text = func_text(c.fused);
  assert_non_null(strstr(text, "dot then {gt, where}  "));
  assert_null(strstr(text, "  4  ")); /* rows, and a copy */
  free(text);
  compare_clear(&c);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, graph_setup, graph_teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_batch_norm),
      TEST(test_batch_norm_open),
      TEST(test_batch_norm_open_gradients),
      TEST(test_batch_norm_images),
      TEST(test_batch_norm_behind_product),
  };
  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
