/* SPDX-License-Identifier: BSD-2-Clause */
/* For functions of matrices that consist of array calls. */
#ifndef FACTOR_MATRIX_H
#define FACTOR_MATRIX_H

#include <gpuarray/factor.h>
#include <gpuarray/matrix.h>
#include <gpuarray/reduction.h>

#include "array/geometry.h"
#include "factor/factor.h"

/* Check the operand `a`, and that `result`, which becomes empty, is there and
 * another array. */
int ga__matrix_open(GpuArray *result, const char *name, const GpuArray *a);
/* Check that the matrices are square; `a` is checked. */
int ga__matrix_square(const GpuArray *a);
/* Nonzero if the matrices have no elements. */
int ga__matrix_is_empty(const GpuArray *a);

enum { GA_TERMS_MOST = 14 }; /* of an expression */

/* An array of an expression, or a number if there is none. */
typedef struct ga__term {
  const char *name;
  const GpuArray *array;
  int flags; /* GE_READ and GE_WRITE; of an array */
  double value;
} ga__term;

/* Compute an OpenCL C expression for each element; axes of size 1 repeat.
 * Numbers are of the dtype of the parts of the first term. */
int ga__matrix_map(const char *text, unsigned int n, const ga__term *terms);

/* Combine the elements of the last axis. */
int ga__matrix_reduce(GpuArray *to, const GpuArray *a, ga_reduce_op op);
/* View element i of the last axis, which becomes 1. */
int ga__matrix_element(GpuArray *v, const GpuArray *a, size_t i);
/* View values, [..., k], as [..., k, 1]. */
int ga__matrix_column(GpuArray *v, const GpuArray *values);
/* The largest of the singular values that counts as 0, as a part of the largest
 * one. */
double ga__matrix_limit(const GpuArray *a);
/* c = op(a) op(b) into a new array; op by GA_FACTOR_CONJ_TRANS
 * (matrix_product.c). */
int ga__matrix_multiply(GpuArray *c, const GpuArray *a, const GpuArray *b,
                        int flags);

#endif
