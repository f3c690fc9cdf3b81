/* SPDX-License-Identifier: BSD-2-Clause */
/* Arrays as operands of products: checked, described by strides in elements,
 * and copied where BLAS cannot describe them.
 *
 * BLAS describes a matrix if one stride is one element and the other is
 * positive and at least a line long, and a vector if its stride is a multiple
 * of the element size. */
#ifndef LINALG_ARRAY_OPERAND_H
#define LINALG_ARRAY_OPERAND_H

#include <gpuarray/array.h>

#include "base/dtype.h"
#include "blas/direct.h"

/* An operand: the caller's array, or a copy of it. */
typedef struct ga__array_operand {
  const char *name; /* "A" */
  GpuArray *given;
  GpuArray copy; /* owned; used instead of `given` unless zeroed */
  cb_transpose trans;
} ga__array_operand;

/* The operands of a product, in the order of its routine. The third may have no
 * array. */
typedef struct ga__array_product {
  ga__routine routine;
  ga__kind kind; /* GA_KIND_FLOAT or GA_KIND_COMPLEX */
  int is_batch;  /* all three have one more dimension, the first */
  ga__array_operand o[3];
} ga__array_product;

/* Check that all operands are arrays of the ranks that the routine needs, of
 * one dtype of `kind`, and in one context; check transposes, too. With
 * `is_written` the third one must be writeable. */
int ga__array_product_check(const ga__array_product *a, int is_written);
/* Set context, routine, dtype and sizes of the product; GA_VALUE_ERROR when the
 * sizes do not agree. */
int ga__array_product_fit(ga__product *p, const ga__array_product *a);
/* Describe operand i in *to, after making a copy if that is needed; with
 * `nocopy` that is GA_COPY_ERROR. Unless `is_read`, the copy is not
 * initialised. */
int ga__array_product_take(ga__product_operand *to, ga__array_product *a, int i,
                           int nocopy, int is_read);
/* Write a result that was computed in a copy to the caller's array. */
int ga__array_product_give(ga__array_product *a);
/* Release the copies. */
void ga__array_product_clear(ga__array_product *a);

#endif
