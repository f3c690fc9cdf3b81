/* SPDX-License-Identifier: BSD-2-Clause */
/** \file linalg.h
 *  Factorisations of matrices, and solving with them.
 *
 *  Matrices are the last two axes of a variable; the axes before them form a
 *  batch, and are equal in all operands. float32, float64 and complex numbers
 *  are computed as they are, float16 and bfloat16 in float32, integers become
 *  float32. On error every function returns NULL and leaves the reason in the
 *  graph.
 *
 *  Nothing waits to find out whether a matrix can be factored: results that do
 *  not exist are NaN, or infinite, as each function says. GG_NAN_GUARD (func.h)
 *  finds the first one.
 */
#ifndef GPUGRAPH_LINALG_H
#define GPUGRAPH_LINALG_H

#include <gpuarray/factor.h>
#include <gpuarray/matrix.h>
#include <gpugraph/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The Cholesky factor of positive definite matrices, which are symmetric, or
 *  Hermitian if they are complex: L with A = L L^H, or U with A = U^H U if
 *  `flags` is GA_FACTOR_UPPER. Only that triangle of A is read, of its diagonal
 *  only the real part, and only they get a gradient. If a leading minor is not
 *  positive definite, the factor is NaN from its last row and column on. */
GG_PUBLIC gg_var *gg_cholesky(gg_var *a, int flags);
/** X with op(A) X = B, or with X op(A) = B, where A is triangular; `flags` as
 *  for GpuArray_triangular_solve (gpuarray/factor.h). B may have one axis less
 *  than A: then X and B are vectors. A zero on the diagonal gives infinities or
 *  NaN. */
GG_PUBLIC gg_var *gg_triangular_solve(gg_var *a, gg_var *b, int flags);
/** X with A X = B, where A = L L^H (or U^H U with GA_FACTOR_UPPER) and `l` is
 *  the factor. B may be a vector as for gg_triangular_solve. */
GG_PUBLIC gg_var *gg_cholesky_solve(gg_var *l, gg_var *b, int flags);

/** LU factors with row exchanges, of matrices of any sizes; results as for
 *  GpuArray_lu (gpuarray/factor.h). Each may be NULL. Pivots and order are
 *  int32 and have no gradient; `factors` has one where the first min(m, n)
 *  pivots are not 0. */
GG_PUBLIC int gg_lu(gg_var **factors, gg_var **pivots, gg_var **order,
                    gg_var *a);
/** X with A X = B. `flags` say what is known of A; nothing looks at its values:
 *
 *    0                      LU factors
 *    GA_FACTOR_POSITIVE     symmetric, or Hermitian, and positive definite: a
 *                           Cholesky factor; with GA_FACTOR_UPPER the upper
 *                           triangle is read
 *    GA_FACTOR_SYMMETRIC    symmetric, or GA_FACTOR_HERMITIAN: LU factors of
 *                           the matrix that one triangle says, the lower one
 *                           or with GA_FACTOR_UPPER the upper one
 *    GA_FACTOR_TRIANGULAR   lower, or upper with GA_FACTOR_UPPER; also
 *                           GA_FACTOR_UNIT
 *    GA_FACTOR_TRANS        A^T X = B, with all of these
 *    GA_FACTOR_CONJ_TRANS   A^H X = B, likewise
 *
 *  B may have one axis less than A: then X and B are vectors. A singular matrix
 *  gives infinities or NaN. */
GG_PUBLIC gg_var *gg_solve(gg_var *a, gg_var *b, int flags);
/** X with A X = B, or A^T X = B with GA_FACTOR_TRANS, or A^H X = B with
 *  GA_FACTOR_CONJ_TRANS, for banded matrices. The rows of `ab`,
 *  [..., lower + upper + 1, n], are the diagonals of A, as for
 *  GpuArray_solve_banded (gpuarray/factor.h). B may be a vector as for
 *  gg_solve. `ab` has a gradient if the number of its rows is known, and no
 *  diagonal lies outside A; elements outside A get 0. */
GG_PUBLIC gg_var *gg_solve_banded(gg_var *ab, gg_var *b, unsigned int lower,
                                  int flags);
/** The inverse; flags as for gg_solve. To solve is cheaper and more exact than
 *  to multiply by it. */
GG_PUBLIC gg_var *gg_inverse(gg_var *a, int flags);
/** The determinants of square matrices, [...]. The gradient consists of the
 *  cofactors, also for a singular matrix, whose second derivatives are NaN. */
GG_PUBLIC gg_var *gg_det(gg_var *a);
/** The signs of the determinants, -1, 0 or 1, or complex numbers of the size 1
 *  or 0; and the logarithms of their absolute values, which do not overflow and
 *  are real. Either may be NULL. */
GG_PUBLIC int gg_slogdet(gg_var **sign, gg_var **logdet, gg_var *a);

/** QR factors: A = Q R with orthonormal columns of Q. Q is [..., m, k] and R
 *  [..., k, n]; k is min(m, n), or m if `full`. Either may be NULL. The
 *  diagonal of R is real. They have gradients where the first min(m, n) columns
 *  of A do not depend on each other. Columns of Q beyond these are any basis of
 *  what is left: derivatives through them are right for results that do not
 *  depend on which, such as Q2 Q2^H, and leave it out in others. */
GG_PUBLIC int gg_qr(gg_var **q, gg_var **r, gg_var *a, int full);
/** The same with column pivots, as for GpuArray_qr_pivoted (gpuarray/factor.h):
 *  column i of Q R is column order[i] of A, and the absolute values of the
 *  diagonal of R do not increase. `order` is int32, [..., n]. Each may be NULL.
 *  Derivatives are those for an order that does not change, of matrices of full
 *  rank. */
