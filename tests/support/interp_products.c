/* SPDX-License-Identifier: BSD-2-Clause */
/* Plain C versions of products. */
#include "support/interp_ops.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "graph/graph.h"
#include "ops/ops.h"

/* out = beta * first + alpha * x . y; first may be NULL. */
static void product(tensor *out, double beta, const tensor *first, double alpha,
                    const tensor *x, const tensor *y) {
  const size_t m = x->nd == 2 ? x->dim[0] : 1, k = x->dim[x->nd - 1];
  const size_t n = y->nd == 2 ? y->dim[1] : 1;
  size_t dims[2], i, j, l;
  unsigned int nd = 0;

  if (k != y->dim[0])
    fail_msg("dot: inner sizes %zu and %zu", k, y->dim[0]);
  if (x->nd == 2)
    dims[nd++] = m;
  if (y->nd == 2)
    dims[nd++] = n;
  tensor_make(out, nd, dims);
  if (first != NULL && first->n != out->n)
    fail_msg("gemm: %zu elements, expected %zu", first->n, out->n);
  for (i = 0; i < m; i++)
    for (j = 0; j < n; j++) {
      double sum = 0;
      for (l = 0; l < k; l++)
        sum += x->v[i * k + l] * y->v[l * n + j];
      out->v[i * n + j] =
          (first != NULL ? beta * first->v[i * n + j] : 0) + alpha * sum;
    }
}

void interp_dot(const gg_apply *a, const tensor *const *in, tensor *out) {
  const gg__dot_props *p = a->props;

  product(out, 0, NULL, p->alpha, in[0], in[1]);
}

void interp_gemm(const gg_apply *a, const tensor *const *in, tensor *out) {
  const gg__gemm_props *p = a->props;

  product(out, p->beta, in[0], p->alpha, in[1], in[2]);
}

void interp_ger(const gg_apply *a, const tensor *const *in, tensor *out) {
  const gg__dot_props *p = a->props;
  tensor x = *in[1], y = *in[2];

  x.nd = y.nd = 2;
  x.dim[1] = y.dim[0] = 1;
  y.dim[1] = in[2]->n;
  product(out, 1, in[0], p->alpha, &x, &y);
}

/* Matrix i of a batch, borrowed. */
static tensor matrix_of(const tensor *t, size_t i) {
  const size_t n = t->dim[1] * t->dim[2];

  return (tensor){2, {t->dim[1], t->dim[2]}, n, t->v + i * n};
}

/* The same for each matrix of a batch. */
static void batched_product(tensor *out, double beta, const tensor *first,
                            double alpha, const tensor *x, const tensor *y) {
  const size_t dims[3] = {x->dim[0], x->dim[1], y->dim[2]};

  if (y->dim[0] != dims[0] || (first != NULL && first->dim[0] != dims[0]))
    fail_msg("batched_dot: batches of %zu and %zu", dims[0], y->dim[0]);
  tensor_make(out, 3, dims);
  for (size_t i = 0; i < dims[0]; i++) {
    const tensor a = matrix_of(x, i), b = matrix_of(y, i);
    const tensor c = first != NULL ? matrix_of(first, i) : a;
    tensor z;

    product(&z, beta, first != NULL ? &c : NULL, alpha, &a, &b);
    memcpy(out->v + i * z.n, z.v, z.n * sizeof *z.v);
    free(z.v);
  }
}

void interp_batched_dot(const gg_apply *a, const tensor *const *in,
                        tensor *out) {
  const gg__dot_props *p = a->props;

  batched_product(out, 0, NULL, p->alpha, in[0], in[1]);
}

void interp_batched_gemm(const gg_apply *a, const tensor *const *in,
                         tensor *out) {
  const gg__gemm_props *p = a->props;

  batched_product(out, p->beta, in[0], p->alpha, in[1], in[2]);
}
