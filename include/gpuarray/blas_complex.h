/* SPDX-License-Identifier: BSD-2-Clause */
/** \file blas_complex.h
 * Products of complex numbers: on device buffers, on arrays, and prepared.
 *
 * They relate to buffer_blas.h, blas.h and launch.h as c and z to s and d in
 * BLAS: arguments, units, ownership, errors and blocking are the same.
 * gpublas_c* takes complex64, gpublas_z* complex128 (GA_DEVSUP_ERROR on a
 * device without doubles). GpuArray_c* takes both, all arrays of a call of one
 * type (else GA_INVALID_ERROR); GpuArray_z* is another name for it.
 *
 * cb_conj_trans is the conjugate transpose. Factors are passed in double for
 * both precisions and rounded to that of the call. If both parts of beta are 0,
 * the old values of the result are not read, so a NaN in them has no effect; if
 * both parts of alpha are 0, the operands are not read. A factor without an
 * imaginary part scales both parts of a number separately, so an infinity in
 * one part does not affect the other. */
#ifndef GPUARRAY_BLAS_COMPLEX_H
#define GPUARRAY_BLAS_COMPLEX_H

#include <gpuarray/array.h>
#include <gpuarray/buffer_blas.h>
#include <gpuarray/launch.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A factor, passed by value: (ga_complex){0.5, -2} in C. */
typedef struct ga_complex {
  double re, im;
} ga_complex;

/** \name On buffers
 *  Offsets, leading dimensions, increments and matrix strides count complex
 *  numbers. With a negative increment, a vector starts at its far end. */
/**@{*/
/** Z[0] = sum over N of X * Y. */
GPUARRAY_PUBLIC int gpublas_cdotu(size_t N, gpudata *X, size_t offX,
                                  ssize_t incX, gpudata *Y, size_t offY,
                                  ssize_t incY, gpudata *Z, size_t offZ);
GPUARRAY_PUBLIC int gpublas_zdotu(size_t N, gpudata *X, size_t offX,
                                  ssize_t incX, gpudata *Y, size_t offY,
                                  ssize_t incY, gpudata *Z, size_t offZ);

/** Z[0] = sum over N of conj(X) * Y. */
GPUARRAY_PUBLIC int gpublas_cdotc(size_t N, gpudata *X, size_t offX,
                                  ssize_t incX, gpudata *Y, size_t offY,
                                  ssize_t incY, gpudata *Z, size_t offZ);
GPUARRAY_PUBLIC int gpublas_zdotc(size_t N, gpudata *X, size_t offX,
                                  ssize_t incX, gpudata *Y, size_t offY,
                                  ssize_t incY, gpudata *Z, size_t offZ);

/** Y = alpha * op(A) X + beta * Y; A is M x N before op. */
GPUARRAY_PUBLIC int gpublas_cgemv(cb_order order, cb_transpose transA, size_t M,
                                  size_t N, ga_complex alpha, gpudata *A,
                                  size_t offA, size_t lda, gpudata *X,
                                  size_t offX, ssize_t incX, ga_complex beta,
                                  gpudata *Y, size_t offY, ssize_t incY);
GPUARRAY_PUBLIC int gpublas_zgemv(cb_order order, cb_transpose transA, size_t M,
                                  size_t N, ga_complex alpha, gpudata *A,
                                  size_t offA, size_t lda, gpudata *X,
                                  size_t offX, ssize_t incX, ga_complex beta,
                                  gpudata *Y, size_t offY, ssize_t incY);

/** A = alpha * X Y^T + A; A is M x N. */
GPUARRAY_PUBLIC int gpublas_cgeru(cb_order order, size_t M, size_t N,
                                  ga_complex alpha, gpudata *X, size_t offX,
                                  ssize_t incX, gpudata *Y, size_t offY,
                                  ssize_t incY, gpudata *A, size_t offA,
                                  size_t lda);
