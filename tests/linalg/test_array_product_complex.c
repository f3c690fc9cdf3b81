/* SPDX-License-Identifier: BSD-2-Clause */
/* Products of complex arrays: views of every kind against sums in double on the
 * host, copies where strides need them, refusals, prepared launches. */
#include <complex.h>
#include <math.h>
#include <stdlib.h>

#include "support/device.h"

#include <gpuarray/blas_complex.h>

enum { M = 13, N = 21, K = 17, MOST = 1024 };

static const ga_complex none = {0, 0}, one = {1, 0}, other = {0.5, -2};

typedef double complex number;

/* --- host side --- */

static int part_of(const GpuArray *a) {
  return a->typecode == GA_CDOUBLE ? GA_DOUBLE : GA_FLOAT;
}

/* A matrix of numbers, or of as many matrices as there are. */
typedef struct host {
  size_t rows, cols;
  number v[MOST];
} host;

static void fetch(host *h, const GpuArray *a) {
  const size_t n = test_size(a);
  double raw[2 * MOST];

  assert_true(n <= MOST);
  test_gather(a, raw);
  h->rows = a->nd > 1 ? a->dimensions[a->nd - 2] : n;
  h->cols = a->nd > 1 ? a->dimensions[a->nd - 1] : 1;
  for (size_t i = 0; i < n; i++)
    h->v[i] = test_get(raw, part_of(a), 2 * i) +
              test_get(raw, part_of(a), 2 * i + 1) * I;
}

static number get(const host *h, cb_transpose t, size_t z, size_t i, size_t j) {
  const number *at = h->v + z * h->rows * h->cols;
  const number v = at[t == cb_no_trans ? i * h->cols + j : j * h->cols + i];

  return t == cb_conj_trans ? conj(v) : v;
}

/* Matrix z of c = alpha op(a) op(b) + beta c. */
static void multiply(host *c, const host *a, cb_transpose ta, const host *b,
                     cb_transpose tb, size_t z, ga_complex alpha,
                     ga_complex beta) {
  const size_t k = ta == cb_no_trans ? a->cols : a->rows;

  for (size_t i = 0; i < c->rows; i++)
    for (size_t j = 0; j < c->cols; j++) {
      number *to = &c->v[(z * c->rows + i) * c->cols + j], sum = 0;

      for (size_t p = 0; p < k; p++)
        sum += get(a, ta, z, i, p) * get(b, tb, z, p, j);
      sum *= alpha.re + alpha.im * I;
      if (beta.re != 0 || beta.im != 0)
        sum += (beta.re + beta.im * I) * *to;
      *to = sum;
    }
}

static void expect(const GpuArray *a, const host *h) {
  const double eps = a->typecode == GA_CFLOAT ? 1e-5 : 1e-13;
  const size_t n = test_size(a);
  double want[2 * MOST], got[2 * MOST];

  for (size_t i = 0; i < n; i++) {
    test_set(want, part_of(a), 2 * i, creal(h->v[i]));
    test_set(want, part_of(a), 2 * i + 1, cimag(h->v[i]));
  }
  test_gather(a, got);
  test_close(part_of(a), got, want, 2 * n, eps, eps);
}

/* --- arrays --- */

typedef enum layout { C_ORDER, F_ORDER, GAPS, STEPS, BACKWARDS } layout;

static void fill(void *data, int typecode, size_t n, uint32_t seed) {
  const int part = typecode == GA_CDOUBLE ? GA_DOUBLE : GA_FLOAT;

  test_fill(data, part, 2 * n, -1, 1, seed);
  for (size_t i = 0; i < 2 * n && seed == 0; i++)
    test_set(data, part, i, (double)NAN);
}

/* A matrix in some layout, of NaN without a seed. */
static void make(GpuArray *a, int typecode, size_t rows, size_t cols,
                 layout how, uint32_t seed) {
  const size_t dims[2] = {rows, cols};
  const ssize_t r = (ssize_t)rows, c = (ssize_t)cols;
  const ssize_t strides[][2] = {[C_ORDER] = {c, 1},
                                [F_ORDER] = {1, r},
                                [GAPS] = {c + 3, 1},
                                [STEPS] = {2 * c + 1, 2},
                                [BACKWARDS] = {-c, 1}};
  double data[2 * MOST];

  fill(data, typecode, rows * cols, seed);
  test_array_strided(a, typecode, 2, dims, strides[how], data);
}

