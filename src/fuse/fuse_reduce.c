/* SPDX-License-Identifier: BSD-2-Clause */
/* Reductions that one kernel computes from one pass over memory.
 *
 * A variance computes the sum of its elements on the way. Reductions of one
 * space over the same axes, with the same op, unite if they read a common array
 * of that space, so that it is read once. Examples are the two gradients of
 * batch normalisation that are sums over rows, sum(dy) and sum(dy (x - mean)).
 * Reductions that suit row programs unite in fuse_rows.c instead.
 *
 * Reductions must have one level to unite. So the one of lower level is raised
 * to the level of the other, and the nodes that depend on it are raised, too,
 * unless the other is one of them. Levels still grow along every path, so no
 * circle arises. */
#include <gpuarray/reduction.h>

#include "fuse/fusion.h"
#include "ops/ops.h"

enum {
  MOST_LOOKED = 32,   /* nodes examined between a reduction and the arrays that
                         it reads */
  MOST_LOADS = 8,     /* arrays that are recorded per reduction */
  MOST_PUT_OFF = 512, /* nodes whose level is raised for one reduction */
  MOST_USERS = 64     /* arrays with more users are not examined */
};

/* --- what may unite --- */

static const gg_reduce_props *reduction_of(const gg__fuser *u,
                                           unsigned int node) {
  const gg__node *n = &u->p->nodes.v[node];

  return n->role == GG_REDUCE ? n->apply->props : NULL;
}

static unsigned int operand_of(const gg__fuser *u, unsigned int node) {
  return gg__in(u->p, u->p->nodes.v[node].apply, 0);
}

/* Can this reduction unite with others of the same op? */
static int is_sociable(const gg__fuser *u, unsigned int node) {
  const gg_reduce_props *p = reduction_of(u, node);

  if (p == NULL || p->op == GG_VARIANCE || p->op == GG_ARGMAX ||
      p->op == GG_ARGMIN)
    return 0;
  const gg__value *in = &u->p->values.v[operand_of(u, node)];
  return !in->uniform && !gg__are_rows(&in->var->type, p->axes_mask,
                                       u->p->contexts.v[in->context].is_cpu);
}

/* Do both combine elements of one space by the same op and dtype to the same
 * shape? */
static int are_alike(const gg__fuser *u, unsigned int a, unsigned int b) {
  const gg_reduce_props *p = reduction_of(u, a), *q = reduction_of(u, b);
  const gg__value *x = &u->p->values.v[operand_of(u, a)],
                  *y = &u->p->values.v[operand_of(u, b)];

  return p->op == q->op && p->axes_mask == q->axes_mask &&
         x->space == y->space && x->var->type.dtype == y->var->type.dtype &&
         gg__space_of(u->p, a) == gg__space_of(u->p, b);
}

/* --- what a reduction reads --- */

typedef struct loads {
  unsigned int value[MOST_LOADS], n;
} loads;

static void add_load(loads *l, unsigned int value) {
  for (unsigned int i = 0; i < l->n; i++)
    if (l->value[i] == value)
      return;
  if (l->n < MOST_LOADS)
    l->value[l->n++] = value;
}

/* Find the arrays of the elements' own space that the maps before a reduction
 * read. */
static void find_loads(const gg__fuser *u, unsigned int node, loads *l) {
  const gg__program *p = u->p;
  const unsigned int from = operand_of(u, node),
                     space = p->values.v[from].space;
  unsigned int open[MOST_LOOKED] = {from}, n = 1, looked;

  l->n = 0;
  for (looked = 0; n > 0 && looked < MOST_LOOKED; looked++) {
    const unsigned int v = open[--n];
    if (p->values.v[v].uniform || p->values.v[v].space != space)
      continue;
    if (!gg__is_map(p, p->values.v[v].node)) {
      add_load(l, v);
      continue;
    }
    const gg__node *map = &p->nodes.v[p->values.v[v].node];
    for (unsigned int i = 0; i < map->apply->n_in && n < MOST_LOOKED; i++)
      if (gg__reads(map, i))
        open[n++] = gg__in(p, map->apply, i);
  }
}

/* --- one level for both --- */

/* A node's former level, to restore it. */
typedef struct moved {
  unsigned int node;
  int level;
} moved;

