/* SPDX-License-Identifier: BSD-2-Clause */
/* Plain C versions of what works on the rows of a matrix: softmax and
 * cross-entropy. */
#include "support/interp_ops.h"

#include <math.h>
#include <string.h>

typedef struct rows {
  size_t n, k;
} rows;

static rows rows_of(const tensor *t) {
  const size_t k = t->dim[t->nd - 1];
  const rows r = {k != 0 ? t->n / k : 0, k};

  return r;
}

/* log(sum(exp(z))) of one row. */
static double log_sum_exp(const double *z, size_t k) {
  double top = -INFINITY, sum = 0;

  for (size_t i = 0; i < k; i++)
    top = fmax(top, z[i]);
  for (size_t i = 0; i < k; i++)
    sum += exp(z[i] - top);
  return top + log(sum);
}

void interp_log_softmax(const gg_apply *a, const tensor *const *in,
                        tensor *out) {
  const rows r = rows_of(in[0]);

  (void)a;
  tensor_make(out, in[0]->nd, in[0]->dim);
  for (size_t i = 0; i < out->n; i++)
    out->v[i] = in[0]->v[i] - log_sum_exp(in[0]->v + i / r.k * r.k, r.k);
}

void interp_softmax(const gg_apply *a, const tensor *const *in, tensor *out) {
  interp_log_softmax(a, in, out);
  for (size_t i = 0; i < out->n; i++)
    out->v[i] = exp(out->v[i]);
}

void interp_softmax_grad(const gg_apply *a, const tensor *const *in,
                         tensor *out) {
  const rows r = rows_of(in[1]);
  const double *dp = in[0]->v, *p = in[1]->v;

  (void)a;
  tensor_make(out, in[1]->nd, in[1]->dim);
  for (size_t i = 0; i < r.n; i++) {
    double sum = 0;
    for (size_t j = i * r.k; j < (i + 1) * r.k; j++)
      sum += dp[j] * p[j];
    for (size_t j = i * r.k; j < (i + 1) * r.k; j++)
      out->v[j] = p[j] * (dp[j] - sum);
  }
}

/* The element of row i of x at class y[i]; NULL when there is no such class. */
static double *at_class(const tensor *x, const tensor *y, size_t i) {
  const rows r = rows_of(x);

  return y->v[i] >= 0 && y->v[i] < (double)r.k
             ? &x->v[i * r.k + (size_t)y->v[i]]
             : NULL;
}

void interp_crossentropy(const gg_apply *a, const tensor *const *in,
                         tensor *out) {
  (void)a;
  tensor_make(out, 1, in[0]->dim);
  for (size_t i = 0; i < out->n; i++) {
    const double *p = at_class(in[0], in[1], i);
    out->v[i] = -log(p != NULL ? *p : 0);
  }
}

void interp_crossentropy_grad(const gg_apply *a, const tensor *const *in,
                              tensor *out) {
  (void)a;
  tensor_make(out, 2, in[1]->dim);
  for (size_t i = 0; i < in[0]->n; i++)
    if (at_class(out, in[2], i) != NULL)
      *at_class(out, in[2], i) = -in[0]->v[i] / *at_class(in[1], in[2], i);
}

void interp_softmax_xent(const gg_apply *a, const tensor *const *in,
                         tensor *out) {
  const rows r = rows_of(in[0]);

  (void)a;
  tensor_make(out, 1, in[0]->dim);
  for (size_t i = 0; i < out->n; i++) {
    const double *z = at_class(in[0], in[1], i);
    out->v[i] = log_sum_exp(in[0]->v + i * r.k, r.k) - (z != NULL ? *z : 0);
  }
}

void interp_softmax_xent_grad(const gg_apply *a, const tensor *const *in,
                              tensor *out) {
  const tensor *const z[1] = {in[1]};
  const rows r = rows_of(in[1]);

  interp_softmax(a, z, out);
  for (size_t i = 0; i < r.n; i++)
    if (at_class(out, in[2], i) != NULL)
      *at_class(out, in[2], i) -= 1;
  for (size_t i = 0; i < out->n; i++)
    out->v[i] *= in[0]->v[i / r.k];
}
