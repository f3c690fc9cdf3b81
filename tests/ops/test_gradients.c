/* SPDX-License-Identifier: BSD-2-Clause */
/* Gradients of every case against finite differences, in the reference's
 * double precision: this is about formulas, so it needs no device. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "graph/graph.h"
#include "support/inputs.h"

#define STEP 1e-5 /* of the differences */

/* A scalar that depends on all elements of y, on each differently. */
static gg_var *weigh(gg_graph *g, gg_var *y, const tensor *value) {
  double *w = malloc((value->n + 1) * sizeof *w);
  gg_var *weights;
  size_t i;

  assert_non_null(w);
  for (i = 0; i < value->n; i++)
    w[i] = cos((double)(3 * i + 1));
  weights = gg_constant(g, GA_DOUBLE, value->nd, value->dim, w);
  free(w);
  return gg_sum(gg_mul(y, weights));
}

/* The cost when element k of operand i is moved by `by`. */
static double moved(const case_run *r, interp *it, gg_var *cost, unsigned int i,
                    size_t k, double by) {
  const double old = r->value[i][k];
  double c;

  r->value[i][k] = old + by;
  interp_bind(it, r->x[i], r->c->in[i].nd, r->c->in[i].dims, r->value[i]);
  c = interp_number(it, cost);
  r->value[i][k] = old;
  return c;
}

static void check_operand(const case_run *r, interp *it, gg_var *cost,
                          gg_var *grad, unsigned int i) {
  const tensor *t;
  double *got = malloc((r->n[i] + 1) * sizeof *got), want;
  size_t k;

  assert_non_null(got);
  assert_true(gg__type_fits(gg_var_type(grad), gg_var_type(r->x[i])));
  case_bind(r, it);
  t = interp_eval(it, grad);
  assert_int_equal(t->n, r->n[i]);
  memcpy(got, t->v, t->n * sizeof *got);
  for (k = 0; k < r->n[i]; k++) {
    want = moved(r, it, cost, i, k, STEP) - moved(r, it, cost, i, k, -STEP);
    want /= 2 * STEP;
    if (!(fabs(got[k] - want) <= 1e-6 * (1 + fabs(want))))
      fail_msg("%s: d cost / d operand %u[%zu]: got %.9g, differences %.9g",
               r->c->name, i, k, got[k], want);
  }
  free(got);
}

/* Gradients of `cost` for all float operands. */
static void check_cost(const case_run *r, interp *it, gg_var *cost) {
  gg_var *wrt[3], *grad[3];
  unsigned int i, which[3], n = 0;

  for (i = 0; i < r->c->n_in; i++)
    if (gg_var_type(r->x[i])->dtype == GA_DOUBLE) {
      which[n] = i;
      wrt[n++] = r->x[i];
    }
  assert_true(n > 0);
  if (gg_grad_ex(grad, cost, n, wrt, 0, NULL, GG_GRAD_ALLOW_DISCONNECTED) !=
      GA_NO_ERROR)
    fail_msg("%s: %s", r->c->name, gg_graph_error(r->g));
  for (i = 0; i < n; i++)
    check_operand(r, it, cost, grad[i], which[i]);
}

static void test_first(void **state) {
  const op_case *c = *state;
  case_run r;
  interp *it;
  int sizes;

  for (sizes = SIZES_KNOWN; c->gradient && sizes <= SIZES_OPEN; sizes++) {
    it = interp_new();
    assert_non_null(it);
    assert_true(case_begin(&r, c, NULL, GA_DOUBLE, (case_sizes)sizes));
    case_bind(&r, it);
    check_cost(&r, it, weigh(r.g, r.y, interp_eval(it, r.y)));
    interp_free(it);
    case_end(&r);
  }
}

/* Gradients are graphs like any other: the gradient of a gradient. */
static void test_second(void **state) {
  const op_case *c = *state;
  case_run r;
  interp *it;
  gg_var *cost, *grad;

  if (!c->gradient || c->in[0].dtypes == BOOLS)
    return;
  it = interp_new();
  assert_non_null(it);
  assert_true(case_begin(&r, c, NULL, GA_DOUBLE, SIZES_OPEN));
  case_bind(&r, it);
  cost = weigh(r.g, r.y, interp_eval(it, r.y));
  if (gg_grad_ex(&grad, cost, 1, r.x, 0, NULL, GG_GRAD_ALLOW_DISCONNECTED) !=
      GA_NO_ERROR)
    fail_msg("%s: %s", c->name, gg_graph_error(r.g));
  check_cost(&r, it, weigh(r.g, grad, interp_eval(it, grad)));
  interp_free(it);
  case_end(&r);
}

int main(void) {
  return case_group("gradients", test_first) +
         case_group("second gradients", test_second);
}
