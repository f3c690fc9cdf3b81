/* SPDX-License-Identifier: BSD-2-Clause */
/* Cholesky factors: by LAPACK where it is there and the device computes on the
 * host's memory; else by blocks. On GPUs these are panels: the left half of the
 * columns is factored, down to 64 columns by a kernel, and a product subtracts
 * it from the right half. On CPUs, and on GPUs whose groups or local memory are
 * too small for these panels, the upper left quarter is factored, the lower
 * left one solved for, and its square subtracted from the lower right one,
 * which is factored then. An upper factor is the transpose of a lower one. */
#include <math.h>

#include "base/arith.h"
#include "base/assert.h"
#include "base/dtype.h"
#include "factor/lapack.h"

enum { A, L, INFO, SLOTS };
/* Panels of a GPU (cl/factor_cholesky_gpu.cl). */
enum {
  PANEL_COLUMNS = 64,
  PANEL_ROWS = 64, /* of a group below the diagonal block, at most */
  PANEL_ROWS_MIN = 32,
  PANEL_PITCH = 33, /* elements of a row in local memory, and of what else is
                        there: pivots and rows of the factor, in turns */
  PANEL_SHARED = 2 * 4 * (4 + PANEL_COLUMNS),
  TILE = 128,     /* rows and columns of a large product's groups */
  WASTE_SMALL = 2 /* of a product whose groups would be few in any case */
};

/* --- blocks --- */

/* `before` rows stand above the block. */
static void factor_block(ga__factor *f, const ga__block *a, size_t before) {
  /* Each work-item of a GPU visits a column once. */
  ga__launch_rounds(f->l, f->is_cpu ? 3 * a->n * a->n + a->n * a->n * a->n / 24
                                    : 4 * a->n);
  ga__factor_kernel(f, "factor_cholesky", 1, f->side * f->side, 0);
  ga__factor_arg(f, a);
  ga__launch_size(f->l, a->n);
  ga__launch_size(f->l, before);
  ga__factor_info_arg(f, before == 0);
}

static void factor(ga__factor *f, const ga__block *a, size_t before) {
  const size_t n = a->n;

  if (n <= f->nb) {
    factor_block(f, a, before);
    return;
  }
  const size_t half = ga__factor_half(f, n), rest = n - half;
  const ga__block a11 = ga__block_part(a, 0, 0, half, half);
  const ga__block a21 = ga__block_part(a, half, 0, rest, half);
  const ga__block a22 = ga__block_part(a, half, half, rest, rest);
  const ga__block x = ga__block_adjoint(&a21);

  factor(f, &a11, before);
  ga__factor_forward(f, &a11, &x, 0);
  ga__factor_product_lower(f, &a21, &x, &a22);
  factor(f, &a22, before + half);
}

/* --- panels --- */

/* Groups have a work-item for each row of the diagonal block, and for `rows`
 * below it. `l` gets the factors of diagonal blocks, one below the other, since
 * groups read these blocks. */
typedef struct panels {
  size_t rows;
  ga__block l;
} panels;

/* Rows below the diagonal block, or 0 if groups or local memory are too small
 * for panels. */
static size_t choose_rows(const ga__factor *f) {
  const size_t local = gpucontext_caps(f->ctx)->declared_local_bytes;
  const size_t size = ga__dtype_size(f->typecode);
  size_t rows = PANEL_ROWS;

  while (rows >= PANEL_ROWS_MIN &&
         (PANEL_COLUMNS + rows > f->most ||
          ((PANEL_COLUMNS + rows) * PANEL_PITCH + PANEL_SHARED) * size > local))
    rows /= 2;
  return rows >= PANEL_ROWS_MIN ? rows : 0;
}

static void factor_panel(ga__factor *f, const panels *p, const ga__block *a,
                         size_t before) {
  const ga__macro macros[] = {{"S", p->rows}};
  const size_t n = a->n, below = ga__ceil_div(a->m - n, p->rows);
  const ga__block l = below > 0 ? ga__block_part(&p->l, before, 0, n, n)
                                : ga__block_part(a, 0, 0, n, n);

  ga__launch_rounds(f->l, PANEL_COLUMNS);
  ga__factor_group_kernel(f, "factor_cholesky_gpu", "factor_cholesky_panel",
                          ga__at_least(below, 1), PANEL_COLUMNS + p->rows, 1,
                          macros);
  ga__factor_arg(f, a);
  ga__factor_arg(f, &l);
  ga__launch_size(f->l, a->m);
  ga__launch_size(f->l, n);
  ga__launch_size(f->l, before);
  ga__factor_info_arg(f, before == 0);
}

/* How much longer a product with an m x n trapezoid takes because its groups do
 * not fill the compute units in their last round. */
static double waste_of(const ga__factor *f, size_t m, size_t n) {
  const size_t units = gpucontext_caps(f->ctx)->compute_units;
  const ga__product p = {
      .m = m, .n = n, .batch = f->batch, .part = GA_PART_LOWER};
  const size_t busy = ga__product_busy_groups(&p, TILE, TILE);

  return (double)(ga__ceil_div(busy, units) * units) / (double)busy;
}

/* The columns of the trapezoid m x n that are factored first: half of them, or,
 * unless the product with the rest is small, so many more or fewer that this
 * product wastes less. */
