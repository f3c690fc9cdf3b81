/* SPDX-License-Identifier: BSD-2-Clause */
/* Reductions that one kernel computes from one read, and those that it may not.
 * All values as without fusion. */
#include "support/compared.h"

static const size_t dims[2] = {37, 10};

static gg_var *sum0(gg_var *x) {
  return gg_reduce(GG_SUM, x, 1, (int[]){0}, 1);
}

static gg_var *max0(gg_var *x) {
  return gg_reduce(GG_MAX, x, 1, (int[]){0}, 1);
}

/* What follows either is computed with both. */
static void columns(gg_var *x, gg_var *y, gg_var *two[2]) {
  two[0] = gg_exp(gg_neg(gg_sqr(sum0(gg_mul(x, y)))));
  two[1] = gg_sqrt(sum0(gg_sqr(x)));
}

static void whole(gg_var *x, gg_var *y, gg_var *two[2]) {
  two[0] = gg_sum(x);
  two[1] = gg_sum(gg_mul(gg_exp(x), y));
}

/* All three read m, which each of them computes. */
static void three(gg_var *x, gg_var *y, gg_var *two[2]) {
  gg_var *m = gg_maximum(x, gg_f32(g, 0.1f));

  two[0] = sum0(m);
  two[1] = gg_add(sum0(gg_sqrt(m)), sum0(gg_mul(m, y)));
}

static void unlike(gg_var *x, gg_var *y, gg_var *two[2]) {
  two[0] = sum0(gg_mul(x, y));
  two[1] = max0(x);
}

static void unrelated(gg_var *x, gg_var *y, gg_var *two[2]) {
  two[0] = sum0(x);
  two[1] = sum0(y);
}

/* One sum needs the other. */
static void in_turn(gg_var *x, gg_var *y, gg_var *two[2]) {
  two[0] = sum0(gg_mul(x, y));
  two[1] = sum0(gg_exp(gg_sub(x, gg_sqr(two[0]))));
}

/* The sum of y waits for that of the product, which waits for the maximum. */
static void put_off(gg_var *x, gg_var *y, gg_var *two[2]) {
  two[0] = gg_exp(gg_neg(gg_sqr(sum0(y))));
  two[1] = sum0(gg_mul(gg_exp(gg_sub(x, max0(x))), y));
}

/* Either pair may unite, not both: each would wait for the other. */
static void crossed(gg_var *x, gg_var *y, gg_var *two[2]) {
  gg_var *p = gg_neg(gg_sqr(sum0(x))), *q = gg_neg(gg_sqr(sum0(y)));

  two[0] = sum0(gg_exp(gg_add(y, p)));
  two[1] = sum0(gg_exp(gg_add(x, q)));
}

static const struct {
  compare_build build;
  size_t steps;
} cases[] = {{columns, 1},   {whole, 1},   {three, 1},   {unlike, 2},
             {unrelated, 2}, {in_turn, 2}, {put_off, 2}, {crossed, 3}};

static void test_cases(void **state) {
  float v[2][370];

  (void)state;
  test_fill(v[0], GA_FLOAT, 370, -1, 1, 1);
  test_fill(v[1], GA_FLOAT, 370, -1, 1, 2);
  float_array(&a, 2, dims, v[0]);
  float_array(&b, 2, dims, v[1]);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    compare_steps(cases[i].build, cases[i].steps);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_cases, graph_setup, graph_teardown)};

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
