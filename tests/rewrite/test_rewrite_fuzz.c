/* SPDX-License-Identifier: BSD-2-Clause */
/* Random graphs of float64, some with gradients, rewritten and not: the values
 * agree up to rounding, and are finite where they were. Rich in the forms that
 * rules look for; test_rewrite_fuzz_ops.c has all ops, dtypes and sizes. */
#include <gpugraph/grad.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "ops/ops.h"
#include "support/lcg.h"
#include "support/rewritten.h"
#include "support/trials.h"
#include "support/unchanged.h"

#define N_GRAPHS 4000
#define MAX_POOL 64
#define MAX_OPS 14
#define MAX_RESULTS 4
#define TEXT 65536 /* bytes, of a failing expression */

/* Numbers of the variables of expr.h. */
#define N_REALS 12 /* float64, the first ones */
#define LABELS 17

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* --- random numbers --- */

static uint64_t state;

static unsigned int below(size_t n) {
  return (unsigned int)lcg_below(&state, n);
}

static double between(double lo, double hi) {
  return lo + (hi - lo) * below(1u << 20) / (1u << 20);
}

/* --- random graphs --- */

typedef struct pool {
  expr_vars e;
  gg_var *v[MAX_POOL];
  unsigned int n;
} pool;

/* Recent values more often, so that graphs get deep. */
static gg_var *pick(const pool *p) {
  const unsigned int a = below(p->n), b = below(p->n);

  return p->v[below(2) != 0 || a > b ? a : b];
}

/* No axis of size 1, which a product would not stretch. */
static int has_full_size(const gg_var *v) {
  for (unsigned int i = 0; i < gg_var_type(v)->nd; i++)
    if (gg_var_type(v)->dims[i] == 1)
      return 0;
  return 1;
}

static gg_var *pick_rank(const pool *p, unsigned int nd) {
  for (unsigned int i = 0; i < 16; i++) {
    gg_var *v = pick(p);
    if (gg_var_type(v)->nd == nd && gg_var_type(v)->dtype == GA_DOUBLE &&
        has_full_size(v))
      return v;
  }
  return p->e.v[nd == 0 ? 5 : nd == 1 ? 0 : 7];
}

static const char *const unary_ops[] = {
    "neg",           "neg",        "exp",           "log",
    "sigmoid",       "softplus",   "sqr",           "sqrt",
    "abs",           "exp",        "expm1",         "log1p",
    "softmax",       "sum",        "sum1k",         "sum0",
    "sumk",          "max1k",      "mean",          "tanh",
    "cos",           "sigmoid",    "col",           "row",
    "neg",           "log",        "ones_like",     "zeros_like",
    "stop_gradient", "reciprocal", "transpose",     "sum1",
    "max0",          "exp",        "log_softmax",   "float64",
    "relu",          "sin",        "erf",           "erfc",
    "var0",          "var1",       "clip_gradient", "scale_gradient",
    "tan",           "atan",       "sinh",          "asinh",
    "argmax1"};
static const char *const binary_ops[] = {
    "add", "add", "sub", "sub", "mul",  "mul",     "mul",
    "div", "div", "add", "sub", "fill", "maximum", "minimum"};
static const char *const powers[] = {"2", "0.5", "3", "-1", "1", "0", "-2"};
static const char *const numbers[] = {"0", "1", "-1", "2",    "0.5",
                                      "1", "1", "-3", "0.125"};

