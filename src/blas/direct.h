/* SPDX-License-Identifier: BSD-2-Clause */
/* The calls of buffer_blas.h: their arguments checked and turned into
 * descriptions, and launches kept for the next call like it. */
#ifndef BLAS_DIRECT_H
#define BLAS_DIRECT_H

#include <gpuarray/buffer_blas.h>

#include "blas/product.h"

/* --- calls (calls.c) ---
 *
 * GA_VALUE_ERROR with what is wrong, or the routine has been enqueued. Each
 * comes with a form for a batch with operands anywhere, whose arguments are all
 * checked before the first product is enqueued. */

/* A matrix as BLAS has it. */
typedef struct ga__blas_matrix {
  const char *name; /* for messages: "A" */
  gpudata *buf;
  size_t off, ld; /* elements */
  ptrdiff_t bs;   /* elements from one of a batch to the next */
} ga__blas_matrix;

/* A vector as BLAS has it; one with a negative increment begins at the far end.
 * The interface of libgpuarray has unsigned increments in places: a negative
 * one that was converted to them is taken for what it was. */
typedef struct ga__blas_vector {
  const char *name; /* "X" */
  gpudata *buf;
  size_t off;    /* elements */
  ptrdiff_t inc; /* elements */
} ga__blas_vector;

/* An operand of each product of a batch. */
typedef struct ga__blas_each {
  gpudata **bufs;
  const size_t *offs; /* elements */
  ptrdiff_t step;     /* elements: leading dimension or increment */
} ga__blas_each;

/* What a routine is told besides its operands; each takes what it needs. */
typedef struct ga__blas_call {
  int typecode;
  cb_order order;
  cb_transpose ta, tb;
  int conj; /* of dot's X or ger's Y */
  size_t m, n, k;
  ga_complex alpha, beta;
} ga__blas_call;

int ga__blas_dot(const ga__blas_call *c, const ga__blas_vector *x,
                 const ga__blas_vector *y, const ga__blas_vector *z);
int ga__blas_gemv(const ga__blas_call *c, const ga__blas_matrix *a,
                  const ga__blas_vector *x, const ga__blas_vector *y);
int ga__blas_ger(const ga__blas_call *c, const ga__blas_vector *x,
                 const ga__blas_vector *y, const ga__blas_matrix *a);
/* `batch` products at even distances. */
int ga__blas_gemm(const ga__blas_call *c, const ga__blas_matrix *a,
                  const ga__blas_matrix *b, const ga__blas_matrix *to,
                  size_t batch, int flags);
int ga__blas_gemv_batch(const ga__blas_call *c, ga__blas_each a,
                        ga__blas_each x, ga__blas_each y, size_t batch,
                        int flags);
int ga__blas_ger_batch(const ga__blas_call *c, ga__blas_each x, ga__blas_each y,
                       ga__blas_each a, size_t batch, int flags);
int ga__blas_gemm_batch(const ga__blas_call *c, ga__blas_each a,
                        ga__blas_each b, ga__blas_each to, size_t batch,
                        int flags);

/* --- arguments (operand.c); GA_VALUE_ERROR with what is wrong --- */

int ga__blas_order(cb_order order);
int ga__blas_trans(const char *name, cb_transpose trans);
int ga__blas_flags(int flags);
/* op(M) is `rows` x `cols`: check that M lies in its buffer, `batch` times. */
int ga__blas_matrix_operand(ga__operand *out, const ga__blas_matrix *m,
                            int typecode, cb_order order, cb_transpose trans,
                            size_t rows, size_t cols, size_t batch);
/* n elements. */
int ga__blas_vector_operand(ga__operand *out, const ga__blas_vector *v,
                            int typecode, size_t n);

/* Does a result of m x n certainly share elements with an operand of rows x
 * cols? Vectors have one column. */
int ga__blas_apart(const char *result, const ga__operand *c, size_t m, size_t n,
                   const char *name, const ga__operand *o, size_t rows,
                   size_t cols, int typecode);

/* --- launches (direct.c) --- */

/* Run the launch of an earlier call with the same geometry and numbers, or
 * prepare one. */
int ga__gemm_run(const ga__gemm *g);
int ga__gemv_run(const ga__gemv *g);
int ga__ger_run(const ga__ger *g);
int ga__dot_run(const ga__dot *g);

#endif
