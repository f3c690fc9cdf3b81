/* SPDX-License-Identifier: BSD-2-Clause */
/* The routines of buffer_blas.h and blas_complex.h: one definition for each
 * routine, and a table of precisions at the end. What differs between them is
 * the letter, the dtype, the type of the factors and that of the increments. */
#include <gpuarray/blas_complex.h>

#include "blas/direct.h"
#include "ocl/launch_cache.h"

int gpublas_setup(gpucontext *ctx) {
  (void)ctx; /* the first routine prepares what it needs */
  return GA_NO_ERROR;
}

void gpublas_teardown(gpucontext *ctx) {
  ga__ctx_lock(ctx);
  ga__cached_drop(ctx);
  ga__ctx_unlock(ctx);
}

const char *gpublas_error(gpucontext *ctx) {
  (void)ctx; /* the message belongs to the thread */
  return ga__err_text(GA_NO_ERROR);
}

/* How a factor becomes complex. */
#define FROM_REAL(v)                                                           \
  { (v), 0 }
#define FROM_COMPLEX(v) v

/* Operands under the names of the parameters. */
#define MATRIX(M, off, ld, stride)                                             \
  &(ga__blas_matrix) {                                                         \
#M, M, off, ld, stride                                                     \
  }
#define VECTOR(V, off, inc)                                                    \
  &(ga__blas_vector) {                                                         \
#V, V, off, (ptrdiff_t)(inc)                                               \
  }
#define EACH(bufs, offs, step)                                                 \
  (ga__blas_each) {                                                            \
    bufs, offs, (ptrdiff_t)(step)                                              \
  }

#define DOT(name, code, is_conj, inc_t)                                        \
  int gpublas_##name(size_t N, gpudata *X, size_t offX, inc_t incX,            \
                     gpudata *Y, size_t offY, inc_t incY, gpudata *Z,          \
                     size_t offZ) {                                            \
    return ga__blas_dot(                                                       \
        &(ga__blas_call){.typecode = code, .conj = is_conj, .n = N},           \
        VECTOR(X, offX, incX), VECTOR(Y, offY, incY), VECTOR(Z, offZ, 1));     \
  }

#define GEMV_CALL(code, factor)                                                \
  &(ga__blas_call) {                                                           \
    .typecode = code, .order = order, .ta = transA, .m = M, .n = N,            \
    .alpha = factor(alpha), .beta = factor(beta)                               \
  }
#define GEMV(name, code, scalar, factor, inc_t)                                \
  int gpublas_##name(cb_order order, cb_transpose transA, size_t M, size_t N,  \
                     scalar alpha, gpudata *A, size_t offA, size_t lda,        \
                     gpudata *X, size_t offX, inc_t incX, scalar beta,         \
                     gpudata *Y, size_t offY, inc_t incY) {                    \
    return ga__blas_gemv(GEMV_CALL(code, factor), MATRIX(A, offA, lda, 0),     \
                         VECTOR(X, offX, incX), VECTOR(Y, offY, incY));        \
  }
#define GEMV_BATCH(name, code, scalar, factor, inc_t)                          \
  int gpublas_##name(cb_order order, cb_transpose transA, size_t M, size_t N,  \
                     scalar alpha, gpudata **A, size_t *offA, size_t lda,      \
                     gpudata **X, size_t *offX, inc_t incX, scalar beta,       \
                     gpudata **Y, size_t *offY, inc_t incY, size_t batchCount, \
                     int flags) {                                              \
    return ga__blas_gemv_batch(GEMV_CALL(code, factor), EACH(A, offA, lda),    \
                               EACH(X, offX, incX), EACH(Y, offY, incY),       \
                               batchCount, flags);                             \
  }

#define GER_CALL(code, factor, is_conj)                                        \
  &(ga__blas_call) {                                                           \
    .typecode = code, .order = order, .conj = is_conj, .m = M, .n = N,         \
    .alpha = factor(alpha)                                                     \
  }
#define GER(name, code, scalar, factor, is_conj, inc_t)                        \
  int gpublas_##name(cb_order order, size_t M, size_t N, scalar alpha,         \
                     gpudata *X, size_t offX, inc_t incX, gpudata *Y,          \
                     size_t offY, inc_t incY, gpudata *A, size_t offA,         \
                     size_t lda) {                                             \
    return ga__blas_ger(GER_CALL(code, factor, is_conj),                       \
                        VECTOR(X, offX, incX), VECTOR(Y, offY, incY),          \
                        MATRIX(A, offA, lda, 0));                              \
  }
