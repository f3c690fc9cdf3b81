/* SPDX-License-Identifier: BSD-2-Clause */
/* Every batched call of buffer_blas.h in every dtype, order, transpose, leading
 * dimension, offset, alpha and beta, against sums in double on the host.
 * Results are surrounded by NaN, and are NaN where they are not to be read. */
#include "blas/trial.h"

enum { BATCH = 3 };

/* The operands of a batch, one by one; all of them lie in one buffer. */
typedef struct each {
  gpudata *bufs[BATCH];
  size_t offs[BATCH];
} each;

static each each_of(const operand *o) {
  each e;

  for (size_t z = 0; z < BATCH; z++) {
    e.bufs[z] = o->m.buf;
    e.offs[z] = o->off + z * o->m.bs;
  }
  return e;
}

/* gemv and ger take offsets in bytes. */
static each bytes_of(const operand *o) {
  each e = each_of(o);

  for (size_t z = 0; z < BATCH; z++)
    e.offs[z] *= ga__dtype_size(o->m.typecode);
  return e;
}

/* --- gemm at even distances, and anywhere --- */

typedef int (*gemm_fn)(const trial *t, const operand *a, const operand *b,
                       const operand *c);

static int gemm_3d(const trial *t, const operand *a, const operand *b,
                   const operand *c) {
  const ssize_t as = (ssize_t)a->m.bs, bs = (ssize_t)b->m.bs;
  const ssize_t cs = (ssize_t)c->m.bs;

  if (t->typecode == GA_DOUBLE)
    return gpublas_dgemm3D(t->order, t->ta, t->tb, M, N, K, t->alpha, a->m.buf,
                           a->off, a->m.ld, as, b->m.buf, b->off, b->m.ld, bs,
                           t->beta, c->m.buf, c->off, c->m.ld, cs, BATCH, 0);
  return (t->typecode == GA_HALF ? gpublas_hgemm3D : gpublas_sgemm3D)(
      t->order, t->ta, t->tb, M, N, K, (float)t->alpha, a->m.buf, a->off,
      a->m.ld, as, b->m.buf, b->off, b->m.ld, bs, (float)t->beta, c->m.buf,
      c->off, c->m.ld, cs, BATCH, 0);
}

static int gemm_batch(const trial *t, const operand *a, const operand *b,
                      const operand *c) {
  each ea = each_of(a), eb = each_of(b), ec = each_of(c);

  if (t->typecode == GA_DOUBLE)
    return gpublas_dgemmBatch(t->order, t->ta, t->tb, M, N, K, t->alpha,
                              ea.bufs, ea.offs, a->m.ld, eb.bufs, eb.offs,
                              b->m.ld, t->beta, ec.bufs, ec.offs, c->m.ld,
                              BATCH, 0);
  return (t->typecode == GA_HALF ? gpublas_hgemmBatch : gpublas_sgemmBatch)(
      t->order, t->ta, t->tb, M, N, K, (float)t->alpha, ea.bufs, ea.offs,
      a->m.ld, eb.bufs, eb.offs, b->m.ld, (float)t->beta, ec.bufs, ec.offs,
      c->m.ld, BATCH, 0);
}

static void check_gemm(const trial *t, gemm_fn gemm) {
  operand a = operand_new(t, t->ta, M, K, BATCH, 1);
  operand b = operand_new(t, t->tb, K, N, BATCH, 2);
  operand c = operand_new(t, cb_no_trans, M, N, BATCH, t->beta == 0 ? 0 : 3);

  assert_ok(gemm(t, &a, &b, &c));
  for (size_t z = 0; z < BATCH; z++)
    for (size_t i = 0; i < M; i++)
      for (size_t j = 0; j < N; j++) {
        double sum = 0;

        for (size_t p = 0; p < K; p++)
          sum += get(&a, z, i, p) * get(&b, z, p, j);
        expect(&c, z, i, j, sum, t);
      }
  matrix_check(&c.m, K);
  matrix_free(&a.m);
  matrix_free(&b.m);
  matrix_free(&c.m);
}

static void check_gemm_3d(const trial *t) {
  check_gemm(t, gemm_3d);
}

static void check_gemm_batch(const trial *t) {
  check_gemm(t, gemm_batch);
}

static void test_gemm_3d(void **state) {
  (void)state;
  each_dtype(3, check_gemm_3d);
}

static void test_gemm_batch(void **state) {
  (void)state;
  each_dtype(3, check_gemm_batch);
}

/* --- gemv; unsigned increments are signed ones that were converted --- */

