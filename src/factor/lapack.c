/* SPDX-License-Identifier: BSD-2-Clause */
/* LAPACKE is loaded when it is first used. Its functions run as kernels of the
 * device (ocl/launch/launch_native.h), on the memory of the arrays and of
 * workspaces. Elements that are not finite are found before: LAPACK does not
 * promise to end with them. */
#include <string.h>

#include "base/arith.h"
#include "base/library.h"
#include "blas/product_provider.h"
#include "factor/lapack.h"
#include "factor/lapack_elements.h"
#include "ocl/ocl.h"

enum {
  BY_COLUMNS = 102, /* LAPACK_COL_MAJOR */
  MOST = 30000      /* rows; workspaces are counted by int32 */
};

/* The 32-bit integers of LAPACKE's functions. */
typedef int32_t word;

static struct {
  word (*ssyevd)(int, char, char, word, float *, word, float *, float *, word,
                 word *, word);
  word (*dsyevd)(int, char, char, word, double *, word, double *, double *,
                 word, word *, word);
  word (*sgesdd)(int, char, word, word, float *, word, float *, float *, word,
                 float *, word, float *, word, word *);
  word (*dgesdd)(int, char, word, word, double *, word, double *, double *,
                 word, double *, word, double *, word, word *);
  word (*cheevd)(int, char, char, word, void *, word, float *, void *, word,
                 float *, word, word *, word);
  word (*zheevd)(int, char, char, word, void *, word, double *, void *, word,
                 double *, word, word *, word);
  word (*cgesdd)(int, char, word, word, void *, word, float *, void *, word,
                 void *, word, void *, word, float *, word *);
  word (*zgesdd)(int, char, word, word, void *, word, double *, void *, word,
                 void *, word, void *, word, double *, word *);
  word (*spotrf)(int, char, word, float *, word);
  word (*dpotrf)(int, char, word, double *, word);
  word (*cpotrf)(int, char, word, void *, word);
  word (*zpotrf)(int, char, word, void *, word);
  word (*cgeev)(int, char, char, word, float *, word, float *, float *, word,
                float *, word, float *, word, float *);
  word (*zgeev)(int, char, char, word, double *, word, double *, double *, word,
                double *, word, double *, word, double *);
} lib;

static const ga__symbol symbols[] = {{"LAPACKE_ssyevd_work", &lib.ssyevd},
                                     {"LAPACKE_dsyevd_work", &lib.dsyevd},
                                     {"LAPACKE_sgesdd_work", &lib.sgesdd},
                                     {"LAPACKE_dgesdd_work", &lib.dgesdd},
                                     {"LAPACKE_cheevd_work", &lib.cheevd},
                                     {"LAPACKE_zheevd_work", &lib.zheevd},
                                     {"LAPACKE_cgesdd_work", &lib.cgesdd},
                                     {"LAPACKE_zgesdd_work", &lib.zgesdd},
                                     {"LAPACKE_spotrf_work", &lib.spotrf},
                                     {"LAPACKE_dpotrf_work", &lib.dpotrf},
                                     {"LAPACKE_cpotrf_work", &lib.cpotrf},
                                     {"LAPACKE_zpotrf_work", &lib.zpotrf},
                                     {"LAPACKE_cgeev_work", &lib.cgeev},
                                     {"LAPACKE_zgeev_work", &lib.zgeev},
                                     {NULL, NULL}};
static ga__library library = {.files = {"liblapacke.so.3", "liblapacke.so"},
                              .symbols = symbols};

int ga__lapack_serves(const ga__factor *f, size_t m, size_t n) {
  if (!f->is_cpu || m > MOST || n > MOST || !ga__product_wish(f->ctx).lapack ||
      !ga__native_is_supported(f->ctx))
    return 0;
  return ga__library_load(&library);
}

/* --- elements and operands --- */

static int is_double(const ga__factor *f) {
  return f->typecode == GA_DOUBLE || f->typecode == GA_CDOUBLE;
}

