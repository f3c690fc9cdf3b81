/* SPDX-License-Identifier: BSD-2-Clause */
/* Products of arrays: shapes and types checked, the rest left to src/blas. */
#include <gpuarray/blas.h>
#include <gpuarray/launch.h>

#include "array/blas_array.h"

/* Each product has one function for both ways: with `out`, a launch is
 * prepared and nothing copied, without, it is run. */

/* A result may not lie in the operands o[0] and o[1], which are rows[i] x
 * cols[i]. */
static int check_apart(const ga__blas_array *o, const size_t *rows,
                       const size_t *cols) {
  for (int i = 0; i < 2; i++)
    GA_TRY(ga__blas_apart(o[2].name, &o[2].as, rows[2], cols[2], o[i].name,
                          &o[i].as, rows[i], cols[i], o[2].given->typecode));
  return GA_NO_ERROR;
}

/* --- dot --- */

static int dot(GpuLaunch **out, GpuArray *X, GpuArray *Y, GpuArray *Z,
               int nocopy) {
  ga__blas_array o[3] = {{.name = "X", .given = X},
                         {.name = "Y", .given = Y},
                         {.name = "Z", .given = Z}};
  const unsigned int nds[3] = {1, 1, 0};
  ga__dot d;
  int err;

  GA_TRY(ga__blas_array_check(o, 3, nds, GA_KIND_FLOAT));
  if (X->dimensions[0] != Y->dimensions[0])
    return ga__fail(GA_VALUE_ERROR, "X has %zu elements, Y has %zu",
                    X->dimensions[0], Y->dimensions[0]);
  for (int i = 0; i < 3; i++)
    GA_CHECK(ga__blas_array_take(&o[i], nocopy, i < 2));
  d = (ga__dot){.ctx = GpuArray_context(Z),
                .typecode = Z->typecode,
                .n = X->dimensions[0],
                .x = o[0].as,
                .y = o[1].as,
                .z = o[2].as};
  err = out != NULL ? ga__dot_prepare(out, &d) : ga__dot_run(&d);

done:
  ga__blas_array_drop(o, 3);
  return err;
}

int GpuArray_rdot(GpuArray *X, GpuArray *Y, GpuArray *Z, int nocopy) {
  return dot(NULL, X, Y, Z, nocopy);
}

int GpuArray_rdot_prepare(GpuLaunch **out, GpuArray *X, GpuArray *Y,
                          GpuArray *Z) {
  *out = NULL;
  return dot(out, X, Y, Z, 1);
}

/* --- gemv --- */

static int gemv(GpuLaunch **out, cb_transpose transA, double alpha, GpuArray *A,
                GpuArray *X, double beta, GpuArray *Y, int nocopy) {
  ga__blas_array o[3] = {{.name = "A", .given = A, .trans = transA},
                         {.name = "X", .given = X},
                         {.name = "Y", .given = Y}};
  const unsigned int nds[3] = {2, 1, 1};
  ga__gemv g;
  int err;

  GA_TRY(ga__blas_array_check(o, 3, nds, GA_KIND_FLOAT));
  GA_TRY(ga__blas_array_trans(&o[0]));
  if (ga__blas_array_cols(&o[0]) != X->dimensions[0] ||
      ga__blas_array_rows(&o[0]) != Y->dimensions[0])
    return ga__fail(GA_VALUE_ERROR,
                    "op(A) is %zux%zu, X has %zu elements, Y has %zu",
                    ga__blas_array_rows(&o[0]), ga__blas_array_cols(&o[0]),
                    X->dimensions[0], Y->dimensions[0]);
  for (int i = 0; i < 3; i++)
    GA_CHECK(ga__blas_array_take(&o[i], nocopy, i < 2 || beta != 0));
  GA_CHECK(check_apart(
      o, (size_t[]){Y->dimensions[0], X->dimensions[0], Y->dimensions[0]},
      (size_t[]){X->dimensions[0], 1, 1}));
  g = (ga__gemv){.ctx = GpuArray_context(Y),
                 .typecode = Y->typecode,
                 .m = ga__blas_array_rows(&o[0]),
                 .n = ga__blas_array_cols(&o[0]),
                 .alpha = alpha,
                 .beta = beta,
                 .a = o[0].as,
                 .x = o[1].as,
                 .y = o[2].as};
  err = out != NULL ? ga__gemv_prepare(out, &g) : ga__gemv_run(&g);
  if (err == GA_NO_ERROR && out == NULL)
    err = ga__blas_array_give(&o[2]);

done:
  ga__blas_array_drop(o, 3);
  return err;
}

int GpuArray_rgemv(cb_transpose transA, double alpha, GpuArray *A, GpuArray *X,
                   double beta, GpuArray *Y, int nocopy) {
  return gemv(NULL, transA, alpha, A, X, beta, Y, nocopy);
}

int GpuArray_rgemv_prepare(GpuLaunch **out, cb_transpose transA, double alpha,
                           GpuArray *A, GpuArray *X, double beta, GpuArray *Y) {
  *out = NULL;
  return gemv(out, transA, alpha, A, X, beta, Y, 1);
}

/* --- ger --- */

