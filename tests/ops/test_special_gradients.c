/* SPDX-License-Identifier: BSD-2-Clause */
/* Derivatives of special functions, against closed forms, values of mpmath and
 * differences. */
#include "support/graph_case.h"

#include <gpugraph/grad.h>
#include <gpugraph/rop.h>

/* Where digits would cancel. */
static void test_slopes(void **state) {
  const double at[2][3] = {{0.004, 0.29, 0.31}, {-1e4, -3, 4}};
  /* sinc' and (log ndtr)' by mpmath */
  const double want[2][3] = {
      {-0.013159264729896916, -0.8771831925980323, -0.9263483488865715},
      {10000.000099999997, 3.2830986549304364, 0.00013383446446857514}};
  gg_var *x[3] = {NULL}, *y[2], *slopes[3] = {NULL};
  GpuArray *const arrays[2] = {&a, &b}, *const results[2] = {&out, &out2};

  (void)state;
  test_need_double();
  for (unsigned int i = 0; i < 2; i++) {
    x[i] = gg_input(g, "x", GA_DOUBLE, 1);
    test_array(arrays[i], GA_DOUBLE, 1, (size_t[]){3}, at[i]);
  }
  y[0] = gg_sinc(x[0]);
  y[1] = gg_log_ndtr(x[1]);
  assert_ok(gg_grad(slopes, gg_sum(gg_add(y[0], y[1])), 2, x));
  gg_func *const f =
      func_make(g, &(gg_func_spec){.inputs = x, .outputs = slopes});
  func_run(f, arrays, results);
  test_array_close(&out, want[0], 1e-14, 0);
  test_array_close(&out2, want[1], 1e-14, 0);
  gg_func_free(f);
}

/* The derivatives of the derivatives, too, from the equation that a function
 * satisfies: x y'' + y' + x y = 0 of order 0. */
static void test_wave_gradients(void **state) {
  const double values[] = {0.3, 2.5, 11};
  gg_var *const x = gg_input(g, "x", GA_DOUBLE, 1);
  gg_var *y = gg_add(gg_j0(x), gg_mul(gg_y0(x), gg_f64(g, 0.3)));
  gg_var *slope, *bend;
  gg_var *more = gg_add(gg_mul(gg_j1(x), gg_expi(x)), gg_exp1(x));

  (void)state;
  test_need_full();
  test_need_double();
  test_array(&a, GA_DOUBLE, 1, (size_t[]){3}, values);
  assert_ok(gg_grad(&slope, gg_sum(y), 1, &x));
  assert_ok(gg_grad(&bend, gg_sum(slope), 1, &x));
  gg_var *const left = gg_add(gg_mul(x, gg_add(bend, y)), slope);
  gg_func *const f =
      func_make(g, &(gg_func_spec){.inputs = (gg_var *[]){x, NULL},
                                   .outputs = (gg_var *[]){left, NULL}});
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out});
  test_array_close(&out, (double[]){0, 0, 0}, 0, 1e-13);
  gg_func_free(f);
  more = gg_add(more, gg_mul(gg_y1(x), gg_exp1(x)));
  assert_ok(
      gg_check_gradient(more, 1, (gg_var *[]){x}, (GpuArray *[]){&a}, 0, 0));
}

/* Gradients of functions of a shape, which is a constant where there is no
 * gradient by it. */
static void test_gradients(void **state) {
  const double values[] = {0.15, 0.4, 0.85}, shapes[] = {0.6, 2, 11};
  gg_var *const x = gg_input(g, "x", GA_DOUBLE, 1);
  gg_var *const shape = gg_input(g, "shape", GA_DOUBLE, 1);
  gg_var *const low = gg_f64(g, 0.7), *const high = gg_f64(g, 9);
  gg_var *y = gg_sub(gg_gammainc(low, x), gg_gammaincc(high, gg_exp(x)));

  (void)state;
  test_need_full();
  test_need_double();
  test_array(&a, GA_DOUBLE, 1, (size_t[]){3}, values);
  test_array(&b, GA_DOUBLE, 1, (size_t[]){3}, shapes);
  y = gg_add(y, gg_gammapdf(shape, gg_add(x, shape)));
  y = gg_add(y, gg_mul(gg_gammaincinv(low, x), gg_gammainccinv(high, x)));
  y = gg_add(y, gg_betapdf(shape, gg_exp(shape), x));
  y = gg_add(y, gg_sub(gg_betainc(low, high, x), gg_betaincc(high, low, x)));
  y = gg_add(y,
             gg_mul(gg_betaincinv(low, high, x), gg_betainccinv(high, low, x)));
  assert_ok(gg_check_gradient(y, 2, (gg_var *[]){x, shape},
                              (GpuArray *[]){&a, &b}, 0, 0));
}

/* By a shape there is none. Derivatives forward by the last operand are those
 * backward. */
static void test_shapes(void **state) {
  const double values[] = {0.15, 0.4, 0.85};
  gg_var *const x = gg_input(g, "x", GA_DOUBLE, 1);
  gg_var *const shape = gg_input(g, "shape", GA_DOUBLE, 0);
  gg_var *const y = gg_betainc(gg_f64(g, 2), shape, x);
  gg_var *slope, *ahead;

  (void)state;
  test_need_double();
  assert_int_equal(gg_grad(&slope, gg_sum(y), 1, (gg_var *[]){shape}),
                   GA_UNSUPPORTED_ERROR);
  assert_string_equal(gg_graph_error(g),
                      "betainc(float64[1], float64[1], float64[?]): operand 1 "
                      "has no gradient: not known by its first two operands");
  gg_graph_reset_error(g);
  assert_ok(gg_grad(&slope, gg_sum(y), 1, &x));
  assert_ok(gg_rop(&ahead, 1, &y, 1, &x, (gg_var *[]){gg_ones_like(x)}));
  test_array(&a, GA_DOUBLE, 1, (size_t[]){3}, values);
  /* 6 x (1 - x) is the density of a = b = 2. */
  gg_func *const f = func_make(
      g, &(gg_func_spec){.inputs = (gg_var *[]){x, shape, NULL},
                         .outputs = (gg_var *[]){slope, ahead, NULL}});
  test_array(&b, GA_DOUBLE, 0, NULL, (double[]){2});
  func_run(f, (GpuArray *[]){&a, &b}, (GpuArray *[]){&out, &out2});
  const double want[] = {0.765, 1.44, 0.765};
  test_array_close(&out, want, 1e-14, 0);
  test_array_close(&out2, want, 1e-14, 0);
  gg_func_free(f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_slopes, graph_setup, graph_teardown),
      cmocka_unit_test_setup_teardown(test_wave_gradients, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(test_gradients, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(test_shapes, graph_setup, graph_teardown),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
