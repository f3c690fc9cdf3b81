/* SPDX-License-Identifier: BSD-2-Clause */
/* The routines of buffer_blas.h and blas_complex.h: their arguments checked and
 * turned into products, which run at once. */
#ifndef BLAS_DIRECT_H
#define BLAS_DIRECT_H

#include <gpuarray/buffer_blas.h>

#include "blas/product.h"

/* --- calls (calls.c) --- */

/* An operand as BLAS has it: a matrix, or a vector, of which one with a
 * negative increment begins at the far end. The interface of libgpuarray has
 * unsigned increments in places: a negative one that was converted to them is
 * taken for what it was. */
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

/* What a routine gets besides its operands. Each uses what it needs. */
typedef struct ga__blas_call {
  ga__routine routine;
  int typecode;
  cb_order order;
  cb_transpose ta, tb;
  int conj; /* of dot's X or ger's Y */
  size_t m, n, k;
  ga_complex alpha, beta;
  /* A batch of gemv or ger as libgpuarray has it: offsets are in bytes, and m
   * and n are those of op(A). */
  int old_batch;
} ga__blas_call;

/* GA_VALUE_ERROR with what is wrong, or `batch` products at even distances have
 * been enqueued. Operands are in the routine's order. */
int ga__blas_run(const ga__blas_call *c, const ga__blas_operand o[3],
                 size_t batch, int flags);
/* The same for operands anywhere. The arguments of all products are checked
 * before the first one is enqueued. */
int ga__blas_run_each(const ga__blas_call *c, const ga__blas_each e[3],
                      size_t batch, int flags);

/* --- arguments (operand.c); GA_VALUE_ERROR with what is wrong --- */

int ga__blas_trans(const char *name, cb_transpose trans);
/* op(M), of the form of ga__operand_forms, is `rows` x `cols`: check that it
 * lies in its buffer, `batch` times. */
int ga__blas_operand_of(ga__operand *out, const ga__blas_operand *o, char form,
                        int typecode, cb_order order, cb_transpose trans,
                        size_t rows, size_t cols, size_t batch);
/* Does C certainly share elements with A or B? `names` are those of a, b and c,
 * whose product is not a batch. */
int ga__blas_apart(const ga__product *p, const char *const names[3]);

/* --- launches (direct.c) --- */

/* Run the launch of an earlier product with the same geometry and factors, or
 * prepare one. */
int ga__product_run(const ga__product *p);

#endif
