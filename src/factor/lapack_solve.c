/* SPDX-License-Identifier: BSD-2-Clause */
/* Equations and triangles by LAPACK and the BLAS that it uses. Neither needs a
 * matrix in another order: LAPACK factors the transpose of a matrix in C order,
 * and solves with the transpose of that. */
#include <math.h>
#include <string.h>

#include "base/arith.h"
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
  word (*sgetrs)(int, char, word, word, const float *, word, const word *,
                 float *, word);
  word (*dgetrs)(int, char, word, word, const double *, word, const word *,
                 double *, word);
  word (*sgetri)(int, word, float *, word, const word *, float *, word);
  word (*dgetri)(int, word, double *, word, const word *, double *, word);
  void (*strsm)(int, int, int, int, int, word, word, float, const float *, word,
                float *, word);
  void (*dtrsm)(int, int, int, int, int, word, word, double, const double *,
                word, double *, word);
} lib;

static const ga__symbol symbols[] = {{"LAPACKE_sgetrf_work", &lib.sgetrf},
                                     {"LAPACKE_dgetrf_work", &lib.dgetrf},
                                     {"LAPACKE_sgetrs_work", &lib.sgetrs},
                                     {"LAPACKE_dgetrs_work", &lib.dgetrs},
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

/* --- equations --- */

typedef struct equations {
  size_t batch, size;
  int trans;            /* solve with the transpose of A */
  int is_given;         /* A is there, besides its copy */
  word n, r, step;      /* step: between lines of the copy */
  word x_step;          /* between columns of x */
  word n_work;          /* elements of a workspace for inverses, or 0 */
  ptrdiff_t rs, cs, bs; /* of A, bytes */
  ptrdiff_t copy_bs, x_bs;
} equations;

enum { COPY, X, PIVOTS, INFO, GIVEN, WORK, OPERANDS };

/* What one matrix of a batch has. */
typedef struct places {
  char *copy, *x;
  const char *given;
  word *pivots;
  void *work;
} places;

static int row_is_finite(const void *a, size_t n, size_t size) {
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

static int is_finite(const equations *e, const char *a) {
  for (word i = 0; i < e->n; i++)
    if (!row_is_finite(a + (size_t)i * (size_t)e->step * e->size, (size_t)e->n,
                       e->size))
      return 0;
  return 1;
}

static word factor(const equations *e, const places *p) {
  void *const a = p->copy;

  return e->size == sizeof(double)
             ? lib.dgetrf(BY_COLUMNS, e->n, e->n, a, e->step, p->pivots)
             : lib.sgetrf(BY_COLUMNS, e->n, e->n, a, e->step, p->pivots);
}

/* `turned`: the transpose of A has been factored. */
static void solve(const equations *e, const places *p, int turned) {
  const char trans = (e->trans != 0) != turned ? 'T' : 'N';
  const void *const a = p->copy;
  void *const x = p->x;

  if (e->size == sizeof(double))
    lib.dgetrs(BY_COLUMNS, trans, e->n, e->r, a, e->step, p->pivots, x,
               e->x_step);
  else
    lib.sgetrs(BY_COLUMNS, trans, e->n, e->r, a, e->step, p->pivots, x,
               e->x_step);
}

static void exchange(char *a, char *b, size_t size) {
  char kept[sizeof(double)];

  memcpy(kept, a, size);
  memcpy(a, b, size);
  memcpy(b, kept, size);
}

static void invert(const equations *e, const places *p, int turned) {
  const size_t line = (size_t)e->step * e->size;
  void *const a = p->copy;

  if (e->size == sizeof(double))
    lib.dgetri(BY_COLUMNS, e->n, a, e->step, p->pivots, p->work, e->n_work);
  else
    lib.sgetri(BY_COLUMNS, e->n, a, e->step, p->pivots, p->work, e->n_work);
  for (size_t i = 0; !turned && i < (size_t)e->n; i++)
    for (size_t j = 0; j < i; j++)
      exchange(p->copy + i * line + j * e->size,
               p->copy + j * line + i * e->size, e->size);
}

static void fetch_by_columns(const equations *e, const places *p) {
  for (word j = 0; j < e->n; j++) {
    char *to = p->copy + (size_t)j * (size_t)e->step * e->size;

    for (word i = 0; i < e->n; i++, to += e->size)
      memcpy(to, p->given + i * e->rs + j * e->cs, e->size);
  }
}

static void fill_nan(const equations *e, char *x) {
  const double wide = NAN;
  const float narrow = NAN;
  const void *const nan =
      e->size == sizeof wide ? (const void *)&wide : &narrow;

  for (word j = 0; j < e->r; j++)
    for (word i = 0; i < e->n; i++)
      memcpy(x + ((size_t)j * (size_t)e->x_step + (size_t)i) * e->size, nan,
             e->size);
}

/* Returns `info` of A. If its transpose has no factors, A itself decides, since
 * other columns may have no pivot there. */
static word solve_one(const equations *e, const places *p) {
  int turned = 1;

  if (!is_finite(e, p->copy)) {
    fill_nan(e, p->x);
    return 0;
  }
  word info = factor(e, p);
  if (info > 0 && e->is_given) {
    turned = 0;
    fetch_by_columns(e, p);
    info = factor(e, p);
  }
  if (info > 0)
    fill_nan(e, p->x);
  else if (e->n_work > 0)
    invert(e, p, turned);
  else
    solve(e, p, turned);
  return info;
}

static void run_equations(const void *state, void *const *at) {
  const equations *e = state;

  for (size_t z = 0; z < e->batch; z++) {
    const ptrdiff_t k = (ptrdiff_t)z;
    const places p = {.copy = (char *)at[COPY] + k * e->copy_bs,
                      .x = (char *)at[X] + k * e->x_bs,
                      .given = (char *)at[GIVEN] + k * e->bs,
                      .pivots = at[PIVOTS],
                      .work = at[WORK]};

    ((word *)at[INFO])[z] = solve_one(e, &p);
  }
}

int ga__lapack_takes_equations(const ga__factor *f, size_t n, size_t r) {
  return serves(f, n, r);
}

int ga__lapack_takes_columns(const ga__block *x) {
  return is_matrix(x->rs, x->n > 1 ? x->cs : (ptrdiff_t)x->m, x->m);
}

static void add_equations(ga__factor *f, equations *e, const ga__block *copy,
                          const ga__block *x, const ga__block *given) {
  const ga__block *const from = given != NULL ? given : copy;
  const ptrdiff_t size = (ptrdiff_t)copy->size;
  const size_t n = copy->n;

  e->batch = f->batch;
  e->size = copy->size;
  e->is_given = given != NULL;
  e->n = (word)n;
  e->step = (word)copy->rs;
  e->rs = from->rs * size;
  e->cs = from->cs * size;
  e->bs = from->bs * size;
  e->copy_bs = copy->bs * size;
  e->x_bs = x->bs * size;
  const ga__native_operand o[OPERANDS] = {
      [COPY] = block(copy),
      [X] = block(x),
      [PIVOTS] = {.work = ga__launch_workspace(f->l, n * sizeof(word))},
      [INFO] = {.work = ga__factor_info(f)},
      [GIVEN] = block(from),
      [WORK] = {.work = ga__launch_workspace(
                    f->l, ga__times((size_t)e->n_work, copy->size))}};

  ga__launch_native(f->l, run_equations, e, sizeof *e,
                    e->n_work > 0 ? OPERANDS : WORK, o, "lapacke");
}

void ga__lapack_solve(ga__factor *f, const ga__block *a, const ga__block *x,
                      const ga__block *given, int trans) {
  equations e = {.trans = trans,
                 .r = (word)x->n,
                 .x_step = (word)(x->n > 1 ? x->cs : (ptrdiff_t)x->m)};

  add_equations(f, &e, a, x, given);
}

void ga__lapack_inverse(ga__factor *f, const ga__block *a,
                        const ga__block *given) {
  equations e = {.r = (word)a->n,
                 .x_step = (word)a->rs,
                 .n_work = (word)ga__at_most(BLOCK * a->n, INT32_MAX)};

  add_equations(f, &e, a, a, given);
}
