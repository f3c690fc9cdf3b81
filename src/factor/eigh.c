/* SPDX-License-Identifier: BSD-2-Clause */
/* Eigenvalues and eigenvectors of Hermitian matrices: by LAPACK where it is
 * there and the device computes on the host's memory; else by Jacobi's method,
 * on GPUs from both sides. For that a multiple of the identity makes the matrix
 * positive definite. From one side, the orthogonal rows that rotations make of
 * it are its eigenvectors, as conjugates, times its eigenvalues. */
#include "base/arith.h"
#include "base/dtype.h"
#include "factor/jacobi.h"
#include "factor/lapack.h"

enum { A, VALUES, VECTORS, SLOTS };

static int check(const ga__factor_array *o, int flags) {
  const GpuArray *const a = o[A].array;

  GA_TRY(ga__factor_check_square(&o[A]));
  const size_t n = a->dimensions[a->nd - 1];
  if (n > INT32_MAX)
    return ga__fail(GA_VALUE_ERROR, "a: %zu rows, at most %d", n, INT32_MAX);
  GA_TRY(ga__factor_check_flags(flags, GA_FACTOR_UPPER));
  GA_TRY(ga__factor_check_vector(&o[VALUES], &o[A], n));
  GA_TRY(ga__factor_check_apart(&o[VALUES], &o[A], 0));
  if (o[VECTORS].array == NULL)
    return GA_NO_ERROR;
  GA_TRY(ga__factor_check(&o[VECTORS], &o[A], 1));
  GA_TRY(ga__factor_check_sizes(&o[VECTORS], n, n));
  GA_TRY(ga__factor_check_apart(&o[VECTORS], &o[A], 1));
  return ga__factor_check_apart(&o[VALUES], &o[VECTORS], 0);
}

/* The values that belong to the vectors, which are rows: v^H A v, whose error
 * is less than that of the norm of a row. Those of other rows are NaN. `work`
 * is a workspace. */
static ga__block find_values(ga__factor *f, const ga__block *rows,
                             const ga__block *a, const ga__block *work) {
  const ga__block values = ga__jacobi_vector(f, rows->m);

  ga__factor_multiply(f, rows, a, work);
  ga__jacobi_values(f, work, rows, &values, GA_JACOBI_PRODUCT);
  return values;
}

static void add_lapack(ga__factor *f, const ga__factor_array o[SLOTS],
                       int flags) {
  const size_t n = o[A].array->dimensions[o[A].array->nd - 1];
  const ga__block a = ga__factor_work(f, n, n), w = ga__jacobi_vector(f, n);
  const ga__block turned = ga__block_adjoint(&a);

  ga__factor_fetch(f, &a, &o[A], &o[A], GA_TRIANGLE_ALL);
  ga__lapack_eigh(f, &a, &w, flags & GA_FACTOR_UPPER, o[VECTORS].array != NULL);
  ga__factor_store_vector(f, &o[VALUES], &w);
  if (o[VECTORS].array != NULL) {
    const ga__block to = ga__factor_place(f, &o[VECTORS]);

    ga__jacobi_sign(f, &a, n, 0);
    ga__factor_copy(f, &turned, &to, GA_TRIANGLE_ALL);
    ga__factor_store(f, &o[VECTORS], &to);
  }
}

/* The conjugates of the eigenvectors of a as rows, among which may be zeros. */
static ga__block find_vectors(ga__factor *f, const ga__block *a) {
  const size_t n = a->n;

  if (ga__jacobi_suits_both(f))
    return ga__jacobi_both(f, a);
  const ga__jacobi j = ga__jacobi_open(f, n, n, n);
  const ga__block rows = ga__block_part(&j.rows, 0, 0, n, n);

  ga__factor_copy(f, a, &rows, GA_TRIANGLE_ALL);
  ga__jacobi_shift(f, &rows);
  ga__jacobi_rotate(f, &j);
  return j.rows;
}

static void add_jacobi(ga__factor *f, const ga__factor_array o[SLOTS],
                       int flags) {
  const size_t n = o[A].array->dimensions[o[A].array->nd - 1];
  const ga__block a = ga__factor_work(f, n, n),
                  given = ga__factor_work(f, n, n);
  const ga__block adjoint = ga__block_adjoint(&given);

  ga__factor_fetch(f, flags & GA_FACTOR_UPPER ? &adjoint : &given, &o[A], &o[A],
                   GA_TRIANGLE_ALL);
  const ga__block most = ga__jacobi_scale(f, &given, &a, 1);
  const ga__block rows = find_vectors(f, &a);
  const ga__block work = ga__factor_work(f, rows.m, n);

  ga__jacobi_sign(f, &rows, n, 1);
  const ga__block values = find_values(f, &rows, &a, &work);
  ga__jacobi_store_values(f, &o[VALUES], &values, &most, 0);
  if (o[VECTORS].array != NULL) {
    const ga__block to = ga__factor_place(f, &o[VECTORS]);
    const ga__block vectors = ga__block_conjugate(&rows);

    ga__jacobi_place(f, &vectors, &values, &to, 0);
    ga__factor_store(f, &o[VECTORS], &to);
  }
}

static void add(ga__factor *f, const ga__factor_array *o, int flags) {
  const size_t rows = o[A].array->dimensions[o[A].array->nd - 1];
  const double n = (double)rows, batch = (double)f->batch;

  if (ga__lapack_serves(f, rows, rows))
    add_lapack(f, o, flags);
  else
    add_jacobi(f, o, flags);
  ga__factor_cost(f, batch * 3 * n * n * (double)GpuArray_ITEMSIZE(o[A].array),
                  batch * 9 * n * n * n);
}

static int make(GpuArray *const *to, const ga__factor_array *o, int flags) {
  const GpuArray *const a = o[A].array;

  (void)flags;
  GA_TRY(ga__factor_check_square(&o[A]));
  GA_TRY(ga__factor_make(to[VALUES], a, ga__dtype_real(a->typecode), a->nd - 1,
                         a->dimensions));
  return ga__factor_make(to[VECTORS], a, a->typecode, a->nd, a->dimensions);
}

static const ga__factor_family family = {.name = "eigh",
                                         .arrays = {"a", "w", "v"},
                                         .n_in = VALUES,
                                         .n_slots = SLOTS,
                                         .needed = VALUES,
                                         .check = check,
                                         .make = make,
                                         .add = add};

int GpuArray_eigh_prepare(GpuLaunch **out, GpuArray *w, GpuArray *v,
                          const GpuArray *a, int flags) {
  return ga__factor_prepare(out, &family, (const GpuArray *[]){a, w, v}, flags);
}

int GpuArray_eigh(GpuArray *w, GpuArray *v, const GpuArray *a, int flags) {
  return ga__factor_call(&family, &a, (GpuArray *[]){w, v}, flags);
}
