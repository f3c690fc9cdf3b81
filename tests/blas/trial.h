/* SPDX-License-Identifier: BSD-2-Clause */
/* The ways in which a routine of BLAS can be called, and operands for them. */
#ifndef TEST_BLAS_TRIAL_H
#define TEST_BLAS_TRIAL_H

#include "blas/matrix.h"

#include <gpuarray/buffer_blas.h>

enum { M = 13, N = 18, K = 9 };

/* What differs from call to call. */
typedef struct trial {
  int typecode;
  cb_order order;
  cb_transpose ta, tb;
  size_t gap;    /* between lines */
  size_t offset; /* elements, beyond OFFSET */
  double alpha, beta;
} trial;

static inline void each_trial(int typecode, int n_tb,
                              void (*body)(const trial *t)) {
  static const double factors[] = {0, 1, -0.75};

  for (unsigned int i = 0; i < 2u * 3 * (unsigned int)n_tb * 2 * 2 * 9; i++) {
    unsigned int k = i / 9;
    trial t = {.typecode = typecode,
               .alpha = factors[i % 3],
               .beta = factors[i / 3 % 3]};

    t.order = k % 2 ? cb_column : cb_row;
    k /= 2;
    t.gap = k % 2 ? 3 : 0;
    k /= 2;
    t.offset = k % 2 ? 3 : 0; /* 8 elements in all, or 5 */
    k /= 2;
    t.ta = (cb_transpose)(k % 3);
    t.tb = (cb_transpose)(k / 3);
    body(&t);
  }
}

/* The three dtypes, doubles where there are any. */
static inline void each_dtype(int n_tb, void (*body)(const trial *t)) {
  each_trial(GA_FLOAT, n_tb, body);
  each_trial(GA_HALF, n_tb, body);
  if (gpucontext_caps(test_context())->fp64)
    each_trial(GA_DOUBLE, n_tb, body);
}

/* --- operands --- */

/* Matrices in lines that begin `offset` elements late; their op is rows x cols.
 */
typedef struct operand {
  matrix m;
  size_t off;
  int by_rows;
} operand;

static inline operand operand_new(const trial *t, cb_transpose trans,
                                  size_t rows, size_t cols, size_t batch,
                                  uint32_t seed) {
  operand o = {.off = OFFSET + t->offset};

  o.by_rows = (t->order == cb_row) == (trans == cb_no_trans);
  o.m = matrix_new(t->typecode, o.by_rows ? rows : cols,
                   (o.by_rows ? cols : rows) + t->offset, t->gap, batch, seed);
  return o;
}

/* Vectors with elements `inc` apart. */
static inline operand vector_new(const trial *t, size_t n, size_t inc,
                                 size_t batch, uint32_t seed) {
  operand o = {.off = OFFSET, .by_rows = 1};

  o.m = matrix_new(t->typecode, n, 1, inc - 1, batch, seed);
  return o;
}

static inline size_t place(const operand *o, size_t z, size_t i, size_t j) {
  return o->off + z * o->m.bs + (o->by_rows ? i : j) * o->m.ld +
         (o->by_rows ? j : i);
}

static inline double get(const operand *o, size_t z, size_t i, size_t j) {
  return test_get(o->m.host, o->m.typecode, place(o, z, i, j));
}

/* alpha * sum + beta * what is there, as the host has it. */
static inline void expect(operand *o, size_t z, size_t i, size_t j, double sum,
                          const trial *t) {
  const size_t at = place(o, z, i, j);
  double v = t->alpha * sum;

  if (t->beta != 0)
    v += t->beta * test_get(o->m.host, o->m.typecode, at);
  test_set(o->m.host, o->m.typecode, at, v);
}

/* --- increments; `tb` chooses them --- */

static const int incs[3] = {1, 2, -3};

static inline size_t inc_size(int inc) {
  return (size_t)(inc < 0 ? -inc : inc);
}

static inline size_t vector_row(size_t i, size_t n, int inc) {
  return inc < 0 ? n - 1 - i : i;
}

#endif
