/* SPDX-License-Identifier: BSD-2-Clause */
/* What a function computes, whatever the shapes: values, the nodes behind them,
 * and the steps that compute them (step.h).
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
#include "rewrite/compile.h"

typedef struct gg__step gg__step; /* step.h */
typedef struct gg__unit gg__unit; /* plan/unit.h */

#define GG_NONE UINT_MAX /* no value, node, step, ... */

/* How a node is computed. */
typedef enum gg__role {
  GG_DEAD,    /* not at all: at most its shape matters */
  GG_UNIFORM, /* one scalar, known on the host before anything runs */
  GG_TABLE,   /* elements that depend on shapes only, uploaded once per plan */
  GG_MAP,     /* elementwise, in a kernel with others */
  GG_REDUCE,
  GG_VIEW,
  GG_KERNEL,
  GG_TRANSFER
} gg__role;

/* How a value is wanted; bits. */
enum {
  GG_WANT_SCALAR = 1, /* uniform values: by a kernel, as an argument */
  GG_WANT_READ = 2,   /* by a map or a reduction, element by element */
  GG_WANT_PLACE = 4   /* in memory: by a view, a KERNEL op or the caller */
};

/* A context of the program. */
typedef struct gg__context {
  gpucontext *ctx;
  gpudata *anchor;    /* owned; keeps the context alive */
  char *name;         /* for prints */
  int is_cpu;         /* arithmetic costs more than memory */
  size_t param_bytes; /* that a kernel's arguments may take */
} gg__context;

/* A variable of the rewritten graph. */
typedef struct gg__value {
  gg_var *var;
  unsigned int node;       /* that computes it; GG_NONE: a leaf */
  unsigned int leaf;       /* index among inputs, shared or constants */
  unsigned char want;      /* GG_WANT_* */
  unsigned char uniform;   /* all elements are one scalar, known on the host */
  unsigned char is_result; /* an output, or the new value of a shared one */
  unsigned int context;
  unsigned int space; /* equal ids: equal shapes, whatever the call, and one
                         context */
  unsigned int step;  /* that writes it to memory, or GG_NONE */
  unsigned int uses;  /* reads of it by steps */
} gg__value;

typedef struct gg__node {
  gg_apply *apply;
  gg__role role;
  const gg_code *code; /* GG_OP_ELEMWISE */
  unsigned int unread; /* bit i: the elements of input i do not matter; bit 31
                          stands for all from 31 on */
  gg__unit *inner[2];  /* GG_OP_INNER: the body of a loop, or the branches of a
                          choice; of the unit that the program is in */
} gg__node;

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
  unsigned int shared; /* whose new value, GG_NONE: an output */
  int direct;          /* the step writes it where it belongs; else a COPY */
  int in_place;        /* the shared buffer may be overwritten by that step */
} gg__result;

typedef struct gg__program {
  gg_graph *g; /* owned */
  gg_mode mode;
  int fuses, in_place; /* are nodes united, are updates made in place? */
  GA_VEC(gg__context) contexts;
  size_t param_bytes;     /* that a kernel's arguments may take anywhere */
  GA_VEC(gg__node) nodes; /* inputs before users */
  GA_VEC(gg__value) values;
  unsigned int *value_of;       /* by id of the variable; GG_NONE */
  GA_VEC(gg_var *) arguments;   /* of a call, in order */
  GA_VEC(unsigned int) scalars; /* values among them that the host reads */
  GA_VEC(gg__shared) shared;
  GA_VEC(unsigned int) consts; /* values that need a buffer */
  GA_VEC(gg__result) results;  /* outputs, then updates */
  size_t n_outputs;
  GA_VEC(gg__step *) steps; /* in the order of execution */
  ga__arena arena;          /* steps and their lists */
} gg__program;

/* Number what the results of a rewritten graph need: values and nodes, without
 * steps. Takes b->g over in any case; clear *p in any case. */
int gg__number_graph(gg__program *p, gg__build *b);
/* Unite nodes into groups, and make steps of these, in any order. */
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

/* How many arrays of nd dimensions a kernel can have as arguments, beside what
 * else it needs: a pointer, an offset and strides each. */
static inline size_t gg__max_arrays(const gg__program *p, unsigned int nd) {
  return (p->param_bytes - 128) / (16 + 8 * (size_t)nd);
}

static inline gpucontext *gg__context_of(const gg__program *p,
                                         unsigned int value) {
  return p->contexts.v[p->values.v[value].context].ctx;
}

/* Can the node be the root of a kernel that computes what follows it at its
 * result's shape, too? */
static inline int gg__is_root(const gg__node *n) {
  return n->role == GG_REDUCE ||
         (n->role == GG_KERNEL && n->apply->op->prepare_post != NULL &&
          (n->apply->op->takes_post == NULL ||
           n->apply->op->takes_post(n->apply)));
}

/* Do the elements of input i matter? */
static inline int gg__reads(const gg__node *n, unsigned int i) {
  return (n->unread >> (i < 31 ? i : 31) & 1u) == 0;
}

/* A constant that is text in kernels. */
static inline int gg__is_literal(const gg__value *v) {
  return v->uniform && v->var->kind == GG_VAR_CONST;
}

/* The role of the node that computes a value, GG_DEAD for leaves. */
static inline gg__role gg__role_of(const gg__program *p, unsigned int value) {
  const unsigned int n = p->values.v[value].node;

  return n == GG_NONE ? GG_DEAD : p->nodes.v[n].role;
}

/* --- sets that unite: parent[k] leads towards the least member of k's set,
 * whose own parent it is --- */

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
