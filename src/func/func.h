/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions: a unit (plan/unit.h) and what its owner asked for.
 *
 *   compile.c          the front door: all stages from a request to a function
 *   request.c          what a function is asked to be            (request.h)
 *   copy_graph.c       the part of the user's graph that it needs
 *   call.c             the front door of calls
 *   run.c              a call: check, plan, bind, launch
 *   plans.c            which plan a call runs
 *   prepare.c          plans ahead of calls
 *   bind.c             memory into the slots of launches
 *   launches.c         the launches of a plan, one after the other
 *   twin.c             debug mode's second function              (twin.h)
 *
 *   default_update.c   updates that shared variables bring along
 *   check_arguments.c  what arguments must be, and which are converted
 *   copy_arguments.c   arguments that a call must leave alone
 *   outputs.c          where a call's outputs go
 *   lend.c             outputs that are views
 *   func_copy.c        copies
 *   parts.c            calls that want some of the outputs
 *   names.c            arguments by name
 *   defaults.c         arguments that calls may leave out
 *   call_host.c        arguments and results in host memory
 *   eval.c             functions that graphs keep for gg_eval
 *   monitor.c, monitor_step.c   who sees the steps of calls
 *   profile.c          where the time of calls goes
 *   locks.c            the locks of a call
 *   release.c          the end, and what is given back before it */
#ifndef FUNC_FUNC_H
#define FUNC_FUNC_H

#include <gpuarray/profile.h>
#include <gpugraph/copy.h>
#include <gpugraph/monitor.h>
#include <pthread.h>

#include "plan/unit.h"
#include "rewrite/compile.h"

/* Which arguments of other dtypes are converted. */
typedef enum gg__casting {
  GG_CAST_SAFE, /* those that lose nothing */
  GG_CAST_ANY,
  GG_CAST_NONE
} gg__casting;

/* What its owner asked for. Lists live in the program's arena. */
typedef struct gg__options {
  char *name;             /* owned */
  const char **out_names; /* by output */
  gg__casting casting;
  unsigned char *castings; /* by argument, instead; or NULL */
  GpuArray *defaults;      /* by argument; owned; NULL: no argument has one */
} gg__options;

/* Plans, of which those used last are kept. */
typedef struct gg__plans {
  gg__plan *v[GG_MAX_PLANS];
  size_t n;
} gg__plans;

/* The call in progress, beside the unit's frame. Lists live in the program's
 * arena. */
typedef struct gg__call {
  size_t *key, n_key; /* what a plan depends on; the end is of shared
                         variables */
  uint64_t *versions; /* of shared variables in the key; 0: not yet there */
  gg_dims *sizes;     /* of the results */
  GpuArray **given;   /* arguments, where some are not the caller's */
  GpuArray *copies;   /* by argument: of those that it must leave alone */
  int has_copies;
} gg__call;

/* What a step has cost so far, in plans that are gone. */
typedef struct gg__spent {
  uint64_t calls;
  double seconds, bytes, flops;
  const char *provider; /* static text */
} gg__spent;

/* Figures of profiled calls. */
typedef struct gg__figures {
  int on;
  gg__spent *spent; /* by step */
  uint64_t calls;
  double call_seconds; /* of the host */
  uint64_t transfers;  /* between host and device, within calls */
  double transfer_bytes;
} gg__figures;

/* Who sees the steps of calls; NULL: nobody. */
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

/* What a call locks: one call at a time runs, and functions with the same
 * shared variables wait for one another. */
typedef struct gg__locks {
  pthread_mutex_t own;
  gg__storage **shared; /* in this order */
  size_t n;
} gg__locks;

struct gg_func {
  gg__unit unit;
  gg__options options;
  gg__plans plans;
  gg__call call;
  gg__monitor monitor;
  gg__figures figures;
  gg__parts parts;
  gg__locks locks;
  gg_func *twin;   /* debug mode: the same results node by node, or NULL */
  uint64_t serial; /* unique, also among functions that were freed */
  gg_func_stats stats;
  GA_VEC(gg__fired) fired;
};

/* --- compile.c --- */

/* A function without a program; on failure *out is to be freed too. */
int gg__func_alloc(gg_func **out, const char *name);
/* Give it the program of a rewritten graph; takes b->g over in any case. */
int gg__compile_rewritten(gg_func *f, gg__build *b);
void gg__build_clear(gg__build *b);

/* --- default_update.c --- */

/* The updates of `spec` and those that shared variables bring along, a list to
 * be freed. */
int gg__all_updates(gg_graph *g, const gg_func_spec *spec, gg_update **out);

/* --- run.c --- */

/* A call for all outputs, with the locks held. */
int gg__run(gg_func *f, GpuArray *const *in, GpuArray *const *out);

/* --- plans.c --- */

int gg__call_init(gg_func *f);
/* Drop all plans; figures stay. */
void gg__drop_plans(gg_func *f);
void gg__drop_plan(gg_func *f, gg__plan *p);
/* Describe the call in its key, and find the plan that it needs; NULL: there is
 * none. May wait for scalars that the host has to know. */
int gg__find_plan(gg_func *f, gg__plan **plan);
/* Make that plan, and allocate the outputs. */
int gg__make_plan(gg_func *f, GpuArray *const *out, gg__plan **plan);
/* That of the last call; NULL: there was none. */
const gg__plan *gg__last_plan(const gg_func *f);
/* The sizes of all values in the last call, with the locks held: all zeros if
 * there was none, or if sizes depend on integers in arguments. Clear it. */
