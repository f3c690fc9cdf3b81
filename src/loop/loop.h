/* SPDX-License-Identifier: BSD-2-Clause */
/* Loops as nodes of a graph: the op "scan".
 *
 *   loop.c         the words of a loop
 *   loop_make.c    makes a node from a body
 *   loop_derive.c  the common part of both derivatives
 *   loop_grad.c    gradients
 *   loop_rop.c     the derivative along a direction
 *   loop_op.c      the op: types and printing
 *   scan.c         public functions (gpugraph/scan.h)
 *
 * src/rewrite removes what a compiled loop need not compute (loop_prune.c) and
 * moves out what can be computed for all iterations at once (rw_loop.c).
 * src/plan does the rest.
 *
 * The body (inner.h) computes one iteration from rows of sequences, earlier
 * values of states, and fixed inputs, which are the same in all iterations:
 *
 *   inputs of the node   steps, [limit], sequences, initial states, fixed
 *   outputs              trace and last value of each state, all values and
 *                        last value of each output, [count]
 *   inputs of the body   a row of each sequence, taps of states, fixed
 *   outputs              the next value of each state, outputs, [until]
 *
 * A state of depth k starts from k rows. Its trace has these rows and then one
 * row per iteration, so that all values that any iteration reads lie in one
 * array. Loops have no taps of sequences: the builder of a loop makes a slice
 * for each.
 *
 * A state of depth 0 is *resized*: its sizes may change from iteration to
 * iteration. It starts from one value instead of rows, and its tap is the value
 * one iteration ago. Its trace is a vector: the elements of all values, one
 * after another. Such a loop, and one whose body has sizes that follow from
 * data, is a stage of a function (func/stages.c).
 *
 * `steps`, known before anything runs, is the number of rows; `limit`, a scalar
 * on the device, may allow fewer iterations, and so may `most`. Iteration t
 * reads or writes row t of a sequence or output, or row top - 1 - t if it is
 * reversed, where top is the smaller of steps and limit. So a loop can go
 * backwards over the results of another one. */
#ifndef LOOP_LOOP_H
#define LOOP_LOOP_H

#include <gpugraph/inner.h>

#include "graph/inner.h"

extern const gg_op gg__op_scan; /* gg__inner_props */

#define GG_LOOP_MOST 4503599627370496.0 /* iterations at most: 2^52 */

/* The words of a loop: this struct, then the arrays of gg__loop in their
 * order. */
typedef struct gg__loop_head {
  int64_t n_seqs, n_states, n_taps, n_outs, n_fixed;
  int64_t is_limited, has_until;
  int64_t is_exact; /* sequences have exactly `steps` rows */
  int64_t most;     /* iterations at most; 0: no limit */
  int64_t truncate; /* `most` of the gradient */
} gg__loop_head;

/* Taps are sorted by state. */
typedef gg_loop_tap gg__loop_tap;
typedef gg_loop_row gg__loop_out;

typedef struct gg__loop {
  const gg__inner *inner;
  const gg__loop_head *h;
  const int64_t *reversed; /* by sequence */
  const int64_t *depth;    /* by state; 0: it is resized */
  const gg__loop_tap *taps;
  const gg__loop_out *outs;
} gg__loop;

/* Read the words of an inner graph; 0 if they are invalid. */
int gg__loop_read(gg__loop *l, const gg__inner *x);
/* The loop of a node of gg__op_scan. */
gg__loop gg__loop_of(const gg_apply *a);

/* --- indices of inputs and outputs --- */

enum { GG_LOOP_STEPS = 0, GG_LOOP_LIMIT = 1 };

static inline unsigned int gg__loop_seq(const gg__loop *l, unsigned int i) {
  return 1 + (unsigned int)l->h->is_limited + i;
}
static inline unsigned int gg__loop_init(const gg__loop *l, unsigned int i) {
  return gg__loop_seq(l, (unsigned int)l->h->n_seqs) + i;
}
static inline unsigned int gg__loop_fixed(const gg__loop *l, unsigned int i) {
  return gg__loop_init(l, (unsigned int)l->h->n_states) + i;
}
static inline unsigned int gg__loop_n_in(const gg__loop *l) {
  return gg__loop_fixed(l, (unsigned int)l->h->n_fixed);
}

