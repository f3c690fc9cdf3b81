/* SPDX-License-Identifier: BSD-2-Clause */
/* Arguments of other dtypes than those of the inputs. */
#include <string.h>

#include "base/alloc.h"
#include "support/funcs.h"

static gg_graph *g;
static gg_var *x, *n;
static gg_func *f;
static GpuArray out, other;

/* Of float32 x and int32 n. */
static void make(int flags) {
  f = func_make(g, &(gg_func_spec){.name = "f",
                                   .inputs = GG_VARS(x, n),
                                   .outputs = GG_VARS(gg_add(x, x), n),
                                   .flags = flags});
}

static int setup(void **state) {
  (void)state;
  g = gg_graph_new(test_context());
  x = gg_input(g, "x", GA_FLOAT, 1);
  n = gg_input(g, "n", GA_INT, 1);
  f = NULL;
  return g == NULL;
}

static int teardown(void **state) {
  (void)state;
  GpuArray_clear(&out);
  GpuArray_clear(&other);
  gg_func_free(f);
  gg_graph_free(g);
  return 0;
}

/* Three numbers in a dtype; cleared by the caller. */
static void three(GpuArray *a, int dtype, double u, double v, double w) {
  const double value[3] = {u, v, w};
  unsigned char data[3 * sizeof(double)];
  size_t size = 3;

  for (size_t i = 0; i < 3; i++)
    test_set(data, dtype, i, value[i]);
  test_array(a, dtype, 1, &size, data);
}

static int call(GpuArray *a, GpuArray *b) {
  return gg_func_call(f, (GpuArray *[]){a, b}, (GpuArray *[]){&out, &other});
}

static void assert_ints(int u, int v, int w) {
  const int want[3] = {u, v, w};

  assert_int_equal(other.typecode, GA_INT);
  test_array_equal(&other, want);
}

/* What loses nothing is converted, strides and all, each time anew. */
static void test_safe(void **state) {
  GpuArray a, b;

  (void)state;
  make(0);
  three(&a, GA_SHORT, -3, 0, 32767);
  three(&b, GA_UBYTE, 0, 7, 255);
  assert_ok(call(&a, &b));
  assert_floats(&out, (float[]){-6, 0, 65534}, 3);
  assert_ints(0, 7, 255);
  a.strides[0] = -a.strides[0];
  a.offset += 4;
  GpuArray_fix_flags(&a);
  assert_ok(call(&a, &b));
  assert_floats(&out, (float[]){65534, 0, -6}, 3);
  GpuArray_clear(&a);
  GpuArray_clear(&b);
}

static void refuse(int flags, int dtype, const char *message) {
  GpuArray a, b;

  make(flags);
  three(&a, dtype, 1, 2, 3);
  three(&b, GA_INT, 1, 2, 3);
  assert_code(GA_VALUE_ERROR, call(&a, &b));
  assert_string_equal(gg_func_error(f), message);
  assert_null(out.data);
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  gg_func_free(f);
  f = NULL;
}

static void test_refused(void **state) {
  const char *message = "f: input 0 (x): expected float32[?], got int32[3]; "
                        "GG_ALLOW_DOWNCAST converts it";

  (void)state;
  refuse(0, GA_INT, message);
  refuse(GG_STRICT, GA_SHORT,
         "f: input 0 (x): expected float32[?], got int16[3]; "
         "GG_STRICT keeps it from being converted");
  refuse(GG_ALLOW_DOWNCAST, GA_CFLOAT,
         "f: input 0 (x): expected float32[?], got complex64[3]");
  assert_code(
      GA_VALUE_ERROR,
      gg_func_new(&f, g,
                  &(gg_func_spec){.inputs = GG_VARS(x),
                                  .outputs = GG_VARS(x),
                                  .flags = GG_STRICT | GG_ALLOW_DOWNCAST}));
  assert_string_equal(gg_graph_error(g),
                      "GG_STRICT and GG_ALLOW_DOWNCAST exclude each other");
}

/* Other sizes are refused whatever the dtype. */
static void test_sizes(void **state) {
  const short data[4] = {1, 2, 3, 4};
  GpuArray a, b;

  (void)state;
  make(GG_ALLOW_DOWNCAST);
  test_array(&a, GA_SHORT, 2, (size_t[]){2, 2}, data);
  three(&b, GA_INT, 1, 2, 3);
  assert_code(GA_VALUE_ERROR, call(&a, &b));
  assert_string_equal(gg_func_error(f),
                      "f: input 0 (x): expected float32[?], got int16[2, 2]");
  GpuArray_clear(&a);
  gg_func_free(f);
  make(0);
  test_array(&a, GA_INT, 2, (size_t[]){1, 2}, data);
  assert_code(GA_VALUE_ERROR, call(&a, &b)); /* no advice for the dtype */
  assert_string_equal(gg_func_error(f),
                      "f: input 0 (x): expected float32[?], got int32[1, 2]");
  GpuArray_clear(&a);
  test_array(&a, GA_FLOAT, 2, (size_t[]){1, 2}, data);
  assert_code(GA_VALUE_ERROR, call(&a, &b));
  assert_string_equal(gg_func_error(f),
                      "f: input 0 (x): expected float32[?], got float32[1, 2]");
  GpuArray_clear(&a);
  GpuArray_clear(&b);
}

