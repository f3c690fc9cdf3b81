/* SPDX-License-Identifier: BSD-2-Clause */
/** \file matrix.h
 *  Functions of matrices: determinants, norms, ranks, pseudo-inverses, powers,
 *  exponentials and Kronecker products. factor.h has what they are computed
 *  with.
 *
 *  Matrices are the last two axes of an array; the axes before them form a
 *  batch, [..., m, n], and remain in the result. Dtypes are GA_FLOAT,
 *  GA_DOUBLE, GA_CFLOAT and GA_CDOUBLE; norms, conditions and logarithms are
 *  real. Strides may be any.
 *
 *  Results are new arrays in C order, which the caller clears, and which are
 *  none of the operands. After an error they are empty. Calls enqueue several
 *  kernels and free their temporaries, a few arrays of the size of `a`. None
 *  blocks, except GpuArray_matrix_exp.
 *
 *  Errors: GA_INVALID_ERROR for missing arrays; GA_VALUE_ERROR for wrong ranks,
 *  sizes and numbers; GA_UNSUPPORTED_ERROR for other dtypes; GA_DEVSUP_ERROR
 *  for doubles on a device without them.
 */
#ifndef GPUARRAY_MATRIX_H
#define GPUARRAY_MATRIX_H

#include <gpuarray/array.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The determinants of square matrices, [...], by LU factors. That of a matrix
 *  without elements is 1. */
GPUARRAY_PUBLIC int GpuArray_det(GpuArray *det, const GpuArray *a);
/** The signs of the determinants, -1, 0 or 1, or complex numbers of the size 1
 *  or 0; and the logarithms of their absolute values, which are real and do not
 *  overflow; -infinity for 0. One of both may be NULL. */
GPUARRAY_PUBLIC int GpuArray_slogdet(GpuArray *sign, GpuArray *logdet,
                                     const GpuArray *a);

/** The norms of matrices. */
typedef enum ga_matrix_norm_kind {
  GA_NORM_FROBENIUS,      /**< the root of the sum of squares */
  GA_NORM_NUCLEAR,        /**< the sum of singular values */
  GA_NORM_SPECTRAL,       /**< the largest singular value: p = 2 */
  GA_NORM_COLUMNS,        /**< the largest sum of |x| of a column: p = 1 */
  GA_NORM_ROWS,           /**< that of a row: p = infinity */
  GA_NORM_LEAST_SINGULAR, /**< the least singular value: p = -2 */
  GA_NORM_LEAST_COLUMN,   /**< the least sum of |x| of a column: p = -1 */
  GA_NORM_LEAST_ROW       /**< that of a row: p = -infinity */
} ga_matrix_norm_kind;
/** Norms of matrices, [...]; 0 for matrices without elements. Squares are not
 *  scaled: as in NumPy, GA_NORM_FROBENIUS overflows if elements exceed the root
 *  of the largest number. The spectral norm does not. */
GPUARRAY_PUBLIC int GpuArray_matrix_norm(GpuArray *norm, const GpuArray *a,
                                         ga_matrix_norm_kind kind);
/** Norms of vectors along the last axis of `a`, [..., n], as numpy.linalg.norm
 *  has them: the p-th root of the sum of |x|^p; the largest |x| for infinity,
 *  and the least for -infinity; the number of elements that are not 0 for 0.
 *  The result is [...], and 0 for vectors without elements. Powers may
 *  overflow, as in NumPy. */
GPUARRAY_PUBLIC int GpuArray_vector_norm(GpuArray *norm, const GpuArray *a,
                                         double p);
/** Condition numbers, [...]: the norm of a square matrix times that of its
 *  inverse. With GA_NORM_SPECTRAL, for matrices of any sizes, the largest
 *  singular value over the least one, and with GA_NORM_LEAST_SINGULAR the
 *  least one over the largest. Infinite for singular matrices. Matrices without
 *  elements are GA_VALUE_ERROR. */
GPUARRAY_PUBLIC int GpuArray_cond(GpuArray *cond, const GpuArray *a,
                                  ga_matrix_norm_kind kind);
/** How many singular values exceed `tolerance`, GA_LONG, [...]. If that is
 *  negative, the tolerance is the largest singular value times the larger size
 *  times the distance of 1 from the next number of the dtype. The rank of a
 *  matrix that is not finite is 0. */
GPUARRAY_PUBLIC int GpuArray_matrix_rank(GpuArray *rank, const GpuArray *a,
                                         double tolerance);

/** The pseudo-inverse, [..., n, m], of matrices of any sizes and ranks, by
 *  singular values. Those up to `rcond` times the largest one count as 0. If
 *  `rcond` is negative it is that of GpuArray_matrix_rank. */
GPUARRAY_PUBLIC int GpuArray_pinv(GpuArray *x, const GpuArray *a, double rcond);
/** a^n of square matrices by repeated squaring; for negative n, of the
 *  inverse. */
GPUARRAY_PUBLIC int GpuArray_matrix_power(GpuArray *x, const GpuArray *a,
                                          int64_t n);
/** The Kronecker products, [..., m p, n q], of matrices `a`, [..., m, n], and
 *  `b`, [..., p, q], of the same dtype and batch. */
GPUARRAY_PUBLIC int GpuArray_kron(GpuArray *x, const GpuArray *a,
                                  const GpuArray *b);
/** exp(a) = 1 + a + a a / 2 + ... of square matrices, by Pade's approximant of
 *  degree 13 and repeated squaring, for each matrix as often as its norm says.
 *  Waits for the norms. NaN for a matrix with an element that is not finite, or
 *  a 1-norm above 1e20. Takes up to 10 times the memory of `a`. */
GPUARRAY_PUBLIC int GpuArray_matrix_exp(GpuArray *x, const GpuArray *a);

#ifdef __cplusplus
}
#endif

#endif
