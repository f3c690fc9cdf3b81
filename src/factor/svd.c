/* SPDX-License-Identifier: BSD-2-Clause */
/* Singular values and vectors: by LAPACK where it is there and the device
 * computes on the host's memory; else by Jacobi's method. For that a matrix
 * with at least as many rows as columns
 * is factored to Q R; then rows of R are rotated until they are orthogonal: J R
 * = S V^H, and A = Q J^H S V^H. Other matrices are transposed. V comes from QR
 * factors of V S, so that it is orthogonal for singular values of 0, too. The
 * right vectors of a transpose are conjugates of left ones, so it is conj(V)
 * that is stored either way: as V^H, or as the left vectors. */
#include "array/geometry.h"
#include "base/arith.h"
#include "base/dtype.h"
#include "factor/jacobi.h"
#include "factor/lapack.h"

enum { A, LEFT, VALUES, RIGHT, SLOTS };

static size_t rows_of(const GpuArray *a) {
  return a->dimensions[a->nd - 2];
}

static size_t columns_of(const GpuArray *a) {
  return a->dimensions[a->nd - 1];
}

/* The number of vectors of size n that an array with `have` is expected to
 * have: all, or the first `least`. */
static size_t wanted(size_t have, size_t n, size_t least) {
  return have == n ? n : least;
}

static int check_vectors(const ga__factor_array o[SLOTS], size_t m, size_t n) {
  const GpuArray *const u = o[LEFT].array, *const v = o[RIGHT].array;
  const size_t least = ga__at_most(m, n);

  if (u != NULL) {
    GA_TRY(ga__factor_check(&o[LEFT], &o[A], 1));
    GA_TRY(
        ga__factor_check_sizes(&o[LEFT], m, wanted(columns_of(u), m, least)));
  }
  if (v != NULL) {
    GA_TRY(ga__factor_check(&o[RIGHT], &o[A], 1));
    GA_TRY(ga__factor_check_sizes(&o[RIGHT], wanted(rows_of(v), n, least), n));
  }
  return GA_NO_ERROR;
}

static int check(const ga__factor_array *o, int flags) {
  const size_t m = rows_of(o[A].array), n = columns_of(o[A].array);

  (void)flags;
  if (ga__at_most(m, n) > INT32_MAX)
    return ga__fail(GA_VALUE_ERROR, "a: %zu x %zu, at most %d singular values",
                    m, n, INT32_MAX);
  GA_TRY(ga__factor_check_vector(&o[VALUES], &o[A], ga__at_most(m, n)));
  GA_TRY(check_vectors(o, m, n));
  for (unsigned int i = LEFT; i < SLOTS; i++)
    for (unsigned int k = A; k < i; k++)
      GA_TRY(ga__factor_check_apart(&o[i], &o[k], 0));
  return GA_NO_ERROR;
}

/* --- launches --- */

/* What is computed of a matrix with at least as many rows as columns. */
typedef struct work {
  ga__block a; /* its factors at last */
  ga__reflectors q;
  ga__jacobi j;
  ga__block keys; /* singular values, of rows of j */
  const ga__factor_array *left, *right;
  int is_turned; /* the matrix is the transpose */
} work;

static ga__block turned_if(const ga__block *b, int is_turned) {
  return is_turned ? ga__block_turned(b) : *b;
}

/* The columns of the left vectors. */
static size_t left_columns(const work *w) {
  const GpuArray *const u = w->left->array;

  return u == NULL ? 0 : w->is_turned ? rows_of(u) : columns_of(u);
}

/* Factor the matrix, and rotate the rows of R, behind which is the identity if
 * the rotations are wanted. */
static void rotate(ga__factor *f, work *w) {
  const size_t n = w->a.n, columns = left_columns(w);
  const size_t length = columns > 0 ? ga__times(n, 2) : n;

  w->q = ga__factor_qr(f, &w->a, columns);
  w->j = ga__jacobi_open(f, n, length, n);
  const ga__block r = ga__block_part(&w->a, 0, 0, n, n);
  const ga__block to = ga__block_part(&w->j.rows, 0, 0, n, n);
  ga__factor_copy(f, &r, &to, GA_TRIANGLE_UPPER);
  if (columns > 0) {
    const ga__block behind = ga__block_part(&w->j.rows, 0, n, n, n);
    ga__factor_identity(f, &behind);
  }
  ga__jacobi_rotate(f, &w->j);
  ga__jacobi_sign(f, &w->j.rows, n, 0);
}

