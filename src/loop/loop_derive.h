/* SPDX-License-Identifier: BSD-2-Clause */
/* The making of a loop that is a derivative of another one (loop_grad.c,
 * loop_rop.c). */
#ifndef LOOP_LOOP_DERIVE_H
#define LOOP_LOOP_DERIVE_H

#include "loop/loop.h"

typedef GA_VEC(gg_var *) gg__vars;

typedef struct gg__deriver {
  const gg_apply *a;
  gg__loop l;
  gg_graph *g;      /* of the node */
  gg_graph *w;      /* where the body's derivative is made */
  gg__vars in, out; /* the body in w */
  gg__loop_spec spec;
} gg__deriver;

/* The node whose derivative is wanted; on failure `d` is to be cleared too. */
int gg__deriver_init(gg__deriver *d, const gg_apply *a);
void gg__deriver_clear(gg__deriver *d);

/* Tell the node's graph what went wrong in the other one. */
int gg__deriver_adopt(const gg__deriver *d, int err);
int gg__deriver_no_memory(const gg__deriver *d);

/* An input of the new body. */
gg_var *gg__deriver_like(const gg__deriver *d, const gg_type *t,
                         const char *name);
/* Rows of the trace of tap i's state, one for each step. */
gg_var *gg__deriver_tap_rows(const gg__deriver *d, unsigned int i);

/* Add to what the new loop is made of (gg__loop_spec). A tap is of the state
 * added last. */
int gg__deriver_series(gg__deriver *d, gg_var *outer, gg_var *row,
                       int64_t reversed);
int gg__deriver_constant(gg__deriver *d, gg_var *outer, gg_var *var);
int gg__deriver_state(gg__deriver *d, gg_var *init, int64_t depth);
int gg__deriver_tap(gg__deriver *d, gg_var *var, int64_t back);
int gg__deriver_out(gg__deriver *d, gg_var *value, gg_var *as_many_as,
                    int64_t reversed);
/* Let the new loop see all that the body of the old one saw; `flip` when it
 * goes the other way. */
int gg__deriver_old_inputs(gg__deriver *d, int64_t flip);

#endif
