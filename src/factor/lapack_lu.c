/* SPDX-License-Identifier: BSD-2-Clause */
/* LU factors of matrices in C order by LAPACK and CBLAS. LAPACK exchanges rows,
 * so the transpose will not do, and to turn the matrix costs as much as LAPACK
 * gains. So only panels are turned, which LAPACK factors. Solutions and
 * products with what is beside them are CBLAS's, which takes rows. */
#include <string.h>

#include "base/arith.h"
#include "factor/lapack_elements.h"
#include "factor/lapack_real.h"

enum {
  PANEL = 64, /* columns at most */
  GAP = 16    /* elements behind each: the next one is in other places of a
                 cache */
};

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
  int32_t *pivots, info;
  char *work; /* a panel by columns */
} places;

static char *element(const places *p, size_t i, size_t j) {
  return p->a + (i * p->d->step + j) * p->d->size;
}

/* --- panels --- */

/* Copy elements of rows to columns, or back. */
static inline void turn_elements(char *columns, size_t gap, char *rows,
                                 size_t step, size_t m, size_t n, size_t size,
                                 int back) {
  for (size_t i = 0; i < m; i++)
    for (size_t j = 0; j < n; j++) {
      char *const row = rows + (i * step + j) * size;
      char *const column = columns + (j * gap + i) * size;
      memcpy(back ? row : column, back ? column : row, size);
    }
}

/* Copy n columns from (j, j) on to the workspace, or back. */
static void turn(const places *p, size_t j, size_t n, int back) {
  const size_t m = p->d->m - j, gap = m + GAP, step = p->d->step;
  char *const rows = element(p, j, j);

  /* The compiler knows the size of elements. */
  if (p->d->size == sizeof(double))
    turn_elements(p->work, gap, rows, step, m, n, sizeof(double), back);
  else
    turn_elements(p->work, gap, rows, step, m, n, sizeof(float), back);
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
  const size_t m = p->d->m - j;
  int32_t *const pivots = p->pivots + j;

  turn(p, j, n, 0);
  const int32_t bad =
      ga__lapack_getrf(p->d->size, m, n, p->work, m + GAP, pivots);
  turn(p, j, n, 1);
  if (bad > 0 && p->info == 0)
    p->info = (int32_t)j + bad;
  for (size_t k = 0; k < n; k++) {
    pivots[k] += (int32_t)j - 1;
    if ((size_t)pivots[k] == j + k)
      continue;
    exchange(p, j + k, (size_t)pivots[k], 0, j);
    exchange(p, j + k, (size_t)pivots[k], j + n, p->d->n);
  }
}

/* --- the rest --- */

/* Solve for rows of U in columns [to, end) with n columns from (j, j) on. */
static void solve(const places *p, size_t j, size_t n, size_t to, size_t end) {
  const ga__lapack_triangular t = {.order = GA_LAPACK_ROWS,
                                   .part = GA_LAPACK_LOWER,
                                   .trans = GA_LAPACK_AS_IS,
                                   .diagonal = GA_LAPACK_UNIT_DIAGONAL,
                                   .a_step = p->d->step,
                                   .x_step = p->d->step};

  ga__lapack_trsm(p->d->size, &t, n, end - to, element(p, j, j),
                  element(p, j, to));
}

/* Subtract the product of n columns and rows from (j, j) on from what lies
 * below and right of both, in columns [j + n, end). */
static void subtract(const places *p, size_t j, size_t n, size_t end) {
  const size_t i = j + n;

  ga__lapack_subtract(p->d->size, p->d->m - i, end - i, n, element(p, i, j),
                      element(p, j, i), element(p, i, i), p->d->step);
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
  for (size_t i = 0; i < p->d->each; i++)
    p->pivots[i] = (int32_t)i;
  for (size_t i = 0; i < p->d->m; i++)
    ga__lapack_fill_nan(element(p, i, 0), p->d->n, p->d->size);
}

static void run_lu(const void *state, void *const *at) {
  const lu *d = state;

  for (size_t z = 0; z < d->batch; z++) {
    places p = {.d = d,
                .a = (char *)at[A] + (ptrdiff_t)z * d->bs,
                .pivots = (int32_t *)at[PIVOTS] + z * d->each,
                .work = at[WORK]};

    if (is_finite(&p)) {
      factor(&p, 0, d->each);
      if (d->n > d->each)
        solve(&p, 0, d->each, d->each, d->n);
    } else {
      spoil(&p);
    }
    ((int32_t *)at[INFO])[z] = p.info;
  }
}

int ga__lapack_takes_lu(const ga__factor *f, const ga__block *a) {
  return a->cs == 1 && a->rs >= (ptrdiff_t)a->n && a->rs <= INT32_MAX &&
         ga__lapack_pays(f, ga__at_most(a->m, a->n), ga__at_least(a->m, a->n));
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
      f->l, ga__times(ga__times(f->batch, d.each), sizeof(int32_t)));
  const ga__native_operand o[OPERANDS] = {
      [A] = ga__lapack_operand(a),
      [PIVOTS] = {.work = pivots},
      [INFO] = {.work = ga__factor_info(f)},
      [WORK] = {
          .work = ga__launch_workspace(f->l, (a->m + GAP) * PANEL * a->size)}};

  ga__launch_native(f->l, run_lu, &d, sizeof d, OPERANDS, o, "lapacke");
  return p;
}
