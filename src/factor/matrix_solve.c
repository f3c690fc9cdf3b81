/* SPDX-License-Identifier: BSD-2-Clause */
/* Solving with matrices, and inverses: factor a copy, and solve with it. */
#include "array/overlap.h"
#include "factor/lapack.h"

enum { A, B, X, INFO, SLOTS };
enum {
  TRANS = GA_FACTOR_TRANS | GA_FACTOR_CONJ_TRANS,
  MIRRORED = GA_FACTOR_SYMMETRIC | GA_FACTOR_HERMITIAN,
  KINDS = GA_FACTOR_POSITIVE | GA_FACTOR_TRIANGULAR | MIRRORED,
  FLAGS = KINDS | GA_FACTOR_UPPER | GA_FACTOR_UNIT | TRANS,
  INVERSE_FLAGS = GA_FACTOR_POSITIVE | GA_FACTOR_UPPER
};

void ga__factor_cholesky_solve(ga__factor *f, const ga__block *l,
                               const ga__block *x) {
  const ga__block adjoint = ga__block_adjoint(l);

  ga__factor_forward(f, l, x, 0);
  ga__factor_backward(f, &adjoint, x, 0);
}

/* --- checks --- */

/* Check that there is at most one kind of matrix, and what goes with it. */
static int check_kind(int flags) {
  const int kind = flags & KINDS;

  if (kind & (kind - 1))
    return ga__fail(GA_VALUE_ERROR, "flags %#x: more than one kind of matrix",
                    (unsigned int)flags);
  if ((flags & GA_FACTOR_UPPER) && kind == 0)
    return ga__fail(GA_VALUE_ERROR,
                    "flags %#x: upper is for matrices of which one triangle is "
                    "read",
                    (unsigned int)flags);
  if ((flags & GA_FACTOR_UNIT) && kind != GA_FACTOR_TRIANGULAR)
    return ga__fail(GA_VALUE_ERROR,
                    "flags %#x: unit is for triangular matrices",
                    (unsigned int)flags);
  return GA_NO_ERROR;
}

static int check_matrix(const ga__factor_array *o, int flags, int known) {
  const GpuArray *const a = o[A].array;

  GA_TRY(ga__factor_check_square(&o[A]));
  if (a->dimensions[a->nd - 1] > INT32_MAX)
    return ga__fail(GA_VALUE_ERROR, "a: %zu rows, at most %d",
                    a->dimensions[a->nd - 1], INT32_MAX);
  GA_TRY(ga__factor_check_flags(flags, known));
  GA_TRY(check_kind(flags));
  GA_TRY(ga__factor_check(&o[X], &o[A], 1));
  GA_TRY(ga__factor_check_ints(&o[INFO], &o[A], 1, 0, 0));
  GA_TRY(ga__factor_check_apart(&o[INFO], &o[A], 0));
  return ga__factor_check_apart(&o[INFO], &o[X], 0);
}

static int check_solve(const ga__factor_array *o, int flags) {
  GA_TRY(check_matrix(o, flags, FLAGS));
  GA_TRY(ga__factor_check(&o[B], &o[A], 0));
  const GpuArray *const a = o[A].array, *const b = o[B].array;
  const size_t n = a->dimensions[a->nd - 1], r = b->dimensions[b->nd - 1];
  GA_TRY(ga__factor_check_sizes(&o[B], n, r));
  GA_TRY(ga__factor_check_sizes(&o[X], n, r));
  GA_TRY(ga__factor_check_apart(&o[INFO], &o[B], 0));
  GA_TRY(ga__factor_check_apart(&o[X], &o[A], 0));
  return ga__factor_check_apart(&o[X], &o[B], 1);
}

static int check_inverse(const ga__factor_array *o, int flags) {
  GA_TRY(check_matrix(o, flags, INVERSE_FLAGS));
  const size_t n = o[A].array->dimensions[o[A].array->nd - 1];
  GA_TRY(ga__factor_check_sizes(&o[X], n, n));
  return ga__factor_check_apart(&o[X], &o[A], 1);
}

/* --- launches --- */

