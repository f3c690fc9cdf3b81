/* SPDX-License-Identifier: BSD-2-Clause */
/* A program made concrete for the shapes of one call: where values lie, and
 * launches with their slots. Made by builder.h. */
#ifndef PLAN_PLAN_H
#define PLAN_PLAN_H

#include <gpuarray/transfer.h>

#include "fuse/step.h"

extern const char gg__host_provider[]; /* of steps that the host computes */

/* Memory that values lie in. */
typedef enum gg__store_kind {
  GG_STORE_INPUT,  /* of the caller */
  GG_STORE_OUTPUT, /* of the caller, or made by the call */
  GG_STORE_SHARED, /* the value of a shared variable */
  GG_STORE_SPARE,  /* the next value of one, which changes places with it */
  GG_STORE_TEMP,   /* of the function; holds one value after the other */
  GG_STORE_CONST,  /* of the function */
  GG_STORE_TABLE   /* of the plan */
} gg__store_kind;

typedef struct gg__store {
  gg__store_kind kind;
  unsigned int index;    /* of its kind */
  gpudata *data;         /* what is bound; the launches retain it */
  size_t offset;         /* bytes */
  unsigned int first, n; /* bindings */
} gg__store;

/* A slot of a launch that holds memory `rel` bytes into a store. */
typedef struct gg__binding {
  unsigned int launch, slot, store;
  ssize_t rel;
} gg__binding;

/* A launch, or a half of a transfer. */
typedef struct gg__launch {
  GpuLaunch *launch;     /* owned, or NULL */
  GpuTransfer *transfer; /* owned by the first half */
  int is_end;            /* the second half */
  unsigned int step;
  double flops; /* of one run, where the launch cannot know */
  /* What is bound to a half of a transfer: it has one slot. The memory is
   * alive when it runs, since it is what was looked up for the call. */
  gpudata *data;
  size_t offset;
} gg__launch;

/* An output that is a view of memory that lies elsewhere. */
typedef struct gg__lent {
  unsigned int output, store;
  ssize_t rel; /* bytes */
  ssize_t strides[GG_MAX_ND];
} gg__lent;

/* What a step has to do with a value. */
typedef enum gg__seen_role {
  GG_SEEN_READ, /* it reads it; of monitored functions */
  GG_SEEN_KEPT, /* an op's kernels read it and must not change it */
  GG_SEEN_WRITTEN
} gg__seen_role;

/* A value in memory: before step `step`, or when it is done. */
typedef struct gg__seen {
  unsigned int step, value, store;
  gg__seen_role role;
  ssize_t rel; /* bytes from the store's start to element 0 */
  ssize_t strides[GG_MAX_ND];
  gg_dims dims;
} gg__seen;

typedef struct gg__plan {
  size_t *key;   /* owned; by which its function finds it, or NULL */
  uint64_t used; /* the last call, counted from 1 */
  GA_VEC(gg__launch) launches;
  GA_VEC(gg__binding) bindings; /* by store */
  GA_VEC(gg__store) stores;
  GA_VEC(unsigned int) outside; /* stores whose memory others may change */
  GA_VEC(gpudata *) tables;     /* owned */
  gg_dims *results;             /* sizes of the results */
  size_t temp_bytes;
  size_t temp_bytes_alone; /* if each value had a buffer of its own */
  size_t n_kernels;
  size_t n_host; /* steps that the host computes */
  size_t n_transfers;
  GA_VEC(gg__seen) seen; /* of watched functions, by step */
  GA_VEC(gg__lent) lent; /* outputs that are views */
} gg__plan;

/* Accepts NULL. */
void gg__plan_free(gg__plan *p);
/* Forget launches and bindings beyond these counts. */
void gg__drop_launches(gg__plan *p, size_t n_launches, size_t n_bindings);

/* Is output k of the plan a view? */
static inline int gg__is_lent(const gg__plan *p, unsigned int k) {
  for (size_t i = 0; i < p->lent.n; i++)
    if (p->lent.v[i].output == k)
      return 1;
  return 0;
}

/* An array over what lies at `s` in a plan that is bound, not to be written to;
 * cleared by the caller. */
int gg__seen_array(const gg__program *p, const gg__plan *plan,
                   const gg__seen *s, GpuArray *out);

#endif
