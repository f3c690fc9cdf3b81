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
    {"view to operands", "add(x, exp(mul(s, float64(size(y)))))",
     "add(exp(mul(dimshuffle{x}(s), cast{float64}(dimshuffle{x}(size(y))))), "
     "x)"},
    /* A scalar that takes few nodes is computed again, others are not. */
    {"view to operands", "add(x, exp(exp(exp(exp(exp(exp(exp(exp(s)))))))))",
     "add(exp(exp(exp(exp(exp(exp(exp(exp(dimshuffle{x}(s))))))))), x)"},
    {"order operands", "add(x, exp(exp(exp(exp(exp(exp(exp(exp(exp(s))))))))))",
     "add(dimshuffle{x}(exp(exp(exp(exp(exp(exp(exp(exp(exp(s)))))))))), x)"},
    {"view to operands",
     "add(x, pow(s, pow(t, pow(s, pow(t, pow(s, pow(t, pow(s, t))))))))",
     "add(pow(dimshuffle{x}(s), pow(dimshuffle{x}(t), pow(dimshuffle{x}(s), "
     "pow(dimshuffle{x}(t), pow(dimshuffle{x}(s), pow(dimshuffle{x}(t), "
     "pow(dimshuffle{x}(s), dimshuffle{x}(t)))))))), x)"},
    {"order operands",
     "add(x, pow(s, pow(t, pow(s, pow(t, pow(s, pow(t, pow(s, pow(s, "
     "t)))))))))",
     "add(dimshuffle{x}(pow(s, pow(t, pow(s, pow(t, pow(s, pow(t, pow(s, "
     "pow(s, t))))))))), x)"},
    {"order operands", "add(x, exp(sum(y)))",
     "add(dimshuffle{x}(exp(reduce{sum}(y))), x)"},
    /* Only views that drop axes, and do nothing else, move. */
    {"reduction over size 1", "transpose(sum0(exp(sum0k(D))))",
     "dimshuffle{2 1}(exp(reduce{sum axis=0 keepdims}(D)))"},
    {"reduction over size 1", "row(sum1(sum0(exp(sum0k(sum1k(D))))))",
     "dimshuffle{x 1}(exp(reduce{sum axis=0,2 keepdims}(D)))"},
    /* The sum has another use, which keeps its axis. */
    {"factor out of sum", "mul(exp(sum0(A)), sum0(mul(A, sum0k(A))))",
     "mul(exp(dimshuffle{1}(reduce{sum axis=0 keepdims}(A))), "
     "dimshuffle{1}(where(gt(dimshuffle{x x}(shape{axis=0}(A)), 0), "
     "sqr(reduce{sum axis=0 keepdims}(A)), 0)))"},
    {"reshape to add axes", "as_column(x)", "dimshuffle{0 x}(x)"},
    {"reshape to add axes", "flatten(c)", "dimshuffle{0}(c)"},
    {"reshape to add axes", "as_column(sumk(x))",
     "dimshuffle{x x}(reduce{sum}(x))"},
    {"index of rows", "take(A, i)", "take{axis=0}(A, dimshuffle{0 x}(i))"},
    {"map into reshape", "sqr(as_square(dot(A, B)))",
     "reshape{3 3}(sqr(dot(A, B)))"},
    {"map into reshape", "mul(s, exp(flatten(exp(A))))",
     "reshape{-1}(mul(dimshuffle{x x}(s), exp(exp(A))))"},
    {"map into reshape",
     "mul(as_square(dot(A, B)), sigmoid(add(as_square(dot(A, B)), s)))",
     "reshape{3 3}(mul(dot(A, B), sigmoid(add(dimshuffle{x x}(s), dot(A, "
     "B)))))"},
    /* Another node reads the shape alone. */
    {"map into reshape",
     "mul(float64(shape0(flatten(exp(A)))), sqr(flatten(exp(A))))",
     "reshape{-1}(mul(cast{float64}(dimshuffle{x "
     "x}(shape{axis=0}(reshape{-1}(exp(A))))), sqr(exp(A))))"},
    {"reshape of reshape", "reshape_like(x, y)", "x"},
    {"reshape of reshape", "as_square(flatten(A))", "reshape{3 3}(A)"},
    {"reshape of reshape", "as_square(as_square(A))", "reshape{3 3}(A)"},
    {"reshape of reshape", "flatten(col(A))", "reshape{-1}(A)"},
    {"known sizes", "to_sizes(A)", "reshape{3 -1}(A)"},
    {"known sizes", "exp(of_sizes(A))", "exp(A)"},
    {"vector of sizes", "twice_sizes(A)",
     "vector(mul(2, shape{axis=0}(A)), mul(2, shape{axis=1}(A)), 4)"},
    {"vector of sizes", "float64(twice_sizes(A))",
     "cast{float64}(vector(mul(2, shape{axis=0}(A)), mul(2, shape{axis=1}(A)), "
     "4))"},
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
                                   "exp(flatten(A))",
                                   "mul(k, flatten(exp(A)))",
                                   "mul(x, reshape_like(exp(A), x))",
                                   "mul(sum0k(flatten(exp(A))), "
                                   "sqr(flatten(exp(A))))",
                                   "add(s, A)"};