static size_t first_columns(const ga__factor *f, size_t m, size_t n) {
  const size_t count = ga__ceil_div(n, PANEL_COLUMNS);
  const size_t half = (count + 1) / 2 * PANEL_COLUMNS;
  double least = waste_of(f, m - half, n - half);
  size_t best = half;

  if (least > WASTE_SMALL)
    return half;
  for (size_t k = ga__at_least(count / 4, 1); k <= count * 5 / 8; k++) {
    const size_t first = k * PANEL_COLUMNS;
    const double apart = fabs((double)first - (double)half) / (double)n;
    const double waste = waste_of(f, m - first, n - first) * (1 + apart / 3);

    if (waste < least) {
      least = waste;
      best = first;
    }
  }
  return best;
}

/* Factor the lower trapezoid a, m x n, by two parts of its columns. */
static void factor_panels(ga__factor *f, const panels *p, const ga__block *a,
                          size_t before) {
  const size_t m = a->m, n = a->n;

  if (n <= PANEL_COLUMNS) {
    factor_panel(f, p, a, before);
    return;
  }
  const size_t first = first_columns(f, m, n);
  const ga__block left = ga__block_part(a, 0, 0, m, first);
  const ga__block low = ga__block_part(a, first, 0, m - first, first);
  const ga__block top = ga__block_part(a, first, 0, n - first, first);
  const ga__block turned = ga__block_turned(&top);
  const ga__block right = ga__block_part(a, first, first, m - first, n - first);

  factor_panels(f, p, &left, before);
  ga__factor_product_lower(f, &low, &turned, &right);
  factor_panels(f, p, &right, before + first);
}

/* Workspace for the factors of diagonal blocks, by rows if `a` is. All panels
 * but the last one have rows below them. */
static ga__block diagonal_work(ga__factor *f, const ga__block *a) {
  const size_t blocks = ga__ceil_div(a->n, PANEL_COLUMNS) - 1;
  const size_t m = blocks * PANEL_COLUMNS, n = PANEL_COLUMNS;

  if (a->cs == 1)
    return ga__factor_work(f, m, n);
  const ga__block turned = ga__factor_work(f, n, m);
  return ga__block_turned(&turned);
}

static void factor_by_panels(ga__factor *f, const ga__block *a, size_t rows) {
  GA_ASSERT(a->n > PANEL_COLUMNS);
  const panels p = {.rows = rows, .l = diagonal_work(f, a)};

  factor_panels(f, &p, a, 0);
  ga__factor_copy_diagonal(f, &p.l, a);
}

void ga__factor_cholesky(ga__factor *f, const ga__block *a) {
  const int is_large = a->n > f->nb;

  if (is_large && ga__lapack_takes_cholesky(f, a)) {
    ga__lapack_cholesky(f, a, ga__factor_info(f));
    return;
  }
  const int by_panels = is_large && !f->is_cpu && !f->is_complex;
  const size_t rows = by_panels ? choose_rows(f) : 0;
  if (rows > 0)
    factor_by_panels(f, a, rows);
  else
    factor(f, a, 0);
}

/* --- arrays --- */

static int check(const ga__factor_array *o, int flags) {
  const GpuArray *const a = o[A].array;

  GA_TRY(ga__factor_check_square(&o[A]));
  GA_TRY(ga__factor_check_flags(flags, GA_FACTOR_UPPER));
  GA_TRY(ga__factor_check(&o[L], &o[A], 1));
  GA_TRY(ga__factor_check_sizes(&o[L], a->dimensions[a->nd - 2],
                                a->dimensions[a->nd - 1]));
  GA_TRY(ga__factor_check_apart(&o[L], &o[A], 1));
  GA_TRY(ga__factor_check_ints(&o[INFO], &o[A], 1, 0, 0));
  GA_TRY(ga__factor_check_apart(&o[INFO], &o[A], 0));
  return ga__factor_check_apart(&o[INFO], &o[L], 0);
}

static void add(ga__factor *f, const ga__factor_array *o, int flags) {
  const int is_upper = (flags & GA_FACTOR_UPPER) != 0;
  const ga__block place = ga__factor_place(f, &o[L]);
  const ga__block l = is_upper ? ga__block_adjoint(&place) : place;
  const double n = (double)l.n, batch = (double)f->batch;

  ga__factor_fetch(f, &place, &o[L], &o[A],
                   is_upper ? GA_TRIANGLE_UPPER : GA_TRIANGLE_LOWER);
  ga__factor_cholesky(f, &l);
  ga__factor_store(f, &o[L], &place);
  ga__factor_store_ints(f, &o[INFO], f->info, 1, 0);
  ga__factor_cost(f, 1.5 * batch * n * n * (double)l.size,
                  batch * n * n * n / 3);
}

static int make(GpuArray *const *to, const ga__factor_array *o, int flags) {
  const GpuArray *const a = o[A].array;

  (void)flags;
  GA_TRY(ga__factor_make(to[L], a, a->typecode, a->nd, a->dimensions));
  return ga__factor_make(to[INFO], a, GA_INT, a->nd - 2, a->dimensions);
}

static const ga__factor_family family = {.name = "cholesky",
                                         .arrays = {"a", "l", "info"},
                                         .n_in = L,
                                         .n_slots = SLOTS,
                                         .needed = L,
                                         .check = check,
                                         .make = make,
                                         .add = add};

int GpuArray_cholesky_prepare(GpuLaunch **out, GpuArray *l, GpuArray *info,
                              const GpuArray *a, int flags) {
  return ga__factor_prepare(out, &family, (const GpuArray *[]){a, l, info},
                            flags);
}

int GpuArray_cholesky(GpuArray *l, GpuArray *info, const GpuArray *a,
                      int flags) {
  return ga__factor_call(&family, &a, (GpuArray *[]){l, info}, flags);
}
