/* SPDX-License-Identifier: BSD-2-Clause */
/* The training steps of the examples, rewritten: their operations, their
 * values, and that they stay finite. */
#include <gpugraph/gpugraph.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ops/ops.h"
#include "support/rewritten.h"

enum { ROWS = 5, FEATURES = 4, CLASSES = 3 };

/* A step: its results before rewriting, and after it in `b`. */
typedef struct step {
  gg_graph *g;
  gg__build b;
  gg_var *before[4];
  interp *it;
} step;

static void begin(step *s) {
  memset(s, 0, sizeof *s);
  s->g = gg_graph_new(NULL);
  assert_non_null(s->g);
  s->it = interp_new();
  rewrite_begin(&s->b, s->g, GG_FAST_RUN);
}

static void run(step *s) {
  for (size_t i = 0; i < s->b.results.n; i++)
    s->before[i] = s->b.results.v[i];
  rewrite_run(&s->b);
  assert_int_equal(rewrite_fired(&s->b, "refused"), 0);
  assert_int_equal(rewrite_fired(&s->b, "unsettled"), 0);
}

static void end(step *s) {
  rewrite_end(&s->b);
  interp_free(s->it);
  gg_graph_free(s->g);
}

/* Give a variable numbers between -scale and scale. */
static void bind(step *s, gg_var *v, unsigned int nd, size_t d0, size_t d1,
                 double scale) {
  const size_t dims[2] = {d0, d1};
  const size_t n = nd == 0 ? 1 : nd == 1 ? d0 : d0 * d1;
  double *data = malloc(n * sizeof *data);

  assert_non_null(data);
  for (size_t i = 0; i < n; i++)
    data[i] = scale * sin(1.7 * (double)i + (double)n);
  interp_bind(s->it, v, nd, dims, data);
  free(data);
}

static void check_values(step *s) {
  for (size_t i = 0; i < s->b.results.n; i++) {
    const tensor *want = interp_eval(s->it, s->before[i]);
    const tensor *got = interp_eval(s->it, s->b.results.v[i]);
    assert_int_equal(got->n, want->n);
    for (size_t k = 0; k < got->n; k++)
      if (!(fabs(got->v[k] - want->v[k]) <= 1e-6 * (1 + fabs(want->v[k]))))
        fail_msg("result %zu, element %zu: %.12g became %.12g", i, k,
                 want->v[k], got->v[k]);
  }
}

static void check_finite(step *s) {
  for (size_t i = 0; i < s->b.results.n; i++) {
    const tensor *t = interp_eval(s->it, s->b.results.v[i]);
    for (size_t k = 0; k < t->n; k++)
      if (!isfinite(t->v[k]))
        fail_msg("result %zu, element %zu is %g", i, k, t->v[k]);
  }
}

static void check_text(const step *s, size_t result, const char *want) {
  char text[4096];

  assert_string_equal(expr_text(s->b.results.v[result], text, sizeof text),
                      want);
}

/* --- docs/examples/logistic.c --- */

typedef struct logistic {
  gg_var *x, *y, *w, *b;
} logistic;

static void build_logistic(step *s, logistic *m, int by_formula) {
  gg_graph *g = s->g;
  gg_var *x = m->x = gg_input(g, "x", GA_FLOAT, 2);
  gg_var *y = m->y = gg_input(g, "y", GA_FLOAT, 1);
  gg_var *w = m->w = gg_input(g, "w", GA_FLOAT, 1);
  gg_var *b = m->b = gg_input(g, "b", GA_FLOAT, 0);
  gg_var *one = gg_f32(g, 1), *rate = gg_f32(g, 0.01f);
  gg_var *p1 =
      by_formula
          ? gg_div(one, gg_add(one, gg_exp(gg_sub(gg_neg(gg_dot(x, w)), b))))
          : gg_sigmoid(gg_add(gg_dot(x, w), b));
  /* One after the other: what is built first comes first in sums. */
  gg_var *off = gg_mul(gg_sub(one, y), gg_log(gg_sub(one, p1)));
  gg_var *xent = gg_sub(gg_mul(gg_neg(y), gg_log(p1)), off);
  gg_var *cost =
      gg_add(gg_mean(xent), gg_mul(gg_f32(g, 0.01f), gg_sum(gg_sqr(w))));
  gg_var *grad[2];

  assert_ok(gg_grad(grad, cost, 2, (gg_var *[]){w, b}));
  rewrite_output(&s->b, gg_gt(p1, gg_f32(g, 0.5f)));
  rewrite_output(&s->b, xent);
  rewrite_update(&s->b, w, gg_sub(w, gg_mul(rate, grad[0])));
  rewrite_update(&s->b, b, gg_sub(b, gg_mul(rate, grad[1])));
}

static void bind_logistic(step *s, const logistic *m, double scale) {
  static const double labels[ROWS] = {0, 1, 1, 0, 1};
  const size_t dims[1] = {ROWS};

  bind(s, m->x, 2, ROWS, FEATURES, scale);
  bind(s, m->w, 1, FEATURES, 0, 1);
  bind(s, m->b, 0, 0, 0, 1);
  interp_bind(s->it, m->y, 1, dims, labels);
}

