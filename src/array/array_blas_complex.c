/* SPDX-License-Identifier: BSD-2-Clause */
/* Products of complex arrays: shapes and types checked, the rest left to
 * src/blas. Each product has one function for both ways: with `out`, a launch
 * is prepared and nothing copied, without, it is run. */
#include <gpuarray/blas_complex.h>

#include "array/blas_array.h"
#include "blas/product_complex.h"

/* --- dot --- */

static int dot(GpuLaunch **out, int conj, GpuArray *X, GpuArray *Y, GpuArray *Z,
               int nocopy) {
  ga__blas_array o[3] = {{.name = "X", .given = X},
                         {.name = "Y", .given = Y},
                         {.name = "Z", .given = Z}};
  const unsigned int nds[3] = {1, 1, 0};
  ga__cdot d;
  int err;

  GA_TRY(ga__blas_array_check(o, 3, nds, GA_KIND_COMPLEX));
  if (X->dimensions[0] != Y->dimensions[0])
    return ga__fail(GA_VALUE_ERROR, "X has %zu elements, Y has %zu",
                    X->dimensions[0], Y->dimensions[0]);
  for (int i = 0; i < 3; i++)
    GA_CHECK(ga__blas_array_take(&o[i], nocopy, i < 2));
  d = (ga__cdot){.ctx = GpuArray_context(Z),
                 .typecode = Z->typecode,
                 .n = X->dimensions[0],
                 .conj_x = conj,
                 .x = o[0].as,
                 .y = o[1].as,
                 .z = o[2].as};
  err = out != NULL ? ga__cdot_prepare(out, &d) : ga__cdot_run(&d);

done:
  ga__blas_array_drop(o, 3);
  return err;
}

int GpuArray_cdotu(GpuArray *X, GpuArray *Y, GpuArray *Z, int nocopy) {
  return dot(NULL, 0, X, Y, Z, nocopy);
}

int GpuArray_cdotu_prepare(GpuLaunch **out, GpuArray *X, GpuArray *Y,
                           GpuArray *Z) {
  *out = NULL;
  return dot(out, 0, X, Y, Z, 1);
}

int GpuArray_cdotc(GpuArray *X, GpuArray *Y, GpuArray *Z, int nocopy) {
  return dot(NULL, 1, X, Y, Z, nocopy);
}

int GpuArray_cdotc_prepare(GpuLaunch **out, GpuArray *X, GpuArray *Y,
                           GpuArray *Z) {
  *out = NULL;
  return dot(out, 1, X, Y, Z, 1);
}

/* --- gemv --- */

static int gemv(GpuLaunch **out, cb_transpose transA, ga_complex alpha,
                GpuArray *A, GpuArray *X, ga_complex beta, GpuArray *Y,
                int nocopy) {
  ga__blas_array o[3] = {{.name = "A", .given = A, .trans = transA},
                         {.name = "X", .given = X},
                         {.name = "Y", .given = Y}};
  const unsigned int nds[3] = {2, 1, 1};
  ga__cgemv g;
  int err;

  GA_TRY(ga__blas_array_check(o, 3, nds, GA_KIND_COMPLEX));
  GA_TRY(ga__blas_array_trans(&o[0]));
  if (ga__blas_array_cols(&o[0]) != X->dimensions[0] ||
      ga__blas_array_rows(&o[0]) != Y->dimensions[0])
    return ga__fail(GA_VALUE_ERROR,
                    "op(A) is %zux%zu, X has %zu elements, Y has %zu",
                    ga__blas_array_rows(&o[0]), ga__blas_array_cols(&o[0]),
                    X->dimensions[0], Y->dimensions[0]);
  for (int i = 0; i < 3; i++)
    GA_CHECK(ga__blas_array_take(&o[i], nocopy,
                                 i < 2 || !ga__complex_is_zero(beta)));
  g = (ga__cgemv){.ctx = GpuArray_context(Y),
                  .typecode = Y->typecode,
                  .m = ga__blas_array_rows(&o[0]),
                  .n = ga__blas_array_cols(&o[0]),
                  .alpha = alpha,
                  .beta = beta,
                  .conj_a = transA == cb_conj_trans,
                  .a = o[0].as,
                  .x = o[1].as,
                  .y = o[2].as};
  err = out != NULL ? ga__cgemv_prepare(out, &g) : ga__cgemv_run(&g);
  if (err == GA_NO_ERROR && out == NULL)
    err = ga__blas_array_give(&o[2]);

done:
  ga__blas_array_drop(o, 3);
  return err;
}

int GpuArray_cgemv(cb_transpose transA, ga_complex alpha, GpuArray *A,
                   GpuArray *X, ga_complex beta, GpuArray *Y, int nocopy) {
  return gemv(NULL, transA, alpha, A, X, beta, Y, nocopy);
}

int GpuArray_cgemv_prepare(GpuLaunch **out, cb_transpose transA,
                           ga_complex alpha, GpuArray *A, GpuArray *X,
                           ga_complex beta, GpuArray *Y) {
  *out = NULL;
  return gemv(out, transA, alpha, A, X, beta, Y, 1);
}

/* --- ger --- */

