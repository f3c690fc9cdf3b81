/* SPDX-License-Identifier: BSD-2-Clause */
/* Cases on the device against the reference. */
#include "support/check_cases.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "support/case_batch.h"

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

/* A function of several cases and its results. */
typedef struct checked {
  case_batch batch;
  GpuArray out[CASE_MOST];
} checked;

/* The largest error in units of the tolerance's scale: the dtype's epsilon
 * relative to the largest value. Infinite where one is NaN and the other is
 * not. */
static double worst_error(const GpuArray *a, const tensor *want) {
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
static int check_output(const checked *f, unsigned int k) {
  const case_batch *b = &f->batch;
  const GpuArray *a = &f->out[k];
  const tensor *want = interp_eval(b->it, b->out[k]);
  const double tol = b->of[k]->c->tol + (b->is_gradient[k] ? 32 : 1);
  unsigned int i;

  for (i = 0; i < want->nd && a->nd == want->nd; i++)
    if (a->dimensions[i] != want->dim[i])
      break;
  double worst = i == want->nd ? worst_error(a, want) : INFINITY;
  if (worst <= (epsilon_of(a->typecode) > 0 ? tol : 0))
    return 1;
  print_error("%s%s in %s: %g epsilons, expected at most %g\n",
              b->of[k]->c->name, b->is_gradient[k] ? ", gradient" : "",
              ga__dtype_name(gg_var_type(b->of[k]->x[0])->dtype), worst, tol);
  return 0;
}

static int run(checked *c, gg_mode mode) {
  case_batch *b = &c->batch;
  GpuArray *in[CASE_MOST], *out[CASE_MOST];
  gg_func_spec spec = case_batch_spec(b);
  gg_func *f = NULL;
  int ok = 1;

  spec.mode = mode;
  for (unsigned int i = 0; i < CASE_MOST; i++) {
    in[i] = &b->in_array[i];
    out[i] = &c->out[i];
  }
  if (gg_func_new(&f, b->g, &spec) != GA_NO_ERROR)
    fail_msg("%s", gg_graph_error(b->g));
  if (gg_func_call(f, in, out) != GA_NO_ERROR)
    fail_msg("%s", gg_func_error(f));
  for (unsigned int i = 0; i < b->n_out; i++)
    ok &= check_output(c, i);
  gg_func_free(f);
  return ok;
}

void check_cases(int dtype, gg_mode mode, case_sizes sizes, int gradients) {
  checked *c = malloc(sizeof *c);
  int ok = 1;

  assert_non_null(c);
  for (size_t i = 0; i < n_op_cases;) {
    memset(c, 0, sizeof *c);
    i = case_batch_begin(&c->batch, test_context(), i, dtype, sizes, gradients);
    if (c->batch.n_runs != 0)
      ok &= run(c, mode);
    for (unsigned int k = 0; k < CASE_MOST; k++)
      GpuArray_clear(&c->out[k]);
    case_batch_end(&c->batch);
  }
  free(c);
  assert_true(ok);
}