static ga__native_operand workspace(ga__factor *f, size_t bytes) {
  return (ga__native_operand){.work = ga__launch_workspace(f->l, bytes)};
}

/* Elements of a workspace, from what LAPACK answers: a float may be less than
 * the number. */
static word answered(double wide, float narrow, int is_double) {
  return (word)(is_double ? wide : (double)narrow * (1 + 1e-6) + 1);
}

/* --- symmetric and Hermitian eigenvalues --- */

typedef struct eigh {
  size_t batch;
  int is_double;
  size_t parts, size; /* of an element, and bytes of a part */
  char job, triangle;
  word n, n_work, n_ints;
  word n_reals; /* of a further workspace, of real numbers */
} eigh;

static word syevd(const eigh *e, void *a, void *w, void *work, word *ints,
                  void *reals, word n_work, word n_ints, word n_reals) {
  if (e->parts == 2)
    return e->is_double
               ? lib.zheevd(BY_COLUMNS, e->job, e->triangle, e->n, a, e->n, w,
                            work, n_work, reals, n_reals, ints, n_ints)
               : lib.cheevd(BY_COLUMNS, e->job, e->triangle, e->n, a, e->n, w,
                            work, n_work, reals, n_reals, ints, n_ints);
  return e->is_double ? lib.dsyevd(BY_COLUMNS, e->job, e->triangle, e->n, a,
                                   e->n, w, work, n_work, ints, n_ints)
                      : lib.ssyevd(BY_COLUMNS, e->job, e->triangle, e->n, a,
                                   e->n, w, work, n_work, ints, n_ints);
}

/* The triangle that LAPACK calls lower has the first elements of rows.
 * Imaginary parts of the diagonal do not count, and become 0. */
static int triangle_is_finite(const eigh *e, char *a) {
  const size_t n = (size_t)e->n, bytes = e->parts * e->size;

  for (size_t i = 0; i < n; i++) {
    const size_t first = e->triangle == 'L' ? i : 0;
    const size_t count = e->triangle == 'L' ? n - i : i + 1;

    if (e->parts == 2)
      memset(a + i * (n + 1) * bytes + e->size, 0, e->size);
    if (!ga__lapack_is_finite(a + (i * n + first) * bytes, count * e->parts,
                              e->size))
      return 0;
  }
  return 1;
}

static void run_eigh(const void *state, void *const *at) {
  const eigh *e = state;
  const size_t n = (size_t)e->n, each = n * n * e->parts;

  for (size_t z = 0; z < e->batch; z++) {
    char *a = (char *)at[0] + z * each * e->size,
         *w = (char *)at[1] + z * n * e->size;

    if (triangle_is_finite(e, a) &&
        syevd(e, a, w, at[2], at[3], at[4], e->n_work, e->n_ints, e->n_reals) ==
            0)
      continue;
    ga__lapack_fill_nan(a, each, e->size);
    ga__lapack_fill_nan(w, n, e->size);
  }
}

/* Ask for the sizes of workspaces. */
static void size_eigh(eigh *e) {
  double work[2] = {0}, reals = 0, w[2] = {0};
  float first[2] = {0}, real = 0;

  if (syevd(e, w, w, e->is_double ? (void *)work : first, &e->n_ints,
            e->is_double ? (void *)&reals : &real, -1, -1, -1) != 0)
    e->n_ints = 0;
  e->n_work = answered(work[0], first[0], e->is_double);
  e->n_reals = answered(reals, real, e->is_double);
}

void ga__lapack_eigh(ga__factor *f, const ga__block *a, const ga__block *w,
                     int is_upper, int vectors) {
  eigh e = {.batch = f->batch,
            .is_double = is_double(f),
            .parts = f->is_complex ? 2 : 1,
            .size = w->size,
            .job = vectors ? 'V' : 'N',
            .triangle = is_upper ? 'L' : 'U',
            .n = (word)a->n};

  size_eigh(&e);
  const ga__native_operand o[] = {
      ga__lapack_operand(a), ga__lapack_operand(w),
      workspace(f, ga__times((size_t)e.n_work, a->size)),
      workspace(f, ga__times((size_t)e.n_ints, sizeof(word))),
      workspace(f, ga__times((size_t)e.n_reals, w->size))};
  ga__launch_native(f->l, run_eigh, &e, sizeof e, 5, o, "lapacke");
}

