/* SPDX-License-Identifier: BSD-2-Clause */
/* Products of complex arrays as blas_complex.h has them: at once, or prepared.
 */
#include <gpuarray/blas_complex.h>

#include "linalg/blas_array.h"

int GpuArray_cdotu(GpuArray *X, GpuArray *Y, GpuArray *Z, int nocopy) {
  return ga__array_dot(NULL, GA_KIND_COMPLEX, 0, X, Y, Z, nocopy);
}

int GpuArray_cdotu_prepare(GpuLaunch **out, GpuArray *X, GpuArray *Y,
                           GpuArray *Z) {
  *out = NULL;
  return ga__array_dot(out, GA_KIND_COMPLEX, 0, X, Y, Z, 1);
}

int GpuArray_cdotc(GpuArray *X, GpuArray *Y, GpuArray *Z, int nocopy) {
  return ga__array_dot(NULL, GA_KIND_COMPLEX, 1, X, Y, Z, nocopy);
}

int GpuArray_cdotc_prepare(GpuLaunch **out, GpuArray *X, GpuArray *Y,
                           GpuArray *Z) {
  *out = NULL;
  return ga__array_dot(out, GA_KIND_COMPLEX, 1, X, Y, Z, 1);
}

int GpuArray_cgemv(cb_transpose transA, ga_complex alpha, GpuArray *A,
                   GpuArray *X, ga_complex beta, GpuArray *Y, int nocopy) {
  return ga__array_gemv(NULL, GA_KIND_COMPLEX, transA, alpha, A, X, beta, Y,
                        nocopy);
}

int GpuArray_cgemv_prepare(GpuLaunch **out, cb_transpose transA,
                           ga_complex alpha, GpuArray *A, GpuArray *X,
                           ga_complex beta, GpuArray *Y) {
  *out = NULL;
  return ga__array_gemv(out, GA_KIND_COMPLEX, transA, alpha, A, X, beta, Y, 1);
}

int GpuArray_cgeru(ga_complex alpha, GpuArray *X, GpuArray *Y, GpuArray *A,
                   int nocopy) {
  return ga__array_ger(NULL, GA_KIND_COMPLEX, 0, alpha, X, Y, A, nocopy);
}

int GpuArray_cgeru_prepare(GpuLaunch **out, ga_complex alpha, GpuArray *X,
                           GpuArray *Y, GpuArray *A) {
  *out = NULL;
  return ga__array_ger(out, GA_KIND_COMPLEX, 0, alpha, X, Y, A, 1);
}

int GpuArray_cgerc(ga_complex alpha, GpuArray *X, GpuArray *Y, GpuArray *A,
                   int nocopy) {
  return ga__array_ger(NULL, GA_KIND_COMPLEX, 1, alpha, X, Y, A, nocopy);
}

int GpuArray_cgerc_prepare(GpuLaunch **out, ga_complex alpha, GpuArray *X,
                           GpuArray *Y, GpuArray *A) {
  *out = NULL;
  return ga__array_ger(out, GA_KIND_COMPLEX, 1, alpha, X, Y, A, 1);
}

int GpuArray_cgemm(cb_transpose transA, cb_transpose transB, ga_complex alpha,
                   GpuArray *A, GpuArray *B, ga_complex beta, GpuArray *C,
                   int nocopy) {
  return ga__array_gemm(NULL, GA_KIND_COMPLEX, 2, transA, transB, alpha, A, B,
                        beta, C, nocopy);
}

int GpuArray_cgemm_prepare(GpuLaunch **out, cb_transpose transA,
                           cb_transpose transB, ga_complex alpha, GpuArray *A,
                           GpuArray *B, ga_complex beta, GpuArray *C) {
  *out = NULL;
  return ga__array_gemm(out, GA_KIND_COMPLEX, 2, transA, transB, alpha, A, B,
                        beta, C, 1);
}

int GpuArray_cgemmBatch_3d(cb_transpose transA, cb_transpose transB,
                           ga_complex alpha, GpuArray *A, GpuArray *B,
                           ga_complex beta, GpuArray *C, int nocopy) {
  return ga__array_gemm(NULL, GA_KIND_COMPLEX, 3, transA, transB, alpha, A, B,
                        beta, C, nocopy);
}

int GpuArray_cgemmBatch_3d_prepare(GpuLaunch **out, cb_transpose transA,
                                   cb_transpose transB, ga_complex alpha,
                                   GpuArray *A, GpuArray *B, ga_complex beta,
                                   GpuArray *C) {
  *out = NULL;
  return ga__array_gemm(out, GA_KIND_COMPLEX, 3, transA, transB, alpha, A, B,
                        beta, C, 1);
}
