/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules that give products of matrices their numbers, by example. */
#include "support/rewritten.h"

static const rewrite_case cases[] = {
    {"number around dot", "neg(dot(A, x))", "dot{alpha=-1}(A, x)"},
    {"number around dot", "mul(3, dot(A, B))", "dot{alpha=3}(A, B)"},
    {"number in dot", "dot(mul(2, A), B)", "dot{alpha=2}(A, B)"},
    {"number in dot", "dot(A, neg(x))", "dot{alpha=-1}(A, x)"},
    {"number in dot", "dot(mul(2, x), A)", "dot{alpha=2}(x, A)"},
    {"number in dot", "dot(A, mul(3, mul(2, x)))", "dot{alpha=6}(A, x)"},
    {"transpose of dot", "transpose(dot(A, B))",
     "dot(dimshuffle{1 0}(B), dimshuffle{1 0}(A))"},
    {"transpose of dot", "add(dot(A, B), transpose(dot(C, B)))",
     "gemm{alpha=1 beta=1}(dot(A, B), dimshuffle{1 0}(B), dimshuffle{1 "
     "0}(C))"},
    {"sum of products to gemm", "add(dot(A, B), dot(B, C))",
     "gemm{alpha=1 beta=1}(dot(A, B), B, C)"},
    {"sum of products to gemm", "sub(mul(2, dot(A, x)), mul(0.5, dot(x, B)))",
     "gemv{alpha=-0.5 beta=1}(dot{alpha=2}(A, x), dimshuffle{1 0}(B), x)"},
    {"number around dot", "neg(batched_dot(D, E))",
     "batched_dot{alpha=-1}(D, E)"},
    {"number around dot", "mul(3, batched_dot(D, E))",
     "batched_dot{alpha=3}(D, E)"},
    {"number in dot", "batched_dot(mul(2, D), neg(E))",
     "batched_dot{alpha=-2}(D, E)"},
    {"transpose of dot", "turn_each(mul(2, batched_dot(D, E)))",
     "batched_dot{alpha=2}(dimshuffle{0 2 1}(E), dimshuffle{0 2 1}(D))"},
    {"transpose of dot", "turn_each(batched_dot(D, E))",
     "batched_dot(dimshuffle{0 2 1}(E), dimshuffle{0 2 1}(D))"},
    {"batch of vectors", "batched_dot(D, A)",
     "reduce{sum axis=2}(mul(D, dimshuffle{0 x 1}(A)))"},
    {"batch of vectors", "batched_dot(A, D)",
     "reduce{sum axis=1}(mul(D, dimshuffle{0 1 x}(A)))"},
    {"batch of vectors", "mul(3, batched_dot(A, B))",
     "mul(3, reduce{sum axis=1,2}(mul(dimshuffle{0 x 1}(A), dimshuffle{0 x "
     "1}(B))))"},
    {"batch of vectors", "batched_dot(layers(A), turn_each(layers(B)))",
     "mul(dimshuffle{0 1 x}(A), dimshuffle{0 x 1}(B))"},
    {"sum of products to gemm",
     "sub(mul(2, batched_dot(D, E)), batched_dot(E, turn_each(D)))",
     "batched_gemm{alpha=-1 beta=1}(batched_dot{alpha=2}(D, E), E, "
     "dimshuffle{0 2 1}(D))"},
};

static const char *const kept[] = {"add(dot(A, B), dot(r, C))",
                                   "add(A, dot(B, C))",
                                   "mul(3, dot(x, y))",
                                   "add(x, dot(A, y))",
                                   "dot(transpose(A), x)",
                                   "add(c, dot(A, B))",
                                   "mul(s, dot(A, x))",
                                   "add(D, batched_dot(D, E))",
                                   "transpose(batched_dot(D, E))",
                                   "mul(D, batched_dot(D, E))"};

static void test_cases(void **unused) {
  (void)unused;
  rewrite_check_all(cases, sizeof cases / sizeof cases[0]);
}

static void test_kept(void **unused) {
  (void)unused;
  rewrite_check_all_kept(kept, sizeof kept / sizeof kept[0]);
}

typedef struct update_case {
  const char *target, *value, *after;
} update_case;

/* The new value of a variable may be written over it. */
static const update_case updates[] = {
    {"A", "sub(A, dot(B, C))", "gemm{alpha=-1 beta=1}(A, B, C)"},
    {"A", "add(mul(0.5, A), mul(3, dot(B, C)))",
     "gemm{alpha=3 beta=0.5}(A, B, C)"},
    {"A", "sub(A, mul(0.1, add(dot(B, C), mul(2, A))))",
     "gemm{alpha=-0.1 beta=0.8}(A, B, C)"},
    {"x", "sub(x, mul(2, dot(A, y)))", "gemv{alpha=-2 beta=1}(x, A, y)"},
    {"x", "sub(neg(x), dot(y, A))",
     "gemv{alpha=-1 beta=-1}(x, dimshuffle{1 0}(A), y)"},
    /* Several products, one after the other. */
    {"A", "sub(A, mul(2, add(dot(A, B), add(dot(B, C), dot(C, A)))))",
     "gemm{alpha=-2 beta=1}(gemm{alpha=-2 beta=1}(gemm{alpha=-2 beta=1}(A, A, "
     "B), C, A), B, C)"},
    {"D", "sub(D, mul(0.1, add(batched_dot(D, E), mul(2, D))))",
     "batched_gemm{alpha=-0.1 beta=0.8}(D, D, E)"},
    /* Another variable's value, and a sum that is not alone. */
    {"x", "sub(y, dot(A, z))", "sub(y, dot(A, z))"},
    {"x", "add(exp(x), dot(A, z))", "add(exp(x), dot(A, z))"},
    {"x", "add(add(x, y), dot(A, z))", "add(add(x, y), dot(A, z))"}};

static void check_update(const update_case *c) {
  char text[512];
  expr_vars e;
  gg__build b;

  expr_begin(&e);
  rewrite_begin(&b, e.g, GG_FAST_RUN);
  rewrite_update(&b, expr_parse(&e, c->target), expr_parse(&e, c->value));
  rewrite_run(&b);
  assert_string_equal(expr_text(b.results.v[0], text, sizeof text), c->after);
  rewrite_end(&b);
  gg_graph_free(e.g);
}

static void test_updates(void **unused) {
  (void)unused;
  for (size_t i = 0; i < sizeof updates / sizeof updates[0]; i++)
    check_update(&updates[i]);
}

/* A product that is wanted for itself, too, stays as it is. */
static void test_shared_product(void **unused) {
  char text[512];
  expr_vars e;
  gg__build b;

  (void)unused;
  expr_begin(&e);
  gg_var *product = expr_parse(&e, "dot(B, C)");
  rewrite_begin(&b, e.g, GG_FAST_RUN);
  rewrite_output(&b, product);
  rewrite_update(&b, expr_parse(&e, "A"), expr_parse(&e, "sub(A, dot(B, C))"));
  rewrite_run(&b);
  assert_string_equal(expr_text(b.results.v[1], text, sizeof text),
                      "sub(A, dot(B, C))");
  rewrite_end(&b);
  gg_graph_free(e.g);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_cases), cmocka_unit_test(test_kept),
      cmocka_unit_test(test_updates), cmocka_unit_test(test_shared_product)};

  return cmocka_run_group_tests(tests, NULL, NULL);
}
