/* SPDX-License-Identifier: BSD-2-Clause */
/* Matrix products on device buffers: one, or a batch at even distances. */
#include "blas/direct.h"

/* What the calls have in common; pointers to matrices come beside it. */
typedef struct sizes {
  int typecode;
  cb_order order;
  cb_transpose ta, tb;
  size_t m, n, k, batch;
  double alpha, beta;
} sizes;

static int run_gemm(const sizes *s, const ga__blas_matrix *a,
                    const ga__blas_matrix *b, const ga__blas_matrix *c) {
  ga__gemm g = {.typecode = s->typecode,
                .m = s->m,
                .n = s->n,
                .k = s->k,
                .batch = s->batch,
                .alpha = s->alpha,
                .beta = s->beta};

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
  if (s->batch == 1) {
    GA_TRY(ga__blas_apart("C", &g.c, s->m, s->n, "A", &g.a, s->m, s->k,
                          s->typecode));
    GA_TRY(ga__blas_apart("C", &g.c, s->m, s->n, "B", &g.b, s->k, s->n,
                          s->typecode));
  }
  g.ctx = gpudata_context(c->buf);
  g.b.slot = 1;
  g.c.slot = 2;
  return ga__gemm_run(&g);
}

int gpublas_hgemm(cb_order order, cb_transpose transA, cb_transpose transB,
                  size_t M, size_t N, size_t K, float alpha, gpudata *A,
                  size_t offA, size_t lda, gpudata *B, size_t offB, size_t ldb,
                  float beta, gpudata *C, size_t offC, size_t ldc) {
  return run_gemm(
      &(sizes){GA_HALF, order, transA, transB, M, N, K, 1, alpha, beta},
      &(ga__blas_matrix){"A", A, offA, lda, 0},
      &(ga__blas_matrix){"B", B, offB, ldb, 0},
      &(ga__blas_matrix){"C", C, offC, ldc, 0});
}

int gpublas_sgemm(cb_order order, cb_transpose transA, cb_transpose transB,
                  size_t M, size_t N, size_t K, float alpha, gpudata *A,
                  size_t offA, size_t lda, gpudata *B, size_t offB, size_t ldb,
                  float beta, gpudata *C, size_t offC, size_t ldc) {
  return run_gemm(
      &(sizes){GA_FLOAT, order, transA, transB, M, N, K, 1, alpha, beta},
      &(ga__blas_matrix){"A", A, offA, lda, 0},
      &(ga__blas_matrix){"B", B, offB, ldb, 0},
      &(ga__blas_matrix){"C", C, offC, ldc, 0});
}

int gpublas_dgemm(cb_order order, cb_transpose transA, cb_transpose transB,
                  size_t M, size_t N, size_t K, double alpha, gpudata *A,
                  size_t offA, size_t lda, gpudata *B, size_t offB, size_t ldb,
                  double beta, gpudata *C, size_t offC, size_t ldc) {
  return run_gemm(
      &(sizes){GA_DOUBLE, order, transA, transB, M, N, K, 1, alpha, beta},
      &(ga__blas_matrix){"A", A, offA, lda, 0},
      &(ga__blas_matrix){"B", B, offB, ldb, 0},
      &(ga__blas_matrix){"C", C, offC, ldc, 0});
}

int gpublas_hgemm3D(cb_order order, cb_transpose transA, cb_transpose transB,
                    size_t M, size_t N, size_t K, float alpha, gpudata *A,
                    size_t offA, size_t lda, ssize_t strideA, gpudata *B,
                    size_t offB, size_t ldb, ssize_t strideB, float beta,
                    gpudata *C, size_t offC, size_t ldc, ssize_t strideC,
                    size_t batchCount, int flags) {
  GA_TRY(ga__blas_flags(flags));
  return run_gemm(&(sizes){GA_HALF, order, transA, transB, M, N, K, batchCount,
                           alpha, beta},
                  &(ga__blas_matrix){"A", A, offA, lda, strideA},
                  &(ga__blas_matrix){"B", B, offB, ldb, strideB},
                  &(ga__blas_matrix){"C", C, offC, ldc, strideC});
}

int gpublas_sgemm3D(cb_order order, cb_transpose transA, cb_transpose transB,
                    size_t M, size_t N, size_t K, float alpha, gpudata *A,
                    size_t offA, size_t lda, ssize_t strideA, gpudata *B,
                    size_t offB, size_t ldb, ssize_t strideB, float beta,
                    gpudata *C, size_t offC, size_t ldc, ssize_t strideC,
                    size_t batchCount, int flags) {
  GA_TRY(ga__blas_flags(flags));
  return run_gemm(&(sizes){GA_FLOAT, order, transA, transB, M, N, K, batchCount,
                           alpha, beta},
                  &(ga__blas_matrix){"A", A, offA, lda, strideA},
                  &(ga__blas_matrix){"B", B, offB, ldb, strideB},
                  &(ga__blas_matrix){"C", C, offC, ldc, strideC});
}

int gpublas_dgemm3D(cb_order order, cb_transpose transA, cb_transpose transB,
                    size_t M, size_t N, size_t K, double alpha, gpudata *A,
                    size_t offA, size_t lda, ssize_t strideA, gpudata *B,
                    size_t offB, size_t ldb, ssize_t strideB, double beta,
                    gpudata *C, size_t offC, size_t ldc, ssize_t strideC,
                    size_t batchCount, int flags) {
  GA_TRY(ga__blas_flags(flags));
  return run_gemm(&(sizes){GA_DOUBLE, order, transA, transB, M, N, K,
                           batchCount, alpha, beta},
                  &(ga__blas_matrix){"A", A, offA, lda, strideA},
                  &(ga__blas_matrix){"B", B, offB, ldb, strideB},
                  &(ga__blas_matrix){"C", C, offC, ldc, strideC});
}
