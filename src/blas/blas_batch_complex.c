/* SPDX-License-Identifier: BSD-2-Clause */
/* Batches of complex products with operands anywhere: the direct call for each.
 * All arguments are checked before the first one is enqueued. */
#include <gpuarray/blas_complex.h>

#include "blas/direct.h"
#include "blas/product_complex.h"

/* An operand of each product of a batch. */
typedef struct arrays {
  gpudata **bufs;
  const size_t *offs;
  ssize_t step; /* leading dimension or increment, numbers */
} arrays;

static int matrix_at(ga__operand *out, const char *name, const arrays *a,
                     size_t i, int typecode, cb_order order, cb_transpose trans,
                     size_t rows, size_t cols) {
  const ga__blas_matrix m = {.name = name,
                             .buf = a->bufs[i],
                             .off = a->offs[i],
                             .ld = (size_t)a->step};

  return ga__blas_matrix_operand(out, &m, typecode, order, trans, rows, cols,
                                 1);
}

static int vector_at(ga__operand *out, const char *name, const arrays *a,
                     size_t i, int typecode, size_t n) {
  return ga__blas_vector_operand(out, name, a->bufs[i], a->offs[i], a->step,
                                 typecode, n);
}

/* --- gemm --- */

typedef struct gemm_batch {
  int typecode;
  cb_order order;
  cb_transpose ta, tb;
  size_t m, n, k;
  ga_complex alpha, beta;
  arrays a, b, c;
} gemm_batch;

static int gemm_at(ga__cgemm *g, const gemm_batch *s, size_t i) {
  *g = (ga__cgemm){.typecode = s->typecode,
                   .m = s->m,
                   .n = s->n,
                   .k = s->k,
                   .batch = 1,
                   .alpha = s->alpha,
                   .beta = s->beta,
                   .conj_a = s->ta == cb_conj_trans,
                   .conj_b = s->tb == cb_conj_trans};
  GA_TRY(matrix_at(&g->a, "A", &s->a, i, s->typecode, s->order, s->ta, s->m,
                   s->k));
  GA_TRY(matrix_at(&g->b, "B", &s->b, i, s->typecode, s->order, s->tb, s->k,
                   s->n));
  GA_TRY(matrix_at(&g->c, "C", &s->c, i, s->typecode, s->order, cb_no_trans,
                   s->m, s->n));
  g->ctx = gpudata_context(s->c.bufs[i]);
  g->b.slot = 1;
  g->c.slot = 2;
  return GA_NO_ERROR;
}

static int run_gemms(const gemm_batch *s, size_t n, int flags) {
  ga__cgemm g;

  GA_TRY(ga__blas_flags(flags));
  GA_TRY(ga__blas_order(s->order));
  GA_TRY(ga__blas_trans("A", s->ta));
  GA_TRY(ga__blas_trans("B", s->tb));
  for (size_t i = 0; i < n; i++)
    GA_TRY(gemm_at(&g, s, i));
  for (size_t i = 0; i < n; i++) {
    GA_TRY(gemm_at(&g, s, i));
    GA_TRY(ga__cgemm_run(&g));
  }
  return GA_NO_ERROR;
}

int gpublas_cgemmBatch(cb_order order, cb_transpose transA, cb_transpose transB,
                       size_t M, size_t N, size_t K, ga_complex alpha,
                       gpudata **A, size_t *offA, size_t lda, gpudata **B,
                       size_t *offB, size_t ldb, ga_complex beta, gpudata **C,
                       size_t *offC, size_t ldc, size_t batchCount, int flags) {
  return run_gemms(&(gemm_batch){GA_CFLOAT,
                                 order,
                                 transA,
                                 transB,
                                 M,
                                 N,
                                 K,
                                 alpha,
                                 beta,
                                 {A, offA, (ssize_t)lda},
                                 {B, offB, (ssize_t)ldb},
                                 {C, offC, (ssize_t)ldc}},
                   batchCount, flags);
}

