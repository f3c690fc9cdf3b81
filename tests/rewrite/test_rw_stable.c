/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules for forms that do not overflow, by example and at the edges. */
#include <math.h>

#include "support/rewritten.h"

static const rewrite_case cases[] = {
    {"product of where", "mul(where(b, x, 0), y)", "where(b, mul(x, y), 0)"},
    {"product of where", "div(where(b, 0, x), exp(y))",
     "where(b, 0, div(x, exp(y)))"},
    {"1 / (1 + exp(x))", "div(1, add(1, exp(neg(x))))", "sigmoid(x)"},
    {"1 / (1 + exp(x))", "reciprocal(add(1, exp(x)))", "sigmoid(neg(x))"},
    {"1 / (1 + exp(x))", "div(1h, add(1h, exp(neg(h))))", "sigmoid(h)"},
    {"log(exp(x))", "log(exp(x))", "x"},
    {"log(sigmoid(x))", "log(sigmoid(x))", "neg(softplus(neg(x)))"},
    {"log(1 + x)", "log(add(1, x))", "log1p(x)"},
    {"log(1 + x)", "log(sub(1, x))", "log1p(neg(x))"},
    {"log1p(exp(x))", "log(add(1, exp(x)))", "softplus(x)"},
    {"log1p(-sigmoid(x))", "log(sub(1, sigmoid(x)))", "neg(softplus(x))"},
    {"exp(x) - 1", "sub(exp(x), 1)", "expm1(x)"},
    {"1 - sigmoid(x)", "mul(x, sub(1, sigmoid(x)))", "mul(x, sigmoid(neg(x)))"},
    {"exp(x) / sum(exp(x))", "div(exp(A), sum1k(exp(A)))",
     "div(exp(sub(A, reduce{max axis=1 keepdims}(A))), reduce{sum axis=1 "
     "keepdims}(exp(sub(A, reduce{max axis=1 keepdims}(A)))))"},
    {"exp(x) / sum(exp(x))",
     "div(exp(sub(A, max1k(A))), sum1k(exp(sub(A, max1k(A)))))",
     "div(exp(sub(A, reduce{max axis=1 keepdims}(A))), reduce{sum axis=1 "
     "keepdims}(exp(sub(A, reduce{max axis=1 keepdims}(A)))))"},
    {"exp(x) / sum(exp(x))", "div(exp(A), col(sum1(exp(A))))",
     "div(exp(sub(A, reduce{max axis=1 keepdims}(A))), reduce{sum axis=1 "
     "keepdims}(exp(sub(A, reduce{max axis=1 keepdims}(A)))))"},
    {"x - log(sum(exp(x)))", "sub(A, log(sum1k(exp(A))))",
     "sub(sub(A, reduce{max axis=1 keepdims}(A)), log(reduce{sum axis=1 "
     "keepdims}(exp(sub(A, reduce{max axis=1 keepdims}(A))))))"},
    {"log(softmax(x))", "log(softmax(A))",
     "sub(sub(A, reduce{max axis=1 keepdims}(A)), log(reduce{sum axis=1 "
     "keepdims}(exp(sub(A, reduce{max axis=1 keepdims}(A))))))"},
    {"exp(log_softmax(x))", "exp(log_softmax(A))",
     "div(exp(sub(A, reduce{max axis=1 keepdims}(A))), reduce{sum axis=1 "
     "keepdims}(exp(sub(A, reduce{max axis=1 keepdims}(A)))))"},
    {"crossentropy(softmax(x))", "crossentropy(softmax(A), l)",
     "sub(log(reduce{sum axis=1}(exp(sub(A, reduce{max axis=1 "
     "keepdims}(A))))), reduce{sum axis=1}(where(eq(dimshuffle{0 x}(l), "
     "dimshuffle{x 0}(iota{axis=1}(A))), sub(A, reduce{max axis=1 "
     "keepdims}(A)), 0)))"},
    {"gradient of crossentropy(softmax(x))",
     "softmax_grad(crossentropy_grad(x, softmax(A), l), softmax(A))",
     "mul(dimshuffle{0 x}(x), sub(div(exp(sub(A, reduce{max axis=1 "
     "keepdims}(A))), reduce{sum axis=1 keepdims}(exp(sub(A, reduce{max axis=1 "
     "keepdims}(A))))), cast{float64}(eq(dimshuffle{0 x}(l), dimshuffle{x "
     "0}(iota{axis=1}(A))))))"},
    {"gradient of log(softmax(x))",
     "softmax_grad(div(B, softmax(A)), softmax(A))",
     "sub(B, mul(reduce{sum axis=1 keepdims}(B), div(exp(sub(A, reduce{max "
     "axis=1 keepdims}(A))), reduce{sum axis=1 keepdims}(exp(sub(A, reduce{max "
     "axis=1 keepdims}(A)))))))"},
    {"gradient of log(softmax(x))",
     "softmax_grad(neg(mul(s, div(B, softmax(A)))), softmax(A))",
     "sub(where(gt(dimshuffle{x x}(shape{axis=1}(B)), 0), mul(mul(dimshuffle{x "
     "x}(s), reduce{sum axis=1 keepdims}(B)), div(exp(sub(A, reduce{max axis=1 "
     "keepdims}(A))), reduce{sum axis=1 keepdims}(exp(sub(A, reduce{max axis=1 "
     "keepdims}(A)))))), 0), mul(dimshuffle{x x}(s), B))"},
    {"gradient of log(softmax(x))",
     "softmax_grad(div(s, softmax(A)), softmax(A))",
     "sub(dimshuffle{x x}(s), where(gt(dimshuffle{x x}(shape{axis=1}(A)), 0), "
     "mul(mul(dimshuffle{x x}(s), cast{float64}(dimshuffle{x x}(shape{axis=1}"
     "(A)))), div(exp(sub(A, reduce{max axis=1 keepdims}(A))), reduce{sum "
     "axis=1 keepdims}(exp(sub(A, reduce{max axis=1 keepdims}(A)))))), 0))"},
    {"log(sum(exp(x)))", "log(sum0k(exp(A)))",
     "add(where(isinf(reduce{max axis=0 keepdims}(A)), 0, reduce{max axis=0 "
     "keepdims}(A)), log(reduce{sum axis=0 keepdims}(exp(sub(A, "
     "where(isinf(reduce{max axis=0 keepdims}(A)), 0, reduce{max axis=0 "
     "keepdims}(A)))))))"},
    {"log(sum(exp(x)))", "log(sum0(exp(A)))",
     "dimshuffle{1}(add(where(isinf(reduce{max axis=0 keepdims}(A)), 0, "
     "reduce{max axis=0 keepdims}(A)), log(reduce{sum axis=0 "
     "keepdims}(exp(sub(A, where(isinf(reduce{max axis=0 keepdims}(A)), 0, "
     "reduce{max axis=0 keepdims}(A))))))))"},
    {"log(sum(exp(x)))", "log(sum(exp(x)))",
     "add(dimshuffle(where(isinf(reduce{max keepdims}(x)), 0, reduce{max "
     "keepdims}(x))), log(reduce{sum}(exp(sub(x, where(isinf(reduce{max "
     "keepdims}(x)), 0, reduce{max keepdims}(x)))))))"},
    {"log(exp(x) + exp(y))", "log(add(exp(x), exp(y)))",
     "where(eq(x, y), add(0.693147181, x), add(softplus(neg(abs(sub(x, "
     "y)))), maximum(x, y)))"},
    {"log(exp(x) + exp(y))", "log(add(add(exp(x), exp(y)), exp(z)))",
     "where(eq(z, where(eq(x, y), add(0.693147181, x), "
     "add(softplus(neg(abs(sub(x, y)))), maximum(x, y)))), "
     "add(0.693147181, where(eq(x, y), add(0.693147181, x), "
     "add(softplus(neg(abs(sub(x, y)))), maximum(x, y)))), "
     "add(softplus(neg(abs(sub(where(eq(x, y), add(0.693147181, x), "
     "add(softplus(neg(abs(sub(x, y)))), maximum(x, y))), z)))), "
     "maximum(z, where(eq(x, y), add(0.693147181, x), "
     "add(softplus(neg(abs(sub(x, y)))), maximum(x, y))))))"},
};

