/* SPDX-License-Identifier: BSD-2-Clause */
/* Indices of several items: gradients, kernels, what is refused when a graph is
 * built and in a call. The table of cases (cases.c) and NumPy
 * (numpy/indices.c) judge values. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "support/graph_case.h"

static gg_var *x, *i, *j, *mask;

static int setup(void **state) {
  const int err = graph_setup(state);

  if (err != 0)
    return err;
  x = gg_input_sized(g, "x", GA_FLOAT, 3, (int64_t[]){3, GG_ANY, 4});
  i = gg_input_sized(g, "i", GA_LONG, 2, (int64_t[]){2, 1});
  j = gg_input_sized(g, "j", GA_INT, 1, (int64_t[]){3});
  mask = gg_input_sized(g, "m", GA_BOOL, 2, (int64_t[]){GG_ANY, 4});
  return 0;
}

static const size_t x_dims[3] = {3, 2, 4};
static const float from_1[24] = {1,  2,  3,  4,  5,  6,  7,  8,
                                 9,  10, 11, 12, 13, 14, 15, 16,
                                 17, 18, 19, 20, 21, 22, 23, 24};
static const int64_t i_data[2] = {0, -1};
static const int32_t j_data[3] = {3, 0, -2};
static const uint8_t mask_data[8] = {0, 1, 0, 0, 1, 0, 0, 1};

/* --- what is selected --- */

/* In x[i, :, j] the axis of the slice comes last. */
static void arrays_apart_come_first(void **state) {
  gg_var *const y =
      gg_index_take(x, GG_ITEMS(gg_item_of(i), gg_item_all(), gg_item_of(j)));
  gg_func *f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(x, i, j),
                                            .outputs = GG_VARS(gg_neg(y))});
  float want[12];

  (void)state;
  for (int r = 0; r < 2; r++)
    for (int c = 0; c < 3; c++)
      for (int k = 0; k < 2; k++)
        want[(r * 3 + c) * 2 + k] =
            -from_1[(r * 2 * 2 + k) * 4 + (j_data[c] + 4) % 4];
  float_array(&a, 3, x_dims, from_1);
  test_array(&b, GA_LONG, 2, (size_t[]){2, 1}, i_data);
  test_array(&out2, GA_INT, 1, (size_t[]){3}, j_data);
  func_run(f, (GpuArray *[]){&a, &b, &out2}, (GpuArray *[]){&out});
  assert_int_equal(out.nd, 3);
  assert_int_equal(out.dimensions[2], 2);
  assert_floats(&out, want, 12);
  /* The large map reads x by index; the others are small ones of indices. */
  char *text = func_text(f);
  assert_non_null(strstr(text, "map{add, take, neg}"));
  assert_int_equal(func_stats(f).steps, 4);
  free(text);
  gg_func_free(f);
}

/* A value for all elements of a mask needs neither their number nor a wait. */
static void a_mask_takes_a_value_in_a_map(void **state) {
  gg_var *const y = gg_index_put(x, GG_ITEMS(gg_item_all(), gg_item_of(mask)),
                                 gg_f32(g, 0), GG_PUT_SET);
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x, mask), .outputs = GG_VARS(y)});
  float want[24];

  (void)state;
  for (int k = 0; k < 24; k++)
    want[k] = mask_data[k % 8] ? 0 : from_1[k];
  float_array(&a, 3, x_dims, from_1);
  test_array(&b, GA_BOOL, 2, x_dims + 1, mask_data);
  func_run(f, (GpuArray *[]){&a, &b}, (GpuArray *[]){&out});
  assert_floats(&out, want, 24);
  assert_int_equal(func_stats(f).steps, 1);
  gg_func_free(f);
}

/* A position that the device computes: no wait, no copy of x. */
static void scalars_are_positions(void **state) {
  gg_var *const v = gg_input(g, "v", GA_FLOAT, 2);
  gg_var *const best = gg_argmax_axis(gg_flatten(gg_index(v, 0, 0)), 0);
  gg_var *const y =
      gg_index_take(v, GG_ITEMS(gg_item_rest(), gg_item_of(best)));
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(v), .outputs = GG_VARS(y)});

  (void)state;
  float_array(&a, 2, (size_t[]){2, 3}, (float[]){1, 9, 2, 4, 5, 6});
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out});
  assert_int_equal(out.nd, 1);
  assert_floats(&out, (float[]){9, 5}, 2);
  gg_func_free(f);
}

/* --- derivatives --- */

