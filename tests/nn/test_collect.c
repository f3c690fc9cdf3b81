/* SPDX-License-Identifier: BSD-2-Clause */
/* Steps over several calls, and costs with a scale. */
#include "nn/params_case.h"

#include <math.h>

#include "base/half.h"

enum { I = 3, U = 2, ROWS = 8, PARTS = 4, STEPS = 3 };

typedef struct trial {
  gg_params *p;
  gg_func *f;
} trial;

static void make(trial *t, gg_var *x, gg_var *y, unsigned int accumulate,
                 double scale) {
  gg_optimiser how = gg_adam_w(0.1);

  how.clip_norm = 0.5;
  how.average = 1;
  how.accumulate = accumulate;
  how.scale = scale;
  t->p = gg_params_new(g, GA_DOUBLE, 3);
  gg_var *cost =
      gg_loss_squared(gg_nn_dense(t->p, "d", x, U, 0), y, GG_LOSS_MEAN);
  t->f =
      func_make(g, &(gg_func_spec){.inputs = GG_VARS(x, y),
                                   .outputs = GG_VARS(cost),
                                   .updates = gg_optimise(t->p, cost, &how)});
}

static void drop(trial *t) {
  gg_func_free(t->f);
  gg_params_free(t->p);
}

static void read_weight(const trial *t, double *to) {
  assert_ok(
      gg_shared_read(gg_params_find(t->p, "d.weight"), to, I * U * sizeof *to));
}

static double read_number(const gg_var *v) {
  double n;

  assert_non_null(v);
  assert_ok(gg_shared_read(v, &n, sizeof n));
  return n;
}

/* Rows from `first` on, through one trial. */
static void run(const trial *t, const double *x, const double *y, size_t first,
                size_t rows) {
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  test_array(&a, GA_DOUBLE, 2, (size_t[]){rows, I}, &x[first * I]);
  test_array(&b, GA_DOUBLE, 2, (size_t[]){rows, U}, &y[first * U]);
  func_run(t->f, (GpuArray *[]){&a, &b}, (GpuArray *[]){&out});
}

/* Steps of four small batches are those of one large batch. */
static void small_batches_add_up(void **state) {
  double x_data[STEPS * ROWS * I], y_data[STEPS * ROWS * U], large[I * U],
      small[I * U], before[I * U];
  gg_var *x = gg_input_sized(g, "x", GA_DOUBLE, 2, (int64_t[]){-1, I}),
         *y = gg_input(g, "y", GA_DOUBLE, 2);
  trial t[2];

  (void)state;
  test_need_double();
  test_fill(x_data, GA_DOUBLE, STEPS * ROWS * I, -1, 1, 1);
  test_fill(y_data, GA_DOUBLE, STEPS * ROWS * U, -1, 1, 2);
  make(&t[0], x, y, 0, 0);
  make(&t[1], x, y, PARTS, 1024);
  for (size_t i = 0; i < STEPS; i++) {
    run(&t[0], x_data, y_data, i * ROWS, ROWS);
    read_weight(&t[0], large);
    read_weight(&t[1], before);
    for (size_t k = 0; k < PARTS; k++) {
      read_weight(&t[1], small);
      assert_memory_equal(small, before, sizeof small);
      run(&t[1], x_data, y_data, i * ROWS + k * ROWS / PARTS, ROWS / PARTS);
    }
    read_weight(&t[1], small);
    test_close(GA_DOUBLE, small, large, I * U, 1e-12, 1e-12);
  }
  assert_null(gg_params_scale(t[0].p));
  assert_true(read_number(gg_params_scale(t[1].p)) == 1024);
  drop(&t[0]);
  drop(&t[1]);
}

/* --- steps that are left out --- */

/* w - x in each call, for cost w x. */
static gg_func *make_simple(unsigned int accumulate, gg_var **w) {
  gg_var *x = gg_input(g, "x", GA_DOUBLE, 0);
  gg_optimiser how = gg_sgd(1);

  how.momentum = 0.5;
  how.scale = 8;
  how.scale_every = 2;
  how.accumulate = accumulate;
  *w = gg_param(p, "w", 0, NULL, gg_init_constant(0));
  gg_var *cost = gg_mul(*w, x);
  return func_make(g, &(gg_func_spec){.inputs = GG_VARS(x),
                                      .outputs = GG_VARS(cost),
                                      .updates = gg_optimise(p, cost, &how)});
}

