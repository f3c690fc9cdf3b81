/* SPDX-License-Identifier: BSD-2-Clause */
/* The state of fusion.
 *
 *   cluster.c  levels, and connected nodes of one level as the first groups
 *   fuse.c     nodes move to their users, cheap ones are copied
 *   fuse_reduce.c  reductions of the same elements unite
 *   absorb.c   roots take what follows them; small groups unite
 *   fuse_rows.c  reductions of rows unite with the maps around them
 *   fuse_sum.c   sums of vectors move to products with them */
#ifndef FUSE_FUSION_H
#define FUSE_FUSION_H

#include "fuse/program.h"

enum {
  GG_MAX_NODES = 256, /* of a kernel; the compile time of drivers is
                         superlinear */
  GG_MAX_COPIES = 4   /* groups that may each compute the same cheap node */
};

typedef GA_VEC(unsigned int) gg__list;

typedef enum gg__group_kind {
  GG_GROUP_MAP,
  GG_GROUP_REDUCE, /* around a reduction, its root */
  GG_GROUP_KERNEL, /* around an op with kernels of its own, its root, with
                      maps in front of it (gg_op.front) */
  GG_GROUP_ROWS
} gg__group_kind;

/* Nodes that one kernel computes, or several kernels in order if the nodes are
 * too many for one. */
typedef struct gg__group {
  gg__group_kind kind;
  unsigned int level;    /* greater than that of every group it depends on */
  unsigned int lowest;   /* ROWS: the first level that it spans; `level` is the
                            last */
  unsigned int space;    /* iteration space */
  unsigned int root;     /* REDUCE, KERNEL: the node; else GG_NONE */
  unsigned int epilogue; /* with a root: a MAP group that follows it, and is
                            computed by the same kernel */
  unsigned int sum_epilogue; /* KERNEL: the epilogue of the sum in `others` */
  unsigned int owner; /* MAP: the group that it is an epilogue of, or GG_NONE */
  int frozen;         /* with a root: it must not take an epilogue */
  size_t size, arrays;        /* estimates of nodes and arguments */
  unsigned int parts;         /* kernels that the group is cut into */
  GA_VEC(unsigned int) nodes; /* of MAP role, ascending */
  /* ROWS: reductions and views. REDUCE: reductions beside the root: for a
   * variance, the sum of the same elements; otherwise others with its op.
   * KERNEL: the sum of the vector that it multiplies by. */
  GA_VEC(unsigned int) others;
} gg__group;

/* Where a node is computed: the groups, and the part of each. */
typedef struct gg__homes {
  unsigned int n, group[GG_MAX_COPIES], part[GG_MAX_COPIES];
} gg__homes;

/* A group without nodes. */
static inline gg__group gg__empty_group(gg__group_kind kind,
                                        unsigned int space) {
  return (gg__group){.kind = kind,
                     .space = space,
                     .root = GG_NONE,
                     .epilogue = GG_NONE,
                     .sum_epilogue = GG_NONE,
                     .owner = GG_NONE};
}

/* Which nodes read each value: user[first[v]] .. user[first[v + 1] - 1], in
 * ascending order, once per operand. */
typedef struct gg__users {
  unsigned int *first, *user;
} gg__users;

typedef struct gg__fusion {
  GA_VEC(gg__group) groups;
  gg__homes *homes;       /* by node; n = 0 for nodes that are in no group */
  unsigned int *group_of; /* by node: its own group, or GG_NONE */
  unsigned char *unseen;  /* by node: a view that exists only within a row
                             program and needs no step */
  gg__users users;
  ga__arena arena; /* holds all lists of fixed length */
} gg__fusion;

/* What it costs to compute a node from what is in memory. */
typedef struct gg__cost {
  int flops;   /* per element */
  int loads;   /* arrays of full size */
  int follows; /* a product's kernel can store this in place of its result,
                  which nothing else reads */
} gg__cost;

typedef struct gg__fuser {
  const gg__program *p;
  gg__fusion *f;
  int *level;           /* by node; -1: treated as a leaf */
  gg__cost *costs;      /* by node */
  unsigned int *parent; /* by node: union-find of clusters */
  unsigned int *seen;   /* by value: the last `count` that met it */
  unsigned int count;   /* how many counts have begun */
} gg__fuser;

/* Find the users of values, and the levels of nodes. */
int gg__find_levels(gg__fuser *u);

/* Make groups of the clusters and estimate their sizes. If `fusing` is 0, each
 * node is a cluster of its own. */
int gg__make_groups(gg__fuser *u, int fusing);
/* Must a map's result be stored, because it is wanted in memory or because a
 * kernel that does not compute it reads it? */
int gg__is_stored(const gg__program *p, const gg__fusion *f, unsigned int node);
/* Count the arguments of a map group's kernel; a scalar counts as an array. */
void gg__count_arrays(gg__fuser *u, unsigned int group);

/* Move reductions that read the same memory to one level where no path leads
 * from one to the other. Call it before groups are made. */
int gg__align_reductions(gg__fuser *u);
/* Let variances also compute sums of the same elements, and reductions also
 * compute others of their level that read the same memory. */
int gg__join_reductions(gg__fuser *u);
/* Let reductions and products also compute the map groups that follow them at
 * their result's shape. */
