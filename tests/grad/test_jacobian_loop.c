/* SPDX-License-Identifier: BSD-2-Clause */
/* Jacobians and Hessians of vectors whose sizes calls decide: loops over the
 * rows. */
#include <gpugraph/scan.h>
#include <string.h>

#include "support/graph_case.h"

static const float five[5] = {1, 2, 3, 4, 5};

/* The elements of a function's results for vectors of n and n elements. */
static void check(gg_func *f, size_t n, const float *want, size_t size) {
  float_vector(&a, n, five);
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out});
  assert_floats(&out, want, size);
  GpuArray_clear(&a);
}

static gg_func *make(gg_var *x, gg_var *y) {
  return func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x), .outputs = GG_VARS(y)});
}

/* y = x sum(x): dy_i / dx_j = x_i, and sum(x) more where i is j. One function
 * serves all sizes. */
static void test_any_size(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1), *d;

  (void)state;
  assert_ok(gg_jacobian(&d, gg_mul(x, gg_sum(x)), 1, &x));
  assert_int_equal(gg_var_type(d)->nd, 2);
  gg_func *f = make(x, d);
  check(f, 2, (float[]){4, 1, 2, 5}, 4);
  check(f, 3, (float[]){7, 1, 1, 2, 8, 2, 3, 3, 9}, 9);
  gg_func_free(f);
}

/* Known, but too many to be written out. */
static void test_many(void **state) {
  enum { MANY = 40 };
  const int64_t many = MANY;
  gg_var *x = gg_input_sized(g, "x", GA_FLOAT, 1, &many), *d;
  float v[MANY], want[MANY * MANY] = {0};

  (void)state;
  for (int i = 0; i < MANY; i++) {
    v[i] = (float)i;
    want[(MANY + 1) * i] = (float)(2 * i);
  }
  assert_ok(gg_jacobian(&d, gg_sqr(x), 1, &x));
  assert_int_equal(gg_var_type(d)->dims[1], MANY);
  gg_func *f = make(x, d);
  float_vector(&a, MANY, v);
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out});
  assert_floats(&out, want, MANY * MANY);
  gg_func_free(f);
}

/* In a matrix, and in what has no influence. */
static void test_matrix(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1);
  gg_var *m = gg_shared_host(g, "m", GA_FLOAT, 2, (size_t[]){2, 2}, five);
  gg_var *d[2];

  (void)state;
  assert_ok(gg_jacobian(d, gg_dot(m, gg_sqr(x)), 2, (gg_var *[]){m, x}));
  gg_func *f = make(x, d[0]); /* dy_i / dm_ij = x_j^2 */
  check(f, 2, (float[]){1, 4, 0, 0, 0, 0, 1, 4}, 8);
  gg_func_free(f);
  f = make(x, d[1]); /* 2 m_ij x_j */
  check(f, 2, (float[]){2, 8, 6, 16}, 4);
  gg_func_free(f);
  assert_ok(gg_jacobian(d, gg_sqr(x), 1, &m));
  f = make(x, d[0]);
  check(f, 2, (float[8]){0}, 8);
  gg_func_free(f);
}

/* sum(x^3): 6 x on the diagonal; and its gradient, as of any loop. */
static void test_hessian(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1), *h, *d;

  (void)state;
  assert_ok(gg_hessian(&h, gg_sum(gg_mul(gg_sqr(x), x)), 1, &x));
  gg_func *f = make(x, h);
  check(f, 3, (float[]){6, 0, 0, 0, 12, 0, 0, 0, 18}, 9);
  gg_func_free(f);
  assert_ok(gg_grad(&d, gg_sum(h), 1, &x));
  f = make(x, d);
  check(f, 3, (float[]){6, 6, 6}, 3);
  gg_func_free(f);
}

#define TEST(name)                                                             \
  cmocka_unit_test_setup_teardown(name, graph_setup, graph_teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_any_size),
      TEST(test_many),
      TEST(test_matrix),
      TEST(test_hessian),
  };

  return cmocka_run_group_tests_name("jacobian_loop", tests, NULL,
                                     test_context_drop);
}
