/* SPDX-License-Identifier: BSD-2-Clause */
/** \file factor.h
 *  Factorisations of matrices, and solving with them.
 *
 *  Matrices are the last two axes of an array; the axes before them form a
 *  batch, [..., m, n]. All arrays of a call have the same leading sizes and lie
 *  in one context. They have one dtype, GA_FLOAT, GA_DOUBLE, GA_CFLOAT or
 *  GA_CDOUBLE, unless a function says otherwise; only eigenvalues and singular
 *  values of complex matrices are GA_FLOAT or GA_DOUBLE, as the parts are.
 *  Strides may be any. A result may be the same array as the operand that it
 *  replaces (same buffer, offset and strides): then the work is done in place.
 *  Other overlaps are GA_VALUE_ERROR.
 *
 *  `info` follows LAPACK: an int32 array [...] with 0 for each matrix that was
 *  factored, or the number, from 1, of the column at which that failed. It
 *  stays on the device, so no call waits. It may be NULL.
 *
 *  Errors: GA_INVALID_ERROR for missing arrays; GA_VALUE_ERROR for wrong ranks,
 *  sizes, dtypes, contexts, flags and overlaps; GA_UNSUPPORTED_ERROR for other
 *  dtypes; GA_READONLY_ERROR, GA_UNALIGNED_ERROR; GA_DEVSUP_ERROR for doubles
 *  on a device without them. Everything is checked before anything is enqueued.
 */
#ifndef GPUARRAY_FACTOR_H
#define GPUARRAY_FACTOR_H

#include <gpuarray/array.h>
#include <gpuarray/launch.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Flags. Each function says which it takes; of the two transposes at most
 *  one. */
enum {
  GA_FACTOR_UPPER = 1,       /**< the upper triangle instead of the lower one */
  GA_FACTOR_TRANS = 2,       /**< the transpose of the matrix */
  GA_FACTOR_RIGHT = 4,       /**< the matrix stands at the right: X A = B */
  GA_FACTOR_UNIT = 8,        /**< the diagonal counts as ones and is not read */
  GA_FACTOR_POSITIVE = 16,   /**< the matrix is symmetric, or Hermitian, and
                                positive definite */
  GA_FACTOR_TRIANGULAR = 32, /**< the matrix is triangular */
  GA_FACTOR_CONJ_TRANS = 64, /**< the conjugate transpose of the matrix; of a
                                real one the transpose */
  GA_FACTOR_SYMMETRIC = 128, /**< the matrix is symmetric: one triangle is
                                read */
  GA_FACTOR_HERMITIAN = 256  /**< the same of a Hermitian one, of which
                                imaginary parts on the diagonal do not count */
};

/** Prepare the Cholesky factor of symmetric positive definite matrices: A =
 *  L L^T, or U^T U with GA_FACTOR_UPPER. Of complex Hermitian ones: L L^H, or
 *  U^H U, where diagonals are real; imaginary parts on the diagonal of A do not
 *  count.
 *
 *  \param out  the launch, which the caller frees; NULL after a failure
 *  \param l    the factors; the other triangle becomes 0
 *  \param info 0, or the order of the leading minor that is not positive
 *              definite; then the factor is NaN from that row and column on
 *  \param a    [..., n, n]; only the triangle that `l` has is read
 *
 *  Slots: 0 `a`, 1 `l`, 2 `info`. */
GPUARRAY_PUBLIC int GpuArray_cholesky_prepare(GpuLaunch **out, GpuArray *l,
                                              GpuArray *info, const GpuArray *a,
                                              int flags);
/** The same at once, into new arrays in C order, which the caller clears;
 *  `info` may be NULL. Does not block. */
GPUARRAY_PUBLIC int GpuArray_cholesky(GpuArray *l, GpuArray *info,
                                      const GpuArray *a, int flags);