int gg__join_epilogues(gg__fuser *u);
/* The node that computes a value, looking through views; GG_NONE for leaves. */
unsigned int gg__source_node(const gg__program *p, unsigned int value);
/* Move the nodes of group `from` to group `to`. */
int gg__move_nodes(gg__fuser *u, unsigned int from, unsigned int to);
/* Unite small groups of one level and space, even if nothing connects them. */
int gg__join_small(gg__fuser *u);

/* Unite groups around reductions of the same rows. */
int gg__join_rows(gg__fuser *u);

/* Let products with a vector also compute its sum. Call it after
 * gg__join_rows. */
int gg__join_sums(gg__fuser *u);

/* Make the program's steps, not yet in order (steps.c). */
int gg__make_steps(gg__program *p, gg__fusion *f);

/* For qsort, of node indices. */
static inline int gg__ascending(const void *a, const void *b) {
  const unsigned int x = *(const unsigned int *)a, y = *(const unsigned int *)b;

  return (x > y) - (x < y);
}

enum { GG_SMALL_ELEMENTS = 4096 }; /* a launch costs more than the work */

static inline unsigned int gg__out_value(const gg__program *p,
                                         unsigned int node) {
  return gg__out(p, p->nodes.v[node].apply, 0);
}

/* The node that computes input i if `n` reads its elements; GG_NONE for leaves,
 * scalars and inputs of which only the shape matters. */
static inline unsigned int gg__read_node(const gg__program *p,
                                         const gg__node *n, unsigned int i) {
  const gg__value *v = &p->values.v[gg__in(p, n->apply, i)];

  if (!gg__reads(n, i) || (v->uniform && n->role == GG_MAP))
    return GG_NONE;
  return v->node;
}

static inline unsigned int gg__space_of(const gg__program *p,
                                        unsigned int node) {
  return p->values.v[gg__out_value(p, node)].space;
}

static inline int gg__is_map(const gg__program *p, unsigned int node) {
  return node != GG_NONE && p->nodes.v[node].role == GG_MAP;
}

/* Does the group compute with complex numbers? Row programs and epilogues of
 * products cannot. */
static inline int gg__group_is_complex(const gg__program *p,
                                       const gg__group *g) {
  for (size_t k = 0; k < g->nodes.n; k++) {
    const gg_apply *a = p->nodes.v[g->nodes.v[k]].apply;
    if (gg__is_complex(a->out[0]))
      return 1;
    for (unsigned int i = 0; i < a->n_in; i++)
      if (gg__is_complex(a->in[i]))
        return 1;
  }
  return 0;
}

/* Does the group read arrays by index? Only kernels of maps can. */
static inline int gg__group_takes(const gg__program *p, const gg__group *g) {
  for (size_t k = 0; k < g->nodes.n; k++)
    if (gg__takes(&p->nodes.v[g->nodes.v[k]], 0))
      return 1;
  return 0;
}

/* Does a CPU compute the value? */
static inline int gg__is_on_cpu(const gg__program *p, unsigned int value) {
  return p->contexts.v[p->values.v[value].context].is_cpu;
}

/* Is `node` the group's root, or a reduction that its kernel computes beside
 * it? */
static inline int gg__gives(const gg__group *g, unsigned int node) {
  size_t k;

  for (k = 0; k < g->others.n && g->kind == GG_GROUP_REDUCE; k++)
    if (g->others.v[k] == node)
      return 1;
  return node == g->root && node != GG_NONE;
}

/* Must the node's result be in memory, whatever is fused? */
static inline int gg__must_store(const gg__program *p, unsigned int node) {
  return (p->values.v[gg__out_value(p, node)].want & GG_WANT_PLACE) != 0;
}

/* Is a node computed in this part of this group? */
static inline int gg__has_home(const gg__homes *h, unsigned int group,
                               unsigned int part) {
  for (unsigned int i = 0; i < h->n; i++)
    if (h->group[i] == group && h->part[i] == part)
      return 1;
  return 0;
}

static inline int gg__in_group(const gg__homes *h, unsigned int group) {
  unsigned int i;

  for (i = 0; i < h->n; i++)
    if (h->group[i] == group)
      return 1;
  return 0;
}

static inline size_t gg__group_max_arrays(const gg__fuser *u,
                                          const gg__group *g) {
  const size_t n = gg__max_arrays(u->p, u->p->values.v[g->space].var->type.nd);
  const size_t most = 60;   /* the limit of a GpuReduction */
  const size_t product = 8; /* how many arrays' worth of arguments a product
                               takes */

  if (g->kind == GG_GROUP_KERNEL)
    return n > product ? n - product : 0;
  return g->kind == GG_GROUP_REDUCE && n > most ? most : n;
}

/* One more than the greatest level of a group. */
static inline unsigned int gg__count_levels(const gg__fusion *f) {
  unsigned int n = 1;

  for (size_t k = 0; k < f->groups.n; k++)
    if (f->groups.v[k].level >= n)
      n = f->groups.v[k].level + 1;
  return n;
}

static inline int gg__is_small(const gg_type *t) {
  const int64_t n = gg__type_size(t);

  return n != GG_ANY && n <= GG_SMALL_ELEMENTS;
}

#endif
