/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules of users (gpugraph/rewrite.h): what is registered, when the rules are
 * tried, what they may offer, and that rewriting ends whatever they do. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gpugraph/rewrite.h>

#include "ops/ops.h"
#include "support/rewritten.h"

#define LIST(...) ((const char *const[]){__VA_ARGS__, NULL})

/* --- ops of a user --- */

static double first_eval(const double *x) {
  return x[0];
}

static const gg_code first_code = {
    .text = "%0", .eval = first_eval, .vector = 1, .flops = 1};

#define USER_OP(op)                                                            \
  static const gg_op op = {                                                    \
      .name = #op, .kind = GG_OP_ELEMWISE, .n_out = 1, .code = &first_code}
USER_OP(my_softplus);
USER_OP(bump);   /* even */
USER_OP(slope);  /* odd */
USER_OP(mirror); /* its own inverse */
USER_OP(floors); /* idempotent */
USER_OP(nothing);
USER_OP(grow);
USER_OP(ping);
USER_OP(pong);
USER_OP(wants);

static int infer_pair(const gg_apply *a, gg_type *out) {
  out[0] = out[1] = *gg_var_type(a->in[0]);
  return GA_NO_ERROR;
}

static const gg_op my_pair = {
    .name = "my_pair", .kind = GG_OP_KERNEL, .n_out = 2, .infer = infer_pair};
static const gg_op my_leaf = {
    .name = "my_leaf", .kind = GG_OP_KERNEL, .n_out = 1, .infer = infer_pair};

static gg_var *one(const gg_op *op, gg_var *x) {
  return gg_op_elemwise(op, NULL, 1, &x);
}

/* --- rules --- */

/* log(1 + exp(x)) becomes an op of the user. */
static gg_var *log_of_sum(gg_apply *a) {
  gg_apply *sum = gg_node_named(a->in[0], "add");
  gg_apply *e = sum != NULL ? gg_node_named(sum->in[1], "exp") : NULL;
  double c;

  if (e == NULL || !gg_var_uniform(sum->in[0], &c) || c != 1)
    return NULL;
  return one(&my_softplus, e->in[0]);
}

static gg_var *once(const gg_rewriting *rw, gg_apply *a) {
  return gg_rule_uses(rw, a->in[0]) == 1 ? gg_neg(a->in[0]) : NULL;
}

static gg_var *of_update(const gg_rewriting *rw, gg_apply *a) {
  return gg_rule_updates(rw, a->in[0]) ? gg_neg(a->in[0]) : NULL;
}

static const gg_rule my_rules[] = {
    GG_RULE_NAMED("my log", GG_STABLE, log_of_sum, "log", "log2"),
    GG_RULE("my bump", GG_CANON, gg_rule_even, &bump),
    GG_RULE("my slope", GG_CANON, gg_rule_odd, &slope),
    GG_RULE("my mirror", GG_CANON, gg_rule_own_inverse, &mirror, &gg__op_mod,
            &my_pair, &my_leaf),
    GG_RULE("my floors", GG_LATE, gg_rule_idempotent, &floors),
    GG_RULE("my nothing", GG_CANON, gg_rule_first_operand, &nothing),
    GG_RULE_COUNTED("my once", GG_LATE, once, &ping),
    GG_RULE_COUNTED("my update", GG_LATE, of_update, &pong),
    {0}};
static const gg_rule_family mine = {"mine", my_rules, 1, 0};

/* --- bad offers --- */

static gg_graph *elsewhere;

static gg_var *bad_dtype(gg_apply *a) {
  return gg_cast(a->in[0], GA_FLOAT);
}

static gg_var *bad_rank(gg_apply *a) {
  return gg_sum(a->in[0]);
}

static gg_var *bad_graph(gg_apply *a) {
  (void)a;
  return gg_input(elsewhere, "x", GA_DOUBLE, 1);
}

static gg_var *bad_input(gg_apply *a) {
  return gg_add(a->in[0],
                gg_input(gg_var_graph(a->in[0]), "new", GA_DOUBLE, 1));
}

static gg_var *bad_error(gg_apply *a) {
  return gg_sum_axis(a->in[0], 7);
}

/* It makes an input, but its offer does not need it. */
static gg_var *good_after_all(gg_apply *a) {
  gg_input(gg_var_graph(a->in[0]), "unused", GA_DOUBLE, 1);
  return gg_neg(a->in[0]);
}

static const gg_rule bad_rules[] = {
    GG_RULE("bad dtype", GG_CANON, bad_dtype, &wants),
    GG_RULE("bad rank", GG_CANON, bad_rank, &wants),
    GG_RULE("bad graph", GG_CANON, bad_graph, &wants),
    GG_RULE("bad input", GG_CANON, bad_input, &wants),
    GG_RULE("bad error", GG_CANON, bad_error, &wants),
    GG_RULE("good after all", GG_CANON, good_after_all, &wants),
    {0}};
static const gg_rule_family bad = {"bad", bad_rules, 1, 0};

/* --- rules without an end --- */

static gg_var *to_pong(gg_apply *a) {
  return one(&pong, a->in[0]);
}

static gg_var *to_ping(gg_apply *a) {
  return one(&ping, a->in[0]);
}

/* The result has the pattern three times. */
static gg_var *to_more(gg_apply *a) {
  gg_var *x = a->in[0], *y = one(&grow, gg_exp(x));

  return gg_add(gg_add(y, one(&grow, gg_sin(x))), one(&grow, gg_cos(x)));
}

static gg_var *any_twice(gg_apply *a) {
  return gg_neg(gg_neg(a->out[0]));
}

static const gg_rule endless_rules[] = {
    GG_RULE("to pong", GG_CANON, to_pong, &ping),
    GG_RULE("to ping", GG_CANON, to_ping, &pong),
    GG_RULE("to more", GG_EARLY, to_more, &grow),
    GG_RULE_ANY("any twice", GG_LATE, any_twice),
    {0}};
static const gg_rule_family endless = {"endless", endless_rules, 1, 0};

/* --- macros at any time --- */

static gg_var *to_softmax(gg_apply *a) {
  return gg_softmax(a->in[0]);
}

static const gg_rule macro_rules[] = {
    GG_RULE("late softmax", GG_LATE, to_softmax, &wants), {0}};

/* --- rewriting with families --- */

static int setup(void **state) {
  (void)state;
  elsewhere = gg_graph_new(NULL);
  assert_ok(gg_rules_register(&mine));
  assert_ok(gg_rules_register(&bad));
  assert_ok(gg_rules_register(&endless));
  return elsewhere == NULL;
}

static int teardown(void **state) {
  (void)state;
  gg_graph_free(elsewhere);
  return 0;
}

typedef struct rewriting {
  expr_vars e;
  gg__build b;
  char text[4096];
} rewriting;

static void begin(rewriting *r, const char *const *include) {
  expr_begin(&r->e);
  rewrite_begin(&r->b, r->e.g, GG_FAST_RUN);
  r->b.include = include;
}

static const char *run(rewriting *r, gg_var *v) {
  rewrite_output(&r->b, v);
  rewrite_run(&r->b);
  return expr_text(r->b.results.v[0], r->text, sizeof r->text);
}

static void end(rewriting *r) {
  rewrite_end(&r->b);
  gg_graph_free(r->e.g);
}

/* --- when rules are tried --- */

/* Rules of users come before the built-in ones for the same op: the library
 * would make its own softplus. */
static void test_before_built_in(void **state) {
  rewriting r;

  (void)state;
  begin(&r, LIST("mine"));
  assert_string_equal(run(&r, expr_parse(&r.e, "log(add(exp(sub(x, 0)), 1))")),
                      "my_softplus(x)");
  assert_int_equal(rewrite_fired(&r.b, "my log"), 1);
  end(&r);
  begin(&r, NULL);
  assert_string_equal(run(&r, expr_parse(&r.e, "log(add(1, exp(x)))")),
                      "softplus(x)");
  end(&r);
  begin(&r, LIST("mine"));
  r.b.exclude = LIST("my log");
  assert_string_equal(run(&r, expr_parse(&r.e, "log(add(1, exp(x)))")),
                      "softplus(x)");
  end(&r);
}

/* A mode without rules applies those that it includes, and no others. */
static void test_modes(void **state) {
  rewriting r;

  (void)state;
  begin(&r, LIST("my log"));
  r.b.mode = GG_NO_REWRITE;
  assert_string_equal(
      run(&r, gg_neg(gg_neg(expr_parse(&r.e, "log(add(1, exp(x)))")))),
      "neg(neg(my_softplus(x)))");
  end(&r);
  begin(&r, NULL);
  r.b.mode = GG_FAST_COMPILE;
  assert_string_equal(run(&r, one(&nothing, r.e.v[0])), "nothing(x)");
  end(&r);
}

static void check_ready(const char *rule, gg_var *(*make)(rewriting *r),
                        const char *after) {
  rewriting r;

  begin(&r, LIST("mine"));
  gg_var *v = make(&r);
  assert_string_equal(run(&r, v), after);
  assert_true(rule == NULL || rewrite_fired(&r.b, rule) > 0);
  end(&r);
}

static gg_var *make_even(rewriting *r) {
  return one(&bump, gg_neg(r->e.v[0]));
}

static gg_var *make_even_abs(rewriting *r) {
  return one(&bump, gg_abs(r->e.v[0]));
}

static gg_var *make_odd(rewriting *r) {
  return gg_neg(one(&slope, gg_neg(r->e.v[0])));
}

static gg_var *make_inverse(rewriting *r) {
  return one(&mirror, one(&mirror, one(&mirror, r->e.v[0])));
}

static gg_var *make_two_operands(rewriting *r) {
  return gg_mod(gg_mod(r->e.v[0], r->e.v[1]), r->e.v[1]);
}

static gg_var *make_other_operands(rewriting *r) {
  return gg_mod(gg_mod(r->e.v[0], r->e.v[1]), r->e.v[2]);
}

static gg_var *make_idempotent(rewriting *r) {
  return one(&floors, one(&floors, gg_exp(r->e.v[0])));
}

static gg_var *make_first(rewriting *r) {
  return one(&nothing, one(&nothing, r->e.v[0]));
}

static void test_ready_made(void **state) {
  (void)state;
  check_ready("my bump", make_even, "bump(x)");
  check_ready("my bump", make_even_abs, "bump(x)");
  check_ready("my slope", make_odd, "slope(x)");
  check_ready("my mirror", make_inverse, "mirror(x)");
  check_ready("my mirror", make_two_operands, "x");
  check_ready(NULL, make_other_operands, "mod(mod(x, y), z)");
  check_ready("my floors", make_idempotent, "floors(exp(x))");
  check_ready("my nothing", make_first, "x");
}

/* Ready-made functions decline nodes of other numbers of operands. */
static void test_ready_made_declines(void **state) {
  gg_graph *g = gg_graph_new(NULL);
  gg_var *x = gg_input(g, "x", GA_DOUBLE, 1);
  gg_apply *sum = gg_var_owner(gg_add(gg_neg(x), x));
  gg_apply none = {.op = &my_leaf, .n_out = 1};

  (void)state;
  assert_null(gg_rule_even(sum));
  assert_null(gg_rule_odd(sum));
  assert_null(gg_rule_even(&none));
  assert_null(gg_rule_odd(&none));
  assert_null(gg_rule_own_inverse(&none));
  assert_null(gg_rule_idempotent(&none));
  assert_null(gg_rule_first_operand(&none));
  assert_null(gg_node_named(x, "x"));
  assert_null(gg_node_named(NULL, "add"));
  assert_null(gg_node_named(sum->out[0], NULL));
  assert_ptr_equal(gg_node_named(sum->out[0], "add"), sum);
  assert_int_equal(gg_rule_uses(NULL, x), 0);
  assert_int_equal(gg_rule_updates(NULL, x), 0);
  gg_graph_free(g);
}

static void test_counted(void **state) {
  rewriting r;

  (void)state;
  begin(&r, LIST("mine"));
  assert_string_equal(run(&r, one(&ping, expr_parse(&r.e, "sin(x)"))),
                      "neg(sin(x))");
  end(&r);
  begin(&r, LIST("mine"));
  gg_var *s = expr_parse(&r.e, "sin(x)"), *e = gg_exp(s);
  assert_string_equal(run(&r, gg_add(one(&ping, s), e)),
                      "add(exp(sin(x)), ping(sin(x)))");
  end(&r);
  /* The update of x alone. */
  begin(&r, LIST("mine"));
  rewrite_output(&r.b, one(&pong, r.e.v[1]));
  rewrite_update(&r.b, r.e.v[0], one(&pong, r.e.v[0]));
  rewrite_run(&r.b);
  assert_string_equal(expr_text(r.b.results.v[0], r.text, sizeof r.text),
                      "pong(y)");
  assert_string_equal(expr_text(r.b.results.v[1], r.text, sizeof r.text),
                      "neg(x)");
  end(&r);
}

/* --- offers --- */

static void test_bad_offers(void **state) {
  static const char *const want[] = {
      "1.1 bad dtype: refused for wants: its type or shape is another\n",
      "1.1 bad rank: refused for wants: its type or shape is another\n",
      "1.1 bad graph: refused for wants: it is in another graph\n",
      "1.1 bad input: refused for wants: it has a new input or shared "
      "variable\n",
      "1.1 bad error: refused for wants: reduce(float64[?]): there is no axis "
      "7\n",
      "1.1 good after all: wants -> neg\n"};
  char *text = NULL;
  size_t bytes;
  rewriting r;

  (void)state;
  begin(&r, LIST("bad"));
  r.b.trace = open_memstream(&text, &bytes);
  assert_non_null(r.b.trace);
  assert_string_equal(run(&r, one(&wants, r.e.v[0])), "neg(x)");
  assert_int_equal(rewrite_fired(&r.b, "refused"), 5);
  assert_int_equal(gg_graph_status(r.e.g), GA_NO_ERROR);
  fclose(r.b.trace);
  for (size_t i = 0; i < sizeof want / sizeof *want; i++)
    if (strstr(text, want[i]) == NULL)
      fail_msg("no line \"%s\" in\n%s", want[i], text);
  free(text);
  end(&r);
}

/* --- the end --- */

static void test_endless(void **state) {
  rewriting r;

  (void)state;
  begin(&r, LIST("to ping", "to pong"));
  assert_non_null(strstr(run(&r, gg_exp(one(&ping, r.e.v[0]))), "exp(p"));
  assert_true(rewrite_fired(&r.b, "unsettled") > 0);
  end(&r);
  begin(&r, LIST("to more"));
  rewrite_output(&r.b, one(&grow, r.e.v[0]));
  rewrite_run(&r.b);
  assert_true(rewrite_fired(&r.b, "unsettled") > 0);
  const unsigned int n = rewrite_count(&r.b, NULL);
  if (n < 100 || n > 400000)
    fail_msg("%u nodes", n);
  end(&r);
  begin(&r, LIST("any twice"));
  rewrite_output(&r.b, expr_parse(&r.e, "exp(sin(x))"));
  rewrite_run(&r.b);
  assert_true(rewrite_fired(&r.b, "unsettled") > 0);
  end(&r);
}

/* A macro is lowered, also if a rule builds it after the others were. */
static void test_macros(void **state) {
  static const gg_rule_family macros = {"macros", macro_rules, 1, 0};
  rewriting r;

  (void)state;
  assert_ok(gg_rules_register(&macros));
  begin(&r, LIST("macros"));
  run(&r, one(&wants, expr_parse(&r.e, "A")));
  assert_int_equal(rewrite_fired(&r.b, "late softmax"), 1);
  assert_int_equal(rewrite_count(&r.b, &wants), 0);
  end(&r);
}

/* --- registering --- */

static void refused(const gg_rule_family *f, const char *message) {
  assert_code(GA_VALUE_ERROR, gg_rules_register(f));
  assert_message(GA_VALUE_ERROR, message);
}

static const gg_rule none[] = {{0}},
                     ok[] = {GG_RULE("x1", 1, to_pong, &ping), {0}};

static void test_families(void **state) {
  (void)state;
  assert_ok(gg_rules_register(&mine));
  refused(NULL, "the family is NULL");
  refused(&(gg_rule_family){NULL, ok, 0, 0}, "the family's name is NULL");
  refused(&(gg_rule_family){"f1", NULL, 0, 0}, "the rules are NULL");
  refused(&(gg_rule_family){"f1", none, 0, 0}, "family \"f1\" has no rules");
  refused(&(gg_rule_family){"", ok, 0, 0}, "the name \"\" is taken");
  refused(&(gg_rule_family){"blas", ok, 0, 0}, "the name \"blas\" is taken");
  refused(&(gg_rule_family){"mine", ok, 0, 0}, "the name \"mine\" is taken");
  refused(&(gg_rule_family){"my log", ok, 0, 0}, "\"my log\" is taken");
  refused(&(gg_rule_family){"fusion", ok, 0, 0}, "\"fusion\" is taken");
  refused(&(gg_rule_family){"refused", ok, 0, 0}, "\"refused\" is taken");
}

static void refused_rules(const gg_rule *rules, const char *message) {
  refused(&(gg_rule_family){"f2", rules, 0, 0}, message);
}

static const gg_rule no_phase[] = {GG_RULE("x2", 0, to_pong, &ping), {0}},
                     odd_phase[] = {GG_RULE("x2", 33, to_pong, &ping), {0}},
                     no_function[] = {GG_RULE("x2", 1, NULL, &ping), {0}},
                     two[] = {{.name = "x2",
                               .phases = GG_LATE,
                               .apply = to_pong,
                               .counted = once},
                              {0}},
                     twice[] = {GG_RULE("x2", 1, to_pong, &ping),
                                GG_RULE("x2", 1, to_ping, &pong),
                                {0}},
                     taken[] = {GG_RULE("x + 0", 1, to_pong, &ping), {0}},
                     unknown[] = {GG_RULE("x2", 1, to_pong, &ping),
                                  GG_RULE_NAMED("x3", 1, to_ping, "log",
                                                "logg"),
                                  {0}},
                     good[] = {GG_RULE("x2", 1, to_pong, &ping), {0}};
static const gg_rule_family f2 = {"f2", good, 1, 0};

static void test_rules(void **state) {
  (void)state;
  refused_rules(no_phase, "rule \"x2\": its phases are 0, but");
  refused_rules(odd_phase, "rule \"x2\": its phases are 33, but");
  refused_rules(no_function, "rule \"x2\": none of apply and counted is set");
  refused_rules(two, "rule \"x2\": each of apply and counted is set");
  refused_rules(twice, "family \"f2\" has two rules \"x2\"");
  refused_rules(taken, "the name \"x + 0\" is taken");
  refused_rules(unknown, "rule \"x3\": there is no op \"logg\"");
  assert_ok(gg_rules_register(&f2)); /* nothing of them is left */
  refused_rules(good, "the name \"f2\" is taken");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_before_built_in),
                                     cmocka_unit_test(test_modes),
                                     cmocka_unit_test(test_ready_made),
                                     cmocka_unit_test(test_ready_made_declines),
                                     cmocka_unit_test(test_counted),
                                     cmocka_unit_test(test_bad_offers),
                                     cmocka_unit_test(test_endless),
                                     cmocka_unit_test(test_macros),
                                     cmocka_unit_test(test_families),
                                     cmocka_unit_test(test_rules)};

  return cmocka_run_group_tests(tests, setup, teardown);
}
