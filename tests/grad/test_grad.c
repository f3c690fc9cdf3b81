/* SPDX-License-Identifier: BSD-2-Clause */
/* The gradient engine: what is connected, what adds up, what is refused. The
 * formulas of ops are tested with the ops. */
#include <math.h>
#include <string.h>

#include <gpugraph/rop.h>

#include "graph/graph.h"
#include "ops/ops.h"
#include "support/interp.h"

static gg_graph *g;
static interp *it;

static int setup(void **state) {
  (void)state;
  g = gg_graph_new(NULL);
  it = interp_new();
  return g == NULL || it == NULL;
}

static int teardown(void **state) {
  (void)state;
  interp_free(it);
  gg_graph_free(g);
  return 0;
}

static gg_var *scalar(const char *name, double value) {
  gg_var *v = gg_input(g, name, GA_DOUBLE, 0);

  interp_bind(it, v, 0, NULL, &value);
  return v;
}

static gg_var *vector(const char *name, double a, double b, double c) {
  gg_var *v = gg_input(g, name, GA_DOUBLE, 1);

  interp_bind(it, v, 1, (size_t[]){3}, (double[]){a, b, c});
  return v;
}

static void assert_number(gg_var *v, double want) {
  if (v == NULL)
    fail_msg("%s", gg_graph_error(g));
  if (!(fabs(interp_number(it, v) - want) <= 1e-12 * (1 + fabs(want))))
    fail_msg("got %.17g, expected %.17g", interp_number(it, v), want);
}

static void assert_refused(int err, int code, const char *message) {
  assert_int_equal(err, code);
  assert_int_equal(gg_graph_status(g), code);
  assert_string_equal(gg_graph_error(g), message);
  gg_graph_reset_error(g);
}

static void test_uses_add_up(void **state) {
  gg_var *x = scalar("x", 3), *d;

  (void)state;
  /* x^2 + 5 x + x */
  assert_ok(gg_grad(
      &d, gg_add(gg_add(gg_mul(x, x), gg_mul(x, gg_f64(g, 5))), x), 1, &x));
  assert_number(d, 12);
}

static void test_several(void **state) {
  gg_var *x = scalar("x", 3), *y = scalar("y", 5), *d[3];
  gg_var *p = gg_mul(x, y), *wrt[3] = {y, p, y};

  (void)state;
  /* Variables in between have gradients too, and may be asked for twice. */
  assert_ok(gg_grad(d, gg_add(gg_sqr(p), y), 3, wrt));
  assert_number(d[0], 2 * 15 * 3 + 1);
  assert_number(d[1], 30);
  assert_ptr_equal(d[0], d[2]);
}

static void test_cost_itself(void **state) {
  gg_var *x = scalar("x", 3), *d;

  (void)state;
  assert_ok(gg_grad(&d, x, 1, &x));
  assert_number(d, 1);
}

/* The gradient has the dtype and rank of the variable, whatever is in
 * between. */
static void test_types(void **state) {
  gg_var *row = gg_input_sized(g, "r", GA_HALF, 2, (int64_t[]){1, GG_ANY});
  gg_var *m = gg_input_sized(g, "m", GA_FLOAT, 2, (int64_t[]){3, 4});
  gg_var *w = gg_input_sized(g, "w", GA_FLOAT, 2, (int64_t[]){4, 1});
  gg_var *x = gg_input(g, "x", GA_FLOAT, 2);
  gg_var *d[3], *wrt[3] = {row, m, w};

  (void)state;
  assert_ok(
      gg_grad(d, gg_add(gg_sum(gg_mul(m, row)), gg_sum(gg_dot(x, w))), 3, wrt));
  assert_int_equal(gg_var_type(d[0])->dtype, GA_HALF);
  assert_int_equal(gg_var_type(d[0])->dims[0], 1);
  assert_true(gg__type_equal(gg_var_type(d[1]), gg_var_type(m)));
  assert_true(gg__type_equal(gg_var_type(d[2]), gg_var_type(w)));
}

static void test_stretched_operands(void **state) {
  gg_var *x = vector("x", 1, 2, 3), *s = scalar("s", 2), *d[2];
  gg_var *wrt[2] = {x, s};

  (void)state;
  assert_ok(gg_grad(d, gg_sum(gg_mul(x, s)), 2, wrt));
  const tensor *t = interp_eval(it, d[0]);
  assert_int_equal(t->n, 3);
  assert_true(t->v[0] == 2 && t->v[1] == 2 && t->v[2] == 2);
  assert_number(d[1], 6);
}

