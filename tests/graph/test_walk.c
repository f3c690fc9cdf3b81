/* SPDX-License-Identifier: BSD-2-Clause */
/* What variables are computed from: ancestors, leaves, nodes in order. */
#include <gpugraph/grad.h>
#include <gpugraph/scan.h>
#include <gpugraph/walk.h>

#include "base/alloc.h"
#include "graph/graph.h"
#include "support/device.h"

static gg_graph *g;
static gg_var *x, *y, *two, *e, *p, *z; /* z = exp(x) y + 2 */

static int setup(void **state) {
  const float value = 2;

  (void)state;
  g = gg_graph_new(NULL);
  x = gg_input(g, "x", GA_FLOAT, 1);
  y = gg_input(g, "y", GA_FLOAT, 1);
  two = gg_constant(g, GA_FLOAT, 1, (size_t[]){1}, &value);
  e = gg_exp(x);
  p = gg_mul(e, y);
  gg_log(y); /* nobody asks for it */
  z = gg_add(p, two);
  return z == NULL;
}

static int teardown(void **state) {
  (void)state;
  gg_graph_free(g);
  return 0;
}

/* `list` of n is `want`, each as it is in there; both end with NULL. */
static void assert_list(void *list, size_t n, void *const *want) {
  void *const *got = list;
  size_t i;

  assert_non_null(got);
  for (i = 0; want[i] != NULL; i++)
    assert_ptr_equal(got[i], want[i]);
  assert_int_equal(n, i);
  assert_null(got[n]);
  gg_list_free(list);
}

#define LIST(...) ((void *[]){__VA_ARGS__, NULL})

static void test_ancestors(void **state) {
  gg_var **list;
  size_t n;

  (void)state;
  assert_ok(gg_ancestors(&list, &n, GG_VARS(p), NULL));
  assert_list(list, n, LIST(x, y, e, p));
  assert_ok(gg_ancestors(&list, &n, GG_VARS(z), GG_VARS(p)));
  assert_list(list, n, LIST(two, p, z));
  /* Several, in the order of building, and what ends the walk at once. */
  assert_ok(gg_ancestors(&list, &n, GG_VARS(p, e), GG_VARS(e, y)));
  assert_list(list, n, LIST(y, e, p));
  assert_ok(gg_ancestors(&list, &n, GG_VARS(p), GG_VARS(p)));
  assert_list(list, n, LIST(p));
  assert_ok(gg_ancestors(&list, NULL, GG_VARS(x), GG_VARS(z)));
  assert_list(list, 1, LIST(x));
}

static void test_leaves(void **state) {
  gg_var **list;
  size_t n;

  (void)state;
  assert_ok(gg_leaves(&list, &n, GG_VARS(z), NULL, GG_LEAF_ANY));
  assert_list(list, n, LIST(x, y, two));
  assert_ok(gg_leaves(&list, &n, GG_VARS(z), NULL, GG_LEAF_INPUT));
  assert_list(list, n, LIST(x, y));
  assert_ok(gg_leaves(&list, &n, GG_VARS(z), GG_VARS(e, two), GG_LEAF_INPUT));
  assert_list(list, n, LIST(y));
  assert_ok(gg_leaves(&list, &n, GG_VARS(z), NULL, GG_LEAF_SHARED));
  assert_list(list, n, LIST(NULL));
}

static void test_nodes(void **state) {
  gg_apply **list;
  size_t n;

  (void)state;
  assert_ok(gg_toposort(&list, &n, GG_VARS(p), NULL));
  assert_list(list, n, LIST(gg_var_owner(e), gg_var_owner(p)));
  assert_ok(gg_toposort(&list, &n, GG_VARS(p), GG_VARS(e)));
  assert_list(list, n, LIST(gg_var_owner(p)));
  assert_ok(gg_toposort(&list, &n, GG_VARS(x), NULL));
  assert_list(list, n, LIST(NULL));
}

/* A node of two outputs is there once, and an output only if it is used. */
static int infer_two(const gg_apply *a, gg_type *out) {
  out[0] = out[1] = *gg_var_type(a->in[0]);
  return GA_NO_ERROR;
}

static const gg_op op_two = {
    .name = "two", .kind = GG_OP_KERNEL, .n_out = 2, .infer = infer_two};