int gpublas_zgemmBatch(cb_order order, cb_transpose transA, cb_transpose transB,
                       size_t M, size_t N, size_t K, ga_complex alpha,
                       gpudata **A, size_t *offA, size_t lda, gpudata **B,
                       size_t *offB, size_t ldb, ga_complex beta, gpudata **C,
                       size_t *offC, size_t ldc, size_t batchCount, int flags) {
  return run_gemms(&(gemm_batch){GA_CDOUBLE,
                                 order,
                                 transA,
                                 transB,
                                 M,
                                 N,
                                 K,
                                 alpha,
                                 beta,
                                 {A, offA, (ssize_t)lda},
                                 {B, offB, (ssize_t)ldb},
                                 {C, offC, (ssize_t)ldc}},
                   batchCount, flags);
}

/* --- gemv --- */

typedef struct gemv_batch {
  int typecode;
  cb_order order;
  cb_transpose ta;
  size_t m, n;
  ga_complex alpha, beta;
  arrays a, x, y;
} gemv_batch;

static int gemv_at(ga__cgemv *g, const gemv_batch *s, size_t i) {
  const int turned = s->ta != cb_no_trans;

  *g = (ga__cgemv){.typecode = s->typecode,
                   .m = turned ? s->n : s->m,
                   .n = turned ? s->m : s->n,
                   .alpha = s->alpha,
                   .beta = s->beta,
                   .conj_a = s->ta == cb_conj_trans};
  GA_TRY(matrix_at(&g->a, "A", &s->a, i, s->typecode, s->order, s->ta, g->m,
                   g->n));
  GA_TRY(vector_at(&g->x, "X", &s->x, i, s->typecode, g->n));
  GA_TRY(vector_at(&g->y, "Y", &s->y, i, s->typecode, g->m));
  g->ctx = gpudata_context(s->y.bufs[i]);
  g->x.slot = 1;
  g->y.slot = 2;
  return GA_NO_ERROR;
}

static int run_gemvs(const gemv_batch *s, size_t n, int flags) {
  ga__cgemv g;

  GA_TRY(ga__blas_flags(flags));
  GA_TRY(ga__blas_order(s->order));
  GA_TRY(ga__blas_trans("A", s->ta));
  for (size_t i = 0; i < n; i++)
    GA_TRY(gemv_at(&g, s, i));
  for (size_t i = 0; i < n; i++) {
    GA_TRY(gemv_at(&g, s, i));
    GA_TRY(ga__cgemv_run(&g));
  }
  return GA_NO_ERROR;
}

int gpublas_cgemvBatch(cb_order order, cb_transpose transA, size_t M, size_t N,
                       ga_complex alpha, gpudata **A, size_t *offA, size_t lda,
                       gpudata **X, size_t *offX, ssize_t incX, ga_complex beta,
                       gpudata **Y, size_t *offY, ssize_t incY,
                       size_t batchCount, int flags) {
  return run_gemvs(&(gemv_batch){GA_CFLOAT,
                                 order,
                                 transA,
                                 M,
                                 N,
                                 alpha,
                                 beta,
                                 {A, offA, (ssize_t)lda},
                                 {X, offX, incX},
                                 {Y, offY, incY}},
                   batchCount, flags);
}

int gpublas_zgemvBatch(cb_order order, cb_transpose transA, size_t M, size_t N,
                       ga_complex alpha, gpudata **A, size_t *offA, size_t lda,
                       gpudata **X, size_t *offX, ssize_t incX, ga_complex beta,
                       gpudata **Y, size_t *offY, ssize_t incY,
                       size_t batchCount, int flags) {
  return run_gemvs(&(gemv_batch){GA_CDOUBLE,
                                 order,
                                 transA,
                                 M,
                                 N,
                                 alpha,
                                 beta,
                                 {A, offA, (ssize_t)lda},
                                 {X, offX, incX},
                                 {Y, offY, incY}},
                   batchCount, flags);
}

