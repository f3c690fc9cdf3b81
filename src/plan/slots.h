/* SPDX-License-Identifier: BSD-2-Clause */
/* The launch that a node with graphs inside is to the plan around it: a slot
 * for each array that comes in, goes out, or is there while it runs. */
#ifndef PLAN_SLOTS_H
#define PLAN_SLOTS_H

#include <gpuarray/record.h>

#include "plan/builder.h"

typedef struct gg__slot {
  gg__array array;
  gg__place place;
  int is_workspace;
} gg__slot;

/* Lives in the builder's memory of the step at hand. */
typedef struct gg__slots {
  gg__builder *b;
  const gg_apply *a;
  const gg__node *node;
  gg__slot *v;
  unsigned int n, max;
  unsigned int *in, *out; /* by input and output of the node, or GG_NONE */
} gg__slots;

/* Room for all inputs and outputs and `extra` more. */
int gg__slots_init(gg__slots *s, gg__builder *b, const gg__step *step,
                   unsigned int extra);
/* The value of a variable. */
static inline unsigned int gg__slots_value(const gg__slots *s,
                                           const gg_var *v) {
  return s->b->p->value_of[v->id];
}
/* Input i, which has a place; output i, which gets one. */
void gg__slots_add_in(gg__slots *s, unsigned int i);
int gg__slots_add_out(gg__slots *s, unsigned int i);
/* Memory for as long as the launch runs. */
int gg__slots_add_workspace(gg__slots *s, size_t bytes, unsigned int *slot);

/* What is in the slots at present; in the builder's memory of the step. */
int gg__slots_memory(const gg__slots *s, gpudata ***bufs, size_t **offs);
/* Add a launch that calls `fn`; `state` is given to `drop` in any case. */
int gg__slots_launch(gg__slots *s, GpuLaunch_fn fn, void *state,
                     void (*drop)(void *), const char *provider);
/* The step is planned: let go of its workspace, and of what nobody reads. */
void gg__slots_release(gg__slots *s);

#endif