static inline unsigned int gg__loop_trace(unsigned int state) {
  return 2 * state; /* its last value is the next output */
}
static inline unsigned int gg__loop_all(const gg__loop *l, unsigned int out) {
  return 2 * ((unsigned int)l->h->n_states + out); /* likewise */
}
static inline unsigned int gg__loop_count(const gg__loop *l) {
  return gg__loop_all(l, (unsigned int)l->h->n_outs);
}

/* Indices of inputs and outputs of the body. */
static inline unsigned int gg__body_tap(const gg__loop *l, unsigned int i) {
  return (unsigned int)l->h->n_seqs + i;
}
static inline unsigned int gg__body_fixed(const gg__loop *l, unsigned int i) {
  return gg__body_tap(l, (unsigned int)l->h->n_taps) + i;
}
static inline unsigned int gg__body_out(const gg__loop *l, unsigned int i) {
  return (unsigned int)l->h->n_states + i;
}
static inline unsigned int gg__body_until(const gg__loop *l) {
  return gg__body_out(l, (unsigned int)l->h->n_outs);
}

/* Can the loop run fewer than `steps` iterations? Then the remaining rows are
 * zeros. */
static inline int gg__loop_is_open(const gg__loop *l) {
  return l->h->is_limited || l->h->has_until || l->h->most != 0;
}

/* Does the loop have a resized state? *state becomes the first one. */
static inline int gg__loop_resizes(const gg__loop *l, unsigned int *state) {
  for (*state = 0; *state < l->h->n_states; ++*state)
    if (l->depth[*state] == 0)
      return 1;
  return 0;
}

/* --- loop_make.c --- */

/* A sequence, and the input of the body for its rows. */
typedef struct gg__loop_series {
  gg_var *outer, *row;
  int64_t reversed;
} gg__loop_series;

typedef struct gg__loop_state {
  gg_var *init; /* [depth, ...]; of a resized state its first value */
  gg_var *next; /* of the body */
  int64_t depth;
} gg__loop_state;

/* An input of the body that is an earlier value of a state. */
typedef struct gg__loop_earlier {
  gg_var *var;
  int64_t state, back;
} gg__loop_earlier;

typedef struct gg__loop_result {
  gg_var *value; /* of the body */
  gg_var *like;  /* a sequence, or NULL */
  int64_t reversed;
} gg__loop_result;

/* An input of the body that is the same in all iterations. */
typedef struct gg__loop_constant {
  gg_var *outer, *var;
} gg__loop_constant;

/* What a loop is made of. The variables of the body belong to one graph: that
 * of the node, or a separate one. Expensive values that depend on no row and no
 * earlier value are computed before the loop. */
typedef struct gg__loop_spec {
  gg_graph *g;           /* of the node */
  gg_var *steps, *limit; /* limit may be NULL */
  gg_var *until;         /* of the body; may be NULL */
  int64_t is_exact, most, truncate;
  GA_VEC(gg__loop_series) seqs;
  GA_VEC(gg__loop_state) states;
  GA_VEC(gg__loop_earlier) taps;
  GA_VEC(gg__loop_result) outs;
  GA_VEC(gg__loop_constant) fixed;
} gg__loop_spec;

/* Make the node. NULL, with the error kept in s->g, on failure. `op` is
 * gg__op_scan; it is an argument because derivatives make loops, too, and take
 * the op from their node. */
gg_apply *gg__loop_make(const gg_op *op, const gg__loop_spec *s);
/* Make the sizes of what taps of resized states read outputs of the loop, after
 * all others. Derivatives need them; where nothing else does, they are pruned
 * when a function is compiled. */
int gg__loop_put_sizes(gg__loop_spec *s);
void gg__loop_spec_clear(gg__loop_spec *s);

/* --- loop_grad.c --- */

int gg__loop_grad(const gg_apply *a, gg_var *const *gout, gg_var **gin);

/* --- loop_rop.c --- */

int gg__loop_rop(const gg_apply *a, gg_var *const *din, gg_var **dout);

#endif