/* Where b is, or the identity. */
static void fetch_right(ga__factor *f, const ga__block *x,
                        const ga__factor_array *o) {
  if (o[B].array != NULL)
    ga__factor_fetch(f, x, &o[X], &o[B], GA_TRIANGLE_ALL);
  else
    ga__factor_identity(f, x);
}

/* Copy the matrix to a. If one triangle is read, the other one becomes its
 * mirror image. */
static void fetch_matrix(ga__factor *f, const ga__block *a,
                         const ga__factor_array *from, int flags) {
  const int is_hermitian = (flags & GA_FACTOR_HERMITIAN) && f->is_complex;

  if (!(flags & MIRRORED)) {
    ga__factor_fetch(f, a, from, from, GA_TRIANGLE_ALL);
    return;
  }
  const ga__block given = ga__factor_work(f, a->m, a->n);
  const ga__block turned = ga__block_turned(&given), to = ga__block_turned(a);
  const int is_upper = (flags & GA_FACTOR_UPPER) != 0;

  ga__factor_fetch(f, &given, from, from, GA_TRIANGLE_ALL);
  ga__factor_copy(f, is_upper ? &turned : &given, is_upper ? &to : a,
                  is_hermitian ? GA_TRIANGLE_HERMITIAN : GA_TRIANGLE_SYMMETRIC);
}

/* Where A is a triangle. */
static ga__block solve_triangle(ga__factor *f, const ga__factor_array *o,
                                int flags) {
  const ga__block a = ga__factor_place(f, &o[A]);
  const ga__block x = ga__factor_place(f, &o[X]);

  ga__factor_fetch(f, &a, &o[A], &o[A], GA_TRIANGLE_ALL);
  fetch_right(f, &x, o);
  ga__factor_triangle(f, a, x, flags & ~GA_FACTOR_TRIANGULAR);
  ga__factor_info(f);
  ga__factor_zero_ints(f, f->info, 1);
  return x;
}

/* By LU factors of the matrix with b at its right, so that these are solved for
 * with L on the way. */
static ga__block solve_beside(ga__factor *f, const ga__factor_array *o,
                              int flags) {
  const size_t *const dims = o[X].array->dimensions + o[X].array->nd - 2;
  const size_t n = dims[0], r = dims[1];
  const ga__block both = ga__factor_work_panels(f, n, n + r);
  const ga__block a = ga__block_part(&both, 0, 0, n, n);
  const ga__block x = ga__block_part(&both, 0, n, n, r);

  fetch_matrix(f, &a, &o[A], flags);
  fetch_right(f, &x, o);
  ga__factor_lu(f, &both);
  ga__factor_triangle(f, a, x, GA_FACTOR_UPPER);
  return x;
}

/* By factors of a copy of the matrix, with which x is solved for. */
static ga__block solve_apart(ga__factor *f, const ga__factor_array *o,
                             int flags) {
  const size_t n = o[A].array->dimensions[o[A].array->nd - 1];
  const int is_positive = (flags & GA_FACTOR_POSITIVE) != 0;
  const ga__block a =
      is_positive ? ga__factor_work(f, n, n) : ga__factor_work_panels(f, n, n);
  const ga__block l = flags & GA_FACTOR_UPPER ? ga__block_adjoint(&a) : a;
  const ga__block x = ga__factor_place(f, &o[X]);

  fetch_matrix(f, &a, &o[A], flags);
  fetch_right(f, &x, o);
  if (is_positive) {
    /* The transpose of the matrix is its conjugate. */
    const ga__block other = ga__block_conjugate(&l);

    ga__factor_cholesky(f, &l);
    ga__factor_cholesky_solve(f, flags & GA_FACTOR_TRANS ? &other : &l, &x);
  } else {
    const ga__pivots p = ga__factor_lu(f, &a);
    ga__factor_lu_solve(f, &a, &p, &x, flags);
  }
  return x;
}

/* Whether LAPACK inverts the matrix. */
static int is_for_lapack(const ga__factor *f, const ga__factor_array *o,
                         int flags) {
  const size_t n = o[X].array->dimensions[o[X].array->nd - 1];

  return o[B].array == NULL && !(flags & GA_FACTOR_POSITIVE) &&
         ga__factor_is_plain(&o[A]) && ga__lapack_takes_inverse(f, n);
}

