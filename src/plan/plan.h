/* SPDX-License-Identifier: BSD-2-Clause */
/* Plans: a program made concrete for the shapes of one call. A plan says where
 * values lie and has the launches with their slots. builder.h makes it. */
#ifndef PLAN_PLAN_H
#define PLAN_PLAN_H

#include <gpuarray/transfer.h>

#include "fuse/step.h"

extern const char gg__host_provider[]; /* the provider of ops on the host */

/* Memory that values lie in. */
typedef enum gg__store_kind {
  GG_STORE_INPUT,  /* an argument of the caller */
  GG_STORE_OUTPUT, /* an array of the caller, or one that the call makes */
  GG_STORE_SHARED, /* the value of a shared variable */
  GG_STORE_SPARE,  /* its next value; the call swaps the two at its end */
  GG_STORE_TEMP,   /* of the unit; holds one value after the other */
  GG_STORE_CONST,  /* of the unit */
  GG_STORE_TABLE   /* of the plan: elements that depend on shapes only */
} gg__store_kind;

typedef struct gg__store {
  gg__store_kind kind;
  unsigned int index;    /* among those of its kind */
  gpudata *data;         /* memory that is bound, or NULL; launches retain it */
  size_t offset;         /* bytes */
  unsigned int first, n; /* its bindings in the plan's list */
} gg__store;

/* A slot of a launch holds the memory `rel` bytes into a store. */
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
  double flops; /* of one run; 0: the launch knows */
  size_t made;  /* kernels not taken over by the plans of its bodies */
  /* Memory in the one slot of a half of a transfer. It is not retained: the
   * owner of the store keeps it alive during the call. */
  gpudata *data;
  size_t offset;
} gg__launch;

/* An output that is a view of another store. */
typedef struct gg__lent {
  unsigned int output, store;
  ssize_t rel; /* bytes */
  ssize_t strides[GG_MAX_ND];
} gg__lent;

/* How a step uses a value. */
typedef enum gg__seen_role {
  GG_SEEN_READ, /* the step reads it; only recorded for monitors */
  GG_SEEN_KEPT, /* the kernels of an op read it and must not change it */
  GG_SEEN_WRITTEN
} gg__seen_role;

/* Where a value lies: before step `step` if the step reads it, after it if the
 * step writes it. */
typedef struct gg__seen {
  unsigned int step, value, store;
  gg__seen_role role;
  ssize_t rel; /* bytes from the store's start to element 0 */
  ssize_t strides[GG_MAX_ND];
  gg_dims dims;
} gg__seen;

typedef struct gg__plan {
  size_t *key;   /* owned; its function finds it by this. NULL in bodies */
  uint64_t used; /* the last call that ran it, from 1; before it runs: the call
                    after which it was prepared */
  uint64_t runs; /* calls that ran it */
  GA_VEC(gg__launch) launches;
  GA_VEC(gg__binding) bindings; /* sorted by store */
  GA_VEC(gg__store) stores;
  GA_VEC(unsigned int) outside; /* stores whose memory may change per call */
  GA_VEC(gpudata *) tables;     /* owned */
  gg_dims *results;             /* sizes of the results */
  size_t temp_bytes;
  size_t temp_bytes_alone; /* if each value had a buffer of its own */
  size_t n_kernels;
  size_t n_made; /* kernels not taken over from an older plan, also in bodies */
  size_t n_host; /* launches of ops on the host */
  size_t n_transfers;
  size_t at_once; /* of a body: all iterations, if one run makes them; 0: a run
                     makes one */
  GA_VEC(gg__seen) seen; /* for watched calls; in the order of steps */
  GA_VEC(gg__lent) lent; /* outputs that are views */
} gg__plan;

/* Free a plan. Accepts NULL. */
void gg__plan_free(gg__plan *p);
/* Empty a plan that has no launches, except for `key` and `results`. Its lists
 * keep their memory. */
void gg__plan_reset(gg__plan *p);
/* Free the launches and drop the bindings beyond these counts. */
void gg__drop_launches(gg__plan *p, size_t n_launches, size_t n_bindings);

/* Is output k of the plan a view? */
static inline int gg__is_lent(const gg__plan *p, unsigned int k) {
  for (size_t i = 0; i < p->lent.n; i++)
    if (p->lent.v[i].output == k)
      return 1;
  return 0;
}

/* Make a read-only array of the value at `s`; the plan is bound. The caller
 * clears the array. */
int gg__seen_array(const gg__program *p, const gg__plan *plan,
                   const gg__seen *s, GpuArray *out);

#endif
