/* SPDX-License-Identifier: BSD-2-Clause */
/* Variables with others in the place of some. */
#include <gpugraph/replace.h>

#include "graph/graph.h"
#include "support/device.h"

static gg_graph *g;
static gg_var *x, *y, *m;

static int setup(void **state) {
  (void)state;
  g = gg_graph_new(NULL);
  x = gg_input(g, "x", GA_FLOAT, 1);
  y = gg_input(g, "y", GA_FLOAT, 1);
  m = gg_input(g, "m", GA_FLOAT, 2);
  return g == NULL;
}

static int teardown(void **state) {
  (void)state;
  gg_graph_free(g);
  return 0;
}

/* Equal expressions are one variable, so results are compared as such. */
static void test_inputs(void **state) {
  gg_var *v[2] = {gg_add(gg_exp(x), y), gg_sqr(y)}, *out[2];

  (void)state;
  assert_ok(gg_replace(out, 2, v, GG_GIVENS({x, gg_sqr(y)})));
  assert_ptr_equal(out[0], gg_add(gg_exp(gg_sqr(y)), y));
  assert_ptr_equal(out[1], v[1]);
  assert_ok(gg_replace(out, 2, v, NULL));
  assert_ptr_equal(out[0], v[0]);
}

/* What is computed, what contains itself, two that change places; in place. */
static void test_at_once(void **state) {
  gg_var *e = gg_exp(x), *v = gg_sub(e, y);

  (void)state;
  assert_ok(gg_replace(&v, 1, &v, GG_GIVENS({e, gg_mul(e, y)})));
  assert_ptr_equal(v, gg_sub(gg_mul(e, y), y));
  v = gg_sub(x, y);
  assert_ok(gg_replace(&v, 1, &v, GG_GIVENS({x, y}, {y, x})));
  assert_ptr_equal(v, gg_sub(y, x));
}

static void refuse(gg_var *v, const gg_given *givens, const char *message) {
  gg_var *out = v;

  assert_code(GA_VALUE_ERROR, gg_replace(&out, 1, &v, givens));
  assert_null(out);
  assert_string_equal(gg_graph_error(g), message);
  gg_graph_reset_error(g);
}

static void test_refused(void **state) {
  const int64_t two = 2, three = 3;
  gg_graph *other = gg_graph_new(NULL);
  gg_var *z = gg_input(other, "z", GA_FLOAT, 1), *out;
  gg_var *a = gg_input_sized(g, "a", GA_FLOAT, 1, &two);
  gg_var *b = gg_input_sized(g, "b", GA_FLOAT, 1, &three);

  (void)state;
  refuse(gg_exp(x), GG_GIVENS({x, m}),
         "replace: given 0: x is float32[?] and cannot be float32[?, ?]");
  refuse(gg_exp(x), GG_GIVENS({x, y}, {x, y}), "replace: x is replaced twice");
  refuse(gg_exp(x), GG_GIVENS({x, z}),
         "replace: given 0 is not in the variables' graph");
  refuse(gg_add(x, a), GG_GIVENS({x, b}),
         "add(float32[3], float32[2]): dim 0: 3 and 2 do not broadcast");
  assert_code(GA_VALUE_ERROR,
              gg_replace(&out, 1, (gg_var *[]){NULL}, GG_GIVENS({x, y})));
  assert_null(out);
  gg_graph_free(other);
}

/* Into another graph: leaves are copied, or replaced by its variables. */
static void test_other_graph(void **state) {
  gg_graph *to = gg_graph_new(NULL);
  gg_var *z = gg_input(to, "z", GA_FLOAT, 1), *v[] = {gg_add(x, y), x};
  gg_var *out[2];

  (void)state;
  assert_ok(gg_replace_in(to, out, 2, v, GG_GIVENS({y, z})));
  assert_ptr_equal(gg_var_graph(out[0]), to);
  assert_string_equal(gg_var_name(out[1]), "x");
  assert_ptr_equal(out[0], gg_add(out[1], z));
  assert_code(GA_VALUE_ERROR, gg_replace_in(NULL, out, 2, v, NULL));
  assert_code(GA_VALUE_ERROR, gg_replace_in(to, NULL, 2, v, NULL));
  assert_code(GA_VALUE_ERROR, gg_replace_in(to, out, 2, v, GG_GIVENS({y, x})));
  assert_null(out[1]);
  assert_string_equal(gg_graph_error(to),
                      "replace: given 0 is not in the variables' graph");
  gg_graph_reset_error(to);
  assert_code(GA_VALUE_ERROR,
              gg_replace_in(to, out, 1, (gg_var *[]){NULL}, NULL));
  assert_int_equal(gg_graph_status(g), GA_NO_ERROR);
  gg_graph_free(to);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_inputs),
      TEST(test_at_once),
      TEST(test_refused),
      TEST(test_other_graph),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
