/* SPDX-License-Identifier: BSD-2-Clause */
/* Building graphs: sizes, views, slices, joins and fills, and what is said when
 * something does not fit. No device. */
#include <gpugraph/gather.h>

#include "graph/bare_graph.h"

static void test_sizes(void **state) {
  gg_var *x = SIZED(GA_FLOAT, 3, GG_ANY), *y = SIZED(GA_FLOAT, 3, 4);
  double value;

  (void)state;
  assert_type(gg_shape(x, 1), "int64");
  assert_int_equal(gg_var_uniform(gg_shape(x, 0), &value), 1);
  assert_true(value == 3);
  assert_type(gg_size(x), "int64");
  assert_int_equal(gg_var_uniform(gg_size(y), &value), 1);
  assert_true(value == 12);
  assert_null(gg_shape(x, 2));
  assert_graph_error(GA_VALUE_ERROR,
                     "shape(float32[3, ?]): there is no axis 2");
  assert_null(gg_shape(x, -3));
  assert_graph_error(GA_VALUE_ERROR,
                     "shape(float32[3, ?]): there is no axis -3");
  assert_type(gg_positions(x, 1), "int64[3, ?]");
}

static void test_dimshuffle(void **state) {
  gg_var *x = SIZED(GA_FLOAT, 3, 1, GG_ANY);

  (void)state;
  gg_var *t = gg_dimshuffle(x, 3, (int[]){2, -1, 0});
  assert_type(t, "float32[?, 1, 3]");
  /* Two in a row are one, and a round trip is nothing. */
  assert_ptr_equal(gg_dimshuffle(t, 3, (int[]){2, 1, 0}), x);
  assert_ptr_equal(gg_transpose(gg_transpose(x)), x);
  assert_ptr_equal(gg_dimshuffle(x, 3, (int[]){0, 1, 2}), x);
  assert_null(gg_dimshuffle(x, 2, (int[]){0, 1}));
  assert_graph_error(GA_VALUE_ERROR,
                     "dimshuffle(float32[3, 1, ?]): axis 2 cannot be dropped: "
                     "it is not known to be 1");
  assert_null(gg_dimshuffle(x, 3, (int[]){0, 0, 2}));
  assert_graph_error(GA_VALUE_ERROR,
                     "dimshuffle(float32[3, 1, ?]): axis 0 is used twice");
  assert_null(gg_dimshuffle(x, 1, (int[]){3}));
  assert_graph_error(GA_VALUE_ERROR,
                     "dimshuffle(float32[3, 1, ?]): there is no axis 3");
}

/* The text of a node's properties. */
static void assert_shown(const gg_var *v, const char *want) {
  char buf[64] = "";

  gg_var_owner(v)->op->print(gg_var_owner(v), buf, sizeof buf);
  assert_string_equal(buf, want);
}

/* Axes that look alike, and the most axes. */
static void test_dimshuffle_limits(void **state) {
  gg_var *x = SIZED(GA_FLOAT, 3, 1, GG_ANY), *ones = SIZED(GA_FLOAT, 1, 1);
  gg_var *most = SIZED(GA_FLOAT, 1, 2, 3, 4, 5, 6, 7, 8);
  const int ten[10] = {0};

  (void)state;
  assert_ptr_equal(gg_dimshuffle(x, 3, (int[]){0, -1, 2}), x);
  assert_ptr_not_equal(gg_dimshuffle(ones, 2, (int[]){1, 0}), ones);
  assert_ptr_not_equal(gg_dimshuffle(ones, 2, (int[]){-1, 0}), ones);
  assert_type(gg_transpose(most), "float32[8, 7, 6, 5, 4, 3, 2, 1]");
  assert_type(gg_dimshuffle(ones, 0, NULL), "float32");
  assert_null(gg_dimshuffle(x, 9, ten));
  assert_graph_error(GA_VALUE_ERROR, "dimshuffle(float32[3, 1, ?]): 9 "
                                     "dimensions are more than 8");
  assert_shown(gg_dimshuffle(x, 3, (int[]){2, -1, 0}), "2 x 0");
  assert_shown(gg_dimshuffle(x, 4, (int[]){-1, 0, 1, 2}), "x 0 1 2");
  /* Any negative axis is a new one; what is behind the list does not count. */
  assert_ptr_equal(gg_dimshuffle(x, 4, (int[]){-7, 0, 1, 2, 1}),
                   gg_dimshuffle(x, 4, (int[]){-1, 0, 1, 2, -1}));
  assert_null(gg_dimshuffle(NULL, 1, ten));
  assert_null(gg_transpose(NULL));
  assert_null(gg_size(NULL));
}