GG_PUBLIC int gg_qr_pivoted(gg_var **q, gg_var **r, gg_var **order, gg_var *a,
                            int full);
/** The X with the least |A X - B|, for A of full rank. If A is known to have
 *  fewer rows than columns, the X with the least norm that solves A X = B. B
 *  may be a vector as for gg_solve. For A of any rank,
 *  gg_dot(gg_pinv(a, -1), b) is the shortest such X; it takes longer. */
GG_PUBLIC gg_var *gg_lstsq(gg_var *a, gg_var *b);

/** Eigenvalues `w`, [..., n], ascending and real, and orthonormal eigenvectors,
 *  the columns of `v`, of symmetric or Hermitian matrices, as for GpuArray_eigh
 *  (gpuarray/factor.h). Either may be NULL. The lower triangle is read, or with
 *  GA_FACTOR_UPPER the upper one, and only it gets a gradient. Vectors of equal
 *  eigenvalues are any basis: derivatives through them are not finite, unless
 *  they are exactly 0. Those through complex vectors are right for results that
 *  do not depend on their phases, such as V f(w) V^H. */
GG_PUBLIC int gg_eigh(gg_var **w, gg_var **v, gg_var *a, int flags);
/** The eigenvalues alone. A function computes no vectors that nothing reads. */
GG_PUBLIC gg_var *gg_eigvalsh(gg_var *a, int flags);

/** Eigenvalues `w`, [..., n], and right eigenvectors of norm 1, the columns of
 *  `v`, of square matrices that need not be symmetric, as for GpuArray_eig
 *  (gpuarray/factor.h): A V = V diag(w). Either may be NULL. `a` may be
 *  complex; the results always are, and their order is not specified, so debug
 *  mode does not compare them with the host's. Both have derivatives where
 *  eigenvalues differ; vectors follow the rule for their phases. Those of a
 *  matrix with too few eigenvectors are large, infinite or NaN. */
GG_PUBLIC int gg_eig(gg_var **w, gg_var **v, gg_var *a);
/** The eigenvalues alone. A function computes no vectors that nothing reads. */
GG_PUBLIC gg_var *gg_eigvals(gg_var *a);

/** Singular values `s`, [..., min(m, n)], descending and real, and vectors, as
 *  for GpuArray_svd (gpuarray/factor.h): A = U diag(s) V^H. Each may be NULL.
 *  `u` has min(m, n) columns and `vt` as many rows, or m and n if `full`.
 *  Vectors of equal values are as for gg_eigh, and those beyond the first
 *  min(m, n) as columns of gg_qr. */
GG_PUBLIC int gg_svd(gg_var **u, gg_var **s, gg_var **vt, gg_var *a, int full);
/** The singular values alone. */
GG_PUBLIC gg_var *gg_svdvals(gg_var *a);

/** The norms of gg_matrix_norm and gg_cond; gpuarray/matrix.h says what they
 *  are. */
typedef enum gg_matrix_norm_kind {
  GG_NORM_FROBENIUS = GA_NORM_FROBENIUS,
  GG_NORM_NUCLEAR = GA_NORM_NUCLEAR,
  GG_NORM_SPECTRAL = GA_NORM_SPECTRAL,
  GG_NORM_COLUMNS = GA_NORM_COLUMNS,
  GG_NORM_ROWS = GA_NORM_ROWS,
  GG_NORM_LEAST_SINGULAR = GA_NORM_LEAST_SINGULAR,
  GG_NORM_LEAST_COLUMN = GA_NORM_LEAST_COLUMN,
  GG_NORM_LEAST_ROW = GA_NORM_LEAST_ROW
} gg_matrix_norm_kind;
/** Norms of matrices, [...]. For vectors there is gg_norm (statistics.h). */
GG_PUBLIC gg_var *gg_matrix_norm(gg_var *a, gg_matrix_norm_kind kind);
/** Condition numbers, [...]: the norm of a matrix times that of its inverse;
 *  with GG_NORM_SPECTRAL, for matrices of any sizes, the largest singular value
 *  over the least one, and with GG_NORM_LEAST_SINGULAR the least one over the
 *  largest. Infinite for singular matrices. */
GG_PUBLIC gg_var *gg_cond(gg_var *a, gg_matrix_norm_kind kind);
/** How many singular values exceed `tolerance`, int64, [...]. If that is
 *  negative, the tolerance is the largest singular value times the larger size
 *  times the distance of 1 from the next number of the dtype of `a`. */
GG_PUBLIC gg_var *gg_matrix_rank(gg_var *a, double tolerance);
/** The pseudo-inverse of matrices of any sizes and ranks, by singular values.
 *  Those up to `rcond` times the largest one count as 0. If `rcond` is negative
 *  it is that of gg_matrix_rank. Derivatives are those for a rank that does not
 *  change. */
GG_PUBLIC gg_var *gg_pinv(gg_var *a, double rcond);
/** a^n of square matrices by repeated squaring; for negative n, of the
 *  inverse. */
GG_PUBLIC gg_var *gg_matrix_power(gg_var *a, int64_t n);
/** exp(a) = 1 + a + a a / 2 + ... of square matrices, by Pade's approximant and
 *  repeated squaring. The host reads after each squaring whether it was the
 *  last one, so calls block. NaN for a matrix with an element that is not
 *  finite, or a 1-norm above 1e20. */
GG_PUBLIC gg_var *gg_matrix_exp(gg_var *a);
/** The product of n matrices in the order that costs least (gg_einsum). The
 *  first and the last operand may be vectors. At most 51. */
GG_PUBLIC gg_var *gg_multi_dot(unsigned int n, gg_var *const *x);

#ifdef __cplusplus
}
#endif

#endif
