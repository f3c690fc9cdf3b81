/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules on fills, sizes and views, by example. */
#include "support/rewritten.h"

static const rewrite_case cases[] = {
    {"fill of same shape", "fill(x, y)", "y"},
    {"fill of fill", "fill(A, fill(r, s))", "fill(A, dimshuffle{x x}(s))"},
    {"sink fill", "add(fill(x, s), y)", "add(dimshuffle{x}(s), y)"},
    {"sink fill", "exp(fill(x, s))", "fill(x, exp(dimshuffle{x}(s)))"},
    {"sink fill", "mul(fill(A, s), r)", "fill(A, mul(dimshuffle{x x}(s), r))"},
    {"sink fill", "mul(fill(A, x), fill(A, s))",
     "fill(A, mul(dimshuffle{x x}(s), dimshuffle{x 0}(x)))"},
    {"sink fill", "where(b, fill(x, s), y)", "where(b, dimshuffle{x}(s), y)"},
    {"dimshuffle of fill", "transpose(fill(A, r))",
     "fill(dimshuffle{1 0}(A), dimshuffle{1 0}(r))"},
    {"dimshuffle of fill", "mul(col(fill(x, s)), A)",
     "mul(dimshuffle{x x}(s), A)"},
    {"reshape of fill", "mul(as_column(fill(x, s)), A)",
     "mul(dimshuffle{x x}(s), A)"},
    {"reshape of fill", "reshape_like(fill(flatten(A), s), A)",
     "fill(A, dimshuffle{x x}(s))"},
    {"shape of operand", "fill(exp(x), s)", "fill(x, dimshuffle{x}(s))"},
    {"shape of operand", "size(exp(sub(A, r)))", "size(A)"},
    {"size of view", "size(transpose(A))", "size(A)"},
    {"size of view", "size(flatten(A))", "size(A)"},
    {"shape of view", "shape0(transpose(A))", "shape{axis=1}(A)"},
    {"shape of view", "shape0(col(exp(x)))", "shape{axis=0}(x)"},
    {"dimshuffle of dimshuffle",
     "add(transpose(stop_gradient(transpose(A))), A)", "mul(2, A)"},
    {"number out of dimshuffle", "dot(transpose(mul(2, A)), x)",
     "dot{alpha=2}(dimshuffle{1 0}(A), x)"},
    {"number out of dimshuffle", "transpose(neg(A))",
     "neg(dimshuffle{1 0}(A))"},
    {"view to operands", "sum0(exp(sum0k(A)))", "exp(reduce{sum axis=0}(A))"},
    {"reshape to add axes", "as_column(x)", "dimshuffle{0 x}(x)"},
    {"reshape to add axes", "flatten(c)", "dimshuffle{0}(c)"},
    {"reshape of reshape", "as_square(flatten(A))", "reshape{3 3}(A)"},
    {"reshape of reshape", "as_square(as_square(A))", "reshape{3 3}(A)"},
    {"reshape of reshape", "flatten(col(A))", "reshape{-1}(A)"},
    {"known sizes", "to_sizes(A)", "reshape{3 -1}(A)"},
    {"known sizes", "exp(of_sizes(A))", "exp(A)"},
    {"vector of sizes", "twice_sizes(A)",
     "vector(mul(2, shape{axis=0}(A)), mul(2, shape{axis=1}(A)), 4)"},
    {"reshape of reshape", "flatten(to_sizes(A))", "reshape{-1}(A)"},
    {"slice of all", "all(x)", "x"},
};

static const char *const kept[] = {"mul(c, fill(r, s))",
                                   "flatten(transpose(A))",
                                   "fill(x, s)",
                                   "exp(col(x))",
                                   "size(A)",
                                   "reshape_like(A, B)",
                                   "as_square(A)",
                                   "transpose(exp(A))",
                                   "add(s, A)"};

int main(void) {
  return rewrite_main(cases, sizeof cases / sizeof cases[0], kept,
                      sizeof kept / sizeof kept[0]);
}