static void make_vector(GpuArray *a, int typecode, size_t n, ssize_t stride,
                        uint32_t seed) {
  double data[2 * MOST];

  fill(data, typecode, n, seed);
  test_array_strided(a, typecode, 1, &n, &stride, data);
}

static void make_scalar(GpuArray *a, int typecode) {
  double data[2];

  fill(data, typecode, 1, 0);
  test_array(a, typecode, 0, NULL, data);
}

static void clear(GpuArray *a, GpuArray *b, GpuArray *c) {
  GpuArray_clear(a);
  GpuArray_clear(b);
  GpuArray_clear(c);
}

/* --- gemm --- */

static void check_gemm(int typecode, layout la, cb_transpose ta, layout lb,
                       cb_transpose tb, layout lc, ga_complex beta) {
  static host a, b, c;
  GpuArray A, B, C;

  make(&A, typecode, ta ? K : M, ta ? M : K, la, 1);
  make(&B, typecode, tb ? N : K, tb ? K : N, lb, 2);
  make(&C, typecode, M, N, lc, beta.re == 0 && beta.im == 0 ? 0 : 3);
  fetch(&a, &A);
  fetch(&b, &B);
  fetch(&c, &C);
  assert_ok(GpuArray_cgemm(ta, tb, other, &A, &B, beta, &C, 0));
  multiply(&c, &a, ta, &b, tb, 0, other, beta);
  expect(&C, &c);
  clear(&A, &B, &C);
}

static void check_gemms(int typecode) {
  for (int i = 0; i < 9; i++) {
    const cb_transpose ta = (cb_transpose)(i % 3), tb = (cb_transpose)(i / 3);

    check_gemm(typecode, C_ORDER, ta, F_ORDER, tb, C_ORDER, none);
    check_gemm(typecode, GAPS, ta, C_ORDER, tb, F_ORDER, other);
    check_gemm(typecode, STEPS, ta, BACKWARDS, tb, STEPS, other);
    check_gemm(typecode, BACKWARDS, ta, STEPS, tb, BACKWARDS, none);
  }
}

static void test_gemm(void **state) {
  (void)state;
  check_gemms(GA_CFLOAT);
}

static void test_gemm_double(void **state) {
  (void)state;
  test_need_double();
  check_gemms(GA_CDOUBLE);
}

static void test_gemm_batch(void **state) {
  const size_t a_dims[3] = {3, 7, 5}, b_dims[3] = {3, 7, 6};
  const size_t c_dims[3] = {3, 5, 6};
  static host a, b, c;
  double data[2 * MOST];
  GpuArray A, B, C;
  GpuLaunch *l;

  (void)state;
  fill(data, GA_CFLOAT, 105, 1);
  test_array(&A, GA_CFLOAT, 3, a_dims, data);
  fill(data, GA_CFLOAT, 126, 2);
  test_array(&B, GA_CFLOAT, 3, b_dims, data);
  fill(data, GA_CFLOAT, 90, 0);
  test_array(&C, GA_CFLOAT, 3, c_dims, data);
  fetch(&a, &A);
  fetch(&b, &B);
  fetch(&c, &C);
  assert_ok(GpuArray_cgemmBatch_3d(cb_conj_trans, cb_no_trans, one, &A, &B,
                                   none, &C, 1));
  for (size_t z = 0; z < 3; z++)
    multiply(&c, &a, cb_conj_trans, &b, cb_no_trans, z, one, none);
  expect(&C, &c);
  assert_ok(GpuArray_cgemmBatch_3d_prepare(&l, cb_conj_trans, cb_no_trans,
                                           other, &A, &B, one, &C));
  assert_ok(GpuLaunch_run(l));
  GpuLaunch_free(l);
  for (size_t z = 0; z < 3; z++)
    multiply(&c, &a, cb_conj_trans, &b, cb_no_trans, z, other, one);
  expect(&C, &c);
  A.dimensions[0] = 2;
  assert_code(GA_VALUE_ERROR, GpuArray_cgemmBatch_3d(cb_conj_trans, cb_no_trans,
                                                     one, &A, &B, none, &C, 1));
  assert_message(GA_VALUE_ERROR, "A has 2 matrices, B has 3");
  clear(&A, &B, &C);
}

