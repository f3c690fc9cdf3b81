/* SPDX-License-Identifier: BSD-2-Clause */
/* Row groups: what becomes one kernel, what must not, and that values are those
 * of the same function unfused. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/compared.h"

static gg_var *matrix(const char *name) {
  return gg_input(g, name, GA_FLOAT, 2);
}

static gg_var *column(gg_var *v) {
  return gg_dimshuffle(v, 2, (int[]){0, -1});
}

static gg_var *row_mean(gg_var *x) {
  return column(gg_mean_axis(x, 1));
}

static gg_var *row_sum(gg_var *x) {
  return gg_reduce(GG_SUM, x, 1, (int[]){1}, 1);
}

static gg_var *layer_norm(gg_var *x, gg_var *gamma, gg_var *beta) {
  gg_var *d = gg_sub(x, row_mean(x));
  gg_var *s = gg_sqrt(gg_add(row_mean(gg_sqr(d)), gg_f32(g, 1e-5f)));

  return gg_add(gg_mul(gg_div(d, s), gamma), beta);
}

/* --- one kernel --- */

/* A function of matrices that is a single kernel. */
static void check_one(gg_var *const *in, gg_var *const *outputs) {
  compared c;

  compare_make(&c, in, outputs);
  compare_all(&c);
  assert_int_equal(func_stats(c.fused).steps, 1);
  assert_true(func_stats(c.plain).steps > 2);
  assert_int_equal(func_stats(c.fused).temp_bytes, 0);
  compare_clear(&c);
}

static void test_softmax(void **state) {
  gg_var *x = matrix("x");

  (void)state;
  check_one(GG_VARS(x), GG_VARS(gg_softmax(x)));
  check_one(GG_VARS(x), GG_VARS(gg_log_softmax(x)));
}

static void test_softmax_gradients(void **state) {
  gg_var *x = matrix("x"), *dy = matrix("dy"), *grad[2];

  (void)state;
  assert_ok(
      gg_grad(grad, gg_sum(gg_mul(dy, gg_softmax(x))), 1, (gg_var *[]){x}));
  check_one(GG_VARS(x, dy), GG_VARS(grad[0]));
  assert_ok(
      gg_grad(grad, gg_sum(gg_mul(dy, gg_log_softmax(x))), 1, (gg_var *[]){x}));
  check_one(GG_VARS(x, dy), GG_VARS(grad[0]));
}

static void test_layer_norm(void **state) {
  gg_var *x = matrix("x"), *dy = matrix("dy"), *grad[1];
  gg_var *gamma = gg_input(g, "gamma", GA_FLOAT, 1);
  gg_var *beta = gg_input(g, "beta", GA_FLOAT, 1);
  gg_var *y = layer_norm(x, gamma, beta);
  compared c;

  (void)state;
  assert_ok(gg_grad(grad, gg_sum(gg_mul(dy, y)), 1, (gg_var *[]){x}));
  compare_make(&c, GG_VARS(x, gamma, beta, dy), GG_VARS(y, grad[0]));
  for (int s = 0; s < 3; s++) {
    compare_give(&c, 0, 2, compare_sizes[s]);
    compare_give(&c, 1, 1, &compare_sizes[s][1]);
    compare_give(&c, 2, 1, &compare_sizes[s][1]);
    compare_give(&c, 3, 2, compare_sizes[s]);
    compare_run(&c);
  }
  assert_int_equal(func_stats(c.fused).steps, 1);
  compare_clear(&c);
}

/* The op for it: one kernel with its mean, or with the row. */
static void test_variance(void **state) {
  gg_var *x = matrix("x"), *v = gg_reduce(GG_VARIANCE, x, 1, (int[]){1}, 1);
  gg_var *all = gg_reduce(GG_VARIANCE, x, 0, NULL, 0);
  compared c;

  (void)state;
  check_one(GG_VARS(x),
            GG_VARS(gg_div(gg_sub(x, row_mean(x)), gg_add(v, gg_f32(g, 1)))));
  compare_make(&c, GG_VARS(x), GG_VARS(gg_sub(gg_mean(x), gg_sqrt(all))));
  compare_all(&c);
  assert_int_equal(func_stats(c.fused).steps, 1);
  compare_clear(&c);
}

