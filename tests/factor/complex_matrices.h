/* SPDX-License-Identifier: BSD-2-Clause */
/* Complex matrices for tests of factorisations: batches of them in several
 * layouts, and LAPACK's measures of their errors. */
#ifndef FACTOR_COMPLEX_MATRICES_H
#define FACTOR_COMPLEX_MATRICES_H

#include <complex.h>
#undef complex

#include "factor/matrices.h"

typedef double _Complex number;

#ifndef CMPLX /* some compilers lack it */
#define CMPLX(re, im) complex_of(re, im)

static inline number complex_of(double re, double im) {
  const double parts[2] = {re, im};
  number z;

  memcpy(&z, parts, sizeof z);
  return z;
}
#endif

/* A batch of matrices in C order. */
typedef struct numbers {
  unsigned int nd;
  size_t dims[MOST_ND], m, n, batch;
  number *v;
} numbers;

static inline numbers zeros(unsigned int lead, const size_t *dims, size_t m,
                            size_t n) {
  const host h = host_new(lead, dims, m, n);
  numbers x = {.nd = h.nd, .m = m, .n = n, .batch = h.batch};

  memcpy(x.dims, h.dims, sizeof x.dims);
  x.v = calloc(host_total(&h) + 1, sizeof *x.v);
  free(h.v);
  return x;
}

static inline size_t total(const numbers *x) {
  return x->batch * x->m * x->n;
}

static inline number *at(const numbers *x, size_t z, size_t i, size_t j) {
  return &x->v[(z * x->m + i) * x->n + j];
}

static inline number draw_number(double scale) {
  const double re = draw_value();

  return scale * (re + I * draw_value());
}

static inline void fill_random(numbers *x, double scale) {
  for (size_t i = 0; i < total(x); i++)
    x->v[i] = draw_number(scale);
}

static inline int part_of(int typecode) {
  return ga__dtype_real(typecode);
}

/* An array of these; the numbers are rounded to the dtype. */
static inline void to_array(GpuArray *a, numbers *x, int typecode, layout how) {
  const int part = part_of(typecode);
  double *data = calloc(2 * total(x) + 1, sizeof *data);
  ssize_t strides[MOST_ND];

  layout_strides(how, x->nd, x->dims, strides);
  for (size_t i = 0; i < total(x); i++) {
    test_set(data, part, 2 * i, creal(x->v[i]));
    test_set(data, part, 2 * i + 1, cimag(x->v[i]));
    x->v[i] =
        CMPLX(test_get(data, part, 2 * i), test_get(data, part, 2 * i + 1));
  }
  test_array_strided(a, typecode, x->nd, x->dims, strides, data);
  free(data);
}

static inline void from_array(numbers *x, const GpuArray *a) {
  const int part = part_of(a->typecode);
  double *data = calloc(2 * total(x) + 1, sizeof *data);

  test_gather(a, data);
  for (size_t i = 0; i < total(x); i++)
    x->v[i] =
        CMPLX(test_get(data, part, 2 * i), test_get(data, part, 2 * i + 1));
  free(data);
}

/* Element (i, j) of op(a), by the flags for transposes. */
static inline number op_at(const numbers *a, int flags, size_t z, size_t i,
                           size_t j) {
  return flags & GA_FACTOR_CONJ_TRANS ? conj(*at(a, z, j, i))
         : flags & GA_FACTOR_TRANS    ? *at(a, z, j, i)
                                      : *at(a, z, i, j);
}

/* op(a) op(b) for each matrix. */
static inline numbers product(const numbers *a, int op_a, const numbers *b,
                              int op_b) {
  const size_t depth = op_a ? a->m : a->n;
  numbers c = zeros(a->nd - 2, a->dims, op_a ? a->n : a->m, op_b ? b->m : b->n);

  for (size_t z = 0; z < c.batch; z++)
    for (size_t i = 0; i < c.m; i++)
      for (size_t k = 0; k < depth; k++) {
        const number v = op_at(a, op_a, z, i, k);

        for (size_t j = 0; j < c.n; j++)
          *at(&c, z, i, j) += v * op_at(b, op_b, z, k, j);
      }
  return c;
}

/* The largest sum of absolute values of a column of matrix z of a - b, where b
 * is the identity if it is NULL. */
static inline double distance(const numbers *a, const numbers *b, size_t z) {
  double most = 0;

  for (size_t j = 0; j < a->n; j++) {
    double sum = 0;

    for (size_t i = 0; i < a->m; i++)
      sum += cabs(*at(a, z, i, j) - (b != NULL ? *at(b, z, i, j) : i == j));
    if (!(sum <= most))
      most = isnan(sum) ? HUGE_VAL : sum;
  }
  return most;
}

static inline double norm_of(const numbers *a, size_t z) {
  const numbers none = zeros(a->nd - 2, a->dims, a->m, a->n);
  const double norm = distance(a, &none, z);

  free(none.v);
  return norm;
}

/* |p - q| / (scale |a| eps) is small, where scale counts elements. */
static inline void expect_near(const char *what, const numbers *p,
                               const numbers *q, const numbers *a, double scale,
                               int typecode) {
  for (size_t z = 0; z < p->batch; z++) {
    const double got = distance(p, q, z);
    const double unit = scale * norm_of(a, z) * eps_of(part_of(typecode));

    if (got != 0 && !(got < THRESHOLD * unit))
      fail_msg("%s: residual %g of matrix %zu, %zu x %zu, %s", what, got / unit,
               z, a->m, a->n, ga__dtype_name(typecode));
  }
}

#endif