static const char *const kept[] = {"div(exp(A), sum0k(exp(A)))",
                                   "log(add(2, x))",
                                   "log(add(y, exp(x)))",
                                   "log1p(exp2(x))",
                                   "add(-2, exp(x))",
                                   "log(sum(x))",
                                   "mul(sigmoid(x), sub(1, sigmoid(x)))"};

static void test_cases(void **unused) {
  (void)unused;
  rewrite_check_all(cases, sizeof cases / sizeof cases[0]);
}

/* What looks like gradients of softmax, but is not. */
static const char *const close_calls[] = {
    "softmax_grad(crossentropy_grad(x, softmax(B), l), softmax(A))",
    "softmax_grad(crossentropy_grad(x, A, l), A)",
    "softmax_grad(div(B, softmax(C)), softmax(A))",
    "softmax_grad(mul(c, div(B, softmax(A))), softmax(A))",
    "div(exp(A), sum1k(exp(B)))",
    "div(exp(sub(A, max1k(B))), sum1k(exp(sub(A, max1k(B)))))",
    "sub(A, log(sum1k(exp(B))))",
    "sub(A, log(sum0k(exp(A))))",
    "sub(sub(A, max1k(B)), log(sum1k(exp(sub(A, max1k(B))))))"};

static void test_close_calls(void **unused) {
  (void)unused;
  for (size_t i = 0; i < sizeof close_calls / sizeof close_calls[0]; i++)
    rewrite_check_values(close_calls[i]);
}