/* The loss of every row and its gradient, from the logits. */
static void test_crossentropy(void **state) {
  enum { ROWS = 37, CLASSES = 10 };
  const size_t dims[2] = {ROWS, CLASSES};
  gg_var *z = matrix("z"), *y = gg_input(g, "y", GA_LONG, 1), *grad[1];
  gg_var *loss = gg_crossentropy(gg_softmax(z), y);
  int64_t classes[ROWS];
  compared c;

  (void)state;
  assert_ok(gg_grad(grad, gg_mean(loss), 1, (gg_var *[]){z}));
  compare_make(&c, GG_VARS(z, y), GG_VARS(loss, grad[0]));
  for (int i = 0; i < ROWS; i++)
    classes[i] = i % CLASSES;
  compare_give(&c, 0, 2, dims);
  test_array(&c.in[1], GA_LONG, 1, dims, classes);
  compare_run(&c);
  assert_int_equal(func_stats(c.fused).steps, 1);
  char *text = func_text(c.fused);
  assert_non_null(strstr(text, "rows{max, sub, exp, sum, "));
  free(text);
  compare_clear(&c);
}

/* Reductions that only share what they read, and numbers that are asked for. */
static void test_moments(void **state) {
  gg_var *x = matrix("x");
  gg_var *mean = gg_mean_axis(x, 1);
  gg_var *var = gg_mean_axis(gg_sqr(gg_sub(x, column(mean))), 1);

  (void)state;
  check_one(GG_VARS(x), GG_VARS(mean, var, gg_max_axis(x, 1)));
}

/* A map of values without the axis stands, between views, behind one of two
 * sums. */
static void test_values_between(void **state) {
  gg_var *x = matrix("x"), *s = row_sum(x), *t = row_sum(gg_sqr(x));
  gg_var *between = column(gg_sqrt(gg_dimshuffle(t, 1, (int[]){0})));
  compared c;

  (void)state;
  compare_make(&c, GG_VARS(x),
               GG_VARS(gg_add(gg_mul(x, s), gg_mul(t, between))));
  compare_give(&c, 0, 2, compare_sizes[1]);
  compare_run(&c);
  assert_int_equal(func_stats(c.fused).steps, 1);
  compare_clear(&c);
}

/* Two trailing axes, a costly element that two phases read and one stores. */
static void test_two_axes(void **state) {
  const size_t dims[3] = {6, 9, 40};
  const int axes[2] = {1, 2};
  gg_var *x = gg_input(g, "x", GA_FLOAT, 3);
  gg_var *t = gg_tanh(gg_exp(x));
  gg_var *y = gg_div(t, gg_reduce(GG_SUM, t, 2, axes, 1));
  compared c;

  (void)state;
  compare_make(&c, GG_VARS(x), GG_VARS(t, y));
  compare_give(&c, 0, 3, dims);
  compare_run(&c);
  assert_int_equal(func_stats(c.fused).steps, 1);
  compare_clear(&c);
}

/* Another dtype in the middle, bools, numbers of the host. */
static void test_dtypes(void **state) {
  gg_var *x = matrix("x"), *s = gg_input(g, "s", GA_FLOAT, 0);
  gg_var *big = gg_gt(x, gg_mul(s, row_mean(x)));
  gg_var *n = gg_sum_axis(gg_cast(big, GA_INT), 1);
  gg_var *any = gg_reduce(GG_ANY_OF, big, 1, (int[]){1}, 1);
  gg_var *y = gg_where(any, gg_div(x, gg_cast(column(n), GA_FLOAT)), s);
  const float half = 0.5f;
  compared c;

  (void)state;
  compare_make(&c, GG_VARS(x, s), GG_VARS(y));
  float_array(&c.in[1], 0, NULL, &half);
  for (int k = 0; k < 3; k++) {
    compare_give(&c, 0, 2, compare_sizes[k]);
    compare_run(&c);
  }
  assert_int_equal(func_stats(c.fused).steps, 1);
  compare_clear(&c);
}

