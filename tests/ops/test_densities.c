/* SPDX-License-Identifier: BSD-2-Clause */
/* Logarithms of densities: values of SciPy 1.17 (its logpdf and logpmf), what
 * is not possible, and gradients against differences. */
#include "support/graph_case.h"

#include <gpugraph/debug.h>
#include <gpugraph/grad.h>
#include <gpugraph/rop.h>
#include <gpugraph/special.h>
#include <math.h>
#include <string.h>

typedef gg_var *(*density)(gg_var *x, gg_var *p, gg_var *q);

#define OF_ONE(name)                                                           \
  static gg_var *name(gg_var *x, gg_var *p, gg_var *q) {                       \
    (void)q;                                                                   \
    return gg_##name(x, p);                                                    \
  }
/* clang-format off */
OF_ONE(logpdf_exponential)
OF_ONE(logpdf_student)
OF_ONE(logpdf_chi2)
OF_ONE(logpmf_bernoulli)
OF_ONE(logpmf_poisson)
OF_ONE(logpmf_geometric)
/* clang-format on */

static const struct {
  const char *name;
  density build;
  double x[3], p, q; /* the last x is not possible, or NaN */
  double y[3];
} cases[] = {
#include "ops/density_values.def"
};
enum { CASES = sizeof cases / sizeof *cases };

static gg_var *build(size_t i, gg_var *x) {
  return cases[i].build(x, gg_f64(g, cases[i].p), gg_f64(g, cases[i].q));
}

static void test_values(void **state) {
  gg_var *y[CASES + 1] = {NULL}, *x[CASES + 1] = {NULL};
  GpuArray in[CASES], results[CASES] = {{0}}, *from[CASES], *to[CASES];

  (void)state;
  test_need_double();
  for (size_t i = 0; i < CASES; i++) {
    test_array(&in[i], GA_DOUBLE, 1, (size_t[]){3}, cases[i].x);
    x[i] = gg_input(g, cases[i].name, GA_DOUBLE, 1);
    y[i] = build(i, x[i]);
    from[i] = &in[i];
    to[i] = &results[i];
  }
  gg_func *f = func_make(g, &(gg_func_spec){.inputs = x, .outputs = y});
  func_run(f, from, to);
  for (size_t i = 0; i < CASES; i++) {
    test_array_close(&results[i], cases[i].y, 1e-13, 1e-13);
    GpuArray_clear(&in[i]);
    GpuArray_clear(&results[i]);
  }
  gg_func_free(f);
}

/* By x and the parameters, of the sum of all. */
static void test_gradients(void **state) {
  GpuArray at[3 * CASES], *values[3 * CASES];
  gg_var *in[3 * CASES], *total = NULL;
  unsigned int n = 0;

  (void)state;
  test_need_double();
  for (size_t i = 0; i < CASES; i++) {
    const double v[3] = {cases[i].x[0], cases[i].p, cases[i].q};
    gg_var **const x = in + n;
    for (unsigned int k = 0; k < (cases[i].q == 0 ? 2 : 3); k++, n++) {
      test_array(&at[n], GA_DOUBLE, 1, (size_t[]){1}, &v[k]);
      values[n] = &at[n];
      in[n] = gg_input(g, "p", GA_DOUBLE, 1);
    }
    gg_var *const y = cases[i].build(x[0], x[1], in[n - 1]);
    total = total != NULL ? gg_add(total, y) : y;
  }
  assert_ok(gg_check_gradient(gg_sum(total), n, in, values, 0, 0));
  for (unsigned int k = 0; k < n; k++)
    GpuArray_clear(&at[k]);
}

static void test_refused(void **state) {
  gg_var *const x = gg_input(g, "x", GA_FLOAT, 1);

  (void)state;
  assert_null(gg_polygamma(-1, x));
  assert_non_null(
      strstr(gg_graph_error(g), "derivative -1, expected 0 to 100"));
  assert_null(gg_logpdf_normal(x, NULL, x));
}

