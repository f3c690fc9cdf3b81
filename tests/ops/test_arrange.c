/* SPDX-License-Identifier: BSD-2-Clause */
/* What builders of arrangements refuse, and their gradients. NumPy judges their
 * values (numpy/arrangements.c). */
#include "support/graph_case.h"

#include <limits.h>

static void refused_code(int code, const char *message) {
  assert_int_equal(code, GA_VALUE_ERROR);
  assert_string_equal(gg_graph_error(g), message);
  gg_graph_reset_error(g);
}

static void what_does_not_fit_is_refused(void **state) {
  gg_var *const x = gg_input(g, "x", GA_FLOAT, 2);
  gg_var *const y = gg_input_sized(g, "y", GA_FLOAT, 1, (int64_t[]){5});
  gg_var *const one = gg_i64(g, 1);
  gg_var *made[4] = {x, x, x, x};

  (void)state;
  graph_refused(gg_expand_dims(x, 4),
                "expand_dims(float32[?, ?]): no axis 4 of 3");
  graph_refused(gg_squeeze(x, 0),
                "squeeze(float32[?, ?]): axis 0 is not known to "
                "have size 1");
  graph_refused(gg_moveaxis(x, 2, 0),
                "moveaxis(float32[?, ?]): there is no axis 2");
  graph_refused(gg_rot90(x, 1, 0, -2),
                "rot90(float32[?, ?]): axis 0 is given twice");
  graph_refused(gg_atleast(x, 9),
                "atleast(float32[?, ?]): 9 dimensions are more than 8");
  graph_refused(gg_tile(x, 1, (int64_t[]){-1}),
                "tile(float32[?, ?]): -1 copies");
  graph_refused(gg_repeat(x, 0, -2), "repeat(float32[?, ?]): -2 copies");
  graph_refused(gg_repeat_sizes(x, 0, x),
                "repeat(float32[?, ?]): expected an integer "
                "scalar, got float32[?, ?]");
  graph_refused(gg_pad(y, (int64_t[]){1}, (int64_t[]){1}, GG_PAD_CONSTANT, y),
                "pad(float32[5]): the value is not a scalar");
  graph_refused(gg_stack(0, 2, (gg_var *[]){x, NULL}),
                "stack(float32[?, ?], NULL): operand 1 is NULL");
  graph_refused(gg_pad(y, (int64_t[]){1}, (int64_t[]){1}, (gg_pad_mode)5, NULL),
                "pad(float32[5]): 5 is not a mode");
  graph_refused(gg_outer(x, y),
                "outer(float32[?, ?], float32[5]): expected two vectors");
  graph_refused(gg_tril(y, 0), "tril(float32[5]): expected a matrix");
  graph_refused(gg_diag(gg_input(g, "z", GA_FLOAT, 3), 0),
                "diag(float32[?, ?, ?]): expected a vector or a matrix");
  graph_refused(gg_diagonal(x, 0, 1, -1),
                "diagonal(float32[?, ?]): axis 1 is given twice");
  graph_refused(gg_trace(x, 0, 0, 2),
                "diagonal(float32[?, ?]): there is no axis 2");
  graph_refused(gg_cross(y, y, 0),
                "cross(float32[5]): axis 0: expected size 3, got 5");
  graph_refused(
      gg_kron(gg_input(g, "k", GA_INT, 5), y),
      "kron(int32[?, ?, ?, ?, ?], float32[5]): 5 dimensions are more than "
      "4");
  graph_refused(gg_vander(x, gg_i64(g, 2), 0),
                "vander(float32[?, ?]): expected a vector");
  graph_refused(
      gg_outer_of(gg_add, gg_input(g, "l", GA_INT, 7),
                  gg_input(g, "m", GA_BOOL, 2)),
      "outer_of(int32[?, ?, ?, ?, ?, ?, ?], bool[?, ?]): 9 dimensions are "
      "more than 8");
  refused_code(gg_divmod(x, NULL, made),
               "divmod(float32[?, ?], NULL): operand 1 is NULL");
  refused_code(gg_divmod(x, y, NULL), "divmod(float32[?, ?], float32[5]): no "
                                      "list for the results");
  graph_refused(gg_pad(y, NULL, (int64_t[]){1}, GG_PAD_EDGE, NULL),
                "pad(float32[5]): the list `before` is NULL");
  graph_refused(
      gg_pad(y, (int64_t[]){0}, (int64_t[]){INT64_MIN}, GG_PAD_EDGE, NULL),
      "pad(float32[5]): -9223372036854775808 elements cannot be added");
  graph_refused(gg_pad_sizes(y, &y, NULL, GG_PAD_EDGE, NULL),
                "pad(float32[5]): the list `after` is NULL");
  graph_refused(gg_outer_of(NULL, y, y),
                "outer_of(float32[5], float32[5]): the builder is NULL");
  graph_refused(gg_diag(x, INT64_MIN),
                "diag(float32[?, ?]): there is no diagonal "
                "-9223372036854775808");
  graph_refused(gg_diagonal(x, INT64_MIN, 0, 1),
                "diagonal(float32[?, ?]): there is no diagonal "
                "-9223372036854775808");
  refused_code(gg_split(y, 0, 2, made),
               "split(float32[5]): axis 0 of size 5 is not 2 equal parts");
  assert_null(made[0]);
  assert_null(made[1]);
  refused_code(gg_split_at(y, 1, 2, (int64_t[]){1, 2}, made),
               "split_at(float32[5]): there is no axis 1");
  assert_null(made[2]);
  assert_ptr_equal(made[3], x);
  refused_code(gg_split_bounds(y, -2, 1, (gg_var *[]){one}, made),
               "split_bounds(float32[5]): there is no axis -2");
  refused_code(gg_split_bounds(y, 0, 2, (gg_var *[]){one, NULL}, made),
               "split_bounds(float32[5]): bound 1 is NULL");
  refused_code(gg_split_bounds(y, 0, 1, (gg_var *[]){y}, made),
               "split_bounds(float32[5]): expected an integer scalar, got "
               "float32[5]");
  assert_null(made[1]);
  graph_refused(gg_tril_at(y, one), "tril(float32[5]): expected a matrix");
  graph_refused(gg_triu_at(x, y),
                "triu(float32[?, ?]): expected an integer scalar, got "
                "float32[5]");
  graph_refused(gg_eye_at(one, one, NULL, GA_FLOAT),
                "eye(int64, NULL): operand 1 is NULL");
  made[0] = made[1] = x;
  refused_code(gg_meshgrid(2, (gg_var *[]){y, x}, 0, made),
               "meshgrid(float32[?, ?]): expected up to 8 vectors");
  assert_null(made[0]);
  assert_null(made[1]);
}

