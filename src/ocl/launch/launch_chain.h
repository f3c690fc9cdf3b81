/* SPDX-License-Identifier: BSD-2-Clause */
/* Slots of kernels whose groups hand sums on (cl/chain.cl). */
#ifndef ORDER_CHAIN_H
#define ORDER_CHAIN_H

#include "ocl/ocl.h"

/* Add a kernel that clears slots of n words. Returns their workspace, which is
 * an argument of the kernel that uses them. */
unsigned int ga__chain_clear(GpuLaunch *l, gpucontext *ctx, size_t n);

#endif