/** Prepare the gradient by matrices that have Cholesky factors, from the one by
 *  the factors: T = L^-H P L^-1, where P is symmetric or Hermitian, and its
 *  lower triangle is that of L^H G. If dL is the change of L that comes from a
 *  change dA of A = L L^H, the sum of G dL is half the sum of T dA; of complex
 *  numbers the real part of the sums with conjugates of G and T.
 *
 *  \param t     [..., n, n]; may be the same array as `g`
 *  \param l     the factors; the lower triangle is read, or the upper one with
 *               GA_FACTOR_UPPER: then A = U^H U
 *  \param g     the gradient by `l`; the same triangle is read
 *
 *  Slots: 0 `l`, 1 `g`, 2 `t`. */
GPUARRAY_PUBLIC int GpuArray_cholesky_gradient_prepare(GpuLaunch **out,
                                                       GpuArray *t,
                                                       const GpuArray *l,
                                                       const GpuArray *g,
                                                       int flags);
/** The same at once, into a new array in C order, which the caller clears.
 *  Does not block. */
GPUARRAY_PUBLIC int GpuArray_cholesky_gradient(GpuArray *t, const GpuArray *l,
                                               const GpuArray *g, int flags);

/** Prepare the solution of op(A) X = B, or X op(A) = B with GA_FACTOR_RIGHT,
 *  where A is triangular: the lower triangle, or with GA_FACTOR_UPPER the upper
 *  one; the other one is not read. op(A) is A, or with GA_FACTOR_TRANS its
 *  transpose, or with GA_FACTOR_CONJ_TRANS its conjugate transpose. Takes
 *  GA_FACTOR_UNIT.
 *
 *  \param x  the solutions, with the sizes of `b`; may be the same array as `b`
 *  \param a  [..., n, n]
 *  \param b  [..., n, r], or with GA_FACTOR_RIGHT [..., r, n]
 *
 *  A zero on the diagonal gives infinities or NaN. Slots: 0 `a`, 1 `b`, 2
 *  `x`. */
GPUARRAY_PUBLIC int GpuArray_triangular_solve_prepare(GpuLaunch **out,
                                                      GpuArray *x,
                                                      const GpuArray *a,
                                                      const GpuArray *b,
                                                      int flags);
/** The same at once, into a new array in C order, which the caller clears.
 *  Does not block. */
GPUARRAY_PUBLIC int GpuArray_triangular_solve(GpuArray *x, const GpuArray *a,
                                              const GpuArray *b, int flags);

/** Prepare LU factors with row exchanges: A = P L U, where L has ones on its
 *  diagonal, and both lie in one matrix. A pivot is the largest element of its
 *  column, or of complex ones that with the largest |re| + |im|, as in LAPACK.
 *
 *  \param lu     [..., m, n]: U in the upper triangle and on the diagonal, L
 *                below it
 *  \param pivots int32 [..., min(m, n)]: row i was exchanged with row
 *                pivots[i], from 0, one after the other; or NULL
 *  \param order  int32 [..., m]: the rows of A in the order of L U; or NULL
 *  \param info   0, or the number, from 1, of the first column whose pivot is
 *                exactly 0: U is singular then, but finite
 *  \param a      [..., m, n], m and n below 2^31
 *
 *  Slots: 0 `a`, 1 `lu`, 2 `pivots`, 3 `order`, 4 `info`. */
GPUARRAY_PUBLIC int GpuArray_lu_prepare(GpuLaunch **out, GpuArray *lu,
                                        GpuArray *pivots, GpuArray *order,
                                        GpuArray *info, const GpuArray *a);
/** The same at once, into new arrays in C order, which the caller clears;
 *  `pivots`, `order` and `info` may be NULL. Does not block. */
GPUARRAY_PUBLIC int GpuArray_lu(GpuArray *lu, GpuArray *pivots, GpuArray *order,
                                GpuArray *info, const GpuArray *a);