/* Floats go to integers towards zero. */
static void test_allowed(void **state) {
  gg_func *copy;
  GpuArray a, b;

  (void)state;
  make(GG_ALLOW_DOWNCAST);
  three(&a, GA_INT, 1, -2, 16777217);
  three(&b, GA_FLOAT, 1.75, -2.5, 3);
  assert_ok(call(&a, &b));
  assert_floats(&out, (float[]){2, -4, 33554432}, 3);
  assert_ints(1, -2, 3);
  assert_ok(gg_func_copy(&copy, f, &(gg_copy_spec){.name = NULL}));
  gg_func_free(f);
  f = copy;
  assert_ok(call(&a, &b));
  assert_ints(1, -2, 3);
  GpuArray_clear(&a);
  GpuArray_clear(&b);
}

/* --- of single inputs --- */

static void make_each(int flags) {
  f = func_make(g, &(gg_func_spec){.name = "f",
                                   .inputs = GG_VARS(x, n),
                                   .outputs = GG_VARS(gg_add(x, x), n),
                                   .flags = flags,
                                   .strict_inputs = GG_VARS(x),
                                   .downcast_inputs = GG_VARS(n)});
}

/* x takes floats alone, n whatever there is; so does a copy. */
static void check_each(void) {
  GpuArray a, b, c;

  three(&a, GA_FLOAT, 1, 2, 3);
  three(&b, GA_DOUBLE, 4.5, -5.5, 6);
  three(&c, GA_SHORT, 1, 2, 3);
  assert_ok(call(&a, &b));
  assert_ints(4, -5, 6);
  assert_code(GA_VALUE_ERROR, call(&c, &b));
  assert_non_null(strstr(
      gg_func_error(f), "f: input 0 (x): expected float32[?], got int16[3]; "));
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  GpuArray_clear(&c);
}

static void test_each(void **state) {
  static const int flags[] = {0, GG_STRICT, GG_ALLOW_DOWNCAST};
  gg_func *copy;

  (void)state;
  test_need_double();
  for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
    make_each(flags[i]);
    check_each();
    assert_ok(gg_func_copy(&copy, f, &(gg_copy_spec){.name = NULL}));
    gg_func_free(f);
    f = copy;
    check_each();
    gg_func_free(f);
    f = NULL;
  }
  make_each(0);
  check_each();
  assert_non_null(strstr(gg_func_error(f), "; it is a strict input"));
}

/* Each list counts without the other one. */
static void test_one_list(void **state) {
  gg_func_spec spec = {.name = "f",
                       .inputs = GG_VARS(x, n),
                       .outputs = GG_VARS(gg_add(x, x), n),
                       .strict_inputs = GG_VARS(x)};
  GpuArray a, b;

  (void)state;
  f = func_make(g, &spec);
  three(&a, GA_SHORT, 1, 2, 3);
  three(&b, GA_FLOAT, 4, 5, 6);
  assert_code(GA_VALUE_ERROR, call(&a, &b));
  assert_string_equal(gg_func_error(f), "f: input 0 (x): expected float32[?], "
                                        "got int16[3]; it is a strict input");
  gg_func_free(f);
  spec.strict_inputs = NULL;
  spec.downcast_inputs = GG_VARS(n);
  f = func_make(g, &spec);
  assert_ok(call(&a, &b));
  assert_ints(4, 5, 6);
  GpuArray_clear(&a);
  GpuArray_clear(&b);
}

static void refuse_lists(gg_var *const *strict, gg_var *const *downcast,
                         const char *message) {
  assert_code(GA_VALUE_ERROR,
              gg_func_new(&f, g,
                          &(gg_func_spec){.inputs = GG_VARS(x),
                                          .outputs = GG_VARS(x),
                                          .strict_inputs = strict,
                                          .downcast_inputs = downcast}));
  assert_string_equal(gg_graph_error(g), message);
  gg_graph_reset_error(g);
}

