/* SPDX-License-Identifier: BSD-2-Clause */
/* Epilogues of products, and the kernels that apply them or store results. */
#ifndef BLAS_EPILOGUE_H
#define BLAS_EPILOGUE_H

#include "ocl/ocl.h"

#include "base/room.h"
#include "base/sha256.h"
#include "blas/window.h"
#include "codegen/gen_expr.h"
#include "codegen/gen_product.h"

/* The slots of epilogue arguments follow those of the product's operands. */
enum { GA_EPILOGUE_SLOT = 3 };

/* An argument of an epilogue: a scalar, or an array that is read or written at
 * each element of the result. */
typedef struct ga__epilogue_arg {
  const void *value; /* of a scalar, borrowed; NULL: an array */
  gpudata *buf;      /* borrowed */
  size_t off;        /* bytes */
  ptrdiff_t rs, cs;  /* bytes from row to row and from column to
                        column; 0 if broadcast; a vector has only rs */
  ptrdiff_t bs;      /* bytes from matrix to matrix of a batch */
  /* With a window, cs is the stride of the last digit of columns, and these are
   * the strides of the other digits, the last one first. */
  ptrdiff_t others[3];
  ptrdiff_t rel; /* bytes from the slot's start to the element of row 0 and
                    column 0; other than 0 in convolutions only */
} ga__epilogue_arg;

/* What is known of an epilogue before its arguments are. */
struct GpuEpilogueText {
  gpucontext *ctx; /* retained */
  int typecode;    /* of the product */
  ga__expr expr;
  /* Hash of everything in the description that determines the kernel's source,
   * except the sum. */
  size_t hash[GA_SHA256_BYTES / sizeof(size_t)];
};

typedef struct ga__epilogue {
  const GpuEpilogue *spec;     /* borrowed; checked */
  const GpuEpilogueText *text; /* of `spec` */
  GpuEpilogueText *made;       /* the same if this epilogue owns it, or NULL */
  ga__epilogue_arg *args;
  ga__room room; /* of args; so the structure must not move */
  int is_batch;  /* the arguments have a stride bs */
  /* The epilogue of the sum of X, or NULL. Borrowed. Its arguments have one
   * element each. */
  const struct ga__epilogue *sum;
} ga__epilogue;

/* How a kernel stores its results: as they are, or through an epilogue. */
typedef struct ga__ending {
  gpucontext *ctx;
  const ga__epilogue *epilogue; /* or NULL */
  int turned;                   /* rows of the epilogue's arguments are
                                   columns of the kernel's result */
  int typecode;                 /* of the product */
  unsigned int lanes;           /* elements that the kernel stores at once */
  const ga__window *window;     /* of the product, or NULL */
  const char *ptx_target;       /* of ga__source */
  int is_none;                  /* the kernel stores no results of a product;
                                   nothing of cl/product_put.cl is used */
} ga__ending;

/* Return the count of arguments, including those of the epilogue of the sum: 0
 * if `e` is NULL. */
unsigned int ga__epilogue_count(const ga__epilogue *e);
/* Bind the arrays among these arguments to the slots from GA_EPILOGUE_SLOT on.
 * `e` may be NULL. */
void ga__epilogue_bind(GpuLaunch *l, const ga__epilogue *e);
/* Add the kernel `entry` of the template cl/<name>.cl. Its source is, in this
 * order: the epilogue, `defines`, cl/complex_pairs.cl for a complex dtype,
 * cl/conv_window.cl for a product with a window, cl/product_put.cl unless
 * `is_none`, and the template. The caller then adds the kernel's own arguments,
 * and those of its ending with ga__ending_args. */
void ga__ending_kernel(GpuLaunch *l, const char *name, const char *entry,
                       const ga__gen_text *defines, const ga__ending *end,
                       unsigned int nd, const size_t *gs, const size_t *ls);
void ga__ending_args(GpuLaunch *l, const ga__ending *end);

#endif
