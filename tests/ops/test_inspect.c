/* SPDX-License-Identifier: BSD-2-Clause */
/* Values that are shown or checked on their way. */
#undef GG_NO_SITES
#include <string.h>

#include "support/funcs.h"
#include "support/roundtrip.h"

#include <gpugraph/debug.h>

static gg_graph *g;

static int setup(void **state) {
  (void)state;
  g = gg_graph_new(test_context());
  return g == NULL;
}

static int teardown(void **state) {
  (void)state;
  gg_graph_free(g);
  g = NULL;
  return 0;
}

/* --- what a print meets --- */

typedef struct heard {
  int calls, answer;
  char message[32];
  float value[8];
} heard;

static int hear(void *arg, const char *message, const GpuArray *value) {
  heard *h = arg;

  h->calls++;
  snprintf(h->message, sizeof h->message, "%s", message);
  assert_true(test_size(value) <= 8);
  test_gather(value, h->value);
  return h->answer;
}

static gg_func *make(gg_var *const *in, gg_var *const *out,
                     const char *const *include) {
  const gg_func_spec spec = {.inputs = in, .outputs = out, .include = include};

  return func_make(g, &spec);
}

static int call(gg_func *f, const float *x, size_t n, GpuArray *y) {
  GpuArray a;

  float_vector(&a, n, x);
  int err = gg_func_call(f, (GpuArray *[]){&a}, (GpuArray *[]){y});
  GpuArray_clear(&a);
  return err;
}

static const float numbers[4] = {1, 2, 3, 4};

/* exp(2 x) with a print in the middle, of another on the input. */
static void test_print(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1);
  gg_var *y = gg_print(gg_mul(gg_print(x, "in"), gg_f32(g, 2)), "twice");
  const float want[4] = {1, 3, 5, 7};
  GpuArray out = {0};
  heard h = {0};

  (void)state;
  gg_graph_on_print(g, hear, &h);
  gg_func *f = make(GG_VARS(x), GG_VARS(gg_sub(y, gg_f32(g, 1))), NULL);
  assert_ok(call(f, numbers, 4, &out));
  assert_int_equal(h.calls, 2);
  assert_string_equal(h.message, "twice");
  for (int i = 0; i < 4; i++)
    assert_true(h.value[i] == 2 * numbers[i]);
  assert_floats(&out, want, 4);

  h.answer = GA_VALUE_ERROR;
  assert_code(GA_VALUE_ERROR, call(f, numbers, 4, &out));
  assert_int_equal(h.calls, 3);
  gg_func_free(f);
  GpuArray_clear(&out);
}

/* Equal ones are one; those that nobody asked for, or to hear, are silent. */
static void test_print_once(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1);
  gg_var *a = gg_exp(gg_print(x, "x")), *b = gg_sqr(gg_print(x, "x"));
  gg_func *f = make(GG_VARS(x), GG_VARS(gg_add(a, b)), NULL);
  GpuArray out = {0};
  heard h = {0};

  (void)state;
  gg_print(x, "unused");
  assert_ok(call(f, numbers, 4, &out));
  gg_func_free(f);
  gg_graph_on_print(g, hear, &h);
  f = make(GG_VARS(x), GG_VARS(gg_add(a, b)), NULL);
  assert_ok(call(f, numbers, 4, &out));
  assert_int_equal(h.calls, 1);
  gg_func_free(f);
  GpuArray_clear(&out);
}

/* In the body of a loop, at every step. */
static gg_var *show_row(void *arg, gg_var *row) {
  (void)arg;
  return gg_print(gg_add(row, row), "row");
}

static void test_print_in_loop(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1);
  gg_var *rows = gg_map(show_row, NULL, x);
  const float want[4] = {2, 4, 6, 8};
  GpuArray out = {0};
  heard h = {0};

  (void)state;
  gg_graph_on_print(g, hear, &h);
  gg_func *f = make(GG_VARS(x), GG_VARS(rows), NULL);
  assert_ok(call(f, numbers, 4, &out));
  assert_int_equal(h.calls, 4);
  assert_true(h.value[0] == 8);
  assert_floats(&out, want, 4);
  gg_func_free(f);
  GpuArray_clear(&out);
}

