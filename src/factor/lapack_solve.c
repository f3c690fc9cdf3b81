/* SPDX-License-Identifier: BSD-2-Clause */
/* Triangles and inverses by LAPACK and the BLAS that it uses. Neither needs a
 * matrix in another order: CBLAS takes both, and the transpose of an inverse is
 * the inverse of the transpose. */
#include <string.h>

#include "base/arith.h"
#include "factor/lapack_elements.h"
#include "factor/lapack_real.h"

enum { BLOCK = 64 /* columns of a workspace */ };

/* The elements of a block: unit strides along one axis, and the other stride,
 * which LAPACK calls the leading dimension. */
static int is_matrix(ptrdiff_t unit, ptrdiff_t step, size_t n) {
  return unit == 1 && step >= (ptrdiff_t)n && step <= INT32_MAX;
}

/* --- triangles --- */

typedef struct triangle {
  size_t batch, size, n, r;
  ga__lapack_triangular how;
  ptrdiff_t a_bs, x_bs; /* bytes */
} triangle;

static void run_triangle(const void *state, void *const *at) {
  const triangle *t = state;

  for (size_t z = 0; z < t->batch; z++)
    ga__lapack_trsm(t->size, &t->how, t->n, t->r,
                    (char *)at[0] + (ptrdiff_t)z * t->a_bs,
                    (char *)at[1] + (ptrdiff_t)z * t->x_bs);
}

int ga__lapack_takes_triangle(const ga__factor *f, const ga__block *a,
                              const ga__block *x) {
  return (is_matrix(a->cs, a->rs, a->n) || is_matrix(a->rs, a->cs, a->n)) &&
         (is_matrix(x->cs, x->rs, x->n) || is_matrix(x->rs, x->cs, x->m)) &&
         ga__lapack_pays(f, a->n, ga__at_least(a->n, x->n));
}

void ga__lapack_triangle(ga__factor *f, const ga__block *a, const ga__block *x,
                         int is_upper, int unit) {
  const int a_rows = is_matrix(a->cs, a->rs, a->n);
  const int x_rows = is_matrix(x->cs, x->rs, x->n);
  const int turned = a_rows != x_rows;
  const ptrdiff_t size = (ptrdiff_t)x->size;
  const ga__lapack_triangular how = {
      .order = x_rows ? GA_LAPACK_ROWS : GA_LAPACK_COLUMNS,
      .part = (is_upper != 0) != turned ? GA_LAPACK_UPPER : GA_LAPACK_LOWER,
      .trans = turned ? GA_LAPACK_TRANSPOSED : GA_LAPACK_AS_IS,
      .diagonal = unit ? GA_LAPACK_UNIT_DIAGONAL : GA_LAPACK_ANY_DIAGONAL,
      .a_step = (size_t)(a_rows ? a->rs : a->cs),
      .x_step = (size_t)(x_rows ? x->rs : x->cs)};
  const triangle t = {.batch = f->batch,
                      .size = x->size,
                      .n = a->n,
                      .r = x->n,
                      .how = how,
                      .a_bs = a->bs * size,
                      .x_bs = x->bs * size};
  const ga__native_operand o[] = {ga__lapack_operand(a), ga__lapack_operand(x)};

  ga__launch_native(f->l, run_triangle, &t, sizeof t, 2, o, "lapacke");
}

/* --- inverses --- */

typedef struct inverse {
  size_t batch, size, n;
  ptrdiff_t rs, cs, bs; /* of the matrix, bytes */
  ptrdiff_t a_bs;       /* of its copy */
} inverse;

enum { A, GIVEN, PIVOTS, INFO, WORK, OPERANDS };

/* Copy the matrix by columns. */
static void fetch(const inverse *v, char *a, const char *given) {
  for (size_t j = 0; j < v->n; j++)
    for (size_t i = 0; i < v->n; i++, a += v->size)
      memcpy(a, given + (ptrdiff_t)i * v->rs + (ptrdiff_t)j * v->cs, v->size);
}

static void turn(const inverse *v, char *a) {
  const size_t n = v->n, size = v->size;
  char kept[sizeof(double)];

  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < i; j++) {
      memcpy(kept, a + (i * n + j) * size, size);
      memcpy(a + (i * n + j) * size, a + (j * n + i) * size, size);
      memcpy(a + (j * n + i) * size, kept, size);
    }
}

/* Returns `info` of the matrix. LAPACK sees the transpose of the copy. If that
 * has no factors, the matrix itself decides, since other columns may have no
 * pivot there. */
static int32_t invert_one(const inverse *v, char *a, const char *given,
                          int32_t *pivots, void *work) {
  const size_t n = v->n, size = v->size;
  const int is_finite = ga__lapack_is_finite(a, n * n, size);
  int32_t info = is_finite ? ga__lapack_getrf(size, n, n, a, n, pivots) : 0;
  const int is_again = info > 0;

  if (is_again) {
    fetch(v, a, given);
    info = ga__lapack_getrf(size, n, n, a, n, pivots);
  }
  if (!is_finite || info > 0) {
    ga__lapack_fill_nan(a, n * n, size);
    return info;
  }
  ga__lapack_getri(size, n, a, pivots, work, BLOCK * n);
  if (is_again)
    turn(v, a);
  return 0;
}

static void run_inverse(const void *state, void *const *at) {
  const inverse *v = state;

  for (size_t z = 0; z < v->batch; z++)
    ((int32_t *)at[INFO])[z] = invert_one(
        v, (char *)at[A] + (ptrdiff_t)z * v->a_bs,
        (char *)at[GIVEN] + (ptrdiff_t)z * v->bs, at[PIVOTS], at[WORK]);
}

int ga__lapack_takes_inverse(const ga__factor *f, size_t n) {
  return ga__lapack_pays(f, n, n);
}

void ga__lapack_inverse(ga__factor *f, const ga__block *a,
                        const ga__block *given) {
  const ptrdiff_t size = (ptrdiff_t)a->size;
  const inverse v = {.batch = f->batch,
                     .size = a->size,
                     .n = a->n,
                     .rs = given->rs * size,
                     .cs = given->cs * size,
                     .bs = given->bs * size,
                     .a_bs = a->bs * size};
  const ga__native_operand o[OPERANDS] = {
      [A] = ga__lapack_operand(a),
      [GIVEN] = ga__lapack_operand(given),
      [PIVOTS] = {.work = ga__launch_workspace(f->l, a->n * sizeof(int32_t))},
      [INFO] = {.work = ga__factor_info(f)},
      [WORK] = {.work = ga__launch_workspace(f->l, BLOCK * a->n * a->size)}};

  ga__launch_native(f->l, run_inverse, &v, sizeof v, OPERANDS, o, "lapacke");
}
