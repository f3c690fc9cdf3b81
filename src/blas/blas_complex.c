/* SPDX-License-Identifier: BSD-2-Clause */
/* Complex BLAS on device buffers, one product per call. */
#include <gpuarray/blas_complex.h>

#include "blas/direct.h"
#include "blas/product_complex.h"

/* A vector as BLAS has it. */
typedef struct vector {
  const char *name; /* for messages: "X" */
  gpudata *buf;
  size_t off;  /* numbers */
  ssize_t inc; /* numbers */
} vector;

static int vector_operand(ga__operand *out, const vector *v, int typecode,
                          size_t n) {
  return ga__blas_vector_operand(out, v->name, v->buf, v->off, v->inc, typecode,
                                 n);
}

/* --- dot --- */

static int run_dot(int typecode, int conj, size_t n, const vector *x,
                   const vector *y, const vector *z) {
  ga__cdot d = {.typecode = typecode, .n = n, .conj_x = conj};

  GA_TRY(vector_operand(&d.x, x, typecode, n));
  GA_TRY(vector_operand(&d.y, y, typecode, n));
  GA_TRY(vector_operand(&d.z, z, typecode, 1));
  d.ctx = gpudata_context(z->buf);
  d.y.slot = 1;
  d.z.slot = 2;
  return ga__cdot_run(&d);
}

int gpublas_cdotu(size_t N, gpudata *X, size_t offX, ssize_t incX, gpudata *Y,
                  size_t offY, ssize_t incY, gpudata *Z, size_t offZ) {
  return run_dot(GA_CFLOAT, 0, N, &(vector){"X", X, offX, incX},
                 &(vector){"Y", Y, offY, incY}, &(vector){"Z", Z, offZ, 1});
}

int gpublas_zdotu(size_t N, gpudata *X, size_t offX, ssize_t incX, gpudata *Y,
                  size_t offY, ssize_t incY, gpudata *Z, size_t offZ) {
  return run_dot(GA_CDOUBLE, 0, N, &(vector){"X", X, offX, incX},
                 &(vector){"Y", Y, offY, incY}, &(vector){"Z", Z, offZ, 1});
}

int gpublas_cdotc(size_t N, gpudata *X, size_t offX, ssize_t incX, gpudata *Y,
                  size_t offY, ssize_t incY, gpudata *Z, size_t offZ) {
  return run_dot(GA_CFLOAT, 1, N, &(vector){"X", X, offX, incX},
                 &(vector){"Y", Y, offY, incY}, &(vector){"Z", Z, offZ, 1});
}

int gpublas_zdotc(size_t N, gpudata *X, size_t offX, ssize_t incX, gpudata *Y,
                  size_t offY, ssize_t incY, gpudata *Z, size_t offZ) {
  return run_dot(GA_CDOUBLE, 1, N, &(vector){"X", X, offX, incX},
                 &(vector){"Y", Y, offY, incY}, &(vector){"Z", Z, offZ, 1});
}

/* --- gemv --- */

static int run_gemv(int typecode, cb_order order, cb_transpose trans, size_t m,
                    size_t n, ga_complex alpha, const ga__blas_matrix *a,
                    const vector *x, ga_complex beta, const vector *y) {
  const int turned = trans != cb_no_trans;
  ga__cgemv g = {.typecode = typecode,
                 .m = turned ? n : m,
                 .n = turned ? m : n,
                 .alpha = alpha,
                 .beta = beta,
                 .conj_a = trans == cb_conj_trans};

  GA_TRY(ga__blas_order(order));
  GA_TRY(ga__blas_trans("A", trans));
  GA_TRY(ga__blas_matrix_operand(&g.a, a, typecode, order, trans, g.m, g.n, 1));
  GA_TRY(vector_operand(&g.x, x, typecode, g.n));
  GA_TRY(vector_operand(&g.y, y, typecode, g.m));
  g.ctx = gpudata_context(y->buf);
  g.x.slot = 1;
  g.y.slot = 2;
  return ga__cgemv_run(&g);
}

int gpublas_cgemv(cb_order order, cb_transpose transA, size_t M, size_t N,
                  ga_complex alpha, gpudata *A, size_t offA, size_t lda,
                  gpudata *X, size_t offX, ssize_t incX, ga_complex beta,
                  gpudata *Y, size_t offY, ssize_t incY) {
  return run_gemv(GA_CFLOAT, order, transA, M, N, alpha,
                  &(ga__blas_matrix){"A", A, offA, lda, 0},
                  &(vector){"X", X, offX, incX}, beta,
                  &(vector){"Y", Y, offY, incY});
}

