/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules on the error function, by example and far out. */
#include <gpugraph/grad.h>
#include <math.h>

#include "support/rewritten.h"

static const rewrite_case cases[] = {
    {"1 - erf(x)", "sub(1, erf(x))", "erfc(x)"},
    {"1 - erf(x)", "sub(1, erfc(x))", "erf(x)"},
    {"1 + erf(x)", "add(1, erf(x))", "erfc(neg(x))"},
    {"1 + erf(x)", "sub(erf(x), 1)", "neg(erfc(x))"},
    {"1 + erf(x)", "sub(erfc(x), 1)", "neg(erf(x))"},
    {"log(erfc(x))", "log(erfc(x))",
     "where(lt(x, 26), log(erfc(x)), neg(add(sqr(x), log(mul(1.77245385, "
     "div(x, sub(1, mul(div(0.5, sqr(x)), sub(1, mul(sub(1, mul(sub(1, "
     "mul(sub(1, div(4.5, sqr(x))), div(3.5, sqr(x)))), div(2.5, "
     "sqr(x)))), div(1.5, sqr(x))))))))))))"},
    {"exp(-sqr(x)) / erfc(x)", "mul(y, div(exp(neg(sqr(x))), erfc(x)))",
     "mul(y, where(lt(x, 26), div(exp(neg(sqr(x))), erfc(x)), "
     "mul(1.77245385, div(x, sub(1, mul(div(0.5, sqr(x)), sub(1, "
     "mul(sub(1, mul(sub(1, mul(sub(1, div(4.5, sqr(x))), div(3.5, "
     "sqr(x)))), div(2.5, sqr(x)))), div(1.5, sqr(x))))))))))"},
};

static const char *const kept[] = {"add(2, erf(x))", "add(1, erfc(x))",
                                   "mul(erf(x), sub(1, erf(x)))",
                                   "log(erfc(h))", "div(exp(x), erfc(x))"};

static void test_cases(void **unused) {
  (void)unused;
  rewrite_check_all(cases, sizeof cases / sizeof cases[0]);
}

static void test_kept(void **unused) {
  (void)unused;
  rewrite_check_all_kept(kept, sizeof kept / sizeof kept[0]);
}

/* log(erfc(x)) and its derivative at x, as rewritten; double on the host. */
static void far_out(double x, double *value, double *slope) {
  gg_graph *g = gg_graph_new(NULL);
  gg_var *v = gg_input(g, "x", GA_DOUBLE, 0);
  gg_var *y = gg_log(gg_erfc(v)), *d;
  interp *it = interp_new();
  gg__build b;

  assert_ok(gg_grad(&d, y, 1, &v));
  rewrite_begin(&b, g, GG_FAST_RUN);
  rewrite_output(&b, y);
  rewrite_output(&b, d);
  rewrite_run(&b);
  interp_bind(it, v, 0, NULL, &x);
  *value = interp_number(it, b.results.v[0]);
  *slope = interp_number(it, b.results.v[1]);
  rewrite_end(&b);
  interp_free(it);
  gg_graph_free(g);
}

static void assert_close(double x, double got, double want, double tol) {
  if (!(fabs(got - want) <= tol * fabs(want)))
    fail_msg("at %g: got %.17g, expected %.17g", x, got, want);
}

/* Figures of 50 digits, worked out with mpmath 1.3. */
static void test_far_out(void **unused) {
  static const double at[][3] = {
      {-3, 0.69313613525044681032, -0.000069627295024149802247},
      {0.5, -0.73501112983708440303, -1.8327056412986984163},
      {5, -27.200889545537434422, -10.192700054863681507},
      {25.9, -674.63735189531925263, -51.838552694603029246},
      {26.5, -706.10022041014808661, -53.037682303719465335},
      {40, -1604.2615566532735557, -80.024984399357772698},
      {1e3, -1000007.4801207219062, -2000.0009999990000025},
      {1e8, -10000000000000018.993, -200000000.00000001},
  };
  double value, slope;

  (void)unused;
  for (size_t i = 0; i < sizeof at / sizeof at[0]; i++) {
    far_out(at[i][0], &value, &slope);
    assert_close(at[i][0], value, at[i][1], 1e-13);
    assert_close(at[i][0], slope, at[i][2], 1e-13);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_cases),
                                     cmocka_unit_test(test_kept),
                                     cmocka_unit_test(test_far_out)};

  return cmocka_run_group_tests(tests, NULL, NULL);
}
