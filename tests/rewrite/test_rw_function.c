/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules on functions of one operand, by example. */
#include "support/rewritten.h"

static const rewrite_case cases[] = {
    {"even function of -x", "sqr(neg(x))", "sqr(x)"},
    {"even function of -x", "abs(neg(x))", "abs(x)"},
    {"even function of -x", "cos(neg(x))", "cos(x)"},
    {"even function of -x", "cosh(abs(x))", "cosh(x)"},
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
    {"odd function of -x", "sin(neg(x))", "neg(sin(x))"},
    {"odd function of -x", "mul(tan(neg(x)), atan(neg(y)))",
     "mul(tan(x), atan(y))"},
    {"odd function of -x", "asin(sub(neg(x), y))", "neg(asin(add(x, y)))"},
    {"odd function of -x", "sinh(neg(x))", "neg(sinh(x))"},
    {"odd function of -x", "tanh(neg(x))", "neg(tanh(x))"},
    {"odd function of -x", "asinh(neg(x))", "neg(asinh(x))"},
    {"odd function of -x", "atanh(neg(x))", "neg(atanh(x))"},
    {"odd function of -x", "erf(neg(x))", "neg(erf(x))"},
    {"odd function of -x", "sign(neg(i))", "neg(sign(i))"},
    {"odd function of -x", "reciprocal(neg(x))", "neg(reciprocal(x))"},
    {"function of its inverse", "exp(log(x))", "x"},
    {"function of its inverse", "log2(exp2(x))", "x"},
    {"function of its inverse", "exp2(log2(x))", "x"},
    {"function of its inverse", "expm1(log1p(x))", "x"},
    {"function of its inverse", "log1p(expm1(x))", "x"},
    {"function of its inverse", "sin(asin(x))", "x"},
    {"function of its inverse", "cos(acos(x))", "x"},
    {"function of its inverse", "tan(atan(x))", "x"},
    {"function of its inverse", "sinh(asinh(x))", "x"},
    {"function of its inverse", "asinh(sinh(x))", "x"},
    {"function of its inverse", "cosh(acosh(add(1, x)))", "add(1, x)"},
    {"function of its inverse", "tanh(atanh(x))", "x"},
    {"function of its inverse", "atanh(tanh(x))", "x"},
    {"function of its inverse", "sqr(sqrt(x))", "x"},
    {"function of its inverse", "reciprocal(reciprocal(x))", "x"},
    {"power with a number", "pow(x, 7)", "mul(mul(x, sqr(x)), sqr(sqr(x)))"},
    {"power with a number", "pow(x, 16)", "sqr(sqr(sqr(sqr(x))))"},
};

static const char *const kept[] = {
    "pow(x, 17)",     "pow(x, -3)",  "asin(sin(x))", "acos(cos(x))",
    "acosh(cosh(x))", "exp(neg(x))", "acos(neg(x))", "sign(neg(u))"};

int main(void) {
  return rewrite_main(cases, sizeof cases / sizeof cases[0], kept,
                      sizeof kept / sizeof kept[0]);
}