#define GER_BATCH(name, code, scalar, factor, is_conj, inc_t)                  \
  int gpublas_##name(cb_order order, size_t M, size_t N, scalar alpha,         \
                     gpudata **X, size_t *offX, inc_t incX, gpudata **Y,       \
                     size_t *offY, inc_t incY, gpudata **A, size_t *offA,      \
                     size_t lda, size_t batchCount, int flags) {               \
    return ga__blas_ger_batch(GER_CALL(code, factor, is_conj),                 \
                              EACH(X, offX, incX), EACH(Y, offY, incY),        \
                              EACH(A, offA, lda), batchCount, flags);          \
  }

#define GEMM_CALL(code, factor)                                                \
  &(ga__blas_call) {                                                           \
    .typecode = code, .order = order, .ta = transA, .tb = transB, .m = M,      \
    .n = N, .k = K, .alpha = factor(alpha), .beta = factor(beta)               \
  }
#define GEMM(name, code, scalar, factor)                                       \
  int gpublas_##name(cb_order order, cb_transpose transA, cb_transpose transB, \
                     size_t M, size_t N, size_t K, scalar alpha, gpudata *A,   \
                     size_t offA, size_t lda, gpudata *B, size_t offB,         \
                     size_t ldb, scalar beta, gpudata *C, size_t offC,         \
                     size_t ldc) {                                             \
    return ga__blas_gemm(GEMM_CALL(code, factor), MATRIX(A, offA, lda, 0),     \
                         MATRIX(B, offB, ldb, 0), MATRIX(C, offC, ldc, 0), 1,  \
                         0);                                                   \
  }
#define GEMM_3D(name, code, scalar, factor)                                    \
  int gpublas_##name(cb_order order, cb_transpose transA, cb_transpose transB, \
                     size_t M, size_t N, size_t K, scalar alpha, gpudata *A,   \
                     size_t offA, size_t lda, ssize_t strideA, gpudata *B,     \
                     size_t offB, size_t ldb, ssize_t strideB, scalar beta,    \
                     gpudata *C, size_t offC, size_t ldc, ssize_t strideC,     \
                     size_t batchCount, int flags) {                           \
    return ga__blas_gemm(GEMM_CALL(code, factor),                              \
                         MATRIX(A, offA, lda, strideA),                        \
                         MATRIX(B, offB, ldb, strideB),                        \
                         MATRIX(C, offC, ldc, strideC), batchCount, flags);    \
  }
#define GEMM_BATCH(name, code, scalar, factor)                                 \
  int gpublas_##name(cb_order order, cb_transpose transA, cb_transpose transB, \
                     size_t M, size_t N, size_t K, scalar alpha, gpudata **A,  \
                     size_t *offA, size_t lda, gpudata **B, size_t *offB,      \
                     size_t ldb, scalar beta, gpudata **C, size_t *offC,       \
                     size_t ldc, size_t batchCount, int flags) {               \
    return ga__blas_gemm_batch(GEMM_CALL(code, factor), EACH(A, offA, lda),    \
                               EACH(B, offB, ldb), EACH(C, offC, ldc),         \
                               batchCount, flags);                             \
  }

#define GEMMS(p, code, scalar, factor)                                         \
  GEMM(p##gemm, code, scalar, factor)                                          \
  GEMM_3D(p##gemm3D, code, scalar, factor)                                     \
  GEMM_BATCH(p##gemmBatch, code, scalar, factor)

#define REAL(p, code, scalar)                                                  \
  DOT(p##dot, code, 0, size_t)                                                 \
  GEMV(p##gemv, code, scalar, FROM_REAL, int)                                  \
  GEMV_BATCH(p##gemvBatch, code, scalar, FROM_REAL, size_t)                    \
  GER(p##ger, code, scalar, FROM_REAL, 0, int)                                 \
  GER_BATCH(p##gerBatch, code, scalar, FROM_REAL, 0, size_t)                   \
  GEMMS(p, code, scalar, FROM_REAL)

#define COMPLEX(p, code)                                                       \
  DOT(p##dotu, code, 0, ssize_t)                                               \
  DOT(p##dotc, code, 1, ssize_t)                                               \
  GEMV(p##gemv, code, ga_complex, FROM_COMPLEX, ssize_t)                       \
  GEMV_BATCH(p##gemvBatch, code, ga_complex, FROM_COMPLEX, ssize_t)            \
  GER(p##geru, code, ga_complex, FROM_COMPLEX, 0, ssize_t)                     \
  GER(p##gerc, code, ga_complex, FROM_COMPLEX, 1, ssize_t)                     \
  GER_BATCH(p##geruBatch, code, ga_complex, FROM_COMPLEX, 0, ssize_t)          \
  GER_BATCH(p##gercBatch, code, ga_complex, FROM_COMPLEX, 1, ssize_t)          \
  GEMMS(p, code, ga_complex, FROM_COMPLEX)

REAL(h, GA_HALF, float)
REAL(s, GA_FLOAT, float)
REAL(d, GA_DOUBLE, double)
COMPLEX(c, GA_CFLOAT)
COMPLEX(z, GA_CDOUBLE)