/* --- assertions --- */

static gg_var *positive(gg_var *x) {
  return gg_assert(x, gg_gt(x, gg_f32(g, 0)), "x must be positive");
}

static void test_assert(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1);
  const float zero = 0, bad[4] = {1, 2, -3, 4}, want[4] = {1, 4, 9, 16};
  gg_var *s = gg_shared_host(g, "s", GA_FLOAT, 0, NULL, &zero);
  gg_var *y = gg_sqr(positive(x));
  const gg_update update[] = {{s, gg_sum(y)}, {NULL, NULL}};
  const gg_func_spec spec = {
      .inputs = GG_VARS(x), .outputs = GG_VARS(y), .updates = update};
  gg_func *f = func_make(g, &spec);
  GpuArray out = {0};

  (void)state;
  assert_code(GA_VALUE_ERROR, call(f, bad, 4, &out));
  assert_non_null(strstr(gg_func_error(f), "x must be positive"));
  assert_non_null(strstr(gg_func_error(f), "test_inspect.c:"));
  assert_shared(s, &zero, 1);
  assert_ok(call(f, numbers, 4, &out));
  assert_floats(&out, want, 4);
  assert_shared(s, (const float[]){30}, 1);
  gg_func_free(f);
  GpuArray_clear(&out);
}

/* Gradients pass both, and the condition has none. */
static void test_gradients(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1), *grad[1];
  const float want[4] = {2, 4, 6, 8};
  GpuArray out = {0};

  (void)state;
  assert_ok(gg_grad(grad, gg_sum(gg_sqr(positive(gg_print(x, "x")))), 1,
                    (gg_var *[]){x}));
  gg_func *f = make(GG_VARS(x), GG_VARS(grad[0]), NULL);
  assert_ok(call(f, numbers, 4, &out));
  assert_floats(&out, want, 4);
  gg_func_free(f);
  GpuArray_clear(&out);
}

/* --- left out, written down, refused --- */

static void test_removed(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1);
  gg_var *y = gg_sqr(positive(gg_print(x, "x")));
  const float bad[4] = {1, 2, -3, 4}, want[4] = {1, 4, 9, 16};
  GpuArray out = {0};
  heard h = {0};

  (void)state;
  gg_graph_on_print(g, hear, &h);
  gg_func *f =
      make(GG_VARS(x), GG_VARS(y), GG_NAMES("remove print", "remove assert"));
  assert_ok(call(f, bad, 4, &out));
  assert_floats(&out, want, 4);
  assert_int_equal(h.calls, 0);
  assert_int_equal(func_stats(f).steps, 1);
  gg_func_free(f);
  f = make(GG_VARS(x), GG_VARS(y), GG_NAMES("remove print"));
  assert_code(GA_VALUE_ERROR, call(f, bad, 4, &out));
  gg_func_free(f);
  GpuArray_clear(&out);
}

static void test_text(void **state) {
  static const refused_text refused[] = {
      {"x = input float32[?]\ny = print{message=x}(x)\n", "a text in quotes"},
      {"x = input float32[?]\ny = print(x)\n", "message"},
      {"x = input float32[?]\ny = assert{message=\"a\"}(x, x)\n", "bool"}};

  (void)state;
  assert_same_text("x = input float32[?]\nb = input bool\n"
                   "y = assert{message=\"a \\\"b\\\" \\x0a\"}"
                   "(print{message=\"\"}(x), b)\n");
  assert_same_text("x = input float32[?]\n"
                   "y = undefined_gradient{message=\"a label\"}(x)\n");
  assert_texts_refused(sizeof refused / sizeof refused[0], refused);
}

static void test_refused(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1);
  char message[200];

  (void)state;
  memset(message, 'a', sizeof message);
  message[199] = '\0';
  assert_null(gg_print(x, message));
  assert_non_null(strstr(gg_graph_error(g), "199 bytes, expected at most 127"));
  assert_null(gg_print(NULL, "x"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_print),
      TEST(test_print_once),
      TEST(test_print_in_loop),
      TEST(test_assert),
      TEST(test_gradients),
      TEST(test_removed),
      cmocka_unit_test(test_text),
      TEST(test_refused),
  };
  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
