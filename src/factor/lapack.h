/* SPDX-License-Identifier: BSD-2-Clause */
/* LAPACK, through LAPACKE, on devices that compute on the host's memory. */
#ifndef FACTOR_LAPACK_H
#define FACTOR_LAPACK_H

#include "factor/factor.h"

/* Nonzero if LAPACK can be used for matrices of m x n. The first call that
 * could use it loads it. */
int ga__lapack_serves(const ga__factor *f, size_t m, size_t n);

/* The blocks below lie in workspaces, in C order. LAPACK counts by columns, so
 * it sees their transposes. */

/* Add the eigenvalues w, in ascending order, of symmetric or Hermitian
 * matrices. With `vectors` the rows of a become conjugates of eigenvectors,
 * else a is overwritten. Only one triangle is read. All NaN if an element read
 * is not finite. */
void ga__lapack_eigh(ga__factor *f, const ga__block *a, const ga__block *w,
                     int is_upper, int vectors);
/* Add the singular values s of a, which is overwritten, and vectors: `u` has
 * the left ones as columns and `vt` the right ones as rows. Either both have as
 * many as there are values, or both all; or they are NULL. All NaN if an
 * element is not finite. */
void ga__lapack_svd(ga__factor *f, const ga__block *a, const ga__block *s,
                    const ga__block *u, const ga__block *vt);
/* Add the eigenvalues w of complex matrices, whose transposes are a, which is
 * overwritten, and eigenvectors as rows of v, unless that is NULL. All NaN if
 * an element is not finite, or they are not found. */
void ga__lapack_eig(ga__factor *f, const ga__block *a, const ga__block *w,
                    const ga__block *v);
/* Nonzero if LAPACK can factor the lower triangle of a, in place. */
int ga__lapack_takes_cholesky(const ga__factor *f, const ga__block *a);
/* Add its Cholesky factor. `info` is a workspace of int32, [batch]. After a
 * failure, rows from that one on are NaN up to the diagonal. */
void ga__lapack_cholesky(ga__factor *f, const ga__block *a, gpudata *info);

/* --- solutions (lapack_solve.c) --- */

/* Nonzero if the BLAS of LAPACK can solve with the triangle a for x, where
 * both lie. */
int ga__lapack_takes_triangle(const ga__factor *f, const ga__block *a,
                              const ga__block *x);
/* Add x = a^-1 x, where one triangle of a is read. */
void ga__lapack_triangle(ga__factor *f, const ga__block *a, const ga__block *x,
                         int is_upper, int unit);
/* Nonzero if LAPACK can invert n x n matrices. */
int ga__lapack_takes_inverse(const ga__factor *f, size_t n);
/* Replace a, a copy of `given` without gaps in its rows, by the inverse.
 * f->info is new. The inverse is NaN where that is not 0, and where an element
 * is not finite. */
void ga__lapack_inverse(ga__factor *f, const ga__block *a,
                        const ga__block *given);

/* --- LU factors (lapack_lu.c) --- */

/* Nonzero if LAPACK can factor a, in place. */
int ga__lapack_takes_lu(const ga__factor *f, const ga__block *a);
/* Add its LU factors; f->info is new. All are NaN if an element of the columns
 * with pivots is not finite. */
ga__pivots ga__lapack_lu(ga__factor *f, const ga__block *a);

#endif
