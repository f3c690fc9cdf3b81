/* SPDX-License-Identifier: BSD-2-Clause */
/* L-BFGS: minima beside SciPy's, what it tells, what it refuses. */
#include "nn/params_case.h"

#include <math.h>

enum { ROWS = 40, COLS = 3, PAIRS = 4 };

/* --- Rosenbrock's function --- */

/* sum(100 (y - x^2)^2 + (1 - x)^2) over the pairs (x, y) of neighbours. */
static gg_var *rosenbrock(gg_params *of) {
  const size_t n = 2 * PAIRS;
  double first[2 * PAIRS];

  for (size_t i = 0; i < n; i++)
    first[i] = i % 2 == 0 ? -1.2 : 1;
  gg_var *w = gg_param(of, "w", 1, &n, gg_init_constant(0));
  assert_ok(gg_shared_write(w, first, sizeof first));
  gg_var *x = gg_slice(w, 0, 0, (int64_t)n - 1, 1),
         *y = gg_slice(w, 0, 1, (int64_t)n, 1);
  return gg_sum(gg_add(gg_mul(gg_sqr(gg_sub(y, gg_sqr(x))), gg_f64(g, 100)),
                       gg_sqr(gg_sub(gg_f64(g, 1), x))));
}

typedef struct watcher {
  size_t calls, last; /* it stops at that call */
  double cost;
} watcher;

static int watch(void *arg, const gg_lbfgs_done *now) {
  watcher *w = arg;

  assert_int_equal(now->steps, ++w->calls);
  assert_true(now->cost <= w->cost && now->evaluations > now->steps);
  w->cost = now->cost;
  return w->calls == w->last ? gpuarray_fail(GA_MISC_ERROR, "enough")
                             : GA_NO_ERROR;
}

/* SciPy's L-BFGS-B makes 65 steps with 81 evaluations. */
static void a_curved_valley_is_followed_to_its_end(void **state) {
  watcher w = {.cost = INFINITY};
  gg_var *cost = rosenbrock(p);
  double x[2 * PAIRS];
  gg_lbfgs_done done;

  (void)state;
  test_need_double();
  assert_ok(gg_lbfgs(
      p, cost,
      &(gg_lbfgs_spec){
          .tolerance = 1e-9, .change = 1e-300, .each = watch, .arg = &w},
      &done));
  assert_ok(gg_shared_read(gg_params_find(p, "w"), x, sizeof x));
  for (int i = 0; i < 2 * PAIRS; i++)
    assert_true(fabs(x[i] - 1) < 1e-8);
  assert_int_equal(done.end, GG_LBFGS_GRADIENT);
  assert_true(done.gradient <= 1e-9 && done.cost < 1e-16);
  assert_true(done.steps <= 80 && done.evaluations <= 110);
  assert_int_equal(w.calls, done.steps);
}

static void steps_and_codes_end_it(void **state) {
  watcher w = {.cost = INFINITY, .last = 3};
  gg_var *cost = rosenbrock(p);
  double x[2 * PAIRS], y[2 * PAIRS];
  gg_lbfgs_done done, stopped;

  (void)state;
  test_need_double();
  assert_ok(gg_lbfgs(p, cost, &(gg_lbfgs_spec){.steps = 3}, &done));
  assert_int_equal(done.end, GG_LBFGS_STEPS);
  assert_int_equal(done.steps, 3);
  assert_ok(gg_shared_read(gg_params_find(p, "w"), x, sizeof x));
  rosenbrock(p); /* back to its first values */
  assert_code(
      GA_MISC_ERROR,
      gg_lbfgs(p, cost, &(gg_lbfgs_spec){.each = watch, .arg = &w}, &stopped));
  assert_message(GA_MISC_ERROR, "enough");
  assert_int_equal(stopped.steps, 3);
  assert_true(stopped.cost == done.cost);
  assert_ok(gg_shared_read(gg_params_find(p, "w"), y, sizeof y));
  assert_memory_equal(x, y, sizeof x);
}

/* --- logistic regression --- */

typedef struct regression {
  gg_var *x, *y, *cost;
  GpuArray points, labels;
} regression;

