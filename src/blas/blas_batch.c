/* SPDX-License-Identifier: BSD-2-Clause */
/* Batches of products with operands anywhere: the direct call for each. All
 * arguments are checked before the first one is enqueued. */
#include "blas/direct.h"

#include <string.h>

/* The operand of number `i` in a batch given as arrays of buffers. */
typedef struct arrays {
  gpudata **bufs;
  const size_t *offs;
  size_t step; /* leading dimension or increment, elements */
} arrays;

static ga__blas_matrix matrix_at(const char *name, const arrays *a, size_t i) {
  return (ga__blas_matrix){
      .name = name, .buf = a->bufs[i], .off = a->offs[i], .ld = a->step};
}

/* --- gemm --- */

typedef struct gemm_batch {
  int typecode;
  cb_order order;
  cb_transpose ta, tb;
  size_t m, n, k;
  double alpha, beta;
  arrays a, b, c;
} gemm_batch;

static int gemm_at(ga__gemm *g, const gemm_batch *s, size_t i) {
  const ga__blas_matrix a = matrix_at("A", &s->a, i);
  const ga__blas_matrix b = matrix_at("B", &s->b, i);
  const ga__blas_matrix c = matrix_at("C", &s->c, i);

  memset(g, 0, sizeof *g);
  g->typecode = s->typecode;
  g->m = s->m;
  g->n = s->n;
  g->k = s->k;
  g->batch = 1;
  g->alpha = s->alpha;
  g->beta = s->beta;
  GA_TRY(ga__blas_matrix_operand(&g->a, &a, s->typecode, s->order, s->ta, s->m,
                                 s->k, 1));
  GA_TRY(ga__blas_matrix_operand(&g->b, &b, s->typecode, s->order, s->tb, s->k,
                                 s->n, 1));
  GA_TRY(ga__blas_matrix_operand(&g->c, &c, s->typecode, s->order, cb_no_trans,
                                 s->m, s->n, 1));
  GA_TRY(ga__blas_apart("C", &g->c, s->m, s->n, "A", &g->a, s->m, s->k,
                        s->typecode));
  GA_TRY(ga__blas_apart("C", &g->c, s->m, s->n, "B", &g->b, s->k, s->n,
                        s->typecode));
  g->ctx = gpudata_context(c.buf);
  g->b.slot = 1;
  g->c.slot = 2;
  return GA_NO_ERROR;
}

static int run_gemms(const gemm_batch *s, size_t n, int flags) {
  ga__gemm g;

  GA_TRY(ga__blas_flags(flags));
  GA_TRY(ga__blas_order(s->order));
  GA_TRY(ga__blas_trans("A", s->ta));
  GA_TRY(ga__blas_trans("B", s->tb));
  for (size_t i = 0; i < n; i++)
    GA_TRY(gemm_at(&g, s, i));
  for (size_t i = 0; i < n; i++) {
    GA_TRY(gemm_at(&g, s, i));
    GA_TRY(ga__gemm_run(&g));
  }
  return GA_NO_ERROR;
}

int gpublas_hgemmBatch(cb_order order, cb_transpose transA, cb_transpose transB,
                       size_t M, size_t N, size_t K, float alpha, gpudata **A,
                       size_t *offA, size_t lda, gpudata **B, size_t *offB,
                       size_t ldb, float beta, gpudata **C, size_t *offC,
                       size_t ldc, size_t batchCount, int flags) {
  return run_gemms(&(gemm_batch){GA_HALF,
                                 order,
                                 transA,
                                 transB,
                                 M,
                                 N,
                                 K,
                                 alpha,
                                 beta,
                                 {A, offA, lda},
                                 {B, offB, ldb},
                                 {C, offC, ldc}},
                   batchCount, flags);
}

int gpublas_sgemmBatch(cb_order order, cb_transpose transA, cb_transpose transB,
                       size_t M, size_t N, size_t K, float alpha, gpudata **A,
                       size_t *offA, size_t lda, gpudata **B, size_t *offB,
                       size_t ldb, float beta, gpudata **C, size_t *offC,
                       size_t ldc, size_t batchCount, int flags) {
  return run_gemms(&(gemm_batch){GA_FLOAT,
                                 order,
                                 transA,
                                 transB,
                                 M,
                                 N,
                                 K,
                                 alpha,
                                 beta,
                                 {A, offA, lda},
                                 {B, offB, ldb},
                                 {C, offC, ldc}},
                   batchCount, flags);
}