static void test_reshape(void **state) {
  gg_var *x = SIZED(GA_FLOAT, 3, 4), *y = SIZED(GA_FLOAT, 3, GG_ANY);

  (void)state;
  assert_type(gg_reshape(x, 3, (int64_t[]){2, -1, 3}), "float32[2, 2, 3]");
  assert_type(gg_reshape(y, 2, (int64_t[]){-1, 5}), "float32[?, 5]");
  assert_type(gg_reshape(SIZED(GA_FLOAT, 1, 1), 0, NULL), "float32");
  assert_type(gg_flatten(y), "float32[?]");
  gg_var *row = SIZED(GA_FLOAT, GG_ANY);
  assert_ptr_equal(gg_flatten(row), row);
  assert_type(gg_reshape(x, 8, (int64_t[]){1, 1, 3, 1, 2, 1, 2, 1}),
              "float32[1, 1, 3, 1, 2, 1, 2, 1]");
  assert_null(gg_reshape(x, 9, (int64_t[]){1, 1, 3, 1, 2, 1, 2, 1, 1}));
  assert_graph_error(GA_VALUE_ERROR,
                     "reshape(float32[3, 4]): 9 dimensions are more than 8");
  assert_null(gg_reshape(x, 2, (int64_t[]){5, -1}));
  assert_graph_error(GA_VALUE_ERROR, "reshape(float32[3, 4]): 12 elements do "
                                     "not divide by 5");
  assert_null(gg_reshape(x, 2, (int64_t[]){5, 2}));
  assert_graph_error(GA_VALUE_ERROR,
                     "reshape(float32[3, 4]): 12 elements do not fill 10");
  assert_null(gg_reshape(x, 2, (int64_t[]){0, 5}));
  assert_graph_error(GA_VALUE_ERROR,
                     "reshape(float32[3, 4]): 12 elements do not fill 0");
  assert_null(gg_reshape(x, 2, (int64_t[]){0, -1}));
  assert_graph_error(GA_VALUE_ERROR,
                     "reshape(float32[3, 4]): 12 elements do not divide by 0");
  assert_null(gg_reshape(SIZED(GA_FLOAT, 0, 4), 1, (int64_t[]){5}));
  assert_graph_error(GA_VALUE_ERROR,
                     "reshape(float32[0, 4]): 0 elements do not fill 5");
  assert_null(gg_reshape(x, 2, (int64_t[]){-1, -1}));
  assert_graph_error(GA_VALUE_ERROR,
                     "reshape(float32[3, 4]): dim 1: -1: one size may be -1, "
                     "others must be sizes");
}

static void test_specify_shape(void **state) {
  gg_var *x = SIZED(GA_FLOAT, 3, GG_ANY);

  (void)state;
  gg_var *row = gg_specify_shape(x, (int64_t[]){GG_ANY, 1});
  assert_type(row, "float32[3, 1]");
  /* It broadcasts. */
  assert_type(gg_add(row, SIZED(GA_FLOAT, 3, 5)), "float32[3, 5]");
  assert_ptr_equal(gg_specify_shape(x, (int64_t[]){3, GG_ANY}), x);
  assert_ptr_equal(gg_specify_shape(row, (int64_t[]){3, 1}), row);
  assert_null(gg_specify_shape(x, (int64_t[]){4, 1}));
  assert_graph_error(GA_VALUE_ERROR,
                     "specify_shape(float32[3, ?]): dim 0: expected 4, got 3");
  assert_null(gg_specify_shape(x, (int64_t[]){GG_ANY, -2}));
  assert_graph_error(GA_VALUE_ERROR,
                     "specify_shape(float32[3, ?]): dim 1: -2 is not a size");
}

static void test_slices(void **state) {
  gg_var *x = SIZED(GA_FLOAT, 10, GG_ANY);

  (void)state;
  assert_type(gg_slice(x, 0, 2, -1, 3), "float32[3, ?]");
  assert_type(gg_slice(x, 0, -100, 100, 1), "float32[10, ?]");
  assert_type(gg_slice(x, 0, GG_END, GG_END, -3), "float32[4, ?]");
  assert_type(gg_slice(x, 0, 5, 2, 1), "float32[0, ?]");
  assert_type(gg_slice(x, -1, 0, 1, 1), "float32[10, ?]");
  assert_ptr_equal(gg_slice(x, 0, GG_END, GG_END, 1), x);
  assert_null(gg_slice(x, 0, 0, 1, 0));
  assert_graph_error(GA_VALUE_ERROR,
                     "slice(float32[10, ?]): the step must not be 0");
  assert_type(gg_index(x, 0, -10), "float32[?]");
  assert_type(gg_index(x, 1, 3), "float32[10]");
  assert_null(gg_index(x, 0, 10));
  assert_graph_error(GA_VALUE_ERROR,
                     "index(float32[10, ?]): index 10 is outside of size 10");
}

