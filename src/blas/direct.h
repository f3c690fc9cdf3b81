/* SPDX-License-Identifier: BSD-2-Clause */
/* The routines of buffer_blas.h and blas_complex.h: they check their arguments,
 * describe products and enqueue them. None of these functions waits for a
 * product. */
#ifndef BLAS_DIRECT_H
#define BLAS_DIRECT_H

#include <gpuarray/buffer_blas.h>

#include "blas/product.h"

/* --- calls (calls.c) --- */

/* An operand as BLAS describes it: a matrix or a vector. A vector with a
 * negative increment begins at its far end. Some functions of libgpuarray have
 * unsigned increments; a negative one that was converted to such a type counts
 * as negative. */
typedef struct ga__blas_operand {
  const char *name; /* for messages: "A" */
  gpudata *buf;
  size_t off;     /* elements */
  ptrdiff_t step; /* elements: leading dimension or increment */
  ptrdiff_t bs;   /* elements from one matrix of a batch to the next */
} ga__blas_operand;

/* The same operand of each product of a batch. */
typedef struct ga__blas_each {
  const char *name;
  gpudata **bufs;
  const size_t *offs;
  ptrdiff_t step;
} ga__blas_each;

/* The arguments of a routine besides its operands. Each routine uses some of
 * them. */
typedef struct ga__blas_call {
  ga__routine routine;
  int typecode;
  cb_order order;
  cb_transpose ta, tb;
  int conj; /* conjugate X of a dot, or Y of a ger */
  size_t m, n, k;
  ga_complex alpha, beta;
  /* Nonzero for a real batch of gemv or ger, as in libgpuarray: offsets are in
   * bytes, and m and n are the sizes of op(A). */
  int old_batch;
} ga__blas_call;

/* Enqueue `batch` products whose operands lie at even distances. Operands are
 * in the order of the routine's parameters. GA_VALUE_ERROR for wrong
 * arguments. */
int ga__blas_run(const ga__blas_call *c, const ga__blas_operand o[3],
                 size_t batch, int flags);
/* Enqueue `batch` products with operands in any buffers. All arguments are
 * checked before the first product is enqueued. */
int ga__blas_run_each(const ga__blas_call *c, const ga__blas_each e[3],
                      size_t batch, int flags);

/* --- arguments (operand.c); GA_VALUE_ERROR if they are wrong --- */

int ga__blas_trans(const char *name, cb_transpose trans);
/* Check that all `batch` matrices of an operand lie in its buffer, and describe
 * it. op(M) is [rows, cols]; `form` is a letter of ga__product_forms. */
int ga__blas_operand_of(ga__product_operand *out, const ga__blas_operand *o,
                        char form, int typecode, cb_order order,
                        cb_transpose trans, size_t rows, size_t cols,
                        size_t batch);
/* GA_VALUE_ERROR if C certainly shares elements with A or B. For products that
 * are no batch. `names` are those of a, b and c. */
int ga__blas_apart(const ga__product *p, const char *const names[3]);

/* --- launches (direct.c) --- */

/* Enqueue a product, with the launch of an earlier one of the same geometry and
 * factors if the launch cache has it. */
int ga__product_run(const ga__product *p);

#endif
