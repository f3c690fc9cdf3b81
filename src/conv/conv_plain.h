/* SPDX-License-Identifier: BSD-2-Clause */
/* Convolutions whose filters have one element as products without windows. */
#ifndef CONV_CONV_PLAIN_H
#define CONV_CONV_PLAIN_H

#include "conv/conv_ending.h"

/* A product with a window, which ga__conv_plain_* may replace by strides. All
 * members are borrowed. */
typedef struct ga__conv_plain {
  ga__product *p;
  const ga__window *w;        /* that of p */
  const ptrdiff_t *a;         /* strides of A for the digits of sums */
  const ga__conv_ending *end; /* or NULL */
} ga__conv_plain;

/* For a forward product or a gradient by input whose columns lie along the last
 * spatial dimension and which reads no padding. Then any provider may compute
 * the product. With several images it becomes a batch of one product for each
 * image, unless each image has only one column. These keep the window: products
 * that would need two batch strides, for images and groups; and operands with a
 * `rel`, which other providers do not know. */
void ga__conv_plain_columns(const ga__conv_plain *c);
/* For a gradient by filters that reads no padding, on a GPU. Return 1 if the
 * product has strides now, so that A need not be copied. Unless terms are
 * evenly spaced in A and in B, its sum is one in lines (blas/product.h). */
int ga__conv_plain_filters(const ga__conv_plain *c);

#endif
