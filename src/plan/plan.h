/* SPDX-License-Identifier: BSD-2-Clause */
/* A program made concrete for the shapes of one call, and the function that
 * owns program and plans.
 *
 *   sizes.c    every shape, and every number that the host knows
 *   memory.c   buffers of intermediate values
 *   plan.c     places of values, prepared launches           (builder.h)
 *
 * What calls do with it is in func.h.
 */
#ifndef PLAN_PLAN_H
#define PLAN_PLAN_H

#include <gpuarray/transfer.h>
#include <gpugraph/monitor.h>
#include <pthread.h>

#include "fuse/program.h"

/* --- sizes.c --- */

typedef struct gg__sizes {
  gg_dims *dims;  /* by value */
  double *number; /* by value: that of uniform ones */
} gg__sizes;

/* Find all sizes for these arguments; GA_VALUE_ERROR names what clashes. */
int gg__sizes_init(gg__sizes *s, const gg__program *p, GpuArray *const *in);
void gg__sizes_clear(gg__sizes *s);

/* Read the number in an input that is one of p->numbers; blocks. */
int gg__read_number(const gg__value *v, GpuArray *const *in, double *number);

/* --- op_perform.c --- */

extern const char gg__host_provider[]; /* of steps that the host computes */

/* --- plans --- */

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
  unsigned int number;   /* which one of its kind */
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
typedef struct gg__planned {
  GpuLaunch *launch;     /* owned, or NULL */
  GpuTransfer *transfer; /* owned by the first half */
  int is_end;            /* the second half */
  unsigned int step;
  double flops; /* of one run, where the launch cannot know */
  /* What is bound to a half of a transfer: it has one slot. The memory is
   * alive when it runs, since it is what was looked up for the call. */
  gpudata *data;
  size_t offset;
} gg__planned;

/* An output that is a view of memory that lies elsewhere. */
typedef struct gg__lent {
  unsigned int output, store;
  ssize_t rel; /* bytes */
  ssize_t strides[GG_MAX_ND];
} gg__lent;

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

typedef struct gg__part gg__part; /* func_copy.c */

