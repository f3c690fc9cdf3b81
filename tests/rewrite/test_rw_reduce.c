/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules on reductions, by example. */
#include "support/rewritten.h"

static const rewrite_case cases[] = {
    {"reduction keeps axes", "add(log(sum0k(A)), log(row(sum0(A))))",
     "mul(2, log(reduce{sum axis=0 keepdims}(A)))"},
    {"reduction of view", "sum0k(transpose(A))",
     "dimshuffle{1 0}(reduce{sum axis=1 keepdims}(A))"},
    {"reduction of view", "sum(transpose(A))", "reduce{sum}(A)"},
    {"reduction of view", "argmax1(transpose(A))", "reduce{argmax axis=0}(A)"},
    {"reduction of view", "argmax1(argmax1(A))",
     "dimshuffle(reduce{argmax axis=0}(reduce{argmax axis=1 keepdims}(A)))"},
    {"reduction over size 1", "sum1(c)", "dimshuffle{0}(c)"},
    {"reduction over size 1", "sum0k(r)", "r"},
    {"reduction over size 1", "sum(c)", "reduce{sum}(c)"},
    {"reduction of reduction", "sum(sum1(A))", "reduce{sum}(A)"},
    {"reduction of reduction", "sum0k(sum1k(A))", "reduce{sum keepdims}(A)"},
    {"reduction of reduction", "max(max1k(A))", "reduce{max}(A)"},
    {"reduction of fill", "sum(fill(x, s))",
     "where(gt(size(x), 0), mul(s, cast{float64}(size(x))), 0)"},
    {"reduction of fill", "sum(fill(k, s))", "mul(3, s)"},
    {"reduction of fill", "sum(fill(x, 2))", "mul(2, cast{float64}(size(x)))"},
    {"reduction of fill", "mean(fill(x, s))", "s"},
    {"reduction of fill", "sum1(fill(A, s))",
     "fill(reduce{sum axis=1}(A), where(gt(dimshuffle{x}(shape{axis=1}(A)), "
     "0), mul(dimshuffle{x}(s), cast{float64}(dimshuffle{x}(shape{axis=1}"
     "(A)))), 0))"},
    {"reduction of fill", "sum0(fill(A, c))",
     "fill(reduce{sum axis=0}(A), reduce{sum axis=0}(c))"},
    {"reduction of fill", "max(fill(x, s))", "s"},
    {"reduction of fill", "min(fill(x, s))", "s"},
    {"reduction of fill", "max(fill(k, 2i))", "2"},
    {"argmax of softmax", "argmax1(softmax(A))", "reduce{argmax axis=1}(A)"},
    {"argmax of softmax", "argmax1(log_softmax(A))",
     "reduce{argmax axis=1}(A)"},
    {"argmax of growing", "argmax1(sigmoid(A))", "reduce{argmax axis=1}(A)"},
    {"argmax of growing", "argmax1(exp(tanh(A)))", "reduce{argmax axis=1}(A)"},
    {"reduction of join", "sum(join(x, y))",
     "add(reduce{sum}(x), reduce{sum}(y))"},
    {"reduction of join", "sum0(join(A, B))",
     "add(reduce{sum axis=0}(A), reduce{sum axis=0}(B))"},
    {"reduction of join", "max(join(x, y))",
     "maximum(reduce{max}(x), reduce{max}(y))"},
    {"reduction of join", "sum(join(x, y, z, p))",
     "add(reduce{sum}(p), add(reduce{sum}(z), add(reduce{sum}(x), "
     "reduce{sum}(y))))"},
    {"reduction of join", "prod(join(x, k))",
     "mul(reduce{prod}(x), reduce{prod}(k))"},
    {"sum of -x", "sum(neg(x))", "neg(reduce{sum}(x))"},
    {"sum of squared distances",
     "sum0k(sqr(sub(A, div(sum0k(A), float64(shape0(A))))))",
     "where(gt(dimshuffle{x x}(shape{axis=0}(A)), 0), "
     "mul(cast{float64}(dimshuffle{x x}(shape{axis=0}(A))), reduce{variance "
     "axis=0 keepdims}(A)), 0)"},
    {"sum of squared distances", "sum(sqr(sub(k, div(sum(k), 3))))",
     "mul(3, reduce{variance}(k))"},
    {"mean of some",
     "div(sum0k(sqr(sub(A, div(sum0k(A), float64(shape0(A)))))), "
     "float64(shape0(A)))",
     "reduce{variance axis=0 keepdims}(A)"},
    {"mean of some",
     "div(where(gt(mul(shape0(A), shape0(B)), 0l), s, 0), "
     "float64(mul(shape0(A), shape0(B))))",
     "div(s, cast{float64}(mul(shape{axis=0}(A), shape{axis=0}(B))))"},
    {"mean of some", "mean(mul(s, x))",
     "div(mul(s, reduce{sum}(x)), cast{float64}(size(x)))"},
    {"sum of squared distances", "sum0(sqr(sub(mul(2, row(sum0(A))), A)))",
     "dimshuffle{1}(where(gt(dimshuffle{x x}(shape{axis=0}(A)), 0), "
     "mul(cast{float64}(dimshuffle{x x}(shape{axis=0}(A))), "
     "add(reduce{variance axis=0 keepdims}(A), sqr(sub(div(reduce{sum axis=0 "
     "keepdims}(A), cast{float64}(dimshuffle{x x}(shape{axis=0}(A)))), mul(2, "
     "reduce{sum axis=0 keepdims}(A)))))), 0))"},
    {"sum of squared distances",
     "sum(sqr(sub(x, div(sum(x), float64(size(x))))))",
     "where(gt(size(x), 0), mul(cast{float64}(size(x)), reduce{variance}(x)), "
     "0)"},
    {"variance of rows", "var1(A)",
     "div(reduce{sum axis=1}(sqr(sub(A, div(reduce{sum axis=1 keepdims}(A), "
     "cast{float64}(dimshuffle{x x}(shape{axis=1}(A))))))), "
     "dimshuffle{0}(cast{float64}(dimshuffle{x x}(shape{axis=1}(A)))))"},
    {"reduction over size 1", "var0(r)", "fill(dimshuffle{1}(r), 0)"},
    {"sum of deviations", "sum0k(sub(A, div(sum0k(A), float64(shape0(A)))))",
     "fill(reduce{sum axis=0 keepdims}(A), 0)"},
    {"sum of deviations", "sum(sub(k, div(sum(k), 3)))", "0"},
    {"sum of deviations", "sum(sub(div(sum(x), float64(size(x))), x))", "0"},
    {"reduction drops axes", "sum1(A)", "reduce{sum axis=1}(A)"},
    /* A size is never negative; other values may be. */
    {"product of where", "div(where(gt(s, 0), t, 0), s)",
     "where(gt(s, 0), div(t, s), 0)"},
    {"product of where",
     "div(where(gt(mul(shape0(A), sum(l)), 0l), s, 0), "
     "float64(mul(shape0(A), sum(l))))",
     "where(gt(mul(shape{axis=0}(A), reduce{sum}(l)), 0), div(s, "
     "cast{float64}(mul(shape{axis=0}(A), reduce{sum}(l)))), 0)"},
    /* A join with another use is in memory anyway. */
    {"reduction keeps axes", "mul(sum(join(x, y)), join(x, y))",
     "mul(reduce{sum keepdims}(join{axis=0}(x, y)), join{axis=0}(x, y))"},
};

static const char *const kept[] = {"sum(x)",
                                   "sum(neg(i))",
                                   "sum(fill(h, 2h))",
                                   "prod(fill(k, s))",
                                   "sum(join(x, y, z, p, q))",
                                   "var0(join(A, B))",
                                   "max(join(i, j))",
                                   "max(join(x, k))",
                                   "min(join(x, k))",
                                   "max(fill(x, 2i))",
                                   "sum(exp(A))",
                                   "sum0(sub(A, sum0k(A)))",
                                   "argmax1(join1(A, B))",
                                   "argmax1(A)",
                                   "max(mul(2, x))",
                                   "var0(A)",
                                   "sum1(sqr(sub(A, sum1k(A))))",
                                   "sum0(sub(A, div(sum0k(A), 7)))"};

int main(void) {
  return rewrite_main(cases, sizeof cases / sizeof cases[0], kept,
                      sizeof kept / sizeof kept[0]);
}
