/* SPDX-License-Identifier: BSD-2-Clause */
/* Products of arrays: views of every kind against sums in double on the host,
 * copies where strides need them, refusals, prepared launches. */
#include <math.h>
#include <stdlib.h>

#include "support/device.h"

#include <gpuarray/blas.h>
#include <gpuarray/device.h>
#include <gpuarray/launch.h>

enum { M = 19, N = 35, K = 23 };

/* --- reference --- */

typedef struct host {
  size_t rows, cols;
  double v[64 * 64];
} host;

/* Elements of a vector or matrix array. */
static void fetch(host *h, const GpuArray *a) {
  const size_t n = test_size(a);
  void *raw = malloc(n * 8 + 8);

  assert_non_null(raw);
  assert_true(n <= 64 * 64);
  test_gather(a, raw);
  h->rows = a->nd > 0 ? a->dimensions[0] : 1;
  h->cols = a->nd > 1 ? a->dimensions[1] : 1;
  for (size_t i = 0; i < n; i++)
    h->v[i] = test_get(raw, a->typecode, i);
  free(raw);
}

static double get(const host *h, cb_transpose t, size_t i, size_t j) {
  return t == cb_no_trans ? h->v[i * h->cols + j] : h->v[j * h->cols + i];
}

/* c = alpha op(a) op(b) + beta c */
static void multiply(host *c, const host *a, cb_transpose ta, const host *b,
                     cb_transpose tb, double alpha, double beta) {
  const size_t k = ta == cb_no_trans ? a->cols : a->rows;

  for (size_t i = 0; i < c->rows; i++)
    for (size_t j = 0; j < c->cols; j++) {
      double sum = 0;

      for (size_t p = 0; p < k; p++)
        sum += get(a, ta, i, p) * get(b, tb, p, j);
      sum *= alpha;
      if (beta != 0)
        sum += beta * c->v[i * c->cols + j];
      c->v[i * c->cols + j] = sum;
    }
}

static void expect(const GpuArray *a, const host *h) {
  const double eps = a->typecode == GA_HALF     ? 2e-2
                     : a->typecode == GA_BFLOAT ? 0.16
                     : a->typecode == GA_FLOAT  ? 1e-5
                                                : 1e-13;
  const size_t n = test_size(a);
  void *want = malloc(n * 8 + 8);

  assert_non_null(want);
  for (size_t i = 0; i < n; i++)
    test_set(want, a->typecode, i, h->v[i]);
  test_array_close(a, want, eps, eps);
  free(want);
}

/* --- arrays --- */

typedef enum layout { C_ORDER, F_ORDER, GAPS, STEPS, BACKWARDS } layout;

/* A matrix in some layout, of numbers below 1, or of NaN without a seed. */
static void make(GpuArray *a, int typecode, size_t rows, size_t cols,
                 layout how, uint32_t seed) {
  const size_t dims[2] = {rows, cols};
  const ssize_t r = (ssize_t)rows, c = (ssize_t)cols;
  const ssize_t strides[][2] = {[C_ORDER] = {c, 1},
                                [F_ORDER] = {1, r},
                                [GAPS] = {c + 3, 1},
                                [STEPS] = {2 * c + 1, 2},
                                [BACKWARDS] = {-c, 1}};
  void *data = malloc(rows * cols * 8 + 8);

  assert_non_null(data);
  test_fill(data, typecode, rows * cols, -1, 1, seed);
  for (size_t i = 0; i < rows * cols && seed == 0; i++)
    test_set(data, typecode, i, (double)NAN);
  test_array_strided(a, typecode, 2, dims, strides[how], data);
  free(data);
}

static void make_vector(GpuArray *a, int typecode, size_t n, ssize_t stride,
                        uint32_t seed) {
  void *data = malloc(n * 8 + 8);

  assert_non_null(data);
  test_fill(data, typecode, n, -1, 1, seed);
  for (size_t i = 0; i < n && seed == 0; i++)
    test_set(data, typecode, i, (double)NAN);
  test_array_strided(a, typecode, 1, &n, &stride, data);
  free(data);
}

/* --- gemm --- */