static void check_logistic(int by_formula) {
  const char *z = "add(dimshuffle{x}(b), dot(x, w))";
  char want[4096];
  logistic m;
  step s;

  begin(&s);
  build_logistic(&s, &m, by_formula);
  run(&s);
  snprintf(want, sizeof want, "gt(sigmoid(%s), 0.5)", z);
  check_text(&s, 0, want);
  snprintf(want, sizeof want,
           "add(mul(sub(1, y), softplus(%s)), mul(y, softplus(neg(%s))))", z,
           z);
  check_text(&s, 1, want);
  snprintf(want, sizeof want,
           "gemv{alpha=-0.01 beta=0.9998}(w, dimshuffle{1 0}(x), "
           "mul(div(1, cast{float32}(dimshuffle{x}(size(y)))), "
           "sub(sigmoid(%s), y)))",
           z);
  check_text(&s, 2, want);
  assert_int_equal(rewrite_count(&s.b, &gg__op_dot), 1);
  assert_int_equal(rewrite_count(&s.b, &gg__op_log), 0);
  assert_int_equal(rewrite_count(&s.b, &gg__op_reduce), 1);
  bind_logistic(&s, &m, 1);
  check_values(&s);
  bind_logistic(&s, &m, 1e4);
  check_finite(&s);
  end(&s);
}

static void test_logistic(void **unused) {
  (void)unused;
  check_logistic(0);
  check_logistic(1);
}

/* --- docs/examples/fashion/fashion.c --- */

typedef struct softmax_model {
  gg_var *images, *labels, *batch, *w, *b, *rate;
} softmax_model;

static void build_fashion(step *s, softmax_model *m) {
  gg_graph *g = s->g;
  gg_var *x, *y, *p, *cost, *grad[2];

  m->images = gg_input(g, "images", GA_UBYTE, 2);
  m->labels = gg_input(g, "labels", GA_UBYTE, 1);
  m->w = gg_input(g, "w", GA_FLOAT, 2);
  m->b = gg_input(g, "b", GA_FLOAT, 1);
  m->rate = gg_input(g, "rate", GA_FLOAT, 0);
  m->batch = gg_input(g, "batch", GA_INT, 1);
  x = gg_mul(gg_cast(gg_take(m->images, m->batch), GA_FLOAT),
             gg_f32(g, 1.0f / 255));
  y = gg_take(m->labels, m->batch);
  p = gg_softmax(gg_add(gg_dot(x, m->w), m->b));
  cost = gg_mean(gg_crossentropy(p, y));
  assert_ok(gg_grad(grad, gg_mul(m->rate, cost), 2, (gg_var *[]){m->w, m->b}));
  rewrite_output(&s->b, cost);
  rewrite_update(&s->b, m->w, gg_sub(m->w, grad[0]));
  rewrite_update(&s->b, m->b, gg_sub(m->b, grad[1]));
}

static void bind_fashion(step *s, const softmax_model *m, double scale) {
  static const double order[ROWS] = {4, 2, 0, 3, 1};
  static const double labels[ROWS] = {0, 2, 1, 0, 1};
  double pixels[ROWS * FEATURES];
  const size_t dims[2] = {ROWS, FEATURES};

  for (size_t i = 0; i < ROWS * FEATURES; i++)
    pixels[i] = (double)(i * 37 % 256);
  interp_bind(s->it, m->images, 2, dims, pixels);
  interp_bind(s->it, m->labels, 1, dims, labels);
  interp_bind(s->it, m->batch, 1, dims, order);
  bind(s, m->w, 2, FEATURES, CLASSES, scale);
  bind(s, m->b, 1, CLASSES, 0, 1);
  bind(s, m->rate, 0, 0, 0, 0.5);
}

static void test_fashion(void **unused) {
  softmax_model m;
  step s;

  (void)unused;
  begin(&s);
  build_fashion(&s, &m);
  run(&s);
  const gg_apply *update = gg_var_owner(s.b.results.v[1]);
  assert_ptr_equal(update->op, &gg__op_gemm);
  assert_ptr_equal(update->in[0], m.w);
  assert_true(((const gg__gemm_props *)update->props)->alpha == -1);
  assert_true(((const gg__gemm_props *)update->props)->beta == 1);
  /* The largest of a row, the sum of exponentials, the class of a row, the
   * mean, the gradient of b: no sum is made twice. */
  assert_int_equal(rewrite_count(&s.b, &gg__op_reduce), 5);
  assert_int_equal(rewrite_count(&s.b, &gg__op_exp), 1);
  assert_int_equal(rewrite_count(&s.b, &gg__op_log), 1);
  assert_int_equal(rewrite_count(&s.b, &gg__op_fill), 0);
  bind_fashion(&s, &m, 1);
  check_values(&s);
  bind_fashion(&s, &m, 1e4);
  check_finite(&s);
  end(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_logistic),
                                     cmocka_unit_test(test_fashion)};

  return cmocka_run_group_tests(tests, NULL, NULL);
}
