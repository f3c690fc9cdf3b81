/* SPDX-License-Identifier: BSD-2-Clause */
/* Where variables were built, in graphs and in messages. */
#undef GG_NO_SITES
#include <stdio.h>
#include <string.h>

#include "support/funcs.h"

/* " (FILE:line)" as messages have it. */
static const char *place(int line) {
  static char text[256];

  snprintf(text, sizeof text, " (%s:%d)", __FILE__, line);
  return text;
}

static void assert_ends(const char *text, const char *end) {
  const size_t n = strlen(text), k = strlen(end);

  if (n < k || strcmp(text + n - k, end) != 0)
    fail_msg("\"%s\" does not end with \"%s\"", text, end);
}

static int line_of(const gg_var *v) {
  int line;

  assert_non_null(v);
  assert_string_equal(gg_var_site(v, &line), __FILE__);
  return line;
}

static gg_var *halve(gg_var *x) {
  return gg_mul(gg_f32(gg_var_graph(x), 0.5f), x);
}

static void test_where(void **state) {
  gg_graph *g = gg_graph_new(NULL);
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1);
  const int line = __LINE__ - 1;

  (void)state;
  assert_int_equal(line_of(x), line);
  gg_var *y = gg_exp(gg_add(x, x));
  assert_int_equal(line_of(y), __LINE__ - 1);
  assert_int_equal(line_of(gg_var_owner(y)->in[0]), __LINE__ - 2);
  /* A node that was there keeps its place. */
  assert_ptr_equal(gg_exp(gg_add(x, x)), y);
  assert_int_equal(line_of(y), __LINE__ - 5);
  /* What a function of the user's builds is not built by its caller; what
   * follows is. */
  gg_var *z = gg_add(halve(x), y);
  assert_int_equal(line_of(z), __LINE__ - 1);
  assert_true(line_of(gg_var_owner(z)->in[0]) < line);
  gg_graph_free(g);
}

/* A layer of a user's own, with its callers' sites, and an op. */
static gg_var *shifted(gg_var *x) {
  return gg_add(halve(x), x);
}
#define shifted(...) GG_SITED_CALLER(shifted, __VA_ARGS__)

static gg_var *twice_shifted(gg_var *x) {
  return gg_exp(shifted(x));
}
#define twice_shifted(...) GG_SITED_CALLER(twice_shifted, __VA_ARGS__)

static int refuse(const gg_apply *a, gg_type *out) {
  (void)out;
  return gg_op_fail(a, GA_VALUE_ERROR, "never");
}

static const gg_op picky = {
    .name = "picky", .kind = GG_OP_PERFORM, .n_out = 1, .infer = refuse};

static void test_callers(void **state) {
  gg_graph *g = gg_graph_new(NULL);
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1);

  (void)state;
  gg_var *y = shifted(x);
  assert_int_equal(line_of(y), __LINE__ - 1);
  assert_int_equal(line_of(gg_var_owner(y)->in[0]), __LINE__ - 2);
  gg_var *z = twice_shifted(gg_neg(x));
  assert_int_equal(line_of(z), __LINE__ - 1);
  assert_int_equal(line_of(gg_var_owner(z)->in[0]), __LINE__ - 2);
  gg_var *after = gg_log(x);
  assert_int_equal(line_of(after), __LINE__ - 1);
  assert_null(gg_op_apply(g, &picky, NULL, 1, &x));
  assert_ends(gg_graph_error(g), place(__LINE__ - 1));
  gg_graph_free(g);
}

static void test_without(void **state) {
  gg_graph *g = gg_graph_new(NULL);
  gg_var *x = (gg_input)(g, "x", GA_FLOAT, 1);
  gg_var *(*const add)(gg_var *, gg_var *) = gg_add;
  int line = 7;

  (void)state;
  assert_null(gg_var_site(x, &line));
  assert_int_equal(line, 0);
  assert_null(gg_var_site(add(x, x), NULL));
  assert_null(gg_var_site(NULL, &line));
  gg_site_enter("model.py", 12);
  assert_string_equal(gg_var_site(gg_site_leave(gg_exp(x)), &line), __FILE__);
  gg_site_enter("model.py", 12);
  x = gg_site_leave((gg_exp2)(x));
  assert_string_equal(gg_var_site(x, &line), "model.py");
  assert_int_equal(line, 12);
  gg_site_leave(NULL); /* one too many is fine */
  gg_graph_free(g);
}

