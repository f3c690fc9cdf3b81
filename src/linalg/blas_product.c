/* SPDX-License-Identifier: BSD-2-Clause */
/* Products of arrays, real and complex alike: shapes and types checked, the
 * rest left to src/blas. */
#include "linalg/blas_array.h"

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

int ga__array_dot(GpuLaunch **out, ga__kind kind, int conj, GpuArray *X,
                  GpuArray *Y, GpuArray *Z, int nocopy) {
  ga__blas_array o[3] = {{.name = "X", .given = X},
                         {.name = "Y", .given = Y},
                         {.name = "Z", .given = Z}};
  const unsigned int nds[3] = {1, 1, 0};
  ga__dot d;
  int err;

  GA_TRY(ga__blas_array_check(o, 3, nds, kind));
  if (X->dimensions[0] != Y->dimensions[0])
    return ga__fail(GA_VALUE_ERROR, "X has %zu elements, Y has %zu",
                    X->dimensions[0], Y->dimensions[0]);
  for (int i = 0; i < 3; i++)
    GA_CHECK(ga__blas_array_take(&o[i], nocopy, i < 2));
  d = (ga__dot){.ctx = GpuArray_context(Z),
                .typecode = Z->typecode,
                .n = X->dimensions[0],
                .conj_x = conj,
                .x = o[0].as,
                .y = o[1].as,
                .z = o[2].as};
  err = out != NULL ? ga__dot_prepare(out, &d) : ga__dot_run(&d);

done:
  ga__blas_array_drop(o, 3);
  return err;
}

/* --- gemv --- */

int ga__array_gemv(GpuLaunch **out, ga__kind kind, cb_transpose transA,
                   ga_complex alpha, GpuArray *A, GpuArray *X, ga_complex beta,
                   GpuArray *Y, int nocopy) {
  ga__blas_array o[3] = {{.name = "A", .given = A, .trans = transA},
                         {.name = "X", .given = X},
                         {.name = "Y", .given = Y}};
  const unsigned int nds[3] = {2, 1, 1};
  ga__gemv g;
  int err;

  GA_TRY(ga__blas_array_check(o, 3, nds, kind));
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
  GA_CHECK(check_apart(
      o, (size_t[]){Y->dimensions[0], X->dimensions[0], Y->dimensions[0]},
      (size_t[]){X->dimensions[0], 1, 1}));
  g = (ga__gemv){.ctx = GpuArray_context(Y),
                 .typecode = Y->typecode,
                 .m = ga__blas_array_rows(&o[0]),
                 .n = ga__blas_array_cols(&o[0]),
                 .alpha = alpha,
                 .beta = beta,
                 .conj_a = transA == cb_conj_trans,
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

/* --- ger --- */

int ga__array_ger(GpuLaunch **out, ga__kind kind, int conj, ga_complex alpha,
                  GpuArray *X, GpuArray *Y, GpuArray *A, int nocopy) {
  ga__blas_array o[3] = {{.name = "X", .given = X},
                         {.name = "Y", .given = Y},
                         {.name = "A", .given = A}};
  const unsigned int nds[3] = {1, 1, 2};
  ga__ger g;
  int err;

  GA_TRY(ga__blas_array_check(o, 3, nds, kind));
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
                .conj_y = conj,
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

/* --- gemm, one or a batch --- */

static int gemm(GpuLaunch **out, ga__kind kind, unsigned int nd,
                ga__blas_array *o, ga_complex alpha, ga_complex beta,
                int nocopy) {
  const unsigned int nds[3] = {nd, nd, nd};
  ga__gemm g;
  int err;

  GA_TRY(ga__blas_array_check(o, 3, nds, kind));
  GA_TRY(ga__blas_array_trans(&o[0]));
  GA_TRY(ga__blas_array_trans(&o[1]));
  if (nd == 3)
    GA_TRY(ga__blas_array_fit_batch(o));
  GA_TRY(ga__blas_array_fit(o));
  for (int i = 0; i < 3; i++)
    GA_CHECK(ga__blas_array_take(&o[i], nocopy,
                                 i < 2 || !ga__complex_is_zero(beta)));
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
                 .conj_a = o[0].trans == cb_conj_trans,
                 .conj_b = o[1].trans == cb_conj_trans,
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

int ga__array_gemm(GpuLaunch **out, ga__kind kind, unsigned int nd,
                   cb_transpose transA, cb_transpose transB, ga_complex alpha,
                   GpuArray *A, GpuArray *B, ga_complex beta, GpuArray *C,
                   int nocopy) {
  ga__blas_array o[3] = {{.name = "A", .given = A, .trans = transA},
                         {.name = "B", .given = B, .trans = transB},
                         {.name = "C", .given = C}};

  return gemm(out, kind, nd, o, alpha, beta, nocopy);
}
