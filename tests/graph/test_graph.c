/* SPDX-License-Identifier: BSD-2-Clause */
/* Building graphs: types, merging, broadcasting, constants, and what is said
 * when something does not fit. No device. */
#include <string.h>

#include "graph/bare_graph.h"
#include "ops/ops.h"

/* --- leaves --- */

static void test_types_print(void **state) {
  char small[8];

  (void)state;
  assert_type(gg_input(g, "x", GA_FLOAT, 0), "float32");
  assert_type(gg_input(g, "x", GA_LONG, 1), "int64[?]");
  assert_type(SIZED(GA_HALF, 400, GG_ANY), "float16[400, ?]");
  assert_type(SIZED(GA_SIZE, 0), "uint64[0]");
  gg_type_text(gg_var_type(SIZED(GA_FLOAT, 4, 5)), small, sizeof small);
  assert_string_equal(small, "float32");
}

static void test_bad_leaves(void **state) {
  (void)state;
  assert_null(gg_input(g, "x", 99, 1));
  assert_graph_error(GA_VALUE_ERROR, "99 is not a dtype");
  assert_null(gg_input(g, "x", GA_FLOAT, 9));
  assert_graph_error(GA_VALUE_ERROR, "9 dimensions are more than 8");
  assert_null(SIZED(GA_FLOAT, 4, -7));
  assert_graph_error(GA_VALUE_ERROR, "dim 1: -7 is not a size");
  assert_null(gg_input(NULL, "x", GA_FLOAT, 1));
  assert_int_equal(gg_graph_status(NULL), GA_MEMORY_ERROR);
}

static void test_names(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1), *y = gg_neg(x);

  (void)state;
  assert_string_equal(gg_var_name(x), "x");
  assert_string_equal(gg_var_name(y), "");
  assert_ptr_equal(gg_named(y, "minus x"), y);
  assert_string_equal(gg_var_name(y), "minus x");
  assert_null(gg_named(NULL, "nothing"));
  assert_string_equal(gg_var_name(gg_input(g, NULL, GA_FLOAT, 0)), "");
}

static void test_constants(void **state) {
  const float pi = 3.14159274f;
  const int64_t ten[3] = {10, 10, 10}, mixed[3] = {10, 10, 11};
  const size_t three = 3, none = 0;
  double value = 0;

  (void)state;
  gg_var *v = gg_f32(g, pi);
  assert_type(v, "float32");
  assert_memory_equal(gg_var_data(v), &pi, sizeof pi);
  assert_ptr_equal(gg_f32(g, pi), v);
  assert_ptr_equal(gg_scalar(g, GA_FLOAT, pi), v);
  assert_true(gg_f64(g, pi) != v);
  assert_true(gg_f32(g, 0.0f) != gg_f32(g, -0.0f));

  v = gg_constant(g, GA_LONG, 1, &three, ten);
  assert_type(v, "int64[3]");
  assert_int_equal(gg_var_uniform(v, &value), 1);
  assert_true(value == 10);
  assert_int_equal(
      gg_var_uniform(gg_constant(g, GA_LONG, 1, &three, mixed), &value), 0);
  assert_int_equal(
      gg_var_uniform(gg_constant(g, GA_LONG, 1, &none, NULL), &value), 0);
  assert_int_equal(gg_var_uniform(gg_input(g, "x", GA_FLOAT, 0), &value), 0);
  assert_null(gg_var_data(gg_input(g, "x", GA_FLOAT, 0)));
}

/* More bytes than a key holds go by their digest. */
static void test_large_constants_merge(void **state) {
  const size_t n = 1000;
  double a[1000], b[1000];

  (void)state;
  for (size_t i = 0; i < n; i++)
    a[i] = b[i] = (double)i;
  gg_var *v = gg_constant(g, GA_DOUBLE, 1, &n, a);
  assert_ptr_equal(gg_constant(g, GA_DOUBLE, 1, &n, b), v);
  b[999] = -1;
  assert_true(gg_constant(g, GA_DOUBLE, 1, &n, b) != v);
}

/* --- nodes --- */

static void test_equal_nodes_are_one(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1), *y = gg_input(g, "y", GA_FLOAT, 1);
  gg_var *v = gg_add(gg_exp(x), y);
  const size_t n = gg_graph_size(g);

  (void)state;
  assert_ptr_equal(gg_add(gg_exp(x), y), v);
  assert_int_equal(gg_graph_size(g), n);
  assert_true(gg_add(y, gg_exp(x)) != v);
  assert_true(gg_sum_axis(SIZED(GA_FLOAT, 2, 3), 0) !=
              gg_sum_axis(SIZED(GA_FLOAT, 2, 3), 1));
  assert_ptr_equal(gg_var_owner(v)->op, &gg__op_add);
  assert_int_equal(gg_var_index(v), 0);
  assert_null(gg_var_owner(x));
}

