/* SPDX-License-Identifier: BSD-2-Clause */
/* Gradients through Cholesky factors, by blocks: the lower right quarter, then
 * the lower left one, from which the upper left one is corrected. This is the
 * factorisation backwards; see I. Murray, Differentiation of the Cholesky
 * decomposition, 2016. It takes 2 n^3 / 3 operations, and the formula for a
 * whole matrix 4 n^3. */
#include "base/arith.h"
#include "factor/factor.h"

enum { L, G, T, SLOTS };
enum { GPU_LEAF = 512 }; /* rows: large products fill a GPU */

typedef struct gradient {
  ga__factor *f;
  size_t leaf;        /* rows for which the formula is used, at most */
  ga__block lower, p; /* workspaces of so many rows and columns */
} gradient;

static void mirror(const gradient *d, const ga__block *b) {
  ga__factor_copy(d->f, b, b,
                  d->f->is_complex ? GA_TRIANGLE_HERMITIAN
                                   : GA_TRIANGLE_SYMMETRIC);
}

/* L^-H P L^-1, where P is Hermitian with the lower triangle of L^H g. */
static void use_formula(const gradient *d, const ga__block *l,
                        const ga__block *g) {
  const ga__block lower = ga__block_part(&d->lower, 0, 0, l->n, l->n);
  const ga__block p = ga__block_part(&d->p, 0, 0, l->n, l->n);
  const ga__block turned = ga__block_adjoint(&lower);

  ga__factor_copy(d->f, l, &lower, GA_TRIANGLE_LOWER);
  ga__factor_copy(d->f, g, &p, GA_TRIANGLE_LOWER);
  ga__factor_multiply(d->f, &turned, &p, g);
  mirror(d, g);
  ga__factor_triangle(d->f, lower, *g, GA_FACTOR_RIGHT);
  ga__factor_triangle(d->f, lower, *g, GA_FACTOR_CONJ_TRANS);
}

/* Replace the lower triangle of g, the gradient by that of l. What is above the
 * diagonal changes, too. */
static void pull_back(const gradient *d, const ga__block *l,
                      const ga__block *g) {
  const size_t n = l->n;

  if (n <= d->leaf) {
    use_formula(d, l, g);
    return;
  }
  const size_t half = ga__factor_half(d->f, n), rest = n - half;
  const ga__block l11 = ga__block_part(l, 0, 0, half, half);
  const ga__block l21 = ga__block_part(l, half, 0, rest, half);
  const ga__block l22 = ga__block_part(l, half, half, rest, rest);
  const ga__block g11 = ga__block_part(g, 0, 0, half, half);
  const ga__block g21 = ga__block_part(g, half, 0, rest, half);
  const ga__block g22 = ga__block_part(g, half, half, rest, rest);
  const ga__block turned = ga__block_adjoint(&g21);

  pull_back(d, &l22, &g22);
  mirror(d, &g22);
  ga__factor_product(d->f, &g22, &l21, &g21);
  ga__factor_triangle(d->f, l11, g21, GA_FACTOR_RIGHT);
  ga__factor_product_lower(d->f, &turned, &l21, &g11);
  pull_back(d, &l11, &g11);
}

/* --- arrays --- */

static int check(const ga__factor_array *o, int flags) {
  const GpuArray *const l = o[L].array;
  const size_t n = l->dimensions[l->nd - 1];

  GA_TRY(ga__factor_check_square(&o[L]));
  GA_TRY(ga__factor_check_flags(flags, GA_FACTOR_UPPER));
  for (int i = G; i <= T; i++) {
    GA_TRY(ga__factor_check(&o[i], &o[L], i == T));
    GA_TRY(ga__factor_check_sizes(&o[i], n, n));
  }
  GA_TRY(ga__factor_check_apart(&o[T], &o[L], 0));
  return ga__factor_check_apart(&o[T], &o[G], 1);
}

static void add(ga__factor *f, const ga__factor_array *o, int flags) {
  const ga__block from = ga__factor_place(f, &o[L]);
  const ga__block place = ga__factor_place(f, &o[T]);
  const int is_upper = (flags & GA_FACTOR_UPPER) != 0;
  const ga__block l = is_upper ? ga__block_adjoint(&from) : from;
  const ga__block g = is_upper ? ga__block_adjoint(&place) : place;
  const double n = (double)l.n, batch = (double)f->batch;
  gradient d = {.f = f,
                .leaf = f->is_cpu || f->nb > GPU_LEAF ? f->nb : GPU_LEAF};
  const size_t rows = ga__at_most(l.n, d.leaf);

  d.lower = ga__factor_work(f, rows, rows);
  d.p = ga__factor_work(f, rows, rows);
  ga__factor_fetch(f, &from, &o[L], &o[L], GA_TRIANGLE_ALL);
  ga__factor_fetch(f, &place, &o[T], &o[G], GA_TRIANGLE_ALL);
  pull_back(&d, &l, &g);
  mirror(&d, &g);
  ga__factor_store(f, &o[T], &place);
  ga__factor_cost(f, 2.5 * batch * n * n * (double)l.size,
                  2 * batch * n * n * n / 3);
}

static int make(GpuArray *const *to, const ga__factor_array *o, int flags) {
  const GpuArray *const l = o[L].array;

  (void)flags;
  return ga__factor_make(to[T], l, l->typecode, l->nd, l->dimensions);
}

static const ga__factor_family family = {.name = "cholesky_gradient",
                                         .arrays = {"l", "g", "t"},
                                         .n_in = T,
                                         .n_slots = SLOTS,
                                         .needed = T,
                                         .check = check,
                                         .make = make,
                                         .add = add};

int GpuArray_cholesky_gradient_prepare(GpuLaunch **out, GpuArray *t,
                                       const GpuArray *l, const GpuArray *g,
                                       int flags) {
  return ga__factor_prepare(out, &family, (const GpuArray *[]){l, g, t}, flags);
}

int GpuArray_cholesky_gradient(GpuArray *t, const GpuArray *l,
                               const GpuArray *g, int flags) {
  return ga__factor_call(&family, (const GpuArray *[]){l, g}, &t, flags);
}
