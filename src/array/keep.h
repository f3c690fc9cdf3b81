/* SPDX-License-Identifier: BSD-2-Clause */
/* Launches of direct calls, kept in the context for the next call with the
 * same geometry: that one costs a look-up and the bindings. */
#ifndef ARRAY_KEEP_H
#define ARRAY_KEEP_H

#include <gpuarray/launch.h>

#include "base/err.h"

enum { GA_KEEP_NUMBERS = 512 };

/* Which function a key is of. */
typedef enum ga__keep_what {
  GA_KEEP_ARANGE,
  GA_KEEP_REDUCE,
  GA_KEEP_TAKE,
  GA_KEEP_PUT,
  GA_KEEP_CHECK,
  GA_KEEP_WHERE,
  GA_KEEP_RANDOM,
  GA_KEEP_ADVANCE
} ga__keep_what;

/* Everything that a launch depends on but its buffers, as a list of numbers.
 * A call with more numbers than fit is not kept. */
typedef struct ga__keep_key {
  size_t n;
  size_t v[GA_KEEP_NUMBERS];
} ga__keep_key;

void ga__keep_start(ga__keep_key *k, gpucontext *ctx, ga__keep_what what);
void ga__keep_number(ga__keep_key *k, size_t v);
/* NULL counts as a text of its own. */
void ga__keep_text(ga__keep_key *k, const char *text);
/* Dtype, sizes, strides, and what checks and loads depend on: flags, and the
 * offset as far as vectors are concerned. */
void ga__keep_array(ga__keep_key *k, const GpuArray *a);

/* One call. Launches of equal keys are exchangeable. */
typedef struct ga__keep_call {
  gpucontext *ctx;
  const ga__keep_key *key;
  unsigned int n;                /* slots */
  const GpuArray *const *arrays; /* by slot; NULL where nothing is bound */
  int (*prepare)(GpuLaunch **out, const void *arg); /* binds all slots */
  const void *arg;
} ga__keep_call;

/* Run the kept launch for this key, or prepare, run and keep one. Those with
 * large workspaces are not kept. */
int ga__keep_run(const ga__keep_call *c);

#endif
