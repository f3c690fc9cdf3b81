/* SPDX-License-Identifier: BSD-2-Clause */
/* A unit: a program with what its plans share. A function runs one. Loops and
 * choices run others, which are their bodies.
 *
 *   units.c      init, trim and clear
 *   memory.c     its buffers
 *   find_sizes.c sizes of all values for given arguments         (sizes.h)
 *   make_plan.c  places of values, prepared launches             (builder.h) */
#ifndef PLAN_UNIT_H
#define PLAN_UNIT_H

#include "emit/program_kernels.h"
#include "plan/plan.h"
#include "plan/sizes.h"

/* What watched calls look for; bits. */
enum {
  GG_WATCH_NAN = 1,     /* results that are NaN */
  GG_WATCH_INF = 2,     /* or infinite */
  GG_WATCH_COMPARE = 4, /* results that differ from those of the host */
  GG_WATCH_SINGLE = 8,  /* each step is one node: compare closely */
  GG_WATCH_ENDS = 16,   /* writes beyond the ends of buffers */
  GG_WATCH_BIG = 32,    /* results of a magnitude beyond GG_BIG */
  GG_WATCH_STEPS = 64,  /* a monitor sees each step */
  GG_WATCH_GUARDS = GG_WATCH_NAN | GG_WATCH_INF | GG_WATCH_BIG
};

typedef struct gg__temp {
  gpudata *data; /* owned */
  size_t bytes;
  unsigned int context;
} gg__temp;

/* Buffers of a unit. All its plans share them, since only one call at a time
 * runs and queues are in order. */
typedef struct gg__memory {
  GA_VEC(gg__temp) temps;
  gpudata **consts; /* two by constant, in C order and with its channels, axis
                       1, last; owned, or NULL */
  gg__temp *spares; /* by shared variable: memory for its next value */
} gg__memory;

/* Memory that is used again for each plan. */
typedef struct gg__planning {
  gg__sizes sizes; /* of calls; loops and choices have others for bodies */
  ga__arena lists; /* of a gg__builder; not zeroed */
  ga__arena step;  /* for one step (gg__step_alloc) */
  GA_VEC(gg__launch) old;     /* of the plan that is renewed; else empty */
  GA_VEC(gg__binding) sorted; /* room to sort those of a plan */
  GA_VEC(size_t) question;    /* of the launch that is planned (question.c) */
} gg__planning;

/* The arrays of the current call, which plans are made for and bound to. */
typedef struct gg__frame {
  GpuArray *const *in;
  GpuArray **out;  /* by output: the array that it goes to */
  GpuArray *fresh; /* by output: the array if the call makes a new one */
} gg__frame;

/* How loops and choices find sizes for, plan and run their bodies. */
typedef struct gg__body_ops {
  int (*measure)(gg__sizes *s, const gg__program *p, GpuArray *const *in);
  int (*plan)(gg__plan **out, gg__unit *u, const gg__sizes *sizes);
  /* Enqueue the launches of a plan, which is bound. */
  int (*run)(const gg__unit *u, const gg__plan *p);
} gg__body_ops;

typedef struct gg__spent gg__spent;     /* figures.h */
typedef struct gg__looping gg__looping; /* looping.h */

struct gg__unit {
  gg__program program;
  gg__kernels kernels;
  gg__memory memory;
  gg__planning planning;
  gg__frame frame;
  gg__plan *bound; /* the plan whose launches hold the buffers; or NULL */
  int watch;       /* GG_WATCH_* */
  int frees_temps; /* after each call */
  int keeps_subnormals;
  int times_waits;   /* of the loops and choices in it */
  gg__waited waited; /* of a body, or of a choice's first branch: what the host
                        has waited for to know whether it runs (again) */
  /* By argument: may calls overwrite it? By output: may it be a view? In the
   * program's arena; NULL: none. */
  unsigned char *overwrites;
  unsigned char *borrows;
  const gg__body_ops *ops;  /* of a body; else NULL */
  const gg__looping *whole; /* the loop whose iterations the plan that is being
                               made may run at once; or NULL */
  gg__spent *spent;         /* by step: figures of plans that were freed; in the
                         program's arena */
  gg__looping *loops; /* that run this body, in plans of the unit around it */
};

