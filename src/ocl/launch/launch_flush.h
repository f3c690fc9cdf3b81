/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether the launches that a thread prepares flush subnormals
 * (GpuLaunch_flush_subnormals). */
#ifndef OCL_LAUNCH_LAUNCH_FLUSH_H
#define OCL_LAUNCH_LAUNCH_FLUSH_H

#include <gpuarray/launch.h>

/* Nonzero if kernels that this thread adds now flush subnormals. */
int ga__launch_flushes(const gpucontext *ctx);

#endif
