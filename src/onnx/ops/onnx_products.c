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
