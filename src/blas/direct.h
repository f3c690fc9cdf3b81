/* SPDX-License-Identifier: BSD-2-Clause */
/* The calls of buffer_blas.h: their arguments checked and turned into
 * descriptions, and launches kept for the next call like it. */
#ifndef BLAS_DIRECT_H
#define BLAS_DIRECT_H

#include <gpuarray/buffer_blas.h>

#include "blas/product.h"

/* --- arguments (operand.c); GA_VALUE_ERROR with what is wrong --- */

/* A matrix as BLAS has it, and how often. */
typedef struct ga__blas_matrix {
  const char *name; /* for messages: "A" */
  gpudata *buf;
  size_t off, ld; /* elements */
  ptrdiff_t bs;   /* elements */
} ga__blas_matrix;

int ga__blas_order(cb_order order);
int ga__blas_trans(const char *name, cb_transpose trans);
int ga__blas_flags(int flags);
/* op(M) is `rows` x `cols`: check that M lies in its buffer, `batch` times. */
int ga__blas_matrix_operand(ga__operand *out, const ga__blas_matrix *m,
                            int typecode, cb_order order, cb_transpose trans,
                            size_t rows, size_t cols, size_t batch);
/* n elements, `inc` apart; a negative one starts at the far end. */
int ga__blas_vector_operand(ga__operand *out, const char *name, gpudata *buf,
                            size_t off, ptrdiff_t inc, int typecode, size_t n);

/* Does a result of m x n certainly share elements with an operand of rows x
 * cols? Vectors have one column. */
int ga__blas_apart(const char *result, const ga__operand *c, size_t m, size_t n,
                   const char *name, const ga__operand *o, size_t rows,
                   size_t cols, int typecode);

/* --- launches (reuse.c) --- */

/* Run the launch of an earlier call with the same geometry and numbers, or
 * prepare one. */
int ga__gemm_run(const ga__gemm *g);
int ga__gemv_run(const ga__gemv *g);
int ga__ger_run(const ga__ger *g);
int ga__dot_run(const ga__dot *g);
/* Make room for kept launches, or drop them all. */
int ga__reuse_setup(gpucontext *ctx);
void ga__reuse_teardown(gpucontext *ctx);

#endif
