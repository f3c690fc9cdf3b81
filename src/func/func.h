/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files about functions know of each other.
 *
 *   func.c           making them
 *   func_inner.c     those inside of nodes
 *   func_default.c   updates that shared variables bring along
 *   func_copy.c      copies, and calls that want some of the outputs
 *   func_args.c      names, defaults, arguments in host memory
 *   arguments.c      what arguments must be, and which are converted
 *   func_memory.c    arguments that may be overwritten, outputs that are views,
 *                    what is given back
 *   outputs.c        where a call's outputs go
 *   hold.c           the locks of a call
 *   run.c            a call: check, bind what changed, enqueue
 *   monitor.c        who sees its steps
 *   eval.c           functions that graphs keep for gg_eval
 *   profile.c        where the time of calls goes */
#ifndef FUNC_FUNC_H
#define FUNC_FUNC_H

#include <gpugraph/copy.h>

#include "debug/debug.h"

/* --- func.c --- */

/* A function without a program; to be freed. */
int gg__func_alloc(gg_func **out, const char *name);
/* Give it the program of a rewritten graph, which is taken over in any case. */
int gg__func_finish(gg_func *f, gg__build *b);
void gg__build_clear(gg__build *b);
/* Compile a part of the graph inside a node of a function that is compiled by
 * `outer`: outputs first .. first + n - 1 as functions of all its inputs. On
 * failure the message is in the node's graph. */
int gg__func_inner(gg_func **out, const gg__build *outer, const gg_apply *a,
                   unsigned int first, unsigned int n);

/* --- func_inner.c --- */

/* Make node->inner of all nodes of kind GG_OP_INNER. */
int gg__inner_compile(gg__program *p, const gg__build *b);
/* Free them. */
void gg__inner_free(gg__program *p);

/* --- func_default.c --- */

/* The updates of `spec` and those that shared variables bring along, a list to
 * be freed. */
int gg__all_updates(gg_graph *g, const gg_func_spec *spec, gg_update **out);

/* --- func_args.c --- */

int gg__names_init(gg_func *f);
int gg__name_outputs(gg_func *f, gg_var *const *outputs);
/* The arguments, with the defaults of those that are NULL. */
GpuArray *const *gg__with_defaults(gg_func *f, GpuArray *const *in);
void gg__defaults_clear(gg_func *f);
int gg__given_init(gg_func *f);

/* --- arguments.c --- */

/* Take what a function's spec says about dtypes; a copy has those of `from`. */
int gg__casting_init(gg_func *f, const gg_func_spec *spec);
int gg__casting_copy(gg_func *f, const gg_func *from);
int gg__check_input(const gg_func *f, unsigned int i, const GpuArray *a);
int gg__check_arguments(const gg_func *f, GpuArray *const *in,
                        GpuArray *const *out);
/* Is argument i of another dtype than its input, and to be converted? */
int gg__is_cast(const gg_func *f, size_t i, const GpuArray *a);
/* Copy argument i in C order, converted if it is to be; *out is initialised
 * here and cleared by the caller. */
int gg__copy_input(const gg_func *f, size_t i, const GpuArray *a,
                   GpuArray *out);

/* --- func_memory.c --- */

/* Take what a function's spec says about memory. */
int gg__memory_init(gg_func *f, const gg_func_spec *spec);
/* The same for a copy with some outputs, all if NULL. */
int gg__memory_copy(gg_func *f, const gg_func *from,
                    const unsigned int *outputs);
/* Replace arguments that the call must not overwrite, that its updates would
 * change while they are read, or that are to be converted, by copies. */
int gg__guard_arguments(gg_func *f, GpuArray *const **in);
void gg__guard_clear(gg_func *f);
/* Is output k of the plan a view? */
int gg__is_lent(const gg__plan *p, unsigned int k);
/* Make the outputs that are views; the plan is bound. */
int gg__lend_outputs(gg_func *f, const gg__plan *p, GpuArray *const *in);

/* --- func_copy.c --- */

int gg__wants_all(const gg_func *f, GpuArray *const *out);
/* A call that wants the outputs that are not NULL, with the locks held. */
int gg__run_part(gg_func *f, GpuArray *const *in, GpuArray *const *out);
void gg__parts_clear(gg_func *f);
/* gg_func_copy with f's lock held. */
int gg__func_copy(gg_func **out, const gg_func *f, const gg_copy_spec *spec);

/* --- hold.c --- */

/* List what calls lock, once all of f is there. */
int gg__hold_init(gg_func *f);
void gg__hold(gg_func *f);
void gg__let_go(gg_func *f);

/* --- outputs.c --- */

/* Are the caller's arrays those that the plan ran with last? They need no
 * second look then. */
int gg__nothing_moved(const gg_func *f, const gg__plan *p, GpuArray *const *in,
                      GpuArray *const *out);
/* Decide where each output of these sizes goes, f->targets, and make new ones
 * where needed, f->fresh; those that may become views get memory when the plan
 * turns out to need it. `p` is NULL while it is still to be made. */
int gg__prepare_outputs(gg_func *f, const gg__plan *p, const gg_dims *dims,
                        GpuArray *const *in, GpuArray *const *out);
/* Put the new outputs into the caller's arrays; or drop them. Fails in watched
 * calls only, where they may be copied. */
int gg__give_outputs(gg_func *f, const gg__plan *p, GpuArray *const *in,
                     GpuArray *const *out);
void gg__drop_outputs(gg_func *f);

/* --- run.c --- */

/* Put the function's name in front of the message and remember the failure. */
int gg__func_failed(const gg_func *f, int err);
int gg__run_init(gg_func *f);
void gg__run_clear(gg_func *f);
/* The plan of the last call, NULL before the first. */
const gg__plan *gg__last_plan(const gg_func *f);
/* The sizes of all values in the last call, with the locks held: all zeros if
 * there was none, or if sizes depend on integers in arguments. Clear it. */
int gg__last_sizes(const gg_func *f, gg__sizes *s);
/* Drop all plans; figures stay. */
void gg__drop_plans(gg_func *f);

/* --- monitor.c --- */

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

#endif
