/* SPDX-License-Identifier: BSD-2-Clause */
/* Known gradients, products with Jacobians, Jacobians, Hessians, gradients that
 * are clipped or scaled, and the check by differences. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "graph/graph.h"
#include "support/device.h"
#include "support/interp.h"

static gg_graph *g;
static interp *it;
static gg_var *x, *y;

/* x = (1, 2, 3), y = (4, 5, 6), of known sizes. */
static int setup(void **state) {
  const int64_t three = 3;

  (void)state;
  g = gg_graph_new(NULL);
  it = interp_new();
  x = gg_input_sized(g, "x", GA_DOUBLE, 1, &three);
  y = gg_input_sized(g, "y", GA_DOUBLE, 1, &three);
  interp_bind(it, x, 1, (size_t[]){3}, (double[]){1, 2, 3});
  interp_bind(it, y, 1, (size_t[]){3}, (double[]){4, 5, 6});
  return g == NULL || it == NULL;
}

static int teardown(void **state) {
  (void)state;
  interp_free(it);
  gg_graph_free(g);
  return 0;
}

static void assert_values(gg_var *v, size_t n, const double *want) {
  if (v == NULL)
    fail_msg("%s", gg_graph_error(g));
  const tensor *t = interp_eval(it, v);
  assert_int_equal(t->n, n);
  for (size_t i = 0; i < n; i++)
    if (!(fabs(t->v[i] - want[i]) <= 1e-12 * (1 + fabs(want[i]))))
      fail_msg("element %zu: got %.17g, expected %.17g", i, t->v[i], want[i]);
}

static void assert_refused(int err, const char *message) {
  assert_int_equal(err, GA_VALUE_ERROR);
  assert_string_equal(gg_graph_error(g), message);
  gg_graph_reset_error(g);
}

/* --- known gradients --- */

static void test_known(void **state) {
  gg_var *p = gg_mul(x, y), *d[2];
  gg_var *const wrt[2] = {x, y};

  (void)state;
  assert_ok(gg_grad_of(d, &(gg_grad_spec){.n_wrt = 2,
                                          .wrt = wrt,
                                          .n_known = 1,
                                          .known = &p,
                                          .known_grad = &y}));
  assert_values(d[0], 3, (double[]){16, 25, 36});
  assert_values(d[1], 3, (double[]){4, 10, 18});
  /* With a cost: what is known takes the place of what comes from it. */
  assert_ok(gg_grad_of(d, &(gg_grad_spec){.cost = gg_sum(gg_add(p, x)),
                                          .n_wrt = 1,
                                          .wrt = wrt,
                                          .n_known = 1,
                                          .known = &p,
                                          .known_grad = &y}));
  assert_values(d[0], 3, (double[]){17, 26, 37});
}

static void test_known_refused(void **state) {
  gg_var *p = gg_mul(x, y), *s = gg_sum(x), *d;

  (void)state;
  assert_refused(gg_grad_of(&d, &(gg_grad_spec){.n_wrt = 1,
                                                .wrt = &x,
                                                .n_known = 1,
                                                .known = &p,
                                                .known_grad = &s}),
                 "gradient: known variable 0 is float64[3], its gradient "
                 "float64");
  assert_null(d);
  assert_int_equal(gg_grad_of(&d, &(gg_grad_spec){.n_wrt = 1, .wrt = &x}),
                   GA_VALUE_ERROR);
}

/* --- matrices --- */

static void test_lop(void **state) {
  gg_var *const out[2] = {gg_sqr(x), gg_mul(x, y)}, *const seed[2] = {y, x};
  gg_var *d;

  (void)state;
  assert_ok(gg_lop(&d, 2, out, seed, 1, &x));
  assert_values(d, 3, (double[]){12, 30, 54});
}

static void test_jacobian(void **state) {
  gg_var *z = gg_mul(gg_sum(x), y), *d[2];
  gg_var *const wrt[2] = {x, y};

  (void)state;
  assert_ok(gg_jacobian(d, z, 2, wrt));
  assert_values(d[0], 9, (double[]){4, 4, 4, 5, 5, 5, 6, 6, 6});
  assert_values(d[1], 9, (double[]){6, 0, 0, 0, 6, 0, 0, 0, 6});
  assert_int_equal(gg_var_type(d[0])->nd, 2);
  assert_ok(gg_jacobian(d, gg_sum(gg_sqr(x)), 1, &x));
  assert_values(d[0], 3, (double[]){2, 4, 6});
}

