/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules that compute what is known, by example. */
#include <gpugraph/debug.h>
#include <limits.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "ops/ops.h"
#include "support/rewritten.h"

static const rewrite_case cases[] = {
    {"fold constants", "add(1, mul(2, 3))", "7"},
    {"fold constants", "mul(x, exp(0))", "x"},
    {"fold constants", "where(gt(2, 1), x, x)", "x"},
    {"fold dimshuffle", "add(x, div(1, 8))", "add(0.125, x)"},
};

static const char *const kept[] = {"as_square(A)", "flatten(A)"};

static void test_cases(void **unused) {
  (void)unused;
  rewrite_check_all(cases, sizeof cases / sizeof cases[0]);
  rewrite_check_all_kept(kept, sizeof kept / sizeof kept[0]);
}

/* Rewrite `v` and write what comes of it. Of several rules `rule`, unless it is
 * NULL, must fire. With `it`, which has the inputs, the value stays. */
static void check_value(const char *rule, gg_var *v, const char *after,
                        interp *it) {
  gg__build b;

  rewrite_begin(&b, gg_var_graph(v), GG_FAST_RUN);
  rewrite_output(&b, v);
  rewrite_run(&b);
  rewrite_assert(&b, after);
  assert_true(rule == NULL || rewrite_fired(&b, rule) > 0);
  if (it != NULL) {
    interp_eval(it, b.results.v[0]); /* makes room: no value moves below */
    const tensor *want = interp_eval(it, v);
    const tensor *got = interp_eval(it, b.results.v[0]);
    assert_int_equal(got->n, want->n);
    for (size_t i = 0; i < want->n; i++)
      assert_true(got->v[i] == want->v[i]);
  }
  rewrite_end(&b);
}

static void check_rule(const char *rule, gg_var *v, const char *after) {
  check_value(rule, v, after, NULL);
}

static void check(gg_var *v, const char *after) {
  check_rule(NULL, v, after);
}

/* Sums that wrap around, and integers that no double holds. */
static void test_integers_at_the_edge(void **unused) {
  gg_graph *g = gg_graph_new(NULL);
  gg_var *most = gg_scalar(g, GA_SHORT, SHRT_MAX);
  gg_var *one = gg_scalar(g, GA_SHORT, 1);
  gg_var *big = gg_i64(g, INT64_MAX);

  (void)unused;
  check(gg_sub(most, one), "32766");
  check(gg_add(most, one), "add(32767, 1)");
  check(gg_sub(big, gg_i64(g, 1)), "sub(9223372036854775807, 1)");
  check(gg_sub(gg_i64(g, (1ll << 53) + 1), gg_i64(g, 1ll << 53)),
        "sub(9007199254740993, 9007199254740992)");
  check(gg_sub(gg_scalar(g, GA_UINT, 1), gg_scalar(g, GA_UINT, 2)),
        "sub(1, 2)");
  check(gg_div(one, gg_scalar(g, GA_INT, 4)), "0.25");
  check(gg_floordiv(gg_scalar(g, GA_INT, -7), gg_scalar(g, GA_INT, 2)), "-4");
  gg_graph_free(g);
}

/* Elements are converted as a cast would. */
static void test_casts(void **unused) {
  gg_graph *g = gg_graph_new(NULL);

  (void)unused;
  check(gg_cast(gg_f64(g, 2.75), GA_INT), "2");
  check(gg_cast(gg_f64(g, -2.75), GA_INT), "-2");
  check(gg_cast(gg_f64(g, 0.5), GA_BOOL), "1");
  check(gg_cast(gg_f64(g, 0), GA_BOOL), "0");
  gg_graph_free(g);
}

static double eval_half(const double *x) {
  return x[0] / 2;
}

/* What a user's function gives for integers is cut as the kernel would. */
static void test_functions_of_integers(void **unused) {
  static const gg_code code = {"(%0 / (%T)(2))", eval_half, 1, 1};
  static const gg_op half = {
      .name = "half", .kind = GG_OP_ELEMWISE, .n_out = 1, .code = &code};
  gg_graph *g = gg_graph_new(NULL);
  gg_var *three = gg_scalar(g, GA_INT, 3);

  (void)unused;
  check(gg_op_apply(g, &half, NULL, 1, &three), "1");
  gg_graph_free(g);
}

/* A constant that fills a shape which its neighbour has; another that does
 * not. */
