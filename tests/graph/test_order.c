/* SPDX-License-Identifier: BSD-2-Clause */
/* Walks over graphs, and rebuilding them with substitutions. */
#include <string.h>

#include "graph/graph.h"
#include "ops/ops.h"
#include "support/device.h"

#define LONG_CHAIN 100000 /* nodes; far beyond what recursion stands */

static gg_graph *g;

static int setup(void **state) {
  (void)state;
  g = gg_graph_new(NULL);
  return g == NULL;
}

static int teardown(void **state) {
  (void)state;
  gg_graph_free(g);
  return 0;
}

static gg_var *chain(gg_var *x, int n) {
  for (int i = 0; i < n; i++)
    x = gg_add(gg_sqr(x), gg_f32(g, (float)i));
  return x;
}

static void test_toposort(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1);
  gg_var *e = gg_exp(x), *unused = gg_log(x), *s = gg_add(e, gg_sqr(e));
  gg_var *const vars[3] = {s, NULL, e};
  gg__order order = {0};

  (void)state;
  (void)unused;
  assert_ok(gg__toposort(&order, 3, vars));
  assert_int_equal(order.n, 3);
  assert_ptr_equal(order.v[0], gg_var_owner(e));
  assert_ptr_equal(order.v[1]->op, &gg__op_sqr);
  assert_ptr_equal(order.v[2], gg_var_owner(s));
  /* Leaves need nothing, and neither does nothing. */
  assert_ok(gg__toposort(&order, 1, &x));
  assert_int_equal(order.n, 0);
  assert_ok(gg__toposort(&order, 0, NULL));
  assert_int_equal(order.n, 0);
  ga__vec_clear(&order);
}

/* A node with several outputs is one node, whichever output is asked for. */
static int infer_two(const gg_apply *a, gg_type *out) {
  out[0] = out[1] = *gg_var_type(a->in[0]);
  return GA_NO_ERROR;
}

static const gg_op two = {
    .name = "two", .kind = GG_OP_KERNEL, .n_out = 2, .infer = infer_two};

static void test_several_outputs(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1);
  gg_var *first = gg_op_apply(NULL, &two, NULL, 1, &x);
  gg_var *second = gg_var_owner(first)->out[1];
  gg_var *const last[1] = {second}, *const both[2] = {second, first};
  gg__order order = {0};
  gg__uses uses = {0};

  (void)state;
  assert_ok(gg__toposort(&order, 1, last));
  assert_int_equal(order.n, 1);
  assert_ok(gg__toposort(&order, 2, both));
  assert_int_equal(order.n, 1);
  assert_ok(gg__count_uses(&uses, g, 1, last));
  assert_int_equal(uses.v[first->id], 0);
  assert_int_equal(uses.v[second->id], 1);
  assert_int_equal(uses.v[x->id], 1);
  ga__vec_clear(&order);
  ga__vec_clear(&uses);
}

static void test_uses(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1), *e = gg_exp(x);
  gg_var *const out[2] = {gg_mul(e, e), e};
  gg__uses uses = {0};

  (void)state;
  gg_log(x); /* nobody asks for it */
  assert_ok(gg__count_uses(&uses, g, 2, out));
  assert_int_equal(uses.v[x->id], 1);
  assert_int_equal(uses.v[e->id], 3);
  assert_int_equal(uses.v[out[0]->id], 1);
  ga__vec_clear(&uses);
}

static void test_replace(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1), *z = gg_input(g, "z", GA_FLOAT, 1);
  gg_var *kept = gg_sin(z), *e = gg_exp(x), *y = gg_add(gg_sqr(e), kept);
  gg__subst s;

  (void)state;
  gg__subst_init(&s, g);
  assert_ok(gg__subst_put(&s, e, z));
  assert_ptr_equal(gg__subst_apply(&s, y), gg_add(gg_sqr(z), kept));
  assert_ptr_equal(gg__subst_get(&s, y), gg_add(gg_sqr(z), kept));
  assert_ptr_equal(gg__subst_apply(&s, kept), kept);
  assert_null(gg__subst_apply(&s, NULL));
  gg__subst_clear(&s);

  /* With nothing mapped, everything is itself. */
  gg__subst_init(&s, g);
  assert_ptr_equal(gg__subst_apply(&s, y), y);
  gg__subst_clear(&s);
}

