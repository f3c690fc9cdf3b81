/* SPDX-License-Identifier: BSD-2-Clause */
/* Sizes that calls decide: from sizes of variables, and from integer inputs. */
#include <string.h>

#include "support/graph_case.h"

static const float six[6] = {1, 2, 3, 4, 5, 6};

static gg_var *x, *n, *m;
static gg_func *f;

static int setup(void **state) {
  if (graph_setup(state) != 0)
    return 1;
  x = gg_input(g, "x", GA_FLOAT, 1);
  n = gg_input(g, "n", GA_LONG, 0);
  m = gg_input(g, "m", GA_INT, 0);
  f = NULL;
  return 0;
}

static int teardown(void **state) {
  gg_func_free(f);
  return graph_teardown(state);
}

static void make(gg_var *v) {
  f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(x, n, m),
                                   .outputs = GG_VARS(v),
                                   .flags = GG_ALLOW_UNUSED_INPUT});
}

static int call(int64_t rows, int columns) {
  GpuArray v, w;

  float_vector(&a, 6, six);
  test_array(&v, GA_LONG, 0, NULL, &rows);
  test_array(&w, GA_INT, 0, NULL, &columns);
  int err = gg_func_call(f, (GpuArray *[]){&a, &v, &w}, (GpuArray *[]){&out});
  GpuArray_clear(&a);
  GpuArray_clear(&v);
  GpuArray_clear(&w);
  return err;
}

static void assert_sizes(unsigned int nd, const size_t *dims) {
  assert_int_equal(out.nd, nd);
  assert_memory_equal(out.dimensions, dims, nd * sizeof *dims);
  assert_floats(&out, six, 6);
}

static void refuses(int64_t rows, int columns, int code, const char *message) {
  assert_code(code, call(rows, columns));
  assert_string_equal(gg_func_error(f), message);
}

static void inputs_tell_sizes(void **state) {
  (void)state;
  make(gg_reshape_sizes(x, 3, (gg_var *[]){n, gg_i64(g, 1), m}));
  assert_ok(call(2, 3));
  assert_sizes(3, (size_t[]){2, 1, 3});
  assert_ok(call(6, 1));
  assert_sizes(3, (size_t[]){6, 1, 1});
  assert_ok(call(-1, 2)); /* one may be open */
  assert_sizes(3, (size_t[]){3, 1, 2});
}

#define OP "function: reshape_sizes(float32[6], int64, int64): "

static void a_call_whose_sizes_do_not_fit_is_refused(void **state) {
  (void)state;
  make(gg_reshape_sizes(x, 2, (gg_var *[]){n, gg_cast(m, GA_LONG)}));
  refuses(2, 2, GA_VALUE_ERROR, OP "6 elements do not fill 4");
  refuses(-1, 4, GA_VALUE_ERROR, OP "6 elements do not divide by 4");
  refuses(-1, 0, GA_VALUE_ERROR, OP "6 elements do not divide by 0");
  refuses(-1, -1, GA_VALUE_ERROR, OP "2 sizes are -1, expected one");
  refuses(2, -3, GA_VALUE_ERROR, OP "dim 1: -3 is not a size");
  refuses(INT64_C(1) << 40, 1 << 30, GA_XLARGE_ERROR,
          OP "the result is too large");
  refuses(INT64_MAX, 1, GA_VALUE_ERROR,
          OP "dim 0: 9223372036854775808 is not a size");
  assert_ok(call(3, 2));
  assert_sizes(2, (size_t[]){3, 2});
}

#undef OP

static void the_device_may_compute_a_size(void **state) {
  const int64_t two = 2;
  gg_var *s = gg_shared_host(g, "s", GA_LONG, 0, NULL, &two);

  (void)state;
  make(gg_reshape_sizes(x, 2, (gg_var *[]){s, gg_i64(g, -1)}));
  assert_ok(call(0, 0));
  assert_sizes(2, (size_t[]){2, 3});
}