static void gradients_are_those_of_differences(void **state) {
  gg_var *const v = gg_input(g, "v", GA_FLOAT, 2);
  gg_var *y[3];
  GpuArray c = {0};

  (void)state;
  i = gg_constant(g, GA_LONG, 2, (size_t[]){2, 1}, i_data);
  j = gg_constant(g, GA_INT, 1, (size_t[]){3}, j_data);
  mask = gg_constant(g, GA_BOOL, 2, x_dims + 1, mask_data);
  y[0] = gg_sum(gg_sqr(gg_index_take(
      x, GG_ITEMS(gg_item_of(i), gg_item_slice(GG_END, GG_END, -1),
                  gg_item_new(), gg_item_of(j)))));
  y[1] = gg_sum(gg_sqr(
      gg_index_put(x, GG_ITEMS(gg_item_at(-1), gg_item_all(), gg_item_of(j)), v,
                   GG_PUT_SET)));
  y[2] = gg_sum(gg_sqr(gg_index_put(
      x, GG_ITEMS(gg_item_of(i), gg_item_all(), gg_item_slice(0, 3, 1)),
      gg_transpose(v), GG_PUT_ADD)));
  float_array(&a, 3, x_dims, from_1);
  float_array(&c, 2, (size_t[]){3, 2}, from_1);
  assert_ok(gg_check_gradient(gg_stack(0, 3, y), 2, (gg_var *[]){x, v},
                              (GpuArray *[]){&a, &c}, 0, 0));
  GpuArray_clear(&c);
}

/* x repeats along an axis, before or behind that of the indices. */
static void gradients_of_what_repeats(void **state) {
  static const int64_t at[24] = {0, 2, 1, 0, 0, 1, 2, -1, 1, 2, 0, 1,
                                 1, 1, 2, 0, 0, 2, 1, 1,  0, 2, 1, 0};
  gg_var *const behind =
      gg_input_sized(g, "p", GA_FLOAT, 3, (int64_t[]){2, 3, 1});
  gg_var *const before =
      gg_input_sized(g, "q", GA_FLOAT, 3, (int64_t[]){1, 3, 3});
  gg_var *const index = gg_constant(g, GA_LONG, 3, (size_t[]){2, 4, 3}, at);
  gg_var *const y[2] = {gg_sum(gg_sqr(gg_take_along(behind, 1, index))),
                        gg_sum(gg_sqr(gg_take_along(before, 1, index)))};
  GpuArray c = {0};

  (void)state;
  float_array(&a, 3, (size_t[]){2, 3, 1}, from_1);
  float_array(&c, 3, (size_t[]){1, 3, 3}, from_1);
  assert_ok(gg_check_gradient(gg_stack(0, 2, y), 2,
                              (gg_var *[]){behind, before},
                              (GpuArray *[]){&a, &c}, 0, 0));
  GpuArray_clear(&c);
}

static void directions_are_taken_along(void **state) {
  gg_var *const v = gg_input(g, "v", GA_FLOAT, 2);
  gg_var *const d = gg_input(g, "d", GA_FLOAT, 2);
  gg_var *const at = gg_constant(g, GA_LONG, 1, (size_t[]){2}, i_data);
  gg_var *y =
             gg_sqr(gg_index_take(v, GG_ITEMS(gg_item_of(at), gg_item_of(at)))),
         *dy;

  (void)state;
  assert_ok(gg_rop(&dy, 1, &y, 1, &v, &d));
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(v, d), .outputs = GG_VARS(dy)});
  float_array(&a, 2, (size_t[]){2, 2}, (float[]){1, 2, 3, 4});
  float_array(&b, 2, (size_t[]){2, 2}, (float[]){10, 20, 30, 40});
  func_run(f, (GpuArray *[]){&a, &b}, (GpuArray *[]){&out});
  assert_floats(&out, (float[]){20, 320}, 2);
  gg_func_free(f);
}

/* --- values that are put --- */

/* What debug mode computes on the host, too. An element that is NaN stays NaN
 * in extrema. */