/* --- singular values --- */

typedef struct svd {
  size_t batch;
  int is_double;
  size_t parts, size; /* of an element, and bytes of a part */
  char job;
  word m, n, columns, rows; /* columns of u, rows of vt */
  word n_work;
} svd;

enum { A, VALUES, LEFT, RIGHT, WORK, INTS, OPERANDS };

/* Of complex matrices the real workspace lies behind the other one. */
static word gesdd(const svd *d, void *const p[OPERANDS], word n_work) {
  void *const reals =
      (char *)p[WORK] + (n_work > 0 ? (size_t)n_work : 0) * d->parts * d->size;

  if (d->parts == 2)
    return d->is_double
               ? lib.zgesdd(BY_COLUMNS, d->job, d->n, d->m, p[A], d->n,
                            p[VALUES], p[RIGHT], d->n, p[LEFT], d->columns,
                            p[WORK], n_work, reals, p[INTS])
               : lib.cgesdd(BY_COLUMNS, d->job, d->n, d->m, p[A], d->n,
                            p[VALUES], p[RIGHT], d->n, p[LEFT], d->columns,
                            p[WORK], n_work, reals, p[INTS]);
  return d->is_double ? lib.dgesdd(BY_COLUMNS, d->job, d->n, d->m, p[A], d->n,
                                   p[VALUES], p[RIGHT], d->n, p[LEFT],
                                   d->columns, p[WORK], n_work, p[INTS])
                      : lib.sgesdd(BY_COLUMNS, d->job, d->n, d->m, p[A], d->n,
                                   p[VALUES], p[RIGHT], d->n, p[LEFT],
                                   d->columns, p[WORK], n_work, p[INTS]);
}

static void run_svd(const void *state, void *const *at) {
  const svd *d = state;
  const size_t m = (size_t)d->m, n = (size_t)d->n;
  const size_t parts = d->job != 'N' ? d->parts : 0; /* of vectors */
  const size_t each[OPERANDS] = {[A] = m * n * d->parts,
                                 [VALUES] = ga__at_most(m, n),
                                 [LEFT] = parts * m * (size_t)d->columns,
                                 [RIGHT] = parts * (size_t)d->rows * n};

  for (size_t z = 0; z < d->batch; z++) {
    void *p[OPERANDS];

    for (unsigned int k = 0; k < OPERANDS; k++)
      p[k] = (char *)at[k] + z * each[k] * d->size;
    if (ga__lapack_is_finite(p[A], each[A], d->size) &&
        gesdd(d, p, d->n_work) == 0)
      continue;
    for (unsigned int k = VALUES; k <= RIGHT; k++)
      ga__lapack_fill_nan(p[k], each[k], d->size);
  }
}

static void size_svd(svd *d) {
  double work[2] = {0}, any[2] = {0};
  float first[2] = {0};
  word ints = 0;
  void *const p[OPERANDS] = {
      any, any, any, any, d->is_double ? (void *)work : first, &ints};

  gesdd(d, p, -1);
  d->n_work = answered(work[0], first[0], d->is_double);
}

/* Real numbers of a workspace that LAPACK asks for with complex matrices, as
 * its documentation counts them. */
static size_t svd_reals(const svd *d) {
  const size_t m = (size_t)d->m, n = (size_t)d->n, least = ga__at_most(m, n);
  const size_t square = ga__times(least, least);
  const size_t other = ga__times(2 * least, ga__at_least(m, n) + least);

  if (d->parts == 1)
    return 0;
  return d->job == 'N'
             ? 7 * least
             : ga__at_least(ga__times(5, square) + 5 * least, other + least);
}