static void what_is_said_is_checked(void **state) {
  (void)state;
  make(gg_specify_sizes(x, (gg_var *[]){gg_mul(n, gg_cast(m, GA_LONG))}));
  assert_ok(call(2, 3));
  assert_sizes(1, (size_t[]){6});
  assert_ok(call(-1, 1));
  refuses(2, 2, GA_VALUE_ERROR,
          "function: specify_sizes(float32[6], int64): dim 0: expected 4, got "
          "6");
}

/* --- of new values --- */

static void values_are_stretched(void **state) {
  gg_var *rows = gg_reshape_sizes(x, 2, (gg_var *[]){gg_i64(g, 1), m});

  (void)state;
  make(gg_alloc(rows, 3, (gg_var *[]){n, gg_i64(g, 1), m}));
  assert_ok(call(1, 6));
  assert_sizes(3, (size_t[]){1, 1, 6});
  assert_int_equal(func_stats(f).steps, 1);
  assert_ok(call(0, 6));
  assert_int_equal(out.dimensions[0], 0);
  refuses(-1, 6, GA_VALUE_ERROR,
          "function: extent(int64, int64, int32): dim 0: -1 is not a size");
}

/* Nothing is stored for what is stretched where it is used. */
static void zeros_cost_nothing(void **state) {
  (void)state;
  make(gg_add(x, gg_alloc(gg_f32(g, 0), 1, &n)));
  assert_ok(call(6, 0));
  assert_sizes(1, (size_t[]){6});
  assert_int_equal(func_stats(f).temp_bytes, 0);
}

static void assert_numbers(int64_t start, int stop, unsigned int count,
                           const int64_t *want) {
  GpuArray_clear(&out);
  assert_ok(call(start, stop));
  assert_int_equal(out.typecode, GA_LONG);
  assert_int_equal(out.dimensions[0], count);
  test_array_equal(&out, want);
}

static void numbers_follow_each_other(void **state) {
  (void)state;
  make(gg_arange(n, m, gg_i64(g, 2)));
  assert_numbers(1, 6, 3, (int64_t[]){1, 3, 5});
  assert_numbers(-3, 1, 2, (int64_t[]){-3, -1});
  assert_numbers(4, 4, 0, NULL);
  assert_numbers(6, 4, 0, NULL);
  refuses(INT64_MIN, 6, GA_VALUE_ERROR,
          "function: extent(int64): dim 0: 1152921504606846976 is not a size");
  gg_func_free(f);
  make(gg_arange(gg_i64(g, 7), n, m));
  refuses(INT64_MAX, 1, GA_VALUE_ERROR,
          "function: extent(int64): dim 0: 2305843009213693952 is not a size");
  assert_numbers(0, -3, 3, (int64_t[]){7, 4, 1});
  assert_numbers(9, 1, 2, (int64_t[]){7, 8});
  assert_numbers(9, 0, 0, NULL);
}

/* Constants are properties, so that rewrites see them. */
static void constants_are_known_at_once(void **state) {
  gg_var *any = gg_i64(g, GG_ANY), *three = gg_i64(g, 3);

  (void)state;
  assert_ptr_equal(gg_reshape_sizes(x, 2, (gg_var *[]){any, three}),
                   gg_reshape(x, 2, (int64_t[]){-1, 3}));
  assert_ptr_equal(gg_specify_sizes(x, &three),
                   gg_specify_shape(x, (int64_t[]){3}));
  assert_ptr_equal(gg_specify_sizes(x, &any), x);
  assert_ptr_equal(gg_reshape_sizes(gg_sum(x), 0, NULL),
                   gg_reshape(gg_sum(x), 0, NULL));
}

static void assert_type(gg_var *v, const char *want) {
  char text[160];

  assert_non_null(v);
  assert_string_equal(gg_type_text(gg_var_type(v), text, sizeof text), want);
}

