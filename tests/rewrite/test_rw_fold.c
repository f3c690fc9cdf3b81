/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules that compute what is known, by example. */
#include <gpugraph/debug.h>
#include <limits.h>

#include "ops/ops.h"
#include "support/rewritten.h"

static const rewrite_case cases[] = {
    {"fold constants", "add(1, mul(2, 3))", "7"},
    {"fold constants", "mul(x, exp(0))", "x"},
    {"fold constants", "where(gt(2, 1), x, x)", "x"},
    {"fold dimshuffle", "add(x, div(1, 8))", "add(0.125, x)"},
};

static void test_cases(void **unused) {
  (void)unused;
  rewrite_check_all(cases, sizeof cases / sizeof cases[0]);
}

/* Rewrite `v` and write what comes of it. Of several rules `rule`, unless it is
 * NULL, must fire. With `it`, which has the inputs, the value stays. */
static void check_value(const char *rule, gg_var *v, const char *after,
                        interp *it) {
  char text[512];
  gg__build b;

  rewrite_begin(&b, gg_var_graph(v), GG_FAST_RUN);
  rewrite_output(&b, v);
  rewrite_run(&b);
  assert_string_equal(expr_text(b.results.v[0], text, sizeof text), after);
  assert_true(rule == NULL || rewrite_fired(&b, rule) > 0);
  if (it != NULL) {
    interp_eval(it, b.results.v[0]); /* makes room: no value moves below */
    const tensor *want = interp_eval(it, v);
    const tensor *got = interp_eval(it, b.results.v[0]);
    assert_int_equal(got->n, want->n);
    for (size_t i = 0; i < want->n; i++)
      assert_true(got->v[i] == want->v[i]);
  }
  rewrite_end(&b);
}

static void check_rule(const char *rule, gg_var *v, const char *after) {
  check_value(rule, v, after, NULL);
}

static void check(gg_var *v, const char *after) {
  check_rule(NULL, v, after);
}

/* Sums that wrap around, and integers that no double holds. */
static void test_integers_at_the_edge(void **unused) {
  gg_graph *g = gg_graph_new(NULL);
  gg_var *most = gg_scalar(g, GA_SHORT, SHRT_MAX);
  gg_var *one = gg_scalar(g, GA_SHORT, 1);
  gg_var *big = gg_i64(g, INT64_MAX);

  (void)unused;
  check(gg_sub(most, one), "32766");
  check(gg_add(most, one), "add(32767, 1)");
  check(gg_sub(big, gg_i64(g, 1)), "sub(9223372036854775807, 1)");
  check(gg_sub(gg_i64(g, (1ll << 53) + 1), gg_i64(g, 1ll << 53)),
        "sub(9007199254740993, 9007199254740992)");
  check(gg_sub(gg_scalar(g, GA_UINT, 1), gg_scalar(g, GA_UINT, 2)),
        "sub(1, 2)");
  check(gg_div(one, gg_scalar(g, GA_INT, 4)), "0.25");
  check(gg_floordiv(gg_scalar(g, GA_INT, -7), gg_scalar(g, GA_INT, 2)), "-4");
  gg_graph_free(g);
}

/* A constant that fills a shape which its neighbour has; another that does
 * not. */
static void test_uniform_constant(void **unused) {
  static const double twos[3] = {2, 2, 2}, others[3] = {2, 2, 3};
  gg_graph *g = gg_graph_new(NULL);
  const size_t dims[1] = {3};
  gg_var *x = gg_input(g, "x", GA_DOUBLE, 1);
  gg_var *s = gg_input(g, "s", GA_DOUBLE, 0);
  gg_var *two = gg_constant(g, GA_DOUBLE, 1, dims, twos);
  interp *it = interp_new();

  (void)unused;
  interp_bind(it, x, 1, dims, others);
  check_value("shrink uniform constant", gg_add(x, two), "add(2, x)", it);
  assert_int_equal(two->type.dims[0], 3);
  check(gg_add(gg_constant(g, GA_DOUBLE, 1, dims, others), x),
        "add(constant, x)");
  check(gg_mul(two, s), "mul(2, dimshuffle{x}(s))");
  interp_free(it);
  gg_graph_free(g);
}

/* Elements of folded arrays go where they belong. */
static void test_arrays(void **unused) {
  static const double row[3] = {1, 2, 3}, both[6] = {1, 2, 3, 4, 5, 6};
  gg_graph *g = gg_graph_new(NULL);
  const size_t dims[2] = {2, 3};
  gg_var *a = gg_constant(g, GA_DOUBLE, 1, dims + 1, row);
  gg_var *b = gg_constant(g, GA_DOUBLE, 2, dims, both);
  gg_var *v =
      gg_reshape(gg_transpose(gg_sub(gg_mul(a, b), a)), 2, (int64_t[]){2, 3});
  interp *it = interp_new();
  const double *want = interp_eval(it, v)->v;
  gg__build build;

  (void)unused;
  rewrite_begin(&build, g, GG_FAST_RUN);
  rewrite_output(&build, v);
  rewrite_run(&build);
  const double *got = gg_var_data(build.results.v[0]);
  assert_non_null(got);
  assert_int_equal(build.results.v[0]->type.dims[0], 2);
  assert_true(rewrite_fired(&build, "fold reshape") > 0);
  for (unsigned int i = 0; i < 6; i++)
    assert_true(got[i] == want[i]);
  rewrite_end(&build);
  interp_free(it);
  gg_graph_free(g);
}

/* Sizes that are known by the time of rewriting. */
static void test_sizes(void **unused) {
  static const int64_t dims[2] = {4, GG_ANY}, known[2] = {4, 5};
  const gg__axis_props axis = {0};
  gg_graph *g = gg_graph_new(NULL);
  gg_var *x = gg_input_sized(g, "x", GA_FLOAT, 2, dims);
  gg_var *y = gg_input_sized(g, "y", GA_FLOAT, 2, known);
  const double data[20] = {0};
  interp *it = interp_new();

  (void)unused;
  interp_bind(it, y, 2, (size_t[]){4, 5}, data);
  check_value("fold sizes", gg_op_apply(g, &gg__op_size, NULL, 1, &y), "20",
              it);
  interp_free(it);
  check(gg_op_apply(g, &gg__op_shape, &axis, 1, &x), "4");
  check(gg_op_apply(g, &gg__op_size, NULL, 1, &x), "size(x)");
  gg_graph_free(g);
}

static void test_true_assertion(void **unused) {
  expr_vars e;

  (void)unused;
  expr_begin(&e);
  gg_var *x = e.v[0];
  check_value("true assertion",
              gg_assert(x, gg_lt(gg_f64(e.g, 1), gg_f64(e.g, 2)), "no"), "x",
              NULL);
  check(gg_assert(x, gg_lt(gg_f64(e.g, 2), gg_f64(e.g, 1)), "no"),
        "assert{\"no\"}(x, 0)");
  gg_graph_free(e.g);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_cases),
      cmocka_unit_test(test_integers_at_the_edge),
      cmocka_unit_test(test_uniform_constant),
      cmocka_unit_test(test_arrays),
      cmocka_unit_test(test_sizes),
      cmocka_unit_test(test_true_assertion)};

  return cmocka_run_group_tests(tests, NULL, NULL);
}