static void parts_that_differ_are_found_in_the_call(void **state) {
  gg_var *const x = gg_input(g, "x", GA_FLOAT, 1);
  gg_var *part[2];

  (void)state;
  assert_ok(gg_split(x, 0, 2, part));
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x), .outputs = GG_VARS(part[1])});
  float_vector(&a, 4, (float[]){1, 2, 3, 4});
  assert_ok(gg_func_call(f, (GpuArray *[]){&a}, (GpuArray *[]){&out}));
  assert_floats(&out, (float[]){3, 4}, 2);
  GpuArray_clear(&a);
  float_vector(&a, 3, (float[]){1, 2, 3});
  assert_code(GA_VALUE_ERROR,
              gg_func_call(f, (GpuArray *[]){&a}, (GpuArray *[]){&out2}));
  assert_message(GA_VALUE_ERROR, "dim 0: expected 2, got 3");
  gg_func_free(f);
}

/* Bounds that the call has, one of them beyond the axis, and constant ones. */
static void parts_are_where_the_call_says(void **state) {
  gg_var *const x = gg_input_sized(g, "x", GA_FLOAT, 1, (int64_t[]){4});
  gg_var *const n = gg_input(g, "n", GA_LONG, 0);
  const int64_t three = 3;
  gg_var *part[3], *known[3];

  (void)state;
  assert_ok(gg_split_bounds(x, 0, 2, (gg_var *[]){gg_i64(g, 1), gg_i64(g, -1)},
                            known));
  assert_int_equal(gg_var_type(known[1])->dims[0], 2);
  assert_ok(gg_split_bounds(x, 0, 2, (gg_var *[]){n, gg_mul(n, n)}, part));
  gg_func *f =
      func_make(g, &(gg_func_spec){.inputs = GG_VARS(x, n),
                                   .outputs = GG_VARS(part[0], part[1])});
  float_vector(&a, 4, (float[]){1, 2, 3, 4});
  test_array(&b, GA_LONG, 0, NULL, &three);
  func_run(f, (GpuArray *[]){&a, &b}, (GpuArray *[]){&out, &out2});
  assert_floats(&out, (float[]){1, 2, 3}, 3);
  assert_floats(&out2, (float[]){4}, 1);
  gg_func_free(f);
}