static void test_cases(void **unused) {
  (void)unused;
  rewrite_check_all(cases, sizeof cases / sizeof cases[0]);
  rewrite_check_all_kept(kept, sizeof kept / sizeof kept[0]);
}

/* --- sizes that are known in part --- */

/* What v becomes, as text. */
static void check(gg_var *v, const char *after) {
  gg__build b;

  rewrite_begin(&b, gg_var_graph(v), GG_FAST_RUN);
  rewrite_output(&b, v);
  rewrite_run(&b);
  rewrite_assert(&b, after);
  rewrite_end(&b);
}

/* A matrix of sizes `x`, reshaped to `to`. */
static void test_reshape_of_matrix(void **unused) {
  static const struct {
    int64_t x[2], to[2];
    const char *after;
  } rows[] = {{{3, GG_ANY}, {3, GG_ANY}, "x"},
              {{GG_ANY, 4}, {3, 4}, "x"},
              {{3, GG_ANY}, {GG_ANY, 3}, "reshape{-1 3}(x)"},
              {{GG_ANY, 4}, {4, 3}, "reshape{4 3}(x)"},
              {{3, GG_ANY}, {4, GG_ANY}, "reshape{4 -1}(x)"},
              {{0, GG_ANY}, {0, 5}, "reshape{0 5}(x)"},
              {{GG_ANY, GG_ANY}, {1, 1}, "reshape{1 1}(x)"}};

  (void)unused;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    gg_graph *g = gg_graph_new(NULL);
    check(gg_reshape(gg_input_sized(g, "x", GA_DOUBLE, 2, rows[i].x), 2,
                     rows[i].to),
          rows[i].after);
    gg_graph_free(g);
  }
}

/* Axes of size 1 may change their places; others may not. */
static void test_reshape_of_order(void **unused) {
  static const struct {
    int64_t x[3];
    const char *after;
  } rows[] = {{{GG_ANY, 1, GG_ANY}, "reshape{-1}(x)"},
              {{1, GG_ANY, GG_ANY}, "reshape{-1}(x)"},
              {{GG_ANY, GG_ANY, 1}, "reshape{-1}(dimshuffle{1 0 2}(x))"}};

  (void)unused;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    gg_graph *g = gg_graph_new(NULL);
    gg_var *x = gg_input_sized(g, "x", GA_DOUBLE, 3, rows[i].x);
    check(gg_flatten(gg_dimshuffle(x, 3, (int[]){1, 0, 2})), rows[i].after);
    gg_graph_free(g);
  }
}

/* Products of a batch of rows: f and its other operand y [.., 4]. */
static void test_maps_of_rows(void **unused) {
  enum { N = 3 /* axes */ };
  static const int64_t of_x[2] = {GG_ANY, 5}, of_w[2] = {5, 4};
  static const struct {
    unsigned int nd;
    int64_t dims[N];
    const char *after;
  } y[] = {
      {1, {4}, "reshape{-1 2 4}(mul(dot(x, w), dimshuffle{x 0}(y)))"},
      {1, {1}, "reshape{-1 2 4}(mul(dimshuffle{x 0}(y), dot(x, w)))"},
      {1, {GG_ANY}, "mul(reshape{-1 2 4}(dot(x, w)), dimshuffle{x x 0}(y))"},
      {2, {2, 4}, "mul(reshape{-1 2 4}(dot(x, w)), dimshuffle{x 0 1}(y))"},
      {3, {GG_ANY, 2, 4}, "mul(y, reshape{-1 2 4}(dot(x, w)))"}};

  (void)unused;
  for (size_t i = 0; i < sizeof y / sizeof y[0]; i++) {
    gg_graph *g = gg_graph_new(NULL);
    gg_var *x = gg_input_sized(g, "x", GA_DOUBLE, 2, of_x);
    gg_var *w = gg_input_sized(g, "w", GA_DOUBLE, 2, of_w);
    gg_var *by = gg_input_sized(g, "y", GA_DOUBLE, y[i].nd, y[i].dims);
    gg_var *z = gg_reshape(gg_dot(x, w), 3, (const int64_t[]){GG_ANY, 2, 4});
    check(gg_mul(z, by), y[i].after);
    gg_graph_free(g);
  }
}

/* Rules look at nodes of many inputs, too. */
static void test_many_inputs(void **unused) {
  enum { MANY = 16 };
  gg_graph *g = gg_graph_new(NULL);
  gg_var *in[MANY];
  gg__build b;

  (void)unused;
  for (size_t i = 0; i < MANY; i++)
    in[i] = gg_input(g, NULL, GA_DOUBLE, 1);
  gg_var *v = gg_join(0, MANY, in);
  rewrite_begin(&b, g, GG_FAST_RUN);
  rewrite_output(&b, v);
  rewrite_run(&b);
  assert_ptr_equal(b.results.v[0], v);
  rewrite_end(&b);
  gg_graph_free(g);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_cases), cmocka_unit_test(test_reshape_of_matrix),
      cmocka_unit_test(test_reshape_of_order),
      cmocka_unit_test(test_maps_of_rows), cmocka_unit_test(test_many_inputs)};

  return cmocka_run_group_tests(tests, NULL, NULL);
}