/* Derivatives 0, 1, 2 and 5 of digamma at 2.5 and -1.5, by mpmath. */
static void test_polygamma(void **state) {
  const double at[2] = {2.5, -1.5};
  const int n[4] = {0, 1, 2, 5};
  const double want[8] = {0.70315664064524319, 0.7031566406452432,
                          0.49035775610023486, 9.379246644989124,
                          -0.2362040516417274, -0.2362040516417274,
                          0.57856917856718348, 15381.648528026304};

  (void)state;
  test_need_double();
  test_array(&a, GA_DOUBLE, 1, (size_t[]){2}, at);
  gg_var *const x = gg_input(g, "x", GA_DOUBLE, 1);
  gg_var *y[5] = {NULL};
  for (int i = 0; i < 4; i++)
    y[i] = gg_polygamma(n[i], x);
  gg_var *const all = gg_join(0, 4, y);
  gg_func *f =
      func_make(g, &(gg_func_spec){.inputs = (gg_var *[]){x, NULL},
                                   .outputs = (gg_var *[]){all, NULL}});
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out});
  test_array_close(&out, want, 1e-14, 0);
  gg_func_free(f);
}

/* The forward derivative of lgamma is digamma, of digamma trigamma. */
static void test_forward(void **state) {
  const double at[3] = {0.5, 2.5, 9.5}, one[3] = {1, 1, 1};
  gg_var *const x = gg_input(g, "x", GA_DOUBLE, 1);
  gg_var *const dir = gg_input(g, "d", GA_DOUBLE, 1);
  gg_var *const y[2] = {gg_lgamma(x), gg_digamma(x)};
  gg_var *d[2];

  (void)state;
  test_need_double();
  assert_ok(gg_rop(d, 2, y, 1, &x, &dir));
  gg_func *f = func_make(
      g,
      &(gg_func_spec){.inputs = (gg_var *[]){x, dir, NULL},
                      .outputs = (gg_var *[]){
                          gg_sum(gg_abs(gg_sub(d[0], gg_digamma(x)))),
                          gg_sum(gg_abs(gg_sub(d[1], gg_trigamma(x)))), NULL}});
  test_array(&a, GA_DOUBLE, 1, (size_t[]){3}, at);
  test_array(&b, GA_DOUBLE, 1, (size_t[]){3}, one);
  func_run(f, (GpuArray *[]){&a, &b}, (GpuArray *[]){&out, &out2});
  test_array_close(&out, &(double){0}, 0, 1e-14);
  test_array_close(&out2, &(double){0}, 0, 1e-14);
  gg_func_free(f);
}

/* Infinity is not possible where x or k may be large. */
static void test_infinite(void **state) {
  gg_var *const x = gg_f64(g, INFINITY), *const p = gg_f64(g, 2.5);
  gg_var *const y[] = {gg_logpdf_gamma(x, p, p),
                       gg_logpmf_poisson(x, p),
                       gg_logpdf_weibull(x, p, p),
                       gg_logpdf_gumbel(gg_neg(x), p, p),
                       gg_logpdf_pareto(x, p, p),
                       gg_logpdf_inverse_gamma(x, p, p),
                       gg_logpdf_uniform(x, p, gg_mul(p, p)),
                       gg_logpmf_negative_binomial(x, p, gg_f64(g, 0.5))};

  (void)state;
  test_need_double();
  for (unsigned int i = 0; i < sizeof y / sizeof *y; i++) {
    gg_func *const f =
        func_make(g, &(gg_func_spec){.outputs = (gg_var *[]){y[i], NULL}});
    func_run(f, NULL, (GpuArray *[]){&out});
    test_array_close(&out, &(double){-INFINITY}, 0, 0);
    gg_func_free(f);
  }
}

int main(void) {
#define TEST(name)                                                             \
  cmocka_unit_test_setup_teardown(name, graph_setup, graph_teardown)
  const struct CMUnitTest tests[] = {
      TEST(test_values),    TEST(test_gradients), TEST(test_refused),
      TEST(test_polygamma), TEST(test_forward),   TEST(test_infinite),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
