/* SPDX-License-Identifier: BSD-2-Clause */
/* What follows a product in the same kernel, and how the kernels that write
 * results are put together. */
#ifndef BLAS_EPILOGUE_H
#define BLAS_EPILOGUE_H

#include "ocl/ocl.h"

#include "base/strb.h"
#include "codegen/gen_expr.h"

/* The slots of a product's own operands come first. */
enum { GA_EPILOGUE_SLOT = 3 };

/* An argument: an array over the elements of the result, or one value. */
typedef struct ga__epilogue_arg {
  const void *value; /* NULL: an array */
  gpudata *buf;      /* borrowed */
  size_t off;        /* bytes */
  ptrdiff_t rs, cs;  /* bytes, 0 where it repeats; a vector has only cs */
} ga__epilogue_arg;

typedef struct ga__epilogue {
  const GpuEpilogue *spec; /* borrowed; checked */
  ga__expr expr;           /* of spec->text */
  ga__epilogue_arg *args;  /* owned */
  /* What becomes of the sum of a vector, borrowed, or NULL; its arguments have
   * one element. */
  const struct ga__epilogue *sum;
} ga__epilogue;

/* How a kernel ends: results as they are, or through an epilogue. */
typedef struct ga__ending {
  gpucontext *ctx;
  const ga__epilogue *epilogue; /* or NULL */
  int turned;                   /* its rows are the kernel's columns */
  int typecode;                 /* of the product */
  unsigned int lanes;           /* that the kernel puts at once */
  const char *ptx_target;       /* of ga__source */
} ga__ending;

/* Number of arguments, those of the sum among them; 0 without an epilogue. */
unsigned int ga__epilogue_count(const ga__epilogue *e);
/* Bind the arrays among them. */
void ga__epilogue_bind(GpuLaunch *l, const ga__epilogue *e);
/* A kernel of cl/<name>.cl that writes results, behind `defines`, which are
 * cleared, and cl/product_put.cl, or cl/complex_pairs.cl for complex numbers.
 * When all its arguments are set, add those of its ending. */
void ga__ending_kernel(GpuLaunch *l, const char *name, const char *entry,
                       ga__strb *defines, const ga__ending *end,
                       unsigned int nd, const size_t *gs, const size_t *ls);
void ga__ending_args(GpuLaunch *l, const ga__ending *end);

#endif