static int ger(GpuLaunch **out, double alpha, GpuArray *X, GpuArray *Y,
               GpuArray *A, int nocopy) {
  ga__blas_array o[3] = {{.name = "X", .given = X},
                         {.name = "Y", .given = Y},
                         {.name = "A", .given = A}};
  const unsigned int nds[3] = {1, 1, 2};
  ga__ger g;
  int err;

  GA_TRY(ga__blas_array_check(o, 3, nds, GA_KIND_FLOAT));
  if (A->dimensions[0] != X->dimensions[0] ||
      A->dimensions[1] != Y->dimensions[0])
    return ga__fail(
        GA_VALUE_ERROR, "X has %zu elements, Y has %zu, A is %zux%zu",
        X->dimensions[0], Y->dimensions[0], A->dimensions[0], A->dimensions[1]);
  for (int i = 0; i < 3; i++)
    GA_CHECK(ga__blas_array_take(&o[i], nocopy, 1));
  GA_CHECK(check_apart(
      o, (size_t[]){X->dimensions[0], Y->dimensions[0], X->dimensions[0]},
      (size_t[]){1, 1, Y->dimensions[0]}));
  g = (ga__ger){.ctx = GpuArray_context(A),
                .typecode = A->typecode,
                .m = A->dimensions[0],
                .n = A->dimensions[1],
                .alpha = alpha,
                .x = o[0].as,
                .y = o[1].as,
                .a = o[2].as};
  err = out != NULL ? ga__ger_prepare(out, &g) : ga__ger_run(&g);
  if (err == GA_NO_ERROR && out == NULL)
    err = ga__blas_array_give(&o[2]);

done:
  ga__blas_array_drop(o, 3);
  return err;
}

int GpuArray_rger(double alpha, GpuArray *X, GpuArray *Y, GpuArray *A,
                  int nocopy) {
  return ger(NULL, alpha, X, Y, A, nocopy);
}

int GpuArray_rger_prepare(GpuLaunch **out, double alpha, GpuArray *X,
                          GpuArray *Y, GpuArray *A) {
  *out = NULL;
  return ger(out, alpha, X, Y, A, 1);
}

/* --- gemm, one or a batch --- */

static int gemm(GpuLaunch **out, unsigned int nd, ga__blas_array *o,
                double alpha, double beta, int nocopy) {
  const unsigned int nds[3] = {nd, nd, nd};
  ga__gemm g;
  int err;

  GA_TRY(ga__blas_array_check(o, 3, nds, GA_KIND_FLOAT));
  GA_TRY(ga__blas_array_trans(&o[0]));
  GA_TRY(ga__blas_array_trans(&o[1]));
  if (nd == 3)
    GA_TRY(ga__blas_array_fit_batch(o));
  GA_TRY(ga__blas_array_fit(o));
  for (int i = 0; i < 3; i++)
    GA_CHECK(ga__blas_array_take(&o[i], nocopy, i < 2 || beta != 0));
  if (nd == 2)
    GA_CHECK(check_apart(
        o,
        (size_t[]){ga__blas_array_rows(&o[0]), ga__blas_array_rows(&o[1]),
                   ga__blas_array_rows(&o[2])},
        (size_t[]){ga__blas_array_cols(&o[0]), ga__blas_array_cols(&o[1]),
                   ga__blas_array_cols(&o[2])}));
  g = (ga__gemm){.ctx = GpuArray_context(o[2].given),
                 .typecode = o[2].given->typecode,
                 .m = ga__blas_array_rows(&o[2]),
                 .n = ga__blas_array_cols(&o[2]),
                 .k = ga__blas_array_cols(&o[0]),
                 .batch = nd == 3 ? o[2].given->dimensions[0] : 1,
                 .alpha = alpha,
                 .beta = beta,
                 .a = o[0].as,
                 .b = o[1].as,
                 .c = o[2].as};
  err = out != NULL ? ga__gemm_prepare(out, &g) : ga__gemm_run(&g);
  if (err == GA_NO_ERROR && out == NULL)
    err = ga__blas_array_give(&o[2]);

done:
  ga__blas_array_drop(o, 3);
  return err;
}

int GpuArray_rgemm(cb_transpose transA, cb_transpose transB, double alpha,
                   GpuArray *A, GpuArray *B, double beta, GpuArray *C,
                   int nocopy) {
  ga__blas_array o[3] = {{.name = "A", .given = A, .trans = transA},
                         {.name = "B", .given = B, .trans = transB},
                         {.name = "C", .given = C}};

  return gemm(NULL, 2, o, alpha, beta, nocopy);
}

int GpuArray_rgemm_prepare(GpuLaunch **out, cb_transpose transA,
                           cb_transpose transB, double alpha, GpuArray *A,
                           GpuArray *B, double beta, GpuArray *C) {
  ga__blas_array o[3] = {{.name = "A", .given = A, .trans = transA},
                         {.name = "B", .given = B, .trans = transB},
                         {.name = "C", .given = C}};

  *out = NULL;
  return gemm(out, 2, o, alpha, beta, 1);
}

int GpuArray_rgemmBatch_3d(cb_transpose transA, cb_transpose transB,
                           double alpha, GpuArray *A, GpuArray *B, double beta,
                           GpuArray *C, int nocopy) {
  ga__blas_array o[3] = {{.name = "A", .given = A, .trans = transA},
                         {.name = "B", .given = B, .trans = transB},
                         {.name = "C", .given = C}};

  return gemm(NULL, 3, o, alpha, beta, nocopy);
}

int GpuArray_rgemmBatch_3d_prepare(GpuLaunch **out, cb_transpose transA,
                                   cb_transpose transB, double alpha,
                                   GpuArray *A, GpuArray *B, double beta,
                                   GpuArray *C) {
  ga__blas_array o[3] = {{.name = "A", .given = A, .trans = transA},
                         {.name = "B", .given = B, .trans = transB},
                         {.name = "C", .given = C}};

  *out = NULL;
  return gemm(out, 3, o, alpha, beta, 1);
}
