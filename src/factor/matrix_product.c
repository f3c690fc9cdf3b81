/* SPDX-License-Identifier: BSD-2-Clause */
/* Products of matrices, in batches of any strides. */
#include "factor/matrix.h"

#include "base/arith.h"

enum { A, B, C, SLOTS };

/* Set the sizes of the result, and that of the sums. */
static void find_sizes(const ga__factor_array *o, int flags, size_t *m,
                       size_t *n, size_t *depth) {
  const GpuArray *const a = o[A].array, *const b = o[B].array;
  const unsigned int row = a->nd - 2, column = a->nd - 1;
  const int is_turned = (flags & GA_FACTOR_CONJ_TRANS) != 0;

  *m = a->dimensions[is_turned ? column : row];
  *depth = a->dimensions[is_turned ? row : column];
  *n = b->dimensions[is_turned ? row : column];
}

static int check(const ga__factor_array *o, int flags) {
  size_t m, n, depth;

  GA_TRY(ga__factor_check(&o[B], &o[A], 0));
  find_sizes(o, flags, &m, &n, &depth);
  GA_TRY(flags & GA_FACTOR_CONJ_TRANS
             ? ga__factor_check_sizes(&o[B], n, depth)
             : ga__factor_check_sizes(&o[B], depth, n));
  GA_TRY(ga__factor_check(&o[C], &o[A], 1));
  return ga__factor_check_sizes(&o[C], m, n);
}

static ga__block operand(ga__factor *f, const ga__factor_array *o, int flags) {
  const ga__block b = ga__factor_place(f, o);

  ga__factor_fetch(f, &b, o, o, GA_TRIANGLE_ALL);
  return ga__factor_op(&b, flags);
}

static void add(ga__factor *f, const ga__factor_array *o, int flags) {
  const ga__block a = operand(f, &o[A], flags), b = operand(f, &o[B], flags);
  const ga__block c = ga__factor_place(f, &o[C]);
  const double m = (double)c.m, n = (double)c.n, depth = (double)a.n;

  ga__factor_multiply(f, &a, &b, &c);
  ga__factor_store(f, &o[C], &c);
  ga__factor_cost(
      f, (double)f->batch * (double)c.size * (m * depth + depth * n + m * n),
      (double)f->batch * 2 * m * n * depth);
}

static int make(GpuArray *const *to, const ga__factor_array *o, int flags) {
  const GpuArray *const a = o[A].array;
  size_t dims[GA_ND_MAX], m, n, depth;

  GA_TRY(ga__factor_check(&o[B], &o[A], 0));
  find_sizes(o, flags, &m, &n, &depth);
  for (unsigned int d = 0; d + 2 < a->nd; d++)
    dims[d] = a->dimensions[d];
  dims[a->nd - 2] = m;
  dims[a->nd - 1] = n;
  return ga__factor_make(to[C], a, a->typecode, a->nd, dims);
}

static const ga__factor_family family = {.name = "matrix_product",
                                         .arrays = {"a", "b", "c"},
                                         .n_in = C,
                                         .n_slots = SLOTS,
                                         .needed = C,
                                         .check = check,
                                         .make = make,
                                         .add = add};

int ga__matrix_multiply(GpuArray *c, const GpuArray *a, const GpuArray *b,
                        int flags) {
  return ga__factor_call(&family, (const GpuArray *[]){a, b}, &c, flags);
}
