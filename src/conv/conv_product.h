/* SPDX-License-Identifier: BSD-2-Clause */
/* A convolution as products with windows (blas/window.h). */
#ifndef CONV_CONV_PRODUCT_H
#define CONV_CONV_PRODUCT_H

#include "blas/dispatch.h"
#include "conv/conv_shape.h"

/* The strides of an epilogue's argument along the axes of the result, in
 * bytes. */
typedef struct ga__conv_arg {
  ptrdiff_t by[2], s[3];
} ga__conv_arg;

/* An epilogue, whose args have no strides yet, and its strides; or NULL. */
typedef struct ga__conv_ending {
  ga__epilogue *epilogue;
  const ga__conv_arg *args;
} ga__conv_ending;

/* Add the kernels of a part of a convolution to an open launch, to which its
 * arrays are bound. `by` may be NULL; it is for tests. */
void ga__conv_add(GpuLaunch *l, const ga__conv *c, ga_conv_part part,
                  const ga__conv_ending *end, const ga__provider *by);

#endif