/* As many nodes as make the table of them grow several times, each by what
 * tells it from others: inputs, their order, properties. */
static void build_grid(gg_var **out, size_t n) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 2), *y;

  for (size_t i = 0; i < n; i++, x = y) {
    int axis = (int)(i % 2);
    y = gg_reduce(GG_SUM, x, 1, &axis, 1);
    y = gg_add(i % 3 != 0 ? gg_sub(x, y) : gg_sub(y, x), x);
    out[i] = y;
  }
}

static void test_many_nodes(void **state) {
  enum { N = 2000 };
  static gg_var *first[N];

  (void)state;
  build_grid(first, N);
  size_t n = gg_graph_size(g);
  assert_true(n > N);
  for (size_t i = 0; i < N; i++) {
    gg_apply *a = gg_var_owner(first[i]);
    assert_ptr_equal(gg_op_apply(g, a->op, a->props, a->n_in, a->in), first[i]);
    a = gg_var_owner(a->in[0]);
    assert_ptr_equal(gg_op_apply(g, a->op, a->props, a->n_in, a->in),
                     a->out[0]);
    assert_true(gg_op_apply(g, a->op, a->props, a->n_in,
                            (gg_var *[]){a->in[1], a->in[0]}) != a->out[0]);
  }
  assert_int_equal(gg_graph_size(g), n + N);
}

static void test_null_and_sticky(void **state) {
  gg_var *x = SIZED(GA_FLOAT, 3), *y = SIZED(GA_FLOAT, 4);

  (void)state;
  assert_null(gg_exp(gg_add(gg_mul(x, y), NULL)));
  assert_null(gg_reshape(gg_slice(NULL, 0, 1, 2, 1), 0, NULL));
  assert_null(gg_sum(gg_dot(x, y)));
  /* The first error stays. */
  assert_graph_error(GA_VALUE_ERROR, "mul(float32[3], float32[4]): dim 0: "
                                     "3 and 4 do not broadcast");
  assert_non_null(gg_add(x, x));
}

static void test_other_graph(void **state) {
  gg_graph *h = gg_graph_new(NULL);
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1), *y = gg_input(h, "y", GA_FLOAT, 1);

  (void)state;
  assert_null(gg_add(x, y));
  assert_graph_error(GA_VALUE_ERROR, "add: operand 1 belongs to another graph");
  gg_graph_free(h);
  gg_graph_free(NULL);
}

static void test_broadcast(void **state) {
  gg_var *m = SIZED(GA_FLOAT, 3, GG_ANY), *row = SIZED(GA_FLOAT, 5);
  gg_var *col = SIZED(GA_FLOAT, 3, 1), *open = gg_input(g, "o", GA_FLOAT, 2);

  (void)state;
  assert_type(gg_add(m, row), "float32[3, 5]");
  assert_type(gg_add(col, row), "float32[3, 5]");
  assert_type(gg_add(open, col), "float32[3, ?]");
  assert_type(gg_add(m, gg_f32(g, 1)), "float32[3, ?]");
  assert_type(gg_add(col, col), "float32[3, 1]");
  assert_type(gg_add(SIZED(GA_FLOAT, 0), SIZED(GA_FLOAT, 1)), "float32[0]");
  /* A scalar constant takes the rank without a node. */
  assert_non_null(gg_var_data(gg_var_owner(gg_add(m, gg_f32(g, 1)))->in[1]));
  assert_null(gg_add(SIZED(GA_FLOAT, 3, 2), SIZED(GA_FLOAT, 4, 2)));
  assert_graph_error(GA_VALUE_ERROR, "add(float32[3, 2], float32[4, 2]): dim "
                                     "0: 3 and 4 do not broadcast");
}