typedef struct gg__plan {
  size_t *key;   /* sizes and strides of what it was made for */
  uint64_t used; /* number of the last call */
  GA_VEC(gg__planned) launches;
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

void gg__plan_free(gg__plan *p);

/* A variable that the step computes, or copies: the first. */
const gg_var *gg__step_var(const gg__program *p, const gg__step *s);

/* --- functions --- */

typedef struct gg__temp {
  gpudata *data; /* owned */
  size_t bytes;
  unsigned int context;
} gg__temp;

/* What a step has cost so far, in plans that are gone. */
typedef struct gg__spent {
  uint64_t calls;
  double seconds, bytes, flops;
  const char *provider; /* static text */
} gg__spent;

/* A copying kernel for one dtype. */
typedef struct gg__copier {
  unsigned int context;
  int dtype;
  GpuElemwise *ge;
} gg__copier;

/* Which arguments of other dtypes are converted. */
typedef enum gg__casting {
  GG_CAST_SAFE, /* those that lose nothing */
  GG_CAST_ANY,
  GG_CAST_NONE
} gg__casting;

/* Who sees the steps of calls; NULL: nobody. */
typedef struct gg__monitor {
  gg_monitor_fn before, after;
  void *arg;
} gg__monitor;

struct gg_func {
  gg__program p;
  char *name;
  uint64_t serial;      /* tells functions apart, dead ones too */
  pthread_mutex_t lock; /* one call at a time */
  GA_VEC(gg__fired) fired;

  gg__plan *plans[GG_MAX_PLANS];
  gg__plan *active; /* its launches hold this function's present buffers */
  size_t n_plans;
  GA_VEC(gg__temp) temps;
  gpudata **consts; /* by number */
  gg__temp *spares; /* by shared variable */
  GA_VEC(gg__copier) copiers;
  gg__spent *spent; /* by step */

  size_t *key, n_key; /* of the call at hand; the end is of shared variables */
  uint64_t *versions; /* of shared variables in the key; 0: not yet there */
  gg_dims *sizes;     /* of its results */
  GpuArray *fresh;    /* outputs that the call makes */
  GpuArray **targets; /* where its outputs go */
  gg_func_stats stats;
  /* While profiling. */
  int profiling;
  uint64_t profiled_calls;
  double call_seconds; /* of the host */
  uint64_t transfers;  /* between host and device, within calls */
  double transfer_bytes;
  int watch;      /* what calls are watched for, GG_WATCH_* */
  gg_func *plain; /* debug mode: the same results node by node, or NULL */
  gg__monitor monitor;
  const char **out_names;    /* in the program's arena */
  GpuArray *defaults;        /* by argument; NULL: no argument has one */
  GpuArray **given;          /* arguments of the call at hand, if some have */
  unsigned char *overwrites; /* by argument: calls may; in the arena, or NULL */
  unsigned char *borrows;    /* by output: may be a view; likewise */
  int frees_temps;           /* after each call */
  gg__casting casting;
  unsigned char *castings; /* by argument, instead; in the arena, or NULL */
  GpuArray *copies; /* by argument: of those that a call must leave alone */
  gg__part *parts;  /* copies with some of the outputs; NULL: none yet */
  unsigned int next_part;
  gg__storage **held; /* of shared variables: what calls lock, in this order */
  size_t n_held;
};

/* --- memory.c --- */

/* A temporary that holds no value. */
typedef struct gg__idle {
  unsigned int context, number;
  size_t bytes;
} gg__idle;

/* Which temporaries of a function are taken while a plan is made. */
typedef struct gg__temps {
  gg_func *f;
  GA_VEC(unsigned int) refs; /* values in it, by number */
  GA_VEC(gg__idle) idle;     /* by context, size and number; room for all */
} gg__temps;

/* Take a temporary of at least `bytes` in a context. Its buffer may be another
 * one later: launches are bound again before they run. */
int gg__temp_take(gg__temps *t, unsigned int context, size_t bytes,
                  unsigned int *number);
void gg__temp_retain(gg__temps *t, unsigned int number);
void gg__temp_release(gg__temps *t, unsigned int number);
void gg__temps_clear(gg__temps *t);
/* Give the buffers back, which the plan that ran last (NULL: none is left) is
 * bound to; their sizes stay on record. */
void gg__temps_free(gg_func *f, gg__plan *p);
/* Are writes beyond the ends of what the function writes watched for? */
int gg__has_guards(const gg_func *f);
/* May a call end after some of its steps because of what they did? */
int gg__is_watched(const gg_func *f);
/* Memory for what it writes, with guards around it where they are. */
int gg__alloc_watched(gg_func *f, gpucontext *ctx, size_t bytes, gpudata **out);
/* Give output k memory where the call is to make it and has not yet; `d` are
 * its sizes. */
int gg__output_memory(gg_func *f, unsigned int k, const gg_dims *d);
/* Has a step that was just done written beyond a buffer of its own? */
int gg__guards_check(const gg_func *f, const gg__plan *p, unsigned int step);
/* Watch for these, too, from now on, also inside of loops and choices. Before
 * the first call. */
void gg__watch_inside(gg_func *f, int what);
/* Make sure that a store of the function's own, or of a shared variable, has
 * its memory. */
int gg__store_fill(gg_func *f, const gg__plan *p, const gg__store *s);

/* The device's copy of a constant, made at the first use. */
int gg__const_data(gg_func *f, unsigned int number, gpudata **out);
/* Room for the next value of a shared variable. */
int gg__spare_data(gg_func *f, unsigned int shared, size_t bytes,
                   gpudata **out);
/* A kernel that copies elements of a dtype, any strides. */
int gg__copier_get(gg_func *f, unsigned int context, int dtype,
                   GpuElemwise **out);

/* --- plan.c --- */

/* Make a plan for arrays of these sizes. f->targets are the outputs. */
int gg__plan_new(gg__plan **out, gg_func *f, const gg__sizes *sizes,
                 GpuArray *const *in);

/* Where a store's memory is at present. */
void gg__store_find(const gg_func *f, const gg__plan *p, const gg__store *s,
                    GpuArray *const *in, gpudata **data, size_t *offset);

/* --- plan_seen.c --- */

/* An array over what lies at `s` in a plan that is bound, not to be written to;
 * cleared by the caller. The message is libgpuarray's. */
int gg__seen_array(const gg__program *p, const gg__plan *plan,
                   const gg__seen *s, GpuArray *out);

/* --- inner_plan.c --- */

/* Sizes of the outputs of a node with inner graphs. */
int gg__inner_sizes(const gg__node *n, const gg_dims *in,
                    const double *const *number, gg_dims *out);

/* --- functions, for plans inside of plans and for those who watch --- */

/* A call, with the locks held (run.c). */
int gg__run(gg_func *f, GpuArray *const *in, GpuArray *const *out);
/* Enqueue all that a plan, which is bound, consists of. */
int gg__run_launches(gg_func *f, const gg__plan *p);
/* Keep the figures of a plan that is about to go (profile.c). */
void gg__keep_figures(gg_func *f, const gg__plan *p);
#endif
