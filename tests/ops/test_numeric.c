/* SPDX-License-Identifier: BSD-2-Clause */
/* Polynomials, integrals, weighted means and covariances:
 * NumPy's values, gradients, and what is refused. */
#include "support/graph_case.h"

#include <gpugraph/complex.h>
#include <gpugraph/cumulate.h>
#include <gpugraph/debug.h>
#include <gpugraph/grad.h>
#include <gpugraph/numeric.h>
#include <string.h>

static const double data[6] = {1, 4, 2, 3, -1, 0.5};
static const size_t dims[2] = {2, 3};

static gg_var *polyval(gg_var *x) {
  return gg_polyval(3, (gg_var *[]){gg_f64(g, 2), gg_f64(g, -1), gg_f64(g, 3)},
                    x);
}

static gg_var *constant(gg_var *x) {
  return gg_polyval(1, (gg_var *[]){gg_f64(g, 2)}, x);
}

static gg_var *even(gg_var *x) {
  return gg_trapezoid(x, NULL, 0.5, -1);
}

static gg_var *at_places(gg_var *x) {
  return gg_trapezoid(
      x, gg_constant(g, GA_DOUBLE, 1, (size_t[]){3}, (double[]){0, 1, 3}), 1,
      1);
}

static gg_var *average(gg_var *x) {
  gg_var *const w =
      gg_constant(g, GA_DOUBLE, 1, (size_t[]){3}, (double[]){1, 2, 5});

  return gg_average(x, w, 1, (const int[]){1}, 0);
}

static gg_var *average_all(gg_var *x) {
  return gg_average(x, gg_f64(g, 2), 0, NULL, 0);
}

static gg_var *cov(gg_var *x) {
  return gg_cov(x, 1);
}

static gg_var *vector(int dtype, size_t n, const void *v) {
  return gg_constant(g, dtype, 1, &n, v);
}

/* Elements before the first place, on places, where the slope jumps, and
 * beyond the last one. */
static gg_var *on_places(gg_var *x) {
  return gg_interp(x, vector(GA_DOUBLE, 4, (double[]){0, 1, 2, 3.5}),
                   vector(GA_DOUBLE, 4, (double[]){5, -1, 0.5, 2}));
}

static gg_var *between(gg_var *x) {
  return on_places(gg_add(x, gg_f64(g, 0.3)));
}

/* By places and values, which are the rows of x. */
static gg_var *by_knots(gg_var *x) {
  gg_var *const places =
      gg_sub(gg_cumsum(gg_exp(gg_index(x, 0, 1)), 0), gg_f64(g, 19));

  return gg_interp(gg_constant(g, GA_DOUBLE, 2, (size_t[]){2, 2},
                               (double[]){-99, 1.25, 1.4, 99}),
                   places, gg_index(x, 0, 0));
}

/* One place alone. */
static gg_var *beside_one(gg_var *x) {
  return gg_interp(x, vector(GA_DOUBLE, 1, (double[]){1}),
                   vector(GA_INT, 1, (int32_t[]){7}));
}

static const struct {
  gg_var *(*build)(gg_var *x);
  unsigned int n;
  double y[6];
  int gradient;
} cases[] = {
    {polyval, 6, {4, 31, 9, 18, 6, 3}, 1},
    {constant, 6, {2, 2, 2, 2, 2, 2}, 0},
    {even, 2, {2.75, 0.375}, 1},
    {at_places, 2, {8.5, 0.5}, 1},
    {average, 2, {2.375, 0.4375}, 1},
    {average_all, 1, {9.5 / 6}, 1},
    {cov,
     4,
     {2.3333333333333335, -2.9166666666666665, -2.9166666666666665,
      4.0833333333333333},
     1},
    {on_places, 6, {-1, 2, 0.5, 1.5, 5, 2}, 0},
    {between,
     6,
     {-0.5499999999999999, 2.0, 0.7999999999999998, 1.7999999999999998, 5.0,
      0.1999999999999993},
     1},
    {by_knots, 4, {1, 2.3411709794542777, 3.564397802260846, 2}, 1},
    {beside_one, 6, {7, 7, 7, 7, 7, 7}, 0},
    {gg_corrcoef, 4, {1, -0.94491118252306805, -0.94491118252306805, 1}, 0},
};

static void test_values(void **state) {
  (void)state;
  test_need_double();
  test_array(&a, GA_DOUBLE, 2, dims, data);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    gg_var *const x = gg_input(g, "x", GA_DOUBLE, 2);
    gg_var *const y = cases[i].build(x);
    gg_func *f =
        func_make(g, &(gg_func_spec){.inputs = (gg_var *[]){x, NULL},
                                     .outputs = (gg_var *[]){y, NULL}});
    func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out});
    assert_int_equal(test_size(&out), cases[i].n);
    test_array_close(&out, cases[i].y, 1e-13, 1e-13);
    gg_func_free(f);
    GpuArray_clear(&out);
    if (cases[i].gradient)
      assert_ok(
          gg_check_gradient(y, 1, (gg_var *[]){x}, (GpuArray *[]){&a}, 0, 0));
  }
}

