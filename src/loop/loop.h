/* SPDX-License-Identifier: BSD-2-Clause */
/* Loops as nodes of a graph: the op "scan".
 *
 *   loop.c         what a loop is
 *   loop_make.c    from a body among other variables to a node
 *   loop_derive.c  what both derivatives begin with
 *   loop_grad.c    the derivative backwards
 *   loop_rop.c     the derivative along a direction
 *   loop_op.c      the op: types of its node, prints
 *   scan.c         what users see (gpugraph/scan.h)
 *
 * src/rewrite has what a compiled loop need not compute (loop_prune.c) or
 * computes for all iterations at once (rw_loop.c), src/plan the rest.
 *
 * The body (inner.h) computes one step from rows of sequences, earlier values
 * of states, and what is the same in all steps:
 *
 *   inputs of the node   steps, [limit], sequences, initial states, fixed
 *   outputs              trace and last value of each state, all and last
 *                        values of each output, [count]
 *   inputs of the body   a row of each sequence, a tap of a state each, fixed
 *   outputs              the next value of each state, outputs, [until]
 *
 * A state of depth k starts from k rows; its trace has them in front of one row
 * per step, so that all that any step reads of it lies in one array. Taps of
 * sequences are no affair of loops: they are slices, made by who builds one.
 *
 * `steps`, known before anything runs, is how many rows there are; `limit`, a
 * number on the device, may allow fewer steps, and so may `most`. A row of a
 * series that is reversed belongs to step top - 1 - t, where top is the lesser
 * of steps and limit: with it a loop walks back over what another has left. */
#ifndef LOOP_LOOP_H
#define LOOP_LOOP_H

#include "graph/inner.h"

extern const gg_op gg__op_scan; /* gg__inner_props */

#define GG_LOOP_MOST 4503599627370496.0 /* steps: 2^52 */

/* The words of a loop: this, then what gg__loop lists, in its order. */
typedef struct gg__loop_head {
  int64_t n_seqs, n_states, n_taps, n_outs, n_fixed;
  int64_t is_limited, has_until;
  int64_t is_exact; /* sequences have as many rows as there are steps */
  int64_t most;     /* steps at most, 0: all */
  int64_t truncate; /* `most` of the gradient */
} gg__loop_head;

/* Those of one state come in a row, and states in their order. */
typedef struct gg__loop_tap {
  int64_t state, back; /* the value `back` steps ago, at least 1 */
} gg__loop_tap;

typedef struct gg__loop_out {
  int64_t reversed;
  int64_t like; /* has as many rows as this sequence; -1: as steps */
} gg__loop_out;

typedef struct gg__loop {
  const gg__inner *inner;
  const gg__loop_head *h;
  const int64_t *reversed; /* by sequence */
  const int64_t *depth;    /* by state, at least 1 */
  const gg__loop_tap *taps;
  const gg__loop_out *outs;
} gg__loop;

/* Read the words; 0 when they make no sense. */
int gg__loop_read(gg__loop *l, const gg__inner *x);
/* The loop of a node of gg__op_scan. */
gg__loop gg__loop_of(const gg_apply *a);

/* --- numbers of inputs and outputs --- */

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
  return 2 * state; /* its last value comes behind */
}
static inline unsigned int gg__loop_all(const gg__loop *l, unsigned int out) {
  return 2 * ((unsigned int)l->h->n_states + out); /* likewise */
}
static inline unsigned int gg__loop_count(const gg__loop *l) {
  return gg__loop_all(l, (unsigned int)l->h->n_outs);
}

/* Of the body. */
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

/* May it end before its steps are done? Rows behind the end are zeros. */
static inline int gg__loop_is_open(const gg__loop *l) {
  return l->h->is_limited || l->h->has_until || l->h->most != 0;
}

/* --- loop_make.c --- */

/* A sequence, and the input of the body that its rows are. */
typedef struct gg__loop_series {
  gg_var *outer, *row;
  int64_t reversed;
} gg__loop_series;

typedef struct gg__loop_state {
  gg_var *init; /* `depth` rows */
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

/* An input of the body that is the same in all steps. */
typedef struct gg__loop_constant {
  gg_var *outer, *var;
} gg__loop_constant;

/* A loop to be made. The variables of the body are of one graph: that of the
 * node, or one of their own. In that of the node, whatever does not depend on a
 * row or an earlier value is computed before the loop. */
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

/* Make the node; NULL, with the error kept in s->g, on failure. `op` is
 * gg__op_scan: its derivatives, which make loops as well, have it from their
 * node. */
gg_apply *gg__loop_make(const gg_op *op, const gg__loop_spec *s);
void gg__loop_spec_clear(gg__loop_spec *s);

/* --- loop_grad.c --- */

int gg__loop_grad(const gg_apply *a, gg_var *const *gout, gg_var **gin);

/* --- loop_rop.c --- */

int gg__loop_rop(const gg_apply *a, gg_var *const *din, gg_var **dout);

#endif