/* The points that SciPy had, as float32 or float64. */
static void make_points(regression *r, int dtype) {
  const size_t dims[2] = {ROWS, COLS}, rows = ROWS;
  double x[ROWS][COLS], y[ROWS];
  float x32[ROWS][COLS], y32[ROWS];
  const int is_wide = dtype == GA_DOUBLE;

  for (int i = 0; i < ROWS; i++) {
    for (int j = 0; j < COLS; j++) {
      x[i][j] = sin(1 + i * (0.7 + 0.31 * j));
      x32[i][j] = (float)x[i][j];
    }
    y[i] = 1.5 * x[i][0] - 2 * x[i][1] + 0.5 * x[i][2] + 0.3 + sin(5.0 * i) > 0;
    y32[i] = (float)y[i];
  }
  test_array(&r->points, dtype, 2, dims, is_wide ? (void *)x : (void *)x32);
  test_array(&r->labels, dtype, 1, &rows, is_wide ? (void *)y : (void *)y32);
}

static void make_regression(regression *r, gg_params *of) {
  const int dtype = gg_params_dtype(of);
  const size_t cols = COLS;

  make_points(r, dtype);
  r->x = gg_input_sized(g, "x", dtype, 2, (int64_t[]){ROWS, COLS});
  r->y = gg_input_sized(g, "y", dtype, 1, (int64_t[]){ROWS});
  gg_var *w = gg_param(gg_params_group(of, "slope"), "w", 1, &cols,
                       gg_init_constant(0));
  gg_var *v = gg_param(of, "bias", 0, NULL, gg_init_constant(0));
  gg_var *z = gg_add(gg_dot(r->x, w), v);
  r->cost = gg_add(gg_loss_binary(z, r->y, NULL, GG_LOSS_MEAN),
                   gg_mul(gg_sum(gg_sqr(w)), gg_weak(g, 0.01)));
}

static int fit(regression *r, gg_params *of, gg_lbfgs_spec how,
               gg_lbfgs_done *done) {
  how.inputs = GG_VARS(r->x, r->y);
  how.arrays = (GpuArray *[]){&r->points, &r->labels};
  return gg_lbfgs(of, r->cost, &how, done);
}

static void drop_points(regression *r) {
  GpuArray_clear(&r->points);
  GpuArray_clear(&r->labels);
}

/* Its minimum by SciPy's L-BFGS-B (11 steps, 37 evaluations), and Newton's
 * steps behind it. */
static const double weights[COLS] = {1.7664030305118354, -1.7548558816426056,
                                     -0.12752308744680507};
static const double bias = 0.44272179191571187, least = 0.40262412412309295;

static void logistic_regression_has_scipy_s_minimum(void **state) {
  regression r = {0};
  gg_lbfgs_done done;
  double w[COLS], v;

  (void)state;
  test_need_double();
  make_regression(&r, p);
  assert_ok(
      fit(&r, p, (gg_lbfgs_spec){.tolerance = 1e-11, .change = 1e-300}, &done));
  assert_true(fabs(done.cost - least) < 1e-15);
  assert_true(done.steps <= 20 && done.evaluations <= 40);
  assert_ok(gg_shared_read(gg_params_find(p, "slope.w"), w, sizeof w));
  assert_ok(gg_shared_read(gg_params_find(p, "bias"), &v, sizeof v));
  for (int j = 0; j < COLS; j++)
    assert_true(fabs(w[j] - weights[j]) < 1e-8);
  assert_true(fabs(v - bias) < 1e-8);
  drop_points(&r);
}

/* It ends by itself where rounding errors begin. */
static void narrower_numbers_end_at_their_precision(void **state) {
  gg_params *own = gg_params_new(g, GA_FLOAT, 2);
  regression r = {0};
  gg_lbfgs_done done;
  float w[COLS];

  (void)state;
  make_regression(&r, own);
  assert_ok(fit(&r, own, (gg_lbfgs_spec){.tolerance = 1e-12}, &done));
  assert_true(done.end == GG_LBFGS_CHANGE || done.end == GG_LBFGS_STUCK);
  assert_true(done.steps <= 20 && fabs(done.cost - least) < 1e-6);
  assert_ok(gg_shared_read(gg_params_find(own, "slope.w"), w, sizeof w));
  for (int j = 0; j < COLS; j++)
    assert_true(fabs(w[j] - weights[j]) < 1e-3);
  drop_points(&r);
  gg_params_free(own);
}

/* With the bias alone, the odds are those of the labels: 23 of 40. */
static void frozen_parameters_stay(void **state) {
  regression r = {0};
  gg_lbfgs_done done;
  double w[COLS], v;

  (void)state;
  test_need_double();
  make_regression(&r, p);
  assert_ok(gg_params_freeze(gg_params_group(p, "slope"), 1));
  assert_ok(fit(&r, p, (gg_lbfgs_spec){.tolerance = 1e-11}, &done));
  assert_ok(gg_shared_read(gg_params_find(p, "slope.w"), w, sizeof w));
  assert_ok(gg_shared_read(gg_params_find(p, "bias"), &v, sizeof v));
  assert_true(w[0] == 0 && w[1] == 0 && w[2] == 0);
  assert_true(fabs(v - log(23.0 / 17)) < 1e-6);
  drop_points(&r);
}