static void test_uniform_constant(void **unused) {
  static const double twos[3] = {2, 2, 2}, others[3] = {2, 2, 3};
  gg_graph *g = gg_graph_new(NULL);
  const size_t dims[1] = {3};
  gg_var *x = gg_input(g, "x", GA_DOUBLE, 1);
  gg_var *s = gg_input(g, "s", GA_DOUBLE, 0);
  gg_var *two = gg_constant(g, GA_DOUBLE, 1, dims, twos);
  interp *it = interp_new();

  (void)unused;
  interp_bind(it, x, 1, dims, others);
  check_value("shrink uniform constant", gg_add(x, two), "add(2, x)", it);
  assert_int_equal(two->type.dims[0], 3);
  check(gg_add(gg_constant(g, GA_DOUBLE, 1, dims, others), x),
        "add(constant, x)");
  check(gg_add(gg_constant(g, GA_DOUBLE, 1, dims, others),
               gg_add(gg_f64(g, 1), x)),
        "add(constant, add(1, x))");
  check(gg_mul(two, s), "mul(2, dimshuffle{x}(s))");
  interp_free(it);
  gg_graph_free(g);
}

/* Elements of folded arrays go where they belong. */
static void test_arrays(void **unused) {
  static const double row[3] = {1, 2, 3}, both[6] = {1, 2, 3, 4, 5, 6};
  gg_graph *g = gg_graph_new(NULL);
  const size_t dims[2] = {2, 3};
  gg_var *a = gg_constant(g, GA_DOUBLE, 1, dims + 1, row);
  gg_var *b = gg_constant(g, GA_DOUBLE, 2, dims, both);
  gg_var *v =
      gg_reshape(gg_transpose(gg_sub(gg_mul(a, b), a)), 2, (int64_t[]){2, 3});
  interp *it = interp_new();
  const double *want = interp_eval(it, v)->v;
  gg__build build;

  (void)unused;
  rewrite_begin(&build, g, GG_FAST_RUN);
  rewrite_output(&build, v);
  rewrite_run(&build);
  const double *got = gg_var_data(build.results.v[0]);
  assert_non_null(got);
  assert_int_equal(build.results.v[0]->type.dims[0], 2);
  assert_true(rewrite_fired(&build, "fold reshape") > 0);
  for (unsigned int i = 0; i < 6; i++)
    assert_true(got[i] == want[i]);
  rewrite_end(&build);
  interp_free(it);
  gg_graph_free(g);
}

/* Large arrays would make files and functions large. */
static void test_most_elements(void **unused) {
  enum { MOST = 65536 };
  double *data = calloc(MOST + 1, sizeof *data);

  (void)unused;
  assert_non_null(data);
  data[1] = 1;
  for (size_t n = MOST; n <= MOST + 1; n++) {
    const char *after = n == MOST ? "constant" : NULL;
    gg_graph *g = gg_graph_new(NULL);
    gg_var *c = gg_constant(g, GA_DOUBLE, 1, &n, data);

    check(gg_exp(c), after != NULL ? after : "exp(constant)");
    check(gg_reshape(c, 2, (int64_t[]){1, GG_ANY}),
          after != NULL ? after : "dimshuffle{x 0}(constant)");
    check(gg_reshape(c, 3, (int64_t[]){1, GG_ANY, 1}),
          after != NULL ? after : "dimshuffle{x 0 x}(constant)");
    gg_graph_free(g);
  }
  free(data);
}

/* --- ops of the host --- */

enum { MOST_INPUTS = 90 };

static int performed;

static int infer_host(const gg_apply *a, gg_type *out) {
  for (unsigned int i = 0; i < a->n_out; i++)
    out[i] = *gg_var_type(a->in[0]);
  return GA_NO_ERROR;
}

static int perform_host(const gg_prepare *p) {
  double *const to = p->to[0];

  performed++;
  for (size_t i = 0; i < p->in[0]->dimensions[0]; i++)
    to[i] = -((const double *)p->from[0])[i];
  return GA_NO_ERROR;
}

static int state_host(const gg_prepare *p, void **state) {
  (void)p;
  *state = NULL;
  return GA_NO_ERROR;
}

static void free_host(void *state) {
  (void)state;
}

#define HOST_OP                                                                \
  .kind = GG_OP_PERFORM, .infer = infer_host, .perform = perform_host

static const gg_op host_op = {
    .name = "host", .n_out = 1, .on_host = 1, HOST_OP};
static const gg_op device_op = {.name = "device", .n_out = 1, HOST_OP};
static const gg_op unfolded_op = {
    .name = "unfolded", .n_out = 1, .on_host = 1, .no_fold = 1, HOST_OP};
static const gg_op stateful_op = {.name = "stateful",
                                  .n_out = 1,
                                  .on_host = 1,
                                  .state_new = state_host,
                                  .state_free = free_host,
                                  HOST_OP};
static const gg_op two_op = {.name = "two", .n_out = 2, .on_host = 1, HOST_OP};

