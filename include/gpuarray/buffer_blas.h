/* SPDX-License-Identifier: BSD-2-Clause */
/** \file buffer_blas.h
 * BLAS on device buffers.
 *
 * The letter after `gpublas_` is the precision: h half (computed in float), s
 * float, d double. Offsets, leading dimensions, increments and matrix strides
 * count elements, except for the offsets of gemvBatch and gerBatch, which are
 * in bytes as in libgpuarray 0.7.6. The h, s and d forms of a routine take the
 * same arguments. In row order, the rows of a matrix start `ld` elements apart,
 * in column order its columns do. Sizes may be 0. With a beta of 0 the old
 * values of the result are not read, so a NaN in them has no effect. Results
 * must not overlap operands. Nothing blocks, except while a kernel is compiled.
 *
 * GA_VALUE_ERROR for operands that do not fit in their buffers, for leading
 * dimensions that are too small, and for results that certainly overlap (not
 * checked in the 3D forms); GA_DEVSUP_ERROR for doubles on a device without
 * them, GA_BLAS_ERROR if the provider fails. */
#ifndef GPUARRAY_BUFFER_BLAS_H
#define GPUARRAY_BUFFER_BLAS_H

#include <gpuarray/buffer.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum _cb_order { cb_row = 0, cb_column = 1 } cb_order;
#define cb_c cb_row
#define cb_fortran cb_column

typedef enum _cb_side { cb_left = 0, cb_right = 1 } cb_side;

typedef enum _cb_transpose {
  cb_no_trans = 0,
  cb_trans = 1,
  cb_conj_trans = 2 /**< the same as cb_trans on real numbers */
} cb_transpose;

typedef enum _cb_uplo { cb_upper = 0, cb_lower = 1 } cb_uplo;

/** Prepare a context for BLAS. Optional and without effect: routines prepare
 * what they need at their first call. */
GPUARRAY_PUBLIC int gpublas_setup(gpucontext *ctx);

/** Free all launches that the context has cached for later calls. Optional:
 * freeing the context does this, too. */
GPUARRAY_PUBLIC void gpublas_teardown(gpucontext *ctx);

/** The message of the calling thread's last error; never NULL. */
GPUARRAY_PUBLIC const char *gpublas_error(gpucontext *ctx);

/** Z[0] = sum over N of X * Y. */
GPUARRAY_PUBLIC int gpublas_hdot(size_t N, gpudata *X, size_t offX, size_t incX,
                                 gpudata *Y, size_t offY, size_t incY,
                                 gpudata *Z, size_t offZ);
GPUARRAY_PUBLIC int gpublas_sdot(size_t N, gpudata *X, size_t offX, size_t incX,
                                 gpudata *Y, size_t offY, size_t incY,
                                 gpudata *Z, size_t offZ);
GPUARRAY_PUBLIC int gpublas_ddot(size_t N, gpudata *X, size_t offX, size_t incX,
                                 gpudata *Y, size_t offY, size_t incY,
                                 gpudata *Z, size_t offZ);

/** Y = alpha * op(A) X + beta * Y; A is M x N before op. */
GPUARRAY_PUBLIC int gpublas_hgemv(cb_order order, cb_transpose transA, size_t M,
                                  size_t N, float alpha, gpudata *A,
                                  size_t offA, size_t lda, gpudata *X,
                                  size_t offX, int incX, float beta, gpudata *Y,
                                  size_t offY, int incY);
GPUARRAY_PUBLIC int gpublas_sgemv(cb_order order, cb_transpose transA, size_t M,
                                  size_t N, float alpha, gpudata *A,
                                  size_t offA, size_t lda, gpudata *X,
                                  size_t offX, int incX, float beta, gpudata *Y,
                                  size_t offY, int incY);
GPUARRAY_PUBLIC int gpublas_dgemv(cb_order order, cb_transpose transA, size_t M,
                                  size_t N, double alpha, gpudata *A,
                                  size_t offA, size_t lda, gpudata *X,
                                  size_t offX, int incX, double beta,
                                  gpudata *Y, size_t offY, int incY);