static void test_messages(void **state) {
  const int64_t three = 3, four = 4;
  gg_graph *g = gg_graph_new(NULL);
  gg_var *x = gg_input_sized(g, "x", GA_FLOAT, 1, &three);
  gg_var *y = gg_input_sized(g, "y", GA_FLOAT, 1, &four), *dx;

  (void)state;
  assert_null(gg_mul(x, gg_exp(gg_add(x, y))));
  assert_ends(gg_graph_error(g), place(__LINE__ - 1));
  gg_graph_reset_error(g);
  assert_code(GA_VALUE_ERROR, gg_grad(&dx, x, 1, &x));
  assert_ends(gg_graph_error(g), place(__LINE__ - 1));
  gg_graph_reset_error(g);
  assert_null(gg_input(g, "z", -5, 1));
  assert_ends(gg_graph_error(g), place(__LINE__ - 1));
  gg_graph_free(g);
}

/* A gradient that does not exist: where the op was built, not where the
 * gradient was asked for. */
static void test_gradient_messages(void **state) {
  gg_graph *g = gg_graph_new(NULL);
  gg_var *x = gg_input(g, "x", GA_FLOAT, 0),
         *dir = gg_input(g, "v", GA_FLOAT, 0);
  gg_var *y = gg_undefined_gradient(x, "a label"), *z = gg_sqr(y), *d;
  const int line = __LINE__ - 1;

  (void)state;
  assert_code(GA_UNSUPPORTED_ERROR, gg_grad(&d, z, 1, &x));
  assert_ends(gg_graph_error(g), place(line));
  gg_graph_reset_error(g);
  assert_code(GA_UNSUPPORTED_ERROR, gg_rop(&d, 1, &z, 1, &x, &dir));
  assert_ends(gg_graph_error(g), place(line));
  gg_graph_free(g);
}

/* gg_func_new tells where it was called, or where what it refuses was built. */
static void test_compile_messages(void **state) {
  gg_graph *g = gg_graph_new(test_context());
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1);
  gg_func *f;

  (void)state;
  assert_code(GA_VALUE_ERROR,
              gg_func_new(&f, g,
                          &(gg_func_spec){.inputs = GG_VARS(x),
                                          .outputs = GG_VARS(gg_f32(g, 1))}));
  assert_non_null(strstr(gg_graph_error(g), __FILE__));
  assert_null(strstr(strstr(gg_graph_error(g), __FILE__) + 1, __FILE__));
  gg_graph_free(g);
}

/* Sizes that clash at run time: the node's place, after rewriting too. */
static void test_run_messages(void **state) {
  const float data[4] = {1, 2, 3, 4};
  gg_graph *g = gg_graph_new(test_context());
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1), *y = gg_input(g, "y", GA_FLOAT, 1);
  gg_var *z = gg_add(gg_neg(x), gg_exp(y));
  const int line = __LINE__ - 1;
  GpuArray a, b, out = {0};
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x, y), .outputs = GG_VARS(z)});

  (void)state;
  gg_graph_free(g);
  float_vector(&a, 3, data);
  float_vector(&b, 4, data);
  assert_code(GA_VALUE_ERROR,
              gg_func_call(f, (GpuArray *[]){&a, &b}, (GpuArray *[]){&out}));
  assert_ends(gg_func_error(f), place(line));
  gg_func_free(f);
  GpuArray_clear(&a);
  GpuArray_clear(&b);
}

static void test_deep(void **state) {
  gg_graph *g = gg_graph_new(NULL);
  gg_var *x = (gg_input)(g, "x", GA_FLOAT, 1);

  (void)state;
  for (unsigned int i = 0; i < 1000; i++)
    gg_site_enter("deep.c", (int)i);
  x = (gg_exp)(x);
  assert_string_equal(gg_var_site(x, NULL), "deep.c");
  for (unsigned int i = 0; i < 1000; i++)
    assert_int_equal(gg_site_leave_code(4), 4);
  assert_null(gg_var_site((gg_log)(x), NULL));
  gg_graph_free(g);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_where),
      cmocka_unit_test(test_callers),
      cmocka_unit_test(test_without),
      cmocka_unit_test(test_messages),
      cmocka_unit_test(test_gradient_messages),
      cmocka_unit_test(test_compile_messages),
      cmocka_unit_test(test_run_messages),
      cmocka_unit_test(test_deep),
  };

  return cmocka_run_group_tests_name("site", tests, NULL, test_context_drop);
}
