/* SPDX-License-Identifier: BSD-2-Clause */
/* Least squares by QR factors: of A, or of A^H if A has fewer rows than
 * columns. */
#include "array/geometry.h"
#include "base/arith.h"
#include "factor/factor.h"

enum { A, B, X, SLOTS };

static int check(const ga__factor_array *o, int flags) {
  const GpuArray *const a = o[A].array, *const b = o[B].array;

  (void)flags;
  GA_TRY(ga__factor_check(&o[B], &o[A], 0));
  const size_t m = a->dimensions[a->nd - 2], n = a->dimensions[a->nd - 1],
               r = b->dimensions[b->nd - 1];
  GA_TRY(ga__factor_check_sizes(&o[B], m, r));
  GA_TRY(ga__factor_check(&o[X], &o[A], 1));
  GA_TRY(ga__factor_check_sizes(&o[X], n, r));
  GA_TRY(ga__factor_check_apart(&o[X], &o[A], 0));
  return ga__factor_check_apart(&o[X], &o[B], 0);
}

/* x, [n, r], solves R x = Q^H b; y, [m, r], is b at first. */
static void solve_tall(ga__factor *f, const ga__block *a, const ga__block *y) {
  const ga__reflectors q = ga__factor_qr(f, a, y->n);
  const ga__block r = ga__block_part(a, 0, 0, a->n, a->n);
  const ga__block x = ga__block_part(y, 0, 0, a->n, y->n);

  ga__factor_reflect(f, &q, y, 1, 0);
  ga__factor_backward(f, &r, &x, 0);
}

/* x = Q y, where R^H y = b, for the factors of A^H, whose transpose a is; y,
 * [n, r], is b at first, and zeros. */
static void solve_wide(ga__factor *f, const ga__block *a, const ga__block *y) {
  const ga__block turned = ga__block_turned(a);
  const ga__reflectors q = ga__factor_qr(f, &turned, y->n);
  const ga__block r = ga__block_part(&turned, 0, 0, a->m, a->m);
  const ga__block lower = ga__block_adjoint(&r);
  const ga__block x = ga__block_part(y, 0, 0, a->m, y->n);

  ga__factor_forward(f, &lower, &x, 0);
  ga__factor_reflect(f, &q, y, 0, 0);
}

static void add(ga__factor *f, const ga__factor_array *o, int flags) {
  const unsigned int nd = o[A].array->nd;
  const size_t m = o[A].array->dimensions[nd - 2],
               n = o[A].array->dimensions[nd - 1],
               r = o[B].array->dimensions[nd - 1];
  const ga__block a = ga__factor_work(f, m, n);
  const ga__block conjugate = ga__block_conjugate(&a);
  const ga__block y = ga__factor_work(f, ga__at_least(m, n), r);
  const ga__block b = ga__block_part(&y, 0, 0, m, r);
  const ga__block rest = ga__block_part(&y, m, 0, y.m - m, r);
  const ga__block x = ga__block_part(&y, 0, 0, n, r);
  const ga__block to = ga__factor_place(f, &o[X]);
  const double mn = (double)m * (double)n, least = (double)(m < n ? m : n);

  (void)flags;
  ga__factor_fetch(f, m < n ? &conjugate : &a, &o[A], &o[A], GA_TRIANGLE_ALL);
  ga__factor_fetch(f, &b, &o[B], &o[B], GA_TRIANGLE_ALL);
  ga__factor_zero(f, &rest);
  if (m >= n)
    solve_tall(f, &a, &y);
  else
    solve_wide(f, &a, &y);
  ga__factor_copy(f, &x, &to, GA_TRIANGLE_ALL);
  ga__factor_store(f, &o[X], &to);
  ga__factor_cost(f, 4 * (double)f->batch * mn * (double)a.size,
                  (double)f->batch * 2 * mn * (least + 2 * (double)r));
}

static int make(GpuArray *const *to, const ga__factor_array *o, int flags) {
  const GpuArray *const a = o[A].array, *const b = o[B].array;
  size_t dims[GA_ND_MAX];

  (void)flags;
  GA_TRY(ga__factor_check(&o[B], &o[A], 0));
  for (unsigned int d = 0; d < b->nd; d++)
    dims[d] = b->dimensions[d];
  dims[b->nd - 2] = a->dimensions[a->nd - 1];
  return ga__factor_make(to[X], a, a->typecode, a->nd, dims);
}

static const ga__factor_family family = {.name = "lstsq",
                                         .arrays = {"a", "b", "x"},
                                         .n_in = X,
                                         .n_slots = SLOTS,
                                         .needed = X,
                                         .check = check,
                                         .make = make,
                                         .add = add};

int GpuArray_lstsq_prepare(GpuLaunch **out, GpuArray *x, const GpuArray *a,
                           const GpuArray *b) {
  return ga__factor_prepare(out, &family, (const GpuArray *[]){a, b, x}, 0);
}

int GpuArray_lstsq(GpuArray *x, const GpuArray *a, const GpuArray *b) {
  return ga__factor_call(&family, (const GpuArray *[]){a, b}, &x, 0);
}