void ga__lapack_svd(ga__factor *f, const ga__block *a, const ga__block *s,
                    const ga__block *u, const ga__block *vt) {
  const size_t least = ga__at_most(a->m, a->n);
  const int is_all = u != NULL && ga__at_least(u->n, vt->m) > least;
  svd d = {.batch = f->batch,
           .is_double = is_double(f),
           .parts = f->is_complex ? 2 : 1,
           .size = s->size,
           .job = (char)(u == NULL ? 'N'
                         : is_all  ? 'A'
                                   : 'S'),
           .m = (word)a->m,
           .n = (word)a->n,
           .columns = u != NULL ? (word)u->n : 1,
           .rows = vt != NULL ? (word)vt->m : 1};

  size_svd(&d);
  const ga__native_operand o[OPERANDS] = {
      [A] = ga__lapack_operand(a),
      [VALUES] = ga__lapack_operand(s),
      [LEFT] = ga__lapack_operand(u != NULL ? u : s),
      [RIGHT] = ga__lapack_operand(vt != NULL ? vt : s),
      [WORK] = workspace(f, ga__times((size_t)d.n_work, a->size) +
                                ga__times(svd_reals(&d), s->size)),
      [INTS] = workspace(f, ga__times(8 * least, sizeof(word)))};
  ga__launch_native(f->l, run_svd, &d, sizeof d, OPERANDS, o, "lapacke");
}

/* --- eigenvalues --- */

typedef struct eig {
  size_t batch;
  int is_double;
  char job;
  word n, n_work;
} eig;

enum { EIG_A, EIG_VALUES, EIG_VECTORS, EIG_WORK, EIG_REALS, EIG_OPERANDS };

static word geev(const eig *e, void *const p[EIG_OPERANDS], word n_work) {
  return e->is_double ? lib.zgeev(BY_COLUMNS, 'N', e->job, e->n, p[EIG_A], e->n,
                                  p[EIG_VALUES], NULL, 1, p[EIG_VECTORS], e->n,
                                  p[EIG_WORK], n_work, p[EIG_REALS])
                      : lib.cgeev(BY_COLUMNS, 'N', e->job, e->n, p[EIG_A], e->n,
                                  p[EIG_VALUES], NULL, 1, p[EIG_VECTORS], e->n,
                                  p[EIG_WORK], n_work, p[EIG_REALS]);
}

static void run_eig(const void *state, void *const *at) {
  const eig *e = state;
  const size_t n = (size_t)e->n, size = e->is_double ? 16 : 8;
  const size_t each[] = {
      [EIG_A] = n * n, [EIG_VALUES] = n, [EIG_VECTORS] = n * n};

  for (size_t z = 0; z < e->batch; z++) {
    void *p[EIG_OPERANDS] = {
        [EIG_WORK] = at[EIG_WORK], [EIG_REALS] = at[EIG_REALS]};

    for (unsigned int k = EIG_A; k <= EIG_VECTORS; k++)
      p[k] = (char *)at[k] + z * each[k] * size;
    if (ga__lapack_is_finite(p[EIG_A], 2 * n * n, size / 2) &&
        geev(e, p, e->n_work) == 0)
      continue;
    ga__lapack_fill_nan(p[EIG_VALUES], 2 * n, size / 2);
    if (e->job == 'V')
      ga__lapack_fill_nan(p[EIG_VECTORS], 2 * n * n, size / 2);
  }
}

static void size_eig(eig *e) {
  double work[2] = {0}, any[2] = {0};
  float first[2] = {0};
  void *const p[EIG_OPERANDS] = {any, any, any,
                                 e->is_double ? (void *)work : first, any};

  geev(e, p, -1);
  e->n_work = answered(work[0], first[0], e->is_double);
}