static int ger(GpuLaunch **out, int conj, ga_complex alpha, GpuArray *X,
               GpuArray *Y, GpuArray *A, int nocopy) {
  ga__blas_array o[3] = {{.name = "X", .given = X},
                         {.name = "Y", .given = Y},
                         {.name = "A", .given = A}};
  const unsigned int nds[3] = {1, 1, 2};
  ga__cger g;
  int err;

  GA_TRY(ga__blas_array_check(o, 3, nds, GA_KIND_COMPLEX));
  if (A->dimensions[0] != X->dimensions[0] ||
      A->dimensions[1] != Y->dimensions[0])
    return ga__fail(
        GA_VALUE_ERROR, "X has %zu elements, Y has %zu, A is %zux%zu",
        X->dimensions[0], Y->dimensions[0], A->dimensions[0], A->dimensions[1]);
  for (int i = 0; i < 3; i++)
    GA_CHECK(ga__blas_array_take(&o[i], nocopy, 1));
  g = (ga__cger){.ctx = GpuArray_context(A),
                 .typecode = A->typecode,
                 .m = A->dimensions[0],
                 .n = A->dimensions[1],
                 .alpha = alpha,
                 .conj_y = conj,
                 .x = o[0].as,
                 .y = o[1].as,
                 .a = o[2].as};
  err = out != NULL ? ga__cger_prepare(out, &g) : ga__cger_run(&g);
  if (err == GA_NO_ERROR && out == NULL)
    err = ga__blas_array_give(&o[2]);

done:
  ga__blas_array_drop(o, 3);
  return err;
}

int GpuArray_cgeru(ga_complex alpha, GpuArray *X, GpuArray *Y, GpuArray *A,
                   int nocopy) {
  return ger(NULL, 0, alpha, X, Y, A, nocopy);
}

int GpuArray_cgeru_prepare(GpuLaunch **out, ga_complex alpha, GpuArray *X,
                           GpuArray *Y, GpuArray *A) {
  *out = NULL;
  return ger(out, 0, alpha, X, Y, A, 1);
}

int GpuArray_cgerc(ga_complex alpha, GpuArray *X, GpuArray *Y, GpuArray *A,
                   int nocopy) {
  return ger(NULL, 1, alpha, X, Y, A, nocopy);
}

int GpuArray_cgerc_prepare(GpuLaunch **out, ga_complex alpha, GpuArray *X,
                           GpuArray *Y, GpuArray *A) {
  *out = NULL;
  return ger(out, 1, alpha, X, Y, A, 1);
}

/* --- gemm, one or a batch --- */

static int gemm(GpuLaunch **out, unsigned int nd, ga__blas_array *o,
                ga_complex alpha, ga_complex beta, int nocopy) {
  const unsigned int nds[3] = {nd, nd, nd};
  ga__cgemm g;
  int err;

  GA_TRY(ga__blas_array_check(o, 3, nds, GA_KIND_COMPLEX));
  GA_TRY(ga__blas_array_trans(&o[0]));
  GA_TRY(ga__blas_array_trans(&o[1]));
  if (nd == 3)
    GA_TRY(ga__blas_array_fit_batch(o));
  GA_TRY(ga__blas_array_fit(o));
  for (int i = 0; i < 3; i++)
    GA_CHECK(ga__blas_array_take(&o[i], nocopy,
                                 i < 2 || !ga__complex_is_zero(beta)));
  g = (ga__cgemm){.ctx = GpuArray_context(o[2].given),
                  .typecode = o[2].given->typecode,
                  .m = ga__blas_array_rows(&o[2]),
                  .n = ga__blas_array_cols(&o[2]),
                  .k = ga__blas_array_cols(&o[0]),
                  .batch = nd == 3 ? o[2].given->dimensions[0] : 1,
                  .alpha = alpha,
                  .beta = beta,
                  .conj_a = o[0].trans == cb_conj_trans,
                  .conj_b = o[1].trans == cb_conj_trans,
                  .a = o[0].as,
                  .b = o[1].as,
                  .c = o[2].as};
  err = out != NULL ? ga__cgemm_prepare(out, &g) : ga__cgemm_run(&g);
  if (err == GA_NO_ERROR && out == NULL)
    err = ga__blas_array_give(&o[2]);

done:
  ga__blas_array_drop(o, 3);
  return err;
}

int GpuArray_cgemm(cb_transpose transA, cb_transpose transB, ga_complex alpha,
                   GpuArray *A, GpuArray *B, ga_complex beta, GpuArray *C,
                   int nocopy) {
  ga__blas_array o[3] = {{.name = "A", .given = A, .trans = transA},
                         {.name = "B", .given = B, .trans = transB},
                         {.name = "C", .given = C}};

  return gemm(NULL, 2, o, alpha, beta, nocopy);
}

int GpuArray_cgemm_prepare(GpuLaunch **out, cb_transpose transA,
                           cb_transpose transB, ga_complex alpha, GpuArray *A,
                           GpuArray *B, ga_complex beta, GpuArray *C) {
  ga__blas_array o[3] = {{.name = "A", .given = A, .trans = transA},
                         {.name = "B", .given = B, .trans = transB},
                         {.name = "C", .given = C}};

  *out = NULL;
  return gemm(out, 2, o, alpha, beta, 1);
}

int GpuArray_cgemmBatch_3d(cb_transpose transA, cb_transpose transB,
                           ga_complex alpha, GpuArray *A, GpuArray *B,
                           ga_complex beta, GpuArray *C, int nocopy) {
  ga__blas_array o[3] = {{.name = "A", .given = A, .trans = transA},
                         {.name = "B", .given = B, .trans = transB},
                         {.name = "C", .given = C}};

  return gemm(NULL, 3, o, alpha, beta, nocopy);
}

int GpuArray_cgemmBatch_3d_prepare(GpuLaunch **out, cb_transpose transA,
                                   cb_transpose transB, ga_complex alpha,
                                   GpuArray *A, GpuArray *B, ga_complex beta,
                                   GpuArray *C) {
  ga__blas_array o[3] = {{.name = "A", .given = A, .trans = transA},
                         {.name = "B", .given = B, .trans = transB},
                         {.name = "C", .given = C}};

  *out = NULL;
  return gemm(out, 3, o, alpha, beta, 1);
}
