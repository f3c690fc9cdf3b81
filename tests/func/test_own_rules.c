/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions compiled with rules of the user: what they compute, also inside of
 * loops, what debug mode says of a wrong rule, and many threads at once. */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "support/graph_case.h"

enum { N = 5, THREADS = 4 };

static double twin_eval(const double *x) {
  return 2 * x[0];
}

static const gg_code twin_code = {
    .text = "(%0 + %0)", .eval = twin_eval, .vector = 1, .flops = 1};
static const gg_op twin = {
    .name = "twin", .kind = GG_OP_ELEMWISE, .n_out = 1, .code = &twin_code};

/* --- rules --- */

/* tanh(x) becomes 2 x, which is wrong. */
static gg_var *wrong(gg_apply *n) {
  return gg_op_elemwise(&twin, NULL, 1, n->in);
}

/* 2 x becomes twin(x). */
static gg_var *right(gg_apply *n) {
  double c;

  return gg_var_uniform(n->in[0], &c) && c == 2
             ? gg_op_elemwise(&twin, NULL, 1, &n->in[1])
             : NULL;
}

static const gg_rule rules[] = {GG_RULE_NAMED("right", GG_LATE, right, "mul"),
                                GG_RULE_NAMED("wrong", GG_CANON, wrong, "tanh"),
                                {0}};
static const gg_rule_family family = {"test", rules, 1, 0};

static const float values[N] = {-2, -1, 0, 0.5f, 3};

static int setup(void **state) {
  graph_setup(state);
  float_vector(&a, N, values);
  return gg_rules_register(&family);
}

/* Twice the values come from `v`, a function of x, after `rule` fired. */
static void check(gg_var *x, gg_var *v, gg_mode mode) {
  float want[N];
  gg_func *f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(x),
                                            .outputs = GG_VARS(v),
                                            .mode = mode,
                                            .include = GG_NAMES("right")});

  for (int i = 0; i < N; i++)
    want[i] = 2 * values[i];
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out});
  assert_floats(&out, want, N);
  char *text = func_text(f);
  if (strstr(text, "twin") == NULL)
    fail_msg("no twin in\n%s", text);
  free(text);
  gg_func_free(f);
}

static void test_values(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1), *v = gg_mul(gg_f32(g, 2), x);

  (void)state;
  check(x, v, GG_FAST_RUN);
  check(x, v, GG_NO_REWRITE);
  check(x, v, GG_DEBUG);
}

/* The wrong rule shows that it fires inside of the body. */
static void test_in_loops(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1);
  gg_scan *s = gg_scan_open(g);
  gg_var *h = gg_scan_state(s, x);
  float want[N];

  (void)state;
  gg_scan_next(s, h, gg_tanh(h));
  gg_scan_steps(s, gg_i64(g, 3));
  assert_ok(gg_scan_close(s));
  gg_func *f =
      func_make(g, &(gg_func_spec){.inputs = GG_VARS(x),
                                   .outputs = GG_VARS(gg_scan_last(s, h)),
                                   .include = GG_NAMES("wrong")});
  for (int i = 0; i < N; i++)
    want[i] = 8 * values[i];
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out});
  assert_floats(&out, want, N);
  gg_func_free(f);
  gg_scan_free(s);
}

static void test_debug_mode(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1);
  gg_func *f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(x),
                                            .outputs = GG_VARS(gg_tanh(x)),
                                            .mode = GG_DEBUG,
                                            .include = GG_NAMES("wrong")});

  (void)state;
  assert_code(GA_VALUE_ERROR,
              gg_func_call(f, (GpuArray *[]){&a}, (GpuArray *[]){&out}));
  assert_non_null(strstr(gg_func_error(f), "-4 after rewriting"));
  gg_func_free(f);
}

/* --- threads --- */

static void *register_and_compile(void *family_of_thread) {
  gg_graph *own = gg_graph_new(gg_graph_context(g));
  gg_var *x = gg_input(own, "x", GA_FLOAT, 1);
  gg_func_spec spec = {.inputs = (gg_var *[]){x, NULL},
                       .outputs = (gg_var *[]){gg_mul(x, gg_f32(own, 2)), NULL},
                       .include = (const char *const[]){"test", NULL},
                       .exclude = (const char *const[]){"wrong", NULL}};
  void *failed = NULL;

  for (int i = 0; i < 20 && failed == NULL; i++) {
    gg_func *f = NULL;
    if (gg_rules_register(family_of_thread) != GA_NO_ERROR ||
        gg_func_new(&f, own, &spec) != GA_NO_ERROR)
      failed = family_of_thread;
    gg_func_free(f);
  }
  gg_graph_free(own);
  return failed;
}

static const gg_rule rule_of[THREADS][2] = {
    {GG_RULE_NAMED("rule 0", GG_LATE, right, "mul"), {0}},
    {GG_RULE_NAMED("rule 1", GG_LATE, right, "mul"), {0}},
    {GG_RULE_NAMED("rule 2", GG_LATE, right, "mul"), {0}},
    {GG_RULE_NAMED("rule 3", GG_LATE, right, "mul"), {0}}};
static const gg_rule_family family_of[THREADS] = {{"0", rule_of[0], 0, 0},
                                                  {"1", rule_of[1], 0, 0},
                                                  {"2", rule_of[2], 1, 0},
                                                  {"3", rule_of[3], 1, 0}};

static void test_threads(void **state) {
  pthread_t thread[THREADS];
  void *failed;

  (void)state;
  for (int i = 0; i < THREADS; i++)
    assert_int_equal(pthread_create(&thread[i], NULL, register_and_compile,
                                    (void *)&family_of[i]),
                     0);
  for (int i = 0; i < THREADS; i++) {
    assert_int_equal(pthread_join(thread[i], &failed), 0);
    assert_null(failed);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_values, setup, graph_teardown),
      cmocka_unit_test_setup_teardown(test_in_loops, setup, graph_teardown),
      cmocka_unit_test_setup_teardown(test_debug_mode, setup, graph_teardown),
      cmocka_unit_test_setup_teardown(test_threads, setup, graph_teardown)};

  return cmocka_run_group_tests_name("own_rules", tests, NULL,
                                     test_context_drop);
}
