/* SPDX-License-Identifier: BSD-2-Clause */
/* LU factors of matrices in C order by LAPACK and CBLAS. LAPACK exchanges rows,
 * so the transpose will not do, and to turn the matrix costs as much as LAPACK
 * gains. So only panels are turned, which LAPACK factors. Solutions and
 * products with what is beside them are CBLAS's, which takes rows. */
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
  LOWER = 122,
  UNIT = 132,
  LEFT = 141,
  PANEL = 64,    /* columns at most */
  GAP = 16,      /* elements behind each: the next one is in other places of a
                    cache */
  MOST_OWN = 512 /* rows for which the library's own kernels are as fast */
};

typedef int32_t word;

static struct {
  word (*sgetrf)(int, word, word, float *, word, word *);
  word (*dgetrf)(int, word, word, double *, word, word *);
  void (*strsm)(int, int, int, int, int, word, word, float, const float *, word,
                float *, word);
  void (*dtrsm)(int, int, int, int, int, word, word, double, const double *,
                word, double *, word);
  void (*sgemm)(int, int, int, word, word, word, float, const float *, word,
                const float *, word, float, float *, word);
  void (*dgemm)(int, int, int, word, word, word, double, const double *, word,
                const double *, word, double, double *, word);
} lib;

static const ga__symbol symbols[] = {{"LAPACKE_sgetrf_work", &lib.sgetrf},
                                     {"LAPACKE_dgetrf_work", &lib.dgetrf},
                                     {"cblas_strsm", &lib.strsm},
                                     {"cblas_dtrsm", &lib.dtrsm},
                                     {"cblas_sgemm", &lib.sgemm},
                                     {"cblas_dgemm", &lib.dgemm},
                                     {NULL, NULL}};
static ga__library library = {.files = {"liblapacke.so.3", "liblapacke.so"},
                              .symbols = symbols};

typedef struct lu {
  size_t batch, size, m, n, each;
  size_t step;  /* between rows */
  ptrdiff_t bs; /* bytes */
} lu;

enum { A, PIVOTS, INFO, WORK, OPERANDS };

/* What one matrix of a batch has. */
typedef struct places {
  const lu *d;
  char *a;
  word *pivots, info;
  char *work; /* a panel by columns */
} places;

static char *element(const places *p, size_t i, size_t j) {
  return p->a + (i * p->d->step + j) * p->d->size;
}

/* --- panels --- */

static void turn_floats(float *restrict columns, size_t gap,
                        float *restrict rows, size_t step, size_t m, size_t n,
                        int back) {
  for (size_t i = 0; i < m; i++)
    for (size_t j = 0; j < n; j++)
      if (back)
        rows[i * step + j] = columns[j * gap + i];
      else
        columns[j * gap + i] = rows[i * step + j];
}

static void turn_doubles(double *restrict columns, size_t gap,
                         double *restrict rows, size_t step, size_t m, size_t n,
                         int back) {
  for (size_t i = 0; i < m; i++)
    for (size_t j = 0; j < n; j++)
      if (back)
        rows[i * step + j] = columns[j * gap + i];
      else
        columns[j * gap + i] = rows[i * step + j];
}

/* Copy n columns from (j, j) on to the workspace, or back. */
static void turn(const places *p, size_t j, size_t n, int back) {
  const size_t m = p->d->m - j;
  void *const work = p->work, *const rows = element(p, j, j);

  if (p->d->size == sizeof(double))
    turn_doubles(work, m + GAP, rows, p->d->step, m, n, back);
  else
    turn_floats(work, m + GAP, rows, p->d->step, m, n, back);
}

/* Exchange two rows in columns [from, to). */
static void exchange(const places *p, size_t i, size_t k, size_t from,
                     size_t to) {
  char kept[1024];
  char *a = element(p, i, from), *b = element(p, k, from);

  for (size_t left = (to - from) * p->d->size; left > 0;) {
    const size_t bytes = ga__at_most(left, sizeof kept);

    memcpy(kept, a, bytes);
    memcpy(a, b, bytes);
    memcpy(b, kept, bytes);
    a += bytes;
    b += bytes;
    left -= bytes;
  }
}

/* Factor n columns from (j, j) on, and exchange rows in all others. */
static void factor_panel(places *p, size_t j, size_t n) {
  const word m = (word)(p->d->m - j), gap = m + GAP;
  word *const pivots = p->pivots + j;
  void *const work = p->work;

  turn(p, j, n, 0);
  const word bad = p->d->size == sizeof(double)
                       ? lib.dgetrf(BY_COLUMNS, m, (word)n, work, gap, pivots)
                       : lib.sgetrf(BY_COLUMNS, m, (word)n, work, gap, pivots);
  turn(p, j, n, 1);
  if (bad > 0 && p->info == 0)
    p->info = (word)j + bad;
  for (size_t k = 0; k < n; k++) {
    pivots[k] += (word)j - 1;
    if ((size_t)pivots[k] == j + k)
      continue;
    exchange(p, j + k, (size_t)pivots[k], 0, j);
    exchange(p, j + k, (size_t)pivots[k], j + n, p->d->n);
  }
}

