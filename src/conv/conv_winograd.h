/* SPDX-License-Identifier: BSD-2-Clause */
/* Convolutions by Winograd's algorithm. */
#ifndef CONV_CONV_WINOGRAD_H
#define CONV_CONV_WINOGRAD_H

#include "blas/product_provider.h"
#include "conv/conv_plane.h"

/* For tests: compute a convolution by this algorithm wherever that is possible.
 * It takes no product, so others are computed in the usual way. */
extern const ga__provider ga__conv_winograd;

/* Nonzero if the product is to be computed by Winograd's algorithm. This is the
 * one place that decides it. `by` is NULL or a provider for tests. */
int ga__conv_winograd_wants(const ga__conv_direct *d, const ga__provider *by);
/* Add the kernels. Like all providers, it stores C or applies the epilogue. */
void ga__conv_winograd_add(GpuLaunch *l, const ga__conv_direct *d);

#endif
