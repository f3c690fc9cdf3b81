/* SPDX-License-Identifier: BSD-2-Clause */
/* The calls of buffer_blas.h: layouts, increments, batches, refusals, and that
 * kept launches follow their buffers. */
#include "blas/matrix.h"

#include <gpuarray/buffer_blas.h>
#include <gpuarray/device.h>

#include "base/alloc.h"

/* Element (i, j) of op(M) in the host copy. */
static double at(const matrix *m, cb_order order, cb_transpose trans, size_t z,
                 size_t i, size_t j) {
  const int by_rows = (order == cb_row) == (trans == cb_no_trans);

  return test_get(m->host, m->typecode,
                  OFFSET + z * m->bs + (by_rows ? i : j) * m->ld +
                      (by_rows ? j : i));
}

/* A matrix whose op is rows x cols. */
static matrix stored(int typecode, cb_order order, cb_transpose trans,
                     size_t rows, size_t cols, size_t batch, uint32_t seed) {
  const int by_rows = (order == cb_row) == (trans == cb_no_trans);

  return matrix_new(typecode, by_rows ? rows : cols, by_rows ? cols : rows, 2,
                    batch, seed);
}

static void expect_product(matrix *c, cb_order order, const matrix *a,
                           cb_transpose ta, const matrix *b, cb_transpose tb,
                           size_t z, size_t m, size_t n, size_t k, double alpha,
                           double beta) {
  for (size_t i = 0; i < m; i++)
    for (size_t j = 0; j < n; j++) {
      const size_t to = OFFSET + z * c->bs + (order == cb_row ? i : j) * c->ld +
                        (order == cb_row ? j : i);
      double sum = 0;

      for (size_t p = 0; p < k; p++)
        sum += at(a, order, ta, z, i, p) * at(b, order, tb, z, p, j);
      sum *= alpha;
      if (beta != 0)
        sum += beta * test_get(c->host, c->typecode, to);
      test_set(c->host, c->typecode, to, sum);
    }
}

enum { M = 21, N = 34, K = 19 };

typedef struct product {
  matrix a, b, c;
} product;

static product product_new(int typecode, cb_order order, cb_transpose ta,
                           cb_transpose tb, size_t batch) {
  return (product){.a = stored(typecode, order, ta, M, K, batch, 1),
                   .b = stored(typecode, order, tb, K, N, batch, 2),
                   .c = stored(typecode, order, cb_no_trans, M, N, batch, 3)};
}

static void product_free(product *p) {
  matrix_free(&p->a);
  matrix_free(&p->b);
  matrix_free(&p->c);
}

/* --- gemm --- */

static void test_gemm_layouts(void **state) {
  (void)state;
  for (int i = 0; i < 8; i++) {
    const cb_order order = i & 1 ? cb_column : cb_row;
    const cb_transpose ta = i & 2 ? cb_trans : cb_no_trans;
    const cb_transpose tb = i & 4 ? cb_conj_trans : cb_no_trans;
    product p = product_new(GA_FLOAT, order, ta, tb, 1);

    assert_ok(gpublas_sgemm(order, ta, tb, M, N, K, 2, p.a.buf, OFFSET, p.a.ld,
                            p.b.buf, OFFSET, p.b.ld, 0.5f, p.c.buf, OFFSET,
                            p.c.ld));
    expect_product(&p.c, order, &p.a, ta, &p.b, tb, 0, M, N, K, 2, 0.5);
    matrix_check(&p.c, K);
    product_free(&p);
  }
}

static void test_gemm_precisions(void **state) {
  product h = product_new(GA_HALF, cb_row, cb_no_trans, cb_no_trans, 1);

  (void)state;
  assert_ok(gpublas_hgemm(cb_row, cb_no_trans, cb_no_trans, M, N, K, 1, h.a.buf,
                          OFFSET, h.a.ld, h.b.buf, OFFSET, h.b.ld, 1, h.c.buf,
                          OFFSET, h.c.ld));
  expect_product(&h.c, cb_row, &h.a, cb_no_trans, &h.b, cb_no_trans, 0, M, N, K,
                 1, 1);
  matrix_check(&h.c, K);
  product_free(&h);
}

static void test_gemm_double(void **state) {
  (void)state;
  test_need_double();
  product d = product_new(GA_DOUBLE, cb_column, cb_no_trans, cb_trans, 1);
  assert_ok(gpublas_dgemm(cb_column, cb_no_trans, cb_trans, M, N, K, 1, d.a.buf,
                          OFFSET, d.a.ld, d.b.buf, OFFSET, d.b.ld, 1, d.c.buf,
                          OFFSET, d.c.ld));
  expect_product(&d.c, cb_column, &d.a, cb_no_trans, &d.b, cb_trans, 0, M, N, K,
                 1, 1);
  matrix_check(&d.c, K);
  product_free(&d);
}