/* Rows of a result without gaps hold the copy, if A stays elsewhere. */
static ga__block invert_by_lapack(ga__factor *f, const ga__factor_array *o) {
  const ga__block given = ga__factor_block(&o[A]);
  ga__block x = ga__factor_place(f, &o[X]);

  if (ga__arrays_same(o[X].array, o[A].array) || x.cs != 1 ||
      x.rs != (ptrdiff_t)x.n)
    x = ga__factor_work(f, given.n, given.n);
  ga__factor_fetch(f, &x, &o[X], &o[A], GA_TRIANGLE_ALL);
  ga__lapack_inverse(f, &x, &given);
  return x;
}

static ga__block solve(ga__factor *f, const ga__factor_array *o, int flags) {
  if (flags & GA_FACTOR_TRIANGULAR)
    return solve_triangle(f, o, flags);
  if (is_for_lapack(f, o, flags))
    return invert_by_lapack(f, o);
  return flags & (GA_FACTOR_POSITIVE | TRANS) ? solve_apart(f, o, flags)
                                              : solve_beside(f, o, flags);
}

static void add(ga__factor *f, const ga__factor_array *o, int flags) {
  const ga__block x = solve(f, o, flags);
  const double n = (double)x.m, elements = n * (double)x.n;
  const double third = flags & GA_FACTOR_POSITIVE ? 1 : 2;

  ga__factor_store(f, &o[X], &x);
  ga__factor_store_ints(f, &o[INFO], f->info, 1, 0);
  ga__factor_cost(f, (double)f->batch * (double)x.size * (n * n + 2 * elements),
                  (double)f->batch *
                      (third * n * n * n / 3 + 2 * n * elements));
}

/* `b` may be the matrix itself. */
static int make(GpuArray *const *to, const ga__factor_array *o,
                const ga__factor_array *b) {
  const GpuArray *const a = o[A].array;

  GA_TRY(ga__factor_make_solution(to[X], &o[A], b));
  return ga__factor_make(to[INFO], a, GA_INT, a->nd - 2, a->dimensions);
}

static int make_solution(GpuArray *const *to, const ga__factor_array *o,
                         int flags) {
  (void)flags;
  return make(to, o, &o[B]);
}

static int make_inverse(GpuArray *const *to, const ga__factor_array *o,
                        int flags) {
  (void)flags;
  return make(to, o, &o[A]);
}

static const ga__factor_family solve_family = {
    .name = "solve",
    .arrays = {"a", "b", "x", "info"},
    .n_in = X,
    .n_slots = SLOTS,
    .needed = X,
    .check = check_solve,
    .make = make_solution,
    .add = add};

/* It has no b. */
static const ga__factor_family inverse_family = {
    .name = "inverse",
    .arrays = {"a", "b", "x", "info"},
    .n_in = X,
    .n_slots = SLOTS,
    .needed = X,
    .check = check_inverse,
    .make = make_inverse,
    .add = add};

int GpuArray_solve_prepare(GpuLaunch **out, GpuArray *x, GpuArray *info,
                           const GpuArray *a, const GpuArray *b, int flags) {
  return ga__factor_prepare(out, &solve_family,
                            (const GpuArray *[]){a, b, x, info}, flags);
}

int GpuArray_inverse_prepare(GpuLaunch **out, GpuArray *x, GpuArray *info,
                             const GpuArray *a, int flags) {
  return ga__factor_prepare(out, &inverse_family,
                            (const GpuArray *[]){a, NULL, x, info}, flags);
}

int GpuArray_solve(GpuArray *x, GpuArray *info, const GpuArray *a,
                   const GpuArray *b, int flags) {
  return ga__factor_call(&solve_family, (const GpuArray *[]){a, b},
                         (GpuArray *[]){x, info}, flags);
}

int GpuArray_inverse(GpuArray *x, GpuArray *info, const GpuArray *a,
                     int flags) {
  return ga__factor_call(&inverse_family, (const GpuArray *[]){a, NULL},
                         (GpuArray *[]){x, info}, flags);
}
