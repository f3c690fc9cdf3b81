/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions: a unit (plan/unit.h) with its plans, options and figures.
 *
 *   compile.c          gg_func_new: all stages from a request to a function
 *   request.c          checks of requests                        (request.h)
 *   builds.c           graphs on their way to programs          (builds.h)
 *   copy_graph.c       copies of the graph that a request names
 *   call.c             gg_func_call: all stages of a call
 *   run.c              a call: check, plan, bind, launch
 *   plans.c            the plan of a call, and figures of a function
 *   prepare.c          plans made before calls
 *   launches.c         runs the launches of a plan
 *   twin.c             debug mode's second function              (twin.h)
 *
 *   default_update.c   default updates of shared variables
 *   check_arguments.c  checks and conversion of arguments
 *   copy_arguments.c   copies of arguments that a call must not overwrite
 *   outputs.c          where a call's outputs go
 *   lend.c             mutable inputs, and outputs that are views
 *   func_copy.c        copies of functions
 *   parts.c            calls that want some of the outputs
 *   names.c            arguments by name
 *   stages.c           functions whose sizes follow from data
 *   cut_graph.c, look_inside.c   where they are cut          (cut_graph.h,
 *                                                         look_inside.h)
 *   stage_inside.c, stage_loop.c   loops and choices as stages (inside.h,
 *                                                         stage_inside.h)
 *   defaults.c         defaults of arguments
 *   call_host.c        arguments and results in host memory
 *   eval.c             functions that graphs keep for gg_eval
 *   monitor.c, monitor_step.c   monitors, and what they see of a step
 *   profile.c          device time of the steps
 *   locks.c            the locks of a call
 *   failure.c          messages of failed calls
 *   release.c          gg_func_trim and gg_func_free */
#ifndef FUNC_FUNC_H
#define FUNC_FUNC_H

#include <gpuarray/profile.h>
#include <gpugraph/copy.h>
#include <gpugraph/monitor.h>
#include <pthread.h>

#include "plan/unit.h"
#include "rewrite/compiling.h"

/* Which arguments of other dtypes are converted. */
typedef enum gg__casting {
  GG_CAST_SAFE, /* those whose values the input's dtype all holds */
  GG_CAST_ANY,
  GG_CAST_NONE
} gg__casting;

/* Options from the spec. Lists live in the program's arena. */
typedef struct gg__options {
  char *name;             /* owned */
  const char **out_names; /* by output */
  gg__casting casting;
  unsigned char *castings; /* by argument; NULL: all have `casting` */
  GpuArray *defaults;      /* by argument; owned; NULL: no argument has one */
} gg__options;

/* The most recently used plans. */
typedef struct gg__plans {
  gg__plan *v[GG_MAX_PLANS];
  size_t n;
} gg__plans;

/* What the current call needs besides the unit's frame. Lists live in the
 * program's arena. */
typedef struct gg__call {
  size_t *key, n_key; /* what a plan depends on: sizes and strides of
                         arguments, sizes of shared variables, scalars */
  uint64_t *versions; /* by shared variable: the version in the key; 0: none */
  gg_dims *sizes;     /* of the results */
  GpuArray **given;   /* by argument, where some are defaults or copies */
  GpuArray *copies;   /* by argument: its copy, if the call makes one */
  int has_copies;
} gg__call;

/* Figures of profiled calls. */
typedef struct gg__figures {
  int on;
  uint64_t calls;
  double call_seconds; /* host time */
  uint64_t transfers;  /* between host and device, within calls */
  double transfer_bytes;
  gg__waited *waited; /* by argument; in the program's arena */
} gg__figures;

/* Functions that see the steps of calls; NULL: none. */
typedef struct gg__monitor {
  gg_monitor_fn before, after;
  void *arg;
} gg__monitor;

/* Copies with some of the outputs (parts.c). */
typedef struct gg__part gg__part;
typedef struct gg__parts {
  gg__part *v; /* NULL: none yet */
  unsigned int next;
} gg__parts;

/* What a call locks. One call of a function runs at a time, and functions with
 * the same shared variables wait for one another. */
typedef struct gg__locks {
  pthread_mutex_t own;
  gg__storage **shared; /* in the order of locking */
  size_t n;
} gg__locks;

/* A stage before the last one (stages.c). It computes arguments of the stages
 * behind it: `f` does in one call or, with `inside`, as the body of a loop or
 * the branch of a choice. */