static void test_gemm_3d(void **state) {
  product p = product_new(GA_FLOAT, cb_row, cb_no_trans, cb_trans, 3);

  (void)state;
  assert_ok(gpublas_sgemm3D(cb_row, cb_no_trans, cb_trans, M, N, K, 1, p.a.buf,
                            OFFSET, p.a.ld, (ssize_t)p.a.bs, p.b.buf, OFFSET,
                            p.b.ld, (ssize_t)p.b.bs, -1, p.c.buf, OFFSET,
                            p.c.ld, (ssize_t)p.c.bs, 3, 0));
  for (size_t z = 0; z < 3; z++)
    expect_product(&p.c, cb_row, &p.a, cb_no_trans, &p.b, cb_trans, z, M, N, K,
                   1, -1);
  matrix_check(&p.c, K);
  product_free(&p);
}

/* From the last matrix back, by negative strides. */
static void test_gemm_3d_backwards(void **state) {
  product p = product_new(GA_FLOAT, cb_row, cb_no_trans, cb_no_trans, 2);

  (void)state;
  assert_ok(gpublas_sgemm3D(cb_row, cb_no_trans, cb_no_trans, M, N, K, 1,
                            p.a.buf, OFFSET + p.a.bs, p.a.ld, -(ssize_t)p.a.bs,
                            p.b.buf, OFFSET + p.b.bs, p.b.ld, -(ssize_t)p.b.bs,
                            0, p.c.buf, OFFSET + p.c.bs, p.c.ld,
                            -(ssize_t)p.c.bs, 2, 0));
  for (size_t z = 0; z < 2; z++)
    expect_product(&p.c, cb_row, &p.a, cb_no_trans, &p.b, cb_no_trans, z, M, N,
                   K, 1, 0);
  matrix_check(&p.c, K);
  assert_code(GA_VALUE_ERROR,
              gpublas_sgemm3D(cb_row, cb_no_trans, cb_no_trans, M, N, K, 1,
                              p.a.buf, OFFSET, p.a.ld, -(ssize_t)p.a.bs,
                              p.b.buf, OFFSET, p.b.ld, 0, 0, p.c.buf, OFFSET,
                              p.c.ld, (ssize_t)p.c.bs, 2, 0));
  assert_message(GA_VALUE_ERROR, "A: stride -");
  product_free(&p);
}

/* The matrices of a batch in an order of our own. */
static void test_gemm_batch(void **state) {
  product p = product_new(GA_FLOAT, cb_row, cb_trans, cb_no_trans, 3);
  gpudata *a[3], *b[3], *c[3];
  size_t oa[3], ob[3], oc[3];

  (void)state;
  for (size_t i = 0; i < 3; i++) {
    const size_t z = (i + 1) % 3;

    a[i] = p.a.buf;
    b[i] = p.b.buf;
    c[i] = p.c.buf;
    oa[i] = OFFSET + z * p.a.bs;
    ob[i] = OFFSET + z * p.b.bs;
    oc[i] = OFFSET + z * p.c.bs;
  }
  assert_ok(gpublas_sgemmBatch(cb_row, cb_trans, cb_no_trans, M, N, K, 1, a, oa,
                               p.a.ld, b, ob, p.b.ld, 1, c, oc, p.c.ld, 3, 0));
  for (size_t z = 0; z < 3; z++)
    expect_product(&p.c, cb_row, &p.a, cb_trans, &p.b, cb_no_trans, z, M, N, K,
                   1, 1);
  matrix_check(&p.c, K);

  /* One bad triple: nothing is touched. */
  ob[2] = p.b.n;
  assert_code(GA_VALUE_ERROR,
              gpublas_sgemmBatch(cb_row, cb_trans, cb_no_trans, M, N, K, 1, a,
                                 oa, p.a.ld, b, ob, p.b.ld, 0, c, oc, p.c.ld, 3,
                                 0));
  matrix_check(&p.c, K);
  product_free(&p);
}

/* --- gemv, ger, dot --- */