static void odd_values_are_put(void **state) {
  static const int32_t at[3] = {0, 1, -2};
  static const float values[3] = {5, 5, -5};
  static const float want[][4] = {[GG_PUT_SET] = {5, 5, -5, 4},
                                  [GG_PUT_ADD] = {6, NAN, -2, 4},
                                  [GG_PUT_MUL] = {5, NAN, -15, 4},
                                  [GG_PUT_MAX] = {5, NAN, 3, 4},
                                  [GG_PUT_MIN] = {1, NAN, -5, 4}};
  gg_var *const v = gg_input(g, "v", GA_FLOAT, 1);
  gg_var *const k = gg_input(g, "k", GA_INT, 1);
  gg_var *const w = gg_input(g, "w", GA_FLOAT, 1);

  (void)state;
  float_vector(&a, 4, (float[]){1, NAN, 3, 4});
  test_array(&b, GA_INT, 1, (size_t[]){3}, at);
  float_vector(&out2, 3, values);
  for (int how = GG_PUT_SET; how <= GG_PUT_MIN; how++) {
    gg_func *f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(v, k, w),
                                              .outputs = GG_VARS(gg_put_with(
                                                  v, 0, k, w, (gg_put_op)how)),
                                              .mode = GG_DEBUG});
    func_run(f, (GpuArray *[]){&a, &b, &out2}, (GpuArray *[]){&out});
    test_array_close(&out, want[how], 0, 0);
    GpuArray_clear(&out);
    gg_func_free(f);
  }
}

static void complex_values_are_put(void **state) {
  static const int32_t at[3] = {1, 0, 1};
  static const float z[4] = {1, 2, 3, 4}, w[6] = {5, -6, 7, 8, 9, 10};
  static const float want[][4] = {
      [GG_PUT_SET] = {7, 8, 9, 10}, [GG_PUT_ADD] = {8, 10, 17, 8}};
  gg_var *const v = gg_input(g, "v", GA_CFLOAT, 1);
  gg_var *const k = gg_input(g, "k", GA_INT, 1);
  gg_var *const u = gg_input(g, "w", GA_CFLOAT, 1);

  (void)state;
  test_array(&a, GA_CFLOAT, 1, (size_t[]){2}, z);
  test_array(&b, GA_INT, 1, (size_t[]){3}, at);
  test_array(&out2, GA_CFLOAT, 1, (size_t[]){3}, w);
  for (int how = GG_PUT_SET; how <= GG_PUT_ADD; how++) {
    gg_func *f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(v, k, u),
                                              .outputs = GG_VARS(gg_put_with(
                                                  v, 0, k, u, (gg_put_op)how)),
                                              .mode = GG_DEBUG});
    func_run(f, (GpuArray *[]){&a, &b, &out2}, (GpuArray *[]){&out});
    test_array_equal(&out, want[how]);
    GpuArray_clear(&out);
    gg_func_free(f);
  }
}

/* --- without memory --- */

/* Each allocation of a call that prepares y fails once. */
static void check_without_memory(gg_var *const *inputs, gg_var *y,
                                 const float *want, size_t n) {
  gg_func *f = func_make(g, &(gg_func_spec){.inputs = inputs,
                                            .outputs = GG_VARS(y),
                                            .flags = GG_ALLOW_UNUSED_INPUT});
  int err = GA_MEMORY_ERROR;

  for (long nth = 1; err != GA_NO_ERROR; nth++) {
    ga__alloc_fail(nth, 0);
    err = gg_func_call(f, (GpuArray *[]){&a, &b, &out2}, (GpuArray *[]){&out});
    ga__alloc_fail(0, 0);
    if (err != GA_NO_ERROR && err != GA_MEMORY_ERROR)
      fail_msg("%ld: %d: %s", nth, err, gg_func_error(f));
    assert_int_equal(out.data == NULL, err != GA_NO_ERROR);
    assert_true(nth < 5000);
  }
  assert_floats(&out, want, n);
  GpuArray_clear(&out);
  gg_func_free(f);
}

static void calls_without_memory(void **state) {
  static const int32_t two[2] = {0, -1}, six[6] = {0, 1, 2, 3, -1, -2};
  gg_var *const v = gg_input(g, "v", GA_FLOAT, 2);
  gg_var *const k = gg_input(g, "k", GA_INT, 1);
  gg_var *const at = gg_input(g, "at", GA_INT, 2), *d;
  gg_var *const one = gg_f32(g, 1), *const zero = gg_f32(g, 0);

  (void)state;
  assert_ok(gg_grad(&d, gg_sum(gg_sqr(gg_slice(v, 0, 1, 3, 1))), 1, &v));
  const struct {
    gg_var *y;
    size_t n;
    float want[12];
  } rows[] = {
      {d, 12, {0, 0, 0, 8, 10, 12, 14, 16, 18, 0, 0, 0}},
      {gg_slice_set(v, 0, 1, 3, 1, zero),
       12,
       {1, 2, 3, 0, 0, 0, 0, 0, 0, 10, 11, 12}},
      {gg_take(v, k), 6, {1, 2, 3, 10, 11, 12}},
      {gg_take_axis(v, 1, k), 8, {1, 3, 4, 6, 7, 9, 10, 12}},
      {gg_take_along(v, 0, at), 6, {1, 5, 9, 10, 11, 9}},
      {gg_put(v, 0, k, one), 12, {1, 1, 1, 4, 5, 6, 7, 8, 9, 1, 1, 1}},
      {gg_put_along(v, 0, at, one, GG_PUT_ADD),
       12,
       {2, 2, 3, 4, 6, 6, 7, 8, 11, 11, 12, 12}},
  };
  float_array(&a, 2, (size_t[]){4, 3}, from_1);
  test_array(&b, GA_INT, 1, (size_t[]){2}, two);
  test_array(&out2, GA_INT, 2, (size_t[]){2, 3}, six);
  for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
    check_without_memory(GG_VARS(v, k, at), rows[r].y, rows[r].want, rows[r].n);
}

