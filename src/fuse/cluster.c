/* SPDX-License-Identifier: BSD-2-Clause */
/* Levels and clusters.
 *
 * The level of a node is one more than the greatest level of its inputs. Two
 * edges do not add one: those between elementwise nodes of one space, unless
 * one reads the other by index, and those into views. Connected elementwise
 * nodes of one level and one space become a group. A path that leaves a group
 * passes through a greater level and cannot come back, so groups never depend
 * on each other in a circle. */
#include "fuse/fusion.h"

static int is_computed(gg__role role) {
  return role == GG_MAP || role == GG_REDUCE || role == GG_VIEW ||
         role == GG_KERNEL || role == GG_TRANSFER;
}

/* --- users of values --- */

static int find_users(gg__users *u, ga__arena *m, const gg__program *p) {
  u->first = ga__arena_alloc(m, (p->values.n + 2) * sizeof *u->first);
  if (u->first == NULL)
    return ga__fail_nomem();
  for (size_t k = 0; k < p->nodes.n; k++) {
    const gg__node *n = &p->nodes.v[k];
    for (unsigned int i = 0; i < n->apply->n_in && is_computed(n->role); i++)
      if (gg__reads(n, i))
        u->first[gg__in(p, n->apply, i) + 2]++;
  }
  for (size_t k = 2; k < p->values.n + 2; k++)
    u->first[k] += u->first[k - 1];
  u->user = ga__arena_alloc(m, u->first[p->values.n + 1] * sizeof *u->user);
  if (u->user == NULL)
    return ga__fail_nomem();
  /* first[v + 1] begins as the start of v's users and ends as their end. */
  for (size_t k = 0; k < p->nodes.n; k++) {
    const gg__node *n = &p->nodes.v[k];
    for (unsigned int i = 0; i < n->apply->n_in && is_computed(n->role); i++)
      if (gg__reads(n, i)) {
        unsigned int v = gg__in(p, n->apply, i);
        u->user[u->first[v + 1]++] = (unsigned int)k;
      }
  }
  return GA_NO_ERROR;
}

/* --- levels --- */

static int level_through(const gg__fuser *u, unsigned int node,
                         unsigned int from, int taken) {
  const gg__program *p = u->p;

  if (from == GG_NONE || u->level[from] < 0)
    return p->nodes.v[node].role == GG_VIEW ? -1 : 0;
  if (p->nodes.v[node].role == GG_VIEW)
    return u->level[from];
  if (gg__is_map(p, node) && gg__is_map(p, from) && !taken &&
      gg__space_of(p, node) == gg__space_of(p, from))
    return u->level[from];
  return u->level[from] + 1;
}

static void find_levels(gg__fuser *u) {
  const gg__program *p = u->p;

  for (size_t k = 0; k < p->nodes.n; k++) {
    const gg__node *n = &p->nodes.v[k];
    u->level[k] = is_computed(n->role) && n->role != GG_VIEW ? 0 : -1;
    for (unsigned int i = 0; i < n->apply->n_in && is_computed(n->role); i++) {
      int level = level_through(u, (unsigned int)k, gg__read_node(p, n, i),
                                gg__takes(n, i));
      if (level > u->level[k])
        u->level[k] = level;
    }
  }
}

/* --- clusters: connected nodes of one level and one space --- */

static int together(const gg__fuser *u, unsigned int a, unsigned int b) {
  return gg__is_map(u->p, a) && gg__is_map(u->p, b) &&
         u->level[a] == u->level[b] &&
         gg__space_of(u->p, a) == gg__space_of(u->p, b);
}

/* Unite users of a value that have its shape, since they read the same memory.
 * Users come in topological order, so comparing each with the last one of its
 * level would find all pairs; remembering two levels, by parity, finds enough
 * of them. */
static void unite_users(gg__fuser *u, unsigned int value) {
  const gg__users *users = &u->f->users;
  unsigned int last[2] = {GG_NONE, GG_NONE};

  for (unsigned int k = users->first[value]; k < users->first[value + 1]; k++) {
    unsigned int node = users->user[k];
    if (!gg__is_map(u->p, node) ||
        gg__space_of(u->p, node) != u->p->values.v[value].space)
      continue;
    int way = u->level[node] & 1;
    if (last[way] != GG_NONE && together(u, node, last[way]))
      gg__unite(u->parent, node, last[way]);
    last[way] = node;
  }
}

static void find_clusters(gg__fuser *u) {
  const gg__program *p = u->p;

  for (size_t k = 0; k < p->nodes.n; k++) {
    const gg__node *n = &p->nodes.v[k];
    if (n->role != GG_MAP)
      continue;
    for (unsigned int i = 0; i < n->apply->n_in; i++) {
      unsigned int from = gg__read_node(p, n, i);
      if (from != GG_NONE && together(u, (unsigned int)k, from))
        gg__unite(u->parent, (unsigned int)k, from);
    }
  }
  for (size_t k = 0; k < p->values.n; k++)
    if (!p->values.v[k].uniform && !gg__is_small(&p->values.v[k].var->type))
      unite_users(u, (unsigned int)k);
}

