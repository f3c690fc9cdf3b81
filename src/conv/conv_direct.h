/* SPDX-License-Identifier: BSD-2-Clause */
/* Convolutions with few channels in a group that read x directly. */
#ifndef CONV_CONV_DIRECT_H
#define CONV_CONV_DIRECT_H

#include "blas/product.h"

/* A product of conv_product.c. All members are borrowed. */
typedef struct ga__conv_direct {
  const ga__product *p; /* with a window; the column stride of A and the slots
                            of other providers do not count */
  const ptrdiff_t *a;   /* strides of A for the digits of sums, in elements */
  int has_long_sums;    /* a gradient by filters */
} ga__conv_direct;

/* Nonzero if the product is to be computed directly. This is the one place that
 * decides it. */
int ga__conv_direct_wants(const ga__conv_direct *d);
/* Add the kernels. Like all providers, it stores C or applies the epilogue. */
void ga__conv_direct_add(GpuLaunch *l, const ga__conv_direct *d);

#endif
