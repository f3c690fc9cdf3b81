/* SPDX-License-Identifier: BSD-2-Clause */
/* Renewing a launch: one that is recorded for other sizes takes over the
 * kernels and workspaces of the launch that it replaces. A kernel is taken over
 * if the key of its source is the same, and then only the arguments that differ
 * are set. So new sizes cost arithmetic and comparisons. Families make keys
 * with ga__launch_again; kernels of others are made anew. */
#ifndef OCL_LAUNCH_RENEW_H
#define OCL_LAUNCH_RENEW_H

#include <gpuarray/launch.h>

#include "ocl/launch_key.h"

/* The launch that was offered to this thread, emptied, if it is one of this
 * context with so many slots; else NULL, and it is freed. */
GpuLaunch *ga__launch_take(gpucontext *ctx, unsigned int n_slots);
/* Add the kernel that the launch which `l` renews has in the same place, if it
 * was made from the same key. Returns 0 if not: then the caller adds it. The
 * key tells everything that the source depends on, except the context and
 * whether it flushes subnormals. */
int ga__launch_again(GpuLaunch *l, const ga__launch_key *key, unsigned int nd,
                     const size_t *gs, const size_t *ls);
/* Store the key of the kernel that was added last. */
void ga__launch_remember(GpuLaunch *l, const ga__launch_key *key);
/* Nonzero if kernels that this thread adds now flush subnormals. */
int ga__launch_flushes(const gpucontext *ctx);
/* A workspace of the launch that `l` renews, for the next one that `l` needs;
 * NULL if its size does not suit. */
gpudata *ga__launch_old_work(GpuLaunch *l, size_t bytes);
/* Note that workspace `work` is full of zeros between runs. Returns whether it
 * is so already. */
int ga__launch_has_zeros(GpuLaunch *l, unsigned int work);

#endif
