/* SPDX-License-Identifier: BSD-2-Clause */
/* Products of matrices. */
#include <gpugraph/op.h>

#include "base/dtype.h"
#include "base/err.h"
#include "onnx/ops/builders.h"

gg_var *gg__matmul(gg_var *a, gg_var *b) {
  if (a == NULL || b == NULL)
    return NULL;
  const unsigned int na = gg_var_type(a)->nd, nb = gg_var_type(b)->nd;

  if (na <= 2 && nb <= 2 && ga__dtype_kind(gg__dtype_of(a)) == GA_KIND_FLOAT)
    return gg_dot(a, b);
  return gg_einsum(na == 1   ? "j,...jk->...k"
                   : nb == 1 ? "...ij,j->...i"
                             : "...ij,...jk->...ik",
                   2, (gg_var *[]){a, b});
}

int gg__from_matmul(gg__onnx_call *c) {
  c->out[0] = gg__matmul(gg__call_in(c, 0), gg__call_in(c, 1));
  return GA_NO_ERROR;
}

int gg__from_gemm(gg__onnx_call *c) {
  const double alpha = gg__call_float(c, "alpha", 1);
  const double beta = gg__call_float(c, "beta", 1);
  gg_var *a = gg__call_in(c, 0), *b = gg__call_in(c, 1);

  if (gg__call_int(c, "transA", 0) != 0)
    a = gg_transpose(a);
  if (gg__call_int(c, "transB", 0) != 0)
    b = gg_transpose(b);
  gg_var *y = gg__matmul(a, b);
  if (alpha != 1)
    y = gg_mul(gg__like(y, alpha), y);
  if (gg__call_has(c, 2) && beta != 0) {
    gg_var *bias = gg__call_in(c, 2);

    y = gg_add(y, beta == 1 ? bias : gg_mul(gg__like(bias, beta), bias));
  }
  c->out[0] = y;
  return GA_NO_ERROR;
}

/* --- integers with zero points --- */

/* Input `at`, one value or one for each index of an axis of an array of rank
 * nd, by gg__as_widest and so that it broadcasts. */
static gg_var *per_axis(gg__onnx_call *c, size_t at, unsigned int nd,
                        int axis) {
  gg_var *v = gg__as_widest(gg__call_in(c, at));

  if (v == NULL || gg_var_type(v)->nd != 1)
    return v;
  return gg_var_type(v)->dims[0] == 1 ? gg_squeeze(v, 0)
                                      : gg__along(v, nd, axis);
}

gg_var *gg__centred(gg__onnx_call *c, size_t x_at, size_t zero_at, int axis) {
  gg_var *x = gg__as_widest(gg__call_in(c, x_at));

  if (x == NULL || !gg__call_has(c, zero_at))
    return x;
  return gg_sub(x, per_axis(c, zero_at, gg_var_type(x)->nd, axis));
}

gg_var *gg__requantised(gg__onnx_call *c, gg_var *sum, size_t a_at, size_t b_at,
                        size_t y_at, int axis) {
  if (sum == NULL)
    return NULL;
  const unsigned int nd = gg_var_type(sum)->nd;
  gg_var *scale = gg_div(
      gg_mul(per_axis(c, a_at, nd, axis - 1), per_axis(c, b_at, nd, axis)),
      per_axis(c, y_at, nd, axis - 1));
  gg_var *zero = gg__call_in(c, y_at + 1);

  return gg_cast(
      gg_add(gg_round(gg_mul(sum, scale)), per_axis(c, y_at + 1, nd, axis - 1)),
      gg__dtype_of(zero));
}

int gg__from_matmul_integer(gg__onnx_call *c) {
  const int row = (int)gg__call_rank(c, 0) - 2;
  const int column = (int)gg__call_rank(c, 1) - 1;

  c->out[0] = gg_cast(
      gg__matmul(gg__centred(c, 0, 2, row), gg__centred(c, 1, 3, column)),
      GA_INT);
  return GA_NO_ERROR;
}

/* Inputs: a, a_scale, a_zero, b, b_scale, b_zero, y_scale, y_zero. */
int gg__from_qlinear_matmul(gg__onnx_call *c) {
  const int row = (int)gg__call_rank(c, 0) - 2;
  const int column = (int)gg__call_rank(c, 3) - 1;
  gg_var *sum =
      gg__matmul(gg__centred(c, 0, 2, row), gg__centred(c, 3, 5, column));

  const int last = sum == NULL ? 0 : (int)gg_var_type(sum)->nd - 1;

  c->out[0] = gg__requantised(c, sum, 1, 4, 6, last);
  return GA_NO_ERROR;
}

int gg__from_einsum(gg__onnx_call *c) {
  gg_var **x = ga__arena_alloc(c->b->arena, c->n_in * sizeof *x + 1);

  if (x == NULL)
    return ga__fail_nomem();
  for (size_t i = 0; i < c->n_in; i++)
    x[i] = gg__call_in(c, i);
  c->out[0] =
      gg_einsum(gg__call_text(c, "equation", ""), (unsigned int)c->n_in, x);
  return GA_NO_ERROR;
}
