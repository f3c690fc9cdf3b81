/* SPDX-License-Identifier: BSD-2-Clause */
/* A loop in a plan: the body's own plan, and how its arrays move from step to
 * step.
 *
 *   loop_sizes.c, ifelse_sizes.c   sizes of the outputs
 *   plan_loop.c, plan_ifelse.c     made with the plan: buffers, slots
 *   loop_run.c                     at each call: bind, run, bind, run
 *
 * To the plan that it is part of it is one launch, with a slot for each array.
 * The body's inputs and outputs are rows of these: binding a row is an offset
 * in a buffer, so a step costs the launches of the body and little else. */
#ifndef PLAN_LOOPING_H
#define PLAN_LOOPING_H

#include "loop/loop.h"
#include "plan/builder.h"

/* Where an input or output of the body lies in step t: row r of a slot, which
 * is t + shift, or top - 1 - t where it is reversed; modulo `ring` unless 0. */
typedef struct gg__moving {
  unsigned int slot;
  ssize_t step; /* bytes from row to row */
  size_t rows;  /* that there are */
  size_t shift, ring;
  int reversed;
} gg__moving;

/* The last row of a result, which goes to a slot of its own. */
typedef struct gg__last {
  const gg__moving *from; /* an output of the body */
  unsigned int slot;
  size_t bytes;
} gg__last;

typedef struct gg__looping {
  gg__unit *body;               /* borrowed from the node */
  gg__plan *plan;               /* of the body; owned */
  gg__moving *in, *out;         /* by input and output of the body */
  GpuArray *in_rows, *out_rows; /* their sizes and strides */
  GpuArray **in_list;
  gg__last *lasts;
  unsigned int n_in, n_out, n_lasts;
  unsigned int first_tap, n_taps; /* earlier values of states, among `in` */
  unsigned int n_slots;
  unsigned int limit, until, count; /* slots, or GG_NONE */
  size_t steps, most;
  size_t *now;     /* by slot: offsets at the last run; `plan` suits these */
  ga__arena arena; /* holds all lists, and this */
} gg__looping;

/* --- blanks.c --- */

/* Arrays without memory, to find sizes with. */
typedef struct gg__blanks {
  GpuArray *arrays, **list;
  ga__arena arena;
} gg__blanks;

/* Make an array of the type of v and the sizes dim[from], ... of d, in C order,
 * with its lists in `m`. */
int gg__blank_array(ga__arena *m, const gg_var *v, const gg_dims *d,
                    unsigned int from, GpuArray *out);
int gg__blanks_init(gg__blanks *x, unsigned int n);
/* Array i is such an array. */
int gg__blanks_set(gg__blanks *x, unsigned int i, const gg_var *v,
                   const gg_dims *d, unsigned int from);
void gg__blanks_clear(gg__blanks *x);

/* --- loop_sizes.c, ifelse_sizes.c --- */

int gg__loop_sizes(const gg__node *n, const gg_dims *in,
                   const double *const *scalar, gg_dims *out);
int gg__ifelse_sizes(const gg__node *n, const gg_dims *in, gg_dims *out);

/* --- plan_loop.c, plan_ifelse.c --- */

int gg__plan_loop(gg__builder *b, const gg__step *s);
int gg__plan_ifelse(gg__builder *b, const gg__step *s);

/* --- loop_run.c --- */

/* One without any rows yet; NULL when memory is out. */
gg__looping *gg__looping_new(gg__unit *body, unsigned int n_in,
                             unsigned int n_out, unsigned int max_slots);
/* Make `out` a row of these sizes, of the type of `v`; strides may be NULL, for
 * C order. */
int gg__looping_row(gg__looping *x, const gg_var *v, const gg_dims *d,
                    const ssize_t *strides, GpuArray *out);
/* What GpuLaunch_host wants: one run, and the end. */
int gg__looping_run(void *state, gpucontext *ctx, gpudata *const *bufs,
                    const size_t *offs);
void gg__looping_free(void *state);
/* Have a plan of the body for memory that is aligned like this. */
int gg__looping_ready(gg__looping *x, gpudata *const *bufs, const size_t *offs);

#endif