static int add_group(gg__fuser *u, unsigned int node) {
  const gg__program *p = u->p;
  const gg__node *n = &p->nodes.v[node];
  gg__group g = gg__empty_group(GG_GROUP_MAP, gg__space_of(p, node));

  g.level = (unsigned int)u->level[node];
  if (n->role == GG_REDUCE) {
    g.kind = GG_GROUP_REDUCE;
    g.root = node;
    g.arrays = 2;
    g.space = p->values.v[gg__in(p, n->apply, 0)].space;
  } else if (n->role == GG_KERNEL) {
    g.kind = GG_GROUP_KERNEL;
    g.root = node;
    g.arrays = n->apply->n_in + 1;
    if (gg__front_reads(n) > 0)
      g.space = p->values.v[gg__in(p, n->apply, 0)].space;
  }
  u->f->group_of[node] = (unsigned int)u->f->groups.n;
  return ga__vec_push(&u->f->groups, g);
}

/* --- arguments of groups --- */

/* Is the node computed in every kernel that computes the user? */
static int user_has_it(const gg__program *p, const gg__fusion *f,
                       unsigned int node, unsigned int user) {
  const gg__homes *mine = &f->homes[node], *h = &f->homes[user];

  if (gg__takes_front(&p->nodes.v[user]))
    return gg__has_home(mine, f->group_of[user], 0);
  for (unsigned int i = 0; i < h->n; i++)
    if (!gg__has_home(mine, h->group[i], h->part[i]))
      return 0;
  return h->n > 0;
}

int gg__is_stored(const gg__program *p, const gg__fusion *f,
                  unsigned int node) {
  const unsigned int v = gg__out_value(p, node);
  const gg__users *u = &f->users;

  if (gg__must_store(p, node))
    return 1;
  for (unsigned int k = u->first[v]; k < u->first[v + 1]; k++)
    if (!user_has_it(p, f, node, u->user[k]))
      return 1;
  return 0;
}

void gg__count_arrays(gg__fuser *u, unsigned int group) {
  gg__group *g = &u->f->groups.v[group];
  const gg__program *p = u->p;

  g->arrays = 0;
  u->count++;
  for (size_t k = 0; k < g->nodes.n; k++) {
    const gg__node *n = &p->nodes.v[g->nodes.v[k]];
    g->arrays += (size_t)gg__is_stored(p, u->f, g->nodes.v[k]);
    for (unsigned int i = 0; i < n->apply->n_in; i++) {
      unsigned int value = gg__in(p, n->apply, i);
      if (!gg__reads(n, i) || u->seen[value] == u->count ||
          gg__is_literal(&p->values.v[value]) ||
          (gg__is_map(p, p->values.v[value].node) &&
           gg__in_group(&u->f->homes[p->values.v[value].node], group)))
        continue;
      u->seen[value] = u->count;
      g->arrays++;
    }
  }
}

/* Estimate the sizes of the clusters before any node moves. */
static int measure_groups(gg__fuser *u) {
  for (size_t k = 0; k < u->p->nodes.n; k++) {
    if (!gg__is_map(u->p, (unsigned int)k))
      continue;
    gg__homes *h = &u->f->homes[k];
    h->n = 1;
    h->group[0] = u->f->group_of[k];
    gg__group *g = &u->f->groups.v[h->group[0]];
    g->size++;
    GA_TRY(ga__vec_push(&g->nodes, (unsigned int)k));
  }
  for (size_t k = 0; k < u->f->groups.n; k++) {
    gg__group *g = &u->f->groups.v[k];
    if (g->kind == GG_GROUP_MAP)
      gg__count_arrays(u, (unsigned int)k);
    g->nodes.n = 0;
  }
  return GA_NO_ERROR;
}

int gg__find_levels(gg__fuser *u) {
  GA_TRY(find_users(&u->f->users, &u->f->arena, u->p));
  find_levels(u);
  return GA_NO_ERROR;
}

int gg__make_groups(gg__fuser *u, int fusing) {
  const gg__program *p = u->p;

  for (size_t k = 0; k < p->nodes.n; k++) {
    unsigned int node = (unsigned int)k;
    u->parent[k] = node;
    u->f->group_of[k] = GG_NONE;
  }
  if (fusing)
    find_clusters(u);
  for (size_t k = 0; k < p->nodes.n; k++) {
    unsigned int node = (unsigned int)k;
    if (gg__is_root(&p->nodes.v[k])) {
      GA_TRY(add_group(u, node));
    } else if (p->nodes.v[k].role == GG_MAP) {
      unsigned int root = gg__find_root(u->parent, node);
      if (root == node)
        GA_TRY(add_group(u, node));
      u->f->group_of[k] = u->f->group_of[root];
    }
  }
  return measure_groups(u);
}
