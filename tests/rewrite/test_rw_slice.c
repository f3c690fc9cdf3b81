/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules on slices and indices, by example. */
#include "support/rewritten.h"

static const rewrite_case cases[] = {
    {"slice of all", "all(x)", "x"},
    {"slice of all", "first3(k)", "k"},
    {"slice of placed", "tail(placed(x, tail(y)))", "slice{axis=0 1:}(y)"},
    {"slice of set", "tail(set_tail(x, tail(y)))", "slice{axis=0 1:}(y)"},
    {"set for nothing", "set_all(x, y)", "y"},
    {"set for nothing", "set_far(k, exp(k))", "exp(k)"},
    {"set for nothing", "set_tail(x, tail(x))", "x"},
    {"slice of slice", "tail(every2(x))", "slice{axis=0 2::2}(x)"},
    {"slice of slice", "first2(tail(x))", "slice{axis=0 1:3}(x)"},
    {"slice of slice", "tail(first2(x))", "slice{axis=0 1:2}(x)"},
    {"index of slice", "second(tail(k))", "index{axis=0 2}(k)"},
    {"index of slice", "first(tail(k))", "index{axis=0 1}(k)"},
    {"part of dimshuffle", "tail(transpose(A))",
     "dimshuffle{1 0}(slice{axis=1 1:}(A))"},
    {"part of dimshuffle", "second(transpose(A))", "index{axis=1 1}(A)"},
    {"part of dimshuffle", "second1(transpose(A))", "index{axis=0 1}(A)"},
    {"part of dimshuffle", "second(col(x))",
     "dimshuffle{x}(index{axis=0 1}(x))"},
    {"part of fill", "mul(tail(fill(A, r)), tail(B))",
     "mul(r, slice{axis=0 1:}(B))"},
    {"part of fill", "add(tail(fill(A, s)), tail(B))",
     "add(dimshuffle{x x}(s), slice{axis=0 1:}(B))"},
    {"part of fill", "second(fill(A, s))",
     "fill(index{axis=0 1}(A), dimshuffle{x}(s))"},
    {"part of join", "tail1(join(A, B))",
     "join{axis=0}(slice{axis=1 1:}(A), slice{axis=1 1:}(B))"},
    {"part of join", "tail(join1(A, B))",
     "join{axis=1}(slice{axis=0 1:}(A), slice{axis=0 1:}(B))"},
    {"part of join", "tail1(join(A, B, C, A, B, C, A, B))",
     "join{axis=0}(slice{axis=1 1:}(A), slice{axis=1 1:}(B), slice{axis=1 "
     "1:}(C), slice{axis=1 1:}(A), slice{axis=1 1:}(B), slice{axis=1 1:}(C), "
     "slice{axis=1 1:}(A), slice{axis=1 1:}(B))"},
    {"part of join", "second1(join(A, B))",
     "join{axis=0}(index{axis=1 1}(A), index{axis=1 1}(B))"},
    {"part of join", "second(join1(A, B))",
     "join{axis=0}(index{axis=0 1}(A), index{axis=0 1}(B))"},
    {"part of join", "first2(join(k, k))", "slice{axis=0 0:2}(k)"},
    {"part of join", "first3(join(k, exp(k)))", "k"},
    {"part of join", "first(join(k, exp(k)))", "index{axis=0 0}(k)"},
    {"part of join", "second(join(k, exp(k)))", "index{axis=0 1}(k)"},
    {"part of reduction", "tail(sum1(A))",
     "reduce{sum axis=1}(slice{axis=0 1:}(A))"},
    {"part of reduction", "tail(sum0(A))",
     "reduce{sum axis=0}(slice{axis=1 1:}(A))"},
    {"part of reduction", "tail1(sum0k(A))",
     "reduce{sum axis=0 keepdims}(slice{axis=1 1:}(A))"},
    {"part of reduction", "second(sum0(A))", "reduce{sum}(index{axis=1 1}(A))"},
    {"part of reduction", "second1(sum0k(A))",
     "reduce{sum keepdims}(index{axis=1 1}(A))"},
    {"part of dot", "tail(dot(A, B))", "dot(slice{axis=0 1:}(A), B)"},
    {"part of dot", "tail1(dot(A, B))", "dot(A, slice{axis=1 1:}(B))"},
    {"part of dot", "second(dot(A, B))", "dot(index{axis=0 1}(A), B)"},
    {"part of dot", "second1(dot(A, B))", "dot(A, index{axis=1 1}(B))"},
    {"part of dot", "tail(dot(x, A))", "dot(x, slice{axis=1 1:}(A))"},
    {"part of dot", "tail(dot(A, x))", "dot(slice{axis=0 1:}(A), x)"},
    {"part of dot", "tail(batched_dot(D, E))",
     "batched_dot(slice{axis=0 1:}(D), slice{axis=0 1:}(E))"},
    {"part of dot", "tail1(batched_dot(D, E))",
     "batched_dot(slice{axis=1 1:}(D), E)"},
    {"part of dot", "tail2(batched_dot(D, E))",
     "batched_dot(D, slice{axis=2 1:}(E))"},
    {"part of dot", "second(mul(2, batched_dot(D, E)))",
     "dot{alpha=2}(index{axis=0 1}(D), index{axis=0 1}(E))"},
    {"part of dot", "second1(batched_dot(D, E))",
     "reduce{sum axis=1}(mul(E, dimshuffle{0 1 x}(index{axis=1 1}(D))))"},
    {"part of dot", "second2(batched_dot(D, E))",
     "reduce{sum axis=2}(mul(D, dimshuffle{0 x 1}(index{axis=2 1}(E))))"},
    {"part of elementwise", "tail(exp(x))", "exp(slice{axis=0 1:}(x))"},
    {"part of elementwise", "second(mul(A, r))",
     "mul(index{axis=0 1}(A), dimshuffle{1}(r))"},
    {"part of elementwise", "second1(mul(A, add(r, s)))",
     "mul(add(dimshuffle{x}(s), index{axis=1 1}(r)), index{axis=1 1}(A))"},
    {"part of elementwise", "tail(softmax(A))",
     "div(exp(sub(slice{axis=0 1:}(A), reduce{max axis=1 "
     "keepdims}(slice{axis=0 1:}(A)))), reduce{sum axis=1 "
     "keepdims}(exp(sub(slice{axis=0 1:}(A), reduce{max axis=1 "
     "keepdims}(slice{axis=0 1:}(A))))))"},
};

/* What is used otherwise is computed as a whole anyway; an index may be outside
 * of a slice of unknown size; parts of many operands take many kernels; a sum
 * over an axis has no part along that axis. */
static const char *const kept[] = {
    "add(sum(exp(x)), second(exp(x)))", "tail(x)", "second(tail(x))",
    "tail1(join(A, B, C, A, B, C, A, B, C))", "tail(sum0k(A))"};

int main(void) {
  return rewrite_main(cases, sizeof cases / sizeof cases[0], kept,
                      sizeof kept / sizeof kept[0]);
}
