/* SPDX-License-Identifier: BSD-2-Clause */
/* Descriptions of products of matrices and vectors, and what the kernels that
 * compute them have in common.
 *
 * A matrix has two strides here, which express row and column order, transposes
 * and leading dimensions. Real and complex products are described alike. The
 * caller that fills a description checks that its operands lie inside their
 * buffers.
 *
 * calls.c and src/linalg check arguments and describe a product. Then direct.h
 * runs it at once, or dispatch.h prepares a launch. dispatch.c chooses a
 * provider (product_provider.h) from its table. Each provider has a file of its
 * own, and adds kernels to the launch with the functions below. */
#ifndef BLAS_PRODUCT_H
#define BLAS_PRODUCT_H

#include <gpuarray/blas_complex.h>
#include <limits.h>

#include "base/strb.h"
#include "blas/epilogue.h"
#include "blas/window.h"
#include "codegen/gen_product.h"
#include "ocl/ocl.h"

/* An operand. Element (row, column) of matrix z of a batch lies
 * row * rs + column * cs + z * bs elements after `off`. */
typedef struct ga__product_operand {
  gpudata *buf;      /* borrowed */
  size_t off;        /* bytes, to the element with indices 0 */
  ptrdiff_t rs, cs;  /* elements, of any sign */
  ptrdiff_t bs;      /* elements */
  ptrdiff_t ss, ls;  /* the same from sheet to sheet and from line to line of a
                        sum in lines */
  ptrdiff_t rel;     /* bytes, from the slot's start to the element with indices
                        0; only the library's own gemms support it */
  unsigned int slot; /* of the launch, or GA_NO_SLOT: there is no operand */
} ga__product_operand;

#define GA_NO_SLOT UINT_MAX

/* The routines differ in which operands are vectors: columns, for which only rs
 * counts, or rows, for which only cs counts. */
typedef enum ga__routine {
  GA_ROUTINE_GEMM, /* C = alpha A B + beta C, `batch` times */
  GA_ROUTINE_GEMV, /* n is 1: B and C are columns */
  GA_ROUTINE_GER,  /* k is 1: A is a column, B a row; beta counts as 1 */
  GA_ROUTINE_DOT,  /* m and n are 1: A is a row, B a column, C one element;
                      alpha counts as 1, beta as 0 */
  GA_ROUTINES
} ga__routine;

/* The forms of the operands a, b and c of a routine: 'm' for a matrix, 'c' for
 * a column, 'r' for a row. */
extern const char ga__product_forms[GA_ROUTINES][4];

/* The part of C that a product changes: elements on the diagonal and below it,
 * or above it. Only the library's own gemms for GPUs support parts: on tensor
 * cores those of doubles. */
typedef enum ga__product_part {
  GA_PART_ALL,
  GA_PART_LOWER,
  GA_PART_UPPER
} ga__product_part;

/* C = alpha A B + beta C: A is [m, k], B [k, n], C [m, n], of GA_HALF,
 * GA_BFLOAT, GA_FLOAT, GA_DOUBLE, GA_CFLOAT or GA_CDOUBLE. Strides count real
 * or complex elements. Factors of a real product have no imaginary part, and
 * its conj_a and conj_b are ignored. With a beta of 0, C is not read. With an
 * epilogue, C is not written; if it is not read either, its slot is GA_NO_SLOT
 * and only its strides count. */
typedef struct ga__product {
  gpucontext *ctx;
  ga__routine routine;
  int typecode;
  size_t m, n, k, batch;
  ga_complex alpha, beta;
  int conj_a, conj_b; /* strides express the transpose of a conjugate
                         transpose */
  ga__product_operand a, b, c;
  ga__product_part part;
  const ga__epilogue *epilogue; /* or NULL; only for real products that are no
                                   batch, and with `window` */
  /* B is read through it, and its strides rs and cs do not count; nor does cs
   * of C unless columns are even. Or NULL. Only for real gemms without alpha
   * and beta: 1 and 0. With an epilogue it may be a batch, whose rows of C
   * follow each other. */
  const ga__window *window;
  /* Several products with `window`, of which n and k are those of the largest
   * one, or NULL. Only the library's own gemm for GPUs supports that. */
  const ga__phases *phases;
  /* If not 0, A and B are one pair of matrices for each line of each sheet, and
   * C is the sum of their products. Only the library's own gemm for GPUs
   * supports that. */
  size_t sheets, lines;
  int turned; /* the epilogue's arguments have the transposed shape */
} ga__product;

/* --- descriptions --- */

int ga__complex_is_zero(ga_complex v);
/* GA_DEVSUP_ERROR for GA_DOUBLE and GA_CDOUBLE on a device without doubles. */
int ga__product_support(gpucontext *ctx, int typecode);
/* In a gemm or gemv, set k to 0 if alpha is 0, so that A and B are not read,
 * and alpha to 0 if k is 0, since alpha may be a NaN. */