static void test_several_outputs(void **state) {
  gg_apply *a = gg_var_owner(gg_op_apply(NULL, &op_two, NULL, 1, &e)), **nodes;
  gg_var **list;
  size_t n;

  (void)state;
  assert_ok(gg_toposort(&nodes, &n, GG_VARS(a->out[1], a->out[0]), NULL));
  assert_list(nodes, n, LIST(gg_var_owner(e), a));
  assert_ok(gg_ancestors(&list, &n, GG_VARS(a->out[1]), NULL));
  assert_list(list, n, LIST(x, e, a->out[1]));
  /* The walk ends at one and goes on from the other. */
  assert_ok(gg_leaves(&list, &n, GG_VARS(gg_sub(a->out[0], a->out[1])),
                      GG_VARS(a->out[0]), GG_LEAF_INPUT));
  assert_list(list, n, LIST(x));
}

/* What the body of a loop uses are inputs of its node. */
static void test_loop(void **state) {
  gg_var **list;
  gg_scan *s = gg_scan_open(g);
  size_t n;

  (void)state;
  gg_var *h = gg_scan_state(s, x);
  gg_scan_next(s, h, gg_mul(h, y));
  assert_ok(gg_scan_steps(s, gg_i64(g, 3)));
  assert_ok(gg_scan_close(s));
  gg_var *last = gg_scan_last(s, h);
  gg_scan_free(s);
  assert_ok(gg_leaves(&list, &n, GG_VARS(last), NULL, GG_LEAF_INPUT));
  assert_list(list, n, LIST(x, y));
}

static int depends(gg_var *v, gg_var *on) {
  int yes = -1;

  assert_ok(gg_depends_on(&yes, v, on));
  return yes;
}

static void test_depends(void **state) {
  (void)state;
  assert_true(depends(z, x));
  assert_true(depends(z, e));
  assert_true(depends(e, e));
  assert_true(depends(x, x));
  assert_false(depends(e, y));
  assert_false(depends(e, z));
  assert_false(depends(y, x));
}

static void test_view_root(void **state) {
  gg_var *m = gg_input(g, "m", GA_FLOAT, 2), *s = gg_sqr(m);

  (void)state;
  assert_ptr_equal(gg_view_root(m), m);
  assert_ptr_equal(gg_view_root(s), s);
  assert_ptr_equal(gg_view_root(gg_transpose(m)), m);
  assert_ptr_equal(
      gg_view_root(gg_slice(gg_flatten(gg_transpose(s)), 0, 1, GG_END, 2)), s);
  assert_ptr_equal(gg_view_root(gg_exp(gg_transpose(m))),
                   gg_exp(gg_transpose(m)));
  assert_ptr_equal(gg_view_root(NULL), NULL);
}

static void test_connections(void **state) {
  gg_var *k = gg_input(g, "k", GA_INT, 1), *m = gg_input(g, "m", GA_FLOAT, 2);
  unsigned char yes[5 * 4 + 1] = {0};
  /* A product; rows, by their numbers and sizes; stopped; as integers. */
  const unsigned char want[5 * 4 + 1] = {1, 0, 0, 0, /* x */
                                         1, 0, 0, 0, /* y */
                                         0, 0, 0, 0, /* k */
                                         0, 1, 1, 0, /* m */
                                         1, 0, 0, 0, /* e */
                                         7};

  (void)state;
  yes[5 * 4] = 7;
  assert_ok(gg_connections(
      yes, GG_VARS(x, y, k, m, e),
      GG_VARS(z, gg_mul(gg_take(m, k), gg_cast(gg_size(x), GA_FLOAT)),
              gg_add(m, gg_stop_gradient(gg_sum(e))), gg_cast(x, GA_INT))));
  assert_memory_equal(yes, want, sizeof want);
  /* A float with itself; what is built later with nothing before it. */
  assert_ok(gg_connections(yes, GG_VARS(z, k, x), GG_VARS(x, k)));
  assert_memory_equal(yes, ((unsigned char[]){0, 0, 0, 0, 1, 0}), 6);
  assert_ok(gg_connections(NULL, NULL, GG_VARS(z)));
}

/* Outputs of one node may be connected each with other operands. */
static int is_own(const gg_apply *a, unsigned int in, unsigned int out) {
  (void)a;
  return in == out;
}