static void test_disconnected(void **state) {
  gg_var *x = scalar("x", 3), *y = vector("y", 1, 2, 3), *d[2];
  gg_var *wrt[2] = {x, y};

  (void)state;
  assert_refused(gg_grad(d, gg_sqr(x), 2, wrt), GA_VALUE_ERROR,
                 "gradient: variable 1 (y) does not influence the cost");
  assert_null(d[0]);
  assert_null(d[1]);
  assert_ok(
      gg_grad_ex(d, gg_sqr(x), 2, wrt, 0, NULL, GG_GRAD_ALLOW_DISCONNECTED));
  assert_number(d[0], 6);
  assert_int_equal(interp_eval(it, d[1])->n, 3);
  assert_number(gg_sum(d[1]), 0);
  assert_ok(
      gg_grad_ex(d, gg_sqr(x), 2, wrt, 0, NULL, GG_GRAD_NULL_DISCONNECTED));
  assert_number(d[0], 6);
  assert_null(d[1]);
}

/* Through shapes and comparisons nothing flows. */
static void test_shapes_do_not_connect(void **state) {
  gg_var *x = vector("x", 1, 2, 3), *d;
  gg_var *n = gg_cast(gg_size(x), GA_DOUBLE);

  (void)state;
  assert_refused(gg_grad(&d, n, 1, &x), GA_VALUE_ERROR,
                 "gradient: variable 0 (x) does not influence the cost");
  assert_ok(gg_grad(&d, gg_sum(gg_mul(x, n)), 1, &x));
  assert_number(gg_sum(d), 9);
  assert_refused(gg_grad(&d, gg_sum(gg_fill(x, gg_f64(g, 2))), 1, &x),
                 GA_VALUE_ERROR,
                 "gradient: variable 0 (x) does not influence the cost");
  assert_refused(gg_grad(&d, gg_cast(gg_gt(x, gg_f64(g, 0)), GA_DOUBLE), 1, &x),
                 GA_VALUE_ERROR,
                 "gradient: the cost must be a float scalar, got float64[?]");
  assert_refused(
      gg_grad(&d, gg_sum(gg_cast(gg_gt(x, gg_f64(g, 0)), GA_DOUBLE)), 1, &x),
      GA_VALUE_ERROR, "gradient: variable 0 (x) does not influence the cost");
}

static void test_stop_gradient(void **state) {
  gg_var *x = scalar("x", 3), *d;

  (void)state;
  assert_ok(gg_grad(&d, gg_mul(x, gg_stop_gradient(gg_sqr(x))), 1, &x));
  assert_number(d, 9);
  assert_refused(gg_grad(&d, gg_stop_gradient(x), 1, &x), GA_VALUE_ERROR,
                 "gradient: variable 0 (x) does not influence the cost");
}

static void test_constant_values(void **state) {
  gg_var *x = scalar("x", 3), *e = gg_sqr(x), *d;

  (void)state;
  assert_ok(gg_grad_ex(&d, gg_mul(x, e), 1, &x, 1, &e, 0));
  assert_number(d, 9);
}

static void test_refused(void **state) {
  gg_var *x = vector("x", 1, 2, 3), *i = gg_input(g, "i", GA_LONG, 0), *d;
  gg_var *none = NULL;
  gg_graph *other = gg_graph_new(NULL);
  gg_var *stray = gg_input(other, "stray", GA_FLOAT, 0);

  (void)state;
  assert_refused(gg_grad_ex(&d, gg_sum(x), 1, &x, 2, GG_VARS(x, stray), 0),
                 GA_VALUE_ERROR,
                 "gradient: constant variable 1 is not in the graph");
  gg_graph_free(other);
  assert_refused(gg_grad(&d, x, 1, &x), GA_VALUE_ERROR,
                 "gradient: the cost must be a float scalar, got float64[?]");
  assert_refused(gg_grad(&d, gg_sum(gg_cast(x, GA_INT)), 1, &x), GA_VALUE_ERROR,
                 "gradient: the cost must be a float scalar, got int64");
  assert_refused(gg_grad(&d, gg_sum(gg_mul(x, i)), 1, &i), GA_VALUE_ERROR,
                 "gradient: variable 0 (i) is int64: only floats and complex "
                 "numbers have gradients");
  assert_refused(gg_grad(&d, gg_sum(x), 1, &none), GA_VALUE_ERROR,
                 "gradient: variable 0 is NULL");
  assert_refused(gg_grad(&d, NULL, 1, &x), GA_VALUE_ERROR,
                 "gradient: the cost is NULL");
  /* A graph that is in error gives that error. */
  gg_dot(i, x);
  gg_dot(gg_input(g, "j", GA_LONG, 1), gg_input(g, "k", GA_LONG, 1));
  assert_int_equal(gg_grad(&d, gg_sum(x), 1, &x), GA_UNSUPPORTED_ERROR);
  assert_null(d);
}

