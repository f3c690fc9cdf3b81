/* SPDX-License-Identifier: BSD-2-Clause */
/* Convolutions with few channels in a group: what their kernels have in common,
 * and those of short lines on CPUs. */
#ifndef CONV_CONV_PLANE_H
#define CONV_CONV_PLANE_H

#include "blas/product.h"

/* A product of conv_work.c. All members are borrowed. */
typedef struct ga__conv_direct {
  const ga__product *p; /* with a window; the column stride of A and the slots
                            of other providers do not count */
  const ptrdiff_t *a;   /* strides of A for the digits of sums, in elements */
  int has_long_sums;    /* a gradient by filters */
} ga__conv_direct;

/* Add the arguments of A and B. */
void ga__conv_direct_factors(GpuLaunch *l, const ga__conv_direct *d);

/* Nonzero if a product whose columns are read directly is to be computed with a
 * copy of parts of planes of x. */
int ga__conv_plane_wants(const ga__conv_direct *d);
void ga__conv_plane_add(GpuLaunch *l, const ga__conv_direct *d);

#endif