/** Prepare the solution of A X = B, or A^T X = B with GA_FACTOR_TRANS, or
 *  A^H X = B with GA_FACTOR_CONJ_TRANS, from the results `lu` [..., n, n] and
 *  `pivots` [..., n] of GpuArray_lu. X may be the same array as B, [..., n, r].
 *  Pivots that GpuArray_lu has not made, below 0 or beyond n, are clamped.
 *  Slots: 0 `lu`, 1 `pivots`, 2 `b`, 3 `x`. */
GPUARRAY_PUBLIC int GpuArray_lu_solve_prepare(GpuLaunch **out, GpuArray *x,
                                              const GpuArray *lu,
                                              const GpuArray *pivots,
                                              const GpuArray *b, int flags);
/** The same at once, into a new array in C order, which the caller clears. */
GPUARRAY_PUBLIC int GpuArray_lu_solve(GpuArray *x, const GpuArray *lu,
                                      const GpuArray *pivots, const GpuArray *b,
                                      int flags);

/** Prepare the solution of A X = B by LU factors, or by those of Cholesky with
 *  GA_FACTOR_POSITIVE: A is symmetric, or Hermitian, and positive definite, and
 *  one triangle is read (GA_FACTOR_UPPER). With GA_FACTOR_SYMMETRIC or
 *  GA_FACTOR_HERMITIAN, too, one triangle is read; LU factors of the whole
 *  matrix are computed. With GA_FACTOR_TRIANGULAR as for
 *  GpuArray_triangular_solve, and `info` is 0. With GA_FACTOR_TRANS the
 *  solution of A^T X = B, with GA_FACTOR_CONJ_TRANS that of A^H X = B.
 *
 *  \param x    the solutions; may be the same array as `b`
 *  \param info as for the factors, or NULL; where it is not 0, solutions are
 *              infinite or NaN
 *  \param a    [..., n, n]; copied to a workspace
 *  \param b    [..., n, r]
 *
 *  Slots: 0 `a`, 1 `b`, 2 `x`, 3 `info`. */
GPUARRAY_PUBLIC int GpuArray_solve_prepare(GpuLaunch **out, GpuArray *x,
                                           GpuArray *info, const GpuArray *a,
                                           const GpuArray *b, int flags);
/** The same at once, into new arrays in C order, which the caller clears;
 *  `info` may be NULL. Does not block. */
GPUARRAY_PUBLIC int GpuArray_solve(GpuArray *x, GpuArray *info,
                                   const GpuArray *a, const GpuArray *b,
                                   int flags);
/** Prepare the solution of A X = B, or with GA_FACTOR_TRANS of A^T X = B, or
 *  with GA_FACTOR_CONJ_TRANS of A^H X = B, for banded matrices, by LU factors
 *  with row exchanges. Takes complex dtypes.
 *
 *  \param x     the solutions; may be the same array as `b`
 *  \param info  0, or the number, from 1, of the first column whose pivot is
 *               exactly 0: solutions are infinite or NaN then; or NULL
 *  \param ab    [..., lower + upper + 1, n]: the diagonals of A as rows, the
 *               highest one first, as SciPy's solve_banded has them: row
 *               upper + i - j has element (i, j) in its column j. Elements
 *               outside A are not read.
 *  \param b     [..., n, r]
 *  \param lower the number of diagonals below the main one; that above it
 *               follows from the rows of `ab`
 *
 *  Slots: 0 `ab`, 1 `b`, 2 `x`, 3 `info`. */
GPUARRAY_PUBLIC int
GpuArray_solve_banded_prepare(GpuLaunch **out, GpuArray *x, GpuArray *info,
                              const GpuArray *ab, const GpuArray *b,
                              unsigned int lower, int flags);
/** The same at once, into new arrays as GpuArray_solve. */
GPUARRAY_PUBLIC int GpuArray_solve_banded(GpuArray *x, GpuArray *info,
                                          const GpuArray *ab, const GpuArray *b,
                                          unsigned int lower, int flags);
