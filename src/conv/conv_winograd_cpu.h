/* SPDX-License-Identifier: BSD-2-Clause */
/* Winograd's algorithm on CPUs. */
#ifndef CONV_CONV_WINOGRAD_CPU_H
#define CONV_CONV_WINOGRAD_CPU_H

#include "conv/conv_plane.h"

/* For a convolution that conv_winograd.c takes: nonzero if the kernel for CPUs
 * can compute it, and if it is then faster than a product with a window. */
int ga__conv_winograd_cpu_takes(const ga__conv_direct *d);
int ga__conv_winograd_cpu_pays(const ga__product *p);
/* Add the kernels. */
void ga__conv_winograd_cpu_add(GpuLaunch *l, const ga__conv_direct *d);

#endif