static void types_have_what_is_constant(void **state) {
  gg_var *any = gg_i64(g, GG_ANY), *three = gg_i64(g, 3),
         *pairs = gg_input_sized(g, "p", GA_FLOAT, 2, (int64_t[]){GG_ANY, 2});

  (void)state;
  assert_type(gg_reshape_sizes(x, 2, (gg_var *[]){n, three}), "float32[?, 3]");
  assert_type(gg_reshape_sizes(x, 2, (gg_var *[]){n, any}), "float32[?, ?]");
  assert_type(gg_specify_sizes(pairs, (gg_var *[]){n, any}), "float32[?, 2]");
  assert_type(gg_reshape_sizes(x, 2, (gg_var *[]){n, gg_i64(g, 1)}),
              "float32[?, 1]");
  assert_type(gg_alloc(gg_f32(g, 1), 2, (gg_var *[]){three, n}),
              "float32[3, ?]");
  assert_type(gg_arange(three, gg_i64(g, -4), gg_i64(g, -2)), "int64[4]");
  assert_type(gg_arange(three, three, three), "int64[0]");
  assert_type(gg_arange(n, m, three), "int64[?]");
  assert_type(gg_specify_sizes(gg_transpose(pairs), (gg_var *[]){n, three}),
              "float32[2, 3]");
}

static void refuses_to_build(gg_var *v, int code, const char *message) {
  assert_null(v);
  assert_int_equal(gg_graph_status(g), code);
  assert_non_null(strstr(gg_graph_error(g), message));
  gg_graph_reset_error(g);
}

static void what_is_no_size_is_refused(void **state) {
  gg_var *nine[9] = {n, n, n, n, n, n, n, n, n};
  gg_var *large = gg_i64(g, INT64_C(1) << 40);

  (void)state;
  refuses_to_build(gg_reshape_sizes(x, 9, nine), GA_VALUE_ERROR,
                   "9 dimensions are more than 8");
  refuses_to_build(gg_reshape_sizes(x, 1, (gg_var *[]){x}), GA_VALUE_ERROR,
                   "dim 0: the size is not an integer scalar");
  refuses_to_build(gg_specify_sizes(x, (gg_var *[]){gg_sum(x)}), GA_VALUE_ERROR,
                   "dim 0: the size is not an integer scalar");
  refuses_to_build(gg_reshape_sizes(x, 2, (gg_var *[]){n, gg_i64(g, -2)}),
                   GA_VALUE_ERROR, "dim 1: -2 is not a size");
  refuses_to_build(gg_reshape_sizes(x, 3, (gg_var *[]){n, large, large}),
                   GA_XLARGE_ERROR, "the result is too large");
  refuses_to_build(gg_specify_sizes(gg_specify_shape(x, (int64_t[]){3}),
                                    (gg_var *[]){gg_i64(g, 4)}),
                   GA_VALUE_ERROR, "dim 0: expected 4, got 3");
  refuses_to_build(gg_alloc(x, 1, (gg_var *[]){gg_i64(g, -1)}), GA_VALUE_ERROR,
                   "dim 0: -1 is not a size");
  refuses_to_build(gg_alloc(x, 0, NULL), GA_VALUE_ERROR,
                   "alloc(float32[?]): the value has more than 0 dimensions");
  refuses_to_build(gg_arange(n, m, gg_i64(g, 0)), GA_VALUE_ERROR,
                   "the step must not be 0");
  refuses_to_build(
      gg_arange(gg_i64(g, INT64_MIN), gg_i64(g, INT64_MAX), gg_i64(g, 1)),
      GA_VALUE_ERROR, "dim 0: 9007199254740992 is not a size");
  refuses_to_build(gg_arange(n, x, n), GA_VALUE_ERROR,
                   "arange(int64, float32[?], int64): operand 1 is not an "
                   "integer scalar");
  assert_null(gg_alloc(NULL, 1, &n));
  assert_null(gg_arange(n, NULL, m));
  assert_null(gg_reshape_sizes(NULL, 1, &n));
  assert_null(gg_specify_sizes(NULL, &n));
  assert_null(gg_reshape_sizes(x, 1, (gg_var *[]){NULL}));
}

#define TEST(t) cmocka_unit_test_setup_teardown(t, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(inputs_tell_sizes),
      TEST(a_call_whose_sizes_do_not_fit_is_refused),
      TEST(the_device_may_compute_a_size),
      TEST(what_is_said_is_checked),
      TEST(values_are_stretched),
      TEST(zeros_cost_nothing),
      TEST(numbers_follow_each_other),
      TEST(constants_are_known_at_once),
      TEST(types_have_what_is_constant),
      TEST(what_is_no_size_is_refused),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