/** Prepare the inverses of matrices, by LU factors, or with GA_FACTOR_POSITIVE
 *  by those of Cholesky (GA_FACTOR_UPPER). `x` may be the same array as `a`.
 *  Slots: 0 `a`, 2 `x`, 3 `info`. */
GPUARRAY_PUBLIC int GpuArray_inverse_prepare(GpuLaunch **out, GpuArray *x,
                                             GpuArray *info, const GpuArray *a,
                                             int flags);
/** The same at once, into new arrays as GpuArray_solve. */
GPUARRAY_PUBLIC int GpuArray_inverse(GpuArray *x, GpuArray *info,
                                     const GpuArray *a, int flags);

/** Prepare QR factors: A = Q R, where the columns of Q are orthonormal and R is
 *  upper triangular. Signs of the diagonal of R are those of LAPACK. Takes
 *  complex dtypes; the diagonal of R is real then.
 *
 *  \param q [..., m, k]; or NULL
 *  \param r [..., k, n]; or NULL. k is min(m, n), or m for full factors; at
 *           least one is not NULL, and decides
 *  \param a [..., m, n]
 *
 *  Slots: 0 `a`, 1 `q`, 2 `r`. Neither result may overlap `a`. */
GPUARRAY_PUBLIC int GpuArray_qr_prepare(GpuLaunch **out, GpuArray *q,
                                        GpuArray *r, const GpuArray *a);
/** The same at once, into new arrays in C order, which the caller clears; `q`
 *  or `r` may be NULL. Factors are full if `full` is not 0. Does not block. */
GPUARRAY_PUBLIC int GpuArray_qr(GpuArray *q, GpuArray *r, const GpuArray *a,
                                int full);

/** Prepare QR factors with column pivots: A P = Q R, where the absolute values
 *  of the diagonal of R do not increase. Each step takes the column with the
 *  largest norm below the rows that are done, the first of equal ones, as
 *  LAPACK's geqp3 does. A column with an element that is not finite comes
 *  first. So the rank of A is the number of elements of the diagonal that are
 *  not negligible. Takes complex dtypes; the diagonal of R is real then.
 *
 *  \param q     as for GpuArray_qr_prepare
 *  \param r     likewise
 *  \param order int32 [..., n]: the columns of A in the order of R: column i of
 *               Q R is column order[i] of A; or NULL
 *  \param a     [..., m, n], n below 2^31
 *
 *  Slots: 0 `a`, 1 `q`, 2 `r`, 3 `order`. At least one result is not NULL; none
 *  may overlap another one or `a`. */
GPUARRAY_PUBLIC int GpuArray_qr_pivoted_prepare(GpuLaunch **out, GpuArray *q,
                                                GpuArray *r, GpuArray *order,
                                                const GpuArray *a);
/** The same at once, into new arrays as GpuArray_qr. */
GPUARRAY_PUBLIC int GpuArray_qr_pivoted(GpuArray *q, GpuArray *r,
                                        GpuArray *order, const GpuArray *a,
                                        int full);

/** Prepare least squares: X with the least |A X - B|, or, if A has fewer rows
 *  than columns, the X with the least norm that solves A X = B. A has full
 *  rank; otherwise X is large, infinite or NaN, and the call does not fail. For
 *  matrices of any rank, gg_pinv (gpugraph/linalg.h) gives the shortest X.
 *  Takes complex dtypes.
 *
 *  \param x [..., n, r]
 *  \param a [..., m, n]
 *  \param b [..., m, r]
 *
 *  Slots: 0 `a`, 1 `b`, 2 `x`, which overlaps neither. */
GPUARRAY_PUBLIC int GpuArray_lstsq_prepare(GpuLaunch **out, GpuArray *x,
                                           const GpuArray *a,
                                           const GpuArray *b);
/** The same at once, into a new array in C order, which the caller clears. */
GPUARRAY_PUBLIC int GpuArray_lstsq(GpuArray *x, const GpuArray *a,
                                   const GpuArray *b);