/* Forms that rules look for, in x and y. */
static const char *const forms[] = {
    "div(1, add(1, exp(neg(x))))",
    "div(exp(x), add(1, exp(x)))",
    "sub(1, sigmoid(x))",
    "log(sub(1, sigmoid(x)))",
    "mul(sigmoid(x), sub(1, sigmoid(x)))",
    "sub(mul(sub(1, y), sigmoid(x)), mul(y, sub(1, sigmoid(x))))",
    "mul(exp(x), reciprocal(add(1, exp(x))))",
    "div(exp(x), sum1k(exp(x)))",
    "log(div(exp(x), sum1k(exp(x))))",
    "sub(x, log(sum1k(exp(x))))",
    "log(sum(exp(x)))",
    "log(softmax(x))",
    "add(add(x, 1), y)",
    "sub(2, sub(y, x))",
    "mul(0.5, mul(x, y))",
    "mul(mul(sum(x), x), y)",
    "div(mul(s, x), y)",
    "div(mul(x, y), mul(y, y))",
    "mul(add(div(x, y), div(s, x)), mul(x, y))",
    "add(mul(x, y), mul(x, s))",
    "sub(mul(3, x), mul(0.5, add(x, y)))",
    "sub(x, mul(0.25, add(x, mul(2, y))))",
    "sum(mul(x, 3))",
    "sum(neg(x))",
    "mean(fill(x, s))",
    "sum0(sum1k(x))",
    "exp(log_softmax(x))",
    "sub(exp(x), 1)",
    "sqrt(sqr(x))",
    "neg(neg(x))",
    "mul(neg(x), neg(y))",
    "log(exp(x))",
    "join(first2(x), tail(every2(x)))",
    "join(first2(mul(x, x)), tail(every2(exp(neg(x)))))",
    "mul(where(gt(x, y), x, 0), y)",
    "sum0(sqr(sub(x, mul(0.5, sum0k(x)))))",
    "sum(sqr(sub(div(sumk(x), 3), x)))",
    "placed(x, tail(placed(x, tail(x))))",
    "log(add(exp(x), exp(y)))",
    "log(erfc(x))",
    "mul(y, div(exp(neg(sqr(x))), erfc(x)))",
    "add(1, erf(neg(x)))",
    "sub(erf(x), 1)",
    "tan(neg(exp(log(x))))",
    "pow(x, 5)",
    "sum0(join(x, neg(x)))",
    "placed(x, tail(set_tail(x, tail(exp(x)))))",
    "set_tail(x, tail(x))",
    "add(transpose(dot(A, B)), dot(B, C))",
    "sub(turn_each(batched_dot(D, mul(2, E))), batched_dot(E, D))",
    "second1(batched_dot(exp(D), E))",
    "batched_dot(mul(2, D), A)",
    "batched_dot(layers(A), turn_each(layers(B)))",
    "sum0(second(batched_dot(D, E)))"};

static gg_var *grow_form(const pool *p) {
  expr_vars e = p->e;
  gg_var *x = pick(p), *y = pick(p);

  if (gg_var_type(x)->nd == 0 || gg_var_type(x)->dtype != GA_DOUBLE ||
      gg_var_type(y)->dtype != GA_DOUBLE)
    return NULL;
  e.v[0] = x;
  e.v[1] = y;
  return expr_parse(&e, forms[below(COUNT(forms))]);
}

/* Nonzero if no size of `value` is open where that of `like` is 1: calls would
 * refuse others. */
static int may_fill(const gg_var *like, const gg_var *value) {
  const gg_type *t = gg_var_type(like), *v = gg_var_type(value);

  for (unsigned int i = 0; i < v->nd && i < t->nd; i++)
    if (t->dims[t->nd - 1 - i] == 1 && v->dims[v->nd - 1 - i] == GG_ANY)
      return 0;
  return 1;
}

static gg_var *grow_binary(const pool *p) {
  gg_var *in[2] = {pick(p), pick(p)};

  if (below(4) == 0)
    in[below(2)] = expr_parse(&p->e, numbers[below(COUNT(numbers))]);
  const char *const op = binary_ops[below(COUNT(binary_ops))];
  return strcmp(op, "fill") != 0 || may_fill(in[0], in[1])
             ? expr_call(op, 2, in)
             : NULL;
}

/* Make one more value; leaves the pool as it is when that is refused. */
static void grow(pool *p) {
  gg_var *v, *a = pick(p), *b = pick(p);

  switch (below(20)) {
  case 0:
    v = gg_dot(pick_rank(p, 1 + below(2)), pick_rank(p, 1 + below(2)));
    break;
  case 1:
    v = gg_where(gg_gt(a, b), pick(p), pick(p));
    break;
  case 2:
    v = gg_crossentropy(gg_softmax(pick_rank(p, 2)), p->e.v[LABELS]);
    break;
  case 3:
    v = gg_pow(a, expr_parse(&p->e, powers[below(COUNT(powers))]));
    break;
  case 4:
    v = gg_cast(a, GA_DOUBLE);
    break;
  case 5:
  case 6:
  case 7:
  case 8:
    v = grow_form(p);
    break;
  case 9:
  case 10:
  case 11:
  case 12:
  case 13:
    v = expr_call(unary_ops[below(COUNT(unary_ops))], 1, &a);
    break;
  default:
    v = grow_binary(p);
    break;
  }
  if (v == NULL || gg_var_type(v)->nd > 3)
    gg_graph_reset_error(p->e.g);
  else
    p->v[p->n++] = v;
}

