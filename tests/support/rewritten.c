/* SPDX-License-Identifier: BSD-2-Clause */
/* Rewriting in tests: build, rewrite, compare. */
#include "rewritten.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "ops/ops.h"

#define EXPR_TEXT 4096 /* bytes */

void rewrite_begin(gg__build *b, gg_graph *g, gg_mode mode) {
  memset(b, 0, sizeof *b);
  b->g = g;
  b->mode = mode;
}

void rewrite_output(gg__build *b, gg_var *v) {
  assert_non_null(v);
  assert_int_equal(b->results.n, b->n_outputs);
  assert_ok(ga__vec_push(&b->results, v));
  b->n_outputs++;
}

void rewrite_update(gg__build *b, gg_var *target, gg_var *v) {
  assert_non_null(v);
  assert_ok(ga__vec_push(&b->targets, target));
  assert_ok(ga__vec_push(&b->results, v));
}

static void check_type(const gg_type *before, const gg_type *after) {
  assert_int_equal(before->dtype, after->dtype);
  assert_int_equal(before->nd, after->nd);
  for (unsigned int i = 0; i < before->nd; i++)
    assert_int_equal(before->dims[i] == 1, after->dims[i] == 1);
}

static void check_no_macros(const gg__build *b) {
  gg__order order = {0};

  assert_ok(gg__toposort(&order, b->results.n, b->results.v));
  for (size_t i = 0; i < order.n; i++)
    if (order.v[i]->op->kind == GG_OP_MACRO)
      fail_msg("%s was not lowered", order.v[i]->op->name);
  ga__vec_clear(&order);
}

void rewrite_run(gg__build *b) {
  gg_type *types = malloc((b->results.n + 1) * sizeof *types);

  assert_non_null(types);
  for (size_t i = 0; i < b->results.n; i++)
    types[i] = b->results.v[i]->type;
  if (gg__rewrite(b) != GA_NO_ERROR)
    fail_msg("%s", gg_graph_error(b->g));
  for (size_t i = 0; i < b->results.n; i++)
    check_type(&types[i], &b->results.v[i]->type);
  check_no_macros(b);
  free(types);
}

void rewrite_end(gg__build *b) {
  ga__vec_clear(&b->inputs);
  ga__vec_clear(&b->targets);
  ga__vec_clear(&b->results);
  ga__vec_clear(&b->fired);
}

void rewrite_assert(const gg__build *b, const char *after) {
  char text[512];

  assert_string_equal(expr_text(b->results.v[0], text, sizeof text), after);
  assert_int_equal(rewrite_fired(b, "refused"), 0);
  assert_int_equal(rewrite_fired(b, "unsettled"), 0);
}

unsigned int rewrite_fired(const gg__build *b, const char *rule) {
  unsigned int n = 0;

  for (size_t i = 0; i < b->fired.n; i++)
    if (strcmp(b->fired.v[i].rule, rule) == 0)
      n += b->fired.v[i].count;
  return n;
}

unsigned int rewrite_count(const gg__build *b, const gg_op *op) {
  gg__order order = {0};
  unsigned int n = 0;

  assert_ok(gg__toposort(&order, b->results.n, b->results.v));
  for (size_t i = 0; i < order.n; i++)
    n += op == NULL || order.v[i]->op == op;
  ga__vec_clear(&order);
  return n;
}

/* --- by example --- */

static void check_values(const char *what, interp *it, gg_var *before,
                         gg_var *after) {
  const tensor *t = interp_eval(it, before);
  double *want = malloc((t->n + 1) * sizeof *want);
  size_t n = t->n;

  assert_non_null(want);
  memcpy(want, t->v, n * sizeof *want);
  const tensor *u = interp_eval(it, after);
  if (u->n != n)
    fail_msg("%s: %zu elements became %zu", what, n, u->n);
  for (size_t i = 0; i < n; i++)
    if (isfinite(want[i]) &&
        !(fabs(u->v[i] - want[i]) <= 1e-6 * (1e-3 + fabs(want[i]))))
      fail_msg("%s: element %zu: %.17g became %.17g", what, i, want[i],
               u->v[i]);
  free(want);
}

