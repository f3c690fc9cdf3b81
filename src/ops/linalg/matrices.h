/* SPDX-License-Identifier: BSD-2-Clause */
/* For ops of batches of matrices: their types, and products in gradients. */
#ifndef OPS_LINALG_MATRICES_H
#define OPS_LINALG_MATRICES_H

#include <gpuarray/factor.h>

#include "ops/compose.h"

/* --- builders --- */

/* x with the last two axes swapped. */
gg_var *gg__swap_last(gg_var *x);
/* The conjugate transpose of each matrix. */
gg_var *gg__adjoint(gg_var *x);
/* x without the imaginary parts on diagonals. */
gg_var *gg__with_real_diagonal(gg_var *x);
/* a b for each matrix of a batch. */
gg_var *gg__multiply_each(gg_var *a, gg_var *b);
/* The lower triangle of x, or the upper one if `is_upper`, without the nearest
 * `skip` diagonals. */
gg_var *gg__triangle_of(gg_var *x, int is_upper, int skip);
/* x with its diagonal halved, and 0 above it. */
gg_var *gg__lower_half(gg_var *x);
/* The identity for each matrix of x, which is square or not. */
gg_var *gg__identity_like(gg_var *x);
/* x without its rows (axis -2) or columns (axis -1) from the one `n` on, and
 * what is left out: NULL if that is known to be nothing. */
gg_var *gg__head(gg_var *x, int axis, gg_var *n);
gg_var *gg__tail(gg_var *x, int axis, gg_var *n);
/* A square block with as many rows as the matrix has rows or columns, what is
 * right of it, and what is below it. One of the last two is empty, and NULL if
 * that is known of `like`, a matrix of the same sizes: of the one and of the
 * other, of which less may be known, the same blocks are there. */
typedef struct gg__blocks {
  gg_var *square, *right, *below;
} gg__blocks;
gg__blocks gg__blocks_like(gg_var *x, gg_var *like);
/* The matrix of blocks of the sizes of those of `like`. */
gg_var *gg__join_blocks(const gg__blocks *b, gg_var *like);
/* Columns of unitary x from the one `n` on may be any basis of what the others
 * leave. The gradient by the others alone that follows from the one by all, g;
 * and the derivative of all that follows from the one of the others, d. */
gg_var *gg__gradient_of_basis(gg_var *x, gg_var *g, gg_var *n);
gg_var *gg__move_of_basis(gg_var *x, gg_var *d, gg_var *n);
/* Elements of square matrices x over gaps, which has 0 on its diagonals, but 0
 * on diagonals and for 0 / 0. Others over 0 are infinite: there is no
 * derivative. */
gg_var *gg__over_gaps(gg_var *x, gg_var *gaps);
/* Refuse `a` unless it is a matrix whose sizes may be equal. Returns 0 then. */
int gg__is_square(const gg_op *op, gg_var *a);
/* The largest element along the last axis of x, whose elements are not less
 * than 0; 0 if there is none. */
gg_var *gg__largest(gg_var *x, int keepdims);
/* a, but narrow floats as float32. */
gg_var *gg__in_work_type(gg_var *a);
/* The part of the largest singular value of `a` that counts as 0: the larger
 * size times the distance of 1 from the next number, in the work type; a real
 * number. */
gg_var *gg__rank_limit(gg_var *a);
/* Nonzero if the elements of x are complex. */
int gg__has_complex_dtype(const gg_var *x);
/* Cast n operands to their common dtype, which is a float or complex one.
 * Returns 0 after an error. */
int gg__as_matrices(const gg_op *op, unsigned int n, gg_var **x);

/* --- types; a size of -1 is unknown --- */

/* Fail unless operand 0 has at least two axes. */
int gg__check_matrix(const gg_apply *a);
/* The smaller of two sizes, if both are known. */
int64_t gg__least_size(int64_t m, int64_t n);
/* Fail unless operand i has at least two axes, and equal sizes along the last
 * two as far as they are known. */
int gg__check_square(const gg_apply *a, unsigned int i);
int gg__check_square_dims(const gg_apply *a, const gg_dims *x);
/* Set the types, and the sizes, of eigenvalues, which are output 0, and of
 * eigenvectors, output 1, of square matrices. */
void gg__infer_eigen(const gg_apply *a, int values_dtype, int vectors_dtype,
                     gg_type *out);
int gg__shape_eigen(const gg_apply *a, const gg_dims *in,
                    const double *const *host, gg_dims *out);
/* Fail unless operands i and k have the same rank and leading sizes. */
int gg__check_batches(const gg_apply *a, unsigned int i, unsigned int k);
int gg__check_batch_dims(const gg_apply *a, const gg_dims *x, const gg_dims *y);

/* --- on the host --- */

/* Matrices of an operand or a result in host memory, as doubles. */
typedef struct gg__host_matrices {
  size_t m, n, batch;
  size_t parts; /* 2 of complex numbers */
  double *v;    /* [batch, m, n, parts]; owned */
} gg__host_matrices;

/* Copy input i to *x, which gg__matrices_clear frees, also after a failure. */
int gg__matrices_read(gg__host_matrices *x, const gg_prepare *p,
                      unsigned int i);
/* Matrices for output i, zeros. */
int gg__matrices_new(gg__host_matrices *x, const gg_prepare *p, unsigned int i);
void gg__matrices_write(const gg__host_matrices *x, const gg_prepare *p,
                        unsigned int i);
void gg__matrices_clear(gg__host_matrices *x);
/* -1 or 1: the sign that makes the first of the nearly largest of n elements,
 * `step` apart, positive. */
double gg__vector_sign(const double *x, size_t n, size_t step);

/* x = x - a b, and x = x / d, for numbers of `parts` doubles; with `conj` the
 * last one is its conjugate. A d of 0 divides both parts. */
void gg__host_subtract(double *x, const double *a, const double *b,
                       size_t parts, int conj);
void gg__host_divide(double *x, const double *d, size_t parts, int conj);

/* Complex matrices in C order, as they lie in gg__host_matrices. */
typedef double _Complex gg__complex;

gg__complex gg__pair_of(double re, double im);
/* The phase that makes the first of the nearly largest of n elements, `step`
 * apart, real and positive. */
gg__complex gg__vector_phase(const double *re, const double *im, size_t n,
                             size_t step);
/* Set `to`, 2 m x 2 n, to the real matrix that does to [re; im] what `a`, m x
 * n, does to a complex vector. It has the eigenvalues and singular values of
 * `a`, each twice, and their vectors. */
void gg__embed(double *to, const gg__complex *a, size_t m, size_t n);

#endif
