/* SPDX-License-Identifier: BSD-2-Clause */
/* Gradients of every case against finite differences, in the reference's
 * double precision: this is about formulas, so it needs no device. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "graph/graph.h"
#include "support/inputs.h"

#define STEP 1e-5 /* of the differences */

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

static interp *begin(case_run *r, const op_case *c, case_sizes sizes) {
  gg_graph *g = gg_graph_new(NULL);
  interp *it = interp_new();

  assert_non_null(g);
  assert_non_null(it);
  assert_true(case_begin(r, c, g, GA_DOUBLE, sizes));
  case_bind(r, it);
  return it;
}

static void end(case_run *r, interp *it) {
  case_end(r);
  gg_graph_free(r->g);
  interp_free(it);
}

static void test_first(void **state) {
  const op_case *c = *state;
  case_run r;
  interp *it;
  int sizes;

  for (sizes = SIZES_KNOWN; c->gradient && sizes <= SIZES_OPEN; sizes++) {
    it = begin(&r, c, (case_sizes)sizes);
    check_cost(&r, it, case_cost(&r, interp_eval(it, r.y)));
    end(&r, it);
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
  it = begin(&r, c, SIZES_OPEN);
  cost = case_cost(&r, interp_eval(it, r.y));
  if (gg_grad_ex(&grad, cost, 1, r.x, 0, NULL, GG_GRAD_ALLOW_DISCONNECTED) !=
      GA_NO_ERROR)
    fail_msg("%s: %s", c->name, gg_graph_error(r.g));
  r.y = grad;
  check_cost(&r, it, case_cost(&r, interp_eval(it, grad)));
  end(&r, it);
}

int main(void) {
  return case_group("gradients", test_first) +
         case_group("second gradients", test_second);
}
