/* SPDX-License-Identifier: BSD-2-Clause */
/* The routines of blas_complex.h that compute one product, and gemm3D. */
#include <gpuarray/blas_complex.h>

#include "blas/direct.h"

/* --- dot --- */

int gpublas_cdotu(size_t N, gpudata *X, size_t offX, ssize_t incX, gpudata *Y,
                  size_t offY, ssize_t incY, gpudata *Z, size_t offZ) {
  return ga__blas_dot(&(ga__blas_call){.typecode = GA_CFLOAT, .n = N},
                      &(ga__blas_vector){"X", X, offX, incX},
                      &(ga__blas_vector){"Y", Y, offY, incY},
                      &(ga__blas_vector){"Z", Z, offZ, 1});
}

int gpublas_zdotu(size_t N, gpudata *X, size_t offX, ssize_t incX, gpudata *Y,
                  size_t offY, ssize_t incY, gpudata *Z, size_t offZ) {
  return ga__blas_dot(&(ga__blas_call){.typecode = GA_CDOUBLE, .n = N},
                      &(ga__blas_vector){"X", X, offX, incX},
                      &(ga__blas_vector){"Y", Y, offY, incY},
                      &(ga__blas_vector){"Z", Z, offZ, 1});
}

int gpublas_cdotc(size_t N, gpudata *X, size_t offX, ssize_t incX, gpudata *Y,
                  size_t offY, ssize_t incY, gpudata *Z, size_t offZ) {
  return ga__blas_dot(
      &(ga__blas_call){.typecode = GA_CFLOAT, .conj = 1, .n = N},
      &(ga__blas_vector){"X", X, offX, incX},
      &(ga__blas_vector){"Y", Y, offY, incY},
      &(ga__blas_vector){"Z", Z, offZ, 1});
}

int gpublas_zdotc(size_t N, gpudata *X, size_t offX, ssize_t incX, gpudata *Y,
                  size_t offY, ssize_t incY, gpudata *Z, size_t offZ) {
  return ga__blas_dot(
      &(ga__blas_call){.typecode = GA_CDOUBLE, .conj = 1, .n = N},
      &(ga__blas_vector){"X", X, offX, incX},
      &(ga__blas_vector){"Y", Y, offY, incY},
      &(ga__blas_vector){"Z", Z, offZ, 1});
}

/* --- gemv --- */

int gpublas_cgemv(cb_order order, cb_transpose transA, size_t M, size_t N,
                  ga_complex alpha, gpudata *A, size_t offA, size_t lda,
                  gpudata *X, size_t offX, ssize_t incX, ga_complex beta,
                  gpudata *Y, size_t offY, ssize_t incY) {
  return ga__blas_gemv(&(ga__blas_call){.typecode = GA_CFLOAT,
                                        .order = order,
                                        .ta = transA,
                                        .m = M,
                                        .n = N,
                                        .alpha = alpha,
                                        .beta = beta},
                       &(ga__blas_matrix){"A", A, offA, lda, 0},
                       &(ga__blas_vector){"X", X, offX, incX},
                       &(ga__blas_vector){"Y", Y, offY, incY});
}

int gpublas_zgemv(cb_order order, cb_transpose transA, size_t M, size_t N,
                  ga_complex alpha, gpudata *A, size_t offA, size_t lda,
                  gpudata *X, size_t offX, ssize_t incX, ga_complex beta,
                  gpudata *Y, size_t offY, ssize_t incY) {
  return ga__blas_gemv(&(ga__blas_call){.typecode = GA_CDOUBLE,
                                        .order = order,
                                        .ta = transA,
                                        .m = M,
                                        .n = N,
                                        .alpha = alpha,
                                        .beta = beta},
                       &(ga__blas_matrix){"A", A, offA, lda, 0},
                       &(ga__blas_vector){"X", X, offX, incX},
                       &(ga__blas_vector){"Y", Y, offY, incY});
}

/* --- ger --- */

int gpublas_cgeru(cb_order order, size_t M, size_t N, ga_complex alpha,
                  gpudata *X, size_t offX, ssize_t incX, gpudata *Y,
                  size_t offY, ssize_t incY, gpudata *A, size_t offA,
                  size_t lda) {
  return ga__blas_ger(&(ga__blas_call){.typecode = GA_CFLOAT,
                                       .order = order,
                                       .m = M,
                                       .n = N,
                                       .alpha = alpha},
                      &(ga__blas_vector){"X", X, offX, incX},
                      &(ga__blas_vector){"Y", Y, offY, incY},
                      &(ga__blas_matrix){"A", A, offA, lda, 0});
}

int gpublas_zgeru(cb_order order, size_t M, size_t N, ga_complex alpha,
                  gpudata *X, size_t offX, ssize_t incX, gpudata *Y,
                  size_t offY, ssize_t incY, gpudata *A, size_t offA,
                  size_t lda) {
  return ga__blas_ger(&(ga__blas_call){.typecode = GA_CDOUBLE,
                                       .order = order,
                                       .m = M,
                                       .n = N,
                                       .alpha = alpha},
                      &(ga__blas_vector){"X", X, offX, incX},
                      &(ga__blas_vector){"Y", Y, offY, incY},
                      &(ga__blas_matrix){"A", A, offA, lda, 0});
}