static void test_gemv_layouts(void **state) {
  (void)state;
  for (int i = 0; i < 4; i++) {
    const cb_order order = i & 1 ? cb_column : cb_row;
    const cb_transpose ta = i & 2 ? cb_trans : cb_no_trans;
    const size_t rows = ta == cb_trans ? N : M, cols = ta == cb_trans ? M : N;
    matrix a = stored(GA_FLOAT, order, ta, rows, cols, 1, 1);
    matrix x = matrix_new(GA_FLOAT, cols, 1, 1, 1, 2);
    matrix y = matrix_new(GA_FLOAT, rows, 1, 2, 1, 3);

    assert_ok(gpublas_sgemv(order, ta, M, N, 2, a.buf, OFFSET, a.ld, x.buf,
                            OFFSET, -2, -1, y.buf, OFFSET, 3));
    for (size_t r = 0; r < rows; r++) {
      const size_t to = OFFSET + 3 * r;
      double sum = 0;

      for (size_t j = 0; j < cols; j++)
        sum += at(&a, order, ta, 0, r, j) *
               test_get(x.host, GA_FLOAT, OFFSET + 2 * (cols - 1 - j));
      test_set(y.host, GA_FLOAT, to, 2 * sum - test_get(y.host, GA_FLOAT, to));
    }
    matrix_check(&y, cols);
    matrix_free(&a);
    matrix_free(&x);
    matrix_free(&y);
  }
}

static void test_ger_and_dot(void **state) {
  matrix x = matrix_new(GA_FLOAT, M, 1, 0, 1, 1);
  matrix y = matrix_new(GA_FLOAT, N, 1, 0, 1, 2);
  matrix a = matrix_new(GA_FLOAT, N, M, 1, 1, 3);
  matrix z = matrix_new(GA_FLOAT, 1, 1, 0, 1, 0);
  double sum = 0;

  (void)state;
  assert_ok(gpublas_sger(cb_column, M, N, 2, x.buf, OFFSET, 1, y.buf, OFFSET,
                         -1, a.buf, OFFSET, a.ld));
  for (size_t i = 0; i < M; i++)
    for (size_t j = 0; j < N; j++) {
      const size_t to = OFFSET + j * a.ld + i;

      test_set(a.host, GA_FLOAT, to,
               test_get(a.host, GA_FLOAT, to) +
                   2 * test_get(x.host, GA_FLOAT, OFFSET + i) *
                       test_get(y.host, GA_FLOAT, OFFSET + N - 1 - j));
    }
  matrix_check(&a, 1);
  assert_ok(gpublas_sdot(M, x.buf, OFFSET, 1, y.buf, OFFSET, 1, z.buf, OFFSET));
  for (size_t i = 0; i < M; i++)
    sum += test_get(x.host, GA_FLOAT, OFFSET + i) *
           test_get(y.host, GA_FLOAT, OFFSET + i);
  test_set(z.host, GA_FLOAT, OFFSET, sum);
  matrix_check(&z, M);
  matrix_free(&x);
  matrix_free(&y);
  matrix_free(&a);
  matrix_free(&z);
}

static void test_vector_batches(void **state) {
  matrix a = matrix_new(GA_FLOAT, M, N, 0, 2, 1);
  matrix x = matrix_new(GA_FLOAT, N, 1, 0, 2, 2);
  matrix y = matrix_new(GA_FLOAT, M, 1, 0, 2, 0);
  gpudata *as[2] = {a.buf, a.buf}, *xs[2] = {x.buf, x.buf};
  gpudata *ys[2] = {y.buf, y.buf};
  enum { SIZE = sizeof(float), FIRST = OFFSET * SIZE }; /* bytes */
  size_t oa[2] = {FIRST, FIRST + a.bs * SIZE};
  size_t ox[2] = {FIRST, FIRST + x.bs * SIZE};
  size_t oy[2] = {FIRST, FIRST + y.bs * SIZE};

  (void)state;
  assert_ok(gpublas_sgemvBatch(cb_row, cb_no_trans, M, N, 1, as, oa, a.ld, xs,
                               ox, 1, 0, ys, oy, 1, 2, 0));
  for (size_t z = 0; z < 2; z++)
    for (size_t i = 0; i < M; i++) {
      double sum = 0;

      for (size_t j = 0; j < N; j++)
        sum += at(&a, cb_row, cb_no_trans, z, i, j) *
               test_get(x.host, GA_FLOAT, ox[z] / SIZE + j);
      test_set(y.host, GA_FLOAT, oy[z] / SIZE + i, sum);
    }
  matrix_check(&y, N);
  assert_ok(gpublas_sgerBatch(cb_row, M, N, 1, ys, oy, 1, xs, ox, 1, as, oa,
                              a.ld, 2, 0));
  for (size_t z = 0; z < 2; z++)
    for (size_t i = 0; i < M; i++)
      for (size_t j = 0; j < N; j++) {
        const size_t to = oa[z] / SIZE + i * a.ld + j;

        test_set(a.host, GA_FLOAT, to,
                 test_get(a.host, GA_FLOAT, to) +
                     test_get(y.host, GA_FLOAT, oy[z] / SIZE + i) *
                         test_get(x.host, GA_FLOAT, ox[z] / SIZE + j));
      }
  matrix_check(&a, 4 * N);
  matrix_free(&a);
  matrix_free(&x);
  matrix_free(&y);
}

