/* SPDX-License-Identifier: BSD-2-Clause */
/* Products with a vector whose kernel gives the vector's sum as well, and those
 * whose kernel may not. All values as without fusion. */
#include "support/compared.h"

enum { ROWS = 37, COLUMNS = 10 };

static const size_t dims[2] = {ROWS, COLUMNS}, n_rows = ROWS;

static gg_var *by_columns(gg_var *x, gg_var *d) {
  return gg_dot(gg_transpose(x), d);
}

static void plain(gg_var *x, gg_var *d, gg_var *two[2]) {
  two[0] = by_columns(x, d);
  two[1] = gg_sum(d);
}

/* What follows either is computed with both; d is computed, too. */
static void followed(gg_var *x, gg_var *d, gg_var *two[2]) {
  gg_var *e = gg_exp(d);

  two[0] = gg_sqrt(gg_sqr(by_columns(x, e)));
  two[1] = gg_exp(gg_neg(gg_mul(gg_f32(g, 0.01f), gg_sum(e))));
}

/* The vector stands in front. */
static void in_front(gg_var *x, gg_var *d, gg_var *two[2]) {
  two[0] = gg_neg(gg_dot(d, x));
  two[1] = gg_neg(gg_sum(d));
}

/* One result goes into what follows the other. */
static void needs_sum(gg_var *x, gg_var *d, gg_var *two[2]) {
  two[1] = gg_sum(d);
  two[0] = gg_add(gg_sqr(by_columns(x, d)), two[1]);
}

static void needs_product(gg_var *x, gg_var *d, gg_var *two[2]) {
  two[0] = by_columns(x, d);
  two[1] = gg_mul(gg_sum(d), gg_index(two[0], 0, 0));
}

/* The product waits for the sum. */
static void in_turn(gg_var *x, gg_var *d, gg_var *two[2]) {
  two[1] = gg_sum(d);
  two[0] = by_columns(gg_mul(x, two[1]), gg_sub(d, two[1]));
}

/* What follows the sum waits for another kernel. */
static void waits(gg_var *x, gg_var *d, gg_var *two[2]) {
  two[0] = by_columns(x, d);
  two[1] = gg_mul(gg_sum(d), gg_dot(d, d));
}

/* Neither the sum of another vector, nor another reduction. */
static void of_another(gg_var *x, gg_var *d, gg_var *two[2]) {
  two[0] = by_columns(x, d);
  two[1] = gg_sum(gg_exp(d));
}

static void maximum(gg_var *x, gg_var *d, gg_var *two[2]) {
  two[0] = by_columns(x, d);
  two[1] = gg_max(d);
}

static const struct {
  compare_build build;
  size_t steps;
} cases[] = {{plain, 1},     {followed, 2},      {in_front, 1},
             {needs_sum, 2}, {needs_product, 2}, {in_turn, 4},
             {waits, 2},     {of_another, 2},    {maximum, 2}};

static void make_arguments(void) {
  float v[ROWS * COLUMNS];

  test_fill(v, GA_FLOAT, ROWS * COLUMNS, -1, 1, 1);
  float_array(&a, 2, dims, v);
  test_fill(v, GA_FLOAT, ROWS, -1, 1, 2);
  float_array(&b, 1, &n_rows, v);
}

static void test_cases(void **state) {
  (void)state;
  make_arguments();
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    compare_steps(cases[i].build, cases[i].steps);
}

/* Weights and bias get their new values in place, also where the new weights
 * need the old bias: then it has to lie elsewhere. */
static void check_updates(int crossed) {
  const size_t n = COLUMNS;
  float w0[COLUMNS], w1[COLUMNS], d[ROWS], x[ROWS * COLUMNS], b0 = 0.5f, b1;
  float sum = 0;
  gg_var *x_in = gg_input(g, "x", GA_FLOAT, 2);
  gg_func *f;

  test_fill(w0, GA_FLOAT, COLUMNS, -1, 1, 3);
  gg_var *d_in = gg_input(g, "d", GA_FLOAT, 1);
  gg_var *w = gg_shared_host(g, "w", GA_FLOAT, 1, &n, w0);
  gg_var *bias = gg_shared_host(g, "b", GA_FLOAT, 0, NULL, &b0);
  gg_var *dw = by_columns(x_in, d_in);
  if (crossed)
    dw = gg_sqr(gg_mul(dw, bias));
  f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(x_in, d_in),
                                   .updates = GG_UPDATES(
                                       {w, gg_sub(w, dw)},
                                       {bias, gg_sub(bias, gg_sum(d_in))})});
  make_arguments();
  assert_ok(gg_func_call(f, (GpuArray *[]){&a, &b}, NULL));
  assert_int_equal(func_stats(f).steps, 1);
  assert_ok(gg_shared_read(w, w1, sizeof w1));
  assert_ok(gg_shared_read(bias, &b1, sizeof b1));
  test_gather(&a, x);
  test_gather(&b, d);
  for (int i = 0; i < ROWS; i++)
    sum += d[i];
  assert_float_equal(b1, b0 - sum, 1e-5);
  for (int j = 0; j < COLUMNS; j++) {
    float s = 0;

    for (int i = 0; i < ROWS; i++)
      s += x[i * COLUMNS + j] * d[i];
    s = crossed ? s * b0 * s * b0 : s;
    assert_float_equal(w1[j], w0[j] - s, 1e-5);
  }
  gg_func_free(f);
}

static void test_updates(void **state) {
  (void)state;
  check_updates(0);
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  check_updates(1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_cases, graph_setup, graph_teardown),
      cmocka_unit_test_setup_teardown(test_updates, graph_setup,
                                      graph_teardown)};

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