static void check_gemm(int typecode, layout la, cb_transpose ta, layout lb,
                       cb_transpose tb, layout lc, double beta) {
  static host a, b, c;
  GpuArray A, B, C;

  make(&A, typecode, ta ? K : M, ta ? M : K, la, 1);
  make(&B, typecode, tb ? N : K, tb ? K : N, lb, 2);
  make(&C, typecode, M, N, lc, beta == 0 ? 0 : 3);
  fetch(&a, &A);
  fetch(&b, &B);
  fetch(&c, &C);
  assert_ok(GpuArray_rgemm(ta, tb, 1.5, &A, &B, beta, &C, 0));
  multiply(&c, &a, ta, &b, tb, 1.5, beta);
  expect(&C, &c);
  GpuArray_clear(&A);
  GpuArray_clear(&B);
  GpuArray_clear(&C);
}

static void test_gemm(void **state) {
  (void)state;
  check_gemm(GA_FLOAT, C_ORDER, cb_no_trans, C_ORDER, cb_no_trans, C_ORDER, 0);
  check_gemm(GA_FLOAT, F_ORDER, cb_no_trans, C_ORDER, cb_trans, C_ORDER, 1);
  check_gemm(GA_FLOAT, GAPS, cb_trans, F_ORDER, cb_no_trans, F_ORDER, 0.5);
  check_gemm(GA_FLOAT, F_ORDER, cb_conj_trans, GAPS, cb_trans, GAPS, 0);
  check_gemm(GA_HALF, C_ORDER, cb_no_trans, C_ORDER, cb_no_trans, C_ORDER, 1);
  check_gemm(GA_BFLOAT, C_ORDER, cb_no_trans, GAPS, cb_trans, C_ORDER, 1);
}

static void test_gemm_double(void **state) {
  (void)state;
  test_need_double();
  check_gemm(GA_DOUBLE, C_ORDER, cb_no_trans, F_ORDER, cb_no_trans, C_ORDER, 0);
}

/* Strides that need a copy, of operands and of the result. */
static void test_gemm_copies(void **state) {
  GpuArray A, B, C;

  (void)state;
  check_gemm(GA_FLOAT, STEPS, cb_no_trans, C_ORDER, cb_no_trans, C_ORDER, 0);
  check_gemm(GA_FLOAT, C_ORDER, cb_no_trans, BACKWARDS, cb_trans, C_ORDER, 1);
  check_gemm(GA_FLOAT, C_ORDER, cb_no_trans, C_ORDER, cb_no_trans, STEPS, 0);
  check_gemm(GA_FLOAT, C_ORDER, cb_no_trans, C_ORDER, cb_no_trans, BACKWARDS,
             2);
  make(&A, GA_FLOAT, M, K, STEPS, 1);
  make(&B, GA_FLOAT, K, N, C_ORDER, 2);
  make(&C, GA_FLOAT, M, N, C_ORDER, 3);
  assert_code(GA_COPY_ERROR,
              GpuArray_rgemm(cb_no_trans, cb_no_trans, 1, &A, &B, 0, &C, 1));
  assert_message(GA_COPY_ERROR, "strides of A");
  GpuArray_clear(&A);
  GpuArray_clear(&B);
  GpuArray_clear(&C);
}

/* Slices of a batch, a shared operand among them. */
static void test_gemm_batch(void **state) {
  const size_t adims[3] = {3, M, K}, bdims[3] = {3, K, N}, cdims[3] = {3, M, N};
  const ssize_t astrides[3] = {M * K, K, 1}, bstrides[3] = {0, N, 1};
  const ssize_t cstrides[3] = {M * N, N, 1};
  const ssize_t starts[3] = {0, 0, 0}, steps[3] = {0, 1, 1};
  float data[3 * K * N], zeros[3 * M * N] = {0};
  GpuArray A, B, C;

  (void)state;
  test_fill(data, GA_FLOAT, 3 * M * K, -1, 1, 1);
  test_array_strided(&A, GA_FLOAT, 3, adims, astrides, data);
  test_fill(data, GA_FLOAT, K * N, -1, 1, 2);
  for (size_t i = K * N; i < 3 * K * N; i++)
    data[i] = data[i % (K * N)];
  test_array_strided(&B, GA_FLOAT, 3, bdims, bstrides, data);
  test_array_strided(&C, GA_FLOAT, 3, cdims, cstrides, zeros);
  assert_ok(
      GpuArray_rgemmBatch_3d(cb_no_trans, cb_no_trans, 1, &A, &B, 1, &C, 1));
  for (ssize_t z = 0; z < 3; z++) {
    const ssize_t from[3] = {z, starts[1], starts[2]};
    const ssize_t as[3] = {0, M, K}, bs[3] = {0, K, N}, cs[3] = {0, M, N};
    static host a, b, c;
    GpuArray az, bz, cz;

    assert_ok(GpuArray_index(&az, &A, from, as, steps));
    assert_ok(GpuArray_index(&bz, &B, from, bs, steps));
    assert_ok(GpuArray_index(&cz, &C, from, cs, steps));
    fetch(&a, &az);
    fetch(&b, &bz);
    c = (host){.rows = M, .cols = N};
    multiply(&c, &a, cb_no_trans, &b, cb_no_trans, 1, 0);
    expect(&cz, &c);
    GpuArray_clear(&az);
    GpuArray_clear(&bz);
    GpuArray_clear(&cz);
  }
  /* Results must not lie on top of each other. */
  assert_code(GA_VALUE_ERROR, GpuArray_rgemmBatch_3d(cb_trans, cb_no_trans, 1,
                                                     &A, &C, 0, &B, 0));
  GpuArray_clear(&A);
  GpuArray_clear(&B);
  GpuArray_clear(&C);
}

