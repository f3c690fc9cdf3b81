/* SPDX-License-Identifier: BSD-2-Clause */
/* Steps: the parts of a program that run as one, in order.
 *
 * All steps have a common head, which says what is computed, read and written.
 * Most of the library needs no more. A kind of step consists of
 *
 *   step_*.c        data beyond the head, how it is made and labelled
 *   step_kinds.c    its line in the table of kinds
 *   emit/emit_*.c   its kernel's source, where it has one   (emit.h)
 *   plan/plan_*.c   its launches for given sizes            (builder.h)
 *
 * No other file depends on the kind of a step. */
#ifndef FUSE_STEP_H
#define FUSE_STEP_H

#include "base/assert.h"
#include "fuse/program.h"

typedef enum gg__step_kind {
  GG_STEP_MAP,
  GG_STEP_REDUCE,
  GG_STEP_ROWS, /* several reductions of rows, and maps around them */
  GG_STEP_KERNEL,
  GG_STEP_INNER, /* a loop or a choice */
  GG_STEP_VIEW,
  GG_STEP_COPY,    /* a result that needs a buffer of its own */
  GG_STEP_SEND,    /* the first half of a transfer, on the device that is
                      read */
  GG_STEP_RECEIVE, /* the second half, on the device that is written */
  GG_N_STEP_KINDS
} gg__step_kind;

/* Nodes that a step computes in order: a map, a phase of a row program, or one
 * node of its own. */
typedef struct gg__node_list {
  gg_apply *const *nodes;
  unsigned int n;
} gg__node_list;

/* The head of all steps. Lists live in the program's arena. */
struct gg__step {
  gg__step_kind kind;
  unsigned int context; /* where the step runs */
  unsigned int shown;   /* its index in profiles and messages: from 1 for steps
                           with launches, 0 for views */
  char *label;          /* for profiles and messages */
  gg_apply *apply;      /* the node that it is built around; NULL: a map, a row
                           program, a copy */
  gg__node_list *lists; /* the nodes that it computes, in order; none for a
                           copy */
  unsigned int *reads;  /* values in memory, one entry per use */
  unsigned int *writes; /* values that it leaves in memory */
  unsigned int n_lists, n_reads, n_writes;
  unsigned int result; /* COPY: the index of the result that becomes a copy of
                          reads[0]; else GG_NONE */
  unsigned int after;  /* a step that must come first though this one reads none
                          of its values, such as the first half of a transfer;
                          GG_NONE */
};

/* Elementwise code: nodes in order, values that go in and out. All lists live
 * in the program's arena. */
typedef struct gg__body {
  gg_apply **nodes;
  unsigned int *in;      /* arrays */
  unsigned int *scalars; /* uniform values, passed as arguments */
  unsigned int *out;     /* arrays that are written */
  unsigned int n_nodes, n_in, n_scalars, n_out;
  unsigned int n_taken; /* the last of `in`: arrays that are read by index, one
                           for each node that does so, in their order */
  int flops;            /* per element */
  int vector;           /* all code follows the rules of GE_VECTOR */
} gg__body;

/* --- data of each kind beyond the head --- */

typedef struct gg__map_step {
  gg__step step;
  gg__body body;
} gg__map_step;

typedef struct gg__reduce_step {
  gg__step step;
  gg__body map;      /* computes the elements that are reduced */
  gg__body epilogue; /* computed from the results */
  gg_apply **also;   /* reductions beside it: for a variance, the sum; otherwise
                        others with its op */
  unsigned int n_also;
} gg__reduce_step;

/* The nodes of a row program are its items. The index of an item in the list
 * appears in its names in sources. */
typedef enum gg__row_kind {
  GG_ROW_ELEMENT, /* a map over the elements */
  GG_ROW_VALUE,   /* a map over row values */
  GG_ROW_REDUCE,
  GG_ROW_VIEW /* a row value with or without the reduced axes */
} gg__row_kind;

