/* SPDX-License-Identifier: BSD-2-Clause */
/* Offers that do not fit are refused, and leave no trace. This program has
 * rules of its own in the place of the library's. */
#include "ops/ops.h"
#include "rewrite/rewrite.h"
#include "support/rewritten.h"

/* --- rules --- */

static gg_var *other_dtype(gg_apply *a) {
  return gg_cast(a->in[0], GA_FLOAT);
}

static gg_var *fewer_axes(gg_apply *a) {
  return gg_sum(a->in[0]);
}

static gg_var *other_size(gg_apply *a) {
  gg_var *const parts[2] = {a->in[0], a->in[0]};

  return gg_join(0, 2, parts);
}

/* An op refuses what it builds: the error is in the graph. */
static gg_var *clash(gg_apply *a) {
  return gg_sum_axis(a->in[0], 7);
}

static gg_var *good(gg_apply *a) {
  return a->in[0];
}

static const gg__rule rules[] = {
    {"other dtype", &gg__op_neg, GG_CANON, other_dtype, NULL},
    {"fewer axes", &gg__op_exp, GG_CANON, fewer_axes, NULL},
    {"other size", &gg__op_log, GG_CANON, other_size, NULL},
    {"clash", &gg__op_sin, GG_CANON, clash, NULL},
    {"clash before", &gg__op_cos, GG_CANON, clash, NULL},
    {"good", &gg__op_cos, GG_CANON, good, NULL},
    {NULL, NULL, 0, NULL, NULL}};

const gg__family gg__families[] = {{"test", rules, 0}, {NULL, NULL, 0}};

/* --- */

/* What `before` becomes, and how often an offer was refused on the way. */
static void check(const char *before, const char *after, unsigned int refused) {
  char text[256];
  expr_vars e;
  gg__build b;

  expr_begin(&e);
  rewrite_begin(&b, e.g, GG_FAST_RUN);
  rewrite_output(&b, expr_parse(&e, before));
  rewrite_run(&b);
  assert_int_equal(gg_graph_status(e.g), GA_NO_ERROR);
  assert_string_equal(expr_text(b.results.v[0], text, sizeof text), after);
  assert_int_equal(rewrite_fired(&b, "refused"), refused);
  rewrite_end(&b);
  gg_graph_free(e.g);
}

static void test_types(void **unused) {
  (void)unused;
  check("neg(x)", "neg(x)", 1);
  check("exp(x)", "exp(x)", 1);
  check("log(k)", "log(k)", 1);
}

static void test_errors(void **unused) {
  (void)unused;
  check("sin(x)", "sin(x)", 1);
}

/* A refusal does not keep other rules, or other nodes, from their turn. */
static void test_others_go_on(void **unused) {
  (void)unused;
  check("cos(x)", "x", 1);
  check("neg(cos(sin(x)))", "neg(sin(x))", 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_types),
                                     cmocka_unit_test(test_errors),
                                     cmocka_unit_test(test_others_go_on)};

  return cmocka_run_group_tests(tests, NULL, NULL);
}
