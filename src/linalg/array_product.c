/* SPDX-License-Identifier: BSD-2-Clause */
/* The products of blas.h, blas_complex.h and launch.h, run or prepared. Shapes
 * and dtypes are checked here; src/blas does the rest. */
#include <gpuarray/blas.h>
#include <gpuarray/blas_complex.h>
#include <gpuarray/launch.h>

#include "blas/dispatch.h"
#include "linalg/array_operand.h"

static int take_all(ga__product *p, ga__array_product *a, int nocopy) {
  const int reads_result =
      a->routine == GA_ROUTINE_GER || !ga__complex_is_zero(p->beta);

  GA_TRY(ga__array_product_take(&p->a, a, 0, nocopy, 1));
  GA_TRY(ga__array_product_take(&p->b, a, 1, nocopy, 1));
  return ga__array_product_take(&p->c, a, 2, nocopy, reads_result);
}

/* Prepare the product in *out, without copies, or run it if `out` is NULL. `p`
 * has alpha and beta and which vectors are conjugated. */
static int multiply(GpuLaunch **out, ga__product p, ga__array_product *a,
                    int nocopy) {
  const char *const names[3] = {a->o[0].name, a->o[1].name, a->o[2].name};
  const int conj_a = p.conj_a, conj_b = p.conj_b;
  int err;

  if (out != NULL)
    *out = NULL;
  GA_TRY(ga__array_product_check(a, 1));
  GA_TRY(ga__array_product_fit(&p, a));
  p.conj_a |= conj_a;
  p.conj_b |= conj_b;
  GA_CHECK(take_all(&p, a, nocopy));
  if (!a->is_batch)
    GA_CHECK(ga__blas_apart(&p, names));
  err = out != NULL ? ga__product_prepare(out, &p) : ga__product_run(&p);
  if (err == GA_NO_ERROR && out == NULL)
    err = ga__array_product_give(a);

done:
  ga__array_product_clear(a);
  return err;
}

/* --- one definition for each routine --- */

static int dot(GpuLaunch **out, ga__kind kind, int conj, GpuArray *X,
               GpuArray *Y, GpuArray *Z, int nocopy) {
  return multiply(out, (ga__product){.conj_a = conj},
                  &(ga__array_product){GA_ROUTINE_DOT,
                                       kind,
                                       0,
                                       {{.name = "X", .given = X},
                                        {.name = "Y", .given = Y},
                                        {.name = "Z", .given = Z}}},
                  nocopy);
}

static int gemv(GpuLaunch **out, ga__kind kind, cb_transpose transA,
                ga_complex alpha, GpuArray *A, GpuArray *X, ga_complex beta,
                GpuArray *Y, int nocopy) {
  return multiply(
      out, (ga__product){.alpha = alpha, .beta = beta},
      &(ga__array_product){GA_ROUTINE_GEMV,
                           kind,
                           0,
                           {{.name = "A", .given = A, .trans = transA},
                            {.name = "X", .given = X},
                            {.name = "Y", .given = Y}}},
      nocopy);
}

static int ger(GpuLaunch **out, ga__kind kind, int conj, ga_complex alpha,
               GpuArray *X, GpuArray *Y, GpuArray *A, int nocopy) {
  return multiply(out, (ga__product){.alpha = alpha, .conj_b = conj},
                  &(ga__array_product){GA_ROUTINE_GER,
                                       kind,
                                       0,
                                       {{.name = "X", .given = X},
                                        {.name = "Y", .given = Y},
                                        {.name = "A", .given = A}}},
                  nocopy);
}

static int gemm(GpuLaunch **out, ga__kind kind, int is_batch,
                cb_transpose transA, cb_transpose transB, ga_complex alpha,
                GpuArray *A, GpuArray *B, ga_complex beta, GpuArray *C,
                int nocopy) {
  return multiply(
      out, (ga__product){.alpha = alpha, .beta = beta},
      &(ga__array_product){GA_ROUTINE_GEMM,
                           kind,
                           is_batch,
                           {{.name = "A", .given = A, .trans = transA},
                            {.name = "B", .given = B, .trans = transB},
                            {.name = "C", .given = C}}},
      nocopy);
}