static void test_dtypes_meet(void **state) {
  static const struct {
    int a, b, sum, quotient;
  } pairs[] = {{GA_FLOAT, GA_DOUBLE, GA_DOUBLE, GA_DOUBLE},
               {GA_HALF, GA_LONG, GA_HALF, GA_HALF},
               {GA_BFLOAT, GA_LONG, GA_BFLOAT, GA_BFLOAT},
               {GA_BFLOAT, GA_BOOL, GA_BFLOAT, GA_BFLOAT},
               {GA_BFLOAT, GA_HALF, GA_FLOAT, GA_FLOAT},
               {GA_BFLOAT, GA_FLOAT, GA_FLOAT, GA_FLOAT},
               {GA_BFLOAT, GA_DOUBLE, GA_DOUBLE, GA_DOUBLE},
               {GA_BOOL, GA_FLOAT, GA_FLOAT, GA_FLOAT},
               {GA_BOOL, GA_USHORT, GA_USHORT, GA_FLOAT},
               {GA_BOOL, GA_BOOL, GA_BYTE, GA_FLOAT},
               {GA_BYTE, GA_INT, GA_INT, GA_FLOAT},
               {GA_UBYTE, GA_BYTE, GA_SHORT, GA_FLOAT},
               {GA_UINT, GA_INT, GA_LONG, GA_DOUBLE},
               {GA_UINT, GA_LONG, GA_LONG, GA_DOUBLE},
               {GA_ULONG, GA_LONG, GA_LONG, GA_DOUBLE},
               {GA_ULONG, GA_UBYTE, GA_ULONG, GA_DOUBLE}};

  (void)state;
  for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
    gg_var *a = gg_input(g, "a", pairs[i].a, 1);
    gg_var *b = gg_input(g, "b", pairs[i].b, 1);
    assert_int_equal(gg_var_type(gg_add(a, b))->dtype, pairs[i].sum);
    assert_int_equal(gg_var_type(gg_add(b, a))->dtype, pairs[i].sum);
    assert_int_equal(gg_var_type(gg_div(a, b))->dtype, pairs[i].quotient);
    assert_int_equal(gg_var_type(gg_div(b, a))->dtype, pairs[i].quotient);
    assert_int_equal(gg_var_type(gg_lt(a, b))->dtype, GA_BOOL);
  }
  assert_int_equal(gg_var_type(gg_exp(gg_input(g, "i", GA_LONG, 0)))->dtype,
                   GA_FLOAT);
  assert_int_equal(gg_var_type(gg_exp(gg_input(g, "h", GA_HALF, 0)))->dtype,
                   GA_HALF);
}

static void test_cast(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1);
  double value;

  (void)state;
  assert_ptr_equal(gg_cast(x, GA_FLOAT), x);
  assert_type(gg_cast(x, GA_SSIZE), "int64[?]");
  /* Numbers change at once. */
  assert_int_equal(gg_var_uniform(gg_cast(gg_f32(g, -2.75f), GA_INT), &value),
                   1);
  assert_true(value == -2);
  /* What a double cannot hold is left to the device. */
  assert_null(gg_var_data(gg_cast(gg_i64(g, INT64_MAX - 1), GA_ULONG)));
  assert_type(gg_cast(x, GA_CDOUBLE), "complex128[?]");
  assert_null(gg_cast(x, 99));
  assert_graph_error(GA_UNSUPPORTED_ERROR,
                     "cast(float32[?]): graphs have no dtype ? (99)");
}

/* --- reductions and products --- */

static void test_reductions(void **state) {
  gg_var *x = SIZED(GA_INT, 3, GG_ANY, 5), *b = SIZED(GA_BOOL, 4);

  (void)state;
  assert_type(gg_sum(x), "int64");
  assert_type(gg_reduce(GG_SUM, x, 2, (int[]){-1, 0}, 1), "int64[1, ?, 1]");
  assert_type(gg_max_axis(x, 1), "int32[3, 5]");
  assert_type(gg_argmax_axis(x, -1), "int64[3, ?]");
  assert_type(gg_mean(x), "float32");
  assert_type(gg_mean_axis(SIZED(GA_HALF, 3, 4), 0), "float16[4]");
  assert_type(gg_sum(b), "int64");
  assert_type(gg_max(b), "bool");
  assert_type(gg_sum(SIZED(GA_UBYTE, 4)), "uint64");
  assert_type(gg_reduce(GG_ALL_OF, x, 0, NULL, 0), "bool");
  assert_type(gg_sum(gg_f32(g, 2)), "float32");
  assert_null(gg_reduce(GG_SUM, x, 2, (int[]){0, -3}, 0));
  assert_graph_error(GA_VALUE_ERROR,
                     "reduce(int32[3, ?, 5]): axis 0 is listed twice");
}