/* --- where there is no way down, and what is refused --- */

/* No slope is left anywhere: no point fulfils the conditions. */
static void a_kink_is_found_without_a_flat_point(void **state) {
  gg_var *w = gg_param(p, "w", 0, NULL, gg_init_constant(0));
  gg_var *d = gg_sub(w, gg_f64(g, 0.3));
  gg_var *cost =
      gg_where(gg_gt(d, gg_f64(g, 0)), gg_mul(d, gg_f64(g, 2)), gg_neg(d));
  gg_lbfgs_done done;
  double v;

  (void)state;
  test_need_double();
  assert_ok(gg_lbfgs(p, cost, NULL, &done));
  assert_true(done.end == GG_LBFGS_STUCK || done.end == GG_LBFGS_CHANGE);
  assert_ok(gg_shared_read(w, &v, sizeof v));
  assert_true(fabs(v - 0.3) < 1e-6 && done.gradient >= 1);
  assert_true(done.cost >= 0 && done.cost < 1e-6);
}

static void a_cost_that_is_not_finite_is_refused(void **state) {
  gg_var *w = gg_param(p, "w", 0, NULL, gg_init_constant(1));
  gg_lbfgs_done done;
  double v = -1;

  (void)state;
  test_need_double();
  /* Beyond 0 the logarithm is NaN, and steps are shorter. */
  gg_var *cost = gg_sub(gg_mul(w, gg_f64(g, 100)), gg_log(w));
  assert_ok(gg_lbfgs(p, cost, NULL, NULL));
  assert_ok(gg_shared_read(w, &v, sizeof v));
  assert_true(fabs(v - 0.01) < 1e-6);
  v = -1;
  assert_ok(gg_shared_write(w, &v, sizeof v));
  assert_code(GA_VALUE_ERROR, gg_lbfgs(p, cost, NULL, &done));
  assert_message(GA_VALUE_ERROR, "L-BFGS begins with a cost of nan");
  assert_ok(gg_shared_read(w, &v, sizeof v));
  assert_true(v == -1 && done.steps == 0 && done.evaluations == 1);
}

static void bad_arguments_are_refused(void **state) {
  gg_var *w = gg_param(p, "w", 0, NULL, gg_init_constant(1));
  gg_var *x = gg_input(g, "x", GA_DOUBLE, 0), *cost = gg_sqr(gg_sub(w, x));
  gg_lbfgs_spec how = {.inputs = GG_VARS(x)};

  (void)state;
  assert_code(GA_INVALID_ERROR, gg_lbfgs(NULL, cost, NULL, NULL));
  assert_message(GA_INVALID_ERROR, "L-BFGS: the group is NULL");
  assert_code(GA_INVALID_ERROR, gg_lbfgs(p, NULL, NULL, NULL));
  assert_code(GA_INVALID_ERROR, gg_lbfgs(p, cost, &how, NULL));
  assert_message(GA_INVALID_ERROR, "L-BFGS: input 0 of 1 has no array");
  how.inputs = NULL;
  how.history = SIZE_MAX;
  assert_code(GA_VALUE_ERROR, gg_lbfgs(p, cost, &how, NULL));
  assert_message(GA_VALUE_ERROR, "pairs, at most 10000");
  how.history = 0;
  how.tolerance = NAN;
  assert_code(GA_VALUE_ERROR, gg_lbfgs(p, cost, &how, NULL));
  assert_message(GA_VALUE_ERROR, "a tolerance of nan");
  assert_code(GA_VALUE_ERROR, gg_lbfgs(p, x, NULL, NULL));
  graph_says(GA_VALUE_ERROR, "");
}

#define TEST(name)                                                             \
  cmocka_unit_test_setup_teardown(name, params_setup, params_teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(a_curved_valley_is_followed_to_its_end),
      TEST(steps_and_codes_end_it),
      TEST(logistic_regression_has_scipy_s_minimum),
      TEST(narrower_numbers_end_at_their_precision),
      TEST(frozen_parameters_stay),
      TEST(a_kink_is_found_without_a_flat_point),
      TEST(a_cost_that_is_not_finite_is_refused),
      TEST(bad_arguments_are_refused)};

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
