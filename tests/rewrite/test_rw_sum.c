/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules on sums as sets of terms, by example. */
#include "support/rewritten.h"

static const rewrite_case cases[] = {
    /* In float32 only where the number is exact. */
    {"merge terms", "sub(f, mul(0.25f, f))", "mul(0.75, f)"},
    {"merge terms", "add(x, x)", "mul(2, x)"},
    {"merge terms", "sub(x, x)", "fill(x, 0)"},
    {"merge terms", "sub(add(x, y), x)", "y"},
    {"merge terms", "add(mul(2, x), mul(3, x))", "mul(5, x)"},
    {"merge terms", "sub(x, mul(0.5, add(y, mul(3, x))))",
     "sub(mul(-0.5, x), mul(0.5, y))"},
    {"merge terms", "sub(add(add(x, y), 2), add(x, 5))", "add(-3, y)"},
    {"merge terms", "sub(x, add(x, y))", "neg(y)"},
    {"merge terms", "add(add(i, j), i)", "add(j, mul(2, i))"},
    {"merge terms", "add(add(x, y), add(x, y))", "mul(2, add(x, y))"},
    {"merge terms", "sub(add(A, r), A)", "fill(A, r)"},
    {"merge terms", "sub(add(x, y), mul(1.5, x))", "sub(y, mul(0.5, x))"},
    /* All signs are negative: one term keeps its own. */
    {"merge terms", "sub(sub(mul(-3, y), x), x)", "sub(mul(-2, x), mul(3, y))"},
    /* Numbers in terms that are narrower than the sum. */
    {"merge terms", "add(add(c, add(1, r)), c)", "add(1, add(r, mul(2, c)))"},
    {"merge terms", "sub(sub(A, add(1, r)), A)", "fill(A, sub(-1, r))"},
    /* A coefficient that no terms were merged for may be rounded. */
    {"merge terms", "sub(mul(0.1f, add(f, mul(0.1f, exp(f)))), mul(0.1f, f))",
     "mul(0.0100000007, exp(f))"},
};

static const char *const kept[] = {"sub(f, mul(0.02f, f))", "sub(u, u)",
                                   "add(h, h)", "add(x, mul(2, add(y, z)))",
                                   "add(x, mul(2, add(y, add(z, add(p, q)))))"};

static void test_cases(void **unused) {
  (void)unused;
  rewrite_check_all(cases, sizeof cases / sizeof cases[0]);
  rewrite_check_all_kept(kept, sizeof kept / sizeof kept[0]);
}

/* --- long sums --- */

/* a x, n - 1 terms that are added or subtracted, and b x: do its terms
 * merge? */
static int merges(double a, double b, unsigned int n, int subtracted) {
  gg_graph *g = gg_graph_new(NULL);
  gg__build build;

  assert_non_null(g);
  gg_var *x = gg_input(g, "x", GA_DOUBLE, 1);
  gg_var *v = a != 1 ? gg_mul(gg_f64(g, a), x) : x;
  for (unsigned int i = 1; i < n; i++) {
    gg_var *y = gg_input(g, NULL, GA_DOUBLE, 1);
    v = subtracted ? gg_sub(v, y) : gg_add(v, y);
  }
  v = gg_add(v, b != 1 ? gg_mul(gg_f64(g, b), x) : x);
  rewrite_begin(&build, g, GG_FAST_RUN);
  rewrite_output(&build, v);
  rewrite_run(&build);
  const unsigned int fired = rewrite_fired(&build, "merge terms");
  rewrite_end(&build);
  gg_graph_free(g);
  return fired > 0;
}

/* A sum is built again if it has at most 8 terms, and 8 more for each operation
 * that this saves. */
static void test_long_sums(void **unused) {
  (void)unused;
  assert_true(merges(1, 1, 8, 0));
  assert_false(merges(1, 1, 9, 0));
  assert_true(merges(3, 1, 16, 0));
  assert_false(merges(3, 1, 17, 0));
  assert_true(merges(1, -2, 16, 1)); /* one sign is left over */
  assert_false(merges(1, -2, 17, 1));
}

/* No more terms are collected than there is room for. */
static void test_too_many_terms(void **unused) {
  (void)unused;
  for (unsigned int n = 60; n < 70; n++)
    assert_false(merges(1, 1, n, 0));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_cases),
      cmocka_unit_test(test_long_sums),
      cmocka_unit_test(test_too_many_terms),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