static void find_keys(ga__factor *f, work *w) {
  const size_t n = w->a.n, rows = w->j.rows.m;
  const ga__block v = ga__block_part(&w->j.rows, 0, 0, rows, n);

  w->keys = ga__jacobi_vector(f, rows);
  if (left_columns(w) > 0) {
    const ga__block turns = ga__block_part(&w->j.rows, 0, n, rows, n);
    ga__jacobi_values(f, &v, &turns, &w->keys, GA_JACOBI_NORM_BESIDE);
  } else {
    ga__jacobi_values(f, &v, &v, &w->keys, GA_JACOBI_NORM);
  }
}

/* U = Q J^H, with further columns of Q. */
static void store_left(ga__factor *f, const work *w) {
  const size_t n = w->a.n, rows = w->j.rows.m;
  const ga__block behind = ga__block_part(&w->j.rows, 0, n, rows, n);
  const ga__block turns = ga__block_conjugate(&behind);
  const ga__block place = ga__factor_place(f, w->left);
  const ga__block u = turned_if(&place, w->is_turned);
  const ga__block first = ga__block_part(&u, 0, 0, n, n);

  ga__factor_identity(f, &u);
  ga__jacobi_place(f, &turns, &w->keys, &first, 1);
  ga__factor_reflect(f, &w->q, &u, 0, 0);
  ga__factor_store(f, w->left, &place);
}

/* conj(V), the reflectors of conj(V) S with the signs of its diagonal. */
static void store_right(ga__factor *f, const work *w) {
  const size_t n = w->a.n, rows = w->j.rows.m;
  const ga__block from = ga__block_part(&w->j.rows, 0, 0, rows, n);
  const ga__block vs = ga__factor_work(f, n, n);
  const ga__block place = ga__factor_place(f, w->right);
  const ga__block v = turned_if(&place, !w->is_turned);

  ga__jacobi_place(f, &from, &w->keys, &vs, 1);
  const ga__reflectors q = ga__factor_qr(f, &vs, n);
  ga__factor_identity(f, &v);
  ga__factor_reflect(f, &q, &v, 0, 1);
  ga__jacobi_flip(f, &v, &vs);
  ga__factor_store(f, w->right, &place);
}

static void add_jacobi(ga__factor *f, const ga__factor_array o[SLOTS]) {
  const size_t m = rows_of(o[A].array), n = columns_of(o[A].array);
  const ga__block a = ga__factor_work(f, m, n);
  const int is_wide = m < n;
  work w = {.a = turned_if(&a, is_wide),
            .left = is_wide ? &o[RIGHT] : &o[LEFT],
            .right = is_wide ? &o[LEFT] : &o[RIGHT],
            .is_turned = is_wide};

  ga__factor_fetch(f, &a, &o[A], &o[A], GA_TRIANGLE_ALL);
  const ga__block most = ga__jacobi_scale(f, &a, &a, 0);
  rotate(f, &w);
  find_keys(f, &w);
  ga__jacobi_store_values(f, &o[VALUES], &w.keys, &most, 1);
  if (w.left->array != NULL)
    store_left(f, &w);
  if (w.right->array != NULL)
    store_right(f, &w);
}

/* --- by LAPACK --- */

/* Left vectors are columns of u, right ones rows of vt. Where there is a
 * singular value, the pair of vectors gets its phase as one row: first the
 * vector that decides. The conjugate of the left one turns as the row of vt. */
static void choose_signs(ga__factor *f, const ga__block *u,
                         const ga__block *vt) {
  const size_t m = u->m, n = vt->n, least = ga__at_most(m, n);
  const ga__block rows = ga__factor_work(f, least, m + n);
  const ga__block columns = ga__block_part(u, 0, 0, m, least);
  const ga__block left = ga__block_turned(&columns);
  const ga__block right = ga__block_part(vt, 0, 0, least, n);
  const ga__block left_row = ga__block_part(&rows, 0, m < n ? 0 : n, least, m);
  const ga__block right_row = ga__block_part(&rows, 0, m < n ? m : 0, least, n);
  const ga__block conjugate = ga__block_conjugate(&left_row);

  ga__factor_copy(f, &left, &conjugate, GA_TRIANGLE_ALL);
  ga__factor_copy(f, &right, &right_row, GA_TRIANGLE_ALL);
  ga__jacobi_sign(f, &rows, least, 0);
  ga__factor_copy(f, &conjugate, &left, GA_TRIANGLE_ALL);
  ga__factor_copy(f, &right_row, &right, GA_TRIANGLE_ALL);
}

