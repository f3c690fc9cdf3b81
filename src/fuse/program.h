/* SPDX-License-Identifier: BSD-2-Clause */
/* What a function computes, for all shapes: values, the nodes behind them, and
 * the steps that compute them (step.h).
 *
 *   values.c    number what is needed, find out what each value is
 *   fuse.c      gather nodes into groups, one for each kernel  (fusion.h)
 *   steps.c     make steps of the groups
 *   schedule.c  put them in order
 *
 * A program is built once per function and does not change. Sizes come with a
 * call (plan.h). */
#ifndef FUSE_PROGRAM_H
#define FUSE_PROGRAM_H

#include <limits.h>

#include "graph/inner.h"
#include "rewrite/compiling.h"

typedef struct gg__step gg__step; /* step.h */
typedef struct gg__unit gg__unit; /* plan/unit.h */

#define GG_NONE UINT_MAX /* no value, node, step, ... */

/* How a node is computed. */
typedef enum gg__role {
  GG_DEAD,    /* not at all: at most its shape matters */
  GG_UNIFORM, /* one scalar that the host knows before anything runs */
  GG_TABLE,   /* elements that depend on shapes only, uploaded once per plan */
  GG_MAP,     /* elementwise, may share a kernel with others */
  GG_REDUCE,
  GG_VIEW,
  GG_KERNEL,
  GG_TRANSFER
} gg__role;

/* How a value is used; bits. */
enum {
  GG_WANT_SCALAR = 1, /* uniform values: as an argument of a kernel */
  GG_WANT_READ = 2,   /* its elements, by a map or a reduction */
  GG_WANT_PLACE = 4,  /* in memory: by a view, a KERNEL op or the caller */
  GG_WANT_MAP = 8     /* with READ: a map is one of its users */
};

/* A context of the program. */
typedef struct gg__context {
  gpucontext *ctx;
  gpudata *anchor;    /* owned; an empty buffer that keeps the context alive */
  char *name;         /* for messages */
  int is_cpu;         /* arithmetic costs more than memory traffic */
  size_t param_bytes; /* bytes of a kernel's arguments that it allows */
} gg__context;

/* A variable of the rewritten graph. */
typedef struct gg__value {
  gg_var *var;
  unsigned int node;       /* the node that computes it; GG_NONE: a leaf */
  unsigned int leaf;       /* index among inputs, shared or constants */
  unsigned char want;      /* GG_WANT_* */
  unsigned char uniform;   /* all elements equal one scalar that the host
                              knows */
  unsigned char is_read;   /* uniform: one of the program's `scalars` */
  unsigned char is_result; /* an output, or the new value of a shared
                              variable */
  unsigned int context;
  unsigned int space; /* equal ids: equal shapes in every call, and one
                         context */
  unsigned int step;  /* the step that writes it to memory, or GG_NONE */
  unsigned int uses;  /* reads of it by steps */
} gg__value;

typedef struct gg__node {
  gg_apply *apply;
  gg__role role;
  const gg_code *code; /* GG_OP_ELEMWISE */
  unsigned int unread; /* bit i: the elements of input i do not matter; bit 31
                          covers all inputs from 31 on */
  gg__unit *inner[2];  /* GG_OP_INNER: the body of a loop, or the branches of a
                          choice; owned by the unit that the program is in */
} gg__node;

/* A scalar that the host reads from an argument before anything runs: an
 * integer, or an element of a vector of integers. */
typedef struct gg__scalar {
  unsigned int value; /* GG_NONE: only a loop or a choice needs it, inside */
  unsigned int leaf;  /* index of the argument */
  int64_t index;      /* in the vector; from its end if negative */
} gg__scalar;

/* A shared variable of the function. */
typedef struct gg__shared {
  gg__storage *storage; /* retained by the variable's graph */
  gg_var *var;
  unsigned int value;  /* GG_NONE if no expression reads it */
  unsigned int result; /* its new value, GG_NONE if it is not updated */
} gg__shared;

/* An output or the new value of a shared variable. */
typedef struct gg__result {
  unsigned int value;
  unsigned int shared; /* the shared variable that it replaces; GG_NONE: an
                          output */
  int direct;          /* its step writes it to its destination; else a copy
                          follows */
  int in_place;        /* that step may overwrite the shared variable's
                          buffer */
} gg__result;

typedef struct gg__program {
  gg_graph *g; /* owned */
  gg_mode mode;
  int fuses, in_place; /* are nodes fused, are updates made in place? */
  GA_VEC(gg__context) contexts;
  size_t param_bytes;     /* bytes of a kernel's arguments that every context
                             allows */
  GA_VEC(gg__node) nodes; /* inputs before users */
  GA_VEC(gg__value) values;
  unsigned int *value_of;     /* by id of the variable; GG_NONE: not needed */
  GA_VEC(gg_var *) arguments; /* in the order of the call's arguments */
  GA_VEC(gg__scalar) scalars; /* sorted by argument */
  GA_VEC(gg__shared) shared;
  GA_VEC(unsigned int) consts; /* values that need a buffer */
  GA_VEC(gg__result) results;  /* outputs, then updates */
  size_t n_outputs;
  GA_VEC(gg__step *) steps; /* in the order of execution */
  ga__arena arena;          /* steps and their lists */
} gg__program;