/* op(A) is M x N. */
static int gemv_batch(const trial *t, const operand *a, const operand *x,
                      int incx, const operand *y, int incy) {
  each ea = bytes_of(a), ex = bytes_of(x), ey = bytes_of(y);

  if (t->typecode == GA_DOUBLE)
    return gpublas_dgemvBatch(t->order, t->ta, M, N, t->alpha, ea.bufs, ea.offs,
                              a->m.ld, ex.bufs, ex.offs, (size_t)incx, t->beta,
                              ey.bufs, ey.offs, (size_t)incy, BATCH, 0);
  return (t->typecode == GA_HALF ? gpublas_hgemvBatch : gpublas_sgemvBatch)(
      t->order, t->ta, M, N, (float)t->alpha, ea.bufs, ea.offs, a->m.ld,
      ex.bufs, ex.offs, (size_t)incx, (float)t->beta, ey.bufs, ey.offs,
      (size_t)incy, BATCH, 0);
}

static void check_gemv_batch(const trial *t) {
  const int incx = incs[t->tb], incy = incs[(t->tb + 1) % 3];
  operand a = operand_new(t, t->ta, M, N, BATCH, 1);
  operand x = vector_new(t, N, inc_size(incx), BATCH, 2);
  operand y = vector_new(t, M, inc_size(incy), BATCH, t->beta == 0 ? 0 : 3);

  assert_ok(gemv_batch(t, &a, &x, incx, &y, incy));
  for (size_t z = 0; z < BATCH; z++)
    for (size_t i = 0; i < M; i++) {
      double sum = 0;

      for (size_t j = 0; j < N; j++)
        sum += get(&a, z, i, j) * get(&x, z, vector_row(j, N, incx), 0);
      expect(&y, z, vector_row(i, M, incy), 0, sum, t);
    }
  matrix_check(&y.m, N);
  matrix_free(&a.m);
  matrix_free(&x.m);
  matrix_free(&y.m);
}

static void test_gemv_batch(void **state) {
  (void)state;
  each_dtype(3, check_gemv_batch);
}

/* --- ger --- */

static int ger_batch(const trial *t, const operand *x, int incx,
                     const operand *y, int incy, const operand *a) {
  each ex = bytes_of(x), ey = bytes_of(y), ea = bytes_of(a);

  if (t->typecode == GA_DOUBLE)
    return gpublas_dgerBatch(t->order, M, N, t->alpha, ex.bufs, ex.offs,
                             (size_t)incx, ey.bufs, ey.offs, (size_t)incy,
                             ea.bufs, ea.offs, a->m.ld, BATCH, 0);
  return (t->typecode == GA_HALF ? gpublas_hgerBatch : gpublas_sgerBatch)(
      t->order, M, N, (float)t->alpha, ex.bufs, ex.offs, (size_t)incx, ey.bufs,
      ey.offs, (size_t)incy, ea.bufs, ea.offs, a->m.ld, BATCH, 0);
}

static void check_ger_batch(const trial *t) {
  const int incx = incs[t->tb], incy = incs[(t->tb + 1) % 3];
  operand x = vector_new(t, M, inc_size(incx), BATCH, 1);
  operand y = vector_new(t, N, inc_size(incy), BATCH, 2);
  operand a = operand_new(t, cb_no_trans, M, N, BATCH, 3);
  trial added = *t;

  added.beta = 1;
  assert_ok(ger_batch(t, &x, incx, &y, incy, &a));
  for (size_t z = 0; z < BATCH; z++)
    for (size_t i = 0; i < M; i++)
      for (size_t j = 0; j < N; j++)
        expect(&a, z, i, j,
               get(&x, z, vector_row(i, M, incx), 0) *
                   get(&y, z, vector_row(j, N, incy), 0),
               &added);
  matrix_check(&a.m, 1);
  matrix_free(&x.m);
  matrix_free(&y.m);
  matrix_free(&a.m);
}

static void test_ger_batch(void **state) {
  (void)state;
  each_dtype(3, check_ger_batch);
}

/* --- as a client of libgpuarray calls them --- */

/* A layer with weights in blocks: y[o] += W[i][o]^T x[i] for some i and o, with
 * blocks by columns and each y as often as it has blocks. M and N are the
 * lengths of y and x, all offsets are bytes. libgpuarray 0.7.6 has this on CUDA
 * alone, so the sums are those of its kernels, not of a run of it. */
