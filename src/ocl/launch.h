/* SPDX-License-Identifier: BSD-2-Clause */
/* What a prepared launch is made of: a flat list of steps, and the arguments
 * among them that follow a slot. */
#ifndef OCL_LAUNCH_H
#define OCL_LAUNCH_H

#include <gpuarray/record.h>

#include "base/vec.h"
#include "ocl/index_guard.h"
#include "ocl/objects.h"

/* Profiled steps in flight before their times are read. */
#define GA_SPANS_MAX 64
/* The offset in a slot that was let go of. */
#define GA_NO_OFFSET SIZE_MAX
/* It is not known which offset the kernels have. */
#define GA_ANY_OFFSET (SIZE_MAX - 1)
/* Slots of a launch's own, at most. */
#define GA_OWN_SLOTS 2

typedef enum ga__arg_kind {
  GA_ARG_BUFFER,
  GA_ARG_OFFSET,
  GA_ARG_VALUE
} ga__arg_kind;

/* An argument that follows a slot. */
typedef struct ga__slot_arg {
  ga__arg_kind kind;
  unsigned int slot, step, index;
  size_t rel;   /* GA_ARG_OFFSET: added to the slot's */
  size_t bytes; /* GA_ARG_VALUE */
} ga__slot_arg;

/* A kernel, or a host call that enqueues. */
typedef struct ga__step {
  cl_kernel kernel;
  unsigned int nd, n_args;
  int has_ls, is_empty;
  size_t gs[3], ls[3]; /* in work-items */
  char *source;        /* without the prelude; owned */
  GpuLaunch_fn fn;
  void *state;          /* owned */
  void (*drop)(void *); /* frees it; NULL: ga__free */
  const char *provider;
} ga__step;

/* Where a kernel's arguments for the index guard begin (launch_guard.c). */
typedef struct ga__guard_arg {
  unsigned int step, index;
} ga__guard_arg;

/* The commands of one profiled step lie between two events, which are the
 * same for a kernel. */
typedef struct ga__span {
  cl_event first, last;
} ga__span;

struct GpuLaunch {
  gpucontext *ctx; /* retained */
  char *label;
  int err;                   /* sticky until sealed */
  GA_VEC(GpuArray *) arrays; /* of the slots, while it is recorded */
  char *head;                /* in front of code, while it is recorded */
  GA_VEC(ga__step) steps;
  GA_VEC(ga__slot_arg) args; /* sorted by slot when it is sealed */
  size_t *first;             /* per slot and one more: where its args begin;
                                NULL until it is sealed */
  GA_VEC(gpudata *) works;
  GA_VEC(ga__guard_arg) guards;
  ga__indexing indexing; /* of the kernels with a guard */
  int is_guarded;
  unsigned int n_slots; /* for callers */
  unsigned int n_open;  /* of those: let go of and not bound again */
  unsigned int n_own;   /* behind those: bound to works for good */
  gpudata **bufs;       /* per slot, retained, own ones not; NULL for values */
  size_t *offs;         /* bytes */
  size_t *aligns;       /* what offsets must be multiples of */
  double bytes, flops;
  uint64_t calls; /* profiled */
  double seconds;
  ga__span *spans; /* GA_SPANS_MAX, allocated when profiling begins */
  unsigned int n_spans;
};

void ga__step_clear(ga__step *s);

/* Check that this buffer may be bound to the slot, which exists. */
int ga__launch_check(const GpuLaunch *l, unsigned int slot, const gpudata *buf,
                     size_t off);
/* Set one argument that is a buffer or an offset. */
int ga__slot_set(GpuLaunch *l, const ga__slot_arg *a, const gpudata *buf,
                 size_t off);
/* Run with arrays and scalars by slot; NULL leaves a slot as it is. The arrays
 * are not retained, so no slot has a buffer before or afterwards. Lock held. */
int ga__launch_run_with(GpuLaunch *l, unsigned int n,
                        const void *const *values);
/* Retain the buffer in the slot in place of the old one. */
void ga__launch_keep(GpuLaunch *l, unsigned int slot, gpudata *buf, size_t off);

#endif