/* --- gemv, ger, dot --- */

static void check_gemv(int typecode, layout la, cb_transpose ta, ssize_t incx,
                       ssize_t incy, double beta) {
  static host a, x, y;
  GpuArray A, X, Y;

  make(&A, typecode, ta ? K : M, ta ? M : K, la, 1);
  make_vector(&X, typecode, K, incx, 2);
  make_vector(&Y, typecode, M, incy, beta == 0 ? 0 : 3);
  fetch(&a, &A);
  fetch(&x, &X);
  fetch(&y, &Y);
  assert_ok(GpuArray_rgemv(ta, -1, &A, &X, beta, &Y, 0));
  multiply(&y, &a, ta, &x, cb_no_trans, -1, beta);
  expect(&Y, &y);
  GpuArray_clear(&A);
  GpuArray_clear(&X);
  GpuArray_clear(&Y);
}

static void test_gemv(void **state) {
  (void)state;
  check_gemv(GA_FLOAT, C_ORDER, cb_no_trans, 1, 1, 0);
  check_gemv(GA_FLOAT, C_ORDER, cb_trans, 2, -1, 1);
  check_gemv(GA_FLOAT, F_ORDER, cb_no_trans, -1, 3, 0.5);
  check_gemv(GA_FLOAT, STEPS, cb_no_trans, 1, 1, 0);
  check_gemv(GA_FLOAT, BACKWARDS, cb_trans, 1, 1, 0);
  check_gemv(GA_HALF, GAPS, cb_trans, 1, 1, 1);
  check_gemv(GA_BFLOAT, GAPS, cb_trans, 1, 1, 1);
}

static void test_ger(void **state) {
  static const layout layouts[] = {C_ORDER, F_ORDER, GAPS, STEPS, BACKWARDS};
  static host a, x, y;

  (void)state;
  for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++) {
    GpuArray A, X, Y;

    make_vector(&X, GA_FLOAT, M, 1, 1);
    make_vector(&Y, GA_FLOAT, N, i % 2 ? -2 : 1, 2);
    make(&A, GA_FLOAT, M, N, layouts[i], 3);
    fetch(&x, &X);
    fetch(&y, &Y);
    fetch(&a, &A);
    assert_ok(GpuArray_rger(0.5, &X, &Y, &A, 0));
    multiply(&a, &x, cb_no_trans, &y, cb_trans, 0.5, 1);
    expect(&A, &a);
    GpuArray_clear(&A);
    GpuArray_clear(&X);
    GpuArray_clear(&Y);
  }
}

static void test_dot(void **state) {
  static host x, y, z;
  const float nan = NAN;
  GpuArray X, Y, Z;

  (void)state;
  make_vector(&X, GA_FLOAT, 1000, 1, 1);
  make_vector(&Y, GA_FLOAT, 1000, -3, 2);
  test_array(&Z, GA_FLOAT, 0, NULL, &nan);
  fetch(&x, &X);
  fetch(&y, &Y);
  assert_ok(GpuArray_rdot(&X, &Y, &Z, 1));
  z = (host){.rows = 1, .cols = 1};
  multiply(&z, &x, cb_trans, &y, cb_no_trans, 1, 0);
  expect(&Z, &z);
  GpuArray_clear(&X);
  GpuArray_clear(&Y);
  GpuArray_clear(&Z);
}