int gpublas_zgemv(cb_order order, cb_transpose transA, size_t M, size_t N,
                  ga_complex alpha, gpudata *A, size_t offA, size_t lda,
                  gpudata *X, size_t offX, ssize_t incX, ga_complex beta,
                  gpudata *Y, size_t offY, ssize_t incY) {
  return run_gemv(GA_CDOUBLE, order, transA, M, N, alpha,
                  &(ga__blas_matrix){"A", A, offA, lda, 0},
                  &(vector){"X", X, offX, incX}, beta,
                  &(vector){"Y", Y, offY, incY});
}

/* --- ger --- */

static int run_ger(int typecode, int conj, cb_order order, size_t m, size_t n,
                   ga_complex alpha, const vector *x, const vector *y,
                   const ga__blas_matrix *a) {
  ga__cger g = {
      .typecode = typecode, .m = m, .n = n, .alpha = alpha, .conj_y = conj};

  GA_TRY(ga__blas_order(order));
  GA_TRY(vector_operand(&g.x, x, typecode, m));
  GA_TRY(vector_operand(&g.y, y, typecode, n));
  GA_TRY(
      ga__blas_matrix_operand(&g.a, a, typecode, order, cb_no_trans, m, n, 1));
  g.ctx = gpudata_context(a->buf);
  g.y.slot = 1;
  g.a.slot = 2;
  return ga__cger_run(&g);
}

int gpublas_cgeru(cb_order order, size_t M, size_t N, ga_complex alpha,
                  gpudata *X, size_t offX, ssize_t incX, gpudata *Y,
                  size_t offY, ssize_t incY, gpudata *A, size_t offA,
                  size_t lda) {
  return run_ger(GA_CFLOAT, 0, order, M, N, alpha,
                 &(vector){"X", X, offX, incX}, &(vector){"Y", Y, offY, incY},
                 &(ga__blas_matrix){"A", A, offA, lda, 0});
}

int gpublas_zgeru(cb_order order, size_t M, size_t N, ga_complex alpha,
                  gpudata *X, size_t offX, ssize_t incX, gpudata *Y,
                  size_t offY, ssize_t incY, gpudata *A, size_t offA,
                  size_t lda) {
  return run_ger(GA_CDOUBLE, 0, order, M, N, alpha,
                 &(vector){"X", X, offX, incX}, &(vector){"Y", Y, offY, incY},
                 &(ga__blas_matrix){"A", A, offA, lda, 0});
}

int gpublas_cgerc(cb_order order, size_t M, size_t N, ga_complex alpha,
                  gpudata *X, size_t offX, ssize_t incX, gpudata *Y,
                  size_t offY, ssize_t incY, gpudata *A, size_t offA,
                  size_t lda) {
  return run_ger(GA_CFLOAT, 1, order, M, N, alpha,
                 &(vector){"X", X, offX, incX}, &(vector){"Y", Y, offY, incY},
                 &(ga__blas_matrix){"A", A, offA, lda, 0});
}

int gpublas_zgerc(cb_order order, size_t M, size_t N, ga_complex alpha,
                  gpudata *X, size_t offX, ssize_t incX, gpudata *Y,
                  size_t offY, ssize_t incY, gpudata *A, size_t offA,
                  size_t lda) {
  return run_ger(GA_CDOUBLE, 1, order, M, N, alpha,
                 &(vector){"X", X, offX, incX}, &(vector){"Y", Y, offY, incY},
                 &(ga__blas_matrix){"A", A, offA, lda, 0});
}

/* --- gemm --- */

/* What the calls have in common; pointers to matrices come beside it. */
typedef struct sizes {
  int typecode;
  cb_order order;
  cb_transpose ta, tb;
  size_t m, n, k, batch;
  ga_complex alpha, beta;
} sizes;

