/* SPDX-License-Identifier: BSD-2-Clause */
/* Rewrite rules of one's own: log(1 + exp(x)) becomes an op of this program,
 * and an op that undoes itself vanishes where it is applied twice.
 *
 *   own_rules */
#include "op_example.h"

enum { N = 4 };

/* --- two ops --- */

static double soft_eval(const double *x) {
  return fmax(x[0], 0) + log1p(exp(-fabs(x[0])));
}

static const gg_code soft_code = {
    .text = "(max(%0, (%T)(0)) + log1p(exp(-fabs(%0))))",
    .eval = soft_eval,
    .vector = 1,
    .flops = 20};

static const gg_op soft_op = {
    .name = "soft", .kind = GG_OP_ELEMWISE, .n_out = 1, .code = &soft_code};

static double mirror_eval(const double *x) {
  return 1 - x[0];
}

static const gg_code mirror_code = {
    .text = "((%T)(1) - %0)", .eval = mirror_eval, .vector = 1, .flops = 1};

static const gg_op mirror_op = {
    .name = "mirror", .kind = GG_OP_ELEMWISE, .n_out = 1, .code = &mirror_code};

static gg_var *mirror(gg_var *x) {
  return gg_op_elemwise(&mirror_op, NULL, 1, &x);
}

/* --- two rules --- */

/* The node is a log: is it that of 1 + exp(x)? Constants come first. */
static gg_var *log_of_sum(gg_apply *a) {
  gg_apply *sum = gg_node_named(a->in[0], "add");
  gg_apply *power = sum != NULL ? gg_node_named(sum->in[1], "exp") : NULL;
  double c;

  if (power == NULL || !gg_var_uniform(sum->in[0], &c) || c != 1)
    return NULL;
  return gg_op_elemwise(&soft_op, NULL, 1, power->in);
}

static const gg_rule rules[] = {
    GG_RULE_NAMED("log(1 + exp(x)) by soft", GG_STABLE, log_of_sum, "log"),
    GG_RULE("mirror of mirror", GG_CANON, gg_rule_own_inverse, &mirror_op),
    {0}};
static const gg_rule_family family = {.name = "own", .rules = rules};

int main(void) {
  static const float v[N] = {-100, 0, 1, 100};
  static const float want[N] = {0, 0.6931472f, 1.3132617f, 100};
  gg_graph *g = example_open();
  gg_var *x = example_shared(g, 0, N, v);
  gg_var *y = gg_log(gg_add(gg_exp(mirror(mirror(x))), gg_f32(g, 1)));
  gg_func *f = NULL;

  if (gg_rules_register(&family) != GA_NO_ERROR)
    example_fail("register", gpuarray_error_text(GA_VALUE_ERROR));
  example_expect(y, N, want);
  if (gg_func_new(&f, g, &(gg_func_spec){.outputs = GG_VARS(y)}) != GA_NO_ERROR)
    example_fail("compile", gg_graph_error(g));
  gg_func_print_rewrites(f, stdout);
  gg_func_free(f);
  return example_close(g);
}
