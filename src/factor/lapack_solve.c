/* SPDX-License-Identifier: BSD-2-Clause */
/* Triangles and inverses by LAPACK and the BLAS that it uses. Neither needs a
 * matrix in another order: CBLAS takes both, and the transpose of an inverse is
 * the inverse of the transpose. */
#include <math.h>
#include <string.h>

#include "base/library.h"
#include "factor/lapack.h"
#include "ocl/launch/launch_native.h"

/* LAPACKE's and CBLAS's words. */
enum {
  BY_ROWS = 101,
  BY_COLUMNS = 102,
  AS_IS = 111,
  TRANSPOSED = 112,
  UPPER = 121,
  LOWER = 122,
  ANY = 131,
  UNIT = 132,
  LEFT = 141,
  BLOCK = 64,    /* columns of a workspace */
  MOST_OWN = 512 /* rows for which the library's own kernels are as fast */
};

typedef int32_t word;

static struct {
  word (*sgetrf)(int, word, word, float *, word, word *);
  word (*dgetrf)(int, word, word, double *, word, word *);
  word (*sgetri)(int, word, float *, word, const word *, float *, word);
  word (*dgetri)(int, word, double *, word, const word *, double *, word);
  void (*strsm)(int, int, int, int, int, word, word, float, const float *, word,
                float *, word);
  void (*dtrsm)(int, int, int, int, int, word, word, double, const double *,
                word, double *, word);
} lib;

static const ga__symbol symbols[] = {{"LAPACKE_sgetrf_work", &lib.sgetrf},
                                     {"LAPACKE_dgetrf_work", &lib.dgetrf},
                                     {"LAPACKE_sgetri_work", &lib.sgetri},
                                     {"LAPACKE_dgetri_work", &lib.dgetri},
                                     {"cblas_strsm", &lib.strsm},
                                     {"cblas_dtrsm", &lib.dtrsm},
                                     {NULL, NULL}};
static ga__library library = {.files = {"liblapacke.so.3", "liblapacke.so"},
                              .symbols = symbols};

/* Smaller matrices, and complex ones, are left to the library's own kernels. */
static int serves(const ga__factor *f, size_t n, size_t columns) {
  return n > MOST_OWN && !f->is_complex && ga__lapack_serves(f, n, columns) &&
         ga__library_load(&library);
}

static ga__native_operand block(const ga__block *b) {
  return (ga__native_operand){.slot = b->slot, .rel = b->rel};
}

/* The elements of a block: unit strides along one axis, and the other stride,
 * which LAPACK calls the leading dimension. */
static int is_matrix(ptrdiff_t unit, ptrdiff_t step, size_t n) {
  return unit == 1 && step >= (ptrdiff_t)n && step <= INT32_MAX;
}

/* --- triangles --- */

typedef struct triangle {
  size_t batch, size;
  int order, part, trans, unit;
  word n, r, a_step, x_step;
  ptrdiff_t a_bs, x_bs; /* bytes */
} triangle;

static void run_triangle(const void *state, void *const *at) {
  const triangle *t = state;

  for (size_t z = 0; z < t->batch; z++) {
    void *const a = (char *)at[0] + (ptrdiff_t)z * t->a_bs;
    void *const x = (char *)at[1] + (ptrdiff_t)z * t->x_bs;

    if (t->size == sizeof(double))
      lib.dtrsm(t->order, LEFT, t->part, t->trans, t->unit, t->n, t->r, 1, a,
                t->a_step, x, t->x_step);
    else
      lib.strsm(t->order, LEFT, t->part, t->trans, t->unit, t->n, t->r, 1, a,
                t->a_step, x, t->x_step);
  }
}

int ga__lapack_takes_triangle(const ga__factor *f, const ga__block *a,
                              const ga__block *x) {
  return (is_matrix(a->cs, a->rs, a->n) || is_matrix(a->rs, a->cs, a->n)) &&
         (is_matrix(x->cs, x->rs, x->n) || is_matrix(x->rs, x->cs, x->m)) &&
         serves(f, a->n, x->n);
}

void ga__lapack_triangle(ga__factor *f, const ga__block *a, const ga__block *x,
                         int is_upper, int unit) {
  const int a_rows = is_matrix(a->cs, a->rs, a->n);
  const int x_rows = is_matrix(x->cs, x->rs, x->n);
  const int turned = a_rows != x_rows;
  const ptrdiff_t size = (ptrdiff_t)x->size;
  const triangle t = {.batch = f->batch,
                      .size = x->size,
                      .order = x_rows ? BY_ROWS : BY_COLUMNS,
                      .part = (is_upper != 0) != turned ? UPPER : LOWER,
                      .trans = turned ? TRANSPOSED : AS_IS,
                      .unit = unit ? UNIT : ANY,
                      .n = (word)a->n,
                      .r = (word)x->n,
                      .a_step = (word)(a_rows ? a->rs : a->cs),
                      .x_step = (word)(x_rows ? x->rs : x->cs),
                      .a_bs = a->bs * size,
                      .x_bs = x->bs * size};
  const ga__native_operand o[] = {block(a), block(x)};

  ga__launch_native(f->l, run_triangle, &t, sizeof t, 2, o, "lapacke");
}

