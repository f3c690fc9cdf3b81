/* SPDX-License-Identifier: BSD-2-Clause */
/* How many steps loops have: by shapes, by an input, none, ends before the last
 * one, and sequences that do not agree. */
#include <math.h>
#include <string.h>

#include "scan_forms.h"

/* --- numbers --- */

static void steps_follow_from_shapes(void **state) {
  gg_var *x = vector("x");
  gg_scan *s = gg_scan_open(g);
  gg_func *f;

  (void)state;
  gg_var *h = gg_scan_state(s, gg_f32(g, 1));
  gg_scan_next(s, h, gg_add(h, h));
  gg_scan_steps(s, gg_add(gg_shape(x, 0), gg_i64(g, 1)));
  gg_scan_close(s);
  f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(x),
                                   .outputs = GG_VARS(gg_scan_last(s, h))});
  gg_scan_free(s);
  for (size_t n = 1; n < 10; n += 4) {
    float_vector(&in, n, ten);
    func_run(f, (GpuArray *[]){&in}, (GpuArray *[]){&out});
    float want = ldexpf(1, (int)n + 1);
    assert_floats(&out, &want, 1);
    GpuArray_clear(&in);
  }
  gg_func_free(f);
}

/* 2^n by n steps, n an input. */
static void steps_may_be_an_input(void **state) {
  static const int numbers[] = {3, 7, 3, 0};
  gg_var *n = gg_input(g, "n", GA_INT, 0);
  gg_scan *s = gg_scan_open(g);
  gg_func *f;

  (void)state;
  gg_var *h = gg_scan_state(s, gg_f32(g, 1));
  gg_scan_next(s, h, gg_add(h, h));
  gg_scan_steps(s, gg_add(n, gg_scalar(g, GA_INT, 1)));
  gg_scan_close(s);
  f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(n),
                                   .outputs = GG_VARS(gg_scan_last(s, h))});
  gg_scan_free(s);
  for (size_t i = 0; i < 4; i++) {
    test_array(&in, GA_INT, 0, NULL, &numbers[i]);
    func_run(f, (GpuArray *[]){&in}, (GpuArray *[]){&out});
    float want = ldexpf(1, numbers[i] + 1);
    assert_floats(&out, &want, 1);
    GpuArray_clear(&in);
  }
  assert_int_equal(func_stats(f).plans, 3);
  gg_func_free(f);
}

static void a_loop_may_have_no_steps(void **state) {
  gg_var *xs = vector("xs");
  gg_scan *s = gg_scan_open(g);
  gg_func *f;
  const float three = 3;

  (void)state;
  gg_var *x = gg_scan_sequence(s, xs, 0);
  gg_var *h = gg_scan_state(s, gg_f32(g, 3));
  gg_scan_next(s, h, gg_mul(h, x));
  gg_var *y = gg_scan_output(s, gg_exp(x));
  gg_scan_close(s);
  float_vector(&in, 0, ten);
  f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(xs),
                                   .outputs = GG_VARS(gg_scan_all(s, y),
                                                      gg_scan_last(s, h))});
  func_run(f, (GpuArray *[]){&in}, (GpuArray *[]){&out, &out2});
  assert_floats(&out, NULL, 0);
  assert_floats(&out2, &three, 1);
  gg_func_free(f);
  f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(xs),
                                   .outputs = GG_VARS(gg_scan_last(s, y))});
  gg_scan_free(s);
  assert_code(GA_VALUE_ERROR,
              gg_func_call(f, (GpuArray *[]){&in}, (GpuArray *[]){&out}));
  assert_non_null(strstr(gg_func_error(f), "scan: no step computes the last "
                                           "value of output 0"));
  gg_func_free(f);
}

/* --- ends --- */

/* x <- (x + 2 / x) / 2 until it changes little. */
static void a_loop_may_end_early(void **state) {
  gg_scan *s = gg_scan_open(g);
  gg_func *f;
  float got[20];
  double v = 1;

  (void)state;
  gg_var *x = gg_scan_state(s, gg_f32(g, 1));
  gg_var *next = gg_mul(gg_add(x, gg_div(gg_f32(g, 2), x)), gg_f32(g, 0.5f));
  gg_scan_next(s, x, next);
  gg_scan_until(s, gg_lt(gg_abs(gg_sub(next, x)), gg_f32(g, 1e-3f)));
  gg_scan_steps(s, gg_i64(g, 20));
  gg_scan_close(s);
  gg_var *roots = gg_scan_all(s, x);
  expect(gg_cast(gg_scan_count(s), GA_FLOAT), (float[]){4}, 1);
  expect(gg_scan_last(s, x), (float[]){1.41421356f}, 1);
  f = func_make(g, &(gg_func_spec){.outputs = GG_VARS(roots)});
  gg_scan_free(s);
  func_run(f, NULL, (GpuArray *[]){&out});
  func_run(f, NULL, (GpuArray *[]){&out});
  test_gather(&out, got);
  gg_func_free(f);
  for (int i = 0; i < 20; i++) {
    v = 0.5 * (v + 2 / v);
    assert_true(fabs(got[i] - (i < 4 ? v : 0)) < 1e-6);
  }
}