static const gg_op hard = {.name = "hard",
                           .kind = GG_OP_ELEMWISE,
                           .n_out = 1,
                           .code = &(gg_code){"%0", NULL, 1, 0}};

static void test_no_gradient(void **state) {
  gg_var *x = vector("x", 1, 2, 3), *y = scalar("y", 2), *d;
  gg_var *h = gg_op_elemwise(&hard, NULL, 1, &x);

  (void)state;
  assert_refused(gg_grad(&d, gg_sum(h), 1, &x), GA_UNSUPPORTED_ERROR,
                 "hard(float64[?]): this op has no gradient");
  /* It does not matter off the path. */
  assert_ok(gg_grad(&d, gg_sum(gg_mul(h, y)), 1, &y));
}

/* x k, known to have a gradient by x alone. */
static int grad_half(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  gin[0] = gg_mul(gout[0], a->in[1]);
  return GA_NO_ERROR;
}

static const char *why_half(const gg_apply *a, unsigned int in) {
  (void)a;
  return in == 1 ? "k is a count" : NULL;
}

static const gg_op half_known = {.name = "half_known",
                                 .kind = GG_OP_ELEMWISE,
                                 .n_out = 1,
                                 .grad = grad_half,
                                 .no_grad = why_half,
                                 .code = &(gg_code){"(%0 * %1)", NULL, 1, 1}};

static const char *why_none(const gg_apply *a, unsigned int in) {
  (void)a;
  (void)in;
  return "not implemented";
}

static const gg_op unknown = {
    .name = "unknown", .kind = GG_OP_KERNEL, .n_out = 1, .no_grad = why_none};

/* Of one operand, or of all; refused where it is needed and nowhere else. */
static void test_no_gradient_by_author(void **state) {
  gg_var *x = scalar("x", 3), *k = scalar("k", 2), *d[2];
  gg_var *in[2] = {x, k};
  gg_var *y = gg_op_elemwise(&half_known, NULL, 2, in);
  gg_var *z = gg_op_apply(NULL, &unknown, NULL, 1, &x);

  (void)state;
  assert_ok(gg_grad(d, gg_sqr(y), 1, &x));
  assert_refused(gg_grad(d, gg_sqr(y), 2, in), GA_UNSUPPORTED_ERROR,
                 "half_known(float64, float64): operand 1 (k) has no gradient: "
                 "k is a count");
  assert_null(d[0]);
  assert_null(d[1]);
  assert_refused(gg_grad(d, gg_mul(k, z), 1, &x), GA_UNSUPPORTED_ERROR,
                 "unknown(float64): operand 0 (x) has no gradient: not "
                 "implemented");
  assert_ok(gg_grad(d, gg_mul(k, z), 1, &k));
}

/* An operand whose values do not matter needs no gradient. */
static const gg_op shapely = {
    .name = "shapely", .kind = GG_OP_KERNEL, .n_out = 1, .shape_only = 1};

static void test_no_gradient_unconnected(void **state) {
  gg_var *x = scalar("x", 3), *d;
  gg_var *y = gg_op_apply(NULL, &shapely, NULL, 1, &x);

  (void)state;
  assert_refused(gg_grad(&d, y, 1, &x), GA_VALUE_ERROR,
                 "gradient: variable 0 (x) does not influence the cost");
}

static void test_undefined_gradient(void **state) {
  gg_var *x = scalar("x", 3), *y = scalar("y", 2), *d;
  gg_var *u = gg_undefined_gradient(gg_sqr(x), "x is a label");
  gg_var *both = gg_mul(u, gg_mul(x, y)), *wrt[2] = {u, y};
  gg_var *grads[2];
  const char *const message =
      "undefined_gradient(float64): operand 0 has no gradient: x is a label";

  (void)state;
  assert_number(u, 9);
  assert_refused(gg_grad(&d, both, 1, &x), GA_UNSUPPORTED_ERROR, message);
  assert_null(d);
  assert_refused(
      gg_grad_ex(&d, both, 1, &x, 0, NULL, GG_GRAD_ALLOW_DISCONNECTED),
      GA_UNSUPPORTED_ERROR, message);
  /* Of itself, and past it. */
  assert_ok(gg_grad(grads, both, 2, wrt));
  assert_number(grads[0], 6);
  assert_number(grads[1], 27);
  assert_ok(gg_grad_ex(&d, both, 1, &x, 1, &u, 0));
  assert_number(d, 18);
  assert_ok(gg_grad(&d, gg_mul(x, gg_stop_gradient(u)), 1, &x));
  assert_number(d, 9);
}