/* --- gemv, ger, dot --- */

static void test_gemv(void **state) {
  static host a, x, y;
  GpuArray A, X, Y;
  GpuLaunch *l;

  (void)state;
  for (int i = 0; i < 9; i++) {
    const cb_transpose t = (cb_transpose)(i % 3);
    const layout how = i < 3 ? C_ORDER : i < 6 ? F_ORDER : STEPS;

    make(&A, GA_CFLOAT, t ? N : M, t ? M : N, how, 1);
    make_vector(&X, GA_CFLOAT, N, -2, 2);
    make_vector(&Y, GA_CFLOAT, M, 3, 0);
    fetch(&a, &A);
    fetch(&x, &X);
    fetch(&y, &Y);
    assert_ok(GpuArray_cgemv(t, other, &A, &X, none, &Y, 0));
    multiply(&y, &a, t, &x, cb_no_trans, 0, other, none);
    expect(&Y, &y);
    if (how != STEPS) {
      assert_ok(GpuArray_cgemv_prepare(&l, t, one, &A, &X, other, &Y));
      assert_ok(GpuLaunch_run(l));
      GpuLaunch_free(l);
      multiply(&y, &a, t, &x, cb_no_trans, 0, one, other);
      expect(&Y, &y);
    }
    clear(&A, &X, &Y);
  }
}

static void test_ger(void **state) {
  static host x, y, a;
  GpuArray X, Y, A;
  GpuLaunch *l;

  (void)state;
  make_vector(&X, GA_CFLOAT, M, 2, 1);
  make_vector(&Y, GA_CFLOAT, N, 1, 2);
  make(&A, GA_CFLOAT, M, N, STEPS, 3);
  fetch(&x, &X);
  fetch(&y, &Y);
  fetch(&a, &A);
  assert_ok(GpuArray_cgeru(other, &X, &Y, &A, 0));
  multiply(&a, &x, cb_no_trans, &y, cb_trans, 0, other, one);
  assert_ok(GpuArray_cgerc(other, &X, &Y, &A, 0));
  multiply(&a, &x, cb_no_trans, &y, cb_conj_trans, 0, other, one);
  expect(&A, &a);
  GpuArray_clear(&A);

  make(&A, GA_CFLOAT, M, N, F_ORDER, 3);
  fetch(&a, &A);
  assert_ok(GpuArray_cgeru_prepare(&l, one, &X, &Y, &A));
  assert_ok(GpuLaunch_run(l));
  GpuLaunch_free(l);
  assert_ok(GpuArray_cgerc_prepare(&l, one, &X, &Y, &A));
  assert_ok(GpuLaunch_run(l));
  GpuLaunch_free(l);
  multiply(&a, &x, cb_no_trans, &y, cb_trans, 0, one, one);
  multiply(&a, &x, cb_no_trans, &y, cb_conj_trans, 0, one, one);
  expect(&A, &a);
  clear(&X, &Y, &A);
}