static void test_join_and_take(void **state) {
  gg_var *x = SIZED(GA_FLOAT, 3, 4), *y = SIZED(GA_DOUBLE, GG_ANY, 2);
  gg_var *z = SIZED(GA_FLOAT, 2, 4), *i = SIZED(GA_USHORT, 7);

  (void)state;
  assert_type(gg_join(1, 2, (gg_var *[]){x, y}), "float64[3, 6]");
  assert_type(gg_join(0, 2, (gg_var *[]){x, z}), "float32[5, 4]");
  assert_ptr_equal(gg_join(0, 1, &x), x);
  assert_null(gg_join(-1, 2, (gg_var *[]){x, z}));
  assert_graph_error(GA_VALUE_ERROR, "join(float32[3, 4], float32[2, 4]): dim "
                                     "0: operand 1 has 2, others 3");
  assert_type(gg_take(x, i), "float32[7, 4]");
  assert_null(gg_take(gg_f32(g, 0), i));
  assert_graph_error(GA_VALUE_ERROR,
                     "take(float32, uint16[7]): expected rows and a vector of "
                     "integers");
  assert_null(gg_put_with(x, 0, i, x, (gg_put_op)9));
  assert_graph_error(GA_VALUE_ERROR,
                     "put(float32[3, 4], uint16[7]): unknown operation 9");
  assert_null(gg_put_with(x, 0, i, x, (gg_put_op)-1));
  assert_graph_error(GA_VALUE_ERROR,
                     "put(float32[3, 4], uint16[7]): unknown operation -1");
  gg_var *c = SIZED(GA_CFLOAT, 7);
  assert_non_null(gg_put_with(c, 0, i, c, GG_PUT_SET));
  assert_non_null(gg_put_with(c, 0, i, c, GG_PUT_ADD));
  for (int how = GG_PUT_MUL; how <= GG_PUT_MIN; how++) {
    assert_null(gg_put_with(c, 0, i, c, (gg_put_op)how));
    assert_graph_error(GA_UNSUPPORTED_ERROR,
                       "put(complex64[7], uint16[7], complex64[7]): complex64 "
                       "has no products and extrema by index");
  }
  assert_null(gg_take(x, z));
  assert_graph_error(GA_VALUE_ERROR,
                     "take(float32[3, 4], float32[2, 4]): expected rows and a "
                     "vector of integers");
}

static void test_filling(void **state) {
  gg_var *x = SIZED(GA_INT, 3, GG_ANY);

  (void)state;
  assert_type(gg_fill(x, gg_f32(g, 2)), "float32[3, ?]");
  assert_type(gg_zeros_like(x), "int32[3, ?]");
  assert_type(gg_fill(x, SIZED(GA_FLOAT, 5)), "float32[3, 5]");
  gg_var *open = SIZED(GA_FLOAT, 3, GG_ANY), *known = SIZED(GA_FLOAT, 3, 4);
  assert_ptr_not_equal(gg_fill(x, open), open); /* sizes may differ */
  assert_ptr_equal(gg_fill(SIZED(GA_FLOAT, 3, 4), known), known);
  assert_null(gg_fill(gg_f32(g, 0), SIZED(GA_FLOAT, 5)));
  assert_graph_error(GA_VALUE_ERROR, "fill(float32, float32[5]): the value "
                                     "has more dimensions");
  assert_null(gg_fill(SIZED(GA_FLOAT, 1), SIZED(GA_FLOAT, 5)));
  assert_graph_error(GA_VALUE_ERROR,
                     "fill(float32[1], float32[5]): dim 0 of the value does "
                     "not shrink to 1");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      BARE_TEST(test_sizes),
      BARE_TEST(test_dimshuffle),
      BARE_TEST(test_dimshuffle_limits),
      BARE_TEST(test_reshape),
      BARE_TEST(test_specify_shape),
      BARE_TEST(test_slices),
      BARE_TEST(test_join_and_take),
      BARE_TEST(test_filling),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
