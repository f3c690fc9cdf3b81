/* SPDX-License-Identifier: BSD-2-Clause */
/* Convolutions as products with windows (blas/window.h). */
#ifndef CONV_CONV_PRODUCT_H
#define CONV_CONV_PRODUCT_H

#include "conv/conv_ending.h"
#include "conv/conv_shape.h"

/* Add the kernels of `part` to an open launch. The caller has bound the arrays
 * and the epilogue's arguments. Without an epilogue, `end` is NULL. The
 * provider `by` is measured or for tests; NULL: the best one. */
void ga__conv_add(GpuLaunch *l, const ga__conv *given, ga_conv_part part,
                  const ga__conv_ending *end, const ga__provider *by);

#endif