/* --- what calls refuse --- */

static void refused(gg_var *y, int flags, const char *part) {
  gg_func *f =
      func_make(g, &(gg_func_spec){.inputs = GG_VARS(x, i, j, mask),
                                   .outputs = GG_VARS(y),
                                   .flags = GG_ALLOW_UNUSED_INPUT | flags});
  const int32_t far[3] = {3, 4, 0};
  GpuArray c = {0}, m = {0};

  float_array(&a, 3, x_dims, from_1);
  test_array(&b, GA_LONG, 2, (size_t[]){2, 1}, i_data);
  test_array(&c, GA_INT, 1, (size_t[]){3}, far);
  test_array(&m, GA_BOOL, 2, (size_t[]){1, 4}, mask_data);
  assert_code(GA_VALUE_ERROR, gg_func_call(f, (GpuArray *[]){&a, &b, &c, &m},
                                           (GpuArray *[]){&out}));
  if (strstr(gg_func_error(f), part) == NULL)
    fail_msg("'%s' without '%s'", gg_func_error(f), part);
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  GpuArray_clear(&c);
  GpuArray_clear(&m);
  gg_func_free(f);
}

static void calls_refuse(void **state) {
  gg_var *const v = gg_input(g, "v", GA_FLOAT, 1);
  const gg_item both[] = {gg_item_of(i), gg_item_all(), gg_item_of(j)};

  (void)state;
  (void)v;
  refused(gg_index_take(x, GG_ITEMS(gg_item_all(), gg_item_of(mask))), 0,
          "expected 2, got 1");
  refused(gg_index_take(x, GG_ITEMS(gg_item_all(), gg_item_at(2))), 0,
          "index 2 is outside of size 2");
  refused(
      gg_index_take(x, GG_ITEMS(gg_item_of(j), gg_item_at(-3), gg_item_of(j))),
      0, "index -3 is outside of size 2");
  refused(gg_index_take(x, 3, both), GG_BOUNDS_GUARD,
          "take: index 24 at position 2 is out of range for axis 0 of size 24");
  refused(gg_index_put(x, GG_ITEMS(gg_item_rest(), gg_item_of(j)),
                       gg_shape_vector(x), GG_PUT_ADD),
          GG_BOUNDS_GUARD,
          "put: index 4 at position 1 is out of range for axis 2 of size 4");
}

/* --- what builders refuse --- */

static void items_are_checked(void **state) {
  gg_var *const scalar = gg_lt(gg_i64(g, 1), gg_shape(x, 0));
  gg_var *const wide = gg_input_sized(g, "w", GA_INT, 1, (int64_t[]){2});
  gg_item many[GG_MAX_ITEMS + 1];

  (void)state;
  for (size_t k = 0; k <= GG_MAX_ITEMS; k++)
    many[k] = gg_item_new();
  graph_refused(gg_index_take(x, GG_MAX_ITEMS + 1, many),
                "index_take(float32[3, ?, 4]): 25 items are too many");
  graph_refused(gg_index_take(x, 1, NULL),
                "index_take(float32[3, ?, 4]): no list of 1 items");
  graph_refused(gg_index_take(x, 6, many),
                "index_take(float32[3, ?, 4]): the result has 9 dimensions, at "
                "most 8");
  many[0].kind = (gg_item_kind)17;
  graph_refused(gg_index_take(x, 1, many),
                "index_take(float32[3, ?, 4]): item 0 is of unknown kind 17");
  graph_refused(gg_index_take(x, GG_ITEMS(gg_item_all(), gg_item_at(0),
                                          gg_item_of(mask))),
                "index_take(float32[3, ?, 4]): the items are for 4 axes");
  graph_refused(
      gg_index_take(x, GG_ITEMS(gg_item_rest(), gg_item_at(0), gg_item_rest())),
      "index_take(float32[3, ?, 4]): 2 items stand for the rest");
  graph_refused(gg_index_take(x, GG_ITEMS(gg_item_of(x))),
                "index_take(float32[3, ?, 4], float32[3, ?, 4]): item 0 is "
                "neither of integers nor of bool");
  graph_refused(gg_index_take(x, GG_ITEMS(gg_item_of(scalar))),
                "index_take(float32[3, ?, 4], bool): the mask of item 0 has "
                "no axis");
  graph_refused(gg_index_take(x, GG_ITEMS(gg_item_new(), gg_item_of(NULL))),
                "index_take(float32[3, ?, 4]): the array of item 1 is NULL");
  graph_refused(gg_index_take(x, GG_ITEMS(gg_item_of(j), gg_item_of(wide))),
                "index_take(int32[3], int32[2]): 3 and 2 indices do not "
                "broadcast along axis -1");
}

