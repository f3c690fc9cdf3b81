/* SPDX-License-Identifier: BSD-2-Clause */
/* Arithmetic rules, by example. */
#include "support/rewritten.h"

static const rewrite_case cases[] = {
    {"where of where", "where(b, where(b, x, y), z)", "where(b, x, z)"},
    {"where of where", "where(b, x, where(b, y, z))", "where(b, x, z)"},
    {"order operands", "add(y, x)", "add(x, y)"},
    {"order operands", "mul(x, 2)", "mul(2, x)"},
    {"order operands", "maximum(y, s)", "maximum(dimshuffle{x}(s), y)"},
    {"x + 0", "add(x, 0)", "x"},
    {"x + -y", "add(x, neg(y))", "sub(x, y)"},
    {"x + -y", "add(neg(x), y)", "sub(y, x)"},
    {"number + number", "add(1, add(2, x))", "add(3, x)"},
    {"number + number", "add(1, sub(2, x))", "sub(3, x)"},
    {"number + number", "add(add(i, 1i), 2i)", "add(3, i)"},
    {"numbers out of sums", "add(add(x, 1), y)", "add(1, add(x, y))"},
    {"numbers out of sums", "add(sub(1, x), y)", "add(1, sub(y, x))"},
    {"numbers out of sums", "add(y, add(x, 1))", "add(1, add(x, y))"},
    {"x - 0", "sub(x, 0)", "x"},
    {"x - 0", "sub(0, x)", "neg(x)"},
    {"x - -y", "sub(x, neg(y))", "add(x, y)"},
    {"x - -y", "sub(neg(x), y)", "neg(add(x, y))"},
    {"number - number", "sub(x, 2)", "add(-2, x)"},
    {"number - number", "sub(1, add(2, x))", "sub(-1, x)"},
    {"number - number", "sub(1, sub(2, x))", "add(-1, x)"},
    {"number - number", "sub(i, 3i)", "add(-3, i)"},
    {"numbers out of differences", "sub(add(x, 1), y)", "add(1, sub(x, y))"},
    {"numbers out of differences", "sub(sub(1, x), y)", "sub(1, add(x, y))"},
    {"numbers out of differences", "sub(y, add(x, 1))", "add(-1, sub(y, x))"},
    {"numbers out of differences", "sub(y, sub(1, x))", "add(-1, add(x, y))"},
    {"-(expression)", "neg(neg(x))", "x"},
    {"-(expression)", "neg(sub(x, y))", "sub(y, x)"},
    {"-(expression)", "neg(add(x, 1))", "sub(-1, x)"},
    {"-(expression)", "neg(sub(2, x))", "add(-2, x)"},
    {"-(expression)", "neg(mul(3, x))", "mul(-3, x)"},
    {"-(expression)", "neg(div(3, x))", "div(-3, x)"},
    {"x * 1", "mul(x, 1)", "x"},
    {"x * 1", "mul(x, -1)", "neg(x)"},
    {"x * 1", "mul(i, 0i)", "fill(i, 0)"},
    {"sign out of product", "mul(neg(x), y)", "neg(mul(x, y))"},
    {"sign out of product", "mul(x, neg(y))", "neg(mul(x, y))"},
    {"sign out of product", "mul(neg(x), 3)", "mul(-3, x)"},
    {"sign out of quotient", "div(neg(x), y)", "neg(div(x, y))"},
    {"sign out of quotient", "div(x, neg(y))", "neg(div(x, y))"},
    {"sign out of quotient", "div(3, neg(x))", "div(-3, x)"},
    {"even function of -x", "sqr(neg(x))", "sqr(x)"},
    {"even function of -x", "abs(neg(x))", "abs(x)"},
    {"even function of -x", "cos(neg(x))", "cos(x)"},
    {"even function of -x", "cosh(abs(x))", "cosh(x)"},
    {"number * number", "mul(2, mul(3, x))", "mul(6, x)"},
    {"number * number", "mul(2, div(3, x))", "div(6, x)"},
    {"number * number", "mul(2, div(x, 3))", "mul(0.666666667, x)"},
    {"number / number", "div(x, 1)", "x"},
    {"number / number", "div(x, -1)", "neg(x)"},
    {"number / number", "div(x, 4)", "mul(0.25, x)"},
    {"number / number", "div(mul(2, x), 3)", "mul(0.666666667, x)"},
    {"number / number", "div(div(2, x), 3)", "div(0.666666667, x)"},
    {"number / number", "div(1, mul(3, x))", "div(0.333333333, x)"},
    {"x * (1 / y)", "mul(x, reciprocal(y))", "div(x, y)"},
    {"x * (1 / y)", "mul(div(1, y), x)", "div(x, y)"},
    /* One division is less than one for each element. */
    {"order operands", "mul(x, reciprocal(sum(x)))",
     "mul(dimshuffle{x}(reciprocal(reduce{sum}(x))), x)"},
    {"scalar out of product", "mul(mul(s, x), y)",
     "mul(dimshuffle{x}(s), mul(x, y))"},
    {"scalar out of product", "mul(mul(s, x), t)",
     "mul(mul(dimshuffle{x}(s), dimshuffle{x}(t)), x)"},
    {"scalar out of product", "mul(mul(2, x), y)", "mul(2, mul(x, y))"},
    {"scalar out of quotient", "div(mul(s, x), y)",
     "mul(dimshuffle{x}(s), div(x, y))"},
    {"scalar out of quotient", "div(mul(s, x), t)",
     "mul(div(dimshuffle{x}(s), dimshuffle{x}(t)), x)"},
    {"power with a number", "pow(x, 0)", "fill(x, 1)"},
    {"power with a number", "pow(x, 1)", "x"},
    {"power with a number", "pow(x, 2)", "sqr(x)"},
    {"power with a number", "pow(x, 3)", "mul(x, sqr(x))"},
    {"power with a number", "pow(x, 4)", "sqr(sqr(x))"},
    {"power with a number", "pow(x, 0.5)", "sqrt(x)"},
    {"power with a number", "pow(x, -0.5)", "rsqrt(x)"},
    {"power with a number", "pow(x, -1)", "reciprocal(x)"},
    {"power with a number", "pow(x, -2)", "reciprocal(sqr(x))"},
    {"sqrt(sqr(x))", "sqrt(sqr(x))", "abs(x)"},
    {"x * x", "mul(x, x)", "sqr(x)"},
    {"maximum of equals", "maximum(x, x)", "x"},
    {"minimum of equals", "minimum(x, x)", "x"},
    {"and of equals", "and(b, b)", "b"},
    {"or of equals", "or(i, i)", "i"},
    {"where without choice", "where(b, x, x)", "x"},
    {"where without choice", "where(not(b), x, y)", "where(b, y, x)"},
    {"where without choice", "where(ne(1, 2), x, y)", "x"},
    {"not not", "not(not(b))", "b"},
    {"not not", "not(not(i))", "i"},
    {"cast of cast", "float32(float64(f))", "f"},
    {"cast of cast", "int32(float64(i))", "i"},
    {"cast of cast", "float64(float32(h))", "cast{float64}(h)"},
    {"stop_gradient", "stop_gradient(x)", "x"},
};

static const char *const kept[] = {
    "add(c, add(1, r))",   "sub(c, add(1, r))", "mul(0, x)",
    "sub(u, 3u)",          "div(x, 3)",         "eq(x, x)",
    "float32(float16(f))", "int32(float32(i))", "sub(0u, u)",
    "where(b, x, y)",      "pow(x, 1.5)",       "add(c, row(add(1, x)))",
    "mul(h, mul(2h, h))",  "sqrt(x)",           "not(b)"};

static void test_cases(void **unused) {
  size_t i;

  (void)unused;
  for (i = 0; i < sizeof cases / sizeof cases[0]; i++)
    rewrite_check(&cases[i]);
}

static void test_kept(void **unused) {
  size_t i;

  (void)unused;
  for (i = 0; i < sizeof kept / sizeof kept[0]; i++)
    rewrite_check_kept(kept[i]);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_cases),
                                     cmocka_unit_test(test_kept)};

  return cmocka_run_group_tests(tests, NULL, NULL);
}
