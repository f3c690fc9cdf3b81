/* SPDX-License-Identifier: BSD-2-Clause */
/* Vectors of sizes while a graph is built: constants among their elements, and
 * what is refused. */
#include "support/graph_case.h"

static gg_var *vector(unsigned int n, const int64_t *v) {
  const size_t size = n;

  return gg_constant(g, GA_LONG, 1, &size, v);
}

/* --- constants --- */

static int infer_number(const gg_apply *apply, gg_type *t) {
  (void)apply;
  t->dtype = GA_LONG;
  return GA_NO_ERROR;
}

/* Many more than the code of a map can have. */
static void nodes_with_many_constants_are_left_alone(void **state) {
  static const gg_op op = {
      .name = "many", .kind = GG_OP_PERFORM, .n_out = 1, .infer = infer_number};
  gg_var *in[200];

  (void)state;
  for (int64_t i = 0; i < 200; i++)
    in[i] = gg_i64(g, i);
  gg_var *const many = gg_op_apply(NULL, &op, NULL, 200, in);
  gg_var *const pair = gg_vector(2, (gg_var *[]){many, in[3]});
  assert_non_null(pair);
  assert_non_null(gg_element(gg_sum(pair), 0));
}

static void elements_are_rounded_as_by_kernels(void **state) {
  static const int64_t big = ((int64_t)1 << 40) + 1;
  static const uint16_t halfs[3] = {0x6800, 0x3c00, 0x3c00}; /* 2048, 1, 1 */
  const size_t n = 3;
  double value = 0;

  (void)state;
  gg_var *v = gg_element(gg_sum(gg_constant(g, GA_HALF, 1, &n, halfs)), 0);
  assert_true(gg_var_uniform(v, &value));
  assert_true(value == 2050);
  /* The product has too many digits for a double. */
  v = gg_element(gg_mul(vector(1, &big), vector(1, &big)), 0);
  assert_false(gg_var_uniform(v, &value));
}

static void large_unsigned_constants_are_exact(void **state) {
  const uint64_t last = ((uint64_t)1 << 53) + 1, beyond = (uint64_t)1 << 63;
  gg_var *list[2] = {gg_constant(g, GA_ULONG, 0, NULL, &last), gg_i64(g, 1)};
  const int64_t want[2] = {(int64_t)last, 1};

  (void)state;
  assert_memory_equal(gg_var_data(gg_vector(2, list)), want, sizeof want);
  list[0] = gg_constant(g, GA_ULONG, 0, NULL, &beyond);
  assert_null(gg_vector(2, list));
  assert_string_equal(gg_graph_error(g),
                      "vector(uint64): 9223372036854775808 is beyond int64");
  gg_graph_reset_error(g);
}

/* Calls refuse the reshape. */
static void no_element_lies_behind_a_constant(void **state) {
  const int64_t two[2] = {7, 8};
  gg_var *const sizes[1] = {gg_i64(g, 40)};
  gg_var *const y = gg_reshape_sizes(vector(2, two), 1, sizes);
  double value;

  (void)state;
  if (y == NULL)
    gg_graph_reset_error(g);
  else
    assert_false(gg_var_uniform(gg_element(y, 39), &value));
}

/* --- what is refused --- */

static void what_is_no_vector_is_refused(void **state) {
  gg_var *const x = gg_input(g, "x", GA_FLOAT, 3), *const n = gg_i64(g, 2);
  gg_var *v = gg_shape_vector(x), *list[65];

  (void)state;
  for (int i = 0; i < 65; i++)
    list[i] = n;
  graph_refused(gg_vector(65, list),
                "vector(int64): 65 elements are more than 64");
  graph_refused(gg_vector(2, (gg_var *[]){n, NULL}),
                "vector(int64, NULL): operand 1 is NULL");
  graph_refused(gg_vector(1, (gg_var *[]){x}),
                "vector(float32[?, ?, ?]): expected an integer scalar, got "
                "float32[?, ?, ?]");
  graph_refused(gg_element(v, 3),
                "element(int64[3]): there is no element 3 of 3");
  assert_int_equal(gg_elements(v, 2, list), GA_VALUE_ERROR);
  graph_refused(list[0], "elements(int64[3]): expected 2 elements, got 3");
  assert_int_equal(gg_elements(x, 2, list), GA_VALUE_ERROR);
  graph_refused(list[1],
                "elements(float32[?, ?, ?]): expected a vector of integers, "
                "got float32[?, ?, ?]");
  graph_refused(gg_reshape_vector(x, gg_input(g, "v", GA_LONG, 1)),
                "reshape_vector(int64[?]): the vector's size is unknown; "
                "gg_specify_shape tells it");
  graph_refused(gg_alloc_vector(x, gg_vector(9, list + 2)),
                "alloc_vector(int64[9]): 9 dimensions are more than 8");
  graph_refused(gg_tile_vector(x, NULL),
                "tile_vector(float32[?, ?, ?], NULL): operand 1 is NULL");
  graph_refused(
      gg_pad_vector(x, vector(2, (int64_t[]){1, 2}), NULL, GG_PAD_EDGE, NULL),
      "pad_vector(float32[?, ?, ?]): expected vectors of 3 elements, got "
      "2");
  graph_refused(gg_slice_vector(x, (int[]){1, 1, -2}, v, v, NULL),
                "slice_sizes(float32[?, ?, ?]): axis 1 is given twice");
  graph_refused(gg_broadcast_sizes(x, 1, (gg_var *[]){NULL}),
                "broadcast_sizes(float32[?, ?, ?]): size 0 is NULL");
  graph_refused(
      gg_broadcast_sizes(x, 1, &x),
      "broadcast_sizes(float32[?, ?, ?]): expected an integer scalar, got "
      "float32[?, ?, ?]");
  graph_refused(gg_pad_sizes(x, (gg_var *[]){x, n, n}, (gg_var *[]){n, n, n},
                             GG_PAD_EDGE, NULL),
                "pad(float32[?, ?, ?]): expected an integer scalar, got "
                "float32[?, ?, ?]");
  assert_null(gg_vector(0, NULL));
  assert_null(gg_shape_vector(NULL));
  assert_null(gg_element(NULL, 0));
  assert_int_equal(gg_elements(v, 3, NULL), GA_VALUE_ERROR);
  graph_refused(NULL, "elements(int64[3]): no list for 3 elements");
  assert_int_equal(gg_elements(NULL, 1, &v), GA_VALUE_ERROR);
  assert_null(v);
}

#define TEST(t) cmocka_unit_test_setup_teardown(t, graph_setup, graph_teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(nodes_with_many_constants_are_left_alone),
      TEST(elements_are_rounded_as_by_kernels),
      TEST(large_unsigned_constants_are_exact),
      TEST(no_element_lies_behind_a_constant),
      TEST(what_is_no_vector_is_refused),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