int gpublas_dgemmBatch(cb_order order, cb_transpose transA, cb_transpose transB,
                       size_t M, size_t N, size_t K, double alpha, gpudata **A,
                       size_t *offA, size_t lda, gpudata **B, size_t *offB,
                       size_t ldb, double beta, gpudata **C, size_t *offC,
                       size_t ldc, size_t batchCount, int flags) {
  return run_gemms(&(gemm_batch){GA_DOUBLE,
                                 order,
                                 transA,
                                 transB,
                                 M,
                                 N,
                                 K,
                                 alpha,
                                 beta,
                                 {A, offA, lda},
                                 {B, offB, ldb},
                                 {C, offC, ldc}},
                   batchCount, flags);
}

/* --- gemv --- */

typedef struct gemv_batch {
  int typecode;
  cb_order order;
  cb_transpose ta;
  size_t m, n;
  double alpha, beta;
  arrays a, x, y;
} gemv_batch;

static int gemv_at(ga__gemv *g, const gemv_batch *s, size_t i) {
  const int turned = s->ta != cb_no_trans;
  const ga__blas_matrix a = matrix_at("A", &s->a, i);

  memset(g, 0, sizeof *g);
  g->typecode = s->typecode;
  g->m = turned ? s->n : s->m;
  g->n = turned ? s->m : s->n;
  g->alpha = s->alpha;
  g->beta = s->beta;
  GA_TRY(ga__blas_matrix_operand(&g->a, &a, s->typecode, s->order, s->ta, g->m,
                                 g->n, 1));
  GA_TRY(ga__blas_vector_operand(&g->x, "x", s->x.bufs[i], s->x.offs[i],
                                 (ptrdiff_t)s->x.step, s->typecode, g->n));
  GA_TRY(ga__blas_vector_operand(&g->y, "y", s->y.bufs[i], s->y.offs[i],
                                 (ptrdiff_t)s->y.step, s->typecode, g->m));
  GA_TRY(
      ga__blas_apart("y", &g->y, g->m, 1, "A", &g->a, g->m, g->n, s->typecode));
  GA_TRY(ga__blas_apart("y", &g->y, g->m, 1, "x", &g->x, g->n, 1, s->typecode));
  g->ctx = gpudata_context(s->y.bufs[i]);
  g->x.slot = 1;
  g->y.slot = 2;
  return GA_NO_ERROR;
}

static int run_gemvs(const gemv_batch *s, size_t n, int flags) {
  ga__gemv g;

  GA_TRY(ga__blas_flags(flags));
  GA_TRY(ga__blas_order(s->order));
  GA_TRY(ga__blas_trans("A", s->ta));
  for (size_t i = 0; i < n; i++)
    GA_TRY(gemv_at(&g, s, i));
  for (size_t i = 0; i < n; i++) {
    GA_TRY(gemv_at(&g, s, i));
    GA_TRY(ga__gemv_run(&g));
  }
  return GA_NO_ERROR;
}

int gpublas_hgemvBatch(cb_order order, cb_transpose transA, size_t M, size_t N,
                       float alpha, gpudata **A, size_t *offA, size_t lda,
                       gpudata **x, size_t *offX, size_t incX, float beta,
                       gpudata **y, size_t *offY, size_t incY,
                       size_t batchCount, int flags) {
  return run_gemvs(&(gemv_batch){GA_HALF,
                                 order,
                                 transA,
                                 M,
                                 N,
                                 alpha,
                                 beta,
                                 {A, offA, lda},
                                 {x, offX, incX},
                                 {y, offY, incY}},
                   batchCount, flags);
}

int gpublas_sgemvBatch(cb_order order, cb_transpose transA, size_t M, size_t N,
                       float alpha, gpudata **A, size_t *offA, size_t lda,
                       gpudata **x, size_t *offX, size_t incX, float beta,
                       gpudata **y, size_t *offY, size_t incY,
                       size_t batchCount, int flags) {
  return run_gemvs(&(gemv_batch){GA_FLOAT,
                                 order,
                                 transA,
                                 M,
                                 N,
                                 alpha,
                                 beta,
                                 {A, offA, lda},
                                 {x, offX, incX},
                                 {y, offY, incY}},
                   batchCount, flags);
}

