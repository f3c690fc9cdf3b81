/* SPDX-License-Identifier: BSD-2-Clause */
/* Arguments by name, defaults, and arrays in host memory. */
#include <string.h>

#include "support/funcs.h"

static gg_graph *g;
static gg_func *f;
static GpuArray a, b, out, other;

/* low = x - y, high = x + y. */
static int setup(void **state) {
  (void)state;
  g = gg_graph_new(test_context());
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1);
  gg_var *y = gg_input(g, "y", GA_FLOAT, 1);
  f = func_make(
      g, &(gg_func_spec){.name = "both",
                         .inputs = GG_VARS(x, y),
                         .outputs = GG_VARS(gg_named(gg_sub(x, y), "low"),
                                            gg_named(gg_add(x, y), "high"))});
  memset(&out, 0, sizeof out);
  memset(&other, 0, sizeof other);
  float_vector(&a, 3, (float[]){1, 2, 3});
  float_vector(&b, 3, (float[]){10, 20, 30});
  return g == NULL;
}

static int teardown(void **state) {
  (void)state;
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  GpuArray_clear(&out);
  GpuArray_clear(&other);
  gg_func_free(f);
  gg_graph_free(g);
  return 0;
}

static void test_names(void **state) {
  (void)state;
  assert_int_equal(gg_func_n_inputs(f), 2);
  assert_int_equal(gg_func_n_outputs(f), 2);
  assert_string_equal(gg_func_input_name(f, 1), "y");
  assert_string_equal(gg_func_output_name(f, 0), "low");
  assert_null(gg_func_input_name(f, 2));
  assert_null(gg_func_output_name(f, 2));
  assert_int_equal(gg_func_n_inputs(NULL), 0);
}

static void test_call_named(void **state) {
  (void)state;
  assert_ok(gg_func_call_named(f, GG_ARGS({"y", &b}, {"x", &a}),
                               GG_ARGS({"high", &out}, {"low", &other})));
  assert_floats(&out, (float[]){11, 22, 33}, 3);
  assert_floats(&other, (float[]){-9, -18, -27}, 3);
  GpuArray_clear(&other);
  assert_ok(gg_func_call_named(f, GG_ARGS({"y", &a}, {"x", &a}),
                               GG_ARGS({"high", &out})));
  assert_floats(&out, (float[]){2, 4, 6}, 3);
  assert_null(other.data);
}

static void refuse(const gg_named_array *in, const gg_named_array *to,
                   const char *message) {
  assert_code(GA_VALUE_ERROR, gg_func_call_named(f, in, to));
  assert_string_equal(gg_func_error(f), message);
}

static void test_bad_names(void **state) {
  (void)state;
  refuse(GG_ARGS({"x", &a}, {"z", &b}), NULL, "both: there is no input \"z\"");
  refuse(GG_ARGS({"x", &a}, {"x", &b}), NULL,
         "both: input \"x\" is given twice");
  refuse(GG_ARGS({"x", &a}, {"y", NULL}), NULL, "both: input \"y\": no array");
  refuse(GG_ARGS({"x", &a}), GG_ARGS({"low", &out}),
         "both: input 1 (y): expected float32[?], got nothing");
  refuse(GG_ARGS({"x", &a}, {"y", &b}), GG_ARGS({"mid", &out}),
         "both: there is no output \"mid\"");
  assert_code(GA_VALUE_ERROR, gg_func_call_named(NULL, NULL, NULL));
}

static void test_defaults(void **state) {
  (void)state;
  assert_ok(gg_func_set_default(f, 1, &b));
  GpuArray_memset(&b, 0); /* it was copied */
  func_run(f, (GpuArray *[]){&a, NULL}, (GpuArray *[]){&out, &other});
  assert_floats(&other, (float[]){11, 22, 33}, 3);
  func_run(f, (GpuArray *[]){&a, &a}, (GpuArray *[]){&out, &other});
  assert_floats(&other, (float[]){2, 4, 6}, 3);
  assert_ok(gg_func_call_named(f, GG_ARGS({"x", &a}), GG_ARGS({"high", &out})));
  assert_floats(&out, (float[]){11, 22, 33}, 3);
  assert_ok(gg_func_set_default(f, 1, NULL));
  assert_code(GA_VALUE_ERROR, gg_func_call(f, (GpuArray *[]){&a, NULL},
                                           (GpuArray *[]){&out, &other}));
  assert_code(GA_VALUE_ERROR, gg_func_set_default(f, 2, &a));
  assert_string_equal(gg_func_error(f), "both: there is no input 2");
}

