/* SPDX-License-Identifier: BSD-2-Clause */
/* What a function computes, shape by shape unknown: values, the nodes behind
 * them, and the steps that compute them.
 *
 *   values.c    number what is needed, find out what each value is
 *   cluster.c   gather nodes that are connected into groups      (fuse.h)
 *   fuse.c      move nodes to the groups that use them
 *   fuse_reduce.c  unite reductions of the same elements
 *   absorb.c    unite groups that one kernel can compute
 *   fuse_rows.c unite groups around reductions of the same rows
 *   fuse_sum.c  unite products with the sums of their vectors
 *   steps.c     make steps of the groups
 *   step_rows.c the same of row groups
 *   schedule.c  put them in order
 *   label.c     name them
 *
 * A program is built once per function. Sizes come with a call (plan.h). */
#ifndef FUSE_PROGRAM_H
#define FUSE_PROGRAM_H

#include <gpuarray/elemwise.h>
#include <gpuarray/launch.h>
#include <gpuarray/reduction.h>
#include <gpuarray/rows.h>
#include <limits.h>

#include "graph/inner.h"
#include "rewrite/compile.h"

#define GG_NONE UINT_MAX /* no value, node, step, ... */

/* How a node is computed. */
typedef enum gg__role {
  GG_DEAD,    /* not at all: at most its shape matters */
  GG_UNIFORM, /* one number, known on the host before anything runs */
  GG_TABLE,   /* elements that depend on shapes only, uploaded once per plan */
  GG_MAP,     /* elementwise, in a kernel with others */
  GG_REDUCE,
  GG_VIEW,
  GG_KERNEL,
  GG_TRANSFER
} gg__role;

/* How a value is wanted; bits. */
enum {
  GG_WANT_NUMBER = 1, /* uniform values: by a kernel, as an argument */
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
  unsigned int leaf;       /* number among inputs, shared or constants */
  unsigned char want;      /* GG_WANT_* */
  unsigned char uniform;   /* all elements are one number, known on the host */
  unsigned char is_result; /* an output, or the new value of a shared one */
  unsigned int context;
  unsigned int space; /* equal numbers: equal shapes, whatever the call, and one
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
  gg_func *inner[2];   /* GG_OP_INNER: the body of a loop, or the branches of a
                          choice; of func/func_inner.c */
} gg__node;

typedef enum gg__step_kind {
  GG_STEP_MAP,
  GG_STEP_REDUCE,
  GG_STEP_VIEW,
  GG_STEP_KERNEL,
  GG_STEP_INNER,  /* a loop or a choice */
  GG_STEP_ROWS,   /* several reductions of rows, and maps around them */
  GG_STEP_COPY,   /* a value that a result needs in a buffer of its own */
  GG_STEP_SEND,   /* the first half of a transfer, read on one device */
  GG_STEP_RECEIVE /* the second half, written on another */
} gg__step_kind;

/* Elementwise code: nodes in order, and what goes in and out. All lists live
 * in the program's arena and hold values. */
typedef struct gg__body {
  gg_apply **nodes;
  unsigned int *in;      /* arrays */
  unsigned int *scalars; /* uniform values, passed as arguments */
  unsigned int *out;     /* arrays that are written */
  unsigned int n_nodes, n_in, n_scalars, n_out;
  int flops;  /* per element */
  int vector; /* all code obeys the rules of GE_VECTOR */
} gg__body;

/* The text of a KERNEL's post and what it points to. */
typedef struct gg__epilogue {
  GpuEpilogue e;
  struct gg__epilogue *sum; /* owned; what follows the sum, or NULL */
  gpuelemwise_arg *args;    /* owned, as the others */
  char (*names)[12];
  ga__strb text;
} gg__epilogue;

void gg__epilogue_free(gg__epilogue *x); /* values.c */

/* A node of a row program. Its number in the list is its name in texts. */
typedef enum gg__row_kind {
  GG_ROW_ELEMENT, /* a map over the elements */
  GG_ROW_NUMBER,  /* a map over what there is once per row */
  GG_ROW_REDUCE,
  GG_ROW_VIEW /* a number with or without the reduced axes */
} gg__row_kind;

typedef struct gg__row_item {
  gg_apply *apply;
  gg__row_kind kind;
  unsigned int phase; /* in which it is computed */
  unsigned char kept; /* ELEMENT: later phases read it instead of computing it
                         again */
  unsigned char stored;
} gg__row_item;

/* A row program: nodes in order. */
typedef struct gg__rows {
  gg__row_item *items;
  unsigned int n_items, n_phases;
  unsigned int from; /* a value with the shape of the elements */
  unsigned int mask; /* reduced axes */
} gg__rows;