static int run_gemm(const sizes *s, const ga__blas_matrix *a,
                    const ga__blas_matrix *b, const ga__blas_matrix *c) {
  ga__cgemm g = {.typecode = s->typecode,
                 .m = s->m,
                 .n = s->n,
                 .k = s->k,
                 .batch = s->batch,
                 .alpha = s->alpha,
                 .beta = s->beta,
                 .conj_a = s->ta == cb_conj_trans,
                 .conj_b = s->tb == cb_conj_trans};

  GA_TRY(ga__blas_order(s->order));
  GA_TRY(ga__blas_trans("A", s->ta));
  GA_TRY(ga__blas_trans("B", s->tb));
  GA_TRY(ga__blas_matrix_operand(&g.a, a, s->typecode, s->order, s->ta, s->m,
                                 s->k, s->batch));
  GA_TRY(ga__blas_matrix_operand(&g.b, b, s->typecode, s->order, s->tb, s->k,
                                 s->n, s->batch));
  GA_TRY(ga__blas_matrix_operand(&g.c, c, s->typecode, s->order, cb_no_trans,
                                 s->m, s->n, s->batch));
  if (s->batch > 1 && c->bs == 0)
    return ga__fail(GA_VALUE_ERROR, "C: stride 0 puts %zu results in one place",
                    s->batch);
  g.ctx = gpudata_context(c->buf);
  g.b.slot = 1;
  g.c.slot = 2;
  return ga__cgemm_run(&g);
}

int gpublas_cgemm(cb_order order, cb_transpose transA, cb_transpose transB,
                  size_t M, size_t N, size_t K, ga_complex alpha, gpudata *A,
                  size_t offA, size_t lda, gpudata *B, size_t offB, size_t ldb,
                  ga_complex beta, gpudata *C, size_t offC, size_t ldc) {
  return run_gemm(
      &(sizes){GA_CFLOAT, order, transA, transB, M, N, K, 1, alpha, beta},
      &(ga__blas_matrix){"A", A, offA, lda, 0},
      &(ga__blas_matrix){"B", B, offB, ldb, 0},
      &(ga__blas_matrix){"C", C, offC, ldc, 0});
}

int gpublas_zgemm(cb_order order, cb_transpose transA, cb_transpose transB,
                  size_t M, size_t N, size_t K, ga_complex alpha, gpudata *A,
                  size_t offA, size_t lda, gpudata *B, size_t offB, size_t ldb,
                  ga_complex beta, gpudata *C, size_t offC, size_t ldc) {
  return run_gemm(
      &(sizes){GA_CDOUBLE, order, transA, transB, M, N, K, 1, alpha, beta},
      &(ga__blas_matrix){"A", A, offA, lda, 0},
      &(ga__blas_matrix){"B", B, offB, ldb, 0},
      &(ga__blas_matrix){"C", C, offC, ldc, 0});
}

int gpublas_cgemm3D(cb_order order, cb_transpose transA, cb_transpose transB,
                    size_t M, size_t N, size_t K, ga_complex alpha, gpudata *A,
                    size_t offA, size_t lda, ssize_t strideA, gpudata *B,
                    size_t offB, size_t ldb, ssize_t strideB, ga_complex beta,
                    gpudata *C, size_t offC, size_t ldc, ssize_t strideC,
                    size_t batchCount, int flags) {
  GA_TRY(ga__blas_flags(flags));
  return run_gemm(&(sizes){GA_CFLOAT, order, transA, transB, M, N, K,
                           batchCount, alpha, beta},
                  &(ga__blas_matrix){"A", A, offA, lda, strideA},
                  &(ga__blas_matrix){"B", B, offB, ldb, strideB},
                  &(ga__blas_matrix){"C", C, offC, ldc, strideC});
}

int gpublas_zgemm3D(cb_order order, cb_transpose transA, cb_transpose transB,
                    size_t M, size_t N, size_t K, ga_complex alpha, gpudata *A,
                    size_t offA, size_t lda, ssize_t strideA, gpudata *B,
                    size_t offB, size_t ldb, ssize_t strideB, ga_complex beta,
                    gpudata *C, size_t offC, size_t ldc, ssize_t strideC,
                    size_t batchCount, int flags) {
  GA_TRY(ga__blas_flags(flags));
  return run_gemm(&(sizes){GA_CDOUBLE, order, transA, transB, M, N, K,
                           batchCount, alpha, beta},
                  &(ga__blas_matrix){"A", A, offA, lda, strideA},
                  &(ga__blas_matrix){"B", B, offB, ldb, strideB},
                  &(ga__blas_matrix){"C", C, offC, ldc, strideC});
}