static void test_undefined_forward(void **state) {
  gg_var *x = scalar("x", 3), *y = scalar("y", 2), *dir = scalar("v", 1), *r;
  gg_var *z = gg_mul(gg_undefined_gradient(x, "x is a label"), y);

  (void)state;
  assert_refused(gg_rop(&r, 1, &z, 1, &x, &dir), GA_UNSUPPORTED_ERROR,
                 "undefined_gradient(float64): operand 0 (x) has no gradient: "
                 "x is a label");
  assert_ok(gg_rop(&r, 1, &z, 1, &y, &dir));
  assert_number(r, 3);
}

static void test_undefined_refused(void **state) {
  gg_var *x = scalar("x", 3), *i = gg_input(g, "i", GA_LONG, 0);
  char reason[200];

  (void)state;
  assert_null(gg_undefined_gradient(NULL, "no"));
  assert_null(gg_undefined_gradient(i, "no"));
  assert_string_equal(gg_graph_error(g), "undefined_gradient(int64): only "
                                         "floats and complex numbers have "
                                         "gradients");
  gg_graph_reset_error(g);
  memset(reason, 'a', sizeof reason);
  reason[128] = '\0';
  assert_null(gg_undefined_gradient(x, reason));
  assert_string_equal(gg_graph_error(g),
                      "undefined_gradient(float64): a message of 128 bytes, "
                      "expected at most 127");
  gg_graph_reset_error(g);
  reason[127] = '\0';
  assert_non_null(gg_undefined_gradient(x, reason));
}

static int grad_wrong(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  gin[0] = gg_sum(gg_mul(gout[0], a->in[0]));
  return GA_NO_ERROR;
}

static const gg_op wrong = {
    .name = "wrong", .kind = GG_OP_KERNEL, .n_out = 1, .grad = grad_wrong};

static void test_wrong_gradient(void **state) {
  gg_var *x = vector("x", 1, 2, 3), *d;

  (void)state;
  assert_refused(
      gg_grad(&d, gg_sum(gg_op_apply(NULL, &wrong, NULL, 1, &x)), 1, &x),
      GA_VALUE_ERROR,
      "wrong(float64[?]): the gradient of operand 0 is float64, "
      "expected float64[?]");
}

/* prod with a zero in it, and with two. */
static void test_prod_of_zeros(void **state) {
  gg_var *x = vector("x", 2, 0, 5), *z = vector("z", 0, 0, 5), *d;

  (void)state;
  assert_ok(gg_grad(&d, gg_prod(x), 1, &x));
  const tensor *t = interp_eval(it, d);
  assert_true(t->v[0] == 0 && t->v[1] == 10 && t->v[2] == 0);
  assert_ok(gg_grad(&d, gg_prod(z), 1, &z));
  t = interp_eval(it, d);
  assert_true(t->v[0] == 0 && t->v[1] == 0 && t->v[2] == 0);
}

static void test_ties(void **state) {
  gg_var *x = vector("x", 4, 1, 4), *a = scalar("a", 2), *b = scalar("b", 2);
  gg_var *d[2], *wrt[2] = {a, b};

  (void)state;
  assert_ok(gg_grad(d, gg_max(x), 1, &x));
  const tensor *t = interp_eval(it, d[0]);
  assert_true(t->v[0] == 0.5 && t->v[1] == 0 && t->v[2] == 0.5);
  assert_ok(gg_grad(d, gg_maximum(a, b), 2, wrt));
  assert_number(d[0], 1);
  assert_number(d[1], 0);
}

/* x^0 and 0^y. */
static void test_pow_at_zero(void **state) {
  gg_var *x = scalar("x", 0), *y = scalar("y", 0), *d[2], *wrt[2] = {x, y};

  (void)state;
  assert_ok(gg_grad(d, gg_pow(x, y), 2, wrt));
  assert_number(d[0], 0);
  assert_number(d[1], 0);
  assert_ok(gg_grad(d, gg_pow(x, gg_f64(g, 1)), 1, &x));
  assert_number(d[0], 1);
}

