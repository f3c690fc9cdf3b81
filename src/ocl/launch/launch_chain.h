/* SPDX-License-Identifier: BSD-2-Clause */
/* Slots of kernels whose groups hand sums on (cl/chain.cl). */
#ifndef OCL_LAUNCH_LAUNCH_CHAIN_H
#define OCL_LAUNCH_LAUNCH_CHAIN_H

#include "ocl/ocl.h"

/* Add a kernel that clears slots of n words. Returns their workspace, which is
 * an argument of the kernel that uses them. */
unsigned int ga__launch_chain_slots(GpuLaunch *l, gpucontext *ctx, size_t n);

#endif
