/* SPDX-License-Identifier: BSD-2-Clause */
/* The structure of a prepared launch: a list of steps, and those of their
 * arguments that follow a slot. */
#ifndef OCL_LAUNCH_LAUNCH_H
#define OCL_LAUNCH_LAUNCH_H

#include <gpuarray/record.h>
#include <limits.h>

#include "base/vec.h"
#include "ocl/launch/launch_step.h"
#include "ocl/memory/index_guard.h"
#include "ocl/objects.h"

/* At most so many profiled steps are in flight; then their times are read. */
#define GA_SPANS_MAX 64
/* Offset of a slot that GpuLaunch_unbind has emptied. */
#define GA_NO_OFFSET SIZE_MAX
/* The offset that the kernels have is unknown. */
#define GA_ANY_OFFSET (SIZE_MAX - 1)
/* At most so many slots belong to the launch itself. */
#define GA_OWN_SLOTS 24
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

GA_NO_PADDING(ga__slot_arg, 4 * sizeof(unsigned int) + 2 * sizeof(size_t));

/* An argument that is a workspace. */
typedef struct ga__work_arg {
  unsigned int work, step, index;
} ga__work_arg;

/* A workspace that a caller may provide: the bytes that kernels need, and the
 * slot of the launch itself that it is bound to, or
 * GA_NO_SCRATCH_SLOT. */
typedef struct ga__scratch {
  size_t bytes;
  unsigned int work, slot;
} ga__scratch;

#define GA_NO_SCRATCH_SLOT UINT_MAX

/* The first of a kernel's two arguments for the index guard
 * (launch_guard.c). */
typedef struct ga__guard_arg {
  unsigned int step, index;
} ga__guard_arg;

/* The commands of one profiled step lie between two events. Those of a kernel
 * are the same event. */
typedef struct ga__span {
  cl_event first, last;
} ga__span;

/* What a launch that is being recorded has done with a slot. */
typedef enum ga__bound {
  GA_BOUND_NOT,
  GA_BOUND_SAME, /* to the buffer that it held before */
  GA_BOUND_NEW
} ga__bound;

struct GpuLaunch {
  gpucontext *ctx; /* retained */
  char *label;
  size_t label_bytes;        /* that it has room for */
  int err;                   /* sticky until sealed */
  GA_VEC(GpuArray *) arrays; /* of the slots, while recording */
  char *head;                /* source in front of each kernel's, while
                                recording */
  GA_VEC(ga__step) steps;
  GA_VEC(ga__slot_arg) args; /* sorted by slot after sealing */
  size_t *first;             /* n_slots + n_own + 1: where each slot's args
                                begin; NULL until sealed */
  GA_VEC(gpudata *) works;
  GA_VEC(ga__work_arg) work_args;
  GA_VEC(ga__scratch) scratch; /* works that a caller may provide */
  gpudata *lent; /* what a caller provides for them, retained; or NULL */
  unsigned int lacks_works;    /* 1: they are NULL, which is an open slot */
  int has_tables;              /* some works hold data of the host */
  GA_VEC(unsigned int) shared; /* works of kernels that share some */
  size_t n_free;  /* the first of `shared`, not in use since sharing began */
  int is_sharing; /* between ga__launch_begin_sharing and its end */
  GA_VEC(ga__step)
  old_steps; /* of the launch that this one renews; the rest is
                                 freed when it is sealed, like old_works */
  GA_VEC(gpudata *) old_works;
  uint64_t zeros, old_zeros; /* bits of works, old_works: full of zeros between
                                runs */
  unsigned char *bound;      /* per slot, while recording: ga__bound */
  size_t n_same; /* while recording: so many elements of args.v are those that
                    the launch had, in order; 0: a new one differs */
  unsigned int n_made; /* kernels that recording could not take over */
  GA_VEC(ga__guard_arg) guards;
  ga__indexing indexing; /* of the kernels with a guard */
  int is_guarded;
  unsigned int n_slots; /* that callers bind */
  unsigned int n_open;  /* of those, unbound now */
  unsigned int n_own;   /* after those; bound to workspaces for good */
  gpudata **bufs;       /* per slot; NULL for values; retained, except those of
                           own slots */
  size_t *offs;         /* bytes */
  size_t *aligns;       /* offsets are multiples of it; 0: any */
  double bytes, flops;
  uint64_t calls; /* profiled */
  double seconds;
  GA_VEC(size_t) question; /* and after it the answer (launch_question.h) */
  size_t n_question;
  uint64_t asked; /* hash of the question that GpuLaunch_renew_for could not
                     answer last, of n_asked numbers */
  size_t n_asked;
  GpuLaunch **in_table; /* where the context finds the launch; or NULL */
  ga__span *spans;      /* GA_SPANS_MAX, allocated when profiling begins */
  unsigned int n_spans;
};

/* Check that this buffer and offset may be bound to an existing slot. */
int ga__launch_check(const GpuLaunch *l, unsigned int slot, const gpudata *buf,
                     size_t off);
/* Set an argument that follows a slot, a buffer or an offset. `may_keep` is for
 * buffers: a new one may have the handle of an old one. */
int ga__slot_set(GpuLaunch *l, const ga__slot_arg *a, const gpudata *buf,
                 size_t off, int may_keep);
/* Forget the question of a launch, which changes or is freed. */
void ga__question_drop(GpuLaunch *l);
/* Release what the launch did not take over from an older one. */
void ga__launch_drop_old(GpuLaunch *l);
/* Forget the times of runs that were not read. */
void ga__launch_drop_spans(GpuLaunch *l);
/* Run with arrays and scalars by slot; NULL leaves a slot as it is. The arrays
 * are only borrowed: no slot may have a buffer before, and none has one
 * afterwards. Lock held. */
int ga__launch_run_with(GpuLaunch *l, unsigned int n,
                        const void *const *values);
/* Whether the workspaces of `scratch` are the launch's own. */
int ga__launch_owns_works(const GpuLaunch *l);
/* Release workspaces of a caller, before the launch becomes another one. */
void ga__launch_give_back(GpuLaunch *l);
/* Store a buffer in a slot and retain it; release the old one. */
void ga__launch_keep(GpuLaunch *l, unsigned int slot, gpudata *buf, size_t off);

#endif
