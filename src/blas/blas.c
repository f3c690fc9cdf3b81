/* SPDX-License-Identifier: BSD-2-Clause */
/* The routines of buffer_blas.h and blas_complex.h: one macro defines each
 * routine, and the table at the end has the precisions. They differ in the
 * letter, the dtype, and the types of factors and increments. */
#include <gpuarray/blas_complex.h>

#include "blas/direct.h"
#include "ocl/launch/launch_cache.h"

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

/* A factor as ga_complex. */
#define FROM_REAL(v)                                                           \
  { (v), 0 }
#define FROM_COMPLEX(v) v

/* Operands. Messages use the names of the parameters. */
#define ONE(X, off, step, stride)                                              \
  (ga__blas_operand) {                                                         \
#X, X, off, (ptrdiff_t)(step), stride                                      \
  }
#define EACH(X, offs, step)                                                    \
  (ga__blas_each) {                                                            \
#X, X, offs, (ptrdiff_t)(step)                                             \
  }
#define RUN(call, a, b, c)                                                     \
  ga__blas_run(call, (const ga__blas_operand[3]){a, b, c}, 1, 0)
#define RUN_EACH(call, a, b, c)                                                \
  ga__blas_run_each(call, (const ga__blas_each[3]){a, b, c}, batchCount, flags)

#define DOT(name, code, is_conj, inc_t)                                        \
  int gpublas_##name(size_t N, gpudata *X, size_t offX, inc_t incX,            \
                     gpudata *Y, size_t offY, inc_t incY, gpudata *Z,          \
                     size_t offZ) {                                            \
    const ga__blas_call c = {                                                  \
        .routine = GA_ROUTINE_DOT, .typecode = code, .conj = is_conj, .n = N}; \
                                                                               \
    return RUN(&c, ONE(X, offX, incX, 0), ONE(Y, offY, incY, 0),               \
               ONE(Z, offZ, 1, 0));                                            \
  }

#define GEMV_CALL(code, factor, is_old)                                        \
  {                                                                            \
    .routine = GA_ROUTINE_GEMV, .typecode = code, .order = order,              \
    .ta = transA, .m = M, .n = N, .alpha = factor(alpha),                      \
    .beta = factor(beta), .old_batch = is_old                                  \
  }
#define GEMV(name, code, scalar, factor, inc_t)                                \
  int gpublas_##name(cb_order order, cb_transpose transA, size_t M, size_t N,  \
                     scalar alpha, gpudata *A, size_t offA, size_t lda,        \
                     gpudata *X, size_t offX, inc_t incX, scalar beta,         \
                     gpudata *Y, size_t offY, inc_t incY) {                    \
    const ga__blas_call c = GEMV_CALL(code, factor, 0);                        \
                                                                               \
    return RUN(&c, ONE(A, offA, lda, 0), ONE(X, offX, incX, 0),                \
               ONE(Y, offY, incY, 0));                                         \
  }
#define GEMV_BATCH(name, code, scalar, factor, inc_t, is_old)                  \
  int gpublas_##name(cb_order order, cb_transpose transA, size_t M, size_t N,  \
                     scalar alpha, gpudata **A, size_t *offA, size_t lda,      \
                     gpudata **X, size_t *offX, inc_t incX, scalar beta,       \
                     gpudata **Y, size_t *offY, inc_t incY, size_t batchCount, \
                     int flags) {                                              \
    const ga__blas_call c = GEMV_CALL(code, factor, is_old);                   \
                                                                               \
    return RUN_EACH(&c, EACH(A, offA, lda), EACH(X, offX, incX),               \
                    EACH(Y, offY, incY));                                      \
  }

#define GER_CALL(code, factor, is_conj, is_old)                                \
  {                                                                            \
    .routine = GA_ROUTINE_GER, .typecode = code, .order = order,               \
    .conj = is_conj, .m = M, .n = N, .alpha = factor(alpha),                   \
    .old_batch = is_old                                                        \
  }
#define GER(name, code, scalar, factor, is_conj, inc_t)                        \
  int gpublas_##name(cb_order order, size_t M, size_t N, scalar alpha,         \
                     gpudata *X, size_t offX, inc_t incX, gpudata *Y,          \
                     size_t offY, inc_t incY, gpudata *A, size_t offA,         \
                     size_t lda) {                                             \
    const ga__blas_call c = GER_CALL(code, factor, is_conj, 0);                \
                                                                               \
    return RUN(&c, ONE(X, offX, incX, 0), ONE(Y, offY, incY, 0),               \
               ONE(A, offA, lda, 0));                                          \
  }
#define GER_BATCH(name, code, scalar, factor, is_conj, inc_t, is_old)          \
  int gpublas_##name(cb_order order, size_t M, size_t N, scalar alpha,         \
                     gpudata **X, size_t *offX, inc_t incX, gpudata **Y,       \
                     size_t *offY, inc_t incY, gpudata **A, size_t *offA,      \
                     size_t lda, size_t batchCount, int flags) {               \
    const ga__blas_call c = GER_CALL(code, factor, is_conj, is_old);           \
                                                                               \
    return RUN_EACH(&c, EACH(X, offX, incX), EACH(Y, offY, incY),              \
                    EACH(A, offA, lda));                                       \
  }

