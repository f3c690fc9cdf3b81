/* SPDX-License-Identifier: BSD-2-Clause */
/* A unit: a program with what its plans share. A function runs one. Loops and
 * choices run others, which are their bodies.
 *
 *   units.c      lives
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
  GG_WATCH_COMPARE = 4, /* results that the host finds otherwise */
  GG_WATCH_SINGLE = 8,  /* each step is one node: compare closely */
  GG_WATCH_ENDS = 16,   /* writes beyond the ends of buffers */
  GG_WATCH_BIG = 32,    /* results of a great magnitude */
  GG_WATCH_STEPS = 64,  /* a monitor sees each step */
  GG_WATCH_GUARDS = GG_WATCH_NAN | GG_WATCH_INF | GG_WATCH_BIG
};

typedef struct gg__temp {
  gpudata *data; /* owned */
  size_t bytes;
  unsigned int context;
} gg__temp;

/* Buffers of a unit. One call at a time runs and work is done in order, so all
 * plans use the same. */
typedef struct gg__memory {
  GA_VEC(gg__temp) temps;
  gpudata **consts; /* by constant; owned, or NULL */
  gg__temp *spares; /* by shared variable */
} gg__memory;

/* Arrays of the call at hand, which plans are made for and bound to. */
typedef struct gg__frame {
  GpuArray *const *in;
  GpuArray **out;  /* by output: where it goes */
  GpuArray *fresh; /* by output: those that the call makes */
} gg__frame;

/* What a loop does with its body. */
typedef struct gg__body_ops {
  int (*measure)(gg__sizes *s, const gg__program *p, GpuArray *const *in);
  int (*plan)(gg__plan **out, gg__unit *u, const gg__sizes *sizes);
  /* Enqueue a plan, which is bound. */
  int (*run)(const gg__unit *u, const gg__plan *p);
} gg__body_ops;

struct gg__unit {
  gg__program program;
  gg__kernels kernels;
  gg__memory memory;
  gg__frame frame;
  gg__plan *bound; /* its launches hold the present buffers; or NULL */
  int watch;       /* what calls are watched for, GG_WATCH_* */
  int frees_temps; /* after each call */
  int keeps_subnormals;
  unsigned char *overwrites; /* by argument: calls may; in the arena, or NULL */
  unsigned char *borrows;    /* by output: may be a view; likewise */
  const gg__body_ops *ops;   /* of bodies */
};

/* --- units.c --- */

/* What plans share, once the program has its steps. Clear in any case; *u
 * starts zeroed. */
int gg__unit_init(gg__unit *u);
/* Plans must be gone. */
void gg__unit_clear(gg__unit *u);
/* Give back what the next call can make again; plans must be gone. */
void gg__unit_trim(gg__unit *u);
/* Watch for these, too, from now on, also inside of loops and choices. Before
 * the first call. */
void gg__unit_watch(gg__unit *u, int what);

/* --- memory.c --- */

/* A temporary that holds no value. */
typedef struct gg__idle {
  unsigned int context, index;
  size_t bytes;
} gg__idle;

/* Which temporaries of a unit are taken while a plan is made. */
typedef struct gg__temps {
  gg__unit *u;
  GA_VEC(unsigned int) refs; /* values in it, by index */
  GA_VEC(gg__idle) idle;     /* by context, size and index; room for all */
} gg__temps;

/* Take a temporary of at least `bytes` in a context. Its buffer may be another
 * one later: launches are bound again before they run. */
int gg__temp_take(gg__temps *t, unsigned int context, size_t bytes,
                  unsigned int *index);
void gg__temp_retain(gg__temps *t, unsigned int index);
void gg__temp_release(gg__temps *t, unsigned int index);
void gg__temps_clear(gg__temps *t);
/* Give the buffers back, which the plan that ran last (NULL: none is left) is
 * bound to; their sizes stay on record. */
void gg__temps_free(gg__unit *u, gg__plan *p);
/* Let a plan's launches forget the memory in stores of this kind. */
void gg__unbind(gg__plan *p, gg__store_kind kind);
/* Give output k memory where the call is to make it and has not yet; `d` are
 * its sizes. */
int gg__output_memory(gg__unit *u, unsigned int k, const gg_dims *d);
/* Has a step that was just done written beyond a buffer of its own? */
int gg__guards_check(const gg__unit *u, const gg__plan *p, unsigned int step);
/* Make sure that a store of the unit's own, or of a shared variable, has its
 * memory. */
int gg__store_fill(gg__unit *u, const gg__plan *p, const gg__store *s);
/* Where a store's memory is at present. */
void gg__store_find(const gg__unit *u, const gg__plan *p, const gg__store *s,
                    gpudata **data, size_t *offset);
/* Have the plan's launches use this memory for a store. */
int gg__store_bind(gg__plan *p, gg__store *s, gpudata *data, size_t offset);
/* The device's copy of a constant, made at the first use. */
int gg__const_data(gg__unit *u, unsigned int index, gpudata **out);
/* Room for the next value of a shared variable. */
int gg__spare_data(gg__unit *u, unsigned int shared, size_t bytes,
                   gpudata **out);

/* --- make_plan.c --- */

/* Make a plan for arrays of these sizes, and for those in the unit's frame. */
int gg__plan_new(gg__plan **out, gg__unit *u, const gg__sizes *sizes);

/* --- inner_sizes.c --- */

/* Sizes of the outputs of a node with inner graphs. */
int gg__inner_sizes(const gg__node *n, const gg_dims *in,
                    const double *const *scalar, gg_dims *out);

#endif