GPUARRAY_PUBLIC int gpublas_zgeru(cb_order order, size_t M, size_t N,
                                  ga_complex alpha, gpudata *X, size_t offX,
                                  ssize_t incX, gpudata *Y, size_t offY,
                                  ssize_t incY, gpudata *A, size_t offA,
                                  size_t lda);

/** A = alpha * X conj(Y)^T + A; A is M x N. */
GPUARRAY_PUBLIC int gpublas_cgerc(cb_order order, size_t M, size_t N,
                                  ga_complex alpha, gpudata *X, size_t offX,
                                  ssize_t incX, gpudata *Y, size_t offY,
                                  ssize_t incY, gpudata *A, size_t offA,
                                  size_t lda);
GPUARRAY_PUBLIC int gpublas_zgerc(cb_order order, size_t M, size_t N,
                                  ga_complex alpha, gpudata *X, size_t offX,
                                  ssize_t incX, gpudata *Y, size_t offY,
                                  ssize_t incY, gpudata *A, size_t offA,
                                  size_t lda);

/** C = alpha * op(A) op(B) + beta * C; C is M x N, op(A) is M x K. */
GPUARRAY_PUBLIC int gpublas_cgemm(cb_order order, cb_transpose transA,
                                  cb_transpose transB, size_t M, size_t N,
                                  size_t K, ga_complex alpha, gpudata *A,
                                  size_t offA, size_t lda, gpudata *B,
                                  size_t offB, size_t ldb, ga_complex beta,
                                  gpudata *C, size_t offC, size_t ldc);
GPUARRAY_PUBLIC int gpublas_zgemm(cb_order order, cb_transpose transA,
                                  cb_transpose transB, size_t M, size_t N,
                                  size_t K, ga_complex alpha, gpudata *A,
                                  size_t offA, size_t lda, gpudata *B,
                                  size_t offB, size_t ldb, ga_complex beta,
                                  gpudata *C, size_t offC, size_t ldc);

/** gemm on `batchCount` triples at even distances of strideA, strideB and
 * strideC numbers in one buffer each; a stride of 0 uses the same operand
 * again. `flags` must be 0, here and below. */
GPUARRAY_PUBLIC int
gpublas_cgemm3D(cb_order order, cb_transpose transA, cb_transpose transB,
                size_t M, size_t N, size_t K, ga_complex alpha, gpudata *A,
                size_t offA, size_t lda, ssize_t strideA, gpudata *B,
                size_t offB, size_t ldb, ssize_t strideB, ga_complex beta,
                gpudata *C, size_t offC, size_t ldc, ssize_t strideC,
                size_t batchCount, int flags);
GPUARRAY_PUBLIC int
gpublas_zgemm3D(cb_order order, cb_transpose transA, cb_transpose transB,
                size_t M, size_t N, size_t K, ga_complex alpha, gpudata *A,
                size_t offA, size_t lda, ssize_t strideA, gpudata *B,
                size_t offB, size_t ldb, ssize_t strideB, ga_complex beta,
                gpudata *C, size_t offC, size_t ldc, ssize_t strideC,
                size_t batchCount, int flags);

/** gemm on `batchCount` triples, each in buffers and at offsets of its own. */
GPUARRAY_PUBLIC int
gpublas_cgemmBatch(cb_order order, cb_transpose transA, cb_transpose transB,
                   size_t M, size_t N, size_t K, ga_complex alpha, gpudata **A,
                   size_t *offA, size_t lda, gpudata **B, size_t *offB,
                   size_t ldb, ga_complex beta, gpudata **C, size_t *offC,
                   size_t ldc, size_t batchCount, int flags);
GPUARRAY_PUBLIC int
gpublas_zgemmBatch(cb_order order, cb_transpose transA, cb_transpose transB,
                   size_t M, size_t N, size_t K, ga_complex alpha, gpudata **A,
                   size_t *offA, size_t lda, gpudata **B, size_t *offB,
                   size_t ldb, ga_complex beta, gpudata **C, size_t *offC,
                   size_t ldc, size_t batchCount, int flags);