void ga__lapack_eig(ga__factor *f, const ga__block *a, const ga__block *w,
                    const ga__block *v) {
  eig e = {.batch = f->batch,
           .is_double = a->size == 16,
           .job = v != NULL ? 'V' : 'N',
           .n = (word)a->n};

  size_eig(&e);
  const ga__native_operand o[EIG_OPERANDS] = {
      [EIG_A] = ga__lapack_operand(a),
      [EIG_VALUES] = ga__lapack_operand(w),
      [EIG_VECTORS] = ga__lapack_operand(v != NULL ? v : a),
      [EIG_WORK] = workspace(f, ga__times((size_t)e.n_work, a->size)),
      [EIG_REALS] = workspace(f, ga__times(a->n, a->size))};
  ga__launch_native(f->l, run_eig, &e, sizeof e, EIG_OPERANDS, o, "lapacke");
}

/* --- Cholesky --- */

typedef struct cholesky {
  size_t batch, size;
  ptrdiff_t bs;
  int is_double;
  size_t parts; /* of an element */
  char triangle;
  word n, step; /* step: between the lines of the matrix */
} cholesky;

/* Rows of the factor from `row` on. */
static void spoil(const cholesky *c, char *a, size_t row) {
  const size_t n = (size_t)c->n, step = (size_t)c->step;

  for (size_t i = row; i < n; i++)
    for (size_t j = 0; j <= i; j++)
      ga__lapack_fill_nan(
          a + (c->triangle == 'U' ? i * step + j : j * step + i) * c->size,
          c->parts, c->size / c->parts);
}

static word potrf(const cholesky *c, void *a) {
  if (c->parts == 2)
    return (c->is_double ? lib.zpotrf : lib.cpotrf)(BY_COLUMNS, c->triangle,
                                                    c->n, a, c->step);
  return c->is_double ? lib.dpotrf(BY_COLUMNS, c->triangle, c->n, a, c->step)
                      : lib.spotrf(BY_COLUMNS, c->triangle, c->n, a, c->step);
}

/* The order of the first minor that is not positive definite, or 0. NaN need
 * not stop LAPACK. */
static word find_minor(const cholesky *c, const char *a, word failed) {
  const size_t n = failed > 0 ? (size_t)failed - 1 : (size_t)c->n;

  for (size_t i = 0; i < n; i++) {
    const void *const pivot = a + i * ((size_t)c->step + 1) * c->size;

    if (!((c->is_double ? *(const double *)pivot
                        : (double)*(const float *)pivot) > 0))
      return (word)i + 1;
  }
  return failed;
}

static void run_cholesky(const void *state, void *const *at) {
  const cholesky *c = state;
  int32_t *info = at[1];

  for (size_t z = 0; z < c->batch; z++) {
    char *a = (char *)at[0] + (ptrdiff_t)z * c->bs * (ptrdiff_t)c->size;

    info[z] = find_minor(c, a, potrf(c, a));
    if (info[z] > 0)
      spoil(c, a, (size_t)info[z] - 1);
  }
}

int ga__lapack_takes_cholesky(const ga__factor *f, const ga__block *a) {
  const ptrdiff_t unit = a->cs == 1 ? a->cs : a->rs;
  const ptrdiff_t step = a->cs == 1 ? a->rs : a->cs;

  return unit == 1 && step >= (ptrdiff_t)a->n && step <= INT32_MAX &&
         ga__lapack_serves(f, a->n, a->n);
}

void ga__lapack_cholesky(ga__factor *f, const ga__block *a, gpudata *info) {
  const cholesky c = {.batch = f->batch,
                      .size = a->size,
                      .bs = a->bs,
                      .is_double = is_double(f),
                      .parts = f->is_complex ? 2 : 1,
                      .triangle = a->cs == 1 ? 'U' : 'L',
                      .n = (word)a->n,
                      .step = (word)(a->cs == 1 ? a->rs : a->cs)};
  const ga__native_operand o[] = {ga__lapack_operand(a), {.work = info}};

  ga__launch_native(f->l, run_cholesky, &c, sizeof c, 2, o, "lapacke");
}