static void test_bad_default(void **state) {
  GpuArray wrong;

  (void)state;
  float_array(&wrong, 2, (size_t[]){1, 3}, (float[]){1, 2, 3});
  assert_code(GA_VALUE_ERROR, gg_func_set_default(f, 0, &wrong));
  assert_string_equal(
      gg_func_error(f),
      "both: input 0 (x): expected float32[?], got float32[1, 3]");
  GpuArray_clear(&wrong);
}

static void test_host(void **state) {
  float x[3] = {1, 2, 3}, y[3] = {4, 5, 6}, low[3], high[3];
  const gg_host_array hx = {GA_FLOAT, 1, {3}, x, 0};
  const gg_host_array hy = {GA_FLOAT, 1, {3}, y, 0};
  gg_host_array hl = {.data = low, .bytes = sizeof low};
  gg_host_array hh = {.data = high, .bytes = sizeof high};

  (void)state;
  assert_ok(gg_func_call_host(f, (const gg_host_array *[]){&hx, &hy},
                              (gg_host_array *[]){&hl, &hh}));
  test_close(GA_FLOAT, low, (float[]){-3, -3, -3}, 3, 0, 0);
  test_close(GA_FLOAT, high, (float[]){5, 7, 9}, 3, 0, 0);
  assert_int_equal(hl.dtype, GA_FLOAT);
  assert_int_equal(hl.nd, 1);
  assert_int_equal(hl.dims[0], 3);
  hh.bytes = 8;
  assert_code(GA_VALUE_ERROR,
              gg_func_call_host(f, (const gg_host_array *[]){&hx, &hy},
                                (gg_host_array *[]){NULL, &hh}));
  assert_string_equal(gg_func_error(f),
                      "both: output 1: 12 bytes, there is room for 8");
  assert_code(GA_VALUE_ERROR,
              gg_func_call_host(f, (const gg_host_array *[]){&hx, NULL},
                                (gg_host_array *[]){NULL, &hh}));
  assert_string_equal(gg_func_error(f),
                      "both: input 1 (y): expected float32[?], got nothing");
}

/* Values of a function whose graph is gone. */
static void test_shared(void **state) {
  const float three[3] = {1, 2, 3}, rate = 0.5f, slow = 0.25f;
  gg_graph *own = gg_graph_new(test_context());
  gg_var *x = gg_input(own, "x", GA_FLOAT, 1);
  gg_var *w = gg_shared_host(own, "w", GA_FLOAT, 1, (size_t[]){3}, three);
  gg_var *r = gg_shared_host(own, "rate", GA_FLOAT, 0, NULL, &rate);
  gg_func *step = func_make(
      own,
      &(gg_func_spec){.inputs = GG_VARS(x),
                      .updates = GG_UPDATES({w, gg_add(w, gg_mul(r, x))})});
  gg_var *kept[2];

  (void)state;
  gg_graph_free(own);
  assert_int_equal(gg_func_n_shared(step), 2);
  for (int i = 0; i < 2; i++)
    kept[strcmp(gg_var_name(gg_func_shared(step, (size_t)i)), "w") != 0] =
        gg_func_shared(step, (size_t)i);
  assert_string_equal(gg_var_name(kept[1]), "rate");
  func_run(step, (GpuArray *[]){&b}, NULL);
  assert_shared(kept[0], (float[]){6, 12, 18}, 3);
  assert_ok(gg_shared_write(kept[1], &slow, sizeof slow));
  func_run(step, (GpuArray *[]){&b}, NULL);
  assert_shared(kept[0], (float[]){8.5, 17, 25.5}, 3);
  assert_null(gg_func_shared(step, 2));
  assert_int_equal(gg_func_n_shared(NULL), 0);
  gg_func_free(step);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_names),    TEST(test_call_named),  TEST(test_bad_names),
      TEST(test_defaults), TEST(test_bad_default), TEST(test_host),
      TEST(test_shared),
  };

  return cmocka_run_group_tests_name("func_args", tests, NULL,
                                     test_context_drop);
}
