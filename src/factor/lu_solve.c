/* SPDX-License-Identifier: BSD-2-Clause */
/* Solving with LU factors. */
#include "base/arith.h"
#include "factor/factor.h"

enum { LU, PIVOTS, B, X, SLOTS };

void ga__factor_lu_solve(ga__factor *f, const ga__block *lu,
                         const ga__pivots *p, const ga__block *x, int flags) {
  if (flags & (GA_FACTOR_TRANS | GA_FACTOR_CONJ_TRANS)) {
    const ga__block op = ga__factor_op(lu, flags);

    ga__factor_forward(f, &op, x, 0);
    ga__factor_backward(f, &op, x, 1);
    ga__factor_swap(f, x, p, 0, p->each, 1);
    return;
  }
  ga__factor_swap(f, x, p, 0, p->each, 0);
  ga__factor_forward(f, lu, x, 1);
  ga__factor_backward(f, lu, x, 0);
}

static int check(const ga__factor_array *o, int flags) {
  const GpuArray *const lu = o[LU].array, *const b = o[B].array;

  GA_TRY(ga__factor_check_square(&o[LU]));
  GA_TRY(ga__factor_check_flags(flags, GA_FACTOR_TRANS | GA_FACTOR_CONJ_TRANS));
  const size_t n = lu->dimensions[lu->nd - 1];
  if (n > INT32_MAX)
    return ga__fail(GA_VALUE_ERROR, "lu: %zu rows, at most %d", n, INT32_MAX);
  if (o[PIVOTS].array == NULL)
    return ga__fail(GA_INVALID_ERROR, "pivots: no array");
  GA_TRY(ga__factor_check_ints(&o[PIVOTS], &o[LU], 0, 1, n));
  GA_TRY(ga__factor_check(&o[B], &o[LU], 0));
  const size_t r = b->dimensions[b->nd - 1];
  GA_TRY(ga__factor_check_sizes(&o[B], n, r));
  GA_TRY(ga__factor_check(&o[X], &o[LU], 1));
  GA_TRY(ga__factor_check_sizes(&o[X], n, r));
  GA_TRY(ga__factor_check_apart(&o[X], &o[LU], 0));
  GA_TRY(ga__factor_check_apart(&o[X], &o[PIVOTS], 0));
  return ga__factor_check_apart(&o[X], &o[B], 1);
}

/* Pivots of the caller, copied and clamped. */
static ga__pivots take_pivots(ga__factor *f, const ga__factor_array *from) {
  const size_t each = from->array->dimensions[from->array->nd - 1];
  const size_t n = ga__times(f->batch, each);
  const ga__pivots p = {.work = ga__launch_works(f->l), .each = each};

  ga__launch_workspace(f->l, ga__times(n, sizeof(int32_t)));
  ga__factor_fetch_ints(f, p.work, from, each);
  ga__factor_clamp(f, p.work, n, each);
  return p;
}

static void add(ga__factor *f, const ga__factor_array *o, int flags) {
  const ga__block lu = ga__factor_place(f, &o[LU]);
  const ga__block x = ga__factor_place(f, &o[X]);
  const double n = (double)lu.n, elements = (double)x.m * (double)x.n;

  ga__factor_fetch(f, &lu, &o[LU], &o[LU], GA_TRIANGLE_ALL);
  ga__factor_fetch(f, &x, &o[X], &o[B], GA_TRIANGLE_ALL);
  const ga__pivots p = take_pivots(f, &o[PIVOTS]);
  ga__factor_lu_solve(f, &lu, &p, &x, flags);
  ga__factor_store(f, &o[X], &x);
  ga__factor_cost(f,
                  (double)f->batch * (double)lu.size * (n * n + 2 * elements),
                  2 * (double)f->batch * n * elements);
}

static int make(GpuArray *const *to, const ga__factor_array *o, int flags) {
  (void)flags;
  return ga__factor_make_solution(to[X], &o[LU], &o[B]);
}

static const ga__factor_family family = {.name = "lu_solve",
                                         .arrays = {"lu", "pivots", "b", "x"},
                                         .n_in = X,
                                         .n_slots = SLOTS,
                                         .needed = X,
                                         .check = check,
                                         .make = make,
                                         .add = add};

int GpuArray_lu_solve_prepare(GpuLaunch **out, GpuArray *x, const GpuArray *lu,
                              const GpuArray *pivots, const GpuArray *b,
                              int flags) {
  return ga__factor_prepare(out, &family,
                            (const GpuArray *[]){lu, pivots, b, x}, flags);
}

int GpuArray_lu_solve(GpuArray *x, const GpuArray *lu, const GpuArray *pivots,
                      const GpuArray *b, int flags) {
  return ga__factor_call(&family, (const GpuArray *[]){lu, pivots, b}, &x,
                         flags);
}