/** gemv on `batchCount` triples. Unlike in the real forms, offsets count
 * complex numbers, here and below, and A is M x N before op. */
GPUARRAY_PUBLIC int gpublas_cgemvBatch(cb_order order, cb_transpose transA,
                                       size_t M, size_t N, ga_complex alpha,
                                       gpudata **A, size_t *offA, size_t lda,
                                       gpudata **X, size_t *offX, ssize_t incX,
                                       ga_complex beta, gpudata **Y,
                                       size_t *offY, ssize_t incY,
                                       size_t batchCount, int flags);
GPUARRAY_PUBLIC int gpublas_zgemvBatch(cb_order order, cb_transpose transA,
                                       size_t M, size_t N, ga_complex alpha,
                                       gpudata **A, size_t *offA, size_t lda,
                                       gpudata **X, size_t *offX, ssize_t incX,
                                       ga_complex beta, gpudata **Y,
                                       size_t *offY, ssize_t incY,
                                       size_t batchCount, int flags);

/** geru on `batchCount` triples; the results must not overlap each other. */
GPUARRAY_PUBLIC int gpublas_cgeruBatch(cb_order order, size_t M, size_t N,
                                       ga_complex alpha, gpudata **X,
                                       size_t *offX, ssize_t incX, gpudata **Y,
                                       size_t *offY, ssize_t incY, gpudata **A,
                                       size_t *offA, size_t lda,
                                       size_t batchCount, int flags);
GPUARRAY_PUBLIC int gpublas_zgeruBatch(cb_order order, size_t M, size_t N,
                                       ga_complex alpha, gpudata **X,
                                       size_t *offX, ssize_t incX, gpudata **Y,
                                       size_t *offY, ssize_t incY, gpudata **A,
                                       size_t *offA, size_t lda,
                                       size_t batchCount, int flags);

/** gerc on `batchCount` triples; the results must not overlap each other. */
GPUARRAY_PUBLIC int gpublas_cgercBatch(cb_order order, size_t M, size_t N,
                                       ga_complex alpha, gpudata **X,
                                       size_t *offX, ssize_t incX, gpudata **Y,
                                       size_t *offY, ssize_t incY, gpudata **A,
                                       size_t *offA, size_t lda,
                                       size_t batchCount, int flags);
GPUARRAY_PUBLIC int gpublas_zgercBatch(cb_order order, size_t M, size_t N,
                                       ga_complex alpha, gpudata **X,
                                       size_t *offX, ssize_t incX, gpudata **Y,
                                       size_t *offY, ssize_t incY, gpudata **A,
                                       size_t *offA, size_t lda,
                                       size_t batchCount, int flags);
/**@}*/

/** \name On arrays
 *  As in blas.h: arrays may have any strides. One with strides that the routine
 *  cannot read is copied first, or, with `nocopy` not 0, the call fails with
 *  GA_COPY_ERROR.
 *
 *  Each has a form that prepares a launch, whose slots are numbered in the
 *  order of the array parameters and which makes no copies. */
/**@{*/
/** Z = sum of X * Y: X and Y are [n], Z has no dimensions. */
GPUARRAY_PUBLIC int GpuArray_cdotu(GpuArray *X, GpuArray *Y, GpuArray *Z,
                                   int nocopy);
GPUARRAY_PUBLIC int GpuArray_cdotu_prepare(GpuLaunch **out, GpuArray *X,
                                           GpuArray *Y, GpuArray *Z);
#define GpuArray_zdotu GpuArray_cdotu
#define GpuArray_zdotu_prepare GpuArray_cdotu_prepare

/** Z = sum of conj(X) * Y. */
GPUARRAY_PUBLIC int GpuArray_cdotc(GpuArray *X, GpuArray *Y, GpuArray *Z,
                                   int nocopy);
GPUARRAY_PUBLIC int GpuArray_cdotc_prepare(GpuLaunch **out, GpuArray *X,
                                           GpuArray *Y, GpuArray *Z);
