/* SPDX-License-Identifier: BSD-2-Clause */
/* Products of real arrays as blas.h and launch.h have them: at once, or
 * prepared. */
#include <gpuarray/blas.h>
#include <gpuarray/launch.h>

#include "linalg/blas_array.h"

int GpuArray_rdot(GpuArray *X, GpuArray *Y, GpuArray *Z, int nocopy) {
  return ga__array_dot(NULL, GA_KIND_FLOAT, 0, X, Y, Z, nocopy);
}

int GpuArray_rdot_prepare(GpuLaunch **out, GpuArray *X, GpuArray *Y,
                          GpuArray *Z) {
  *out = NULL;
  return ga__array_dot(out, GA_KIND_FLOAT, 0, X, Y, Z, 1);
}

int GpuArray_rgemv(cb_transpose transA, double alpha, GpuArray *A, GpuArray *X,
                   double beta, GpuArray *Y, int nocopy) {
  return ga__array_gemv(NULL, GA_KIND_FLOAT, transA, (ga_complex){alpha, 0}, A,
                        X, (ga_complex){beta, 0}, Y, nocopy);
}

int GpuArray_rgemv_prepare(GpuLaunch **out, cb_transpose transA, double alpha,
                           GpuArray *A, GpuArray *X, double beta, GpuArray *Y) {
  *out = NULL;
  return ga__array_gemv(out, GA_KIND_FLOAT, transA, (ga_complex){alpha, 0}, A,
                        X, (ga_complex){beta, 0}, Y, 1);
}

int GpuArray_rger(double alpha, GpuArray *X, GpuArray *Y, GpuArray *A,
                  int nocopy) {
  return ga__array_ger(NULL, GA_KIND_FLOAT, 0, (ga_complex){alpha, 0}, X, Y, A,
                       nocopy);
}

int GpuArray_rger_prepare(GpuLaunch **out, double alpha, GpuArray *X,
                          GpuArray *Y, GpuArray *A) {
  *out = NULL;
  return ga__array_ger(out, GA_KIND_FLOAT, 0, (ga_complex){alpha, 0}, X, Y, A,
                       1);
}

int GpuArray_rgemm(cb_transpose transA, cb_transpose transB, double alpha,
                   GpuArray *A, GpuArray *B, double beta, GpuArray *C,
                   int nocopy) {
  return ga__array_gemm(NULL, GA_KIND_FLOAT, 2, transA, transB,
                        (ga_complex){alpha, 0}, A, B, (ga_complex){beta, 0}, C,
                        nocopy);
}

int GpuArray_rgemm_prepare(GpuLaunch **out, cb_transpose transA,
                           cb_transpose transB, double alpha, GpuArray *A,
                           GpuArray *B, double beta, GpuArray *C) {
  *out = NULL;
  return ga__array_gemm(out, GA_KIND_FLOAT, 2, transA, transB,
                        (ga_complex){alpha, 0}, A, B, (ga_complex){beta, 0}, C,
                        1);
}

int GpuArray_rgemmBatch_3d(cb_transpose transA, cb_transpose transB,
                           double alpha, GpuArray *A, GpuArray *B, double beta,
                           GpuArray *C, int nocopy) {
  return ga__array_gemm(NULL, GA_KIND_FLOAT, 3, transA, transB,
                        (ga_complex){alpha, 0}, A, B, (ga_complex){beta, 0}, C,
                        nocopy);
}

int GpuArray_rgemmBatch_3d_prepare(GpuLaunch **out, cb_transpose transA,
                                   cb_transpose transB, double alpha,
                                   GpuArray *A, GpuArray *B, double beta,
                                   GpuArray *C) {
  *out = NULL;
  return ga__array_gemm(out, GA_KIND_FLOAT, 3, transA, transB,
                        (ga_complex){alpha, 0}, A, B, (ga_complex){beta, 0}, C,
                        1);
}
