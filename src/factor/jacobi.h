/* SPDX-License-Identifier: BSD-2-Clause */
/* Jacobi's method: from one side it rotates rows of a matrix until they are
 * orthogonal; from both sides, rows and columns of a symmetric one until it is
 * diagonal. */
#ifndef FACTOR_JACOBI_H
#define FACTOR_JACOBI_H

#include "factor/factor.h"

/* Rows of a launch. */
typedef struct ga__jacobi {
  size_t n;       /* rows */
  size_t dots;    /* elements of a row that are made orthogonal; the others are
                     rotated with them */
  size_t width;   /* rows that one kernel makes orthogonal, even */
  size_t blocks;  /* of half as many rows each, an even number */
  ga__block rows; /* [blocks * width / 2, length]: after the first n, zeros;
                     in another order at the end */
  ga__block next; /* workspace of the same sizes */
  ga__block g;    /* workspaces [width, width], for each pair of blocks */
  ga__block turn;
} ga__jacobi;

/* Workspaces for n rows of `length` elements, which are 0. */
ga__jacobi ga__jacobi_open(ga__factor *f, size_t n, size_t length, size_t dots);
/* Rotate them. */
void ga__jacobi_rotate(ga__factor *f, const ga__jacobi *j);

/* Nonzero if the device can do it from both sides, for real matrices
 * (jacobi_both.c). */
int ga__jacobi_suits_both(const ga__factor *f);
/* Rotate rows and columns of copies of `a`, n x n, which is symmetric. The rows
 * of the result, [n or more, n], are its eigenvectors, and zeros. */
ga__block ga__jacobi_both(ga__factor *f, const ga__block *a);

/* --- parts; vectors are blocks of one row, of real numbers --- */

/* A vector in a workspace. */
ga__block ga__jacobi_vector(ga__factor *f, size_t n);
/* Copy `from` divided by a power of 2, so that no element exceeds 1; if `lower`
 * the upper triangle is taken from the lower one, and the diagonal is real. The
 * result is a vector from which the power of 2 follows. */
ga__block ga__jacobi_scale(ga__factor *f, const ga__block *from,
                           const ga__block *to, int lower);
/* Add a number to the diagonal of a Hermitian matrix, so that all eigenvalues
 * are positive, and none is much larger than the others. */
void ga__jacobi_shift(ga__factor *f, const ga__block *a);
/* Choose phases of rows by their first n elements; if `unit` make them
 * units. */
void ga__jacobi_sign(ga__factor *f, const ga__block *a, size_t n, int unit);
/* What belongs to rows of a and b: the real part of a b^H, the norm of the row
 * of a, or that but -1 where the row of b is 0. */
enum { GA_JACOBI_PRODUCT, GA_JACOBI_NORM, GA_JACOBI_NORM_BESIDE };
void ga__jacobi_values(ga__factor *f, const ga__block *a, const ga__block *b,
                       const ga__block *to, int what);
/* Change the signs of the columns of a for which the diagonal of b is
 * negative. */
void ga__jacobi_flip(ga__factor *f, const ga__block *a, const ga__block *b);
/* Put rows of `from`, which may be a conjugate, into columns of `to` in the
 * order of `key`, of which the last is NaN; with `down` in descending order.
 * `to` may have fewer columns. */
void ga__jacobi_place(ga__factor *f, const ga__block *from,
                      const ga__block *key, const ga__block *to, int down);
/* Store the first values in order, times the power of 2. */
void ga__jacobi_store_values(ga__factor *f, const ga__factor_array *to,
                             const ga__block *values, const ga__block *most,
                             int down);

#endif