/* --- refusals --- */

static int try_gemm(const product *p, size_t m, size_t lda, size_t off) {
  return gpublas_sgemm(cb_row, cb_no_trans, cb_no_trans, m, N, K, 1, p->a.buf,
                       off, lda, p->b.buf, OFFSET, p->b.ld, 0, p->c.buf, OFFSET,
                       p->c.ld);
}

static void test_refusals(void **state) {
  product p = product_new(GA_FLOAT, cb_row, cb_no_trans, cb_no_trans, 1);
  const size_t huge = SIZE_MAX / 2;
  gpucontext *other;

  (void)state;
  assert_code(GA_VALUE_ERROR, try_gemm(&p, M, K - 1, OFFSET));
  assert_message(GA_VALUE_ERROR, "ldA 18 smaller than 19");
  assert_string_equal(gpublas_error(test_context()), "ldA 18 smaller than 19");
  assert_code(GA_VALUE_ERROR, try_gemm(&p, M, p.a.ld, p.a.n - 1));
  assert_message(GA_VALUE_ERROR, "A: ");
  assert_code(GA_VALUE_ERROR, try_gemm(&p, M, huge, OFFSET));
  assert_code(GA_VALUE_ERROR, try_gemm(&p, M, p.a.ld, huge));
  assert_code(GA_VALUE_ERROR, try_gemm(&p, huge, p.a.ld, OFFSET));
  assert_code(GA_VALUE_ERROR,
              gpublas_sgemm((cb_order)7, cb_no_trans, cb_no_trans, M, N, K, 1,
                            p.a.buf, 0, K, p.b.buf, 0, N, 0, p.c.buf, 0, N));
  assert_message(GA_VALUE_ERROR, "order is 7");
  assert_code(GA_VALUE_ERROR,
              gpublas_sgemm(cb_row, (cb_transpose)9, cb_no_trans, M, N, K, 1,
                            p.a.buf, 0, K, p.b.buf, 0, N, 0, p.c.buf, 0, N));
  assert_message(GA_VALUE_ERROR, "transA is 9");
  assert_code(GA_INVALID_ERROR,
              gpublas_sgemm3D(cb_row, cb_no_trans, cb_no_trans, M, N, K, 1,
                              p.a.buf, 0, K, 0, p.b.buf, 0, N, 0, 0, p.c.buf, 0,
                              N, 0, 1, 4));
  assert_code(GA_VALUE_ERROR,
              gpublas_sgemv(cb_row, cb_no_trans, M, K, 1, p.a.buf, OFFSET,
                            p.a.ld, p.b.buf, OFFSET, 0, 0, p.c.buf, OFFSET, 1));
  assert_message(GA_VALUE_ERROR, "incX is 0");
  assert_code(GA_VALUE_ERROR, gpublas_sger(cb_row, 4, 4, 1, p.a.buf, 0, 1,
                                           p.b.buf, 0, 0, p.c.buf, 0, 4));
  assert_message(GA_VALUE_ERROR, "incY is 0");
  assert_code(GA_VALUE_ERROR,
              gpublas_sdot(4, p.a.buf, 0, 0, p.b.buf, 0, 1, p.c.buf, 0));
  assert_message(GA_VALUE_ERROR, "incX is 0");
  assert_code(GA_VALUE_ERROR, gpublas_sdot(p.a.n, p.a.buf, OFFSET, 1, p.a.buf,
                                           0, 1, p.c.buf, OFFSET));
  assert_message(GA_VALUE_ERROR, "X: ");
  assert_ok(gpucontext_open(&other, NULL));
  gpudata *far = gpudata_alloc(other, 4096, NULL, 0, NULL);
  assert_code(GA_VALUE_ERROR,
              gpublas_sdot(8, far, 0, 1, p.a.buf, OFFSET, 1, p.c.buf, OFFSET));
  assert_message(GA_VALUE_ERROR, "of another context");
  gpudata_release(far);
  gpucontext_deref(other);
  matrix_check(&p.c, 1); /* as it was */
  product_free(&p);
}

