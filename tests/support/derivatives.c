/* SPDX-License-Identifier: BSD-2-Clause */
/* Derivatives in tests. */
#include "support/derivatives.h"

#include <math.h>

#include "base/dtype.h"

static gg_var *weighted(gg_var *y) {
  if (y != NULL && ga__dtype_is_complex(gg_var_type(y)->dtype))
    y = gg_add(gg_real(y), gg_mul(gg_imag(y), gg_scalar(g, GA_DOUBLE, 0.7)));
  return gg_sum(gg_sin(gg_add(y, gg_cast(gg_positions(y, -1), GA_DOUBLE))));
}

/* How much a sum grows along a direction, by its gradient. */
static gg_var *product(gg_var *dir, gg_var *gradient) {
  return gg_sum(gg_real(gg_mul(dir, gg_conj(gradient))));
}

void check_derivatives(gg_var *value, unsigned int n, gg_var *const *wrt) {
  GpuArray *const at[2] = {&a, &b};
  gg_var *cost = weighted(value), *first[2], *along, *second[2];

  assert_non_null(cost);
  assert_ok(gg_check_gradient(cost, n, wrt, at, 1e-5, 1e-6));
  if (test_is_quick())
    return;
  assert_ok(gg_grad(first, cost, n, wrt));
  second[0] = weighted(first[0]);
  assert_ok(gg_check_gradient(second[0], n, wrt, at, 1e-5, 1e-5));
  gg_var *const in[3] = {wrt[0], n > 1 ? wrt[1] : NULL};
  /* The derivative along d is the sum of d times the gradient. */
  gg_var *const dir[2] = {gg_cos(wrt[0]), n > 1 ? gg_cos(wrt[1]) : NULL};
  assert_ok(gg_rop(&along, 1, &cost, n, wrt, dir));
  second[0] = product(dir[0], first[0]);
  if (n > 1)
    second[0] = gg_add(second[0], product(dir[1], first[1]));
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = in, .outputs = GG_VARS(along, second[0])});
  double got[2];
  func_run(f, at, (GpuArray *[]){&out, &out2});
  assert_ok(GpuArray_read(&got[0], 8, &out));
  assert_ok(GpuArray_read(&got[1], 8, &out2));
  assert_true(fabs(got[0] - got[1]) < 1e-9 * (1 + fabs(got[0])));
  GpuArray_clear(&out);
  GpuArray_clear(&out2);
  gg_func_free(f);
}
