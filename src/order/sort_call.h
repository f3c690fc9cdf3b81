/* SPDX-License-Identifier: BSD-2-Clause */
/* Direct calls of what sorts and selects. */
#ifndef ORDER_SORT_CALL_H
#define ORDER_SORT_CALL_H

#include <gpuarray/array.h>
#include <gpuarray/launch.h>

typedef struct ga__sort_call ga__sort_call;
struct ga__sort_call {
  const char *name;
  const GpuArray *src;
  GpuArray *values, *indices; /* either may be NULL */
  size_t k;                   /* size of the results along the axis */
  unsigned int n_ranks;       /* of elements that are asked for */
  const size_t *ranks;
  unsigned int axis;
  int flags;
  /* Refuses sizes that results cannot have; or NULL. */
  int (*check)(const ga__sort_call *c);
  int (*prepare)(GpuLaunch **out, const ga__sort_call *c);
};

/* Make the results in C order and run a launch of `prepare`, which the
 * context's cache keeps. On failure results are empty. GA_VALUE_ERROR if `src`
 * has no such axis. */
int ga__sort_call_run(const ga__sort_call *c);

#endif