/* --- the public functions: run and prepared --- */

#define FROM_REAL(v) ((ga_complex){(v), 0})
#define FROM_COMPLEX(v) (v)

#define DOT(name, kind, conj)                                                  \
  int GpuArray_##name(GpuArray *X, GpuArray *Y, GpuArray *Z, int nocopy) {     \
    return dot(NULL, kind, conj, X, Y, Z, nocopy);                             \
  }                                                                            \
  int GpuArray_##name##_prepare(GpuLaunch **out, GpuArray *X, GpuArray *Y,     \
                                GpuArray *Z) {                                 \
    return dot(out, kind, conj, X, Y, Z, 1);                                   \
  }
#define GEMV(name, kind, scalar, factor)                                       \
  int GpuArray_##name(cb_transpose transA, scalar alpha, GpuArray *A,          \
                      GpuArray *X, scalar beta, GpuArray *Y, int nocopy) {     \
    return gemv(NULL, kind, transA, factor(alpha), A, X, factor(beta), Y,      \
                nocopy);                                                       \
  }                                                                            \
  int GpuArray_##name##_prepare(GpuLaunch **out, cb_transpose transA,          \
                                scalar alpha, GpuArray *A, GpuArray *X,        \
                                scalar beta, GpuArray *Y) {                    \
    return gemv(out, kind, transA, factor(alpha), A, X, factor(beta), Y, 1);   \
  }
#define GER(name, kind, conj, scalar, factor)                                  \
  int GpuArray_##name(scalar alpha, GpuArray *X, GpuArray *Y, GpuArray *A,     \
                      int nocopy) {                                            \
    return ger(NULL, kind, conj, factor(alpha), X, Y, A, nocopy);              \
  }                                                                            \
  int GpuArray_##name##_prepare(GpuLaunch **out, scalar alpha, GpuArray *X,    \
                                GpuArray *Y, GpuArray *A) {                    \
    return ger(out, kind, conj, factor(alpha), X, Y, A, 1);                    \
  }
#define GEMM(name, kind, is_batch, scalar, factor)                             \
  int GpuArray_##name(cb_transpose transA, cb_transpose transB, scalar alpha,  \
                      GpuArray *A, GpuArray *B, scalar beta, GpuArray *C,      \
                      int nocopy) {                                            \
    return gemm(NULL, kind, is_batch, transA, transB, factor(alpha), A, B,     \
                factor(beta), C, nocopy);                                      \
  }                                                                            \
  int GpuArray_##name##_prepare(                                               \
      GpuLaunch **out, cb_transpose transA, cb_transpose transB, scalar alpha, \
      GpuArray *A, GpuArray *B, scalar beta, GpuArray *C) {                    \
    return gemm(out, kind, is_batch, transA, transB, factor(alpha), A, B,      \
                factor(beta), C, 1);                                           \
  }

DOT(rdot, GA_KIND_FLOAT, 0)
DOT(cdotu, GA_KIND_COMPLEX, 0)
DOT(cdotc, GA_KIND_COMPLEX, 1)
GEMV(rgemv, GA_KIND_FLOAT, double, FROM_REAL)
GEMV(cgemv, GA_KIND_COMPLEX, ga_complex, FROM_COMPLEX)
GER(rger, GA_KIND_FLOAT, 0, double, FROM_REAL)
GER(cgeru, GA_KIND_COMPLEX, 0, ga_complex, FROM_COMPLEX)
GER(cgerc, GA_KIND_COMPLEX, 1, ga_complex, FROM_COMPLEX)
GEMM(rgemm, GA_KIND_FLOAT, 0, double, FROM_REAL)
GEMM(rgemmBatch_3d, GA_KIND_FLOAT, 1, double, FROM_REAL)
GEMM(cgemm, GA_KIND_COMPLEX, 0, ga_complex, FROM_COMPLEX)
GEMM(cgemmBatch_3d, GA_KIND_COMPLEX, 1, ga_complex, FROM_COMPLEX)