static void test_nothing_to_do(void **state) {
  product p = product_new(GA_FLOAT, cb_row, cb_no_trans, cb_no_trans, 1);

  (void)state;
  assert_ok(try_gemm(&p, 0, 0, 0));
  matrix_check(&p.c, 1);
  product_free(&p);
}

/* --- kept launches --- */

/* The same geometry with other buffers, and other numbers, in turns. */
static void test_reuse(void **state) {
  product p = product_new(GA_FLOAT, cb_row, cb_no_trans, cb_no_trans, 1);
  product q = product_new(GA_FLOAT, cb_row, cb_no_trans, cb_no_trans, 1);

  (void)state;
  for (int i = 0; i < 6; i++) {
    product *r = i % 2 ? &p : &q;
    const float beta = i < 3 ? 0 : 1;

    assert_ok(gpublas_sgemm(cb_row, cb_no_trans, cb_no_trans, M, N, K, 1,
                            r->a.buf, OFFSET, r->a.ld, r->b.buf, OFFSET,
                            r->b.ld, beta, r->c.buf, OFFSET, r->c.ld));
    expect_product(&r->c, cb_row, &r->a, cb_no_trans, &r->b, cb_no_trans, 0, M,
                   N, K, 1, (double)beta);
    matrix_check(&r->c, 4 * K);
  }
  product_free(&p);
  product_free(&q);
}

/* Each allocation of a first call fails once: the result stays as it was. */
static void test_no_memory(void **state) {
  product p = product_new(GA_FLOAT, cb_row, cb_no_trans, cb_no_trans, 1);
  int err = GA_MEMORY_ERROR;

  (void)state;
  assert_ok(try_gemm(&p, M, p.a.ld, OFFSET)); /* compiled from now on */
  expect_product(&p.c, cb_row, &p.a, cb_no_trans, &p.b, cb_no_trans, 0, M, N, K,
                 1, 0);
  for (long nth = 1; err == GA_MEMORY_ERROR; nth++) {
    assert_true(nth < 200);
    gpublas_teardown(test_context());
    ga__alloc_fail(nth, 0);
    err = gpublas_sgemm(cb_row, cb_no_trans, cb_no_trans, M, N, K, 1, p.a.buf,
                        OFFSET, p.a.ld, p.b.buf, OFFSET, p.b.ld, 1, p.c.buf,
                        OFFSET, p.c.ld);
    ga__alloc_fail(0, 0);
    if (err == GA_MEMORY_ERROR)
      matrix_check(&p.c, K);
  }
  assert_ok(err);
  expect_product(&p.c, cb_row, &p.a, cb_no_trans, &p.b, cb_no_trans, 0, M, N, K,
                 1, 1);
  matrix_check(&p.c, 2 * K);
  product_free(&p);
}

/* A context goes with the launches that it keeps, and they keep no buffer. */
static void test_context_goes(void **state) {
  const size_t bytes = 64 * sizeof(float);
  gpucontext *ctx;

  (void)state;
  test_context();
  long before = ga__alloc_live();
  for (int i = 0; i < 2; i++) {
    int err = GA_NO_ERROR;

    assert_ok(gpucontext_open(&ctx, NULL));
    assert_ok(gpublas_setup(ctx));
    gpudata *d = gpudata_alloc(ctx, bytes, NULL, 0, &err);
    assert_ok(err);
    assert_ok(gpublas_sger(cb_row, 4, 4, 0.5f, d, 0, 1, d, 8, 1, d, 16, 4));
    assert_ok(gpublas_sger(cb_row, 4, 4, 0.5f, d, 0, 1, d, 8, 1, d, 32, 4));
    if (i == 1)
      gpublas_teardown(ctx);
    gpudata_release(d);
    gpucontext_deref(ctx);
  }
  assert_int_equal(ga__alloc_live(), before);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_gemm_layouts),
      cmocka_unit_test(test_gemm_precisions),
      cmocka_unit_test(test_gemm_double),
      cmocka_unit_test(test_gemm_3d),
      cmocka_unit_test(test_gemm_3d_backwards),
      cmocka_unit_test(test_gemm_batch),
      cmocka_unit_test(test_gemv_layouts),
      cmocka_unit_test(test_ger_and_dot),
      cmocka_unit_test(test_vector_batches),
      cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_nothing_to_do),
      cmocka_unit_test(test_reuse),
      cmocka_unit_test(test_no_memory),
      cmocka_unit_test(test_context_goes),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
