/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether factors, solutions and spectra are right: residuals as LAPACK's tests
 * measure them, over n eps |A| |x| in the norms of the largest element and
 * sum of a row, but from products with one vector x of random numbers, which
 * read each element once. All elements count.
 * LAPACK's tests accept less than 30; right results stay far below 1. */
#ifndef BENCH_CHECK_FACTOR_H
#define BENCH_CHECK_FACTOR_H

#include <stddef.h>

#define CHECK_FACTOR_MOST 1

/* Which elements of a matrix count. */
typedef enum check_part {
  CHECK_ALL,
  CHECK_LOWER,
  CHECK_UNIT, /* below the diagonal, and ones on it */
  CHECK_UPPER
} check_part;

/* Matrices in C order, [batch, n, n]. */
typedef struct check_factor {
  size_t n, batch;
  double eps; /* of the dtype of what is checked */
  const double *a;
} check_factor;

/* Each returns the largest measure of the batch; NaN counts as infinite, and so
 * does a lack of memory. */

/* A - L L^T. */
double check_cholesky(const check_factor *c, const double *l);
/* P A - L U; pivots are [batch, n]. */
double check_lu(const check_factor *c, const double *lu, const int *pivots);
/* A X - B, where a part of A counts; X and B are [batch, n, columns]. B may be
 * NULL: the identity. */
double check_solution(const check_factor *c, check_part part, const double *x,
                      const double *b, size_t columns);
/* A - Q R, and Q^T Q - I. */
double check_qr(const check_factor *c, const double *q, const double *r);
/* A - U diag(s) V^T, where V is `turned` or V^T is, and that U and V are
 * orthogonal. */
double check_values(const check_factor *c, const double *u, const double *s,
                    const double *v, int turned);

#endif
