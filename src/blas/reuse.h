/* SPDX-License-Identifier: BSD-2-Clause */
/* A direct call as what its launch depends on, so that the launch of an earlier
 * call like it can run again. */
#ifndef BLAS_REUSE_H
#define BLAS_REUSE_H

#include "blas/product.h"

typedef enum ga__routine {
  GA_ROUTINE_DOT = 1,
  GA_ROUTINE_GEMV,
  GA_ROUTINE_GEMM,
  GA_ROUTINE_GER
} ga__routine;

/* Everything that a launch depends on, but for buffers and offsets. Without
 * padding: it is hashed as it lies. */
typedef struct ga__shape {
  double alpha[2], beta[2]; /* real and imaginary part */
  size_t routine, typecode;
  size_t how; /* the provider asked for, conjugates, and offsets modulo 32 */
  size_t m, n, k, batch;
  ptrdiff_t strides[3][3];
} ga__shape;

typedef struct ga__call {
  gpucontext *ctx;
  ga__shape shape;
  const ga__operand *operands[3]; /* by slot */
  int (*prepare)(GpuLaunch **out, const void *product);
  const void *product;
} ga__call;

/* Add an operand to the shape, which has everything else by now. */
void ga__call_operand(ga__call *c, const ga__operand *o);
/* What the user asks for in the environment, as a number for `how`. */
size_t ga__call_provider(void);
/* Run the kept launch of this shape, or prepare, run and keep one. */
int ga__call_run(const ga__call *c);

#endif
