/* SPDX-License-Identifier: BSD-2-Clause */
/* Arrays as operands of products: checked, described by strides in elements,
 * and copied where BLAS cannot describe them.
 *
 * A matrix can be described when one of its strides is one element and the
 * other, which is positive, leaps over that line; a vector whenever its stride
 * is a whole number of elements. */
#ifndef LINALG_BLAS_ARRAY_H
#define LINALG_BLAS_ARRAY_H

#include <gpuarray/array.h>

#include "base/dtype.h"
#include "blas/direct.h"

/* An operand on its way: the caller's array, or a copy of it. */
typedef struct ga__blas_array {
  const char *name; /* "A" */
  GpuArray *given;
  GpuArray copy; /* zeroed, or to be used in place of `given` */
  cb_transpose trans;
  ga__operand as;
} ga__blas_array;

/* Are these n arrays with nds[i] dimensions each, of one type, which is of
 * `kind`, and in one context? The last one is written to. Numbers the slots. */
int ga__blas_array_check(ga__blas_array *o, size_t n, const unsigned int *nds,
                         ga__kind want);
/* The same when all are read only. */
int ga__blas_array_check_inputs(ga__blas_array *o, size_t n,
                                const unsigned int *nds, ga__kind want);
int ga__blas_array_trans(const ga__blas_array *o);

/* Sizes of op(array), from its last two dimensions. */
size_t ga__blas_array_rows(const ga__blas_array *o);
size_t ga__blas_array_cols(const ga__blas_array *o);

/* Do op(A), op(B) and C, which are o[0] to o[2], fit as matrices? */
int ga__blas_array_fit(const ga__blas_array *o);
/* And as many of each, in three dimensions? */
int ga__blas_array_fit_batch(const ga__blas_array *o);

/* Describe the array, or a copy of it if it must be, in o->as. The contents of
 * a result that will not be read are not copied. */
int ga__blas_array_take(ga__blas_array *o, int nocopy, int is_read);
/* Bring a result home that was computed in a copy. */
int ga__blas_array_give(ga__blas_array *o);
/* Let the copies go. */
void ga__blas_array_drop(ga__blas_array *o, size_t n);

/* --- products (blas_product.c) ---
 *
 * Of arrays of `kind`, with `out` prepared and nothing copied, else run. Real
 * factors have no imaginary part. `nd` is 2, or 3 for a batch. */
int ga__array_dot(GpuLaunch **out, ga__kind kind, int conj, GpuArray *X,
                  GpuArray *Y, GpuArray *Z, int nocopy);
int ga__array_gemv(GpuLaunch **out, ga__kind kind, cb_transpose transA,
                   ga_complex alpha, GpuArray *A, GpuArray *X, ga_complex beta,
                   GpuArray *Y, int nocopy);
int ga__array_ger(GpuLaunch **out, ga__kind kind, int conj, ga_complex alpha,
                  GpuArray *X, GpuArray *Y, GpuArray *A, int nocopy);
int ga__array_gemm(GpuLaunch **out, ga__kind kind, unsigned int nd,
                   cb_transpose transA, cb_transpose transB, ga_complex alpha,
                   GpuArray *A, GpuArray *B, ga_complex beta, GpuArray *C,
                   int nocopy);

#endif
