/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules on factors and terms of sums, by example. */
#include "support/rewritten.h"

static const rewrite_case cases[] = {
    {"factor out of sum", "sum(mul(s, x))",
     "where(gt(size(x), 0), mul(s, reduce{sum}(x)), 0)"},
    {"factor out of sum", "sum(mul(mul(s, div(1, float64(size(x)))), x))",
     "where(gt(size(x), 0), mul(div(s, cast{float64}(size(x))), "
     "reduce{sum}(x)), 0)"},
    {"factor out of sum", "sum(mul(s, k))", "mul(s, reduce{sum}(k))"},
    {"factor out of sum", "sum(mul(float64(size(y)), x))",
     "mul(cast{float64}(size(y)), reduce{sum}(x))"},
    {"factor out of sum", "sum1(mul(3, A))", "mul(3, reduce{sum axis=1}(A))"},
    {"factor out of sum", "sum1(mul(A, c))",
     "where(gt(dimshuffle{x}(shape{axis=1}(A)), 0), mul(dimshuffle{0}(c), "
     "reduce{sum axis=1}(A)), 0)"},
    {"factor out of sum", "sum0k(div(neg(mul(A, r)), sqr(r)))",
     "neg(where(gt(dimshuffle{x x}(shape{axis=0}(A)), 0), div(reduce{sum "
     "axis=0 keepdims}(A), r), 0))"},
    {"factor out of sum", "sum0(mul(div(A, r), exp(B)))",
     "where(gt(dimshuffle{x}(shape{axis=0}(A)), 0), div(reduce{sum "
     "axis=0}(mul(A, exp(B))), dimshuffle{1}(r)), 0)"},
    /* Also computed as it is, but no better to read than A. */
    {"factor out of sum", "add(row(sum0(mul(A, r))), mul(A, r))",
     "add(mul(A, r), where(gt(dimshuffle{x x}(shape{axis=0}(A)), 0), mul(r, "
     "reduce{sum axis=0 keepdims}(A)), 0))"},
    /* What is left has other uses, too. */
    {"factor out of sum",
     "add(maximum(mul(r, exp(A)), exp(A)), sum0k(mul(r, exp(A))))",
     "add(maximum(exp(A), mul(r, exp(A))), where(gt(dimshuffle{x "
     "x}(shape{axis=0}(A)), 0), mul(r, reduce{sum axis=0 keepdims}(exp(A))), "
     "0))"},
    {"sum of terms", "sum0k(add(mul(r, A), mul(sum0k(exp(A)), B)))",
     "add(where(gt(dimshuffle{x x}(shape{axis=0}(A)), 0), mul(r, reduce{sum "
     "axis=0 keepdims}(A)), 0), where(gt(dimshuffle{x x}(shape{axis=0}(B)), "
     "0), mul(reduce{sum axis=0 keepdims}(exp(A)), reduce{sum axis=0 "
     "keepdims}(B)), 0))"},
    {"sum of terms", "sum0k(sub(A, div(neg(B), sum0k(sqr(A)))))",
     "add(reduce{sum axis=0 keepdims}(A), where(gt(dimshuffle{x "
     "x}(shape{axis=0}(B)), 0), div(reduce{sum axis=0 keepdims}(B), reduce{sum "
     "axis=0 keepdims}(sqr(A))), 0))"},
    /* The last factor depends on two sums, what is left of the other term on
     * one of them. */
    {"sum of terms",
     "sum0k(add(mul(r, maximum(B, sum0k(A))), mul(add(sum0k(A), "
     "sum0k(exp(A))), B)))",
     "add(where(gt(dimshuffle{x x}(shape{axis=0}(B)), 0), mul(add(reduce{sum "
     "axis=0 keepdims}(A), reduce{sum axis=0 keepdims}(exp(A))), reduce{sum "
     "axis=0 keepdims}(B)), 0), where(gt(dimshuffle{x x}(shape{axis=0}(B)), "
     "0), mul(r, reduce{sum axis=0 keepdims}(maximum(B, reduce{sum axis=0 "
     "keepdims}(A)))), 0))"},
    {"sum of terms",
     "sum0k(div(add(mul(r, B), mul(sum0k(exp(A)), sub(A, div(sum0k(A), "
     "float64(shape0(A)))))), r))",
     "where(gt(dimshuffle{x x}(shape{axis=0}(B)), 0), reduce{sum axis=0 "
     "keepdims}(B), 0)"},
};

static const char *const kept[] = {
    "sum0(mul(A, c))",
    "sum0(exp(mul(A, r)))",
    /* What is left takes more than a load. */
    "add(mul(r, exp(A)), sum0k(mul(r, exp(A))))",
    /* Digits would be lost, or nothing is gained. */
    "sum0(add(A, sum0k(exp(A))))",
    "sum0(add(B, mul(A, r)))",
};

int main(void) {
  return rewrite_main(cases, sizeof cases / sizeof cases[0], kept,
                      sizeof kept / sizeof kept[0]);
}