static void test_logistic_regression(void **state) {
  gg_var *x = gg_input(g, "x", GA_DOUBLE, 2),
         *y = gg_input(g, "y", GA_DOUBLE, 1);
  gg_var *w = gg_input(g, "w", GA_DOUBLE, 1), *b = scalar("b", -0.25);
  gg_var *one = gg_f64(g, 1), *p, *xent, *cost, *d[2], *wrt[2] = {w, b};
  const double xs[6] = {1, -2, 0.5, 3, -1, 2}, ys[3] = {1, 0, 1};
  const double ws[2] = {0.5, -1};
  double want[2] = {2 * 0.01 * 0.5, -2 * 0.01}, bias = 0, dz;

  (void)state;
  interp_bind(it, x, 2, (size_t[]){3, 2}, xs);
  interp_bind(it, y, 1, (size_t[]){3}, ys);
  interp_bind(it, w, 1, (size_t[]){2}, ws);
  p = gg_div(one, gg_add(one, gg_exp(gg_sub(gg_neg(gg_dot(x, w)), b))));
  xent = gg_sub(gg_neg(gg_mul(y, gg_log(p))),
                gg_mul(gg_sub(one, y), gg_log(gg_sub(one, p))));
  cost = gg_add(gg_mean(xent), gg_mul(gg_f64(g, 0.01), gg_sum(gg_sqr(w))));
  assert_ok(gg_grad(d, cost, 2, wrt));
  for (int i = 0; i < 3; i++) {
    dz = 1 / (1 + exp(-(xs[2 * i] * ws[0] + xs[2 * i + 1] * ws[1] - 0.25)));
    dz = (dz - ys[i]) / 3;
    want[0] += dz * xs[2 * i];
    want[1] += dz * xs[2 * i + 1];
    bias += dz;
  }
  const tensor *t = interp_eval(it, d[0]);
  assert_int_equal(t->n, 2);
  assert_true(fabs(t->v[0] - want[0]) < 1e-14);
  assert_true(fabs(t->v[1] - want[1]) < 1e-14);
  assert_number(d[1], bias);
}

static void test_long_chain(void **state) {
  gg_var *x = scalar("x", 1), *v = x, *d;

  (void)state;
  for (int i = 0; i < 20000; i++)
    v = gg_add(gg_mul(v, gg_f64(g, 0.5)), gg_f64(g, i & 1));
  assert_ok(gg_grad(&d, v, 1, &x));
  assert_number(d, 0);
}

static void test_names(void **state) {
  gg_var *x = vector("x", 1, 2, 3), *w = vector("w", 4, 5, 6), *out[2];
  gg_var *h = gg_named(gg_exp(gg_mul(x, w)), "h");
  gg_var *cost = gg_named(gg_sum(gg_log(h)), "cost");

  (void)state;
  assert_int_equal(gg_grad(out, cost, 1, &x), 0);
  assert_string_equal(gg_var_name(out[0]), "");
  assert_int_equal(
      gg_grad_ex(out, cost, 2, GG_VARS(x, h), 0, NULL, GG_GRAD_NAMES), 0);
  assert_string_equal(gg_var_name(out[0]), "(dcost/dx)");
  assert_string_equal(gg_var_name(out[1]), "(dcost/dh)");
  /* Once more: names stay. */
  cost = gg_named(cost, "c");
  assert_int_equal(
      gg_grad_ex(out, cost, 2, GG_VARS(x, w), 0, NULL, GG_GRAD_NAMES), 0);
  assert_string_equal(gg_var_name(out[0]), "(dcost/dx)");
  assert_string_equal(gg_var_name(out[1]), "(dc/dw)");
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
  const struct CMUnitTest tests[] = {
      TEST(test_uses_add_up),
      TEST(test_several),
      TEST(test_cost_itself),
      TEST(test_types),
      TEST(test_stretched_operands),
      TEST(test_disconnected),
      TEST(test_shapes_do_not_connect),
      TEST(test_stop_gradient),
      TEST(test_constant_values),
      TEST(test_refused),
      TEST(test_no_gradient),
      TEST(test_no_gradient_by_author),
      TEST(test_no_gradient_unconnected),
      TEST(test_undefined_gradient),
      TEST(test_undefined_forward),
      TEST(test_undefined_refused),
      TEST(test_wrong_gradient),
      TEST(test_prod_of_zeros),
      TEST(test_ties),
      TEST(test_pow_at_zero),
      TEST(test_logistic_regression),
      TEST(test_long_chain),
      TEST(test_names),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
