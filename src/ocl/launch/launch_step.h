/* SPDX-License-Identifier: BSD-2-Clause */
/* The steps of launches: kernels with their arguments, or host functions. */
#ifndef OCL_LAUNCH_LAUNCH_STEP_H
#define OCL_LAUNCH_LAUNCH_STEP_H

#include <gpuarray/record.h>
#include <string.h>

#include "base/assert.h"
#include "base/shared_text.h"
#include "base/vec.h"
#include "ocl/clerror.h"
#include "ocl/launch/launch_key.h"

/* The longest value of an argument. */
#define GA_ARG_BYTES 16

/* What an argument of a kernel is set to. Bytes of v that are not used are 0,
 * so that values are compared as bytes. */
typedef struct ga__arg_value {
  size_t bytes; /* ~bytes for local memory; 0: unknown */
  unsigned char v[GA_ARG_BYTES];
} ga__arg_value;

GA_NO_PADDING(ga__arg_value, sizeof(size_t) + GA_ARG_BYTES);

/* A value of `bytes` bytes. */
static inline ga__arg_value ga__arg_of(const void *v, size_t bytes) {
  ga__arg_value a = {.bytes = bytes};

  GA_ASSERT(bytes <= GA_ARG_BYTES);
  memcpy(a.v, v, bytes);
  return a;
}

/* A kernel (`kernel` is set), or a host function that enqueues (`fn` is
 * set). */
typedef struct ga__step {
  cl_kernel kernel;
  unsigned int nd, n_args;
  int has_ls, is_empty;
  size_t gs[3], ls[3];     /* in work-items */
  ga__shared_text *source; /* without the prelude */
  size_t *key, n_key; /* what the source follows from (launch_renew.h); owned;
                          NULL: unknown */
  uint64_t key_hash;  /* of the key */
  GA_VEC(ga__arg_value) values; /* by argument; empty for users' kernels */
  GpuLaunch_fn fn;
  void *state;          /* owned */
  void (*drop)(void *); /* frees `state`; NULL: ga__free */
  const char *provider;
} ga__step;

void ga__step_clear(ga__step *s);
/* Check that a device which counts up to `most` work-items can run a step of
 * launch `label` with so many. */
int ga__step_check(const char *label, size_t most, unsigned int nd,
                   const size_t *gs);
/* Set a kernel's work-items. `ls` may be NULL. */
void ga__step_shape(ga__step *s, unsigned int nd, const size_t *gs,
                    const size_t *ls);

/* Nonzero if the step's source follows from this key. */
int ga__step_has_key(const ga__step *s, const ga__launch_key *key);

/* Nonzero if this value of an argument is known, and is `a`. */
static inline int ga__step_holds(const ga__step *s, unsigned int index,
                                 const ga__arg_value *a) {
  return index < s->values.n && memcmp(&s->values.v[index], a, sizeof *a) == 0;
}

/* Set one argument of a kernel. `may_keep`: not if the kernel has this value
 * already. */
int ga__step_set(ga__step *s, unsigned int index, const ga__arg_value *a,
                 int may_keep);

#endif
