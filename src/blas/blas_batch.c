/* SPDX-License-Identifier: BSD-2-Clause */
/* The routines of buffer_blas.h for batches with operands anywhere. */
#include "blas/direct.h"

/* --- gemm --- */

int gpublas_hgemmBatch(cb_order order, cb_transpose transA, cb_transpose transB,
                       size_t M, size_t N, size_t K, float alpha, gpudata **A,
                       size_t *offA, size_t lda, gpudata **B, size_t *offB,
                       size_t ldb, float beta, gpudata **C, size_t *offC,
                       size_t ldc, size_t batchCount, int flags) {
  return ga__blas_gemm_batch(&(ga__blas_call){.typecode = GA_HALF,
                                              .order = order,
                                              .ta = transA,
                                              .tb = transB,
                                              .m = M,
                                              .n = N,
                                              .k = K,
                                              .alpha = {alpha, 0},
                                              .beta = {beta, 0}},
                             (ga__blas_each){A, offA, (ptrdiff_t)lda},
                             (ga__blas_each){B, offB, (ptrdiff_t)ldb},
                             (ga__blas_each){C, offC, (ptrdiff_t)ldc},
                             batchCount, flags);
}

int gpublas_sgemmBatch(cb_order order, cb_transpose transA, cb_transpose transB,
                       size_t M, size_t N, size_t K, float alpha, gpudata **A,
                       size_t *offA, size_t lda, gpudata **B, size_t *offB,
                       size_t ldb, float beta, gpudata **C, size_t *offC,
                       size_t ldc, size_t batchCount, int flags) {
  return ga__blas_gemm_batch(&(ga__blas_call){.typecode = GA_FLOAT,
                                              .order = order,
                                              .ta = transA,
                                              .tb = transB,
                                              .m = M,
                                              .n = N,
                                              .k = K,
                                              .alpha = {alpha, 0},
                                              .beta = {beta, 0}},
                             (ga__blas_each){A, offA, (ptrdiff_t)lda},
                             (ga__blas_each){B, offB, (ptrdiff_t)ldb},
                             (ga__blas_each){C, offC, (ptrdiff_t)ldc},
                             batchCount, flags);
}

int gpublas_dgemmBatch(cb_order order, cb_transpose transA, cb_transpose transB,
                       size_t M, size_t N, size_t K, double alpha, gpudata **A,
                       size_t *offA, size_t lda, gpudata **B, size_t *offB,
                       size_t ldb, double beta, gpudata **C, size_t *offC,
                       size_t ldc, size_t batchCount, int flags) {
  return ga__blas_gemm_batch(&(ga__blas_call){.typecode = GA_DOUBLE,
                                              .order = order,
                                              .ta = transA,
                                              .tb = transB,
                                              .m = M,
                                              .n = N,
                                              .k = K,
                                              .alpha = {alpha, 0},
                                              .beta = {beta, 0}},
                             (ga__blas_each){A, offA, (ptrdiff_t)lda},
                             (ga__blas_each){B, offB, (ptrdiff_t)ldb},
                             (ga__blas_each){C, offC, (ptrdiff_t)ldc},
                             batchCount, flags);
}

/* --- gemv --- */

int gpublas_hgemvBatch(cb_order order, cb_transpose transA, size_t M, size_t N,
                       float alpha, gpudata **A, size_t *offA, size_t lda,
                       gpudata **x, size_t *offX, size_t incX, float beta,
                       gpudata **y, size_t *offY, size_t incY,
                       size_t batchCount, int flags) {
  return ga__blas_gemv_batch(&(ga__blas_call){.typecode = GA_HALF,
                                              .order = order,
                                              .ta = transA,
                                              .m = M,
                                              .n = N,
                                              .alpha = {alpha, 0},
                                              .beta = {beta, 0}},
                             (ga__blas_each){A, offA, (ptrdiff_t)lda},
                             (ga__blas_each){x, offX, (ptrdiff_t)incX},
                             (ga__blas_each){y, offY, (ptrdiff_t)incY},
                             batchCount, flags);
}