static void test_sparse_blocks(void **state) {
  enum { ROWS = 5, COLS = 3, BLOCKS = 4, SIZE = sizeof(float) };
  static const size_t in[BLOCKS] = {0, 1, 1, 2}, out[BLOCKS] = {1, 0, 1, 1};
  matrix w = matrix_new(GA_FLOAT, ROWS, COLS, 0, BLOCKS, 1);
  matrix x = matrix_new(GA_FLOAT, COLS, 1, 0, 3, 2);
  matrix y = matrix_new(GA_FLOAT, ROWS, 1, 0, 2, 3);
  gpudata *ws[BLOCKS], *xs[BLOCKS], *ys[BLOCKS];
  size_t ow[BLOCKS], ox[BLOCKS], oy[BLOCKS];
  float *const hw = (float *)w.host + OFFSET, *const hx = (float *)x.host;
  float *const hy = (float *)y.host;

  (void)state;
  for (size_t b = 0; b < BLOCKS; b++) {
    ws[b] = w.buf;
    xs[b] = x.buf;
    ys[b] = y.buf;
    ow[b] = (OFFSET + b * w.bs) * SIZE;
    ox[b] = (OFFSET + in[b] * x.bs) * SIZE;
    oy[b] = (OFFSET + out[b] * y.bs) * SIZE;
  }
  assert_ok(gpublas_sgemvBatch(cb_fortran, cb_trans, ROWS, COLS, 1, ws, ow,
                               w.ld, xs, ox, 1, 1, ys, oy, 1, BLOCKS, 0));
  for (size_t b = 0; b < BLOCKS; b++)
    for (size_t i = 0; i < ROWS; i++)
      for (size_t j = 0; j < COLS; j++)
        hy[oy[b] / SIZE + i] +=
            hw[b * w.bs + i * w.ld + j] * hx[ox[b] / SIZE + j];
  matrix_check(&y, BLOCKS * COLS);
  /* Its gradient: W[i][o] += x[i] y[o]^T, by columns. */
  assert_ok(gpublas_sgerBatch(cb_fortran, COLS, ROWS, 1, xs, ox, 1, ys, oy, 1,
                              ws, ow, w.ld, BLOCKS, 0));
  for (size_t b = 0; b < BLOCKS; b++)
    for (size_t i = 0; i < ROWS; i++)
      for (size_t j = 0; j < COLS; j++)
        hw[b * w.bs + i * w.ld + j] +=
            hx[ox[b] / SIZE + j] * hy[oy[b] / SIZE + i];
  matrix_check(&w, BLOCKS * COLS);
  ow[1] += 2;
  assert_code(GA_UNALIGNED_ERROR,
              gpublas_sgemvBatch(cb_fortran, cb_trans, ROWS, COLS, 1, ws, ow,
                                 w.ld, xs, ox, 1, 1, ys, oy, 1, BLOCKS, 0));
  assert_message(GA_UNALIGNED_ERROR, "no multiple of 4 bytes");
  matrix_check(&y, BLOCKS * COLS);
  matrix_free(&w);
  matrix_free(&x);
  matrix_free(&y);
}

/* --- refusals --- */

/* Nothing of a batch is computed if one of it cannot be. */
static void test_refusals(void **state) {
  const trial t = {.typecode = GA_FLOAT, .order = cb_row, .alpha = 1};
  operand a = operand_new(&t, cb_no_trans, M, K, BATCH, 1);
  operand b = operand_new(&t, cb_no_trans, K, N, BATCH, 2);
  operand c = operand_new(&t, cb_no_trans, M, N, BATCH, 0);
  each ea = each_of(&a), eb = each_of(&b), ec = each_of(&c);
  each ba = bytes_of(&a), bb = bytes_of(&b), bc = bytes_of(&c);

  (void)state;
  ec.bufs[2] = a.m.buf;
  ec.offs[2] = a.off;
  assert_code(GA_VALUE_ERROR,
              gpublas_sgemmBatch(cb_row, cb_no_trans, cb_no_trans, M, N, K, 1,
                                 ea.bufs, ea.offs, a.m.ld, eb.bufs, eb.offs,
                                 b.m.ld, 0, ec.bufs, ec.offs, a.m.ld + N, BATCH,
                                 0));
  assert_code(GA_VALUE_ERROR,
              gpublas_sgemvBatch(cb_row, cb_no_trans, M, K, 1, ba.bufs, ba.offs,
                                 a.m.ld, bb.bufs, bb.offs, 0, 0, bc.bufs,
                                 bc.offs, 1, BATCH, 0));
  assert_message(GA_VALUE_ERROR, "incX is 0");
  assert_code(GA_VALUE_ERROR,
              gpublas_sgerBatch((cb_order)7, M, N, 1, bb.bufs, bb.offs, 1,
                                bb.bufs, bb.offs, 1, bc.bufs, bc.offs, c.m.ld,
                                0, 0));
  assert_code(GA_INVALID_ERROR,
              gpublas_sgerBatch(cb_row, M, N, 1, bb.bufs, bb.offs, 1, bb.bufs,
                                bb.offs, 1, bc.bufs, bc.offs, c.m.ld, 0, 1));
  matrix_check(&c.m, K);
  matrix_free(&a.m);
  matrix_free(&b.m);
  matrix_free(&c.m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_gemm_3d),       cmocka_unit_test(test_gemm_batch),
      cmocka_unit_test(test_gemv_batch),    cmocka_unit_test(test_ger_batch),
      cmocka_unit_test(test_sparse_blocks), cmocka_unit_test(test_refusals),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