/* A few variables, so that equal ones meet. */
static void make_pool(pool *p) {
  unsigned int n = 2 + below(MAX_OPS);

  expr_begin(&p->e);
  p->n = 0;
  for (unsigned int i = 0; i < 4; i++)
    p->v[p->n++] = p->e.v[below(N_REALS)];
  while (n-- > 0)
    grow(p);
}

/* Ask for the last value, perhaps for another one, a gradient, an update. */
static unsigned int choose_results(const pool *p, gg__build *b,
                                   gg_var **before) {
  gg_var *last = p->v[p->n - 1], *wrt = p->v[below(4)], *grad = NULL;
  unsigned int n = 0;

  before[n++] = last;
  if (below(3) == 0)
    before[n++] = pick(p);
  if (below(2) == 0 && gg_var_type(last)->dtype == GA_DOUBLE &&
      gg_grad_ex(&grad, gg_sum(last), 1, &wrt, 0, NULL, 0) == GA_NO_ERROR)
    before[n++] = grad;
  gg_graph_reset_error(p->e.g);
  for (b->n_outputs = 0; b->n_outputs < n;)
    rewrite_output(b, before[b->n_outputs]);
  if (grad != NULL && below(2) == 0) {
    before[n] = gg_sub(wrt, gg_mul(gg_f64(p->e.g, 0.5), grad));
    rewrite_update(b, wrt, before[n++]);
  }
  return n;
}

/* --- comparing --- */

/* What expr_bind gets. */
typedef struct bounds {
  const expr_vars *e;
  double lo, hi;
  unsigned int seed;
} bounds;

static void bind(const void *arg, interp *it) {
  const bounds *x = arg;

  expr_bind(x->e, it, x->lo, x->hi, x->seed);
}

static void complain(unsigned int number, gg_var *before, gg_var *after,
                     ptrdiff_t i, double want, double got, const gg__build *b) {
  static char text[2][TEXT];

  for (size_t k = 0; k < b->fired.n; k++)
    print_message("  %u %s\n", b->fired.v[k].count, b->fired.v[k].rule);
  fail_msg("graph %u, element %td: %.17g became %.17g\n%s\n%s", number, i, want,
           got, expr_text(before, text[0], TEXT),
           expr_text(after, text[1], TEXT));
}

static void compare(const pool *p, const gg__build *b, gg_var *const *before,
                    unsigned int n, unsigned int number) {
  const bounds x = {&p->e, below(2) ? 0.1 : -2, between(0.5, 3), below(1000)};
  const unchanged u = {bind, &x};
  double want = 0, got = 0;
  ptrdiff_t at;

  for (unsigned int k = 0; k < n; k++)
    if (!unchanged_check(&u, before[k], b->results.v[k], &at, &want, &got))
      complain(number, before[k], b->results.v[k], at, want, got, b);
}

static void one_graph(unsigned int number) {
  gg_var *before[MAX_RESULTS];
  pool p;
  gg__build b;

  state = number * 2654435761u + 1;
  make_pool(&p);
  rewrite_begin(&b, p.e.g, GG_FAST_RUN);
  unsigned int n = choose_results(&p, &b, before);
  rewrite_run(&b);
  compare(&p, &b, before, n, number);
  rewrite_end(&b);
  gg_graph_free(p.e.g);
}

static void try_number(size_t number) {
  one_graph((unsigned int)number);
}

static void test_random_graphs(void **unused) {
  (void)unused;
  trials_run(N_GRAPHS, try_number);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_graphs)};

  return cmocka_run_group_tests(tests, NULL, NULL);
}
