/* SPDX-License-Identifier: BSD-2-Clause */
/* The launch cache: a context stores launches of direct calls for later calls
 * with the same geometry, which then cost a look-up and the bindings.
 *
 * Each family of calls has a key for each call: all that its launch depends on,
 * except buffers, offsets and values of scalars. */
#ifndef OCL_LAUNCH_LAUNCH_CACHE_H
#define OCL_LAUNCH_LAUNCH_CACHE_H

#include <gpuarray/launch.h>

#include "ocl/launch/launch_key.h"

/* One call. Launches with equal keys are interchangeable. */
typedef struct ga__cached_call {
  gpucontext *ctx;
  const ga__launch_key *key;
  unsigned int n; /* slots */
  /* By slot: a GpuArray, of which only buffer and offset are used; the value of
   * a scalar; or NULL where nothing is bound. */
  const void *const *values;
  /* Makes a launch with all slots bound, or sets *out to NULL if there is
   * nothing to run. */
  int (*prepare)(GpuLaunch **out, const void *arg);
  const void *arg;
} ga__cached_call;

/* Run the cached launch for this key, or prepare one, run it and cache it. The
 * least recently used launches are freed when there are too many, or when their
 * workspaces are too large together. */
int ga__cached_run(const ga__cached_call *c);

/* Empty the launch cache. Lock held. */
void ga__cached_drop(gpucontext *ctx);

#endif