#define GpuArray_zdotc GpuArray_cdotc
#define GpuArray_zdotc_prepare GpuArray_cdotc_prepare

/** Y = alpha * op(A) X + beta * Y: op(A) is [m, n], X [n], Y [m]. */
GPUARRAY_PUBLIC int GpuArray_cgemv(cb_transpose transA, ga_complex alpha,
                                   GpuArray *A, GpuArray *X, ga_complex beta,
                                   GpuArray *Y, int nocopy);
GPUARRAY_PUBLIC int GpuArray_cgemv_prepare(GpuLaunch **out, cb_transpose transA,
                                           ga_complex alpha, GpuArray *A,
                                           GpuArray *X, ga_complex beta,
                                           GpuArray *Y);
#define GpuArray_zgemv GpuArray_cgemv
#define GpuArray_zgemv_prepare GpuArray_cgemv_prepare

/** A = alpha * X Y^T + A: X is [m], Y [n], A [m, n]. */
GPUARRAY_PUBLIC int GpuArray_cgeru(ga_complex alpha, GpuArray *X, GpuArray *Y,
                                   GpuArray *A, int nocopy);
GPUARRAY_PUBLIC int GpuArray_cgeru_prepare(GpuLaunch **out, ga_complex alpha,
                                           GpuArray *X, GpuArray *Y,
                                           GpuArray *A);
#define GpuArray_zgeru GpuArray_cgeru
#define GpuArray_zgeru_prepare GpuArray_cgeru_prepare

/** A = alpha * X conj(Y)^T + A. */
GPUARRAY_PUBLIC int GpuArray_cgerc(ga_complex alpha, GpuArray *X, GpuArray *Y,
                                   GpuArray *A, int nocopy);
GPUARRAY_PUBLIC int GpuArray_cgerc_prepare(GpuLaunch **out, ga_complex alpha,
                                           GpuArray *X, GpuArray *Y,
                                           GpuArray *A);
#define GpuArray_zgerc GpuArray_cgerc
#define GpuArray_zgerc_prepare GpuArray_cgerc_prepare

/** C = alpha * op(A) op(B) + beta * C: op(A) is [m, k], op(B) [k, n], C
 * [m, n]. */
GPUARRAY_PUBLIC int GpuArray_cgemm(cb_transpose transA, cb_transpose transB,
                                   ga_complex alpha, GpuArray *A, GpuArray *B,
                                   ga_complex beta, GpuArray *C, int nocopy);
GPUARRAY_PUBLIC int GpuArray_cgemm_prepare(GpuLaunch **out, cb_transpose transA,
                                           cb_transpose transB,
                                           ga_complex alpha, GpuArray *A,
                                           GpuArray *B, ga_complex beta,
                                           GpuArray *C);
#define GpuArray_zgemm GpuArray_cgemm
#define GpuArray_zgemm_prepare GpuArray_cgemm_prepare

/** C[b] = alpha * op(A[b]) op(B[b]) + beta * C[b] for each b: all three have
 * three dimensions, the first of the same size. */
GPUARRAY_PUBLIC int GpuArray_cgemmBatch_3d(cb_transpose transA,
                                           cb_transpose transB,
                                           ga_complex alpha, GpuArray *A,
                                           GpuArray *B, ga_complex beta,
                                           GpuArray *C, int nocopy);
GPUARRAY_PUBLIC int GpuArray_cgemmBatch_3d_prepare(
    GpuLaunch **out, cb_transpose transA, cb_transpose transB, ga_complex alpha,
    GpuArray *A, GpuArray *B, ga_complex beta, GpuArray *C);
#define GpuArray_zgemmBatch_3d GpuArray_cgemmBatch_3d
#define GpuArray_zgemmBatch_3d_prepare GpuArray_cgemmBatch_3d_prepare
/**@}*/

#ifdef __cplusplus
}
#endif

#endif