static void test_kept(void **unused) {
  (void)unused;
  rewrite_check_all_kept(kept, sizeof kept / sizeof kept[0]);
}

/* Overflow and logarithms of 0, if nothing is done about it. */
static const char *const risky[] = {
    "div(1, add(1, exp(neg(x))))",
    "div(exp(x), add(1, exp(x)))",
    "log(sigmoid(x))",
    "log(sub(1, sigmoid(x)))",
    "log(div(1, add(1, exp(neg(x)))))",
    "log(sub(1, div(1, add(1, exp(neg(x))))))",
    "log(add(1, exp(x)))",
    "log(exp(x))",
    "log(softmax(A))",
    "log(div(exp(A), sum1k(exp(A))))",
    "sub(A, log(sum1k(exp(A))))",
    "log(sum0(exp(A)))",
    "log(sum(exp(A)))",
    "crossentropy(softmax(A), l)",
    "softmax_grad(crossentropy_grad(x, softmax(A), l), softmax(A))",
    "softmax_grad(div(B, softmax(A)), softmax(A))"};

static void test_finite(void **unused) {
  (void)unused;
  for (size_t i = 0; i < sizeof risky / sizeof risky[0]; i++) {
    rewrite_check_finite(risky[i], -1e4, 1e4);
    rewrite_check_finite(risky[i], 800, 1e4);
    rewrite_check_finite(risky[i], -1e4, -800);
  }
}

/* --- infinities keep their meaning where a maximum is subtracted --- */

typedef struct given {
  const char *name;
  unsigned int nd;
  size_t dims[2];
  const double *v;
} given;

/* `rule` makes of `text` what has these three values. */
static void check_three(const char *text, const char *rule, size_t n,
                        const given *in, const double *want) {
  interp *it = interp_new();
  expr_vars e;
  gg__build b;

  expr_begin(&e);
  rewrite_begin(&b, e.g, GG_FAST_RUN);
  rewrite_output(&b, expr_parse(&e, text));
  rewrite_run(&b);
  assert_int_equal(rewrite_fired(&b, rule), 1);
  for (size_t i = 0; i < n; i++)
    interp_bind(it, expr_parse(&e, in[i].name), in[i].nd, in[i].dims, in[i].v);
  const tensor *t = interp_eval(it, b.results.v[0]);
  for (size_t i = 0; i < 3; i++)
    assert_true(t->v[i] == want[i] || (isnan(t->v[i]) && isnan(want[i])));
  rewrite_end(&b);
  interp_free(it);
  gg_graph_free(e.g);
}

/* Logs of 0, which equal each other, as sums over paths have them. */
static void test_log_add_exp_of_infinities(void **unused) {
  static const double x[3] = {-INFINITY, INFINITY, -INFINITY};
  static const double y[3] = {-INFINITY, INFINITY, 800};
  const given in[2] = {{"x", 1, {3}, x}, {"y", 1, {3}, y}};

  (void)unused;
  check_three("log(add(exp(x), exp(y)))", "log(exp(x) + exp(y))", 2, in,
              (double[]){-INFINITY, INFINITY, 800});
}

static void test_log_sum_exp_of_infinities(void **unused) {
  static const double rows[9] = {-INFINITY, -INFINITY, -INFINITY, INFINITY, 1,
                                 -INFINITY, 1,         -INFINITY, NAN};
  const given in = {"A", 2, {3, 3}, rows};

  (void)unused;
  check_three("log(sum1(exp(A)))", "log(sum(exp(x)))", 1, &in,
              (double[]){-INFINITY, INFINITY, NAN});
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_cases),
      cmocka_unit_test(test_kept),
      cmocka_unit_test(test_close_calls),
      cmocka_unit_test(test_finite),
      cmocka_unit_test(test_log_add_exp_of_infinities),
      cmocka_unit_test(test_log_sum_exp_of_infinities)};

  return cmocka_run_group_tests(tests, NULL, NULL);
}