typedef struct gg__row_item {
  gg_apply *apply;
  gg__row_kind kind;
  unsigned int phase; /* the phase that computes it */
  unsigned char kept; /* ELEMENT: later phases read it from memory instead of
                         computing it again */
  unsigned char stored;
} gg__row_item;

typedef struct gg__rows_step {
  gg__step step;
  gg__body elements, row_values;
  gg__row_item *items; /* in order */
  unsigned int n_items, n_phases;
  unsigned int from; /* a value with the shape of the elements */
  unsigned int mask; /* reduced axes */
} gg__rows_step;

typedef struct gg__kernel_step {
  gg__step step;
  gg__body front;    /* computes input 0; without nodes, it is in memory */
  gg__body epilogue; /* if it has no outputs, the results are stored as they
                        are */
  gg_apply *sum;     /* the sum of a vector that the node multiplies by, or
                        NULL */
  gg__body sum_epilogue;
} gg__kernel_step;

static inline const gg__map_step *gg__map_of(const gg__step *s) {
  GA_ASSERT(s->kind == GG_STEP_MAP);
  return (const gg__map_step *)s;
}
static inline const gg__reduce_step *gg__reduce_of(const gg__step *s) {
  GA_ASSERT(s->kind == GG_STEP_REDUCE);
  return (const gg__reduce_step *)s;
}
static inline const gg__rows_step *gg__rows_of(const gg__step *s) {
  GA_ASSERT(s->kind == GG_STEP_ROWS);
  return (const gg__rows_step *)s;
}
static inline const gg__kernel_step *gg__kernel_of(const gg__step *s) {
  GA_ASSERT(s->kind == GG_STEP_KERNEL || s->kind == GG_STEP_INNER);
  return (const gg__kernel_step *)s;
}

/* Does the kernel of node `n` read input i from memory? */
static inline int gg__kernel_reads(const gg__node *n, const gg__kernel_step *s,
                                   unsigned int i) {
  return gg__reads(n, i) && (i > 0 || s->front.n_nodes == 0);
}

/* --- kinds --- */

typedef struct gg__step_ops {
  const char *name; /* in profiles and drawings; NULL: the name of the op */
  int has_launch;
  int starts_transfer, ends_transfer;
  void (*label)(ga__strb *b, const gg__program *p, const gg__step *s);
  /* May the step overwrite the shared variable that r replaces with result r,
   * as far as the step itself reads that variable? NULL: never. */
  int (*overwrites)(const gg__program *p, const gg__step *s,
                    const gg__result *r);
} gg__step_ops;

/* step_kinds.c */
extern const gg__step_ops *const gg__step_kinds[GG_N_STEP_KINDS];
extern const gg__step_ops gg__map_ops, gg__reduce_ops, gg__rows_ops,
    gg__kernel_ops, gg__inner_ops, gg__view_ops, gg__copy_ops, gg__send_ops,
    gg__receive_ops; /* step_*.c */

static inline const gg__step_ops *gg__ops_of(const gg__step *s) {
  return gg__step_kinds[s->kind];
}

static inline gpucontext *gg__step_context(const gg__program *p,
                                           const gg__step *s) {
  return p->contexts.v[s->context].ctx;
}

/* The node that the step is built around; s->apply must not be NULL. */
static inline const gg__node *gg__step_node(const gg__program *p,
                                            const gg__step *s) {
  return &p->nodes.v[p->values.v[gg__out(p, s->apply, 0)].node];
}

/* The first variable that the step computes or copies. */
static inline const gg_var *gg__step_var(const gg__program *p,
                                         const gg__step *s) {
  if (s->apply != NULL)
    return s->apply->out[0];
  return s->n_lists != 0 ? s->lists[0].nodes[0]->out[0]
                         : p->values.v[s->reads[0]].var;
}

/* Number and label the steps, in order (step_kinds.c). */
int gg__label_steps(gg__program *p);

/* Is element `v` of a row program stored in the last phase, when everything
 * else has been read (step_rows.c)? */
int gg__rows_store_last(const gg__program *p, const gg__rows_step *r,
                        unsigned int v);

#endif
