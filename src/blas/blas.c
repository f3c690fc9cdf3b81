/* SPDX-License-Identifier: BSD-2-Clause */
/* The routines of buffer_blas.h that compute one product, and gemm3D. */
#include "blas/direct.h"

int gpublas_setup(gpucontext *ctx) {
  return ga__reuse_setup(ctx);
}

void gpublas_teardown(gpucontext *ctx) {
  ga__reuse_teardown(ctx);
}

const char *gpublas_error(gpucontext *ctx) {
  (void)ctx; /* the message belongs to the thread */
  return ga__err_text(GA_NO_ERROR);
}

/* --- dot --- */

int gpublas_hdot(size_t N, gpudata *X, size_t offX, size_t incX, gpudata *Y,
                 size_t offY, size_t incY, gpudata *Z, size_t offZ) {
  return ga__blas_dot(&(ga__blas_call){.typecode = GA_HALF, .n = N},
                      &(ga__blas_vector){"X", X, offX, (ptrdiff_t)incX},
                      &(ga__blas_vector){"Y", Y, offY, (ptrdiff_t)incY},
                      &(ga__blas_vector){"Z", Z, offZ, 1});
}

int gpublas_sdot(size_t N, gpudata *X, size_t offX, size_t incX, gpudata *Y,
                 size_t offY, size_t incY, gpudata *Z, size_t offZ) {
  return ga__blas_dot(&(ga__blas_call){.typecode = GA_FLOAT, .n = N},
                      &(ga__blas_vector){"X", X, offX, (ptrdiff_t)incX},
                      &(ga__blas_vector){"Y", Y, offY, (ptrdiff_t)incY},
                      &(ga__blas_vector){"Z", Z, offZ, 1});
}

int gpublas_ddot(size_t N, gpudata *X, size_t offX, size_t incX, gpudata *Y,
                 size_t offY, size_t incY, gpudata *Z, size_t offZ) {
  return ga__blas_dot(&(ga__blas_call){.typecode = GA_DOUBLE, .n = N},
                      &(ga__blas_vector){"X", X, offX, (ptrdiff_t)incX},
                      &(ga__blas_vector){"Y", Y, offY, (ptrdiff_t)incY},
                      &(ga__blas_vector){"Z", Z, offZ, 1});
}

/* --- gemv --- */

int gpublas_hgemv(cb_order order, cb_transpose transA, size_t M, size_t N,
                  float alpha, gpudata *A, size_t offA, size_t lda, gpudata *X,
                  size_t offX, int incX, float beta, gpudata *Y, size_t offY,
                  int incY) {
  return ga__blas_gemv(&(ga__blas_call){.typecode = GA_HALF,
                                        .order = order,
                                        .ta = transA,
                                        .m = M,
                                        .n = N,
                                        .alpha = {alpha, 0},
                                        .beta = {beta, 0}},
                       &(ga__blas_matrix){"A", A, offA, lda, 0},
                       &(ga__blas_vector){"X", X, offX, incX},
                       &(ga__blas_vector){"Y", Y, offY, incY});
}

int gpublas_sgemv(cb_order order, cb_transpose transA, size_t M, size_t N,
                  float alpha, gpudata *A, size_t offA, size_t lda, gpudata *X,
                  size_t offX, int incX, float beta, gpudata *Y, size_t offY,
                  int incY) {
  return ga__blas_gemv(&(ga__blas_call){.typecode = GA_FLOAT,
                                        .order = order,
                                        .ta = transA,
                                        .m = M,
                                        .n = N,
                                        .alpha = {alpha, 0},
                                        .beta = {beta, 0}},
                       &(ga__blas_matrix){"A", A, offA, lda, 0},
                       &(ga__blas_vector){"X", X, offX, incX},
                       &(ga__blas_vector){"Y", Y, offY, incY});
}

