/* SPDX-License-Identifier: BSD-2-Clause */
/** \file blas.h
 * Products of arrays of half, bfloat, float or double.
 *
 * The `r` in the names means every real precision: all arrays of a call have
 * the same type. Arrays may have any strides. One with strides that the routine
 * cannot read is copied first, or, with `nocopy` not 0, the call fails with
 * GA_COPY_ERROR. A result is changed in place and must not overlap an operand.
 * With a `beta` of 0 its old values are not read, so a NaN in them has no
 * effect. GA_VALUE_ERROR for shapes that do not fit and, except in batches, for
 * a result that certainly overlaps; GA_INVALID_ERROR for wrong types. Nothing
 * blocks, except while a kernel is compiled. */
#ifndef GPUARRAY_BLAS_H
#define GPUARRAY_BLAS_H

#include <gpuarray/array.h>
#include <gpuarray/buffer_blas.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Z = sum of X * Y: X and Y are [n], Z has no dimensions. */
GPUARRAY_PUBLIC int GpuArray_rdot(GpuArray *X, GpuArray *Y, GpuArray *Z,
                                  int nocopy);
#define GpuArray_hdot GpuArray_rdot
#define GpuArray_sdot GpuArray_rdot
#define GpuArray_ddot GpuArray_rdot

/** Y = alpha * op(A) X + beta * Y: op(A) is [m, n], X [n], Y [m]. */
GPUARRAY_PUBLIC int GpuArray_rgemv(cb_transpose transA, double alpha,
                                   GpuArray *A, GpuArray *X, double beta,
                                   GpuArray *Y, int nocopy);
#define GpuArray_hgemv GpuArray_rgemv
#define GpuArray_sgemv GpuArray_rgemv
#define GpuArray_dgemv GpuArray_rgemv

/** C = alpha * op(A) op(B) + beta * C: op(A) is [m, k], op(B) [k, n], C
 * [m, n]. */
GPUARRAY_PUBLIC int GpuArray_rgemm(cb_transpose transA, cb_transpose transB,
                                   double alpha, GpuArray *A, GpuArray *B,
                                   double beta, GpuArray *C, int nocopy);
#define GpuArray_hgemm GpuArray_rgemm
#define GpuArray_sgemm GpuArray_rgemm
#define GpuArray_dgemm GpuArray_rgemm

/** A = alpha * X Y^T + A: X is [m], Y [n], A [m, n]. */
GPUARRAY_PUBLIC int GpuArray_rger(double alpha, GpuArray *X, GpuArray *Y,
                                  GpuArray *A, int nocopy);
#define GpuArray_hger GpuArray_rger
#define GpuArray_sger GpuArray_rger
#define GpuArray_dger GpuArray_rger

/** C[b] = alpha * op(A[b]) op(B[b]) + beta * C[b] for each b: all three have
 * three dimensions, the first of the same size. */
GPUARRAY_PUBLIC int GpuArray_rgemmBatch_3d(cb_transpose transA,
                                           cb_transpose transB, double alpha,
                                           GpuArray *A, GpuArray *B,
                                           double beta, GpuArray *C,
                                           int nocopy);
#define GpuArray_hgemmBatch_3d GpuArray_rgemmBatch_3d
#define GpuArray_sgemmBatch_3d GpuArray_rgemmBatch_3d
#define GpuArray_dgemmBatch_3d GpuArray_rgemmBatch_3d

#ifdef __cplusplus
}
#endif

#endif
