/* SPDX-License-Identifier: BSD-2-Clause */
/* Launches of direct calls, which a context keeps for later calls with the same
 * geometry: those cost a look-up and the bindings.
 *
 * Every family of calls describes itself by a key: all that a launch depends on
 * but the buffers, their offsets and the values of scalars. */
#ifndef OCL_LAUNCH_CACHE_H
#define OCL_LAUNCH_CACHE_H

#include <gpuarray/launch.h>

#include "base/err.h"

enum { GA_LAUNCH_KEY_MAX = 1024 };

/* A list of numbers. Launches of longer keys are not kept. */
typedef struct ga__launch_key {
  size_t n;
  size_t v[GA_LAUNCH_KEY_MAX];
} ga__launch_key;

/* `family` tells the functions apart that keys are of. */
void ga__launch_key_start(ga__launch_key *k, gpucontext *ctx,
                          const char *family);
void ga__launch_key_number(ga__launch_key *k, size_t v);
void ga__launch_key_double(ga__launch_key *k, double v); /* its bits */
/* NULL counts as a text of its own. */
void ga__launch_key_text(ga__launch_key *k, const char *text);
/* The offset as far as launches depend on it: whether vectors are aligned. */
void ga__launch_key_offset(ga__launch_key *k, size_t offset);
/* Dtype, sizes, strides, flags and offset. */
void ga__launch_key_array(ga__launch_key *k, const GpuArray *a);

/* One call. Launches with equal keys are interchangeable. */
typedef struct ga__cached_call {
  gpucontext *ctx;
  const ga__launch_key *key;
  unsigned int n; /* slots */
  /* By slot: a GpuArray, of which only buffer and offset count, the value of a
   * scalar, or NULL where nothing is bound. */
  const void *const *values;
  /* Makes a launch with all slots bound, or none where nothing is to run. */
  int (*prepare)(GpuLaunch **out, const void *arg);
  const void *arg;
} ga__cached_call;

/* Run the kept launch for this key, or prepare, run and keep one. The least
 * recently used launches leave when there are too many, or when their
 * workspaces are too large together. */
int ga__cached_run(const ga__cached_call *c);

/* Drop all launches that the context keeps. Lock held. */
void ga__cached_drop(gpucontext *ctx);

#endif