static void test_hessian(void **state) {
  gg_var *d[2];
  gg_var *const wrt[2] = {x, y};

  (void)state;
  /* sum(x)^2 y0 + ... : d2/dx2 = 2 sum(y), d2/dy2 = 0 */
  assert_ok(gg_hessian(d, gg_mul(gg_sqr(gg_sum(x)), gg_sum(y)), 2, wrt));
  assert_values(d[0], 9, (double[]){30, 30, 30, 30, 30, 30, 30, 30, 30});
  assert_values(d[1], 9, (double[]){0, 0, 0, 0, 0, 0, 0, 0, 0});
}

static void test_jacobian_refused(void **state) {
  gg_var *u = gg_input(g, "u", GA_DOUBLE, 2), *d;

  (void)state;
  assert_refused(gg_jacobian(&d, gg_exp(u), 1, &u),
                 "jacobian: expected a vector of floats, got float64[?, ?]");
  assert_refused(gg_jacobian(&d, gg_positions(x, 0), 1, &x),
                 "jacobian: expected a vector of floats, got int64[3]");
  assert_int_equal(gg_jacobian(&d, NULL, 1, &u), GA_VALUE_ERROR);
}

/* --- other gradients --- */

static gg_var *slope(gg_var *through) {
  gg_var *d;

  assert_ok(gg_grad(&d, gg_sum(gg_mul(through, y)), 1, &x));
  return d;
}

static void test_other_gradients(void **state) {
  (void)state;
  assert_values(gg_clip_gradient(x, -1, 1), 3, (double[]){1, 2, 3});
  assert_values(slope(gg_clip_gradient(x, -1, 4.5)), 3,
                (double[]){4, 4.5, 4.5});
  assert_values(slope(gg_scale_gradient(x, -2)), 3, (double[]){-8, -10, -12});
  assert_values(slope(gg_zero_gradient(x)), 3, (double[]){0, 0, 0});
  assert_null(gg_clip_gradient(x, 2, 1));
  gg_graph_reset_error(g);
  assert_null(gg_scale_gradient(gg_i64(g, 1), 2));
  gg_graph_reset_error(g);
  assert_null(gg_zero_gradient(NULL));
}

/* --- the check --- */

static int grad_wrong(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  gin[0] = gg_mul(gout[0], gg_where(gg_gt(a->in[0], gg_f32(a->in[0]->graph, 2)),
                                    gg_f32(a->in[0]->graph, 3),
                                    gg_f32(a->in[0]->graph, 2)));
  return GA_NO_ERROR;
}

static double eval_twice(const double *v) {
  return 2 * v[0];
}

static const gg_code twice_code = {"(%0 + %0)", eval_twice, 1, 1};
static const gg_op twice = {.name = "twice",
                            .kind = GG_OP_ELEMWISE,
                            .n_out = 1,
                            .code = &twice_code,
                            .grad = grad_wrong};

static void test_check(void **state) {
  gg_graph *h = gg_graph_new(test_context());
  gg_var *u = gg_input(h, "u", GA_FLOAT, 2);
  gg_var *k = gg_input(h, "k", GA_INT, 1), *v = u;
  gg_var *const in[2] = {u, k};
  GpuArray a, b;

  (void)state;
  test_array(&a, GA_FLOAT, 2, (size_t[]){2, 2}, (float[]){1, 1.5f, 2.5f, 3});
  test_array(&b, GA_INT, 1, (size_t[]){2}, (int[]){1, 2});
  assert_ok(gg_check_gradient(gg_mul(gg_tanh(u), gg_cast(k, GA_FLOAT)), 2, in,
                              (GpuArray *[]){&a, &b}, 0, 0));
  v = gg_op_apply(NULL, &twice, NULL, 1, &v);
  assert_int_equal(gg_check_gradient(v, 1, in, (GpuArray *[]){&a}, 0, 0),
                   GA_VALUE_ERROR);
  assert_non_null(strstr(gg_graph_error(h),
                         "check: the gradient of input 0 (u) at [1, 0] is "));
  gg_graph_reset_error(h);
  assert_int_equal(gg_check_gradient(v, 1, &v, (GpuArray *[]){&a}, 0, 0),
                   GA_VALUE_ERROR);
  assert_string_equal(gg_graph_error(h), "check: variable 0 is not an input");
  gg_graph_reset_error(h);
  assert_int_equal(
      gg_check_gradient(gg_tanh(u), 1, in, (GpuArray *[]){&a}, 1e-12, 0),
      GA_VALUE_ERROR);
  assert_string_equal(gg_graph_error(h),
                      "check: input 0 (u) is 1, and float32 rounds a step of "
                      "1e-12 away");
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  gg_graph_free(h);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_known),
      TEST(test_known_refused),
      TEST(test_lop),
      TEST(test_jacobian),
      TEST(test_hessian),
      TEST(test_jacobian_refused),
      TEST(test_other_gradients),
      cmocka_unit_test(test_check),
  };

  return cmocka_run_group_tests_name("jacobian", tests, NULL,
                                     test_context_drop);
}