/* --- ger --- */

typedef struct ger_batch {
  int typecode, conj;
  cb_order order;
  size_t m, n;
  ga_complex alpha;
  arrays x, y, a;
} ger_batch;

static int ger_at(ga__cger *g, const ger_batch *s, size_t i) {
  *g = (ga__cger){.typecode = s->typecode,
                  .m = s->m,
                  .n = s->n,
                  .alpha = s->alpha,
                  .conj_y = s->conj};
  GA_TRY(vector_at(&g->x, "X", &s->x, i, s->typecode, s->m));
  GA_TRY(vector_at(&g->y, "Y", &s->y, i, s->typecode, s->n));
  GA_TRY(matrix_at(&g->a, "A", &s->a, i, s->typecode, s->order, cb_no_trans,
                   s->m, s->n));
  g->ctx = gpudata_context(s->a.bufs[i]);
  g->y.slot = 1;
  g->a.slot = 2;
  return GA_NO_ERROR;
}

static int run_gers(const ger_batch *s, size_t n, int flags) {
  ga__cger g;

  GA_TRY(ga__blas_flags(flags));
  GA_TRY(ga__blas_order(s->order));
  for (size_t i = 0; i < n; i++)
    GA_TRY(ger_at(&g, s, i));
  for (size_t i = 0; i < n; i++) {
    GA_TRY(ger_at(&g, s, i));
    GA_TRY(ga__cger_run(&g));
  }
  return GA_NO_ERROR;
}

int gpublas_cgeruBatch(cb_order order, size_t M, size_t N, ga_complex alpha,
                       gpudata **X, size_t *offX, ssize_t incX, gpudata **Y,
                       size_t *offY, ssize_t incY, gpudata **A, size_t *offA,
                       size_t lda, size_t batchCount, int flags) {
  return run_gers(&(ger_batch){GA_CFLOAT,
                               0,
                               order,
                               M,
                               N,
                               alpha,
                               {X, offX, incX},
                               {Y, offY, incY},
                               {A, offA, (ssize_t)lda}},
                  batchCount, flags);
}

int gpublas_zgeruBatch(cb_order order, size_t M, size_t N, ga_complex alpha,
                       gpudata **X, size_t *offX, ssize_t incX, gpudata **Y,
                       size_t *offY, ssize_t incY, gpudata **A, size_t *offA,
                       size_t lda, size_t batchCount, int flags) {
  return run_gers(&(ger_batch){GA_CDOUBLE,
                               0,
                               order,
                               M,
                               N,
                               alpha,
                               {X, offX, incX},
                               {Y, offY, incY},
                               {A, offA, (ssize_t)lda}},
                  batchCount, flags);
}

int gpublas_cgercBatch(cb_order order, size_t M, size_t N, ga_complex alpha,
                       gpudata **X, size_t *offX, ssize_t incX, gpudata **Y,
                       size_t *offY, ssize_t incY, gpudata **A, size_t *offA,
                       size_t lda, size_t batchCount, int flags) {
  return run_gers(&(ger_batch){GA_CFLOAT,
                               1,
                               order,
                               M,
                               N,
                               alpha,
                               {X, offX, incX},
                               {Y, offY, incY},
                               {A, offA, (ssize_t)lda}},
                  batchCount, flags);
}

int gpublas_zgercBatch(cb_order order, size_t M, size_t N, ga_complex alpha,
                       gpudata **X, size_t *offX, ssize_t incX, gpudata **Y,
                       size_t *offY, ssize_t incY, gpudata **A, size_t *offA,
                       size_t lda, size_t batchCount, int flags) {
  return run_gers(&(ger_batch){GA_CDOUBLE,
                               1,
                               order,
                               M,
                               N,
                               alpha,
                               {X, offX, incX},
                               {Y, offY, incY},
                               {A, offA, (ssize_t)lda}},
                  batchCount, flags);
}
