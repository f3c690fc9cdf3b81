/* SPDX-License-Identifier: BSD-2-Clause */
/* Products, real and complex, compared with plain loops over complex numbers.
 * For real dtypes the imaginary parts are 0. */
#include <gpuarray/blas.h>
#include <gpuarray/blas_complex.h>

#include "base/dtype.h"
#include "base/err.h"
#include "cli/selftest.h"

enum { ROWS = SELFTEST_ROWS, COLS = SELFTEST_COLS, INNER = 29 };

static const size_t rows = ROWS, cols = COLS;
static const size_t left[2] = {ROWS, INNER}, right[2] = {INNER, COLS};
static const ga_complex one = {1, 0}, zero = {0, 0}, factor = {0.5, -2};

static int is_complex(const selftest *t) {
  return ga__dtype_is_complex(t->dtype);
}

/* Element i of operand `which`. */
static ga_complex element(const selftest *t, size_t which, size_t i) {
  if (!is_complex(t))
    return (ga_complex){selftest_value(which, i), 0};
  return (ga_complex){selftest_value(which, 2 * i),
                      selftest_value(which, 2 * i + 1)};
}

static ga_complex conj_of(ga_complex a) {
  return (ga_complex){a.re, -a.im};
}

static ga_complex times(ga_complex a, ga_complex b) {
  return (ga_complex){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

/* Add `v` to element i of t->want. */
static void want(selftest *t, size_t i, ga_complex v) {
  if (is_complex(t)) {
    t->want[2 * i] += v.re;
    t->want[2 * i + 1] += v.im;
  } else {
    t->want[i] += v.re;
  }
}

int selftest_dot(selftest *t) {
  GA_TRY(selftest_make(t, 0, 1, &rows));
  GA_TRY(selftest_make(t, 1, 1, &rows));
  GA_TRY(GpuArray_empty(&t->a[2], t->ctx, t->dtype, 0, NULL, GA_C_ORDER));
  for (size_t i = 0; i < ROWS; i++)
    want(t, 0, times(conj_of(element(t, 0, i)), element(t, 1, i)));
  GA_TRY(is_complex(t) ? GpuArray_cdotc(&t->a[0], &t->a[1], &t->a[2], 1)
                       : GpuArray_rdot(&t->a[0], &t->a[1], &t->a[2], 1));
  return selftest_compare(t, 2);
}

int selftest_gemv(selftest *t) {
  GpuArray *a = t->a;

  GA_TRY(selftest_make(t, 0, 2, selftest_matrix));
  GA_TRY(selftest_make(t, 1, 1, &cols));
  GA_TRY(selftest_make(t, 2, 1, &rows));
  for (size_t i = 0; i < SELFTEST_ELEMENTS; i++)
    want(t, i / COLS, times(element(t, 0, i), element(t, 1, i % COLS)));
  GA_TRY(is_complex(t)
             ? GpuArray_cgemv(cb_no_trans, one, &a[0], &a[1], zero, &a[2], 1)
             : GpuArray_rgemv(cb_no_trans, 1, &a[0], &a[1], 0, &a[2], 1));
  return selftest_compare(t, 2);
}

int selftest_ger(selftest *t) {
  const ga_complex by = is_complex(t) ? factor : (ga_complex){factor.re, 0};
  GpuArray *a = t->a;

  GA_TRY(selftest_make(t, 0, 1, &rows));
  GA_TRY(selftest_make(t, 1, 1, &cols));
  GA_TRY(selftest_make(t, 2, 2, selftest_matrix));
  for (size_t i = 0; i < SELFTEST_ELEMENTS; i++) {
    want(t, i, element(t, 2, i));
    want(t, i,
         times(by, times(element(t, 0, i / COLS),
                         conj_of(element(t, 1, i % COLS)))));
  }
  GA_TRY(is_complex(t) ? GpuArray_cgerc(by, &a[0], &a[1], &a[2], 1)
                       : GpuArray_rger(by.re, &a[0], &a[1], &a[2], 1));
  return selftest_compare(t, 2);
}

/* A complex left factor is stored transposed and used conjugated. */
int selftest_gemm(selftest *t) {
  const size_t turned[2] = {INNER, ROWS};
  GpuArray *a = t->a;

  GA_TRY(selftest_make(t, 0, 2, is_complex(t) ? turned : left));
  GA_TRY(selftest_make(t, 1, 2, right));
  GA_TRY(selftest_make(t, 2, 2, selftest_matrix));
  for (size_t i = 0; i < SELFTEST_ELEMENTS; i++) {
    want(t, i, element(t, 2, i));
    for (size_t k = 0; k < INNER; k++) {
      const size_t at =
          is_complex(t) ? k * ROWS + i / COLS : i / COLS * INNER + k;
      want(t, i,
           times(conj_of(element(t, 0, at)),
                 element(t, 1, k * COLS + i % COLS)));
    }
  }
  GA_TRY(is_complex(t) ? GpuArray_cgemm(cb_conj_trans, cb_no_trans, one, &a[0],
                                        &a[1], one, &a[2], 1)
                       : GpuArray_rgemm(cb_no_trans, cb_no_trans, 1, &a[0],
                                        &a[1], 1, &a[2], 1));
  return selftest_compare(t, 2);
}