static void store_vectors(ga__factor *f, const ga__factor_array *to,
                          const ga__block *from) {
  if (to->array == NULL)
    return;
  const ga__block place = ga__factor_place(f, to);
  const ga__block part = ga__block_part(from, 0, 0, place.m, place.n);

  ga__factor_copy(f, &part, &place, GA_TRIANGLE_ALL);
  ga__factor_store(f, to, &place);
}

static void add_lapack(ga__factor *f, const ga__factor_array o[SLOTS]) {
  const GpuArray *const left = o[LEFT].array, *const right = o[RIGHT].array;
  const size_t m = rows_of(o[A].array), n = columns_of(o[A].array);
  const size_t least = ga__at_most(m, n);
  const int is_full = (left != NULL && columns_of(left) > least) ||
                      (right != NULL && rows_of(right) > least);
  const ga__block a = ga__factor_work(f, m, n), s = ga__jacobi_vector(f, least);

  ga__factor_fetch(f, &a, &o[A], &o[A], GA_TRIANGLE_ALL);
  if (left == NULL && right == NULL) {
    ga__lapack_svd(f, &a, &s, NULL, NULL);
  } else {
    const ga__block u = ga__factor_work(f, m, is_full ? m : least);
    const ga__block vt = ga__factor_work(f, is_full ? n : least, n);

    ga__lapack_svd(f, &a, &s, &u, &vt);
    choose_signs(f, &u, &vt);
    store_vectors(f, &o[LEFT], &u);
    store_vectors(f, &o[RIGHT], &vt);
  }
  ga__factor_store_vector(f, &o[VALUES], &s);
}

/* --- both --- */

/* Full vectors of matrices without elements: any basis. */
static void identities(ga__factor *f, const ga__factor_array o[SLOTS]) {
  for (unsigned int i = LEFT; i < SLOTS; i++) {
    if (i == VALUES || o[i].array == NULL || ga__array_total(o[i].array) == 0)
      continue;
    const ga__block to = ga__factor_place(f, &o[i]);
    ga__factor_identity(f, &to);
    ga__factor_store(f, &o[i], &to);
  }
}

static void add(ga__factor *f, const ga__factor_array *o, int flags) {
  const size_t rows = rows_of(o[A].array), columns = columns_of(o[A].array);
  const double m = (double)rows, n = (double)columns, least = m < n ? m : n;
  const double batch = (double)f->batch;

  (void)flags;
  if (rows == 0 || columns == 0)
    identities(f, o);
  else if (ga__lapack_serves(f, rows, columns))
    add_lapack(f, o);
  else
    add_jacobi(f, o);
  ga__factor_cost(f, batch * 4 * m * n * (double)GpuArray_ITEMSIZE(o[A].array),
                  batch * (4 * m * n + 17 * least * least) * least);
}

static int make(GpuArray *const *to, const ga__factor_array *o, int full) {
  const GpuArray *const a = o[A].array;
  const size_t m = rows_of(a), n = columns_of(a), least = ga__at_most(m, n);
  size_t dims[GA_ND_MAX];

  for (unsigned int d = 0; d + 2 < a->nd; d++)
    dims[d] = a->dimensions[d];
  dims[a->nd - 2] = least;
  GA_TRY(ga__factor_make(to[VALUES], a, ga__dtype_real(a->typecode), a->nd - 1,
                         dims));
  dims[a->nd - 2] = m;
  dims[a->nd - 1] = full ? m : least;
  GA_TRY(ga__factor_make(to[LEFT], a, a->typecode, a->nd, dims));
  dims[a->nd - 2] = full ? n : least;
  dims[a->nd - 1] = n;
  return ga__factor_make(to[RIGHT], a, a->typecode, a->nd, dims);
}

static const ga__factor_family family = {.name = "svd",
                                         .arrays = {"a", "u", "s", "vt"},
                                         .n_in = LEFT,
                                         .n_slots = SLOTS,
                                         .needed = VALUES,
                                         .check = check,
                                         .make = make,
                                         .add = add};

int GpuArray_svd_prepare(GpuLaunch **out, GpuArray *u, GpuArray *s,
                         GpuArray *vt, const GpuArray *a) {
  return ga__factor_prepare(out, &family, (const GpuArray *[]){a, u, s, vt}, 0);
}

int GpuArray_svd(GpuArray *u, GpuArray *s, GpuArray *vt, const GpuArray *a,
                 int full) {
  return ga__factor_call(&family, &a, (GpuArray *[]){u, s, vt}, full);
}