/* --- units.c --- */

/* Prepare what plans share. *u was zeroed, and its program has its steps. Clear
 * it also on failure. */
int gg__unit_init(gg__unit *u);
/* Free all that the unit owns; its plans are freed already. */
void gg__unit_clear(gg__unit *u);
/* Free the buffers that calls can make again; its plans are freed already. */
void gg__unit_trim(gg__unit *u);
/* Add to what calls are watched for (GG_WATCH_*), also inside of loops and
 * choices. To be used before the first call. */
void gg__unit_watch(gg__unit *u, int what);

/* Time the waits of the loops and choices of the unit, or do not. */
void gg__unit_time_waits(gg__unit *u, int on);

/* --- memory.c --- */

/* A temporary that holds no value. */
typedef struct gg__idle {
  unsigned int context, index;
  size_t bytes;
} gg__idle;

/* Which temporaries of a unit are taken while a plan is made. */
typedef struct gg__temps {
  gg__unit *u;
  GA_VEC(unsigned int) refs; /* by temporary: how many values lie in it */
  GA_VEC(gg__idle) idle;     /* sorted; its capacity suffices for all */
} gg__temps;

/* Take a temporary of at least `bytes` in a context. Later steps may replace
 * its buffer: launches are bound again before they run. */
int gg__temp_take(gg__temps *t, unsigned int context, size_t bytes,
                  unsigned int *index);
void gg__temp_retain(gg__temps *t, unsigned int index);
void gg__temp_release(gg__temps *t, unsigned int index);
void gg__temps_clear(gg__temps *t);
/* Free the buffers of temporaries; their sizes stay. `p` is the plan that is
 * bound to them, or NULL. */
void gg__temps_free(gg__unit *u, gg__plan *p);
/* Empty the slots of a plan that hold stores of this kind. */
void gg__unbind(gg__plan *p, gg__store_kind kind);
/* Allocate output k, of sizes `d`, if the call makes a new array for it and has
 * not done so yet. */
int gg__output_memory(gg__unit *u, unsigned int k, const gg_dims *d);
/* Fail if a step, which has just run, wrote beyond the ends of a guarded buffer
 * (GG_WATCH_ENDS). */
int gg__guards_check(const gg__unit *u, const gg__plan *p, unsigned int step);
/* Find the present memory of a store, which is borrowed. */
void gg__store_find(const gg__unit *u, const gg__plan *p, const gg__store *s,
                    gpudata **data, size_t *offset);
/* Bind the slots that hold a store to this memory. */
int gg__store_bind(gg__plan *p, gg__store *s, gpudata *data, size_t offset);
/* Bind the slots that hold a store to its present memory, which is allocated
 * if need be. */
int gg__store_refresh(gg__unit *u, gg__plan *p, gg__store *s);
/* Make the device's copy of constant k, in C order or with its channels last,
 * unless it is there. *index is its place in memory.consts. */
int gg__const_copy(gg__unit *u, unsigned int k, int is_last,
                   unsigned int *index);
/* Get memory of at least `bytes` for the next value of a shared variable;
 * borrowed. */
int gg__spare_data(gg__unit *u, unsigned int shared, size_t bytes,
                   gpudata **out);

/* --- make_plan.c --- */

/* Make a plan for these sizes and for the arrays in the unit's frame. The
 * caller frees it. *out is NULL before, or an older plan of the unit, which is
 * renewed: the new plan takes over its launches. On failure the older plan is
 * freed, and *out is NULL. */
int gg__plan_new(gg__plan **out, gg__unit *u, const gg__sizes *sizes);

#endif