#define GEMM_CALL(code, factor)                                                \
  {                                                                            \
    .routine = GA_ROUTINE_GEMM, .typecode = code, .order = order,              \
    .ta = transA, .tb = transB, .m = M, .n = N, .k = K,                        \
    .alpha = factor(alpha), .beta = factor(beta)                               \
  }
#define GEMM(name, code, scalar, factor)                                       \
  int gpublas_##name(cb_order order, cb_transpose transA, cb_transpose transB, \
                     size_t M, size_t N, size_t K, scalar alpha, gpudata *A,   \
                     size_t offA, size_t lda, gpudata *B, size_t offB,         \
                     size_t ldb, scalar beta, gpudata *C, size_t offC,         \
                     size_t ldc) {                                             \
    const ga__blas_call c = GEMM_CALL(code, factor);                           \
                                                                               \
    return RUN(&c, ONE(A, offA, lda, 0), ONE(B, offB, ldb, 0),                 \
               ONE(C, offC, ldc, 0));                                          \
  }
#define GEMM_3D(name, code, scalar, factor)                                    \
  int gpublas_##name(cb_order order, cb_transpose transA, cb_transpose transB, \
                     size_t M, size_t N, size_t K, scalar alpha, gpudata *A,   \
                     size_t offA, size_t lda, ssize_t strideA, gpudata *B,     \
                     size_t offB, size_t ldb, ssize_t strideB, scalar beta,    \
                     gpudata *C, size_t offC, size_t ldc, ssize_t strideC,     \
                     size_t batchCount, int flags) {                           \
    const ga__blas_call c = GEMM_CALL(code, factor);                           \
    const ga__blas_operand o[3] = {ONE(A, offA, lda, strideA),                 \
                                   ONE(B, offB, ldb, strideB),                 \
                                   ONE(C, offC, ldc, strideC)};                \
                                                                               \
    return ga__blas_run(&c, o, batchCount, flags);                             \
  }
#define GEMM_BATCH(name, code, scalar, factor)                                 \
  int gpublas_##name(cb_order order, cb_transpose transA, cb_transpose transB, \
                     size_t M, size_t N, size_t K, scalar alpha, gpudata **A,  \
                     size_t *offA, size_t lda, gpudata **B, size_t *offB,      \
                     size_t ldb, scalar beta, gpudata **C, size_t *offC,       \
                     size_t ldc, size_t batchCount, int flags) {               \
    const ga__blas_call c = GEMM_CALL(code, factor);                           \
                                                                               \
    return RUN_EACH(&c, EACH(A, offA, lda), EACH(B, offB, ldb),                \
                    EACH(C, offC, ldc));                                       \
  }

#define GEMMS(p, code, scalar, factor)                                         \
  GEMM(p##gemm, code, scalar, factor)                                          \
  GEMM_3D(p##gemm3D, code, scalar, factor)                                     \
  GEMM_BATCH(p##gemmBatch, code, scalar, factor)

#define REAL(p, code, scalar)                                                  \
  DOT(p##dot, code, 0, size_t)                                                 \
  GEMV(p##gemv, code, scalar, FROM_REAL, int)                                  \
  GEMV_BATCH(p##gemvBatch, code, scalar, FROM_REAL, size_t, 1)                 \
  GER(p##ger, code, scalar, FROM_REAL, 0, int)                                 \
  GER_BATCH(p##gerBatch, code, scalar, FROM_REAL, 0, size_t, 1)                \
  GEMMS(p, code, scalar, FROM_REAL)

#define COMPLEX(p, code)                                                       \
  DOT(p##dotu, code, 0, ssize_t)                                               \
  DOT(p##dotc, code, 1, ssize_t)                                               \
  GEMV(p##gemv, code, ga_complex, FROM_COMPLEX, ssize_t)                       \
  GEMV_BATCH(p##gemvBatch, code, ga_complex, FROM_COMPLEX, ssize_t, 0)         \
  GER(p##geru, code, ga_complex, FROM_COMPLEX, 0, ssize_t)                     \
  GER(p##gerc, code, ga_complex, FROM_COMPLEX, 1, ssize_t)                     \
  GER_BATCH(p##geruBatch, code, ga_complex, FROM_COMPLEX, 0, ssize_t, 0)       \
  GER_BATCH(p##gercBatch, code, ga_complex, FROM_COMPLEX, 1, ssize_t, 0)       \
  GEMMS(p, code, ga_complex, FROM_COMPLEX)

REAL(h, GA_HALF, float)
REAL(s, GA_FLOAT, float)
REAL(d, GA_DOUBLE, double)
COMPLEX(c, GA_CFLOAT)
COMPLEX(z, GA_CDOUBLE)
