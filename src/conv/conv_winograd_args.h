/* SPDX-License-Identifier: BSD-2-Clause */
/* Filters of Winograd's algorithm, which reads them forwards. A gradient by
 * input reads them backwards: along dimensions where pt of the window is -1. */
#ifndef CONV_CONV_WINOGRAD_ARGS_H
#define CONV_CONV_WINOGRAD_ARGS_H

#include "blas/product.h"

/* The same window with filters that are read forwards. */
ga__window ga__conv_winograd_window(const ga__window *given);
/* Add the arguments of A: the operand, the first element of a filter, and
 * strides across channels, down and along a filter. `a` has the strides of A
 * for the digits of sums. */
void ga__conv_winograd_filter_args(GpuLaunch *l, const ga__product *p,
                                   const ptrdiff_t *a);

#endif
