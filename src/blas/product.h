/* SPDX-License-Identifier: BSD-2-Clause */
/* Products of matrices and vectors as descriptions, and what the kernels that
 * compute them have in common.
 *
 * Row and column order, transposes and leading dimensions are all one thing
 * here: two strides per matrix. Real and complex products are described alike.
 * Whoever fills a description has checked that its operands lie inside their
 * buffers.
 *
 * The way of a product: blas.c and src/linalg check arguments and describe it;
 * direct.h runs it at once, dispatch.h prepares a launch; dispatch.c chooses a
 * provider (product_provider.h) from its table; each provider is a file of its
 * own, which adds kernels to the launch with the functions below. */
#ifndef BLAS_PRODUCT_H
#define BLAS_PRODUCT_H

#include <gpuarray/blas_complex.h>
#include <limits.h>

#include "base/strb.h"
#include "blas/epilogue.h"
#include "codegen/gen_product.h"
#include "ocl/ocl.h"

/* An operand. Element (row, column) of matrix z of a batch lies
 * row * rs + column * cs + z * bs elements after `off`. */
typedef struct ga__operand {
  gpudata *buf;      /* borrowed */
  size_t off;        /* bytes, to the element with indices 0 */
  ptrdiff_t rs, cs;  /* elements, of any sign */
  ptrdiff_t bs;      /* elements */
  unsigned int slot; /* of the launch, or GA_NO_SLOT: absent, not touched */
} ga__operand;

#define GA_NO_SLOT UINT_MAX

/* The routines of BLAS that are products. They differ in which operands are
 * vectors: columns, with a size and a stride along rows alone, or rows. */
typedef enum ga__routine {
  GA_ROUTINE_GEMM, /* C = alpha A B + beta C, `batch` times */
  GA_ROUTINE_GEMV, /* n is 1: B and C are columns */
  GA_ROUTINE_GER,  /* k is 1: A is a column, B a row; beta counts as 1 */
  GA_ROUTINE_DOT,  /* m and n are 1: A is a row, B a column, C one element;
                      alpha counts as 1, beta as 0 */
  GA_ROUTINES
} ga__routine;

/* What the operands a, b and c of a routine are: 'm', matrices; 'c', columns;
 * 'r', rows. */
extern const char ga__operand_forms[GA_ROUTINES][4];

/* C = alpha A B + beta C: A is [m, k], B [k, n], C [m, n], of GA_HALF,
 * GA_FLOAT, GA_DOUBLE, GA_CFLOAT or GA_CDOUBLE. Strides count numbers. Real
 * factors have no imaginary part, and conjugates of real operands do not count.
 * With a beta of 0, C is not read. With an epilogue, C is not written; if it is
 * not read either, it is absent: its strides only say how results lie. */
typedef struct ga__product {
  gpucontext *ctx;
  ga__routine routine;
  int typecode;
  size_t m, n, k, batch;
  ga_complex alpha, beta;
  int conj_a, conj_b; /* so that a transpose is a matter of strides here too */
  ga__operand a, b, c;
  const ga__epilogue *epilogue; /* or NULL; of one real product */
  int turned; /* the epilogue's arguments are to the transpose of this */
} ga__product;

/* --- descriptions --- */

int ga__complex_is_zero(ga_complex v);
/* GA_DEVSUP_ERROR for doubles, complex ones too, on a device without them. */
int ga__product_support(gpucontext *ctx, int typecode);
/* In a gemm or gemv, without alpha no sums of k products count, and without
 * sums no alpha, which may be a NaN. */
void ga__product_drop(ga__product *p);
/* The same product, transposed. */
void ga__product_transpose(ga__product *p);
/* The transposed product if that gives C rows along its unit stride. */
void ga__product_turn(ga__product *p);
/* Which stride of a matrix of `rows` x `cols` is 1: 1 the one along a row, 2
 * the one along a column, 0 neither; 1 when both. */
int ga__product_unit(const ga__operand *o, size_t rows, size_t cols);
/* Is the sum of B, a vector, wanted beside the product? */
int ga__product_sums(const ga__product *p);

/* --- launches --- */

/* A launch with the operands bound, if they have buffers, what the epilogue
 * has, and the bytes that must move and the arithmetic that must be done. NULL
 * when memory is out, as all that adds to launches accepts. */
GpuLaunch *ga__product_open(const ga__product *p);
/* A kernel of cl/<name>.cl behind `defines`, which are cleared, and behind
 * cl/complex_pairs.cl for a complex dtype. */
void ga__product_kernel(GpuLaunch *l, int typecode, const char *name,
                        const char *entry, ga__strb *defines, unsigned int nd,
                        const size_t *gs, const size_t *ls);
/* How a kernel ends that puts `lanes` results at once. */
ga__ending ga__product_ending(const ga__product *p, unsigned int lanes);

/* --- kernel arguments --- */

/* Buffer, byte offset, and strides. */
void ga__product_matrix(GpuLaunch *l, const ga__operand *o, int with_batch);
void ga__product_vector(GpuLaunch *l, const ga__operand *o, ptrdiff_t stride);
/* A factor in the type that the kernels work in. */
void ga__product_factor(GpuLaunch *l, int typecode, ga_complex v);
/* alpha, beta, and signs for a complex product. Behind beta comes what rounding
 * took off it, as it is applied again and again: the rounding of 0.9998 to float
 * alone would show after ten thousand steps of weight decay. */
void ga__product_scale(GpuLaunch *l, const ga__product *p);
/* Of a complex product: +1, or -1 for a conjugate. */
void ga__product_sign(GpuLaunch *l, int typecode, int conj);
void ga__product_signs(GpuLaunch *l, const ga__product *p);
/* m, n, k and ga__product_scale: what follows the operands of a gemm. */
void ga__product_sizes(GpuLaunch *l, const ga__product *p);

/* --- sums in parts --- */

/* A sum of k products in `parts` of `run`, which another kernel or the last
 * group adds up in their order. */
typedef struct ga__cut {
  size_t run, parts;
} ga__cut;

/* At most `parts`, or one; `run` is a multiple of `step`. */
ga__cut ga__product_cut(size_t k, size_t parts, size_t step);
/* run, parts, a workspace of `bytes` for each of several parts, and as many
 * tickets for them, if groups take some. Returns the workspace. */
unsigned int ga__product_cut_args(GpuLaunch *l, const ga__cut *cut,
                                  size_t bytes, size_t tickets);
/* Add up the parts of a product with a vector: parts[part][row]. */
void ga__gemv_join(GpuLaunch *l, const ga__product *p, unsigned int work,
                   size_t parts);

/* --- devices --- */

/* A group of `width` by `teams` work-items on a GPU, shared out on two
 * dimensions. */
typedef struct ga__product_group {
  unsigned int width, teams;
} ga__product_group;

/* The group with fewer teams, then narrower, until the device can have it with
 * `item_bytes` of local memory for each work-item. */
ga__product_group ga__product_fit(gpucontext *ctx, ga__product_group group,
                                  size_t item_bytes);
/* May groups leave parts to the last one of them on this device? */
ga__gen_tickets ga__product_tickets(gpucontext *ctx);
/* The lanes that a CPU's vectors have for a dtype, or for the parts of complex
 * numbers: 4, 8 or 16. A number takes ga__product_parts of them. */
unsigned int ga__product_lanes(gpucontext *ctx, int typecode);
/* 2 for a complex dtype, else 1. */
unsigned int ga__product_parts(int typecode);
/* GA_FLOAT or GA_DOUBLE for a complex dtype: what its parts are. */
int ga__complex_part(int typecode);

#endif