typedef struct gg__inside gg__inside; /* inside.h */
typedef struct gg__stage {
  gg_func *f;         /* owned */
  gg__inside *inside; /* owned, or NULL */
  size_t n; /* arguments that the next stage finds more; 0: it computes the same
               ones in the other case */
} gg__stage;

struct gg_func {
  gg__unit unit;
  gg__options options;
  gg__plans plans;
  gg__call call;
  gg__monitor monitor;
  gg__figures figures;
  gg__parts parts;
  gg__locks locks;
  GA_VEC(gg__stage) stages; /* before this one; empty if all sizes are known */
  size_t n_given;           /* arguments that callers give; those of stages
                               follow */
  GpuArray **staged, *arrays; /* with stages: all arguments; those of stages,
                                 from call to call; owned */
  gg_func *twin;   /* debug mode: computes the same node by node; or NULL */
  uint64_t serial; /* unique, also among functions that were freed */
  gg_func_stats stats;
  GA_VEC(gg__fired) fired;
};

/* --- compile.c --- */

/* Make a function without a program. *out is NULL before; the caller frees it,
 * also on failure. */
int gg__func_alloc(gg_func **out, const char *name);
/* Give f the program of the rewritten graph b->g. f takes the graph over,
 * unless b still has it after a failure. */
int gg__compile_rewritten(gg_func *f, gg__build *b);

/* --- default_update.c --- */

/* List the updates of `spec` and the default updates that it needs. The list
 * ends with NULL; the caller frees it. */
int gg__all_updates(gg_graph *g, const gg_func_spec *spec, gg_update **out);

/* --- run.c --- */

/* Run a call for all outputs, with the locks held. */
int gg__run(gg_func *f, GpuArray *const *in, GpuArray *const *out);

/* --- plans.c --- */

/* Allocate what calls need. */
int gg__call_init(gg_func *f);
/* Drop all plans; figures stay. */
void gg__drop_plans(gg_func *f);
void gg__drop_plan(gg_func *f, gg__plan *p);
/* Make the key of the call and find its plan, NULL if there is none. Blocks for
 * scalars that sizes depend on. GA_VALUE_ERROR: a shared variable that is
 * updated shares memory with another one. */
int gg__find_plan(gg_func *f, gg__plan **plan);
/* Make the plan of the call, and allocate the outputs. */
int gg__make_plan(gg_func *f, GpuArray *const *out, gg__plan **plan);
/* The plan that a call ran last, borrowed; NULL if none did. Prepared plans do
 * not count, nor do those of calls for some of the outputs. */
const gg__plan *gg__last_plan(const gg_func *f);
/* Find the sizes of all values in the last call, with the locks held. *s has
 * NULL lists if there was no call, or if sizes depend on scalars in arguments.
 * The caller clears it. */
int gg__last_sizes(const gg_func *f, gg__sizes *s);

/* Find output k of the last call, a scalar, if the host knows it without
 * waiting; else *known is 0. */
int gg__known_output(const gg_func *f, size_t k, int *known, double *x);

/* --- launches.c --- */

struct gg__watch;

/* Enqueue the launches of a plan and call the monitors of `f`. `w` checks
 * values after each step; NULL: no checks. */
int gg__run_launches(const gg_func *f, const gg__plan *p, struct gg__watch *w);
/* The same for the body of a loop or a choice, without monitors. */
int gg__run_body(const gg__unit *u, const gg__plan *p);

/* --- names.c --- */

/* Allocate the names of outputs, or take them from variables. */
int gg__names_init(gg_func *f);
int gg__name_outputs(gg_func *f, gg_var *const *outputs);

/* --- defaults.c --- */

/* Replace NULL arguments by their defaults. f owns the list. */
GpuArray *const *gg__with_defaults(gg_func *f, GpuArray *const *in);
void gg__defaults_clear(gg_func *f);

/* --- check_arguments.c --- */

/* Take from the spec which arguments are converted; a copy takes it from
 * `from`. */
int gg__casting_init(gg_func *f, const gg_func_spec *spec);
int gg__casting_copy(gg_func *f, const gg_func *from);
/* Check dtype, sizes and context of argument i. */
int gg__check_input(const gg_func *f, unsigned int i, const GpuArray *a);
/* The same for the sizes of an argument of a later call. */
int gg__check_sizes(const gg_func *f, unsigned int i, const gg_dims *d);
int gg__check_arguments(const gg_func *f, GpuArray *const *in,
                        GpuArray *const *out);
/* Does argument i have another dtype than its input, and is it converted? */
int gg__is_cast(const gg_func *f, size_t i, const GpuArray *a);
/* Copy argument i in C order, and convert it where gg__is_cast says so. The
 * caller clears *out. */