static void masks_have_the_sizes_of_their_axes(void **state) {
  gg_var *const y = gg_input_sized(g, "y", GA_FLOAT, 2, (int64_t[]){4, 3});

  (void)state;
  graph_refused(
      gg_index_take(y, GG_ITEMS(gg_item_of(mask))),
      "index_take(float32[4, 3], bool[?, 4]): axis 1 of x has 3, axis "
      "1 of its mask has 4");
}

static void positions_and_steps_are_checked(void **state) {
  (void)state;
  graph_refused(gg_index_take(x, GG_ITEMS(gg_item_at(INT64_MIN))),
                "index(float32[3, ?, 4]): index -9223372036854775808 is "
                "outside of size 3");
  graph_refused(
      gg_index_take(x, GG_ITEMS(gg_item_of(j), gg_item_all(), gg_item_at(4))),
      "index(float32[3, ?, 4]): index 4 is outside of size 4");
  graph_refused(gg_index_take(x, GG_ITEMS(gg_item_slice(0, 1, 0))),
                "slice(float32[3, ?, 4]): the step must not be 0");
}

static void values_are_checked(void **state) {
  const gg_item items[] = {gg_item_of(j), gg_item_all(),
                           gg_item_slice(0, 2, 1)};
  gg_var *const deep = gg_input(g, "v", GA_FLOAT, 4);
  gg_var *const wide = gg_input_sized(g, "w", GA_FLOAT, 1, (int64_t[]){3});

  (void)state;
  graph_refused(gg_index_put(x, 3, items, deep, GG_PUT_SET),
                "index_put(float32[3, ?, 4], float32[?, ?, ?, ?]): the values "
                "have 4 dimensions, what they replace has 3");
  graph_refused(gg_index_put(x, 3, items, wide, GG_PUT_ADD),
                "index_put(float32[3, ?, 4], float32[1, 1, 3]): 3 values for 2 "
                "elements along an axis");
  graph_refused(gg_index_put(x, 3, items, wide, (gg_put_op)9),
                "index_put(float32[3, ?, 4], float32[3]): unknown operation 9");
  graph_refused(gg_index_put(x, 3, items, NULL, GG_PUT_SET),
                "index_put(float32[3, ?, 4], NULL): operand 1 is NULL");
  assert_null(gg_index_take(NULL, 3, items));
}

/* x repeats where it is read, not where it is written. */
static void elements_are_not_put_twice(void **state) {
  gg_var *const one = gg_input_sized(g, "o", GA_FLOAT, 2, (int64_t[]){4, 1});
  gg_var *const at = gg_input_sized(g, "at", GA_INT, 2, (int64_t[]){2, 3});

  (void)state;
  gg_var *const y = gg_take_along(one, 0, at);
  assert_int_equal(gg_var_type(y)->dims[1], 3);
  graph_refused(gg_put_along(one, 0, at, gg_f32(g, 1), GG_PUT_SET),
                "put(float32[4, 1], int32[2, 3], float32[2, 3]): dim 1: the "
                "indices have 3, expected 1");
}

int main(void) {
  const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, graph_teardown)
      TEST(arrays_apart_come_first),
      TEST(a_mask_takes_a_value_in_a_map),
      TEST(scalars_are_positions),
      TEST(gradients_are_those_of_differences),
      TEST(gradients_of_what_repeats),
      TEST(directions_are_taken_along),
      TEST(odd_values_are_put),
      TEST(complex_values_are_put),
      TEST(calls_without_memory),
      TEST(calls_refuse),
      TEST(items_are_checked),
      TEST(masks_have_the_sizes_of_their_axes),
      TEST(positions_and_steps_are_checked),
      TEST(values_are_checked),
      TEST(elements_are_not_put_twice),
#undef TEST
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