/* --- not one kernel --- */

/* What is computed of a vector stretches to all rows: it is part of their
 * kernel like an element, and not once per row. */
static void test_stretched_map(void **state) {
  const int64_t one_row[2] = {1, GG_ANY};
  gg_var *x = matrix("x"), *r = gg_input_sized(g, "r", GA_FLOAT, 2, one_row);
  gg_var *whole = gg_floor(r);
  compared c;

  (void)state;
  compare_make(&c, GG_VARS(x, r),
               GG_VARS(gg_softmax(gg_mul(x, whole)), gg_sqr(whole)));
  compare_give(&c, 0, 2, (size_t[]){5, 300});
  compare_give(&c, 1, 2, (size_t[]){1, 300});
  compare_run(&c);
  assert_int_equal(func_stats(c.fused).steps, 2);
  compare_clear(&c);
}

/* A path that leaves the rows and comes back: nothing waits for itself. */
static void test_way_back(void **state) {
  gg_var *x = matrix("x"), *w = matrix("w");
  gg_var *s = gg_sum_axis(gg_exp(x), 1); /* [rows] */
  gg_var *far = gg_dot(w, s);            /* of all rows */
  gg_var *y = gg_mul(gg_exp(x), gg_add(column(s), column(far)));
  const size_t square[2] = {20, 20};
  compared c;

  (void)state;
  compare_make(&c, GG_VARS(x, w), GG_VARS(y));
  compare_give(&c, 0, 2, square);
  compare_give(&c, 1, 2, square);
  compare_run(&c);
  assert_in_range(func_stats(c.fused).steps, 3, 4);
  compare_clear(&c);
}

/* Whole arrays. */
static void test_whole(void **state) {
  gg_var *x = matrix("x");
  compared c;

  (void)state;
  compare_make(&c, GG_VARS(x), GG_VARS(gg_sub(x, gg_mean(x))));
  compare_all(&c);
  char *text = func_text(c.fused);
  assert_null(strstr(text, "rows{"));
  free(text);
  compare_clear(&c);
}

/* --- memory --- */

/* The new value is written over the old one; a value that dies is, too. */
static void test_in_place(void **state) {
  const size_t dims[2] = {4, 50};
  float v[200], sum;
  gg_func *f;

  (void)state;
  test_fill(v, GA_FLOAT, 200, 0.5, 1, 7);
  gg_var *w = gg_shared_host(g, "w", GA_FLOAT, 2, dims, v);
  gg_var *y = gg_div(w, column(gg_sum_axis(w, 1)));
  f = func_make(g, &(gg_func_spec){.updates = GG_UPDATES({w, y})});
  for (int i = 0; i < 4; i++) {
    sum = 0;
    for (int k = 0; k < 50; k++)
      sum += v[i * 50 + k];
    for (int k = 0; k < 50; k++)
      v[i * 50 + k] /= sum;
  }
  func_run(f, NULL, NULL);
  assert_shared(w, v, 200);
  char *text = func_text(f);
  assert_non_null(strstr(text, "rows{sum, div}"));
  assert_non_null(strstr(text, "= new w (in place)"));
  free(text);
  gg_func_free(f);
}

/* Softmax of a product writes over the product. */
static void test_takes_over(void **state) {
  const size_t dims[2] = {20, 20};
  gg_var *x = matrix("x"), *w = matrix("w");
  gg_var *p = gg_softmax(gg_dot(x, w));
  compared c;

  (void)state;
  compare_make(&c, GG_VARS(x, w), GG_VARS(gg_dot(p, w)));
  compare_give(&c, 0, 2, dims);
  compare_give(&c, 1, 2, dims);
  compare_run(&c);
  assert_int_equal(func_stats(c.fused).steps, 3);
  assert_int_equal(func_stats(c.fused).temp_bytes, 400 * sizeof(float));
  compare_clear(&c);
}

