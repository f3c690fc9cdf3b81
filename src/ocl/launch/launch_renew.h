/* SPDX-License-Identifier: BSD-2-Clause */
/* Renewing a launch: a launch that is prepared for other sizes takes over the
 * kernels and workspaces of the launch that it replaces. It takes over a kernel
 * if the key of its source is equal, and then sets only the arguments that
 * differ; kernels that are left over wait for other launches (spare_kernels.h).
 * A launch that finds no kernel to take over copies one that some launch had
 * before (kernel_patterns.h). So new sizes cost arithmetic and comparisons, but
 * no compilation.
 * Only families that make keys and call ga__launch_again take kernels over. */
#ifndef OCL_LAUNCH_LAUNCH_RENEW_H
#define OCL_LAUNCH_LAUNCH_RENEW_H

#include <gpuarray/launch.h>

#include "ocl/launch/launch_key.h"

/* Take the launch that was offered to this thread, and empty it. NULL if none
 * was offered. A launch of another context, or with another number of slots, is
 * freed, and the result is NULL. */
GpuLaunch *ga__launch_take(gpucontext *ctx, unsigned int n_slots);
/* Add the kernel that has the same position in the launch that `l` renews, if
 * its key is equal, or else a spare kernel with this key, or else a copy of a
 * pattern (kernel_patterns.h). Returns 0 if there is none: then the caller adds
 * the kernel.
 * The key must determine the source, apart from the context. `gs` and `ls` are
 * in work-items; `ls` may be NULL. */
int ga__launch_again(GpuLaunch *l, const ga__launch_key *key, unsigned int nd,
                     const size_t *gs, const size_t *ls);
/* Store a copy of the key with the kernel that was added last, which becomes a
 * pattern, unless the key is longer than GA_LAUNCH_KEY_MAX. */
void ga__launch_remember(GpuLaunch *l, const ga__launch_key *key);
/* Take the workspace that has the position of the next one of `l` in the launch
 * that `l` renews. NULL if there is none, or if it has less than `bytes` or
 * more than about twice as many. The caller owns it. */
gpudata *ga__launch_old_work(GpuLaunch *l, size_t bytes);
/* Record that workspace `work` holds only zeros between runs. Returns nonzero
 * if it does so already, because it was taken over from the old launch. */
int ga__launch_has_zeros(GpuLaunch *l, unsigned int work);

#endif
