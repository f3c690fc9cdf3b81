/* SPDX-License-Identifier: BSD-2-Clause */
/* Products, real and complex, against plain loops. */
#include <gpuarray/blas.h>
#include <gpuarray/blas_complex.h>

#include "base/err.h"
#include "cli/selftest.h"

enum { ROWS = SELFTEST_ROWS, COLS = SELFTEST_COLS, INNER = 29 };

static const size_t rows = ROWS, cols = COLS;
static const size_t left[2] = {ROWS, INNER}, right[2] = {INNER, COLS};

/* --- real --- */

int selftest_dot(selftest *t) {
  GA_TRY(selftest_make(t, 0, 1, &rows));
  GA_TRY(selftest_make(t, 1, 1, &rows));
  GA_TRY(GpuArray_empty(&t->a[2], t->ctx, t->dtype, 0, NULL, GA_C_ORDER));
  t->want[0] = 0;
  for (size_t i = 0; i < ROWS; i++)
    t->want[0] += selftest_value(0, i) * selftest_value(1, i);
  GA_TRY(GpuArray_rdot(&t->a[0], &t->a[1], &t->a[2], 1));
  return selftest_compare(t, 2);
}

int selftest_gemv(selftest *t) {
  GA_TRY(selftest_make(t, 0, 2, selftest_matrix));
  GA_TRY(selftest_make(t, 1, 1, &cols));
  GA_TRY(selftest_make(t, 2, 1, &rows));
  for (size_t r = 0; r < ROWS; r++) {
    t->want[r] = 0;
    for (size_t k = 0; k < COLS; k++)
      t->want[r] += selftest_value(0, r * COLS + k) * selftest_value(1, k);
  }
  GA_TRY(GpuArray_rgemv(cb_no_trans, 1, &t->a[0], &t->a[1], 0, &t->a[2], 1));
  return selftest_compare(t, 2);
}

int selftest_ger(selftest *t) {
  GA_TRY(selftest_make(t, 0, 1, &rows));
  GA_TRY(selftest_make(t, 1, 1, &cols));
  GA_TRY(selftest_make(t, 2, 2, selftest_matrix));
  for (size_t i = 0; i < SELFTEST_ELEMENTS; i++)
    t->want[i] = selftest_value(2, i) + 0.5 * selftest_value(0, i / COLS) *
                                            selftest_value(1, i % COLS);
  GA_TRY(GpuArray_rger(0.5, &t->a[0], &t->a[1], &t->a[2], 1));
  return selftest_compare(t, 2);
}

int selftest_gemm(selftest *t) {
  GA_TRY(selftest_make(t, 0, 2, left));
  GA_TRY(selftest_make(t, 1, 2, right));
  GA_TRY(selftest_make(t, 2, 2, selftest_matrix));
  for (size_t i = 0; i < SELFTEST_ELEMENTS; i++) {
    t->want[i] = selftest_value(2, i);
    for (size_t k = 0; k < INNER; k++)
      t->want[i] += selftest_value(0, i / COLS * INNER + k) *
                    selftest_value(1, k * COLS + i % COLS);
  }
  GA_TRY(GpuArray_rgemm(cb_no_trans, cb_no_trans, 1, &t->a[0], &t->a[1], 1,
                        &t->a[2], 1));
  return selftest_compare(t, 2);
}

/* --- complex --- */

static const ga_complex one = {1, 0}, zero = {0, 0}, factor = {0.5, -2};

/* Element i of operand `which`. */
static ga_complex number(size_t which, size_t i) {
  return (ga_complex){selftest_value(which, 2 * i),
                      selftest_value(which, 2 * i + 1)};
}

static ga_complex conj_of(ga_complex a) {
  return (ga_complex){a.re, -a.im};
}

static ga_complex times(ga_complex a, ga_complex b) {
  return (ga_complex){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static void want(selftest *t, size_t i, ga_complex v) {
  t->want[2 * i] = v.re;
  t->want[2 * i + 1] = v.im;
}

static void want_more(selftest *t, size_t i, ga_complex v) {
  t->want[2 * i] += v.re;
  t->want[2 * i + 1] += v.im;
}

int selftest_complex_dot(selftest *t) {
  GA_TRY(selftest_make(t, 0, 1, &rows));
  GA_TRY(selftest_make(t, 1, 1, &rows));
  GA_TRY(GpuArray_empty(&t->a[2], t->ctx, t->dtype, 0, NULL, GA_C_ORDER));
  want(t, 0, zero);
  for (size_t i = 0; i < ROWS; i++)
    want_more(t, 0, times(conj_of(number(0, i)), number(1, i)));
  GA_TRY(GpuArray_cdotc(&t->a[0], &t->a[1], &t->a[2], 1));
  return selftest_compare(t, 2);
}

int selftest_complex_gemv(selftest *t) {
  GA_TRY(selftest_make(t, 0, 2, selftest_matrix));
  GA_TRY(selftest_make(t, 1, 1, &cols));
  GA_TRY(selftest_make(t, 2, 1, &rows));
  for (size_t r = 0; r < ROWS; r++) {
    want(t, r, zero);
    for (size_t k = 0; k < COLS; k++)
      want_more(t, r, times(number(0, r * COLS + k), number(1, k)));
  }
  GA_TRY(
      GpuArray_cgemv(cb_no_trans, one, &t->a[0], &t->a[1], zero, &t->a[2], 1));
  return selftest_compare(t, 2);
}

int selftest_complex_ger(selftest *t) {
  GA_TRY(selftest_make(t, 0, 1, &rows));
  GA_TRY(selftest_make(t, 1, 1, &cols));
  GA_TRY(selftest_make(t, 2, 2, selftest_matrix));
  for (size_t i = 0; i < SELFTEST_ELEMENTS; i++) {
    want(t, i, number(2, i));
    want_more(t, i,
              times(factor,
                    times(number(0, i / COLS), conj_of(number(1, i % COLS)))));
  }
  GA_TRY(GpuArray_cgerc(factor, &t->a[0], &t->a[1], &t->a[2], 1));
  return selftest_compare(t, 2);
}

/* The left factor is stored turned, and conjugated. */
int selftest_complex_gemm(selftest *t) {
  const size_t turned[2] = {INNER, ROWS};

  GA_TRY(selftest_make(t, 0, 2, turned));
  GA_TRY(selftest_make(t, 1, 2, right));
  GA_TRY(selftest_make(t, 2, 2, selftest_matrix));
  for (size_t i = 0; i < SELFTEST_ELEMENTS; i++) {
    want(t, i, number(2, i));
    for (size_t k = 0; k < INNER; k++)
      want_more(t, i,
                times(conj_of(number(0, k * ROWS + i / COLS)),
                      number(1, k * COLS + i % COLS)));
  }
  GA_TRY(GpuArray_cgemm(cb_conj_trans, cb_no_trans, one, &t->a[0], &t->a[1],
                        one, &t->a[2], 1));
  return selftest_compare(t, 2);
}
