/* SPDX-License-Identifier: BSD-2-Clause */
/* Making a loop that is a derivative of another one (loop_grad.c,
 * loop_rop.c). */
#ifndef LOOP_LOOP_DERIVE_H
#define LOOP_LOOP_DERIVE_H

#include "loop/loop.h"

typedef GA_VEC(gg_var *) gg__vars;

typedef struct gg__deriver {
  const gg_apply *a;
  gg__loop l;
  gg_graph *g;      /* of the node */
  gg_graph *w;      /* in which the derivative of the body is built */
  gg__vars in, out; /* the body in w */
  gg__loop_spec spec;
  /* Of resized states: numbers of each iteration, traces, and by state where
   * the next value begins in its trace. */
  GA_VEC(gg__loop_series) parts;
  GA_VEC(gg__loop_constant) traces;
  gg__vars ends;
} gg__deriver;

/* Begin the derivative of node a. The caller clears d, also on failure. */
int gg__deriver_init(gg__deriver *d, const gg_apply *a);
void gg__deriver_clear(gg__deriver *d);

/* Copy an error of d->w, if any, to d->g and return it; else return err. */
int gg__deriver_adopt(const gg__deriver *d, int err);
int gg__deriver_no_memory(const gg__deriver *d);

/* A new input of the body, in d->w. */
gg_var *gg__deriver_like(const gg__deriver *d, const gg_type *t,
                         const char *name);
/* Set *value to what a tap of a resized state reads, in d->w, and d->ends. */
int gg__deriver_earlier(gg__deriver *d, unsigned int tap, gg_var **value);
/* Elements [begin, end) of a vector `outer` of the node's graph, in d->w. */
gg_var *gg__deriver_part(gg__deriver *d, gg_var *outer, gg_var *begin,
                         gg_var *end);
/* The rows of the trace that tap i reads, one for each iteration. */
gg_var *gg__deriver_tap_rows(const gg__deriver *d, unsigned int i);

/* Add a part to the new loop (gg__loop_spec). A tap belongs to the state that
 * was added last. */
int gg__deriver_series(gg__deriver *d, gg_var *outer, gg_var *row,
                       int64_t reversed);
int gg__deriver_constant(gg__deriver *d, gg_var *outer, gg_var *var);
int gg__deriver_state(gg__deriver *d, gg_var *init, int64_t depth);
int gg__deriver_tap(gg__deriver *d, gg_var *var, int64_t back);
int gg__deriver_out(gg__deriver *d, gg_var *value, gg_var *as_many_as,
                    int64_t reversed);
/* Give the new loop all inputs of the old body. `flip` is 1 if it goes
 * backwards. */
int gg__deriver_old_inputs(gg__deriver *d, int64_t flip);
/* Make the new loop, which has the sizes of resized states as last outputs.
 * NULL, with the error kept in d->g, on failure. */
const gg_apply *gg__deriver_make(gg__deriver *d);

#endif
