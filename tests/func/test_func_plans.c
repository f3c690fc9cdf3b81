/* SPDX-License-Identifier: BSD-2-Clause */
/* Plans that a function makes, keeps and gives up, and the memory they need. */
#include <gpuarray/profile.h>
#include <string.h>

#include "support/graph_case.h"

static const float six[6] = {1, 2, 3, 4, 5, 6};

/* More shapes than plans are kept for. */
static void test_many_shapes(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1);
  gg_var *y = gg_mul(gg_sum(x), gg_exp(gg_mul(x, gg_f32(g, 0))));
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x), .outputs = GG_VARS(y)});
  float v[40], want[40];

  (void)state;
  for (size_t i = 0; i < 40; i++)
    v[i] = 1;
  for (int turn = 0; turn < 2; turn++)
    for (size_t n = 1; n <= 40; n++) {
      for (size_t i = 0; i < n; i++)
        want[i] = (float)n;
      float_vector(&a, n, v);
      func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out});
      assert_floats(&out, want, n);
      GpuArray_clear(&a);
    }
  assert_int_equal(func_stats(f).plans, 80);
  gg_func_free(f);
}

/* Bytes that the context has handed out. */
static uint64_t in_use(void) {
  gpucontext_counters c;

  assert_ok(gpucontext_count(test_context(), &c));
  return c.used_bytes;
}

enum { LEAPS = GG_MAX_PLANS + 8 };

/* x with elements `leap` apart: each leap is a plan of its own. */
static void leap_over(GpuArray *x, const GpuArray *whole, size_t leap) {
  const size_t two = 2;
  const ssize_t stride = (ssize_t)(leap * sizeof(float));

  assert_ok(
      GpuArray_fromdata(x, whole->data, 0, GA_FLOAT, 1, &two, &stride, 1));
}

/* A plan has a table, since positions come from the host. What it holds is
 * given back when it makes room, and its values are right when it is made
 * again. */
static void test_given_up(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1);
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x),
                         .outputs = GG_VARS(gg_positions(x, 0), gg_sqr(x))});
  float v[2 * LEAPS];
  uint64_t used[LEAPS + 1];
  GpuArray row;

  (void)state;
  for (size_t k = 0; k < 2 * LEAPS; k++)
    v[k] = (float)k;
  float_vector(&a, 2 * LEAPS, v);
  for (int turn = 0; turn < 2; turn++)
    for (size_t k = 1; k <= LEAPS; k++) {
      leap_over(&row, &a, k);
      func_run(f, (GpuArray *[]){&row}, (GpuArray *[]){&b, &out});
      test_array_equal(&b, (int64_t[]){0, 1});
      assert_floats(&out, (float[]){0, (float)(k * k)}, 2);
      GpuArray_clear(&row);
      if (turn == 0)
        used[k] = in_use();
      assert_int_equal(func_stats(f).plans_kept,
                       turn == 0 && k < GG_MAX_PLANS ? k : GG_MAX_PLANS);
    }
  assert_int_equal(func_stats(f).plans, 2 * LEAPS);
  assert_true(used[GG_MAX_PLANS] > used[1]);
  for (size_t k = GG_MAX_PLANS; k <= LEAPS; k++)
    assert_int_equal(used[k], used[GG_MAX_PLANS]);
  gg_func_free(f);
}

/* The plan that is in use stays, however many others come and go. */
static void test_stays(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1);
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x), .outputs = GG_VARS(gg_exp(x))});
  float v[2 * LEAPS] = {0};
  GpuArray row;

  (void)state;
  float_vector(&a, 2 * LEAPS, v);
  for (size_t k = 1; k <= LEAPS; k++)
    for (size_t one = 0; one < 2; one++) {
      leap_over(&row, &a, one ? 1 : k);
      func_run(f, (GpuArray *[]){&row}, (GpuArray *[]){&out});
      GpuArray_clear(&row);
    }
  assert_int_equal(func_stats(f).plans, LEAPS);
  gg_func_free(f);
}

/* --- memory --- */

/* A chain in which each value dies when the next is there: two buffers do, and
 * the function's figures say what that saves. */
static void test_peak(void **state) {
  enum { STEPS = 6 };
  const size_t column = 2 * sizeof(float), matrix = 6 * sizeof(float);
  gg_var *x = gg_input(g, "x", GA_FLOAT, 2), *y = x;
  gg_func *f;

  (void)state;
  for (int k = 0; k < STEPS; k++)
    y = gg_exp(gg_sub(y, gg_reduce(GG_MAX, y, 1, (int[]){1}, 1)));
  f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(x),
                                   .outputs = GG_VARS(y),
                                   .mode = GG_NO_REWRITE});
  float_array(&a, 2, (size_t[]){2, 3}, six);
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out});
  gg_func_stats st = func_stats(f);
  assert_int_equal(st.temp_bytes_alone, STEPS * (column + 2 * matrix) - matrix);
  assert_true(st.temp_bytes > 0);
  assert_true(st.temp_bytes <= 2 * (column + matrix));
  gg_func_free(f);
}

/* Outputs that become views are never given memory, by the first call either.
 */
static void test_nothing_for_views(void **state) {
  const size_t dims[2] = {1 << 11, 1 << 11};
  const size_t bytes = dims[0] * dims[1] * sizeof(float);
  gg_var *x = gg_input(g, "x", GA_FLOAT, 2), *t = gg_transpose(x);
  gg_func *f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(x),
                                            .outputs = GG_VARS(x, t),
                                            .borrowed_outputs = GG_VARS(x, t)});
  gpucontext_counters c;

  (void)state;
  assert_ok(GpuArray_empty(&a, test_context(), GA_FLOAT, 2, dims, GA_C_ORDER));
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out, &b});
  assert_true(GpuArray_share(&a, &out) && GpuArray_share(&a, &b));
  assert_ok(gpucontext_count(test_context(), &c));
  assert_true(c.peak_bytes < 2 * bytes);
  gg_func_free(f);
}

#define TEST(name)                                                             \
  cmocka_unit_test_setup_teardown(name, graph_setup, graph_teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_many_shapes), TEST(test_given_up),          TEST(test_stays),
      TEST(test_peak),        TEST(test_nothing_for_views),
  };

  return cmocka_run_group_tests_name("func_plans", tests, NULL,
                                     test_context_drop);
}
