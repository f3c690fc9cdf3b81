/* SPDX-License-Identifier: BSD-2-Clause */
/* BLAS on device buffers, one product per call. */
#include "blas/direct.h"

int gpublas_setup(gpucontext *ctx) {
  return ga__reuse_setup(ctx);
}

void gpublas_teardown(gpucontext *ctx) {
  ga__reuse_teardown(ctx);
}

const char *gpublas_error(gpucontext *ctx) {
  (void)ctx; /* the message belongs to the thread */
  return ga__err_text(GA_BLAS_ERROR);
}

/* --- dot --- */

static int run_dot(int typecode, size_t n, gpudata *X, size_t offX, size_t incX,
                   gpudata *Y, size_t offY, size_t incY, gpudata *Z,
                   size_t offZ) {
  ga__dot d = {.typecode = typecode, .n = n};

  GA_TRY(ga__blas_vector_operand(&d.x, "X", X, offX, (ptrdiff_t)incX, typecode,
                                 n));
  GA_TRY(ga__blas_vector_operand(&d.y, "Y", Y, offY, (ptrdiff_t)incY, typecode,
                                 n));
  GA_TRY(ga__blas_vector_operand(&d.z, "Z", Z, offZ, 1, typecode, 1));
  d.ctx = gpudata_context(Z);
  d.y.slot = 1;
  d.z.slot = 2;
  return ga__dot_run(&d);
}

int gpublas_hdot(size_t N, gpudata *X, size_t offX, size_t incX, gpudata *Y,
                 size_t offY, size_t incY, gpudata *Z, size_t offZ) {
  return run_dot(GA_HALF, N, X, offX, incX, Y, offY, incY, Z, offZ);
}

int gpublas_sdot(size_t N, gpudata *X, size_t offX, size_t incX, gpudata *Y,
                 size_t offY, size_t incY, gpudata *Z, size_t offZ) {
  return run_dot(GA_FLOAT, N, X, offX, incX, Y, offY, incY, Z, offZ);
}

int gpublas_ddot(size_t N, gpudata *X, size_t offX, size_t incX, gpudata *Y,
                 size_t offY, size_t incY, gpudata *Z, size_t offZ) {
  return run_dot(GA_DOUBLE, N, X, offX, incX, Y, offY, incY, Z, offZ);
}

/* --- gemv --- */

static int run_gemv(int typecode, cb_order order, cb_transpose transA, size_t M,
                    size_t N, double alpha, gpudata *A, size_t offA, size_t lda,
                    gpudata *X, size_t offX, int incX, double beta, gpudata *Y,
                    size_t offY, int incY) {
  const int turned = transA != cb_no_trans;
  const ga__blas_matrix a = {.name = "A", .buf = A, .off = offA, .ld = lda};
  ga__gemv g = {.typecode = typecode,
                .m = turned ? N : M,
                .n = turned ? M : N,
                .alpha = alpha,
                .beta = beta};

  GA_TRY(ga__blas_order(order));
  GA_TRY(ga__blas_trans("A", transA));
  GA_TRY(
      ga__blas_matrix_operand(&g.a, &a, typecode, order, transA, g.m, g.n, 1));
  GA_TRY(ga__blas_vector_operand(&g.x, "X", X, offX, incX, typecode, g.n));
  GA_TRY(ga__blas_vector_operand(&g.y, "Y", Y, offY, incY, typecode, g.m));
  GA_TRY(ga__blas_apart("Y", &g.y, g.m, 1, "A", &g.a, g.m, g.n, typecode));
  GA_TRY(ga__blas_apart("Y", &g.y, g.m, 1, "X", &g.x, g.n, 1, typecode));
  g.ctx = gpudata_context(Y);
  g.x.slot = 1;
  g.y.slot = 2;
  return ga__gemv_run(&g);
}

int gpublas_hgemv(cb_order order, cb_transpose transA, size_t M, size_t N,
                  float alpha, gpudata *A, size_t offA, size_t lda, gpudata *X,
                  size_t offX, int incX, float beta, gpudata *Y, size_t offY,
                  int incY) {
  return run_gemv(GA_HALF, order, transA, M, N, alpha, A, offA, lda, X, offX,
                  incX, beta, Y, offY, incY);
}

int gpublas_sgemv(cb_order order, cb_transpose transA, size_t M, size_t N,
                  float alpha, gpudata *A, size_t offA, size_t lda, gpudata *X,
                  size_t offX, int incX, float beta, gpudata *Y, size_t offY,
                  int incY) {
  return run_gemv(GA_FLOAT, order, transA, M, N, alpha, A, offA, lda, X, offX,
                  incX, beta, Y, offY, incY);
}

int gpublas_dgemv(cb_order order, cb_transpose transA, size_t M, size_t N,
                  double alpha, gpudata *A, size_t offA, size_t lda, gpudata *X,
                  size_t offX, int incX, double beta, gpudata *Y, size_t offY,
                  int incY) {
  return run_gemv(GA_DOUBLE, order, transA, M, N, alpha, A, offA, lda, X, offX,
                  incX, beta, Y, offY, incY);
}

/* --- ger --- */

static int run_ger(int typecode, cb_order order, size_t M, size_t N,
                   double alpha, gpudata *X, size_t offX, int incX, gpudata *Y,
                   size_t offY, int incY, gpudata *A, size_t offA, size_t lda) {
  const ga__blas_matrix a = {.name = "A", .buf = A, .off = offA, .ld = lda};
  ga__ger g = {.typecode = typecode, .m = M, .n = N, .alpha = alpha};

  GA_TRY(ga__blas_order(order));
  GA_TRY(ga__blas_vector_operand(&g.x, "X", X, offX, incX, typecode, M));
  GA_TRY(ga__blas_vector_operand(&g.y, "Y", Y, offY, incY, typecode, N));
  GA_TRY(
      ga__blas_matrix_operand(&g.a, &a, typecode, order, cb_no_trans, M, N, 1));
  GA_TRY(ga__blas_apart("A", &g.a, M, N, "X", &g.x, M, 1, typecode));
  GA_TRY(ga__blas_apart("A", &g.a, M, N, "Y", &g.y, N, 1, typecode));
  g.ctx = gpudata_context(A);
  g.y.slot = 1;
  g.a.slot = 2;
  return ga__ger_run(&g);
}

int gpublas_hger(cb_order order, size_t M, size_t N, float alpha, gpudata *X,
                 size_t offX, int incX, gpudata *Y, size_t offY, int incY,
                 gpudata *A, size_t offA, size_t lda) {
  return run_ger(GA_HALF, order, M, N, alpha, X, offX, incX, Y, offY, incY, A,
                 offA, lda);
}

int gpublas_sger(cb_order order, size_t M, size_t N, float alpha, gpudata *X,
                 size_t offX, int incX, gpudata *Y, size_t offY, int incY,
                 gpudata *A, size_t offA, size_t lda) {
  return run_ger(GA_FLOAT, order, M, N, alpha, X, offX, incX, Y, offY, incY, A,
                 offA, lda);
}

int gpublas_dger(cb_order order, size_t M, size_t N, double alpha, gpudata *X,
                 size_t offX, int incX, gpudata *Y, size_t offY, int incY,
                 gpudata *A, size_t offA, size_t lda) {
  return run_ger(GA_DOUBLE, order, M, N, alpha, X, offX, incX, Y, offY, incY, A,
                 offA, lda);
}
