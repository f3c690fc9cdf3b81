/* SPDX-License-Identifier: BSD-2-Clause */
/* Gradients and forward derivatives of every case against finite differences
 * and each other, in the reference's double precision: this is about formulas,
 * so it needs no device. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gpugraph/rop.h>

#include "graph/graph.h"
#include "support/inputs.h"

#define STEP 1e-5 /* of the differences */

/* The cost when element k of operand i is moved by `by`. */
static double moved(const case_run *r, interp *it, gg_var *cost, unsigned int i,
                    size_t k, double by) {
  const double old = r->value[i][k];

  r->value[i][k] = old + by;
  interp_bind(it, r->x[i], r->c->in[i].nd, r->c->in[i].dims, r->value[i]);
  double c = interp_number(it, cost);
  r->value[i][k] = old;
  return c;
}

static void check_operand(const case_run *r, interp *it, gg_var *cost,
                          gg_var *grad, unsigned int i) {
  double *got = malloc((r->n[i] + 1) * sizeof *got), want;

  assert_non_null(got);
  assert_true(gg__type_fits(gg_var_type(grad), gg_var_type(r->x[i])));
  case_bind(r, it);
  const tensor *t = interp_eval(it, grad);
  assert_int_equal(t->n, r->n[i]);
  memcpy(got, t->v, t->n * sizeof *got);
  for (size_t k = 0; k < r->n[i]; k++) {
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

  for (int sizes = SIZES_KNOWN; c->gradient && sizes <= SIZES_OPEN; sizes++) {
    interp *it = begin(&r, c, (case_sizes)sizes);
    check_cost(&r, it, case_cost(&r, interp_eval(it, r.y)));
    end(&r, it);
  }
}

static gg_var *first_float(const case_run *r) {
  unsigned int i = 0;

  while (i + 1 < r->c->n_in && gg_var_type(r->x[i])->dtype != GA_DOUBLE)
    i++;
  return r->x[i];
}

/* Gradients are graphs like any other: the gradient of a gradient. */
static void test_second(void **state) {
  const op_case *c = *state;
  case_run r;
  gg_var *grad;

  if (!c->gradient)
    return;
  interp *it = begin(&r, c, SIZES_OPEN);
  gg_var *const x = first_float(&r);
  gg_var *cost = case_cost(&r, interp_eval(it, r.y));
  if (gg_grad_ex(&grad, cost, 1, &x, 0, NULL, GG_GRAD_ALLOW_DISCONNECTED) !=
      GA_NO_ERROR)
    fail_msg("%s: %s", c->name, gg_graph_error(r.g));
  r.y = grad;
  check_cost(&r, it, case_cost(&r, interp_eval(it, grad)));
  end(&r, it);
}

/* --- along a direction --- */

/* A direction for each operand that is a float, whose list is `wrt`. */
typedef struct direction {
  unsigned int n, which[3];
  gg_var *wrt[3], *dir[3];
  double *v[3];
} direction;

static void direction_init(direction *d, const case_run *r) {
  memset(d, 0, sizeof *d);
  for (unsigned int i = 0; i < r->c->n_in; i++) {
    if (gg_var_type(r->x[i])->dtype != GA_DOUBLE)
      continue;
    d->v[d->n] = malloc((r->n[i] + 1) * sizeof(double));
    assert_non_null(d->v[d->n]);
    for (size_t k = 0; k < r->n[i]; k++)
      d->v[d->n][k] = sin((double)(2 * k + 5 * i + 1));
    d->which[d->n] = i;
    d->wrt[d->n] = r->x[i];
    d->dir[d->n++] = gg_input_sized(r->g, "dir", GA_DOUBLE, r->c->in[i].nd,
                                    gg_var_type(r->x[i])->dims);
  }
}

static void direction_bind(const direction *d, const case_run *r, interp *it) {
  for (unsigned int j = 0; j < d->n; j++) {
    const case_operand *in = &r->c->in[d->which[j]];
    interp_bind(it, d->dir[j], in->nd, in->dims, d->v[j]);
  }
}

/* The cost `by` times the direction away. */
static double moved_along(const direction *d, const case_run *r, interp *it,
                          gg_var *cost, double by) {
  for (unsigned int j = 0; j < d->n; j++)
    for (size_t k = 0; k < r->n[d->which[j]]; k++)
      r->value[d->which[j]][k] += by * d->v[j][k];
  case_bind(r, it);
  double c = interp_number(it, cost);
  for (unsigned int j = 0; j < d->n; j++)
    for (size_t k = 0; k < r->n[d->which[j]]; k++)
      r->value[d->which[j]][k] -= by * d->v[j][k];
  case_bind(r, it);
  return c;
}

/* The gradient times the direction. */
static double along_gradient(const direction *d, const case_run *r, interp *it,
                             gg_var *cost) {
  gg_var *grad[3];
  double sum = 0;

  if (gg_grad_ex(grad, cost, d->n, d->wrt, 0, NULL,
                 GG_GRAD_ALLOW_DISCONNECTED) != GA_NO_ERROR)
    fail_msg("%s: %s", r->c->name, gg_graph_error(r->g));
  for (unsigned int j = 0; j < d->n; j++) {
    const tensor *t = interp_eval(it, grad[j]);
    for (size_t k = 0; k < t->n; k++)
      sum += t->v[k] * d->v[j][k];
  }
  return sum;
}

/* With the weights of a cost, the forward derivative of y is what the cost's
 * gradient and its differences say. */
static void check_forward(const op_case *c, case_sizes sizes) {
  case_run r;
  interp *it = begin(&r, c, sizes);
  gg_var *cost = case_cost(&r, interp_eval(it, r.y)), *rop;
  direction d;

  direction_init(&d, &r);
  if (gg_rop(&rop, 1, &r.y, d.n, d.wrt, d.dir) != GA_NO_ERROR)
    fail_msg("%s: %s", c->name, gg_graph_error(r.g));
  assert_true(gg__type_fits(gg_var_type(rop), gg_var_type(r.y)));
  double want = (moved_along(&d, &r, it, cost, STEP) -
                 moved_along(&d, &r, it, cost, -STEP)) /
                (2 * STEP);
  direction_bind(&d, &r, it);
  r.y = rop;
  double got = interp_number(it, case_cost(&r, interp_eval(it, rop)));
  if (!(fabs(got - want) <= 1e-6 * (1 + fabs(want))))
    fail_msg("%s: forward derivative: got %.9g, differences %.9g", c->name, got,
             want);
  want = along_gradient(&d, &r, it, cost);
  if (!(fabs(got - want) <= 1e-9 * (1 + fabs(want))))
    fail_msg("%s: forward derivative: got %.9g, gradient %.9g", c->name, got,
             want);
  for (unsigned int j = 0; j < d.n; j++)
    free(d.v[j]);
  end(&r, it);
}

static void test_forward(void **state) {
  const op_case *c = *state;

  if (!c->gradient)
    return;
  check_forward(c, SIZES_KNOWN);
  check_forward(c, SIZES_OPEN);
}

int main(void) {
  return case_group("gradients", test_first) +
         case_group("second gradients", test_second) +
         case_group("forward derivatives", test_forward);
}