int gg__last_sizes(const gg_func *f, gg__sizes *s);

/* --- bind.c --- */

/* Bind every slot whose memory is another one than at the last run. */
int gg__bind_plan(gg__unit *u, gg__plan *p);

/* --- launches.c --- */

struct gg__watch;

/* Enqueue all that a plan consists of. `f` has the monitor that sees it, `w` is
 * NULL where nobody looks at values. */
int gg__run_launches(const gg_func *f, const gg__plan *p, struct gg__watch *w);
/* The same inside of a loop or a choice. */
int gg__run_body(const gg__unit *u, const gg__plan *p);

/* --- names.c --- */

int gg__names_init(gg_func *f);
int gg__name_outputs(gg_func *f, gg_var *const *outputs);

/* --- defaults.c --- */

/* The arguments, with the defaults of those that are NULL. */
GpuArray *const *gg__with_defaults(gg_func *f, GpuArray *const *in);
void gg__defaults_clear(gg_func *f);

/* --- check_arguments.c --- */

/* Take what a function's spec says about dtypes; a copy has those of `from`. */
int gg__casting_init(gg_func *f, const gg_func_spec *spec);
int gg__casting_copy(gg_func *f, const gg_func *from);
int gg__check_input(const gg_func *f, unsigned int i, const GpuArray *a);
/* The same for an argument that is yet to come. */
int gg__check_sizes(const gg_func *f, unsigned int i, const gg_dims *d);
int gg__check_arguments(const gg_func *f, GpuArray *const *in,
                        GpuArray *const *out);
/* Is argument i of another dtype than its input, and to be converted? */
int gg__is_cast(const gg_func *f, size_t i, const GpuArray *a);
/* Copy argument i in C order, converted if it is to be; *out is initialised
 * here and cleared by the caller. */
int gg__copy_input(const gg_func *f, size_t i, const GpuArray *a,
                   GpuArray *out);

/* --- copy_arguments.c --- */

/* Replace arguments that the call must not overwrite, that its updates would
 * change while they are read, or that are to be converted, by copies. */
int gg__copy_arguments(gg_func *f, GpuArray *const **in);
void gg__drop_copies(gg_func *f);

/* --- lend.c --- */

/* Take what a function's spec says about memory. */
int gg__memory_init(gg_func *f, const gg_func_spec *spec);
/* The same for a copy with some outputs, all if NULL. */
int gg__memory_copy(gg_func *f, const gg_func *from,
                    const unsigned int *outputs);
/* Make the outputs that are views; the plan is bound. */
int gg__lend_outputs(gg_func *f, const gg__plan *p);

/* --- outputs.c --- */

/* Are the caller's arrays those that the plan ran with last? They need no
 * second look then. */
int gg__nothing_moved(const gg_func *f, const gg__plan *p,
                      GpuArray *const *out);
/* Decide where each output of these sizes goes, frame.out, and make new ones
 * where needed, frame.fresh; those that may become views get memory when the
 * plan turns out to need it. `p` is NULL while it is still to be made. */
int gg__prepare_outputs(gg_func *f, const gg__plan *p, const gg_dims *dims,
                        GpuArray *const *out);
/* Put the new outputs into the caller's arrays; or drop them. Fails in watched
 * calls only, where they may be copied. */
int gg__give_outputs(gg_func *f, const gg__plan *p, GpuArray *const *out);
void gg__drop_outputs(gg_func *f);
/* Let updated shared variables have their new values. */
void gg__swap_spares(gg_func *f, const gg__plan *p);

/* --- func_copy.c --- */

/* gg_func_copy with f's lock held. */
int gg__func_copy(gg_func **out, const gg_func *f, const gg_copy_spec *spec);

/* --- parts.c --- */

int gg__wants_all(const gg_func *f, GpuArray *const *out);
/* A call that wants the outputs that are not NULL, with the locks held. */
int gg__run_part(gg_func *f, GpuArray *const *in, GpuArray *const *out);
void gg__parts_clear(gg_func *f);

/* --- locks.c --- */

/* List what calls lock, once all of f is there. */
int gg__locks_init(gg_func *f);
void gg__lock_call(gg_func *f);
void gg__unlock_call(gg_func *f);

/* --- failure.c --- */

/* Put the function's name in front of the message and remember the failure. */
int gg__func_failed(const gg_func *f, int err);

/* --- monitor_step.c --- */

/* Show a step to `fn`, one of the function's monitors: before it runs, or
 * `done`. */
int gg__monitor_call(const gg_func *f, const gg__plan *p, unsigned int step,
                     gg_monitor_fn fn, int done);
/* Let a part of `from` be seen by who sees that. */
void gg__monitor_copy(gg_func *f, const gg_func *from);

/* --- profile.c --- */

/* One row per step that was measured, the dearest first; to be freed. With f's
 * lock held. */
struct gg_profile_row;
int gg__profile_rows(gg_func *f, struct gg_profile_row **rows, size_t *n);
/* Keep the figures of a plan that is about to go. */
void gg__keep_figures(gg_func *f, const gg__plan *p);
/* What the function's contexts have counted: of all contexts, and only what is
 * asked for here. */
gpucontext_counters gg__counters(const gg_func *f);

#endif
