/* SPDX-License-Identifier: BSD-2-Clause */
/* Arrays as operands of products: checked, described by strides in elements,
 * and copied where BLAS cannot describe them.
 *
 * A matrix can be described when one of its strides is one element and the
 * other, which is positive, leaps over that line; a vector whenever its stride
 * is a whole number of elements. */
#ifndef LINALG_ARRAY_OPERAND_H
#define LINALG_ARRAY_OPERAND_H

#include <gpuarray/array.h>

#include "base/dtype.h"
#include "blas/direct.h"

/* An operand on its way: the caller's array, or a copy of it. */
typedef struct ga__array_operand {
  const char *name; /* "A" */
  GpuArray *given;
  GpuArray copy; /* zeroed, or to be used in place of `given` */
  cb_transpose trans;
} ga__array_operand;

/* The operands of a product in its routine's order. The third one may have no
 * array, and the product then has no batch. */
typedef struct ga__array_product {
  ga__routine routine;
  ga__kind kind; /* GA_KIND_FLOAT or GA_KIND_COMPLEX */
  int is_batch;  /* of matrices: all three have a dimension more */
  ga__array_operand o[3];
} ga__array_product;

/* Are these arrays with the dimensions that the routine asks for, of one type,
 * which is of `kind`, and in one context? The third one is written to if
 * `is_written`. Transposes are checked, too. */
int ga__array_product_check(const ga__array_product *a, int is_written);
/* Fill in the sizes of the product, context and dtype; do they fit? */
int ga__array_product_fit(ga__product *p, const ga__array_product *a);
/* Describe operand i, or a copy of it if it must be, in *to. The contents of
 * one that is not read are not copied. */
int ga__array_product_take(ga__operand *to, ga__array_product *a, int i,
                           int nocopy, int is_read);
/* Store a result that was computed in a copy. */
int ga__array_product_give(ga__array_product *a);
/* Release the copies. */
void ga__array_product_clear(ga__array_product *a);

#endif