int gpublas_dgemv(cb_order order, cb_transpose transA, size_t M, size_t N,
                  double alpha, gpudata *A, size_t offA, size_t lda, gpudata *X,
                  size_t offX, int incX, double beta, gpudata *Y, size_t offY,
                  int incY) {
  return ga__blas_gemv(&(ga__blas_call){.typecode = GA_DOUBLE,
                                        .order = order,
                                        .ta = transA,
                                        .m = M,
                                        .n = N,
                                        .alpha = {alpha, 0},
                                        .beta = {beta, 0}},
                       &(ga__blas_matrix){"A", A, offA, lda, 0},
                       &(ga__blas_vector){"X", X, offX, incX},
                       &(ga__blas_vector){"Y", Y, offY, incY});
}

/* --- ger --- */

int gpublas_hger(cb_order order, size_t M, size_t N, float alpha, gpudata *X,
                 size_t offX, int incX, gpudata *Y, size_t offY, int incY,
                 gpudata *A, size_t offA, size_t lda) {
  return ga__blas_ger(&(ga__blas_call){.typecode = GA_HALF,
                                       .order = order,
                                       .m = M,
                                       .n = N,
                                       .alpha = {alpha, 0}},
                      &(ga__blas_vector){"X", X, offX, incX},
                      &(ga__blas_vector){"Y", Y, offY, incY},
                      &(ga__blas_matrix){"A", A, offA, lda, 0});
}

int gpublas_sger(cb_order order, size_t M, size_t N, float alpha, gpudata *X,
                 size_t offX, int incX, gpudata *Y, size_t offY, int incY,
                 gpudata *A, size_t offA, size_t lda) {
  return ga__blas_ger(&(ga__blas_call){.typecode = GA_FLOAT,
                                       .order = order,
                                       .m = M,
                                       .n = N,
                                       .alpha = {alpha, 0}},
                      &(ga__blas_vector){"X", X, offX, incX},
                      &(ga__blas_vector){"Y", Y, offY, incY},
                      &(ga__blas_matrix){"A", A, offA, lda, 0});
}

int gpublas_dger(cb_order order, size_t M, size_t N, double alpha, gpudata *X,
                 size_t offX, int incX, gpudata *Y, size_t offY, int incY,
                 gpudata *A, size_t offA, size_t lda) {
  return ga__blas_ger(&(ga__blas_call){.typecode = GA_DOUBLE,
                                       .order = order,
                                       .m = M,
                                       .n = N,
                                       .alpha = {alpha, 0}},
                      &(ga__blas_vector){"X", X, offX, incX},
                      &(ga__blas_vector){"Y", Y, offY, incY},
                      &(ga__blas_matrix){"A", A, offA, lda, 0});
}

/* --- gemm --- */

int gpublas_hgemm(cb_order order, cb_transpose transA, cb_transpose transB,
                  size_t M, size_t N, size_t K, float alpha, gpudata *A,
                  size_t offA, size_t lda, gpudata *B, size_t offB, size_t ldb,
                  float beta, gpudata *C, size_t offC, size_t ldc) {
  return ga__blas_gemm(&(ga__blas_call){.typecode = GA_HALF,
                                        .order = order,
                                        .ta = transA,
                                        .tb = transB,
                                        .m = M,
                                        .n = N,
                                        .k = K,
                                        .alpha = {alpha, 0},
                                        .beta = {beta, 0}},
                       &(ga__blas_matrix){"A", A, offA, lda, 0},
                       &(ga__blas_matrix){"B", B, offB, ldb, 0},
                       &(ga__blas_matrix){"C", C, offC, ldc, 0}, 1, 0);
}

int gpublas_sgemm(cb_order order, cb_transpose transA, cb_transpose transB,
                  size_t M, size_t N, size_t K, float alpha, gpudata *A,
                  size_t offA, size_t lda, gpudata *B, size_t offB, size_t ldb,
                  float beta, gpudata *C, size_t offC, size_t ldc) {
  return ga__blas_gemm(&(ga__blas_call){.typecode = GA_FLOAT,
                                        .order = order,
                                        .ta = transA,
                                        .tb = transB,
                                        .m = M,
                                        .n = N,
                                        .k = K,
                                        .alpha = {alpha, 0},
                                        .beta = {beta, 0}},
                       &(ga__blas_matrix){"A", A, offA, lda, 0},
                       &(ga__blas_matrix){"B", B, offB, ldb, 0},
                       &(ga__blas_matrix){"C", C, offC, ldc, 0}, 1, 0);
}