typedef struct aligner {
  gg__fuser *u;
  ga__map last; /* key of array and reduction -> among the nodes of that key,
                   the one of the greatest level so far */
  GA_VEC(moved) log; /* of the present attempt; also its work list */
} aligner;

/* The least level of `user`, which reads `node`. */
static int level_after(const gg__fuser *u, unsigned int user,
                       unsigned int node) {
  const gg__program *p = u->p;

  if (p->nodes.v[user].role == GG_VIEW)
    return u->level[node];
  const gg__node *n = &p->nodes.v[user];
  const int taken = gg__takes(n, 0) && gg__read_node(p, n, 0) == node;
  return u->level[node] + !(gg__is_map(p, user) && gg__is_map(p, node) &&
                            !taken &&
                            gg__space_of(p, user) == gg__space_of(p, node));
}

static int raise_level(aligner *x, unsigned int node, int level) {
  const moved m = {node, x->u->level[node]};

  x->u->level[node] = level;
  return ga__vec_push(&x->log, m);
}

/* Raise the users of `node`. *stopped becomes 1 if `other` is one of them, or
 * if too many nodes have been raised. */
static int raise_users(aligner *x, unsigned int node, unsigned int other,
                       int *stopped) {
  const gg__users *users = &x->u->f->users;
  const gg_apply *a = x->u->p->nodes.v[node].apply;

  for (unsigned int i = 0; i < a->n_out; i++) {
    unsigned int v = gg__out(x->u->p, a, i);
    for (unsigned int k = users->first[v]; k < users->first[v + 1]; k++) {
      unsigned int user = users->user[k];
      int level = level_after(x->u, user, node);
      if (x->u->level[user] >= level)
        continue;
      if (user == other || x->log.n > MOST_PUT_OFF) {
        *stopped = 1;
        return GA_NO_ERROR;
      }
      GA_TRY(raise_level(x, user, level));
    }
  }
  return GA_NO_ERROR;
}

/* Raise `early` to the level of `late`, unless `late` depends on it. */
static int put_off(aligner *x, unsigned int early, unsigned int late) {
  int stopped = 0;

  x->log.n = 0;
  GA_TRY(raise_level(x, early, x->u->level[late]));
  for (size_t k = 0; k < x->log.n && !stopped; k++)
    GA_TRY(raise_users(x, x->log.v[k].node, late, &stopped));
  while (stopped && x->log.n > 0) {
    x->log.n--;
    x->u->level[x->log.v[x->log.n].node] = x->log.v[x->log.n].level;
  }
  return GA_NO_ERROR;
}

/* Bring `node` and an earlier reduction of the same key, which reads `array`,
 * too, to one level. */
static int align_at(aligner *x, unsigned int node, unsigned int array) {
  const gg_reduce_props *p = reduction_of(x->u, node);
  const gg__value *in = &x->u->p->values.v[operand_of(x->u, node)];
  const unsigned int key[] = {array,
                              in->space,
                              gg__space_of(x->u->p, node),
                              (unsigned int)p->op,
                              p->axes_mask,
                              (unsigned int)in->var->type.dtype};
  const gg__node *met = ga__map_get(&x->last, key, sizeof key);
  const int *level = x->u->level;

  if (met != NULL) {
    unsigned int other = (unsigned int)(met - x->u->p->nodes.v);
    if (level[node] < level[other])
      return put_off(x, node, other);
    if (level[node] > level[other])
      GA_TRY(put_off(x, other, node));
  }
  return ga__map_put(&x->last, key, sizeof key, &x->u->p->nodes.v[node]);
}

int gg__align_reductions(gg__fuser *u) {
  aligner x = {.u = u, .last = GA_MAP_INIT};
  loads l;
  int err = GA_NO_ERROR;

  for (unsigned int k = 0; k < u->p->nodes.n; k++) {
    if (!is_sociable(u, k))
      continue;
    find_loads(u, k, &l);
    for (unsigned int i = 0; i < l.n; i++)
      GA_CHECK(align_at(&x, k, l.value[i]));
  }
done:
  ga__map_clear(&x.last);
  ga__vec_clear(&x.log);
  return err;
}

/* --- one kernel --- */

/* Move the reduction of group `from` and its maps to group `to`, which leaves
 * `from` empty. Nodes that both computed are computed once. */
