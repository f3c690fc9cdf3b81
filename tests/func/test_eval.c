/* SPDX-License-Identifier: BSD-2-Clause */
/* Variables computed in one call. */
#include <string.h>

#include "base/alloc.h"
#include "support/funcs.h"

static gg_graph *g;
static gg_var *x, *y, *z;
static GpuArray a, b, out;

static int setup(void **state) {
  (void)state;
  g = gg_graph_new(test_context());
  x = gg_input(g, "x", GA_FLOAT, 1);
  y = gg_input(g, "y", GA_FLOAT, 1);
  z = gg_sub(gg_named(gg_mul(x, y), "xy"), x);
  float_vector(&a, 3, (float[]){1, 2, 3});
  float_vector(&b, 3, (float[]){4, 5, 6});
  return g == NULL;
}

static int teardown(void **state) {
  (void)state;
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  GpuArray_clear(&out);
  gg_graph_free(g);
  return 0;
}

static void assert_eval(gg_var *v, const gg_value *at, const float *want,
                        size_t n) {
  if (gg_eval(v, at, &out) != GA_NO_ERROR)
    fail_msg("gg_eval: %s", gg_graph_error(g));
  assert_floats(&out, want, n);
}

static void test_values(void **state) {
  const size_t n = gg_graph_size(g);

  (void)state;
  assert_eval(z, GG_VALUES({x, &a}, {y, &b}), (float[]){3, 8, 15}, 3);
  assert_eval(z, GG_VALUES({y, &b}, {x, &a}), (float[]){3, 8, 15}, 3);
  assert_eval(z, GG_VALUES({y, &a}, {x, &b}), (float[]){0, 5, 12}, 3);
  assert_eval(x, GG_VALUES({x, &b}), (float[]){4, 5, 6}, 3);
  assert_eval(gg_f32(g, 2), NULL, (float[]){2}, 1);
  assert_int_equal(gg_graph_size(g), n + 1); /* the constant */
}

/* A computed variable may be given, and a shared one. */
static void test_others(void **state) {
  gg_var *xy = gg_var_owner(z)->in[0];
  gg_var *w = gg_shared(g, "w", &a), *sum = gg_add(w, x);

  (void)state;
  assert_eval(z, GG_VALUES({x, &a}, {y, &b}), (float[]){3, 8, 15}, 3);
  assert_eval(z, GG_VALUES({xy, &b}, {x, &a}), (float[]){3, 3, 3}, 3);
  assert_eval(sum, GG_VALUES({x, &b}), (float[]){5, 7, 9}, 3);
  assert_eval(sum, GG_VALUES({x, &b}, {w, &b}), (float[]){8, 10, 12}, 3);
  assert_shared(w, (float[]){1, 2, 3}, 3);
}

/* --- what is kept --- */

static void test_updates(void **state) {
  const float zero = 0;
  gg_var *n = gg_shared_host(g, "n", GA_FLOAT, 0, NULL, &zero);
  gg_var *one = gg_f32(g, 1), *next = gg_add(n, one), *two = gg_add(next, one);

  (void)state;
  assert_eval(next, NULL, (float[]){1}, 1);
  assert_ok(gg_shared_set_update(n, next));
  assert_eval(next, NULL, (float[]){1}, 1);
  assert_shared(n, (float[]){1}, 1);
  assert_ok(gg_shared_set_update(n, two));
  assert_eval(next, NULL, (float[]){2}, 1);
  assert_shared(n, (float[]){3}, 1);
}

/* More than are kept, then some of the first again. */
static void test_many(void **state) {
  enum { N = GG_MAX_EVALS + 2 };
  float data[N];
  gg_var *v[N];
  GpuArray all;

  (void)state;
  for (int i = 0; i < N; i++) {
    data[i] = (float)i;
    v[i] = gg_index(x, 0, i);
  }
  float_vector(&all, N, data);
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < N; i += k == 0 ? 1 : 5)
      assert_eval(v[i], GG_VALUES({x, &all}), &data[i], 1);
  GpuArray_clear(&all);
}

/* --- refused --- */

static void refuse(gg_var *v, const gg_value *at, const char *message) {
  assert_code(GA_VALUE_ERROR, gg_eval(v, at, &out));
  assert_string_equal(gg_graph_error(g), message);
  gg_graph_reset_error(g);
}

static void test_refused(void **state) {
  gg_graph *other = gg_graph_new(test_context());
  gg_var *far = gg_input(other, "far", GA_FLOAT, 1);
  GpuArray two;

  (void)state;
  float_vector(&two, 2, (float[]){1, 2});
  refuse(z, GG_VALUES({x, &a}),
         "output 0 (sub) depends on input y, which is not among the inputs");
  refuse(x, GG_VALUES({x, &a}, {y, &b}),
         "input 1 (y) is not used; GG_ALLOW_UNUSED_INPUT permits that");
  refuse(z, GG_VALUES({x, &a}, {x, &b}), "eval: x is given twice");
  refuse(z, GG_VALUES({x, &a}, {y, NULL}), "eval: y: no array");
  refuse(z, GG_VALUES({x, &a}, {far, &b}), "eval: far is of another graph");
  refuse(z, GG_VALUES({x, &a}, {y, &two}),
         "eval: mul: dim 0: x has 3, y has 2");
  assert_code(GA_VALUE_ERROR, gg_eval(NULL, NULL, &out));
  assert_code(GA_VALUE_ERROR, gg_eval(z, NULL, NULL));
  gg_graph_reset_error(g);
  assert_null(out.data);
  assert_eval(z, GG_VALUES({x, &a}, {y, &b}), (float[]){3, 8, 15}, 3);
  GpuArray_clear(&two);
  gg_graph_free(other);
}

/* Fail each allocation of a first call: the graph says so, and works
 * afterwards. */
static void test_without_memory(void **state) {
  int err = GA_MEMORY_ERROR;
  long n;

  (void)state;
  for (n = 1; err != GA_NO_ERROR; n++) {
    teardown(NULL);
    setup(NULL);
    ga__alloc_fail(n, 0);
    err = gg_eval(z, GG_VALUES({gg_var_owner(z)->in[0], &b}, {x, &a}), &out);
    ga__alloc_fail(0, 0);
    if (err != GA_NO_ERROR) {
      assert_string_not_equal(gg_graph_error(g), "");
      assert_null(out.data);
      gg_graph_reset_error(g);
    }
    assert_eval(z, GG_VALUES({x, &a}, {y, &b}), (float[]){3, 8, 15}, 3);
    assert_true(n < 5000);
  }
  assert_true(n > 50);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_values), TEST(test_others),  TEST(test_updates),
      TEST(test_many),   TEST(test_refused), TEST(test_without_memory),
  };

  return cmocka_run_group_tests_name("eval", tests, NULL, test_context_drop);
}
