/* SPDX-License-Identifier: BSD-2-Clause */
/* A loop in a plan: the plan of its body, and how the body's arrays move from
 * iteration to iteration.
 *
 *   inner_scalars.c                scalars in arguments that bodies read
 *   loop_sizes.c, ifelse_sizes.c   sizes of the outputs
 *   plan_loop.c, plan_ifelse.c     when the plan is made: buffers, slots
 *   loop_whole.c                   all iterations in one kernel
 *   loop_run.c                     at each call: bind and run each iteration
 *
 * For the plan around it a loop is one launch, with a slot for each array. The
 * body's inputs and outputs are rows of these arrays. To bind a row is to set
 * an offset: an iteration costs little more than the launches of the body. */
#ifndef PLAN_LOOPING_H
#define PLAN_LOOPING_H

#include "loop/loop.h"
#include "plan/builder.h"

/* Where an input or output of the body lies in iteration t: in row r of a slot.
 * r is t + shift, or top - 1 - t if reversed (top: see loop.h), and is taken
 * modulo `ring` unless that is 0. */
typedef struct gg__moving {
  unsigned int slot;
  ssize_t step; /* bytes from row to row */
  size_t rows;  /* of the array in the slot */
  size_t shift, ring;
  int reversed;
} gg__moving;

/* The last row of an output of the body, copied to a slot of its own. */
typedef struct gg__last {
  const gg__moving *from; /* an output of the body */
  unsigned int slot;
  size_t bytes;
} gg__last;

struct gg__looping {
  gg__unit *body;               /* borrowed from the node */
  gg__looping *before, *next;   /* in the body's list */
  gg__plan *plan;               /* of the body; owned, or NULL */
  int is_stale;                 /* `plan` is for other sizes, to be renewed */
  gg__moving *in, *out;         /* by input and output of the body */
  GpuArray *in_rows, *out_rows; /* one row of each */
  GpuArray **in_list;           /* of in_rows */
  gg__last *lasts;
  unsigned int n_in, n_out, n_lasts;
  unsigned int first_tap, n_taps; /* earlier values of states, among `in` */
  unsigned int n_slots;
  unsigned int limit, until, count; /* slots, or GG_NONE */
  size_t steps, most; /* iterations at most; `most` is 0 for no limit */
  size_t *now;        /* by slot: offsets of the last run, which fit `plan` */
  ga__arena arena;    /* holds all lists, and this */
};

/* --- blanks.c --- */

/* Arrays without memory, to find sizes with. All of it is owned by the arena.
 */
typedef struct gg__blanks {
  GpuArray *arrays, **list;
  ga__arena arena;
} gg__blanks;

/* Make an array without memory, of the type of v and the sizes dim[from], ...
 * of d, in C order. `m` holds its sizes and strides. */
int gg__blank_array(ga__arena *m, const gg_var *v, const gg_dims *d,
                    unsigned int from, GpuArray *out);
/* Allocate n arrays. Clear them also on failure. */
int gg__blanks_init(gg__blanks *x, unsigned int n);
/* Make array i with gg__blank_array. */
int gg__blanks_set(gg__blanks *x, unsigned int i, const gg_var *v,
                   const gg_dims *d, unsigned int from);
/* Give array i the memory and the strides of `a`, so that scalars can be read
 * from it. The memory is borrowed. Does nothing if `a` is NULL. */
void gg__blanks_lend(gg__blanks *x, unsigned int i, const GpuArray *a);
void gg__blanks_clear(gg__blanks *x);

/* --- loop_sizes.c, ifelse_sizes.c --- */

/* Find the sizes of the outputs of a loop or a choice. `in`: sizes of its
 * inputs. argument[i]: input i if it is an argument of the call, else NULL. */
int gg__loop_sizes(const gg__node *n, const gg_dims *in,
                   const GpuArray *const *argument, const double *const *scalar,
                   gg_dims *out);
int gg__ifelse_sizes(const gg__node *n, const gg_dims *in,
                     const GpuArray *const *argument, gg_dims *out);
/* Add to the scalars of a program those that its bodies read from arguments of
 * the call. */
int gg__add_inner_scalars(gg__program *p);

/* --- plan_loop.c, plan_ifelse.c --- */

int gg__plan_loop(gg__builder *b, const gg__step *s);
int gg__plan_ifelse(gg__builder *b, const gg__step *s);

/* --- loop_whole.c --- */

/* Prepare the kernel of a row program that is all of a loop's body, if the
 * builder plans such a body, so that one run makes all iterations. *out is
 * NULL if it does not, or if that is not possible. `args` and `row_args` are
 * those of GpuRows_prepare. */
int gg__prepare_whole(gg__builder *b, GpuLaunch **out, const gg__rows_step *x,
                      GpuRows *rows, const unsigned char *reduced, void **args,
                      void **row_args);

/* --- loop_run.c --- */

/* Make a loop whose rows are yet to be set. NULL if memory is out. */
gg__looping *gg__looping_new(gg__unit *body, unsigned int n_in,
                             unsigned int n_out, unsigned int max_slots);
/* Make `out` a row of these sizes, of the type of `v`. NULL strides are those
 * of C order. */
int gg__looping_row(gg__looping *x, const gg_var *v, const gg_dims *d,
                    const ssize_t *strides, GpuArray *out);
/* Move the plan of the body from `old`, a loop with the same body or NULL, to
 * `x`, which renews it. */
void gg__looping_renew(gg__looping *x, gg__looping *old);
/* Run a loop once, and free it: the functions for GpuLaunch_host. */
int gg__looping_run(void *state, gpucontext *ctx, gpudata *const *bufs,
                    const size_t *offs);
void gg__looping_free(void *state);
/* Read a scalar that says whether a body runs. Blocks, which counts as a wait
 * of the body. */
int gg__looping_read(gg__unit *body, void *to, gpudata *from, size_t offset,
                     size_t bytes);
/* Make a plan of the body for memory at these offsets, unless `x` has one for
 * offsets of the same alignment. */
int gg__looping_ready(gg__looping *x, gpudata *const *bufs, const size_t *offs);

#endif