/* --- prepared --- */

static void test_prepare(void **state) {
  static host a, b, c;
  GpuArray A, B, C, other;
  GpuLaunchStats stats;
  GpuLaunch *l;

  (void)state;
  make(&A, GA_FLOAT, K, M, C_ORDER, 1);
  make(&B, GA_FLOAT, K, N, C_ORDER, 2);
  make(&C, GA_FLOAT, M, N, C_ORDER, 0);
  make(&other, GA_FLOAT, K, N, C_ORDER, 4);
  assert_ok(
      GpuArray_rgemm_prepare(&l, cb_trans, cb_no_trans, 1, &A, &B, 0, &C));
  fetch(&a, &A);
  c = (host){.rows = M, .cols = N};
  for (int i = 0; i < 2; i++) {
    const GpuArray *now = i == 0 ? &B : &other;

    assert_ok(GpuLaunch_bind(l, 1, now->data, now->offset));
    assert_ok(GpuLaunch_run(l));
    fetch(&b, now);
    multiply(&c, &a, cb_trans, &b, cb_no_trans, 1, 0);
    expect(&C, &c);
  }
  assert_ok(GpuLaunch_stats(l, &stats));
  assert_string_equal(stats.label, "gemm");
  assert_true(fabs(stats.flops - 2.0 * M * N * K) < 1);
  GpuLaunch_free(l);
  GpuArray_clear(&A);
  make(&A, GA_FLOAT, K, M, STEPS, 1);
  assert_code(GA_COPY_ERROR, GpuArray_rgemm_prepare(&l, cb_trans, cb_no_trans,
                                                    1, &A, &B, 0, &C));
  assert_null(l);
  GpuArray_clear(&A);
  GpuArray_clear(&B);
  GpuArray_clear(&C);
  GpuArray_clear(&other);
}

/* A launch does to `got`, which it writes, what a call has done to `want`; both
 * are cleared. */
static void check_launch(GpuLaunch *l, GpuArray *got, GpuArray *want) {
  static host h;

  assert_ok(GpuLaunch_run(l));
  fetch(&h, want);
  expect(got, &h);
  GpuLaunch_free(l);
  GpuArray_clear(got);
  GpuArray_clear(want);
}

static void test_prepare_others(void **state) {
  const size_t adims[3] = {2, 5, 4}, cdims[3] = {2, 5, 5};
  GpuArray A, X, Y, got, want;
  GpuLaunch *l;

  (void)state;
  make(&A, GA_FLOAT, M, K, C_ORDER, 1);
  make_vector(&X, GA_FLOAT, K, 1, 2);
  make_vector(&Y, GA_FLOAT, M, 1, 3);
  make_vector(&got, GA_FLOAT, M, 1, 4);
  make_vector(&want, GA_FLOAT, M, 1, 4);
  assert_ok(GpuArray_rgemv(cb_no_trans, 2, &A, &X, 0.5, &want, 1));
  assert_ok(GpuArray_rgemv_prepare(&l, cb_no_trans, 2, &A, &X, 0.5, &got));
  check_launch(l, &got, &want);
  make(&got, GA_FLOAT, M, K, C_ORDER, 5);
  make(&want, GA_FLOAT, M, K, C_ORDER, 5);
  assert_ok(GpuArray_rger(-1, &Y, &X, &want, 1));
  assert_ok(GpuArray_rger_prepare(&l, -1, &Y, &X, &got));
  check_launch(l, &got, &want);
  assert_ok(GpuArray_zeros(&got, test_context(), GA_FLOAT, 0, NULL, 0));
  assert_ok(GpuArray_zeros(&want, test_context(), GA_FLOAT, 0, NULL, 0));
  assert_ok(GpuArray_rdot(&X, &X, &want, 1));
  assert_ok(GpuArray_rdot_prepare(&l, &X, &X, &got));
  check_launch(l, &got, &want);
  GpuArray_clear(&A);
  assert_ok(GpuArray_empty(&A, test_context(), GA_FLOAT, 3, adims, GA_C_ORDER));
  assert_ok(gpudata_memset(A.data, 0, 63));
  assert_ok(GpuArray_zeros(&got, test_context(), GA_FLOAT, 3, cdims, 0));
  assert_ok(GpuArray_zeros(&want, test_context(), GA_FLOAT, 3, cdims, 0));
  assert_ok(
      GpuArray_rgemmBatch_3d(cb_no_trans, cb_trans, 1, &A, &A, 0, &want, 1));
  assert_ok(GpuArray_rgemmBatch_3d_prepare(&l, cb_no_trans, cb_trans, 1, &A, &A,
                                           0, &got));
  check_launch(l, &got, &want);
  GpuArray_clear(&Y);
  GpuArray_clear(&X);
  GpuArray_clear(&A);
}