static int take_reduction(gg__fuser *u, unsigned int to, unsigned int from) {
  gg__group *g = &u->f->groups.v[from];
  const unsigned int node = g->root;

  GA_TRY(gg__move_nodes(u, from, to));
  GA_TRY(ga__vec_push(&u->f->groups.v[to].others, node));
  u->f->group_of[node] = to;
  g->kind = GG_GROUP_MAP;
  g->root = GG_NONE;
  return GA_NO_ERROR;
}

/* Is `node` the sum of the elements that `v` is the variance of, in the same
 * shape? */
static int is_its_sum(const gg__fuser *u, unsigned int node, unsigned int v) {
  const gg_reduce_props *p = reduction_of(u, node), *q = reduction_of(u, v);

  return p != NULL && p->op == GG_SUM && p->axes_mask == q->axes_mask &&
         gg__space_of(u->p, node) == gg__space_of(u->p, v);
}

static int join_sum(gg__fuser *u, unsigned int variance) {
  const gg__users *users = &u->f->users;
  const unsigned int from = operand_of(u, variance);
  const gg__group *to = &u->f->groups.v[u->f->group_of[variance]];

  /* The sum adds its result; it reads nothing else. */
  if (to->arrays >= gg__group_max_arrays(u, to))
    return GA_NO_ERROR;
  for (unsigned int i = users->first[from]; i < users->first[from + 1]; i++)
    if (is_its_sum(u, users->user[i], variance))
      return take_reduction(u, u->f->group_of[variance],
                            u->f->group_of[users->user[i]]);
  return GA_NO_ERROR;
}

/* Is `node` a reduction that can unite with others, and the root of its
 * group? */
static int is_head(const gg__fuser *u, unsigned int node) {
  const unsigned int group = u->f->group_of[node];

  return is_sociable(u, node) &&
         u->f->groups.v[group].kind == GG_GROUP_REDUCE &&
         u->f->groups.v[group].root == node;
}

/* Let the group of `node` compute reduction `other`, if it can. */
static int try_other(gg__fuser *u, unsigned int node, unsigned int other) {
  gg__group *to = &u->f->groups.v[u->f->group_of[node]], *from;

  if (other == node || !is_head(u, other) || !are_alike(u, node, other) ||
      u->level[node] != u->level[other])
    return GA_NO_ERROR;
  from = &u->f->groups.v[u->f->group_of[other]];
  if (to->others.n + from->others.n + 2 > GPUREDUCTION_MAX_ACC ||
      from->others.n > 0 || to->size + from->size > GG_MAX_NODES ||
      to->arrays + from->arrays > gg__group_max_arrays(u, to))
    return GA_NO_ERROR;
  to->size += from->size;
  return take_reduction(u, u->f->group_of[node], u->f->group_of[other]);
}

/* Try the reductions that read `value` directly or through a map that reads
 * it. */
static int try_readers(gg__fuser *u, unsigned int node, unsigned int value) {
  const gg__users *users = &u->f->users;

  if (users->first[value + 1] - users->first[value] > MOST_USERS)
    return GA_NO_ERROR;
  for (unsigned int k = users->first[value]; k < users->first[value + 1]; k++) {
    unsigned int user = users->user[k];
    if (u->p->nodes.v[user].role == GG_REDUCE)
      GA_TRY(try_other(u, node, user));
    const gg__homes h = u->f->homes[user]; /* a copy: nodes move on the way */
    for (unsigned int i = 0; i < h.n; i++)
      if (u->f->groups.v[h.group[i]].kind == GG_GROUP_REDUCE)
        GA_TRY(try_other(u, node, u->f->groups.v[h.group[i]].root));
  }
  return GA_NO_ERROR;
}

int gg__join_reductions(gg__fuser *u) {
  loads l;

  for (unsigned int k = 0; k < u->p->nodes.n; k++) {
    const gg_reduce_props *p = reduction_of(u, k);
    if (p != NULL && p->op == GG_VARIANCE)
      GA_TRY(join_sum(u, k));
  }
  for (unsigned int k = 0; k < u->p->nodes.n; k++) {
    if (reduction_of(u, k) == NULL || !is_head(u, k))
      continue;
    find_loads(u, k, &l);
    for (unsigned int i = 0; i < l.n; i++)
      GA_TRY(try_readers(u, k, l.value[i]));
  }
  return GA_NO_ERROR;
}
