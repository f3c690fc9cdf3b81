/* SPDX-License-Identifier: BSD-2-Clause */
/* Cases on the device against the reference. Several cases make one function:
 * compiling is what takes the time. */
#include "support/check_cases.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"

#define GROUP 16 /* cases of one function */
#define MOST 160 /* inputs and outputs of one function */

/* One function, being put together. */
typedef struct batch {
  gg_graph *g;
  interp *it;
  case_run run[GROUP];
  unsigned int n_runs, n_in, n_out;
  gg_var *in[MOST + 1], *out[MOST + 1];
  GpuArray in_array[MOST], out_array[MOST];
  const case_run *of[MOST]; /* output i belongs to this case */
  int is_gradient[MOST];
} batch;

static double epsilon_of(int dtype) {
  switch (dtype) {
  case GA_HALF:
    return 0x1p-10;
  case GA_BFLOAT:
    return 0x1p-7;
  case GA_FLOAT:
    return FLT_EPSILON;
  case GA_DOUBLE:
    return DBL_EPSILON;
  default:
    return 0;
  }
}

static void add_output(batch *b, const case_run *r, gg_var *v, int gradient) {
  assert_true(b->n_out < MOST);
  b->of[b->n_out] = r;
  b->is_gradient[b->n_out] = gradient;
  b->out[b->n_out++] = v;
}

/* Ask for the gradients of a case's float operands. */
static void add_gradients(batch *b, const case_run *r) {
  gg_var *wrt[3], *grad[3], *cost;
  unsigned int n = 0;

  for (unsigned int i = 0; i < r->c->n_in; i++)
    if (ga__dtype_kind(gg_var_type(r->x[i])->dtype) == GA_KIND_FLOAT)
      wrt[n++] = r->x[i];
  if (n == 0 || !r->c->gradient ||
      ga__dtype_kind(gg_var_type(r->y)->dtype) != GA_KIND_FLOAT)
    return;
  cost = case_cost(r, interp_eval(b->it, r->y));
  if (gg_grad_ex(grad, cost, n, wrt, 0, NULL, GG_GRAD_ALLOW_DISCONNECTED) !=
      GA_NO_ERROR)
    fail_msg("%s: %s", r->c->name, gg_graph_error(b->g));
  for (unsigned int i = 0; i < n; i++)
    add_output(b, r, grad[i], 1);
}

/* The operand as an array of its dtype. */
static void make_array(GpuArray *a, const case_run *r, unsigned int i) {
  const int dtype = gg_var_type(r->x[i])->dtype;
  const size_t size = ga__dtype_size(dtype);
  char *raw = malloc(r->n[i] * size + 1);

  assert_non_null(raw);
  for (size_t k = 0; k < r->n[i]; k++)
    ga__dtype_from_double(dtype, raw + k * size, r->value[i][k]);
  test_array(a, dtype, r->c->in[i].nd, r->c->in[i].dims, raw);
  free(raw);
}

static void add_case(batch *b, const op_case *c, int dtype, case_sizes sizes,
                     int gradients) {
  case_run *r = &b->run[b->n_runs];

  if (!case_begin(r, c, b->g, dtype, sizes))
    return;
  b->n_runs++;
  case_bind(r, b->it);
  for (unsigned int i = 0; i < c->n_in; i++) {
    assert_true(b->n_in < MOST);
    make_array(&b->in_array[b->n_in], r, i);
    b->in[b->n_in++] = r->x[i];
  }
  add_output(b, r, r->y, 0);
  if (gradients)
    add_gradients(b, r);
}

/* The largest error in units of the tolerance's scale: the dtype's epsilon
 * relative to the largest value. Infinite where one is NaN and the other is
 * not. */
static double worst_error(const batch *b, unsigned int k, const tensor *want) {
  const GpuArray *a = &b->out_array[k];
  const double eps = epsilon_of(a->typecode);
  void *got = malloc(want->n * ga__dtype_size(a->typecode) + 1);
  double top = 0, worst = 0;

  assert_non_null(got);
  test_gather(a, got);
  for (size_t i = 0; i < want->n; i++)
    top = fmax(top, isfinite(want->v[i]) ? fabs(want->v[i]) : 0);
  for (size_t i = 0; i < want->n; i++) {
    double x = test_get(got, a->typecode, i);
    if (x == want->v[i] || (isnan(x) && isnan(want->v[i])))
      continue;
    double e = fabs(x - want->v[i]) / (eps > 0 ? eps * fmax(top, 1) : 1);
    worst = isnan(e) ? INFINITY : fmax(worst, e);
  }
  free(got);
  return worst;
}

/* Gradients are compositions: they err by some steps more. */
static int check_output(const batch *b, unsigned int k) {
  const GpuArray *a = &b->out_array[k];
  const tensor *want = interp_eval(b->it, b->out[k]);
  const double tol = b->of[k]->c->tol + (b->is_gradient[k] ? 32 : 1);
  unsigned int i;

  for (i = 0; i < want->nd && a->nd == want->nd; i++)
    if (a->dimensions[i] != want->dim[i])
      break;
  double worst = i == want->nd ? worst_error(b, k, want) : INFINITY;
  if (worst <= (epsilon_of(a->typecode) > 0 ? tol : 0))
    return 1;
  print_error("%s%s in %s: %g epsilons, expected at most %g\n",
              b->of[k]->c->name, b->is_gradient[k] ? ", gradient" : "",
              ga__dtype_name(gg_var_type(b->of[k]->x[0])->dtype), worst, tol);
  return 0;
}

static int run(batch *b, gg_mode mode) {
  GpuArray *in[MOST], *out[MOST];
  const gg_func_spec spec = {.name = "cases",
                             .inputs = b->in,
                             .outputs = b->out,
                             .mode = mode,
                             .flags = GG_ALLOW_UNUSED_INPUT};
  gg_func *f = NULL;
  int ok = 1;

  for (unsigned int i = 0; i < MOST; i++) {
    in[i] = &b->in_array[i];
    out[i] = &b->out_array[i];
  }
  if (gg_func_new(&f, b->g, &spec) != GA_NO_ERROR)
    fail_msg("%s", gg_graph_error(b->g));
  if (gg_func_call(f, in, out) != GA_NO_ERROR)
    fail_msg("%s", gg_func_error(f));
  for (unsigned int i = 0; i < b->n_out; i++)
    ok &= check_output(b, i);
  gg_func_free(f);
  return ok;
}

static void end(batch *b) {
  for (unsigned int i = 0; i < b->n_runs; i++)
    case_end(&b->run[i]);
  for (unsigned int i = 0; i < MOST; i++) {
    GpuArray_clear(&b->in_array[i]);
    GpuArray_clear(&b->out_array[i]);
  }
  interp_free(b->it);
  gg_graph_free(b->g);
}

void check_cases(int dtype, gg_mode mode, case_sizes sizes, int gradients) {
  batch *b = calloc(1, sizeof *b);
  size_t i = 0;
  int ok = 1;

  assert_non_null(b);
  while (i < n_op_cases) {
    memset(b, 0, sizeof *b);
    b->g = gg_graph_new(test_context());
    b->it = interp_new();
    for (size_t k = 0; k < GROUP && i < n_op_cases; k++, i++)
      add_case(b, &op_cases[i], dtype, sizes, gradients);
    if (b->n_runs != 0)
      ok &= run(b, mode);
    end(b);
  }
  free(b);
  assert_true(ok);
}