/* Only ops that may be called with nothing but host memory are. */
static void test_host_ops(void **unused) {
  static const double data[3] = {1, 1, 1};
  static const int64_t known[1] = {3};
  static const struct {
    const gg_op *op;
    const char *after;
  } rows[] = {{&host_op, "-1"},
              {&device_op, "device(1)"},
              {&unfolded_op, "unfolded(1)"},
              {&stateful_op, "stateful(1)"},
              {&two_op, "two.0(1)"}};
  gg_graph *g = gg_graph_new(NULL);
  gg_var *c = gg_constant(g, GA_DOUBLE, 1, (size_t[]){3}, data);
  gg_var *k = gg_input_sized(g, "k", GA_DOUBLE, 1, known);

  (void)unused;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    performed = 0;
    check(gg_op_apply(NULL, rows[i].op, NULL, 1, &c), rows[i].after);
    assert_int_equal(performed, rows[i].op == &host_op);
  }
  performed = 0;
  check(gg_op_apply(NULL, &host_op, NULL, 1, &k), "host(k)");
  assert_int_equal(performed, 0);
  gg_graph_free(g);
}

/* Rewrite with the nth allocation failing; returns the code. */
static int fold_failing(long nth, unsigned int n_in) {
  static const double data[3] = {1, 1, 1};
  gg_graph *g = gg_graph_new(NULL);
  gg_var *in[MOST_INPUTS];
  gg__build b;

  for (unsigned int i = 0; i < n_in; i++)
    in[i] = gg_constant(g, GA_DOUBLE, 1, (size_t[]){3}, data);
  rewrite_begin(&b, g, GG_FAST_RUN);
  rewrite_output(&b, gg_op_apply(NULL, &host_op, NULL, n_in, in));
  rewrite_output(&b, gg_exp(in[0]));
  ga__alloc_fail(nth, 0);
  const int err = gg__rewrite(&b);
  ga__alloc_fail(0, 0);
  assert_int_equal(gg_graph_status(g), err);
  rewrite_end(&b);
  gg_graph_free(g);
  return err;
}

/* Every allocation fails once, also those for each of many inputs: an error, no
 * crash, no leak. */
static void test_out_of_memory(void **unused) {
  const long live = ga__alloc_live();

  (void)unused;
  for (unsigned int n = 1; n <= MOST_INPUTS; n++) {
    int err = GA_MEMORY_ERROR;
    for (long nth = 1; err != GA_NO_ERROR; nth++) {
      err = fold_failing(nth, n);
      assert_true(err == GA_NO_ERROR || err == GA_MEMORY_ERROR);
      assert_int_equal(ga__alloc_live(), live);
    }
  }
}

/* Sizes that are known by the time of rewriting. */
static void test_sizes(void **unused) {
  static const int64_t dims[2] = {4, GG_ANY}, known[2] = {4, 5};
  const gg__axis_props axis = {0};
  gg_graph *g = gg_graph_new(NULL);
  gg_var *x = gg_input_sized(g, "x", GA_FLOAT, 2, dims);
  gg_var *y = gg_input_sized(g, "y", GA_FLOAT, 2, known);
  const double data[20] = {0};
  interp *it = interp_new();

  (void)unused;
  interp_bind(it, y, 2, (size_t[]){4, 5}, data);
  check_value("fold sizes", gg_op_apply(g, &gg__op_size, NULL, 1, &y), "20",
              it);
  interp_free(it);
  check(gg_op_apply(g, &gg__op_shape, &axis, 1, &x), "4");
  check(gg_op_apply(g, &gg__op_size, NULL, 1, &x), "size(x)");
  gg_var *const three = gg_i64(g, 3), *const n = gg_shape(x, 1);
  check_rule("fold sizes", gg_op_apply(g, &gg__op_extent, NULL, 1, &three),
             "0");
  check(gg_op_apply(g, &gg__op_extent, NULL, 1, &n),
        "extent(shape{axis=1}(x))");
  gg_graph_free(g);
}

static void test_true_assertion(void **unused) {
  expr_vars e;

  (void)unused;
  expr_begin(&e);
  gg_var *x = e.v[0];
  check_value("true assertion",
              gg_assert(x, gg_lt(gg_f64(e.g, 1), gg_f64(e.g, 2)), "no"), "x",
              NULL);
  check(gg_assert(x, gg_lt(gg_f64(e.g, 2), gg_f64(e.g, 1)), "no"),
        "assert{\"no\"}(x, 0)");
  gg_graph_free(e.g);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_cases),
      cmocka_unit_test(test_integers_at_the_edge),
      cmocka_unit_test(test_casts),
      cmocka_unit_test(test_functions_of_integers),
      cmocka_unit_test(test_uniform_constant),
      cmocka_unit_test(test_arrays),
      cmocka_unit_test(test_most_elements),
      cmocka_unit_test(test_host_ops),
      cmocka_unit_test(test_out_of_memory),
      cmocka_unit_test(test_sizes),
      cmocka_unit_test(test_true_assertion)};

  return cmocka_run_group_tests(tests, NULL, NULL);
}