int gpublas_cgerc(cb_order order, size_t M, size_t N, ga_complex alpha,
                  gpudata *X, size_t offX, ssize_t incX, gpudata *Y,
                  size_t offY, ssize_t incY, gpudata *A, size_t offA,
                  size_t lda) {
  return ga__blas_ger(&(ga__blas_call){.typecode = GA_CFLOAT,
                                       .order = order,
                                       .conj = 1,
                                       .m = M,
                                       .n = N,
                                       .alpha = alpha},
                      &(ga__blas_vector){"X", X, offX, incX},
                      &(ga__blas_vector){"Y", Y, offY, incY},
                      &(ga__blas_matrix){"A", A, offA, lda, 0});
}

int gpublas_zgerc(cb_order order, size_t M, size_t N, ga_complex alpha,
                  gpudata *X, size_t offX, ssize_t incX, gpudata *Y,
                  size_t offY, ssize_t incY, gpudata *A, size_t offA,
                  size_t lda) {
  return ga__blas_ger(&(ga__blas_call){.typecode = GA_CDOUBLE,
                                       .order = order,
                                       .conj = 1,
                                       .m = M,
                                       .n = N,
                                       .alpha = alpha},
                      &(ga__blas_vector){"X", X, offX, incX},
                      &(ga__blas_vector){"Y", Y, offY, incY},
                      &(ga__blas_matrix){"A", A, offA, lda, 0});
}

/* --- gemm --- */

int gpublas_cgemm(cb_order order, cb_transpose transA, cb_transpose transB,
                  size_t M, size_t N, size_t K, ga_complex alpha, gpudata *A,
                  size_t offA, size_t lda, gpudata *B, size_t offB, size_t ldb,
                  ga_complex beta, gpudata *C, size_t offC, size_t ldc) {
  return ga__blas_gemm(&(ga__blas_call){.typecode = GA_CFLOAT,
                                        .order = order,
                                        .ta = transA,
                                        .tb = transB,
                                        .m = M,
                                        .n = N,
                                        .k = K,
                                        .alpha = alpha,
                                        .beta = beta},
                       &(ga__blas_matrix){"A", A, offA, lda, 0},
                       &(ga__blas_matrix){"B", B, offB, ldb, 0},
                       &(ga__blas_matrix){"C", C, offC, ldc, 0}, 1, 0);
}

int gpublas_zgemm(cb_order order, cb_transpose transA, cb_transpose transB,
                  size_t M, size_t N, size_t K, ga_complex alpha, gpudata *A,
                  size_t offA, size_t lda, gpudata *B, size_t offB, size_t ldb,
                  ga_complex beta, gpudata *C, size_t offC, size_t ldc) {
  return ga__blas_gemm(&(ga__blas_call){.typecode = GA_CDOUBLE,
                                        .order = order,
                                        .ta = transA,
                                        .tb = transB,
                                        .m = M,
                                        .n = N,
                                        .k = K,
                                        .alpha = alpha,
                                        .beta = beta},
                       &(ga__blas_matrix){"A", A, offA, lda, 0},
                       &(ga__blas_matrix){"B", B, offB, ldb, 0},
                       &(ga__blas_matrix){"C", C, offC, ldc, 0}, 1, 0);
}

int gpublas_cgemm3D(cb_order order, cb_transpose transA, cb_transpose transB,
                    size_t M, size_t N, size_t K, ga_complex alpha, gpudata *A,
                    size_t offA, size_t lda, ssize_t strideA, gpudata *B,
                    size_t offB, size_t ldb, ssize_t strideB, ga_complex beta,
                    gpudata *C, size_t offC, size_t ldc, ssize_t strideC,
                    size_t batchCount, int flags) {
  return ga__blas_gemm(&(ga__blas_call){.typecode = GA_CFLOAT,
                                        .order = order,
                                        .ta = transA,
                                        .tb = transB,
                                        .m = M,
                                        .n = N,
                                        .k = K,
                                        .alpha = alpha,
                                        .beta = beta},
                       &(ga__blas_matrix){"A", A, offA, lda, strideA},
                       &(ga__blas_matrix){"B", B, offB, ldb, strideB},
                       &(ga__blas_matrix){"C", C, offC, ldc, strideC},
                       batchCount, flags);
}

int gpublas_zgemm3D(cb_order order, cb_transpose transA, cb_transpose transB,
                    size_t M, size_t N, size_t K, ga_complex alpha, gpudata *A,
                    size_t offA, size_t lda, ssize_t strideA, gpudata *B,
                    size_t offB, size_t ldb, ssize_t strideB, ga_complex beta,
                    gpudata *C, size_t offC, size_t ldc, ssize_t strideC,
                    size_t batchCount, int flags) {
  return ga__blas_gemm(&(ga__blas_call){.typecode = GA_CDOUBLE,
                                        .order = order,
                                        .ta = transA,
                                        .tb = transB,
                                        .m = M,
                                        .n = N,
                                        .k = K,
                                        .alpha = alpha,
                                        .beta = beta},
                       &(ga__blas_matrix){"A", A, offA, lda, strideA},
                       &(ga__blas_matrix){"B", B, offB, ldb, strideB},
                       &(ga__blas_matrix){"C", C, offC, ldc, strideC},
                       batchCount, flags);
}
