/* SPDX-License-Identifier: BSD-2-Clause */
/* bfloat16 in graphs: a training beside the same one in float32, and what
 * kernels make of mixed dtypes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "support/graph_case.h"
#include "support/roundtrip.h"

enum { ROWS = 24, IN = 12, OUT = 5, STEPS = 20 };

static const char model[] = "x = input %s[?, 12]\n"
                            "y = input int64[?]\n"
                            "w = shared %s[12, 5]\n"
                            "b = shared %s[5] {0.5, 0, -0.25, 0, 0}\n"
                            "p = softmax(add(dot(x, w), b))\n"
                            "cost = mean(crossentropy(p, y))\n"
                            "function test(x, y) -> (p, cost)\n";

/* The costs of each step. */
static void train(int dtype, gg_mode mode, double costs[STEPS]) {
  const char *name = ga__dtype_name(dtype);
  const size_t dims[2] = {ROWS, IN}, rows = ROWS;
  char text[1024], data[ROWS * IN * 4];
  int64_t classes[ROWS];
  gg_var *grad[2];

  for (size_t i = 0; i < ROWS; i++) {
    classes[i] = (int64_t)(i % OUT);
    for (size_t k = 0; k < IN; k++) /* exact in either dtype */
      test_set(data, dtype, i * IN + k,
               (double)(i % OUT == k) + (double)(i * 7 % 5 + k * k % 3) / 8);
  }
  snprintf(text, sizeof text, model, name, name, name);
  gg_graph *h = graph_of_text(test_context(), text);
  gg_graph *again = graph_of_file(test_context(), h);
  gg_graph_free(h);
  gg_var *x = gg_graph_find(again, "x"), *w = gg_graph_find(again, "w"),
         *bias = gg_graph_find(again, "b"),
         *cost = gg_graph_find(again, "cost");
  assert_int_equal(gg_var_type(cost)->dtype, dtype);
  assert_ok(gg_grad(grad, cost, 2, (gg_var *[]){w, bias}));
  /* The rate is an integer: it takes the weights' dtype. */
  gg_var *rate = gg_cast(gg_i64(again, 2), GA_INT);
  gg_func *f = func_make(
      again, &(gg_func_spec){.inputs = GG_VARS(x, gg_graph_find(again, "y")),
                             .outputs = GG_VARS(cost),
                             .updates = GG_UPDATES(
                                 {w, gg_sub(w, gg_mul(rate, grad[0]))},
                                 {bias, gg_sub(bias, gg_mul(rate, grad[1]))}),
                             .mode = mode});
  test_array(&a, dtype, 2, dims, data);
  test_array(&b, GA_LONG, 1, &rows, classes);
  for (int i = 0; i < STEPS; i++) {
    char raw[8];

    func_run(f, (GpuArray *[]){&a, &b}, (GpuArray *[]){&out});
    test_gather(&out, raw);
    costs[i] = test_get(raw, dtype, 0);
  }
  gg_func_free(f);
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  GpuArray_clear(&out);
  gg_graph_free(again);
}

/* Weights are rounded to 8 bits at each step, and so is the cost. */
static void test_training(void **state) {
  double wide[STEPS], narrow[STEPS];

  (void)state;
  train(GA_FLOAT, GG_FAST_RUN, wide);
  train(GA_BFLOAT, GG_FAST_RUN, narrow);
  for (int i = 0; i < STEPS; i++)
    if (!(fabs(narrow[i] - wide[i]) <= 0.05 * wide[0]))
      fail_msg("step %d: cost %g, of float32 %g", i, narrow[i], wide[i]);
  assert_true(narrow[STEPS - 1] < 0.3 * narrow[0]);
}

/* Debug mode compares every kernel with the host. */
static void test_debug(void **state) {
  double costs[STEPS];

  (void)state;
  test_need_full();
  train(GA_BFLOAT, GG_DEBUG, costs);
  assert_true(costs[STEPS - 1] < 0.3 * costs[0]);
}

/* Between two kernels a value has 8 bits, in one kernel 24; float16 and
 * bfloat16 meet in float32. */
static void test_mixed(void **state) {
  static const uint16_t halfs[2] = {0x3c01, 0xbc01};   /* +-(1 + 2^-10) */
  static const uint16_t bfloats[2] = {0x3f81, 0x4000}; /* 1 + 2^-7, 2 */
  gg_var *h = gg_input(g, "h", GA_HALF, 1), *v = gg_input(g, "v", GA_BFLOAT, 1);
  gg_var *sum = gg_add(h, v), *back = gg_cast(sum, GA_BFLOAT);
  const size_t n = 2;
  float got[2];
  uint16_t bits[2];

  (void)state;
  assert_int_equal(gg_var_type(sum)->dtype, GA_FLOAT);
  gg_func *f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(h, v),
                                            .outputs = GG_VARS(sum, back)});
  test_array(&a, GA_HALF, 1, &n, halfs);
  test_array(&b, GA_BFLOAT, 1, &n, bfloats);
  func_run(f, (GpuArray *[]){&a, &b}, (GpuArray *[]){&out, &out2});
  test_gather(&out, got);
  test_gather(&out2, bits);
  assert_true(got[0] == 2 + 0x1p-7f + 0x1p-10f && got[1] == 1 - 0x1p-10f);
  assert_int_equal(bits[0], 0x4001); /* above the middle of 0x4000, 0x4001 */
  assert_int_equal(bits[1], 0x3f80);
  gg_func_free(f);
}

static void set_all(int dtype, uint16_t *bits, size_t *n) {
  const unsigned inf = dtype == GA_HALF ? 0x7c00 : 0x7f80;

  *n = 0;
  for (unsigned i = 0; i < 65536; i++)
    if ((i & 0x7fffu) <= inf)
      bits[(*n)++] = (uint16_t)i;
}

/* The next number of the dtype above each: bits grow with positive numbers. */
static void check_next(int dtype) {
  static uint16_t bits[65536], got[65536];
  gg_var *x = gg_input(g, "x", dtype, 1);
  gg_var *up = gg_scalar(g, dtype, INFINITY);
  size_t n;

  set_all(dtype, bits, &n);
  gg_func *f =
      func_make(g, &(gg_func_spec){.inputs = GG_VARS(x),
                                   .outputs = GG_VARS(gg_nextafter(x, up)),
                                   .flags = GG_KEEP_SUBNORMALS});
  test_array(&a, dtype, 1, &n, bits);
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out});
  test_gather(&out, got);
  for (size_t i = 0; i < n; i++) {
    const unsigned u = bits[i], inf = dtype == GA_HALF ? 0x7c00 : 0x7f80;
    const unsigned want = u == inf             ? inf
                          : (u & 0x7fffu) == 0 ? 1
                          : (u & 0x8000u) != 0 ? u - 1
                                               : u + 1;
    if (got[i] != want)
      fail_msg("%s: after %04x comes %04x, not %04x", ga__dtype_name(dtype), u,
               want, got[i]);
  }
  gg_func_free(f);
  GpuArray_clear(&a);
  GpuArray_clear(&out);
}

static void test_next(void **state) {
  (void)state;
  check_next(GA_HALF);
  check_next(GA_BFLOAT);
}

#define TEST(name)                                                             \
  cmocka_unit_test_setup_teardown(name, graph_setup, graph_teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_training),
      TEST(test_debug),
      TEST(test_mixed),
      TEST(test_next),
  };

  return cmocka_run_group_tests_name("bfloat16 in graphs", tests, NULL,
                                     test_context_drop);
}