int gg__copy_input(const gg_func *f, size_t i, const GpuArray *a,
                   GpuArray *out);

/* --- copy_arguments.c --- */

/* Replace by copies the arguments that must be converted, that the call must
 * not overwrite, or that its updates would change while kernels read them. */
int gg__copy_arguments(gg_func *f, GpuArray *const **in);
void gg__drop_copies(gg_func *f);

/* --- lend.c --- */

/* Take the mutable inputs and borrowed outputs of a spec. */
int gg__memory_init(gg_func *f, const gg_func_spec *spec);
/* The same for a copy of `from` with some outputs, all if NULL. */
int gg__memory_copy(gg_func *f, const gg_func *from,
                    const unsigned int *outputs);
/* Make the outputs that are views; the plan is bound. */
int gg__lend_outputs(gg_func *f, const gg__plan *p);

/* --- outputs.c --- */

/* Are the caller's arrays those that the plan ran with last? Then outputs need
 * no further checks. */
int gg__nothing_moved(const gg_func *f, const gg__plan *p,
                      GpuArray *const *out);
/* Decide where each output of these sizes goes (frame.out), and allocate new
 * arrays where needed (frame.fresh). `p` is NULL before the plan is made;
 * outputs that may be views then get memory only if a step needs it. */
int gg__prepare_outputs(gg_func *f, const gg__plan *p, const gg_dims *dims,
                        GpuArray *const *out);
/* Put the new outputs into the caller's arrays, or free them. Only watched
 * calls can fail here, since they may copy outputs. */
int gg__give_outputs(gg_func *f, const gg__plan *p, GpuArray *const *out);
void gg__drop_outputs(gg_func *f);
/* Swap shared variables with their spares, which hold the new values. */
void gg__swap_spares(gg_func *f, const gg__plan *p);

/* --- func_copy.c --- */

/* gg_func_copy with f's lock held. */
int gg__func_copy(gg_func **out, const gg_func *f, const gg_copy_spec *spec);

/* --- parts.c --- */

/* Does a call want all outputs? A NULL list does. */
int gg__wants_all(const gg_func *f, GpuArray *const *out);
/* Run a call for the outputs that are not NULL, with the locks held. */
int gg__run_part(gg_func *f, GpuArray *const *in, GpuArray *const *out);
void gg__parts_clear(gg_func *f);

/* --- stages.c --- */

/* Cut the rewritten graph b into stages where sizes follow from data, and leave
 * the last one in b. */
int gg__stages_make(gg_func *f, const gg_func_spec *spec, gg__build *b);
/* Run the stages before the last one, with the locks held. *in becomes all
 * arguments of the last one. The twin of debug mode may have stages although f
 * has none: rewriting may remove what sizes follow from. They run, too. */
int gg__stages_run(gg_func *f, GpuArray *const **in);
/* Free the arrays between stages. Calls make them again. */
void gg__stages_drop(gg_func *f);
void gg__stages_free(gg_func *f);

/* --- locks.c --- */

/* List what calls lock. f is complete, with its twin. */
int gg__locks_init(gg_func *f);
void gg__lock_call(gg_func *f);
void gg__unlock_call(gg_func *f);

/* --- failure.c --- */

/* Put the function's name before the message, and keep it for gg_func_error.
 * Returns err. */
int gg__func_failed(const gg_func *f, int err);

/* --- monitor_step.c --- */

/* Call `fn`, one of the function's monitors or NULL, for a step that is yet to
 * run, or with `done` has run. */
int gg__monitor_call(const gg_func *f, const gg__plan *p, unsigned int step,
                     gg_monitor_fn fn, int done);
/* Give f, a part of `from`, the monitors of `from`. */
void gg__monitor_copy(gg_func *f, const gg_func *from);

/* --- profile.c --- */

/* Make one row per step that was measured, the most expensive first, with f's
 * lock held. The caller frees the rows. */
struct gg_profile_row;
int gg__profile_rows(gg_func *f, struct gg_profile_row **rows, size_t *n);
/* Make one row per value that calls have waited for, the longest waits first,
 * with f's lock held. The caller frees the rows. */
struct gg_profile_wait;
int gg__profile_waits(const gg_func *f, struct gg_profile_wait **waits,
                      size_t *n);
/* Sum the counters of the function's contexts. Only those that this folder
 * reads are set. */
gpucontext_counters gg__counters(const gg_func *f);

#endif