static void test_products(void **state) {
  gg_var *m = SIZED(GA_FLOAT, 3, 4), *v = SIZED(GA_FLOAT, GG_ANY);

  (void)state;
  assert_type(gg_dot(m, v), "float32[3]");
  assert_type(gg_dot(v, m), "float32[4]");
  assert_type(gg_dot(v, v), "float32");
  assert_type(gg_dot(m, SIZED(GA_DOUBLE, 4, 7)), "float64[3, 7]");
  assert_type(gg_dot(gg_f32(g, 2), m), "float32[3, 4]");
  assert_type(gg_outer(v, v), "float32[?, ?]");
  assert_null(gg_dot(m, m));
  assert_graph_error(GA_VALUE_ERROR, "dot(float32[3, 4], float32[3, 4]): "
                                     "inner sizes 4 and 3 differ");
  assert_null(gg_dot(SIZED(GA_INT, 3), SIZED(GA_INT, 3)));
  assert_graph_error(
      GA_UNSUPPORTED_ERROR,
      "dot(int32[3], int32[3]): expected a float or complex dtype");
}

static void test_classification(void **state) {
  gg_var *z = SIZED(GA_FLOAT, GG_ANY, 10), *y = SIZED(GA_INT, 32);

  (void)state;
  assert_type(gg_softmax(z), "float32[?, 10]");
  assert_type(gg_crossentropy(gg_softmax(z), y), "float32[32]");
  assert_null(gg_crossentropy(z, z));
  assert_graph_error(GA_VALUE_ERROR,
                     "crossentropy(float32[?, 10], float32[?, 10]): expected "
                     "a float matrix and a vector of integers");
  /* One row would stretch to any number of classes, and the other way round. */
  assert_type(gg_crossentropy(gg_softmax(SIZED(GA_FLOAT, 1, 10)),
                              SIZED(GA_INT, GG_ANY)),
              "float32[1]");
  assert_null(gg_crossentropy(z, SIZED(GA_INT, 1)));
  assert_graph_error(GA_VALUE_ERROR,
                     "crossentropy(float32[?, 10], int32[1]): 1 row, and so "
                     "many that it is not known to be 1");
}

static void test_int_pow(void **state) {
  gg_var *x = SIZED(GA_INT, 3);

  (void)state;
  assert_type(gg_pow(x, gg_i64(g, 3)), "int64[3]");
  assert_type(gg_pow(x, x), "int32[3]");
  assert_type(gg_pow(x, gg_neg(gg_i64(g, 65))), "int64[3]");
}

/* --- a user's op --- */

static double eval_twice(const double *x) {
  return 2 * x[0];
}

static const gg_op twice = {.name = "twice",
                            .kind = GG_OP_ELEMWISE,
                            .n_out = 1,
                            .code = &(gg_code){"(%0 + %0)", eval_twice, 1, 1}};

static int infer_split(const gg_apply *a, gg_type *out) {
  out[0] = out[1] = *gg_var_type(a->in[0]);
  if (out[0].nd == 0)
    return GA_INVALID_ERROR;
  out[1].dtype = GA_LONG;
  return GA_NO_ERROR;
}

static const gg_op two_out = {
    .name = "two_out", .kind = GG_OP_KERNEL, .n_out = 2, .infer = infer_split};

static void test_own_ops(void **state) {
  gg_var *x = SIZED(GA_INT, 3), *scalar = gg_f32(g, 1);

  (void)state;
  gg_var *y = gg_op_elemwise(&twice, NULL, 1, &x);
  assert_type(y, "int32[3]");
  assert_string_equal(gg_apply_code(gg_var_owner(y))->text, "(%0 + %0)");
  const gg_apply *a = gg_var_owner(gg_op_apply(NULL, &two_out, NULL, 1, &x));
  assert_int_equal(a->n_out, 2);
  assert_type(a->out[1], "int64[3]");
  assert_int_equal(gg_var_index(a->out[1]), 1);
  /* A failure without words still stops the graph. */
  assert_null(gg_op_apply(NULL, &two_out, NULL, 1, &scalar));
  assert_int_equal(gg_graph_status(g), GA_INVALID_ERROR);
  assert_non_null(strstr(gg_graph_error(g), "two_out(float32): "));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      BARE_TEST(test_types_print),
      BARE_TEST(test_bad_leaves),
      BARE_TEST(test_names),
      BARE_TEST(test_constants),
      BARE_TEST(test_large_constants_merge),
      BARE_TEST(test_equal_nodes_are_one),
      BARE_TEST(test_many_nodes),
      BARE_TEST(test_null_and_sticky),
      BARE_TEST(test_other_graph),
      BARE_TEST(test_broadcast),
      BARE_TEST(test_dtypes_meet),
      BARE_TEST(test_cast),
      BARE_TEST(test_reductions),
      BARE_TEST(test_products),
      BARE_TEST(test_classification),
      BARE_TEST(test_int_pow),
      BARE_TEST(test_own_ops),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