static const gg_op op_own = {.name = "own",
                             .kind = GG_OP_KERNEL,
                             .n_out = 2,
                             .infer = infer_two,
                             .connected = is_own};

static void test_connected_outputs(void **state) {
  gg_var *const in[2] = {x, y};
  gg_apply *a = gg_var_owner(gg_op_apply(NULL, &op_own, NULL, 2, in));
  unsigned char yes[4];

  (void)state;
  assert_ok(gg_connections(yes, GG_VARS(x, y),
                           GG_VARS(a->out[0], gg_exp(a->out[1]))));
  assert_memory_equal(yes, ((unsigned char[]){1, 0, 0, 1}), 4);
}

static void assert_refused(int got, const char *message) {
  assert_code(GA_VALUE_ERROR, got);
  assert_string_equal(gg_graph_error(g), message);
  gg_graph_reset_error(g);
}

static void test_refused(void **state) {
  gg_graph *other = gg_graph_new(NULL);
  gg_var *v = gg_input(other, "v", GA_FLOAT, 1), **list = &v;
  gg_apply **nodes;
  size_t n = 7;
  unsigned char pattern[2] = {7, 7};
  int yes = 7;

  (void)state;
  assert_code(GA_VALUE_ERROR, gg_ancestors(&list, &n, NULL, NULL));
  assert_null(list);
  assert_int_equal(n, 0);
  assert_code(GA_VALUE_ERROR, gg_toposort(&nodes, &n, GG_VARS(NULL), NULL));
  assert_null(nodes);
  assert_refused(gg_ancestors(&list, &n, GG_VARS(x, v), NULL),
                 "walk: v is of another graph");
  assert_refused(gg_toposort(&nodes, &n, GG_VARS(x), GG_VARS(v)),
                 "walk: v is of another graph");
  assert_refused(gg_leaves(&list, &n, GG_VARS(x), NULL, 8),
                 "walk: there are no leaves of kind 8");
  assert_null(list);
  assert_refused(gg_depends_on(&yes, x, v), "walk: v is of another graph");
  assert_int_equal(yes, 0);
  assert_code(GA_VALUE_ERROR, gg_depends_on(&yes, NULL, x));
  assert_code(GA_VALUE_ERROR, gg_depends_on(&yes, x, NULL));
  assert_refused(gg_connections(pattern, GG_VARS(x, v), GG_VARS(z)),
                 "walk: v is of another graph");
  assert_int_equal(pattern[0] + pattern[1], 0);
  assert_code(GA_VALUE_ERROR, gg_connections(pattern, GG_VARS(x), NULL));
  gg_graph_free(other);
}

/* A list may lack what could not be built. */
static void test_failed_graph(void **state) {
  gg_var *bad = gg_sum_axis(x, 1), **list;

  (void)state;
  assert_null(bad);
  assert_code(gg_graph_status(g),
              gg_ancestors(&list, NULL, GG_VARS(z, bad), NULL));
  assert_null(list);
}

static void test_no_memory(void **state) {
  gg_var **list;
  gg_apply **nodes;
  unsigned char pattern;
  int yes;

  (void)state;
  for (long nth = 1; nth <= 2; nth++) {
    ga__alloc_fail(nth, 0);
    assert_code(GA_MEMORY_ERROR, gg_ancestors(&list, NULL, GG_VARS(z), NULL));
    assert_null(list);
    gg_graph_reset_error(g);
    ga__alloc_fail(nth, 0);
    assert_code(GA_MEMORY_ERROR, gg_toposort(&nodes, NULL, GG_VARS(z), NULL));
    assert_null(nodes);
    gg_graph_reset_error(g);
  }
  ga__alloc_fail(1, 0);
  assert_code(GA_MEMORY_ERROR, gg_depends_on(&yes, z, x));
  gg_graph_reset_error(g);
  ga__alloc_fail(1, 0);
  assert_code(GA_MEMORY_ERROR,
              gg_connections(&pattern, GG_VARS(x), GG_VARS(z)));
  ga__alloc_fail(0, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_view_root),
      TEST(test_connections),
      TEST(test_connected_outputs),
      TEST(test_ancestors),
      TEST(test_leaves),
      TEST(test_nodes),
      TEST(test_several_outputs),
      TEST(test_loop),
      TEST(test_depends),
      TEST(test_refused),
      TEST(test_failed_graph),
      TEST(test_no_memory),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