static void test_each_refused(void **state) {
  (void)state;
  refuse_lists(GG_VARS(n), NULL, "strict input 0 (n) is not among the inputs");
  refuse_lists(NULL, GG_VARS(x, n),
               "downcast input 1 (n) is not among the inputs");
  refuse_lists(GG_VARS(x), GG_VARS(x),
               "strict input 0 (x) is a downcast input, too");
}

/* Defaults that are copied are converted when they are set. */
static void test_defaults(void **state) {
  GpuArray a, b, c;

  (void)state;
  make(0);
  three(&a, GA_SHORT, 1, 2, 3);
  three(&b, GA_UBYTE, 4, 5, 6);
  three(&c, GA_FLOAT, 7, 8, 9);
  assert_ok(gg_func_set_default(f, 0, &a));
  assert_ok(call(NULL, &b));
  assert_floats(&out, (float[]){2, 4, 6}, 3);
  assert_code(GA_VALUE_ERROR, gg_func_set_default(f, 1, &c));
  assert_string_equal(gg_func_error(f),
                      "f: input 1 (n): expected int32[?], got float32[3]; "
                      "GG_ALLOW_DOWNCAST converts it");
  assert_code(GA_VALUE_ERROR, gg_func_borrow_default(f, 1, &b));
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  GpuArray_clear(&c);
}

/* An argument that calls may overwrite is left alone when it is converted, and
 * refused when it is not, also where it would have to be copied. */
static void test_mutable(void **state) {
  GpuArray a, b;

  (void)state;
  f = func_make(g, &(gg_func_spec){.name = "f",
                                   .inputs = GG_VARS(x, n),
                                   .outputs = GG_VARS(gg_add(x, x), n),
                                   .mutable_inputs = GG_VARS(x)});
  three(&a, GA_SHORT, 1, 2, 3);
  three(&b, GA_INT, 4, 5, 6);
  assert_ok(call(&a, &b));
  assert_floats(&out, (float[]){2, 4, 6}, 3);
  test_array_equal(&a, (short[]){1, 2, 3});
  assert_code(GA_VALUE_ERROR, call(&b, &b));
  GpuArray_clear(&a);
  GpuArray_clear(&b);
}

/* Fail each allocation of a call that converts both arguments. */
static void test_without_memory(void **state) {
  int err = GA_MEMORY_ERROR;
  GpuArray a, b;
  long k;

  (void)state;
  three(&a, GA_SHORT, 1, 2, 3);
  three(&b, GA_UBYTE, 4, 5, 6);
  make(0);
  for (k = 1; err != GA_NO_ERROR; k++) {
    ga__alloc_fail(k, 0);
    err = call(&a, &b);
    ga__alloc_fail(0, 0);
    if (err != GA_NO_ERROR) {
      assert_string_not_equal(gg_func_error(f), "");
      assert_null(out.data);
    }
    assert_true(k < 5000);
  }
  assert_true(k > 10);
  assert_floats(&out, (float[]){2, 4, 6}, 3);
  assert_ints(4, 5, 6);
  GpuArray_clear(&a);
  GpuArray_clear(&b);
}

/* Fail each allocation of making and of copying a function with lists. */
static void test_lists_without_memory(void **state) {
  gg_func_spec spec = {.name = "f",
                       .inputs = GG_VARS(x, n),
                       .outputs = GG_VARS(gg_add(x, x), n),
                       .strict_inputs = GG_VARS(x),
                       .downcast_inputs = GG_VARS(n)};
  gg_func *copy = NULL;

  (void)state;
  test_need_double();
  for (long k = 1; f == NULL; k++) {
    ga__alloc_fail(k, 0);
    if (gg_func_new(&f, g, &spec) != GA_NO_ERROR)
      assert_int_equal(gg_graph_status(g), GA_MEMORY_ERROR);
    ga__alloc_fail(0, 0);
    gg_graph_reset_error(g);
    assert_true(k < 5000);
  }
  for (long k = 1; copy == NULL; k++) {
    ga__alloc_fail(k, 0);
    if (gg_func_copy(&copy, f, &(gg_copy_spec){.name = NULL}) != GA_NO_ERROR)
      assert_string_not_equal(gg_func_error(f), "");
    ga__alloc_fail(0, 0);
    assert_true(k < 5000);
  }
  gg_func_free(f);
  f = copy;
  check_each();
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_safe),           TEST(test_refused),
      TEST(test_sizes),          TEST(test_allowed),
      TEST(test_defaults),       TEST(test_mutable),
      TEST(test_without_memory), TEST(test_each),
      TEST(test_each_refused),   TEST(test_lists_without_memory),
      TEST(test_one_list),
  };

  return cmocka_run_group_tests_name("func_cast", tests, NULL,
                                     test_context_drop);
}
