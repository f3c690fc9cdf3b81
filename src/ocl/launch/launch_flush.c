/* SPDX-License-Identifier: BSD-2-Clause */
#include "ocl/launch/launch_flush.h"

#include "ocl/objects.h"

/* Nonzero if launches that this thread prepares flush subnormals. */
static _Thread_local int flushes;

int GpuLaunch_flush_subnormals(int on) {
  const int before = flushes;

  flushes = on != 0;
  return before;
}

int ga__launch_flushes(const gpucontext *ctx) {
  return flushes && ctx->dev.caps.is_cpu;
}
