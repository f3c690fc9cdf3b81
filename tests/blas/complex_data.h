/* SPDX-License-Identifier: BSD-2-Clause */
/* Complex numbers in device buffers with room around them, beside what they
 * must become. For the tests of complex products. */
#ifndef BLAS_COMPLEX_DATA_H
#define BLAS_COMPLEX_DATA_H

#include <complex.h>
#include <math.h>
#include <stdlib.h>

#include "support/device.h"

#include "base/dtype.h"
#include "blas/dispatch.h"

typedef double complex number;

/* n numbers. Those that nobody filled are NaN in both parts. */
typedef struct numbers {
  int typecode;
  size_t n;
  number *host; /* as filled; made what the buffer must hold */
  gpudata *buf;
} numbers;

static inline int part_of(int typecode) {
  return typecode == GA_CDOUBLE ? GA_DOUBLE : GA_FLOAT;
}

/* re + im * I loses infinite parts, and not every compiler has CMPLX. */
static inline number number_of(double re, double im) {
  const double part[2] = {re, im};
  number z;

  memcpy(&z, part, sizeof z);
  return z;
}

/* Parts in [-1, 1) that both precisions hold. */
static inline number some_number(uint32_t *state) {
  double part[2];

  for (int i = 0; i < 2; i++) {
    *state = *state * 1664525u + 1013904223u;
    part[i] = (double)(*state >> 12) / (1 << 19) - 1;
  }
  return part[0] + part[1] * I;
}

static inline void numbers_new(numbers *v, int typecode, size_t n) {
  *v = (numbers){.typecode = typecode, .n = n};
  v->host = malloc((n + 1) * sizeof *v->host);
  assert_non_null(v->host);
  for (size_t i = 0; i < n; i++)
    v->host[i] = (double)NAN + (double)NAN * I;
}

static inline void *numbers_raw(const numbers *v) {
  const int part = part_of(v->typecode);
  void *raw = malloc(v->n * ga__dtype_size(v->typecode) + 1);

  assert_non_null(raw);
  for (size_t i = 0; i < v->n; i++) {
    test_set(raw, part, 2 * i, creal(v->host[i]));
    test_set(raw, part, 2 * i + 1, cimag(v->host[i]));
  }
  return raw;
}

static inline void numbers_upload(numbers *v) {
  void *raw = numbers_raw(v);
  int err = GA_NO_ERROR;

  v->buf = gpudata_alloc(test_context(), v->n * ga__dtype_size(v->typecode),
                         raw, GA_BUFFER_INIT, &err);
  assert_ok(err);
  free(raw);
}

/* The buffer against the host, where sums had `terms` products below 2. */
static inline void numbers_check(const numbers *v, size_t terms) {
  const double unit = v->typecode == GA_CDOUBLE ? 2.3e-16 : 1.2e-7;
  const size_t bytes = v->n * ga__dtype_size(v->typecode);
  void *want = numbers_raw(v), *got = malloc(bytes + 1);

  assert_non_null(got);
  assert_ok(gpudata_read(got, v->buf, 0, bytes));
  test_close(part_of(v->typecode), got, want, 2 * v->n, 0,
             unit * 12 * ((double)terms + 4));
  free(want);
  free(got);
}

static inline void numbers_free(numbers *v) {
  gpudata_release(v->buf);
  free(v->host);
}

enum { ROOM = 5 }; /* numbers before and after a matrix or vector */

/* A matrix or vector of such: number (i, j) of matrix z of a batch. */
typedef struct grid {
  numbers v;
  size_t off;
  ptrdiff_t rs, cs, bs;
} grid;

static inline number *grid_at(const grid *g, size_t z, size_t i, size_t j) {
  return &g->v.host[(ptrdiff_t)g->off + (ptrdiff_t)z * g->bs +
                    (ptrdiff_t)i * g->rs + (ptrdiff_t)j * g->cs];
}

/* rows x cols, `batch` times, with lines `ld` apart that are rows or columns.
 * With a seed of 0 they stay NaN. */
static inline void grid_new(grid *g, int typecode, int by_rows, size_t rows,
                            size_t cols, size_t ld, size_t batch,
                            uint32_t seed) {
  const size_t lines = by_rows ? rows : cols;

  g->off = ROOM;
  g->rs = by_rows ? (ptrdiff_t)ld : 1;
  g->cs = by_rows ? 1 : (ptrdiff_t)ld;
  g->bs = (ptrdiff_t)(ld * lines + 3);
  numbers_new(&g->v, typecode, 2 * ROOM + batch * (size_t)g->bs);
  for (size_t z = 0; z < batch && seed != 0; z++)
    for (size_t i = 0; i < rows; i++)
      for (size_t j = 0; j < cols; j++)
        *grid_at(g, z, i, j) = some_number(&seed);
  numbers_upload(&g->v);
}

/* n numbers `inc` apart; off is where BLAS is told that they start. */
static inline void vector_new(grid *g, int typecode, size_t n, ptrdiff_t inc,
                              uint32_t seed) {
  const size_t reach = (n > 0 ? n - 1 : 0) * (size_t)(inc < 0 ? -inc : inc);

  *g = (grid){.off = ROOM + (inc < 0 ? reach : 0), .rs = inc};
  numbers_new(&g->v, typecode, 2 * ROOM + reach + 1);
  for (size_t i = 0; i < n && seed != 0; i++)
    *grid_at(g, 0, i, 0) = some_number(&seed);
  numbers_upload(&g->v);
}

static inline ga__product_operand grid_operand(const grid *g,
                                               unsigned int slot) {
  return (ga__product_operand){.buf = g->v.buf,
                               .off = g->off * ga__dtype_size(g->v.typecode),
                               .rs = g->rs,
                               .cs = g->cs,
                               .bs = g->bs,
                               .slot = slot};
}

static inline void grid_free(grid *g) {
  numbers_free(&g->v);
}

/* --- references --- */

static inline number as_number(ga_complex v) {
  return v.re + v.im * I;
}

/* old times beta, which does not count when it is 0. */
static inline number kept(ga_complex beta, number old) {
  return ga__complex_is_zero(beta) ? 0 : as_number(beta) * old;
}

typedef struct factor {
  const grid *g;
  int conjugated;
} factor;

static inline number factor_at(const factor *f, size_t z, size_t i, size_t j) {
  const number v = *grid_at(f->g, z, i, j);

  return f->conjugated ? conj(v) : v;
}

/* c = alpha a b + beta c of matrices number z, of m x k and k x n. */
static inline void expect_gemm(grid *c, const factor *a, const factor *b,
                               size_t z, size_t m, size_t n, size_t k,
                               ga_complex alpha, ga_complex beta) {
  for (size_t i = 0; i < m; i++)
    for (size_t j = 0; j < n; j++) {
      number sum = 0, *to = grid_at(c, z, i, j);

      for (size_t p = 0; p < k && !ga__complex_is_zero(alpha); p++)
        sum += factor_at(a, z, i, p) * factor_at(b, z, p, j);
      *to = as_number(alpha) * sum + kept(beta, *to);
    }
}

#endif
