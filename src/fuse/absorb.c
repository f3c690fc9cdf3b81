/* SPDX-License-Identifier: BSD-2-Clause */
/* Uniting groups of different kinds or without a connection: epilogues with
 * their roots, and small groups. */
#include "fuse/fusion.h"

enum { MAX_EPILOGUE_NODES = 64 };

/* --- epilogues --- */

unsigned int gg__source_node(const gg__program *p, unsigned int value) {
  return p->values.v[gg__source_value(p, value)].node;
}

/* Can the kernel of group r, which has a root, compute map group g too?
 * Everything that g reads must exist before r runs. A circle can only arise
 * through other groups with roots of r's level whose results g reads, so these
 * must not take an epilogue. With `freeze`, mark them. */
static int can_take(const gg__fuser *u, unsigned int g, unsigned int r,
                    int freeze) {
  const gg__program *p = u->p;
  gg__fusion *f = u->f;
  const gg__group *map = &f->groups.v[g];

  for (size_t k = 0; k < map->nodes.n; k++) {
    const gg__node *n = &p->nodes.v[map->nodes.v[k]];
    for (unsigned int i = 0; i < n->apply->n_in; i++) {
      unsigned int value = gg__in(p, n->apply, i);
      if (!gg__reads(n, i) || p->values.v[value].uniform)
        continue;
      unsigned int node = p->values.v[value].node;
      if (gg__is_map(p, node) && gg__in_group(&f->homes[node], g))
        continue;
      if (gg__gives(&f->groups.v[r], node))
        continue;
      unsigned int other = gg__source_node(p, value);
      if (other == GG_NONE)
        continue;
      if (gg__gives(&f->groups.v[r], other) ||
          u->level[other] > (int)f->groups.v[r].level)
        return 0;
      if (!gg__is_root(&p->nodes.v[other]))
        continue;
      gg__group *rival = &f->groups.v[u->f->group_of[other]];
      if (rival->level != f->groups.v[r].level)
        continue;
      if (rival->epilogue != GG_NONE)
        return 0;
      if (freeze)
        rival->frozen = 1;
    }
  }
  return 1;
}

/* Can group `to` compute map group `map` in addition to the epilogue that it
 * has? */
static int fits_in(const gg__fuser *u, const gg__group *to,
                   const gg__group *map) {
  const gg__group *taken =
      to->epilogue != GG_NONE ? &u->f->groups.v[to->epilogue] : NULL;

  if (taken != NULL &&
      (taken->level != map->level || taken->space != map->space ||
       taken->nodes.n + map->nodes.n > MAX_EPILOGUE_NODES))
    return 0;
  return to->arrays + map->arrays + (taken != NULL ? taken->arrays : 0) <=
         gg__group_max_arrays(u, to);
}

/* Find a group with a root, one level below `g`, whose result g reads in g's
 * own space. */
static unsigned int find_root(const gg__fuser *u, unsigned int g) {
  const gg__program *p = u->p;
  const gg__group *map = &u->f->groups.v[g], *to;

  for (size_t k = 0; k < map->nodes.n; k++) {
    const gg__node *n = &p->nodes.v[map->nodes.v[k]];
    for (unsigned int i = 0; i < n->apply->n_in; i++) {
      unsigned int from = gg__read_node(p, n, i);
      if (from == GG_NONE || !gg__is_root(&p->nodes.v[from]) ||
          gg__space_of(p, from) != map->space)
        continue;
      to = &u->f->groups.v[u->f->group_of[from]];
      if (to->kind != GG_GROUP_REDUCE && gg__group_is_complex(p, map))
        continue;
      if (to->level + 1 == map->level && !to->frozen && fits_in(u, to, map) &&
          can_take(u, g, u->f->group_of[from], 0))
        return u->f->group_of[from];
    }
  }
  return GG_NONE;
}

int gg__join_epilogues(gg__fuser *u) {
  for (size_t k = 0; k < u->f->groups.n; k++) {
    gg__group *g = &u->f->groups.v[k];
    if (g->kind != GG_GROUP_MAP || g->nodes.n == 0 ||
        g->nodes.n > MAX_EPILOGUE_NODES || gg__group_takes(u->p, g))
      continue;
    gg__count_arrays(u, (unsigned int)k);
    unsigned int r = find_root(u, (unsigned int)k);
    if (r == GG_NONE)
      continue;
    can_take(u, (unsigned int)k, r, 1);
    unsigned int taken = u->f->groups.v[r].epilogue;
    if (taken != GG_NONE) { /* the epilogue that it has grows */
      GA_TRY(gg__move_nodes(u, (unsigned int)k, taken));
      continue;
    }
    g->owner = r;
    u->f->groups.v[r].epilogue = (unsigned int)k;
  }
  return GA_NO_ERROR;
}

/* --- small groups of equal shape --- */

int gg__move_nodes(gg__fuser *u, unsigned int from, unsigned int to) {
  gg__group *a = &u->f->groups.v[from], *b = &u->f->groups.v[to];
  unsigned int i;

  for (size_t k = 0; k < a->nodes.n; k++) {
    gg__homes *h = &u->f->homes[a->nodes.v[k]];
    if (gg__in_group(h, to)) { /* computed in both groups: one copy is enough */
      for (i = 0; h->group[i] != from; i++)
        ;
      h->group[i] = h->group[--h->n];
      continue;
    }
    for (i = 0; i < h->n; i++)
      if (h->group[i] == from)
        h->group[i] = to;
    GA_TRY(ga__vec_push(&b->nodes, a->nodes.v[k]));
  }
  b->arrays += a->arrays;
  a->nodes.n = 0;
  return GA_NO_ERROR;
}

/* Groups of few elements share a kernel even if nothing connects them: groups
 * of one level do not depend on each other. */
int gg__join_small(gg__fuser *u) {
  ga__map open = GA_MAP_INIT; /* (level, space) -> group */
  unsigned int key[2];
  int err = GA_NO_ERROR;

  for (size_t k = 0; k < u->f->groups.n && err == GA_NO_ERROR; k++) {
    gg__group *g = &u->f->groups.v[k];
    if (g->kind != GG_GROUP_MAP || g->nodes.n == 0 || g->owner != GG_NONE ||
        !gg__is_small(&u->p->values.v[g->space].var->type))
      continue;
    gg__count_arrays(u, (unsigned int)k);
    key[0] = g->level;
    key[1] = g->space;
    gg__group *first = ga__map_get(&open, key, sizeof key);
    if (first == NULL || first->nodes.n + g->nodes.n > GG_MAX_NODES ||
        first->arrays + g->arrays > gg__group_max_arrays(u, g))
      err = ga__map_put(&open, key, sizeof key, g);
    else
      err = gg__move_nodes(u, (unsigned int)k,
                           (unsigned int)(first - u->f->groups.v));
  }
  ga__map_clear(&open);
  return err;
}
