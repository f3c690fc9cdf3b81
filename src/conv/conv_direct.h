/* SPDX-License-Identifier: BSD-2-Clause */
/* Convolutions with few channels in a group that read x directly. */
#ifndef CONV_CONV_DIRECT_H
#define CONV_CONV_DIRECT_H

#include "conv/conv_plane.h"

/* Nonzero if the product is to be computed directly. This is the one place that
 * decides it. */
int ga__conv_direct_wants(const ga__conv_direct *d);
/* Add the kernels. Like all providers, it stores C or applies the epilogue. */
void ga__conv_direct_add(GpuLaunch *l, const ga__conv_direct *d);

#endif
