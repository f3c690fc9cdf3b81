/* SPDX-License-Identifier: BSD-2-Clause */
/* The slots of a node with inner graphs, which is one launch for the plan
 * around it: a slot for each input, each output and each workspace. */
#ifndef PLAN_SLOTS_H
#define PLAN_SLOTS_H

#include <gpuarray/record.h>

#include "plan/builder.h"

typedef struct gg__slot {
  GpuArray array; /* at `place` */
  gg__place place;
  size_t bytes; /* of a workspace */
  int is_workspace;
} gg__slot;

/* Its lists last until the builder's next step. */
typedef struct gg__slots {
  gg__builder *b;
  const gg_apply *a;
  const gg__node *node;
  gg__slot *v;
  unsigned int n, max;
  unsigned int *in, *out; /* by input and output of the node, or GG_NONE */
} gg__slots;

/* Allocate slots for all inputs and outputs and `extra` more. */
int gg__slots_init(gg__slots *s, gg__builder *b, const gg__step *step,
                   unsigned int extra);
/* The value of a variable. */
static inline unsigned int gg__slots_value(const gg__slots *s,
                                           const gg_var *v) {
  return s->b->p->value_of[v->id];
}
/* Add a slot for input i, which has a place, or output i, which gets one. */
void gg__slots_add_in(gg__slots *s, unsigned int i);
int gg__slots_add_out(gg__slots *s, unsigned int i);
/* Add a slot with a workspace of the launch. */
int gg__slots_add_workspace(gg__slots *s, size_t bytes, unsigned int *slot);

/* List the present memory of the slots. The lists last until the next step. */
int gg__slots_memory(const gg__slots *s, gpudata ***bufs, size_t **offs);
/* Add a launch that calls `fn`. It owns `state` and frees it with `drop`, also
 * on failure. `made`: kernels that the plans of its bodies set up anew. */
int gg__slots_launch(gg__slots *s, GpuLaunch_fn fn, void *state,
                     void (*drop)(void *), const char *provider, size_t made);
/* The state of the launch that is offered to this thread (GpuLaunch_renew), if
 * that calls `fn`; else NULL. Borrowed; the launch stays offered. */
void *gg__old_state(GpuLaunch_fn fn);
/* Release workspaces and unread outputs, once the step is planned. */
void gg__slots_release(gg__slots *s);

#endif
