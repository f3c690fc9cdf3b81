/* SPDX-License-Identifier: BSD-2-Clause */
/* Offers that do not fit are refused, and leave no trace. This program has
 * rules of its own in the place of the library's. */
#include "ops/ops.h"
#include "rewrite/families.h"
#include "support/rewritten.h"

/* --- ops of two outputs --- */

static int infer_two(const gg_apply *a, gg_type *out) {
  out[0] = out[1] = *gg_var_type(a->in[0]);
  return GA_NO_ERROR;
}

static int infer_uneven(const gg_apply *a, gg_type *out) {
  out[0] = out[1] = *gg_var_type(a->in[0]);
  out[1].dtype = GA_FLOAT;
  return GA_NO_ERROR;
}

static const gg_op two = {
    .name = "two", .kind = GG_OP_KERNEL, .n_out = 2, .infer = infer_two};
static const gg_op three = {
    .name = "three", .kind = GG_OP_KERNEL, .n_out = 2, .infer = infer_two};
static const gg_op four = {
    .name = "four", .kind = GG_OP_KERNEL, .n_out = 2, .infer = infer_two};
static const gg_op uneven = {
    .name = "uneven", .kind = GG_OP_KERNEL, .n_out = 2, .infer = infer_uneven};

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

/* Output 1 does not fit, though output 0 does. */
static gg_var *half_good(gg_apply *a) {
  return gg_op_apply(NULL, &uneven, NULL, 1, a->in);
}

static gg_var *good_pair(gg_apply *a) {
  return gg_op_apply(NULL, &four, NULL, 1, a->in);
}

static const gg_rule rules[] = {
    GG_RULE("other dtype", GG_CANON, other_dtype, &gg__op_neg),
    GG_RULE("fewer axes", GG_CANON, fewer_axes, &gg__op_exp),
    GG_RULE("other size", GG_CANON, other_size, &gg__op_log),
    GG_RULE("clash", GG_CANON, clash, &gg__op_sin),
    GG_RULE("clash before", GG_CANON, clash, &gg__op_cos),
    GG_RULE("good", GG_CANON, good, &gg__op_cos),
    GG_RULE("half good", GG_CANON, half_good, &two),
    GG_RULE("good pair", GG_CANON, good_pair, &three),
    {0}};

const gg_rule_family gg__families[] = {{"test", rules, 0, 0},
                                       {NULL, NULL, 0, 0}};

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

/* What both outputs of `op` are computed by after rewriting. */
static void check_pair(const gg_op *op, const gg_op *want,
                       unsigned int refused) {
  expr_vars e;
  gg__build b;

  expr_begin(&e);
  gg_var *v = gg_op_apply(NULL, op, NULL, 1, &e.v[0]);
  rewrite_begin(&b, e.g, GG_FAST_RUN);
  rewrite_output(&b, gg_var_owner(v)->out[1]);
  rewrite_output(&b, v);
  rewrite_run(&b);
  const gg_apply *a = gg_var_owner(b.results.v[0]);
  assert_ptr_equal(a->op, want);
  assert_ptr_equal(b.results.v[0], a->out[1]);
  assert_ptr_equal(b.results.v[1], a->out[0]);
  assert_int_equal(rewrite_fired(&b, "refused"), refused);
  rewrite_end(&b);
  gg_graph_free(e.g);
}

/* The outputs of a node are replaced together, or none is. */
static void test_all_or_none(void **unused) {
  (void)unused;
  check_pair(&two, &two, 1);
  check_pair(&three, &four, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_types), cmocka_unit_test(test_errors),
      cmocka_unit_test(test_others_go_on), cmocka_unit_test(test_all_or_none)};

  return cmocka_run_group_tests(tests, NULL, NULL);
}