/* Enter the values and nodes that the results of a rewritten graph need; no
 * steps. Takes ownership of b->g, on failure too. Clear *p in any case. */
int gg__number_graph(gg__program *p, gg__build *b);
/* Add a scalar, unless it is a further one of the same element without a
 * value. */
int gg__add_scalar(gg__program *p, gg__scalar s);
/* The input that v is, or is after its sizes were specified, or NULL. */
const gg_var *gg__argument_of(const gg_var *v);
/* Unite nodes into groups, and make steps of these, not yet in order. */
int gg__fuse(gg__program *p);
/* Put the steps in order, and decide which updates are in place. */
int gg__schedule(gg__program *p);
void gg__program_clear(gg__program *p);

/* The value of a node's i-th input or output. */
static inline unsigned int gg__in(const gg__program *p, const gg_apply *a,
                                  unsigned int i) {
  return p->value_of[a->in[i]->id];
}
static inline unsigned int gg__out(const gg__program *p, const gg_apply *a,
                                   unsigned int i) {
  return p->value_of[a->out[i]->id];
}

/* The value that `value` is a view of, through any number of views; itself if
 * it is none. */
static inline unsigned int gg__source_value(const gg__program *p,
                                            unsigned int value) {
  unsigned int node;

  while ((node = p->values.v[value].node) != GG_NONE &&
         p->nodes.v[node].role == GG_VIEW)
    value = gg__in(p, p->nodes.v[node].apply, 0);
  return value;
}

/* How many arrays of nd dimensions a kernel can take as arguments beside its
 * others: each takes a pointer, an offset and strides. */
static inline size_t gg__max_arrays(const gg__program *p, unsigned int nd) {
  return (p->param_bytes - 128) / (16 + 8 * (size_t)nd);
}

static inline gpucontext *gg__context_of(const gg__program *p,
                                         unsigned int value) {
  return p->contexts.v[p->values.v[value].context].ctx;
}

/* Can the node be the root of a kernel that also computes an epilogue? */
static inline int gg__is_root(const gg__node *n) {
  return n->role == GG_REDUCE ||
         (n->role == GG_KERNEL && n->apply->op->prepare_post != NULL &&
          !gg__is_complex(n->apply->out[0]) &&
          (n->apply->op->takes_post == NULL ||
           n->apply->op->takes_post(n->apply)));
}

/* How often the kernel of a node reads each element of input 0, if maps in
 * front may be computed there (gg_op.front), or 0. */
static inline int gg__front_reads(const gg__node *n) {
  return n->role == GG_KERNEL && n->apply->op->front != NULL && gg__is_root(n)
             ? n->apply->op->front(n->apply)
             : 0;
}

/* Does the kernel of a node compute maps in front of it? */
static inline int gg__takes_front(const gg__node *n) {
  return n->role == GG_REDUCE || gg__front_reads(n) > 0;
}

/* Is input i an array that a map reads by index (gg_op.takes)? It must be in
 * memory before the map runs. */
static inline int gg__takes(const gg__node *n, unsigned int i) {
  return i == 0 && n->role == GG_MAP && n->apply->op->kind == GG_OP_KERNEL;
}

/* Do the elements of input i matter? */
static inline int gg__reads(const gg__node *n, unsigned int i) {
  return (n->unread >> (i < 31 ? i : 31) & 1u) == 0;
}

/* Is the value a constant that is written into sources as a literal? */
static inline int gg__is_literal(const gg__value *v) {
  return v->uniform && v->var->kind == GG_VAR_CONST;
}

/* The role of the node that computes a value, GG_DEAD for leaves. */
static inline gg__role gg__role_of(const gg__program *p, unsigned int value) {
  const unsigned int n = p->values.v[value].node;

  return n == GG_NONE ? GG_DEAD : p->nodes.v[n].role;
}

/* --- disjoint sets (union-find): parent[k] leads towards the least member of
 * k's set, which is its own parent --- */

static inline unsigned int gg__find_root(unsigned int *parent, unsigned int k) {
  while (parent[k] != k) {
    parent[k] = parent[parent[k]];
    k = parent[k];
  }
  return k;
}

static inline void gg__unite(unsigned int *parent, unsigned int a,
                             unsigned int b) {
  a = gg__find_root(parent, a);
  b = gg__find_root(parent, b);
  if (a < b)
    parent[b] = a;
  else
    parent[a] = b;
}

#endif