/* A condition that never holds: the number of steps is the bound. */
static void a_loop_cannot_run_forever(void **state) {
  gg_scan *s = gg_scan_open(g);
  gg_var *x = gg_scan_state(s, gg_f32(g, 1));

  (void)state;
  gg_scan_next(s, x, gg_add(x, gg_f32(g, 1)));
  gg_scan_until(s, gg_lt(x, gg_f32(g, 0)));
  assert_int_equal(gg_scan_close(s), GA_VALUE_ERROR);
  expect_error("scan: neither sequences nor a number of steps");
  gg_scan_steps(s, gg_i64(g, 7));
  assert_ok(gg_scan_close(s));
  expect(gg_cast(gg_scan_count(s), GA_FLOAT), (float[]){7}, 1);
  expect(gg_scan_last(s, x), (float[]){8}, 1);
  gg_scan_free(s);
}

/* --- errors of calls --- */

static void call_fails(gg_func *f, GpuArray *const *args, const char *message) {
  assert_code(GA_VALUE_ERROR, gg_func_call(f, args, (GpuArray *[]){&out}));
  if (strstr(gg_func_error(f), message) == NULL)
    fail_msg("%s", gg_func_error(f));
}

static void sizes_must_agree(void **state) {
  gg_var *xs = vector("xs"), *ys = vector("ys");
  gg_scan *s = gg_scan_open(g);
  gg_func *f;

  (void)state;
  gg_var *x = gg_scan_sequence(s, xs, 0);
  gg_var *h = gg_scan_output(s, gg_add(x, gg_scan_sequence(s, ys, 0)));
  gg_scan_close(s);
  f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(xs, ys),
                                   .outputs = GG_VARS(gg_scan_all(s, h))});
  gg_scan_free(s);
  float_vector(&in, 5, ten);
  float_vector(&out2, 3, ten);
  call_fails(f, (GpuArray *[]){&in, &out2},
             "scan: sequence 1 (ys) has 3 rows for 5 steps");
  call_fails(f, (GpuArray *[]){&out2, &in},
             "scan: sequence 1 (ys) has 5 rows for 3 steps");
  gg_func_free(f);

  s = gg_scan_open(g);
  h = gg_scan_state(s, xs);
  gg_scan_next(s, h, gg_join(0, 2, (gg_var *[]){h, h}));
  gg_scan_steps(s, gg_i64(g, 2));
  gg_scan_close(s);
  f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(xs),
                                   .outputs = GG_VARS(gg_scan_last(s, h))});
  gg_scan_free(s);
  call_fails(f, (GpuArray *[]){&in}, "dim 0: 5 at first, then 10");
  gg_func_free(f);
}

static void data_may_decide_the_steps(void **state) {
  gg_var *xs = vector("xs");
  gg_scan *s = gg_scan_open(g);
  const float plus = 1, minus = -1;
  gg_func *f;

  (void)state;
  gg_var *h = gg_scan_state(s, gg_f32(g, 1));
  gg_scan_next(s, h, gg_neg(h));
  gg_scan_steps(s, gg_cast(gg_max(xs), GA_INT));
  gg_scan_close(s);
  f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(xs),
                                   .outputs = GG_VARS(gg_scan_last(s, h))});
  gg_scan_free(s);
  for (size_t n = 2; n < 5; n++) {
    GpuArray_clear(&in);
    float_vector(&in, n, ten);
    func_run(f, (GpuArray *[]){&in}, (GpuArray *[]){&out});
    assert_floats(&out, (int)ten[n - 1] % 2 != 0 ? &minus : &plus, 1);
  }
  gg_func_free(f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(steps_follow_from_shapes),  TEST(steps_may_be_an_input),
      TEST(a_loop_may_have_no_steps),  TEST(a_loop_may_end_early),
      TEST(a_loop_cannot_run_forever), TEST(sizes_must_agree),
      TEST(data_may_decide_the_steps),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