static void test_dot(void **state) {
  static host x, y, z;
  GpuArray X, Y, Z;
  GpuLaunch *l;

  (void)state;
  make_vector(&X, GA_CFLOAT, N, -1, 1);
  make_vector(&Y, GA_CFLOAT, N, 2, 2);
  make_scalar(&Z, GA_CFLOAT);
  fetch(&x, &X);
  fetch(&y, &Y);
  fetch(&z, &Z);
  assert_ok(GpuArray_cdotu(&X, &Y, &Z, 0));
  multiply(&z, &x, cb_trans, &y, cb_no_trans, 0, one, none);
  expect(&Z, &z);
  assert_ok(GpuArray_cdotc(&X, &Y, &Z, 0));
  multiply(&z, &x, cb_conj_trans, &y, cb_no_trans, 0, one, none);
  expect(&Z, &z);
  assert_ok(GpuArray_cdotu_prepare(&l, &Y, &X, &Z));
  assert_ok(GpuLaunch_run(l));
  GpuLaunch_free(l);
  multiply(&z, &y, cb_trans, &x, cb_no_trans, 0, one, none);
  expect(&Z, &z);
  assert_ok(GpuArray_cdotc_prepare(&l, &Y, &X, &Z));
  assert_ok(GpuLaunch_run(l));
  GpuLaunch_free(l);
  multiply(&z, &y, cb_conj_trans, &x, cb_no_trans, 0, one, none);
  expect(&Z, &z);
  clear(&X, &Y, &Z);
}

/* --- refusals --- */

static void test_refusals(void **state) {
  static host before;
  GpuArray A, B, C, R;
  GpuLaunch *l = NULL;

  (void)state;
  make(&A, GA_CFLOAT, M, K, STEPS, 1);
  make(&B, GA_CFLOAT, K, N, C_ORDER, 2);
  make(&C, GA_CFLOAT, M, N, C_ORDER, 3);
  make(&R, GA_FLOAT, K, N, C_ORDER, 4);
  fetch(&before, &C);
  assert_code(GA_COPY_ERROR, GpuArray_cgemm(cb_no_trans, cb_no_trans, one, &A,
                                            &B, none, &C, 1));
  assert_message(GA_COPY_ERROR, "strides of A");
  assert_code(GA_COPY_ERROR,
              GpuArray_cgemm_prepare(&l, cb_no_trans, cb_no_trans, one, &A, &B,
                                     none, &C));
  assert_null(l);
  assert_code(GA_INVALID_ERROR, GpuArray_cgemm(cb_no_trans, cb_no_trans, one,
                                               &A, &R, none, &C, 0));
  assert_message(GA_INVALID_ERROR, "B is float32, expected a complex type");
  assert_code(GA_VALUE_ERROR,
              GpuArray_cgemm(cb_trans, cb_no_trans, one, &A, &B, none, &C, 0));
  assert_message(GA_VALUE_ERROR, "op(A) is 17x13");
  assert_code(GA_VALUE_ERROR, GpuArray_cgemm((cb_transpose)9, cb_no_trans, one,
                                             &A, &B, none, &C, 0));
  assert_code(GA_INVALID_ERROR,
              GpuArray_cgemv(cb_no_trans, one, NULL, &B, none, &C, 0));
  assert_code(GA_VALUE_ERROR,
              GpuArray_cgemv(cb_no_trans, one, &A, &B, none, &C, 0));
  assert_message(GA_VALUE_ERROR, "X has 2 dimensions, expected 1");
  C.flags &= ~GA_WRITEABLE;
  assert_code(GA_READONLY_ERROR, GpuArray_cgemm(cb_no_trans, cb_no_trans, one,
                                                &A, &B, none, &C, 0));
  C.flags |= GA_WRITEABLE;
  expect(&C, &before);
  GpuArray_clear(&R);
  clear(&A, &B, &C);
}

static void test_mixed_precisions(void **state) {
  GpuArray X, Y, Z;

  (void)state;
  test_need_double();
  make_vector(&X, GA_CFLOAT, N, 1, 1);
  make_vector(&Y, GA_CDOUBLE, N, 1, 2);
  make_scalar(&Z, GA_CFLOAT);
  assert_code(GA_INVALID_ERROR, GpuArray_cdotu(&X, &Y, &Z, 0));
  assert_message(GA_INVALID_ERROR, "X is complex64, Y is complex128");
  clear(&X, &Y, &Z);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_gemm),
      cmocka_unit_test(test_gemm_double),
      cmocka_unit_test(test_gemm_batch),
      cmocka_unit_test(test_gemv),
      cmocka_unit_test(test_ger),
      cmocka_unit_test(test_dot),
      cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_mixed_precisions),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