/** C = alpha * op(A) op(B) + beta * C; C is M x N, op(A) is M x K. */
GPUARRAY_PUBLIC int gpublas_hgemm(cb_order order, cb_transpose transA,
                                  cb_transpose transB, size_t M, size_t N,
                                  size_t K, float alpha, gpudata *A,
                                  size_t offA, size_t lda, gpudata *B,
                                  size_t offB, size_t ldb, float beta,
                                  gpudata *C, size_t offC, size_t ldc);
GPUARRAY_PUBLIC int gpublas_sgemm(cb_order order, cb_transpose transA,
                                  cb_transpose transB, size_t M, size_t N,
                                  size_t K, float alpha, gpudata *A,
                                  size_t offA, size_t lda, gpudata *B,
                                  size_t offB, size_t ldb, float beta,
                                  gpudata *C, size_t offC, size_t ldc);
GPUARRAY_PUBLIC int gpublas_dgemm(cb_order order, cb_transpose transA,
                                  cb_transpose transB, size_t M, size_t N,
                                  size_t K, double alpha, gpudata *A,
                                  size_t offA, size_t lda, gpudata *B,
                                  size_t offB, size_t ldb, double beta,
                                  gpudata *C, size_t offC, size_t ldc);

/** A = alpha * X Y^T + A; A is M x N. */
GPUARRAY_PUBLIC int gpublas_hger(cb_order order, size_t M, size_t N,
                                 float alpha, gpudata *X, size_t offX, int incX,
                                 gpudata *Y, size_t offY, int incY, gpudata *A,
                                 size_t offA, size_t lda);
GPUARRAY_PUBLIC int gpublas_sger(cb_order order, size_t M, size_t N,
                                 float alpha, gpudata *X, size_t offX, int incX,
                                 gpudata *Y, size_t offY, int incY, gpudata *A,
                                 size_t offA, size_t lda);
GPUARRAY_PUBLIC int gpublas_dger(cb_order order, size_t M, size_t N,
                                 double alpha, gpudata *X, size_t offX,
                                 int incX, gpudata *Y, size_t offY, int incY,
                                 gpudata *A, size_t offA, size_t lda);

/** gemm on `batchCount` triples, each in buffers and at offsets of its own.
 * `flags` must be 0, here and below. */
GPUARRAY_PUBLIC int gpublas_hgemmBatch(cb_order order, cb_transpose transA,
                                       cb_transpose transB, size_t M, size_t N,
                                       size_t K, float alpha, gpudata **A,
                                       size_t *offA, size_t lda, gpudata **B,
                                       size_t *offB, size_t ldb, float beta,
                                       gpudata **C, size_t *offC, size_t ldc,
                                       size_t batchCount, int flags);
GPUARRAY_PUBLIC int gpublas_sgemmBatch(cb_order order, cb_transpose transA,
                                       cb_transpose transB, size_t M, size_t N,
                                       size_t K, float alpha, gpudata **A,
                                       size_t *offA, size_t lda, gpudata **B,
                                       size_t *offB, size_t ldb, float beta,
                                       gpudata **C, size_t *offC, size_t ldc,
                                       size_t batchCount, int flags);
GPUARRAY_PUBLIC int gpublas_dgemmBatch(cb_order order, cb_transpose transA,
                                       cb_transpose transB, size_t M, size_t N,
                                       size_t K, double alpha, gpudata **A,
                                       size_t *offA, size_t lda, gpudata **B,
                                       size_t *offB, size_t ldb, double beta,
                                       gpudata **C, size_t *offC, size_t ldc,
                                       size_t batchCount, int flags);

/** gemm on `batchCount` triples at even distances of strideA, strideB and
 * strideC elements in one buffer each; a stride of 0 uses the same operand
 * again. */
