/* SPDX-License-Identifier: BSD-2-Clause */
/* What LAPACK and the CBLAS behind it compute with real elements of `size`
 * bytes: floats or doubles. A step is what LAPACK calls a leading dimension:
 * elements from row to row of a matrix in C order, else from column to
 * column. */
#ifndef FACTOR_LAPACK_REAL_H
#define FACTOR_LAPACK_REAL_H

#include "factor/lapack.h"

/* LAPACKE's and CBLAS's words. */
enum {
  GA_LAPACK_ROWS = 101,    /* matrices in C order */
  GA_LAPACK_COLUMNS = 102, /* others, as LAPACK sees them */
  GA_LAPACK_AS_IS = 111,
  GA_LAPACK_TRANSPOSED = 112,
  GA_LAPACK_UPPER = 121,
  GA_LAPACK_LOWER = 122,
  GA_LAPACK_ANY_DIAGONAL = 131,
  GA_LAPACK_UNIT_DIAGONAL = 132
};

/* Nonzero if the functions are there and pay: `least` and `most` are the sizes
 * of the matrices. Small ones, and complex ones, are left to the library's own
 * kernels. */
int ga__lapack_pays(const ga__factor *f, size_t least, size_t most);

/* Factor a, m x n by columns. Pivots are counted from 1. Returns the order of
 * the first pivot that is 0, or 0. */
int32_t ga__lapack_getrf(size_t size, size_t m, size_t n, void *a, size_t step,
                         int32_t *pivots);
/* Replace such factors of n x n, without gaps, by the inverse. `work` has
 * n_work elements, n or more. */
void ga__lapack_getri(size_t size, size_t n, void *a, const int32_t *pivots,
                      void *work, size_t n_work);

/* A triangle at the left of what is solved for. */
typedef struct ga__lapack_triangular {
  int order, part, trans, diagonal; /* GA_LAPACK_... */
  size_t a_step, x_step;
} ga__lapack_triangular;

/* Replace x, n x r, by the solution with the triangle a. */
void ga__lapack_trsm(size_t size, const ga__lapack_triangular *t, size_t n,
                     size_t r, const void *a, void *x);
/* Subtract the product of a, m x k, and b, k x n, from c. All are in C order
 * and have one step. */
void ga__lapack_subtract(size_t size, size_t m, size_t n, size_t k,
                         const void *a, const void *b, void *c, size_t step);

#endif