int gpublas_dgemm(cb_order order, cb_transpose transA, cb_transpose transB,
                  size_t M, size_t N, size_t K, double alpha, gpudata *A,
                  size_t offA, size_t lda, gpudata *B, size_t offB, size_t ldb,
                  double beta, gpudata *C, size_t offC, size_t ldc) {
  return ga__blas_gemm(&(ga__blas_call){.typecode = GA_DOUBLE,
                                        .order = order,
                                        .ta = transA,
                                        .tb = transB,
                                        .m = M,
                                        .n = N,
                                        .k = K,
                                        .alpha = {alpha, 0},
                                        .beta = {beta, 0}},
                       &(ga__blas_matrix){"A", A, offA, lda, 0},
                       &(ga__blas_matrix){"B", B, offB, ldb, 0},
                       &(ga__blas_matrix){"C", C, offC, ldc, 0}, 1, 0);
}

int gpublas_hgemm3D(cb_order order, cb_transpose transA, cb_transpose transB,
                    size_t M, size_t N, size_t K, float alpha, gpudata *A,
                    size_t offA, size_t lda, ssize_t strideA, gpudata *B,
                    size_t offB, size_t ldb, ssize_t strideB, float beta,
                    gpudata *C, size_t offC, size_t ldc, ssize_t strideC,
                    size_t batchCount, int flags) {
  return ga__blas_gemm(&(ga__blas_call){.typecode = GA_HALF,
                                        .order = order,
                                        .ta = transA,
                                        .tb = transB,
                                        .m = M,
                                        .n = N,
                                        .k = K,
                                        .alpha = {alpha, 0},
                                        .beta = {beta, 0}},
                       &(ga__blas_matrix){"A", A, offA, lda, strideA},
                       &(ga__blas_matrix){"B", B, offB, ldb, strideB},
                       &(ga__blas_matrix){"C", C, offC, ldc, strideC},
                       batchCount, flags);
}

int gpublas_sgemm3D(cb_order order, cb_transpose transA, cb_transpose transB,
                    size_t M, size_t N, size_t K, float alpha, gpudata *A,
                    size_t offA, size_t lda, ssize_t strideA, gpudata *B,
                    size_t offB, size_t ldb, ssize_t strideB, float beta,
                    gpudata *C, size_t offC, size_t ldc, ssize_t strideC,
                    size_t batchCount, int flags) {
  return ga__blas_gemm(&(ga__blas_call){.typecode = GA_FLOAT,
                                        .order = order,
                                        .ta = transA,
                                        .tb = transB,
                                        .m = M,
                                        .n = N,
                                        .k = K,
                                        .alpha = {alpha, 0},
                                        .beta = {beta, 0}},
                       &(ga__blas_matrix){"A", A, offA, lda, strideA},
                       &(ga__blas_matrix){"B", B, offB, ldb, strideB},
                       &(ga__blas_matrix){"C", C, offC, ldc, strideC},
                       batchCount, flags);
}

int gpublas_dgemm3D(cb_order order, cb_transpose transA, cb_transpose transB,
                    size_t M, size_t N, size_t K, double alpha, gpudata *A,
                    size_t offA, size_t lda, ssize_t strideA, gpudata *B,
                    size_t offB, size_t ldb, ssize_t strideB, double beta,
                    gpudata *C, size_t offC, size_t ldc, ssize_t strideC,
                    size_t batchCount, int flags) {
  return ga__blas_gemm(&(ga__blas_call){.typecode = GA_DOUBLE,
                                        .order = order,
                                        .ta = transA,
                                        .tb = transB,
                                        .m = M,
                                        .n = N,
                                        .k = K,
                                        .alpha = {alpha, 0},
                                        .beta = {beta, 0}},
                       &(ga__blas_matrix){"A", A, offA, lda, strideA},
                       &(ga__blas_matrix){"B", B, offB, ldb, strideB},
                       &(ga__blas_matrix){"C", C, offC, ldc, strideC},
                       batchCount, flags);
}