typedef struct gg__step {
  gg__step_kind kind;
  unsigned int context; /* that works */
  gg_apply *apply;      /* REDUCE, VIEW, KERNEL, SEND, RECEIVE */
  gg_apply **also;      /* REDUCE: reductions that come with it; of a variance
                             the sum, else others by its op. KERNEL: the sum of a
                             vector that it multiplies by, or none */
  unsigned int n_also;
  gg__body map;           /* MAP, and what REDUCE combines */
  gg__body post;          /* REDUCE, KERNEL: what becomes of the result; without
                             outputs a KERNEL's result is stored as it is */
  gg__body beside;        /* KERNEL: what becomes of the sum */
  gg__rows *rows;         /* ROWS; map and post are its elements and numbers */
  unsigned int result;    /* COPY: which */
  unsigned int from;      /* COPY: the value */
  unsigned int number;    /* shown: kernels count from 1, views are 0 */
  char *label;            /* for profiles */
  GpuElemwise *ge;        /* MAP; made at the first plan */
  GpuReduction *re;       /* REDUCE; made at the first plan */
  GpuRows *ro;            /* ROWS; made at the first plan */
  gg__epilogue *epilogue; /* KERNEL with a post; made at the first plan */
} gg__step;

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
  unsigned int *value_of;     /* by id of the variable; GG_NONE */
  unsigned int *local;        /* by value: its name while a kernel is written */
  GA_VEC(gg_var *) arguments; /* of a call, in order */
  GA_VEC(unsigned int) numbers; /* values among them that the host reads */
  GA_VEC(gg__shared) shared;
  GA_VEC(unsigned int) consts; /* values that need a buffer */
  GA_VEC(gg__result) results;  /* outputs, then updates */
  size_t n_outputs;
  GA_VEC(gg__step *) steps; /* in the order of execution */
  ga__arena arena;          /* steps and their lists */
} gg__program;

/* Build *p from a rewritten graph; takes b->g over in any case. */
int gg__program_init(gg__program *p, gg__build *b);
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

static inline gpucontext *gg__step_context(const gg__program *p,
                                           const gg__step *s) {
  return p->contexts.v[s->context].ctx;
}

/* Does the step read the operands of its node as they are? */
static inline int gg__takes_operands(const gg__step *s) {
  return s->kind == GG_STEP_VIEW || s->kind == GG_STEP_KERNEL ||
         s->kind == GG_STEP_INNER || s->kind == GG_STEP_SEND ||
         s->kind == GG_STEP_RECEIVE;
}

/* Can the node compute what follows it at its result's shape? */
static inline int gg__is_host(const gg__node *n) {
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

/* --- fuse.c --- */

enum {
  GG_MAX_NODES = 256, /* of a kernel: drivers' compilers are superlinear */
  GG_MAX_COPIES = 4   /* groups that may compute the same cheap node */
};

/* Nodes that one kernel computes, or several one after the other when they are
 * too many. */
typedef struct gg__group {
  gg__step_kind kind;  /* MAP, ROWS, or REDUCE or KERNEL: a host */
  unsigned int level;  /* greater than that of every group it depends on */
  unsigned int lowest; /* ROWS: of the levels it spans; `level` is the last */
  unsigned int space;  /* of the iteration */
  unsigned int root;   /* hosts: their node */
  unsigned int post;   /* hosts: a MAP group that they compute too */
  unsigned int beside; /* KERNEL: a MAP group that follows the sum in others */
  unsigned int host;   /* MAP: who computes it, or GG_NONE */
  int frozen;          /* hosts: must not take a post group */
  size_t size, arrays; /* estimates of nodes and arguments */
  unsigned int parts;  /* kernels that the group is cut into */
  GA_VEC(unsigned int) nodes; /* of MAP role, ascending */
  /* ROWS: reductions and views. REDUCE: reductions beside the root, of a
   * variance the sum of the same elements, else others by its op. KERNEL: the
   * sum of a vector that it multiplies by. */
  GA_VEC(unsigned int) others;
} gg__group;

/* Where a node is computed: groups, and which part of each. */
typedef struct gg__homes {
  unsigned int n, group[GG_MAX_COPIES], part[GG_MAX_COPIES];
} gg__homes;

/* Which nodes read each value: user[first[v]] .. user[first[v + 1] - 1], in
 * ascending order, once per operand. */
typedef struct gg__users {
  unsigned int *first, *user;
} gg__users;

typedef struct gg__fusion {
  GA_VEC(gg__group) groups;
  gg__homes *homes;       /* by node; n = 0 for nodes that are in no group */
  unsigned int *group_of; /* by node: its own group, or GG_NONE */
  unsigned char *unseen;  /* by node: a view that row programs see through */
  gg__users users;
} gg__fusion;

int gg__fuse(gg__fusion *f, const gg__program *p);
void gg__fusion_clear(gg__fusion *f);

/* --- steps.c --- */

/* Make the steps, in any order. */
int gg__make_steps(gg__program *p, gg__fusion *f);

/* --- step_rows.c --- */

/* Fill in the step of a row group, the last of the program's. */
int gg__fill_rows(gg__program *p, gg__fusion *f, unsigned int group,
                  gg__step *x);

/* Is an element of the program stored in the last phase? */
int gg__rows_store_last(const gg__program *p, const gg__rows *r,
                        unsigned int v);

/* --- label.c --- */

/* Name the steps for profiles and prints. */
int gg__label_steps(gg__program *p);

/* --- schedule.c --- */

/* Put the steps in order, and decide which updates are in place. */
int gg__schedule(gg__program *p);

/* --- emit.c --- */

/* Make the step's ge, re or epilogue if it is not there yet. */
int gg__step_kernel(const gg__program *p, gg__step *s);

#endif
