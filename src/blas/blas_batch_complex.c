/* SPDX-License-Identifier: BSD-2-Clause */
/* The routines of blas_complex.h for batches with operands anywhere. */
#include <gpuarray/blas_complex.h>

#include "blas/direct.h"

/* --- gemm --- */

int gpublas_cgemmBatch(cb_order order, cb_transpose transA, cb_transpose transB,
                       size_t M, size_t N, size_t K, ga_complex alpha,
                       gpudata **A, size_t *offA, size_t lda, gpudata **B,
                       size_t *offB, size_t ldb, ga_complex beta, gpudata **C,
                       size_t *offC, size_t ldc, size_t batchCount, int flags) {
  return ga__blas_gemm_batch(&(ga__blas_call){.typecode = GA_CFLOAT,
                                              .order = order,
                                              .ta = transA,
                                              .tb = transB,
                                              .m = M,
                                              .n = N,
                                              .k = K,
                                              .alpha = alpha,
                                              .beta = beta},
                             (ga__blas_each){A, offA, (ptrdiff_t)lda},
                             (ga__blas_each){B, offB, (ptrdiff_t)ldb},
                             (ga__blas_each){C, offC, (ptrdiff_t)ldc},
                             batchCount, flags);
}

int gpublas_zgemmBatch(cb_order order, cb_transpose transA, cb_transpose transB,
                       size_t M, size_t N, size_t K, ga_complex alpha,
                       gpudata **A, size_t *offA, size_t lda, gpudata **B,
                       size_t *offB, size_t ldb, ga_complex beta, gpudata **C,
                       size_t *offC, size_t ldc, size_t batchCount, int flags) {
  return ga__blas_gemm_batch(&(ga__blas_call){.typecode = GA_CDOUBLE,
                                              .order = order,
                                              .ta = transA,
                                              .tb = transB,
                                              .m = M,
                                              .n = N,
                                              .k = K,
                                              .alpha = alpha,
                                              .beta = beta},
                             (ga__blas_each){A, offA, (ptrdiff_t)lda},
                             (ga__blas_each){B, offB, (ptrdiff_t)ldb},
                             (ga__blas_each){C, offC, (ptrdiff_t)ldc},
                             batchCount, flags);
}

/* --- gemv --- */

int gpublas_cgemvBatch(cb_order order, cb_transpose transA, size_t M, size_t N,
                       ga_complex alpha, gpudata **A, size_t *offA, size_t lda,
                       gpudata **X, size_t *offX, ssize_t incX, ga_complex beta,
                       gpudata **Y, size_t *offY, ssize_t incY,
                       size_t batchCount, int flags) {
  return ga__blas_gemv_batch(&(ga__blas_call){.typecode = GA_CFLOAT,
                                              .order = order,
                                              .ta = transA,
                                              .m = M,
                                              .n = N,
                                              .alpha = alpha,
                                              .beta = beta},
                             (ga__blas_each){A, offA, (ptrdiff_t)lda},
                             (ga__blas_each){X, offX, (ptrdiff_t)incX},
                             (ga__blas_each){Y, offY, (ptrdiff_t)incY},
                             batchCount, flags);
}

int gpublas_zgemvBatch(cb_order order, cb_transpose transA, size_t M, size_t N,
                       ga_complex alpha, gpudata **A, size_t *offA, size_t lda,
                       gpudata **X, size_t *offX, ssize_t incX, ga_complex beta,
                       gpudata **Y, size_t *offY, ssize_t incY,
                       size_t batchCount, int flags) {
  return ga__blas_gemv_batch(&(ga__blas_call){.typecode = GA_CDOUBLE,
                                              .order = order,
                                              .ta = transA,
                                              .m = M,
                                              .n = N,
                                              .alpha = alpha,
                                              .beta = beta},
                             (ga__blas_each){A, offA, (ptrdiff_t)lda},
                             (ga__blas_each){X, offX, (ptrdiff_t)incX},
                             (ga__blas_each){Y, offY, (ptrdiff_t)incY},
                             batchCount, flags);
}

/* --- ger --- */

int gpublas_cgeruBatch(cb_order order, size_t M, size_t N, ga_complex alpha,
                       gpudata **X, size_t *offX, ssize_t incX, gpudata **Y,
                       size_t *offY, ssize_t incY, gpudata **A, size_t *offA,
                       size_t lda, size_t batchCount, int flags) {
  return ga__blas_ger_batch(&(ga__blas_call){.typecode = GA_CFLOAT,
                                             .order = order,
                                             .m = M,
                                             .n = N,
                                             .alpha = alpha},
                            (ga__blas_each){X, offX, (ptrdiff_t)incX},
                            (ga__blas_each){Y, offY, (ptrdiff_t)incY},
                            (ga__blas_each){A, offA, (ptrdiff_t)lda},
                            batchCount, flags);
}

int gpublas_zgeruBatch(cb_order order, size_t M, size_t N, ga_complex alpha,
                       gpudata **X, size_t *offX, ssize_t incX, gpudata **Y,
                       size_t *offY, ssize_t incY, gpudata **A, size_t *offA,
                       size_t lda, size_t batchCount, int flags) {
  return ga__blas_ger_batch(&(ga__blas_call){.typecode = GA_CDOUBLE,
                                             .order = order,
                                             .m = M,
                                             .n = N,
                                             .alpha = alpha},
                            (ga__blas_each){X, offX, (ptrdiff_t)incX},
                            (ga__blas_each){Y, offY, (ptrdiff_t)incY},
                            (ga__blas_each){A, offA, (ptrdiff_t)lda},
                            batchCount, flags);
}

int gpublas_cgercBatch(cb_order order, size_t M, size_t N, ga_complex alpha,
                       gpudata **X, size_t *offX, ssize_t incX, gpudata **Y,
                       size_t *offY, ssize_t incY, gpudata **A, size_t *offA,
                       size_t lda, size_t batchCount, int flags) {
  return ga__blas_ger_batch(&(ga__blas_call){.typecode = GA_CFLOAT,
                                             .order = order,
                                             .conj = 1,
                                             .m = M,
                                             .n = N,
                                             .alpha = alpha},
                            (ga__blas_each){X, offX, (ptrdiff_t)incX},
                            (ga__blas_each){Y, offY, (ptrdiff_t)incY},
                            (ga__blas_each){A, offA, (ptrdiff_t)lda},
                            batchCount, flags);
}

int gpublas_zgercBatch(cb_order order, size_t M, size_t N, ga_complex alpha,
                       gpudata **X, size_t *offX, ssize_t incX, gpudata **Y,
                       size_t *offY, ssize_t incY, gpudata **A, size_t *offA,
                       size_t lda, size_t batchCount, int flags) {
  return ga__blas_ger_batch(&(ga__blas_call){.typecode = GA_CDOUBLE,
                                             .order = order,
                                             .conj = 1,
                                             .m = M,
                                             .n = N,
                                             .alpha = alpha},
                            (ga__blas_each){X, offX, (ptrdiff_t)incX},
                            (ga__blas_each){Y, offY, (ptrdiff_t)incY},
                            (ga__blas_each){A, offA, (ptrdiff_t)lda},
                            batchCount, flags);
}
