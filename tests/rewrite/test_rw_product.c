/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules on products as sets of factors, by example. */
#include "support/rewritten.h"

static const rewrite_case cases[] = {
    {"cancel factors", "div(mul(x, y), x)", "y"},
    {"cancel factors", "mul(div(x, y), y)", "x"},
    {"cancel factors", "div(mul(mul(x, y), z), mul(z, x))", "y"},
    {"cancel factors", "div(x, sqr(x))", "div(1, x)"},
    {"cancel factors", "div(sqr(x), x)", "x"},
    {"cancel factors", "div(x, x)", "fill(x, 1)"},
    {"cancel factors", "div(mul(A, r), A)", "fill(A, r)"},
    {"cancel factors", "div(mul(2, x), mul(4, x))", "fill(x, 0.5)"},
    {"cancel factors", "div(2, add(1, exp(x)))", "mul(2, sigmoid(neg(x)))"},
    {"cancel factors", "div(y, sqr(add(1, exp(neg(x)))))",
     "mul(y, sqr(sigmoid(x)))"},
    {"cancel factors", "div(exp(x), add(1, exp(x)))", "sigmoid(x)"},
    {"cancel factors", "div(mul(y, exp(neg(x))), sqr(add(1, exp(neg(x)))))",
     "mul(sigmoid(neg(x)), mul(y, sigmoid(x)))"},
    {"cancel factors", "div(mul(y, sub(1, sigmoid(x))), sub(1, sigmoid(x)))",
     "y"},
    {"cancel factors",
     "mul(exp(x), div(div(y, add(1, exp(x))), sub(1, sigmoid(neg(x)))))", "y"},
    {"multiply out", "mul(add(div(x, p), div(y, q)), mul(p, q))",
     "add(mul(x, q), mul(y, p))"},
    {"multiply out", "mul(mul(sub(div(x, p), div(y, q)), p), q)",
     "sub(mul(x, q), mul(y, p))"},
    {"multiply out", "mul(add(x, div(y, p)), p)", "add(y, mul(x, p))"},
    {"multiply out", "mul(z, mul(add(x, div(y, p)), p))",
     "mul(z, add(y, mul(x, p)))"},
    {"blend of complements", "sub(mul(sub(1, y), p), mul(y, sub(1, p)))",
     "sub(p, y)"},
    {"blend of complements", "sub(mul(y, sub(1, p)), mul(sub(1, y), p))",
     "sub(y, p)"},
    {"blend of complements",
     "sub(mul(sub(1, y), sigmoid(x)), mul(y, sigmoid(neg(x))))",
     "sub(sigmoid(x), y)"},
    {"common factor", "add(mul(x, z), mul(y, z))", "mul(z, add(x, y))"},
    {"common factor", "sub(mul(x, z), mul(z, y))", "mul(z, sub(x, y))"},
    {"common factor", "add(div(x, z), div(y, z))", "div(add(x, y), z)"},
    {"common factor", "sub(mul(s, x), mul(s, y))",
     "mul(dimshuffle{x}(s), sub(x, y))"},
    {"common factor", "sub(mul(mul(x, p), z), mul(mul(q, z), y))",
     "mul(z, sub(mul(x, p), mul(y, q)))"},
};

static const char *const kept[] = {"mul(x, div(y, z))",
                                   "add(z, mul(x, y))",
                                   "add(mul(2, x), mul(2, y))",
                                   "div(add(x, y), x)",
                                   "div(h, h)",
                                   "mul(q, add(x, div(y, p)))",
                                   "mul(exp(x), sigmoid(x))",
                                   "add(x, mul(x, y))",
                                   "sub(mul(x, y), mul(z, p))"};

int main(void) {
  return rewrite_main(cases, sizeof cases / sizeof cases[0], kept,
                      sizeof kept / sizeof kept[0]);
}