/** Prepare eigenvalues and eigenvectors of symmetric matrices, or of Hermitian
 *  ones with a complex dtype: A = V diag(w) V^H. A matrix with an element that
 *  is not finite has NaN for results.
 *
 *  \param w [..., n], ascending; of real numbers, also for complex `a`
 *  \param v [..., n, n], orthonormal columns in the order of `w`; or NULL. Of
 *           the elements of a column that are nearly the largest, the first is
 *           real and positive. May be the same array as `a`.
 *  \param a [..., n, n]; the lower triangle is read, or with GA_FACTOR_UPPER
 *           the upper one, and of the diagonal the real part
 *
 *  Slots: 0 `a`, 1 `w`, 2 `v`. */
GPUARRAY_PUBLIC int GpuArray_eigh_prepare(GpuLaunch **out, GpuArray *w,
                                          GpuArray *v, const GpuArray *a,
                                          int flags);
/** The same at once, into new arrays in C order, which the caller clears; `v`
 *  may be NULL. Does not block. */
GPUARRAY_PUBLIC int GpuArray_eigh(GpuArray *w, GpuArray *v, const GpuArray *a,
                                  int flags);

/** Prepare eigenvalues and right eigenvectors of square matrices that need not
 *  be symmetric: A V = V diag(w). Results are complex: GA_CFLOAT for GA_FLOAT
 *  and GA_CFLOAT, GA_CDOUBLE for GA_DOUBLE and GA_CDOUBLE. A matrix with an
 *  element that is not finite has NaN for results, and so has one whose
 *  eigenvalues are not found in 30 steps for each, which is not known to
 *  happen.
 *
 *  \param w [..., n], in no particular order
 *  \param v [..., n, n], columns of norm 1 in the order of `w`; or NULL. Of the
 *           elements of a column that are nearly the largest, the first is real
 *           and positive. If a matrix has fewer independent eigenvectors than
 *           columns, some columns are nearly equal. May be the same array as a
 *           complex `a`.
 *  \param a [..., n, n], real or complex
 *
 *  Slots: 0 `a`, 1 `w`, 2 `v`. */
GPUARRAY_PUBLIC int GpuArray_eig_prepare(GpuLaunch **out, GpuArray *w,
                                         GpuArray *v, const GpuArray *a);
/** The same at once, into new arrays in C order, which the caller clears; `v`
 *  may be NULL. Does not block. */
GPUARRAY_PUBLIC int GpuArray_eig(GpuArray *w, GpuArray *v, const GpuArray *a);

/** Prepare singular values and vectors: A = U diag(s) V^H. A matrix with an
 *  element that is not finite has NaN for results. Takes complex dtypes.
 *
 *  \param u  [..., m, k], orthonormal columns; or NULL
 *  \param s  [..., min(m, n)], descending; of real numbers, also for complex
 *            `a`
 *  \param vt [..., k, n], orthonormal rows; or NULL. k is min(m, n), or for
 *            full vectors m in `u` and n in `vt`
 *  \param a  [..., m, n]
 *
 *  Of the elements of a right vector that are nearly the largest, the first is
 *  positive, and real up to rounding; if m < n, of a left one. Slots: 0 `a`, 1
 *  `u`, 2 `s`, 3 `vt`. None may overlap another one. */
GPUARRAY_PUBLIC int GpuArray_svd_prepare(GpuLaunch **out, GpuArray *u,
                                         GpuArray *s, GpuArray *vt,
                                         const GpuArray *a);
/** The same at once, into new arrays in C order, which the caller clears; `u`
 *  or `vt` may be NULL. Vectors are full if `full` is not 0. Does not block. */
GPUARRAY_PUBLIC int GpuArray_svd(GpuArray *u, GpuArray *s, GpuArray *vt,
                                 const GpuArray *a, int full);

#ifdef __cplusplus
}
#endif

#endif