/* --- inverses --- */

typedef struct inverse {
  size_t batch, size;
  word n, n_work;
  ptrdiff_t rs, cs, bs; /* of the matrix, bytes */
  ptrdiff_t a_bs;       /* of its copy */
} inverse;

enum { A, GIVEN, PIVOTS, INFO, WORK, OPERANDS };

int ga__lapack_is_finite(const void *a, size_t n, size_t size) {
  enum { LANES = 8 }; /* others times 0 are NaN */
  double sums[LANES] = {0}, sum = 0;
  float narrow[LANES] = {0};
  size_t i = 0;

  if (size == sizeof(double))
    for (; i + LANES <= n; i += LANES)
      for (size_t k = 0; k < LANES; k++)
        sums[k] += ((const double *)a)[i + k] * 0;
  else
    for (; i + LANES <= n; i += LANES)
      for (size_t k = 0; k < LANES; k++)
        narrow[k] += ((const float *)a)[i + k] * 0;
  for (; i < n; i++)
    sum += 0 * (size == sizeof(double) ? ((const double *)a)[i]
                                       : (double)((const float *)a)[i]);
  for (size_t k = 0; k < LANES; k++)
    sum += sums[k] + (double)narrow[k];
  return sum == 0;
}

static word factor(const inverse *v, void *a, word *pivots) {
  return v->size == sizeof(double)
             ? lib.dgetrf(BY_COLUMNS, v->n, v->n, a, v->n, pivots)
             : lib.sgetrf(BY_COLUMNS, v->n, v->n, a, v->n, pivots);
}

static void invert(const inverse *v, void *a, const word *pivots, void *work) {
  if (v->size == sizeof(double))
    lib.dgetri(BY_COLUMNS, v->n, a, v->n, pivots, work, v->n_work);
  else
    lib.sgetri(BY_COLUMNS, v->n, a, v->n, pivots, work, v->n_work);
}

/* Copy the matrix by columns. */
static void fetch(const inverse *v, char *a, const char *given) {
  for (word j = 0; j < v->n; j++)
    for (word i = 0; i < v->n; i++, a += v->size)
      memcpy(a, given + i * v->rs + j * v->cs, v->size);
}

static void turn(const inverse *v, char *a) {
  const size_t n = (size_t)v->n, size = v->size;
  char kept[sizeof(double)];

  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < i; j++) {
      memcpy(kept, a + (i * n + j) * size, size);
      memcpy(a + (i * n + j) * size, a + (j * n + i) * size, size);
      memcpy(a + (j * n + i) * size, kept, size);
    }
}

static void spoil(const inverse *v, char *a) {
  const double wide = NAN;
  const float narrow = NAN;
  const void *const nan =
      v->size == sizeof wide ? (const void *)&wide : &narrow;

  for (size_t k = 0; k < (size_t)v->n * (size_t)v->n; k++)
    memcpy(a + k * v->size, nan, v->size);
}

/* Returns `info` of the matrix. LAPACK sees the transpose of the copy. If that
 * has no factors, the matrix itself decides, since other columns may have no
 * pivot there. */
static word invert_one(const inverse *v, char *a, const char *given,
                       word *pivots, void *work) {
  const int is_finite =
      ga__lapack_is_finite(a, (size_t)v->n * (size_t)v->n, v->size);
  word info = is_finite ? factor(v, a, pivots) : 0;
  const int is_again = info > 0;

  if (is_again) {
    fetch(v, a, given);
    info = factor(v, a, pivots);
  }
  if (!is_finite || info > 0) {
    spoil(v, a);
    return info;
  }
  invert(v, a, pivots, work);
  if (is_again)
    turn(v, a);
  return 0;
}

static void run_inverse(const void *state, void *const *at) {
  const inverse *v = state;

  for (size_t z = 0; z < v->batch; z++)
    ((word *)at[INFO])[z] = invert_one(
        v, (char *)at[A] + (ptrdiff_t)z * v->a_bs,
        (char *)at[GIVEN] + (ptrdiff_t)z * v->bs, at[PIVOTS], at[WORK]);
}

int ga__lapack_takes_inverse(const ga__factor *f, size_t n) {
  return serves(f, n, n);
}

void ga__lapack_inverse(ga__factor *f, const ga__block *a,
                        const ga__block *given) {
  const ptrdiff_t size = (ptrdiff_t)a->size;
  const inverse v = {.batch = f->batch,
                     .size = a->size,
                     .n = (word)a->n,
                     .n_work = (word)(BLOCK * a->n),
                     .rs = given->rs * size,
                     .cs = given->cs * size,
                     .bs = given->bs * size,
                     .a_bs = a->bs * size};
  const ga__native_operand o[OPERANDS] = {
      [A] = block(a),
      [GIVEN] = block(given),
      [PIVOTS] = {.work = ga__launch_workspace(f->l, a->n * sizeof(word))},
      [INFO] = {.work = ga__factor_info(f)},
      [WORK] = {.work = ga__launch_workspace(f->l, BLOCK * a->n * a->size)}};

  ga__launch_native(f->l, run_inverse, &v, sizeof v, OPERANDS, o, "lapacke");
}