int gpublas_dgemvBatch(cb_order order, cb_transpose transA, size_t M, size_t N,
                       double alpha, gpudata **A, size_t *offA, size_t lda,
                       gpudata **x, size_t *offX, size_t incX, double beta,
                       gpudata **y, size_t *offY, size_t incY,
                       size_t batchCount, int flags) {
  return run_gemvs(&(gemv_batch){GA_DOUBLE,
                                 order,
                                 transA,
                                 M,
                                 N,
                                 alpha,
                                 beta,
                                 {A, offA, lda},
                                 {x, offX, incX},
                                 {y, offY, incY}},
                   batchCount, flags);
}

/* --- ger --- */

typedef struct ger_batch {
  int typecode;
  cb_order order;
  size_t m, n;
  double alpha;
  arrays x, y, a;
} ger_batch;

static int ger_at(ga__ger *g, const ger_batch *s, size_t i) {
  const ga__blas_matrix a = matrix_at("A", &s->a, i);

  memset(g, 0, sizeof *g);
  g->typecode = s->typecode;
  g->m = s->m;
  g->n = s->n;
  g->alpha = s->alpha;
  GA_TRY(ga__blas_vector_operand(&g->x, "x", s->x.bufs[i], s->x.offs[i],
                                 (ptrdiff_t)s->x.step, s->typecode, s->m));
  GA_TRY(ga__blas_vector_operand(&g->y, "y", s->y.bufs[i], s->y.offs[i],
                                 (ptrdiff_t)s->y.step, s->typecode, s->n));
  GA_TRY(ga__blas_matrix_operand(&g->a, &a, s->typecode, s->order, cb_no_trans,
                                 s->m, s->n, 1));
  GA_TRY(
      ga__blas_apart("A", &g->a, s->m, s->n, "x", &g->x, s->m, 1, s->typecode));
  GA_TRY(
      ga__blas_apart("A", &g->a, s->m, s->n, "y", &g->y, s->n, 1, s->typecode));
  g->ctx = gpudata_context(a.buf);
  g->y.slot = 1;
  g->a.slot = 2;
  return GA_NO_ERROR;
}

static int run_gers(const ger_batch *s, size_t n, int flags) {
  ga__ger g;

  GA_TRY(ga__blas_flags(flags));
  GA_TRY(ga__blas_order(s->order));
  for (size_t i = 0; i < n; i++)
    GA_TRY(ger_at(&g, s, i));
  for (size_t i = 0; i < n; i++) {
    GA_TRY(ger_at(&g, s, i));
    GA_TRY(ga__ger_run(&g));
  }
  return GA_NO_ERROR;
}

int gpublas_hgerBatch(cb_order order, size_t M, size_t N, float alpha,
                      gpudata **x, size_t *offX, size_t incX, gpudata **y,
                      size_t *offY, size_t incY, gpudata **A, size_t *offA,
                      size_t lda, size_t batchCount, int flags) {
  return run_gers(&(ger_batch){GA_HALF,
                               order,
                               M,
                               N,
                               alpha,
                               {x, offX, incX},
                               {y, offY, incY},
                               {A, offA, lda}},
                  batchCount, flags);
}

int gpublas_sgerBatch(cb_order order, size_t M, size_t N, float alpha,
                      gpudata **x, size_t *offX, size_t incX, gpudata **y,
                      size_t *offY, size_t incY, gpudata **A, size_t *offA,
                      size_t lda, size_t batchCount, int flags) {
  return run_gers(&(ger_batch){GA_FLOAT,
                               order,
                               M,
                               N,
                               alpha,
                               {x, offX, incX},
                               {y, offY, incY},
                               {A, offA, lda}},
                  batchCount, flags);
}

int gpublas_dgerBatch(cb_order order, size_t M, size_t N, double alpha,
                      gpudata **x, size_t *offX, size_t incX, gpudata **y,
                      size_t *offY, size_t incY, gpudata **A, size_t *offA,
                      size_t lda, size_t batchCount, int flags) {
  return run_gers(&(ger_batch){GA_DOUBLE,
                               order,
                               M,
                               N,
                               alpha,
                               {x, offX, incX},
                               {y, offY, incY},
                               {A, offA, lda}},
                  batchCount, flags);
}