void ga__product_drop(ga__product *p);
/* Replace the product by its transpose. */
void ga__product_transpose(ga__product *p);
/* Transpose the product if only that makes the rows of C contiguous. */
void ga__product_turn(ga__product *p);
/* The stride of a [rows, cols] matrix that is 1: 1 for the one along a row (or
 * both), 2 for the one along a column, 0 for neither. */
int ga__product_unit(const ga__product_operand *o, size_t rows, size_t cols);
/* For a product with a window: nonzero if columns that begin at a multiple of
 * `lanes` are neighbours in C up to the next multiple, and if vectors of them
 * are aligned, too. The latter requires an aligned slot. */
int ga__product_has_lines(const ga__product *p, unsigned int lanes);
int ga__product_lines_aligned(const ga__product *p, unsigned int lanes);
/* Groups that compute something, if each has bm x bn elements of C. */
size_t ga__product_busy_groups(const ga__product *p, size_t bm, size_t bn);
/* Nonzero if the kernel also sums B, a vector, for an epilogue of the sum. */
int ga__product_sums(const ga__product *p);

/* --- launches --- */

/* Open a launch: bind the operands that have buffers and the epilogue's arrays,
 * and set its cost. NULL if memory runs out; all functions that add to launches
 * accept that. */
GpuLaunch *ga__product_open(const ga__product *p);
/* Add a kernel of cl/<name>.cl. In front of the template stand `defines`, and
 * cl/complex_pairs.cl for a complex dtype. */
void ga__product_kernel(gpucontext *ctx, GpuLaunch *l, int typecode,
                        const char *name, const char *entry,
                        const ga__gen_text *defines, unsigned int nd,
                        const size_t *gs, const size_t *ls);
/* The ending of a kernel that stores `lanes` results at once. */
ga__ending ga__product_ending(const ga__product *p, unsigned int lanes);

/* --- kernel arguments --- */

/* An operand: buffer, offset in bytes, and strides in elements. */
void ga__product_matrix(GpuLaunch *l, const ga__product_operand *o,
                        int with_batch);
void ga__product_vector(GpuLaunch *l, const ga__product_operand *o,
                        ptrdiff_t stride);
/* A factor, in the work type of the kernels. */
void ga__product_factor(GpuLaunch *l, int typecode, ga_complex v);
/* alpha, beta, the rounding error of beta, and signs for a complex product.
 * Programs apply a beta many times: rounding 0.9998 to float would show after
 * ten thousand updates with weight decay. */
void ga__product_scale(GpuLaunch *l, const ga__product *p);
/* For a complex dtype, +1, or -1 for a conjugate. Nothing for a real one. */
void ga__product_sign(GpuLaunch *l, int typecode, int conj);
void ga__product_signs(GpuLaunch *l, const ga__product *p);
/* m, n, k and ga__product_scale, which follow the operands of a gemm. */
void ga__product_sizes(GpuLaunch *l, const ga__product *p);

/* --- sums in parts --- */

/* A sum of k products is cut into `parts` parts of `run` products (the last may
 * be shorter). Another kernel or the last group adds up the parts in order. */
typedef struct ga__cut {
  size_t run, parts;
} ga__cut;

/* Cut k into at most `parts` parts (at least one) with `run` a multiple of
 * `step`. */
ga__cut ga__product_cut(size_t k, size_t parts, size_t step);
/* Add the arguments of a cut: run, parts, a workspace with `bytes` bytes per
 * part, and a workspace with `tickets` tickets. With one part there are no
 * workspaces; with 0 tickets, not the second one. Returns the index of the
 * first workspace. */
unsigned int ga__product_cut_args(GpuLaunch *l, const ga__cut *cut,
                                  size_t bytes, size_t tickets);
/* Add a kernel that adds up the parts of a product with a vector. The workspace
 * is [parts, m], or [parts, m + 1] with the sum of B. */
void ga__gemv_join(GpuLaunch *l, const ga__product *p, unsigned int work,
                   size_t parts);

/* --- devices --- */

/* A work-group of [teams, width] work-items on a GPU. */
typedef struct ga__product_group {
  unsigned int width, teams;
} ga__product_group;

/* Reduce the teams of a group, then its width, until the device can run it with
 * `item_bytes` bytes of local memory for each work-item. */
ga__product_group ga__product_fit(gpucontext *ctx, ga__product_group group,
                                  size_t item_bytes);
/* How groups take tickets on this device, by which the last one knows that it
 * adds up the parts; GA_TICKETS_NONE if they cannot. */
ga__gen_tickets ga__product_tickets(gpucontext *ctx);
/* The lanes of a CPU's vectors for a dtype: 4, 8 or 16. An element takes
 * ga__product_parts of them. */
unsigned int ga__product_lanes(gpucontext *ctx, int typecode);
/* 2 for a complex dtype, else 1. */
unsigned int ga__product_parts(int typecode);
/* The dtype of the parts of a complex dtype: GA_FLOAT or GA_DOUBLE. */
int ga__complex_part(int typecode);

#endif