/* Without the end at the first empty one this would take hours. */
static void differences_end_when_nothing_is_left(void **state) {
  gg_var *const x = gg_input_sized(g, "x", GA_FLOAT, 2, (int64_t[]){2, 3});
  gg_var *const y = gg_diff(x, -1, UINT_MAX);

  (void)state;
  assert_non_null(y);
  assert_int_equal(gg_var_type(y)->dims[0], 2);
  assert_int_equal(gg_var_type(y)->dims[1], 0);
}

/* Positions beyond what float16 can count or hold. */
static void narrow_lines_have_exact_positions(void **state) {
  gg_var *const zero = gg_scalar(g, GA_HALF, 0);
  gg_var *const y =
      gg_linspace(zero, gg_scalar(g, GA_HALF, 1), gg_i64(g, 70001));
  gg_var *const z =
      gg_linspace(zero, gg_scalar(g, GA_HALF, 4096), gg_i64(g, 2050));
  gg_var *const at[4] = {gg_index(y, 0, -1), gg_index(y, 0, 35000),
                         gg_index(z, 0, -1), gg_index(z, 0, 1025)};

  (void)state;
  assert_int_equal(gg_var_type(y)->dtype, GA_HALF);
  gg_func *f =
      func_make(g, &(gg_func_spec){.outputs = GG_VARS(
                                       gg_cast(gg_stack(0, 4, at), GA_FLOAT))});
  func_run(f, NULL, (GpuArray *[]){&out});
  assert_floats(&out, (float[]){1, 0.5f, 4096, 2048}, 4);
  gg_func_free(f);
}

static void has_gradient(gg_var *y, gg_var *x) {
  assert_ok(gg_check_gradient(y, 1, &x, (GpuArray *[]){&a}, 0, 0));
}

static void gradients_are_those_of_differences(void **state) {
  static const float values[6] = {1, -2, 3, 0.5f, 2, -1};
  const int64_t two[2] = {2, 3}, pads[2] = {2, 1};
  gg_var *const x = gg_input(g, "x", GA_FLOAT, 2);

  (void)state;
  float_array(&a, 2, (size_t[]){2, 3}, values);
  has_gradient(gg_tile(x, 2, two), x);
  has_gradient(gg_repeat(x, 1, 3), x);
  has_gradient(gg_roll(x, 1, 1), x);
  has_gradient(gg_pad(x, pads, two, GG_PAD_CONSTANT, NULL), x);
  has_gradient(gg_pad(x, pads, two, GG_PAD_REFLECT, NULL), x);
  has_gradient(gg_diff(x, 1, 1), x);
  has_gradient(gg_triu(x, 0), x);
  has_gradient(gg_diag(x, 1), x);
  has_gradient(gg_diag(gg_flatten(x), -1), x);
  has_gradient(gg_rot90(x, 1, 0, 1), x);
  has_gradient(gg_diagonal(x, 1, 1, 0), x);
  has_gradient(gg_kron(x, x), x);
  has_gradient(gg_cross(x, gg_sqr(x), 1), x);
  has_gradient(gg_outer_of(gg_mul, x, gg_sqr(x)), x);
}

static void pads_remove_no_more_than_there_is(void **state) {
  gg_var *y = gg_input_sized(g, "y", GA_FLOAT, 1, (int64_t[]){5});

  (void)state;
  graph_refused(
      gg_pad(y, (int64_t[]){-4}, (int64_t[]){-2}, GG_PAD_CONSTANT, NULL),
      "pad(float32[5]): dim 0 has 5 elements, expected 6: as many as are "
      "removed, or more");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(what_does_not_fit_is_refused, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(pads_remove_no_more_than_there_is,
                                      graph_setup, graph_teardown),
      cmocka_unit_test_setup_teardown(differences_end_when_nothing_is_left,
                                      graph_setup, graph_teardown),
      cmocka_unit_test_setup_teardown(parts_that_differ_are_found_in_the_call,
                                      graph_setup, graph_teardown),
      cmocka_unit_test_setup_teardown(parts_are_where_the_call_says,
                                      graph_setup, graph_teardown),
      cmocka_unit_test_setup_teardown(narrow_lines_have_exact_positions,
                                      graph_setup, graph_teardown),
      cmocka_unit_test_setup_teardown(gradients_are_those_of_differences,
                                      graph_setup, graph_teardown),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