/* --- refusals --- */

static void test_refusals(void **state) {
  GpuArray A, B, C, F, I, X;
  gpucontext *other;

  (void)state;
  make(&A, GA_FLOAT, 3, 4, C_ORDER, 1);
  make(&B, GA_FLOAT, 5, 6, C_ORDER, 2);
  make(&C, GA_FLOAT, 3, 6, C_ORDER, 3);
  make(&I, GA_INT, 4, 6, C_ORDER, 4);
  make_vector(&X, GA_FLOAT, 7, 1, 5);
  assert_code(GA_VALUE_ERROR,
              GpuArray_rgemm(cb_no_trans, cb_no_trans, 1, &A, &B, 0, &C, 0));
  assert_message(GA_VALUE_ERROR, "op(A) is 3x4, op(B) is 5x6, C is 3x6");
  assert_code(GA_INVALID_ERROR,
              GpuArray_rgemm(cb_no_trans, cb_no_trans, 1, &A, &I, 0, &C, 0));
  assert_message(GA_INVALID_ERROR, "B is int32");
  assert_code(GA_VALUE_ERROR,
              GpuArray_rgemm(cb_no_trans, cb_no_trans, 1, &A, &X, 0, &C, 0));
  assert_message(GA_VALUE_ERROR, "B has 1 dimensions, expected 2");
  assert_code(GA_VALUE_ERROR, GpuArray_rgemv(cb_no_trans, 1, &A, &X, 0, &X, 0));
  assert_message(GA_VALUE_ERROR, "op(A) is 3x4, X has 7 elements");
  assert_code(GA_VALUE_ERROR, GpuArray_rger(1, &X, &X, &A, 0));
  assert_ok(gpucontext_open(&other, NULL));
  assert_ok(
      GpuArray_zeros(&F, other, GA_FLOAT, 2, (size_t[]){4, 6}, GA_C_ORDER));
  assert_code(GA_VALUE_ERROR,
              GpuArray_rgemm(cb_no_trans, cb_no_trans, 1, &A, &F, 0, &C, 0));
  assert_message(GA_VALUE_ERROR, "A and B are in different contexts");
  GpuArray_clear(&F);
  gpucontext_deref(other);
  make(&F, GA_HALF, 4, 6, C_ORDER, 6);
  assert_code(GA_INVALID_ERROR,
              GpuArray_rgemm(cb_no_trans, cb_no_trans, 1, &A, &F, 0, &C, 0));
  assert_message(GA_INVALID_ERROR, "A is float32, B is float16");
  GpuArray_clear(&F);
  make(&F, GA_BFLOAT, 4, 6, C_ORDER, 6);
  assert_code(GA_INVALID_ERROR,
              GpuArray_rgemm(cb_no_trans, cb_no_trans, 1, &A, &F, 0, &C, 0));
  assert_message(GA_INVALID_ERROR, "A is float32, B is bfloat16");
  GpuArray_clear(&F);
  A.flags &= ~GA_WRITEABLE;
  assert_code(GA_READONLY_ERROR,
              GpuArray_rgemm(cb_no_trans, cb_trans, 1, &B, &C, 0, &A, 0));
  GpuArray_clear(&A);
  GpuArray_clear(&B);
  GpuArray_clear(&C);
  GpuArray_clear(&I);
  GpuArray_clear(&X);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_gemm),
      cmocka_unit_test(test_gemm_double),
      cmocka_unit_test(test_gemm_copies),
      cmocka_unit_test(test_gemm_batch),
      cmocka_unit_test(test_gemv),
      cmocka_unit_test(test_ger),
      cmocka_unit_test(test_dot),
      cmocka_unit_test(test_prepare),
      cmocka_unit_test(test_prepare_others),
      cmocka_unit_test(test_refusals),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