static void test_replace_fails(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1);
  gg_var *z = gg_input_sized(g, "z", GA_FLOAT, 1, (int64_t[]){4});
  gg_var *w = gg_input_sized(g, "w", GA_FLOAT, 1, (int64_t[]){5});
  gg_var *y = gg_mul(gg_add(x, z), z);
  gg__subst s;

  (void)state;
  gg__subst_init(&s, g);
  assert_ok(gg__subst_put(&s, x, w));
  assert_null(gg__subst_apply(&s, y));
  assert_string_equal(gg_graph_error(g), "add(float32[5], float32[4]): dim 0: "
                                         "5 and 4 do not broadcast");
  gg__subst_clear(&s);
}

static void test_copy(void **state) {
  gg_graph *h = gg_graph_new(NULL);
  gg_var *x = gg_named(gg_input(g, "x", GA_FLOAT, 2), "x");
  gg_var *y = gg_named(gg_sum(gg_mul(x, gg_exp(x))), "total");
  gg__subst s;

  (void)state;
  gg_log(y); /* not asked for, not copied */
  gg__subst_init(&s, h);
  gg_var *z = gg__subst_apply(&s, y);
  assert_non_null(z);
  assert_ptr_equal(gg_var_graph(z), h);
  assert_string_equal(gg_var_name(z), "total");
  assert_string_equal(gg_var_name(gg__subst_get(&s, x)), "x");
  assert_true(gg__type_equal(gg_var_type(z), gg_var_type(y)));
  assert_int_equal(gg_graph_size(h), 4);
  gg__subst_clear(&s);
  gg_graph_free(h);
}

static void test_long_chain(void **state) {
  gg_graph *h = gg_graph_new(NULL);
  gg_var *y = chain(gg_input(g, "x", GA_FLOAT, 0), LONG_CHAIN / 2);
  gg__order order = {0};
  gg__subst s;

  (void)state;
  assert_ok(gg__toposort(&order, 1, &y));
  assert_int_equal(order.n, LONG_CHAIN);
  gg__subst_init(&s, h);
  assert_non_null(gg__subst_apply(&s, y));
  assert_int_equal(gg_graph_size(h), gg_graph_size(g));
  ga__vec_clear(&order);
  gg__subst_clear(&s);
  gg_graph_free(h);
}

static void test_types_fit(void **state) {
  const gg_type open = {GA_FLOAT, 2, {GG_ANY, 3}, NULL};
  const gg_type known = {GA_FLOAT, 2, {4, 3}, NULL},
                other = {GA_FLOAT, 2, {4, 5}, NULL};
  const gg_type wide = {GA_DOUBLE, 2, {4, 3}, NULL},
                flat = {GA_FLOAT, 1, {4}, NULL};

  (void)state;
  assert_true(gg__type_fits(&open, &known));
  assert_true(gg__type_fits(&known, &open));
  assert_false(gg__type_fits(&open, &other));
  assert_false(gg__type_fits(&known, &wide));
  assert_false(gg__type_fits(&known, &flat));
  assert_true(gg__type_equal(&known, &known));
  assert_false(gg__type_equal(&known, &open));
  assert_int_equal(gg__type_size(&known), 12);
  assert_int_equal(gg__type_size(&open), GG_ANY);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_toposort, setup, teardown),
      cmocka_unit_test_setup_teardown(test_several_outputs, setup, teardown),
      cmocka_unit_test_setup_teardown(test_uses, setup, teardown),
      cmocka_unit_test_setup_teardown(test_replace, setup, teardown),
      cmocka_unit_test_setup_teardown(test_replace_fails, setup, teardown),
      cmocka_unit_test_setup_teardown(test_copy, setup, teardown),
      cmocka_unit_test_setup_teardown(test_long_chain, setup, teardown),
      cmocka_unit_test(test_types_fit),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
