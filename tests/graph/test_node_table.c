/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of a graph's nodes, with hashes that are all the same: what tells
 * nodes apart is then compared. */
#include "graph/node_table.h"

#include <string.h>

#include "base/alloc.h"
#include "ops/ops.h"
#include "support/device.h"

enum { N = 200 };

static gg_graph *g;
static gg__node_table t;

static int setup(void **state) {
  (void)state;
  g = gg_graph_new(NULL);
  t = (gg__node_table){NULL, 0, 0};
  return g == NULL;
}

static int teardown(void **state) {
  (void)state;
  gg__node_table_clear(&t);
  gg_graph_free(g);
  return 0;
}

static gg__node_key key_of(const gg_var *v) {
  const gg_apply *a = gg_var_owner(v);

  return (gg__node_key){a->op, a->props, a->n_in, a->in, 7};
}

/* Add the node of `v`, which is not there. */
static void add(const gg_var *v) {
  const gg__node_key k = key_of(v);

  assert_null(gg__node_find(&t, &k));
  assert_ok(gg__node_add(&t, &k, gg_var_owner(v)));
}

static void assert_there(const gg_var *v) {
  const gg__node_key k = key_of(v);

  assert_ptr_equal(gg__node_find(&t, &k), gg_var_owner(v));
}

static void test_what_differs(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 2), *y = gg_input(g, "y", GA_FLOAT, 2);
  gg_var *const nodes[] = {gg_add(x, y),
                           gg_sub(x, y),
                           gg_sub(y, x),
                           gg_sub(x, x),
                           gg_exp(x),
                           gg_neg(x),
                           gg_sum_axis(x, 0),
                           gg_sum_axis(x, 1),
                           gg_max_axis(x, 0),
                           gg_join(0, 2, (gg_var *[]){x, y}),
                           gg_join(1, 2, (gg_var *[]){x, y}),
                           gg_join(1, 3, (gg_var *[]){x, y, y})};

  (void)state;
  for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++)
    add(nodes[i]);
  for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++)
    assert_there(nodes[i]);
}

/* Nodes stay there while the table grows, which changes nothing when it
 * fails. */
static void test_growth(void **state) {
  gg_var *v[N], *x = gg_input(g, "x", GA_FLOAT, 1);
  size_t failed = 0;

  (void)state;
  for (size_t i = 0; i < N; i++, x = v[i - 1])
    v[i] = gg_exp(x);
  for (size_t i = 0; i < N; i++) {
    gg__node_key k = key_of(v[i]);
    size_t n = t.n;
    size_t cap = t.cap;
    ga__alloc_fail(1, 0);
    if (gg__node_add(&t, &k, gg_var_owner(v[i])) != GA_NO_ERROR) {
      ga__alloc_fail(0, 0);
      failed++;
      assert_int_equal(t.n, n);
      assert_int_equal(t.cap, cap);
      assert_null(gg__node_find(&t, &k));
      assert_ok(gg__node_add(&t, &k, gg_var_owner(v[i])));
    }
    ga__alloc_fail(0, 0);
  }
  assert_true(failed > 1);
  assert_int_equal(t.n, N);
  for (size_t i = 0; i < N; i++)
    assert_there(v[i]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_what_differs, setup, teardown),
      cmocka_unit_test_setup_teardown(test_growth, setup, teardown),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