GPUARRAY_PUBLIC int gpublas_hgemm3D(cb_order order, cb_transpose transA,
                                    cb_transpose transB, size_t M, size_t N,
                                    size_t K, float alpha, gpudata *A,
                                    size_t offA, size_t lda, ssize_t strideA,
                                    gpudata *B, size_t offB, size_t ldb,
                                    ssize_t strideB, float beta, gpudata *C,
                                    size_t offC, size_t ldc, ssize_t strideC,
                                    size_t batchCount, int flags);
GPUARRAY_PUBLIC int gpublas_sgemm3D(cb_order order, cb_transpose transA,
                                    cb_transpose transB, size_t M, size_t N,
                                    size_t K, float alpha, gpudata *A,
                                    size_t offA, size_t lda, ssize_t strideA,
                                    gpudata *B, size_t offB, size_t ldb,
                                    ssize_t strideB, float beta, gpudata *C,
                                    size_t offC, size_t ldc, ssize_t strideC,
                                    size_t batchCount, int flags);
GPUARRAY_PUBLIC int gpublas_dgemm3D(cb_order order, cb_transpose transA,
                                    cb_transpose transB, size_t M, size_t N,
                                    size_t K, double alpha, gpudata *A,
                                    size_t offA, size_t lda, ssize_t strideA,
                                    gpudata *B, size_t offB, size_t ldb,
                                    ssize_t strideB, double beta, gpudata *C,
                                    size_t offC, size_t ldc, ssize_t strideC,
                                    size_t batchCount, int flags);

/** gemv on `batchCount` triples, in order, so that a y that occurs several
 * times is updated each time. op(A) is M x N here: M and N are the lengths of y
 * and x, whether A is transposed or not. Offsets are in bytes
 * (GA_UNALIGNED_ERROR unless they are multiples of an element). */
GPUARRAY_PUBLIC int gpublas_hgemvBatch(cb_order order, cb_transpose transA,
                                       size_t M, size_t N, float alpha,
                                       gpudata **A, size_t *offA, size_t lda,
                                       gpudata **x, size_t *offX, size_t incX,
                                       float beta, gpudata **y, size_t *offY,
                                       size_t incY, size_t batchCount,
                                       int flags);
GPUARRAY_PUBLIC int gpublas_sgemvBatch(cb_order order, cb_transpose transA,
                                       size_t M, size_t N, float alpha,
                                       gpudata **A, size_t *offA, size_t lda,
                                       gpudata **x, size_t *offX, size_t incX,
                                       float beta, gpudata **y, size_t *offY,
                                       size_t incY, size_t batchCount,
                                       int flags);
GPUARRAY_PUBLIC int gpublas_dgemvBatch(cb_order order, cb_transpose transA,
                                       size_t M, size_t N, double alpha,
                                       gpudata **A, size_t *offA, size_t lda,
                                       gpudata **x, size_t *offX, size_t incX,
                                       double beta, gpudata **y, size_t *offY,
                                       size_t incY, size_t batchCount,
                                       int flags);

/** ger on `batchCount` triples, in order, so that an A that occurs several
 * times is updated each time. Offsets are in bytes. */
GPUARRAY_PUBLIC int gpublas_hgerBatch(cb_order order, size_t M, size_t N,
                                      float alpha, gpudata **x, size_t *offX,
                                      size_t incX, gpudata **y, size_t *offY,
                                      size_t incY, gpudata **A, size_t *offA,
                                      size_t lda, size_t batchCount, int flags);
GPUARRAY_PUBLIC int gpublas_sgerBatch(cb_order order, size_t M, size_t N,
                                      float alpha, gpudata **x, size_t *offX,
                                      size_t incX, gpudata **y, size_t *offY,
                                      size_t incY, gpudata **A, size_t *offA,
                                      size_t lda, size_t batchCount, int flags);
GPUARRAY_PUBLIC int gpublas_dgerBatch(cb_order order, size_t M, size_t N,
                                      double alpha, gpudata **x, size_t *offX,
                                      size_t incX, gpudata **y, size_t *offY,
                                      size_t incY, gpudata **A, size_t *offA,
                                      size_t lda, size_t batchCount, int flags);

#ifdef __cplusplus
}
#endif

#endif