/* --- the rest --- */

/* Solve for rows of U in columns [to, end) with n columns from (j, j) on. */
static void solve(const places *p, size_t j, size_t n, size_t to, size_t end) {
  const word step = (word)p->d->step;
  const void *const l = element(p, j, j);
  void *const u = element(p, j, to);

  if (p->d->size == sizeof(double))
    lib.dtrsm(BY_ROWS, LEFT, LOWER, AS_IS, UNIT, (word)n, (word)(end - to), 1,
              l, step, u, step);
  else
    lib.strsm(BY_ROWS, LEFT, LOWER, AS_IS, UNIT, (word)n, (word)(end - to), 1,
              l, step, u, step);
}

/* Subtract the product of n columns and rows from (j, j) on from what lies
 * below and right of both, in columns [j + n, end). */
static void subtract(const places *p, size_t j, size_t n, size_t end) {
  const size_t i = j + n;
  const word m = (word)(p->d->m - i), r = (word)(end - i), k = (word)n;
  const word step = (word)p->d->step;
  const void *const l = element(p, i, j), *const u = element(p, j, i);
  void *const to = element(p, i, i);

  if (p->d->size == sizeof(double))
    lib.dgemm(BY_ROWS, AS_IS, AS_IS, m, r, k, -1, l, step, u, step, 1, to,
              step);
  else
    lib.sgemm(BY_ROWS, AS_IS, AS_IS, m, r, k, -1, l, step, u, step, 1, to,
              step);
}

/* Factor n columns from (j, j) on, by halves. */
static void factor(places *p, size_t j, size_t n) {
  if (n <= PANEL) {
    factor_panel(p, j, n);
    return;
  }
  const size_t half = (ga__ceil_div(n, PANEL) + 1) / 2 * PANEL;

  factor(p, j, half);
  solve(p, j, half, j + half, j + n);
  subtract(p, j, half, j + n);
  factor(p, j + half, n - half);
}

/* Columns behind the last pivot are only solved for. */
static int is_finite(const places *p) {
  for (size_t i = 0; i < p->d->m; i++)
    if (!ga__lapack_is_finite(element(p, i, 0), p->d->each, p->d->size))
      return 0;
  return 1;
}

static void spoil(const places *p) {
  const double wide = NAN;
  const float narrow = NAN;
  const void *const nan =
      p->d->size == sizeof wide ? (const void *)&wide : &narrow;

  for (size_t i = 0; i < p->d->each; i++)
    p->pivots[i] = (word)i;
  for (size_t i = 0; i < p->d->m; i++)
    for (size_t j = 0; j < p->d->n; j++)
      memcpy(element(p, i, j), nan, p->d->size);
}

static void run_lu(const void *state, void *const *at) {
  const lu *d = state;

  for (size_t z = 0; z < d->batch; z++) {
    places p = {.d = d,
                .a = (char *)at[A] + (ptrdiff_t)z * d->bs,
                .pivots = (word *)at[PIVOTS] + z * d->each,
                .work = at[WORK]};

    if (is_finite(&p)) {
      factor(&p, 0, d->each);
      if (d->n > d->each)
        solve(&p, 0, d->each, d->each, d->n);
    } else {
      spoil(&p);
    }
    ((word *)at[INFO])[z] = p.info;
  }
}

int ga__lapack_takes_lu(const ga__factor *f, const ga__block *a) {
  return ga__at_most(a->m, a->n) > MOST_OWN && a->cs == 1 &&
         a->rs >= (ptrdiff_t)a->n && a->rs <= INT32_MAX && !f->is_complex &&
         ga__lapack_serves(f, a->m, a->n) && ga__library_load(&library);
}

ga__pivots ga__lapack_lu(ga__factor *f, const ga__block *a) {
  const lu d = {.batch = f->batch,
                .size = a->size,
                .m = a->m,
                .n = a->n,
                .each = ga__at_most(a->m, a->n),
                .step = (size_t)a->rs,
                .bs = a->bs * (ptrdiff_t)a->size};
  const ga__pivots p = {.work = ga__launch_works(f->l), .each = d.each};
  gpudata *const pivots = ga__launch_workspace(
      f->l, ga__times(ga__times(f->batch, d.each), sizeof(word)));
  const ga__native_operand o[OPERANDS] = {
      [A] = {.slot = a->slot, .rel = a->rel},
      [PIVOTS] = {.work = pivots},
      [INFO] = {.work = ga__factor_info(f)},
      [WORK] = {
          .work = ga__launch_workspace(f->l, (a->m + GAP) * PANEL * a->size)}};

  ga__launch_native(f->l, run_lu, &d, sizeof d, OPERANDS, o, "lapacke");
  return p;
}
