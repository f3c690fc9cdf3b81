/* SPDX-License-Identifier: BSD-2-Clause */
/* Epilogues of products, and the kernels that apply them and store results. */
#ifndef BLAS_EPILOGUE_H
#define BLAS_EPILOGUE_H

#include "ocl/ocl.h"

#include "blas/window.h"
#include "codegen/gen_expr.h"
#include "codegen/gen_product.h"

/* The slots of epilogue arguments follow those of the product's operands. */
enum { GA_EPILOGUE_SLOT = 3 };

/* An argument: an array with an element for each one of the result, or a
 * scalar. */
typedef struct ga__epilogue_arg {
  const void *value; /* NULL: an array */
  gpudata *buf;      /* borrowed */
  size_t off;        /* bytes */
  ptrdiff_t rs, cs;  /* bytes; 0 if broadcast; a vector has only cs */
  ptrdiff_t bs;      /* bytes from matrix to matrix of a batch */
  /* With a window, cs is that of the last digit of columns, and these are those
   * of the other digits, the last one first. */
  ptrdiff_t others[3];
  ptrdiff_t rel; /* bytes from the slot's start; only with a window */
} ga__epilogue_arg;

typedef struct ga__epilogue {
  const GpuEpilogue *spec; /* borrowed; checked */
  ga__expr expr;           /* of spec->text */
  ga__epilogue_arg *args;  /* owned */
  int is_batch;            /* the arguments have a stride bs */
  /* The epilogue of the sum of X, or NULL. Borrowed. Its arguments have one
   * element each. */
  const struct ga__epilogue *sum;
} ga__epilogue;

/* How a kernel stores its results: as they are, or through an epilogue. */
typedef struct ga__ending {
  gpucontext *ctx;
  const ga__epilogue *epilogue; /* or NULL */
  int turned;                   /* the epilogue's rows are the kernel's
                                   columns */
  int typecode;                 /* of the product */
  unsigned int lanes;           /* that the kernel stores at once */
  const ga__window *window;     /* of the product, or NULL */
  const char *ptx_target;       /* of ga__source */
  int is_none;                  /* the kernel stores no results of a product */
} ga__ending;

/* Count of arguments, with those of the epilogue of the sum. 0 for NULL. */
unsigned int ga__epilogue_count(const ga__epilogue *e);
/* Bind the arrays among these arguments to the slots from GA_EPILOGUE_SLOT
 * on. */
void ga__epilogue_bind(GpuLaunch *l, const ga__epilogue *e);
/* Add a kernel of cl/<name>.cl that stores results. In front of the template
 * stand the epilogue, `defines`, cl/complex_pairs.cl for a complex dtype, and
 * cl/product_put.cl. After the kernel's own arguments, add
 * those of its ending with ga__ending_args. */
void ga__ending_kernel(GpuLaunch *l, const char *name, const char *entry,
                       const ga__gen_text *defines, const ga__ending *end,
                       unsigned int nd, const size_t *gs, const size_t *ls);
void ga__ending_args(GpuLaunch *l, const ga__ending *end);

#endif