/* What an early phase stores must leave alone what later ones read again. */
static void test_takes_over_late(void **state) {
  const size_t dims[2] = {20, 20};
  gg_var *v = matrix("v"), *w = matrix("w");
  gg_var *x = gg_join(0, 2, (gg_var *[]){v, w});
  gg_var *e = gg_tanh(gg_exp(x));
  gg_var *m = gg_reduce(GG_MAX, x, 1, (int[]){1}, 1);
  gg_var *y = gg_add(e, gg_sub(x, m));
  compared c;

  (void)state;
  compare_make(&c, GG_VARS(v, w), GG_VARS(gg_dot(e, w), y));
  compare_give(&c, 0, 2, dims);
  compare_give(&c, 1, 2, dims);
  compare_run(&c);
  char *text = func_text(c.fused);
  assert_non_null(strstr(text, "rows{"));
  free(text);
  compare_clear(&c);
}

/* --- random rows --- */

static uint32_t seed;

static unsigned int draw(unsigned int n) {
  seed = seed * 1664525u + 1013904223u;
  return (seed >> 16) % n;
}

static gg_var *bounded(gg_var *x) {
  return gg_tanh(x);
}

static gg_var *random_element(gg_var *u, gg_var *v) {
  switch (draw(4)) {
  case 0:
    return gg_sub(u, v);
  case 1:
    return gg_exp(bounded(gg_add(u, v)));
  case 2:
    return gg_maximum(u, gg_mul(v, gg_f32(g, 0.5f)));
  default:
    return gg_mul(bounded(u), v);
  }
}

static gg_var *random_number(gg_var *x) {
  switch (draw(3)) {
  case 0:
    return row_mean(x);
  case 1:
    return gg_reduce(GG_MAX, x, 1, (int[]){1}, 1);
  default:
    return gg_sqrt(gg_add(row_mean(gg_sqr(x)), gg_f32(g, 1)));
  }
}

static void test_random(void **state) {
  enum { SEEDS = 6, GROWN = 14, SHOWN = 3 };
  gg_var *e[GROWN + 2], *shown[SHOWN + 1];

  (void)state;
  for (unsigned int s = 0; s < SEEDS; s++) {
    gg_var *x = matrix("x"), *y = matrix("y");
    unsigned int n = 2;
    compared c;

    seed = s * 7919 + 1;
    e[0] = x;
    e[1] = y;
    for (; n < GROWN + 2; n++) { /* in the same order by every compiler */
      gg_var *other = draw(3) ? random_number(e[draw(n)]) : e[draw(n)];
      e[n] = random_element(e[draw(n)], other);
    }
    for (int i = 0; i < SHOWN; i++)
      shown[i] = i == 1 ? random_number(e[GROWN]) : e[GROWN + 1 - 2 * i];
    shown[SHOWN] = NULL;
    compare_make(&c, GG_VARS(x, y), shown);
    for (int k = 1; k < 3; k++) {
      compare_give(&c, 0, 2, compare_sizes[k]);
      compare_give(&c, 1, 2, compare_sizes[k]);
      compare_run(&c);
    }
    compare_clear(&c);
  }
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, graph_setup, graph_teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_softmax),    TEST(test_softmax_gradients),
      TEST(test_layer_norm), TEST(test_crossentropy),
      TEST(test_moments),    TEST(test_two_axes),
      TEST(test_dtypes),     TEST(test_stretched_map),
      TEST(test_way_back),   TEST(test_whole),
      TEST(test_variance),   TEST(test_in_place),
      TEST(test_takes_over), TEST(test_takes_over_late),
      TEST(test_random),     TEST(test_values_between),
  };
  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