/* An expression, parsed and rewritten. */
typedef struct example {
  expr_vars e;
  gg__build b;
  gg_var *before, *after;
  interp *it;
} example;

static void begin(example *x, const char *text) {
  expr_begin(&x->e);
  x->it = interp_new();
  x->before = expr_parse(&x->e, text);
  rewrite_begin(&x->b, x->e.g, GG_FAST_RUN);
  rewrite_output(&x->b, x->before);
  rewrite_run(&x->b);
  assert_int_equal(rewrite_fired(&x->b, "refused"), 0);
  assert_int_equal(rewrite_fired(&x->b, "unsettled"), 0);
  x->after = x->b.results.v[0];
}

static void end(example *x) {
  rewrite_end(&x->b);
  interp_free(x->it);
  gg_graph_free(x->e.g);
}

/* Does it name an index or sizes, which axes without elements have not? */
static int needs_elements(gg_var *v) {
  gg__order order = {0};
  int needs = 0;

  assert_ok(gg__toposort(&order, 1, &v));
  for (size_t i = 0; i < order.n; i++)
    needs |=
        order.v[i]->op == &gg__op_index || order.v[i]->op == &gg__op_reshape;
  ga__vec_clear(&order);
  return needs;
}

void rewrite_check(const rewrite_case *c) {
  char text[EXPR_TEXT];
  example x;

  begin(&x, c->before);
  if (strcmp(expr_text(x.after, text, sizeof text), c->after) != 0)
    fail_msg("%s: %s\nbecame   %s\nexpected %s", c->rule, c->before, text,
             c->after);
  if (rewrite_fired(&x.b, c->rule) == 0)
    fail_msg("%s: not fired by %s", c->rule, c->before);
  expr_bind(&x.e, x.it, 0.1, 0.9, 22);
  check_values(c->before, x.it, x.before, x.after);
  expr_bind_sized(&x.e, x.it, 0, 0.1, 0.9, 22);
  if (!needs_elements(x.before))
    check_values(c->before, x.it, x.before, x.after);
  end(&x);
}

void rewrite_check_values(const char *text) {
  example x;

  begin(&x, text);
  expr_bind(&x.e, x.it, 0.1, 0.9, 22);
  check_values(text, x.it, x.before, x.after);
  end(&x);
}

void rewrite_check_kept(const char *text) {
  char after[EXPR_TEXT];
  example x;

  begin(&x, text);
  if (x.before != x.after)
    fail_msg("%s became %s", text, expr_text(x.after, after, sizeof after));
  end(&x);
}

void rewrite_check_finite(const char *text, double lo, double hi) {
  example x;

  begin(&x, text);
  expr_bind(&x.e, x.it, lo, hi, 22);
  const tensor *t = interp_eval(x.it, x.after);
  for (size_t i = 0; i < t->n; i++)
    if (!isfinite(t->v[i]))
      fail_msg("%s in [%g, %g): element %zu is %g", text, lo, hi, i, t->v[i]);
  end(&x);
}

/* --- lists --- */

void rewrite_check_all(const rewrite_case *c, size_t n) {
  for (size_t i = 0; i < n; i++)
    rewrite_check(&c[i]);
}

void rewrite_check_all_kept(const char *const *texts, size_t n) {
  for (size_t i = 0; i < n; i++)
    rewrite_check_kept(texts[i]);
}

typedef struct lists {
  const rewrite_case *cases;
  const char *const *kept;
  size_t n_cases, n_kept;
} lists;

static void test_cases(void **state) {
  const lists *l = *state;

  rewrite_check_all(l->cases, l->n_cases);
}

static void test_kept(void **state) {
  const lists *l = *state;

  rewrite_check_all_kept(l->kept, l->n_kept);
}

int rewrite_main(const rewrite_case *c, size_t n, const char *const *kept,
                 size_t n_kept) {
  lists l = {c, kept, n, n_kept};
  const struct CMUnitTest tests[] = {cmocka_unit_test_prestate(test_cases, &l),
                                     cmocka_unit_test_prestate(test_kept, &l)};

  return cmocka_run_group_tests(tests, NULL, NULL);
}