/* Integers that float32 does not have: differences of places, and beside
 * float64. */
static void test_wide(void **state) {
  gg_var *const x = vector(GA_LONG, 1, (int64_t[]){16777217});
  gg_var *const c[2] = {vector(GA_DOUBLE, 1, (double[]){1}),
                        vector(GA_DOUBLE, 1, (double[]){0.5})};
  gg_var *const places =
      vector(GA_INT, 3, (int32_t[]){100000001, 100000002, 100000004});
  gg_var *const y = vector(GA_FLOAT, 3, (float[]){1, 2, 3});
  gg_var *const parts[3] = {
      gg_polyval(2, c, x), gg_average(x, c[0], 0, NULL, 1),
      gg_cast(gg_reshape(gg_trapezoid(y, places, 0, 0), 1, (int64_t[]){1}),
              GA_DOUBLE)};
  gg_var *const all = gg_join(0, 3, parts);

  (void)state;
  test_need_double();
  gg_func *const f =
      func_make(g, &(gg_func_spec){.outputs = (gg_var *[]){all, NULL}});
  func_run(f, NULL, (GpuArray *[]){&out});
  test_array_close(&out, (double[]){16777217.5, 16777217, 6.5}, 0, 0);
  gg_func_free(f);
}

/* The variance of 1 and i: the squares of sizes, not of numbers. */
static void test_complex(void **state) {
  const double pair[4] = {1, 0, 0, 1};
  gg_var *const x = gg_constant(g, GA_CDOUBLE, 2, (size_t[]){1, 2}, pair);

  (void)state;
  test_need_double();
  gg_func *const f = func_make(
      g, &(gg_func_spec){.outputs = (gg_var *[]){gg_real(gg_cov(x, 1)),
                                                 gg_imag(gg_cov(x, 1)), NULL}});
  func_run(f, NULL, (GpuArray *[]){&out, &out2});
  test_array_close(&out, (double[]){1}, 1e-15, 0);
  test_array_close(&out2, (double[]){0}, 0, 1e-15);
  gg_func_free(f);
}

/* The vector of n elements, all v. */
static gg_var *filled(gg_var *v, int64_t n) {
  return gg_alloc(v, 1, (gg_var *[]){gg_i64(gg_var_graph(v), n)});
}

/* Build something wrong in a graph of its own, and compare the message. */
#define REFUSED(build, message)                                                \
  do {                                                                         \
    gg_graph *const mine = gg_graph_new(test_context());                       \
    gg_var *const x = gg_input(mine, "x", GA_FLOAT, 3);                        \
    gg_var *const s = gg_scalar(mine, GA_FLOAT, 1);                            \
    (void)s, (void)x;                                                          \
    assert_null(build);                                                        \
    if (strstr(gg_graph_error(mine), message) == NULL)                         \
      fail_msg("%s", gg_graph_error(mine));                                    \
    gg_graph_free(mine);                                                       \
  } while (0)

static void test_refused(void **state) {
  (void)state;
  REFUSED(gg_polyval(0, NULL, x), "no coefficients");
  REFUSED(gg_trapezoid(x, NULL, 1, 3), "axis 3");
  REFUSED(gg_trapezoid(x, s, 1, 2), "places of rank 0 along axis 2");
  REFUSED(gg_cov(x, 0), "expected rank 2, got 3");
  REFUSED(gg_corrcoef(s), "expected rank 2, got 0");
  REFUSED(gg_interp(NULL, x, x), "interp");
  REFUSED(gg_interp(x, s, x), "operand 1: expected a vector, got rank 0");
  REFUSED(gg_interp(s, filled(s, 3), filled(s, 2)), "3 places, 2 values");
  REFUSED(gg_interp(s, filled(s, 0), filled(s, 0)), "no places");
  REFUSED(gg_interp(gg_c64(mine, 0, 1), filled(s, 1), filled(s, 1)),
          "expected real operands");
  REFUSED(gg_average(x, NULL, 0, NULL, 0), "average");
}

int main(void) {
#define TEST(name)                                                             \
  cmocka_unit_test_setup_teardown(name, graph_setup, graph_teardown)
  const struct CMUnitTest tests[] = {TEST(test_values), TEST(test_wide),
                                     TEST(test_complex), TEST(test_refused)};

  return cmocka_run_group_tests(tests, NULL, NULL);
}