int gpublas_sgemvBatch(cb_order order, cb_transpose transA, size_t M, size_t N,
                       float alpha, gpudata **A, size_t *offA, size_t lda,
                       gpudata **x, size_t *offX, size_t incX, float beta,
                       gpudata **y, size_t *offY, size_t incY,
                       size_t batchCount, int flags) {
  return ga__blas_gemv_batch(&(ga__blas_call){.typecode = GA_FLOAT,
                                              .order = order,
                                              .ta = transA,
                                              .m = M,
                                              .n = N,
                                              .alpha = {alpha, 0},
                                              .beta = {beta, 0}},
                             (ga__blas_each){A, offA, (ptrdiff_t)lda},
                             (ga__blas_each){x, offX, (ptrdiff_t)incX},
                             (ga__blas_each){y, offY, (ptrdiff_t)incY},
                             batchCount, flags);
}

int gpublas_dgemvBatch(cb_order order, cb_transpose transA, size_t M, size_t N,
                       double alpha, gpudata **A, size_t *offA, size_t lda,
                       gpudata **x, size_t *offX, size_t incX, double beta,
                       gpudata **y, size_t *offY, size_t incY,
                       size_t batchCount, int flags) {
  return ga__blas_gemv_batch(&(ga__blas_call){.typecode = GA_DOUBLE,
                                              .order = order,
                                              .ta = transA,
                                              .m = M,
                                              .n = N,
                                              .alpha = {alpha, 0},
                                              .beta = {beta, 0}},
                             (ga__blas_each){A, offA, (ptrdiff_t)lda},
                             (ga__blas_each){x, offX, (ptrdiff_t)incX},
                             (ga__blas_each){y, offY, (ptrdiff_t)incY},
                             batchCount, flags);
}

/* --- ger --- */

int gpublas_hgerBatch(cb_order order, size_t M, size_t N, float alpha,
                      gpudata **x, size_t *offX, size_t incX, gpudata **y,
                      size_t *offY, size_t incY, gpudata **A, size_t *offA,
                      size_t lda, size_t batchCount, int flags) {
  return ga__blas_ger_batch(&(ga__blas_call){.typecode = GA_HALF,
                                             .order = order,
                                             .m = M,
                                             .n = N,
                                             .alpha = {alpha, 0}},
                            (ga__blas_each){x, offX, (ptrdiff_t)incX},
                            (ga__blas_each){y, offY, (ptrdiff_t)incY},
                            (ga__blas_each){A, offA, (ptrdiff_t)lda},
                            batchCount, flags);
}

int gpublas_sgerBatch(cb_order order, size_t M, size_t N, float alpha,
                      gpudata **x, size_t *offX, size_t incX, gpudata **y,
                      size_t *offY, size_t incY, gpudata **A, size_t *offA,
                      size_t lda, size_t batchCount, int flags) {
  return ga__blas_ger_batch(&(ga__blas_call){.typecode = GA_FLOAT,
                                             .order = order,
                                             .m = M,
                                             .n = N,
                                             .alpha = {alpha, 0}},
                            (ga__blas_each){x, offX, (ptrdiff_t)incX},
                            (ga__blas_each){y, offY, (ptrdiff_t)incY},
                            (ga__blas_each){A, offA, (ptrdiff_t)lda},
                            batchCount, flags);
}

int gpublas_dgerBatch(cb_order order, size_t M, size_t N, double alpha,
                      gpudata **x, size_t *offX, size_t incX, gpudata **y,
                      size_t *offY, size_t incY, gpudata **A, size_t *offA,
                      size_t lda, size_t batchCount, int flags) {
  return ga__blas_ger_batch(&(ga__blas_call){.typecode = GA_DOUBLE,
                                             .order = order,
                                             .m = M,
                                             .n = N,
                                             .alpha = {alpha, 0}},
                            (ga__blas_each){x, offX, (ptrdiff_t)incX},
                            (ga__blas_each){y, offY, (ptrdiff_t)incY},
                            (ga__blas_each){A, offA, (ptrdiff_t)lda},
                            batchCount, flags);
}