static void call(gg_func *f, double x) {
  GpuArray_clear(&a);
  test_array(&a, GA_DOUBLE, 0, NULL, &x);
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out});
}

/* The scale halves when a gradient is no number and doubles after two that
 * are; what the optimiser remembers stays. */
static void steps_without_numbers_are_left_out(void **state) {
  const double x[8] = {1, INFINITY, 1, 1, NAN, -INFINITY, 1, 1},
               scale[8] = {8, 4, 4, 8, 4, 2, 2, 4};
  double m = 0, want = 0;
  gg_var *w;

  (void)state;
  test_need_double();
  gg_func *f = make_simple(0, &w);
  for (int i = 0; i < 8; i++) {
    call(f, x[i]);
    if (isfinite(x[i])) {
      m = 0.5 * m + x[i];
      want -= m;
    }
    assert_true(read_number(w) == want);
    assert_true(read_number(gg_params_scale(p)) == scale[i]);
  }
  gg_func_free(f);
}

/* One call without a number leaves out the step that it belongs to. */
static void sums_without_numbers_are_left_out(void **state) {
  const double x[6] = {1, NAN, 1, 3, 5, 7}, want[6] = {0, 0, 0, -2, -2, -9},
               scale[6] = {8, 4, 4, 4, 4, 8};
  gg_var *w;

  (void)state;
  test_need_double();
  test_need_full();
  gg_func *f = make_simple(2, &w);
  for (int i = 0; i < 6; i++) {
    call(f, x[i]);
    assert_true(read_number(w) == want[i]);
    assert_true(read_number(gg_params_scale(p)) == scale[i]);
  }
  gg_func_free(f);
}

/* A gradient of 1e-8, which float16 does not have. */
static void scales_keep_small_gradients(void **state) {
  const uint16_t small = ga__half_from_double(1e-4);
  gg_params *half = gg_params_new(g, GA_HALF, 3);
  gg_var *x = gg_input(g, "x", GA_HALF, 0);
  gg_optimiser how = gg_sgd(1e6);
  uint16_t got;

  (void)state;
  test_need_full();
  how.scale = 4096;
  gg_var *w = gg_param(half, "w", 0, NULL, gg_init_constant(0));
  gg_var *cost = gg_mul(gg_mul(w, x), x);
  gg_func *f =
      func_make(g, &(gg_func_spec){.inputs = GG_VARS(x),
                                   .outputs = GG_VARS(cost),
                                   .updates = gg_optimise(half, cost, &how)});
  test_array(&a, GA_HALF, 0, NULL, &small);
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out});
  assert_ok(gg_shared_read(w, &got, sizeof got));
  assert_true(fabs(ga__half_to_float(got) + 0.01) < 1e-4);
  gg_func_free(f);
  gg_params_free(half);
}

static void bad_scales_are_refused(void **state) {
  gg_var *cost = gg_sqr(gg_param(p, "w", 0, NULL, gg_init_constant(0)));
  gg_optimiser how = gg_sgd(1);

  (void)state;
  assert_null(gg_params_scale(NULL));
  how.scale = -1;
  assert_null(gg_optimise(p, cost, &how));
  graph_says(GA_VALUE_ERROR, "the scale is -1, out of its range");
  how.scale = INFINITY;
  assert_null(gg_optimise(p, cost, &how));
  graph_says(GA_VALUE_ERROR, "the scale is inf");
}

#define TEST(name)                                                             \
  cmocka_unit_test_setup_teardown(name, params_setup, params_teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(small_batches_add_up), TEST(steps_without_numbers_are_left_out),
      TEST(sums_without_numbers_are_left_out),
      TEST(scales_keep_small_gradients), TEST(bad_scales_are_refused)};

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
