/* SPDX-License-Identifier: BSD-2-Clause */
/* Fusion: which nodes each kernel computes.
 *
 * Clusters come first (cluster.c). Then, from the results backwards, nodes move
 * into the groups that use them where that saves memory traffic. Cheap nodes
 * are computed several times rather than stored. In this way reductions get the
 * maps that compute their elements. Last, groups unite: reductions and products
 * take their epilogues, for instance (absorb.c). All of this takes nearly
 * linear time. */
#include "fuse/fusion.h"

#include <stdlib.h>

enum {
  MAX_FLOPS = 1000, /* upper limit of estimates */
  MOST_LOOKED = 16  /* users of a value that are examined */
};

/* --- costs --- */

static int add_capped(int a, int b) {
  return a + b < MAX_FLOPS ? a + b : MAX_FLOPS;
}

/* Does only one node read a value, and no caller? */
static int has_one_user(const gg__fuser *u, unsigned int value) {
  const unsigned int *first = u->f->users.first;

  return first[value + 1] - first[value] == 1 &&
         (u->p->values.v[value].want & GG_WANT_PLACE) == 0;
}

/* Can the kernel of the product that computes a value, or that it follows,
 * store in its place what `node` computes? */
static int can_follow(const gg__fuser *u, unsigned int node,
                      unsigned int value) {
  const gg__program *p = u->p;
  const unsigned int from = p->values.v[value].node;

  if (from == GG_NONE || p->values.v[value].space != gg__space_of(p, node) ||
      !has_one_user(u, value))
    return 0;
  return gg__is_map(p, from) ? u->costs[from].follows
                             : p->nodes.v[from].role == GG_KERNEL &&
                                   gg__is_root(&p->nodes.v[from]);
}

static gg__cost cost_of(const gg__fuser *u, unsigned int node) {
  const gg__program *p = u->p;
  const gg__node *n = &p->nodes.v[node];
  /* What is read by index is read once. */
  gg__cost c = {gg__takes(n, 0) ? MAX_FLOPS : n->code->flops, 0, 0};

  for (unsigned int i = 0; i < n->apply->n_in; i++) {
    const unsigned int value = gg__in(p, n->apply, i);
    const gg__value *v = &p->values.v[value];
    if (!gg__reads(n, i) || v->uniform)
      continue;
    unsigned int from = v->node;
    int full = v->space == gg__space_of(p, node);
    c.follows |= can_follow(u, node, value);
    if (gg__is_map(p, from) && !gg__must_store(p, from)) {
      c.flops = add_capped(c.flops, u->costs[from].flops);
      c.loads = add_capped(c.loads, full ? u->costs[from].loads : 0);
    } else {
      c.loads = add_capped(c.loads, full);
    }
  }
  return c;
}

static void find_costs(gg__fuser *u) {
  for (size_t k = 0; k < u->p->nodes.n; k++)
    if (gg__is_map(u->p, (unsigned int)k))
      u->costs[k] = cost_of(u, (unsigned int)k);
}

/* Flops per element up to which computing a value several times beats storing
 * it. */
static int dup_flops(const gg__fuser *u, unsigned int value) {
  return gg__is_on_cpu(u->p, value) ? 6 : 48;
}

/* Flops up to which a broadcast value is computed again for every element. */
static int stretch_flops(const gg__fuser *u, unsigned int value) {
  return gg__is_on_cpu(u->p, value) ? 2 : 6;
}

/* --- moving nodes to their users --- */

static int homes_add(gg__homes *h, unsigned int group) {
  if (gg__in_group(h, group))
    return 1;
  if (h->n == GG_MAX_COPIES)
    return 0;
  h->group[h->n++] = group;
  return 1;
}

/* Find the groups that read a node's result. Returns 0 if there are too many,
 * or none. */
static int find_targets(const gg__fuser *u, unsigned int node, gg__homes *t) {
  const gg__users *users = &u->f->users;
  const unsigned int value = gg__out_value(u->p, node);

  t->n = 0;
  for (unsigned int k = users->first[value]; k < users->first[value + 1]; k++) {
    unsigned int user = users->user[k];
    if (gg__takes_front(&u->p->nodes.v[user])) {
      if (!homes_add(t, u->f->group_of[user]))
        return 0;
      continue;
    }
    const gg__homes *h = &u->f->homes[user];
    for (unsigned int i = 0; i < h->n; i++)
      if (!homes_add(t, h->group[i]))
        return 0;
  }
  return t->n > 0;
}

/* Estimate how many arguments a group gains when it computes a node that it
 * read; a scalar counts as an array. */
static size_t arguments_added(const gg__fuser *u, unsigned int node) {
  const gg__node *n = &u->p->nodes.v[node];
  size_t added = 0;

  for (unsigned int i = 0; i < n->apply->n_in; i++)
    added += gg__reads(n, i) &&
             !gg__is_literal(&u->p->values.v[gg__in(u->p, n->apply, i)]);
  return added > 0 ? added - 1 : 0;
}

/* Does the node read arrays? The kernel of a reduction needs one to define its
 * space. */
static int reads_arrays(const gg__program *p, const gg__node *n) {
  for (unsigned int i = 0; i < n->apply->n_in; i++)
    if (gg__reads(n, i) && !p->values.v[gg__in(p, n->apply, i)].uniform)
      return 1;
  return 0;
}

/* May a kernel that is no reduction compute `node` as it reads elements? Not if
 * it reads each so often that storing it is cheaper. */
static int front_pays(const gg__fuser *u, unsigned int node,
                      const gg__group *to) {
  const gg_apply *a = u->p->nodes.v[node].apply;
  const int reads = gg__front_reads(&u->p->nodes.v[to->root]);

  for (unsigned int i = 0; i < a->n_in; i++)
    if (gg__is_complex(a->in[i]))
      return 0;
  return !gg__is_complex(a->out[0]) &&
         (reads == 1 || reads * u->costs[node].flops <=
                            dup_flops(u, gg__out_value(u->p, node)));
}

/* May group `g` compute `node` in its own space? A group that contains nodes
 * from other groups is never cut into parts. */
static int group_accepts(const gg__fuser *u, unsigned int node,
                         unsigned int g) {
  const gg__group *to = &u->f->groups.v[g];
  const int same = to->space == gg__space_of(u->p, node);

  if (g == u->f->group_of[node])
    return 1;
  if (gg__takes(&u->p->nodes.v[node], 0) && (to->kind != GG_GROUP_MAP || !same))
    return 0;
  if ((to->kind == GG_GROUP_REDUCE || to->kind == GG_GROUP_KERNEL) &&
      !reads_arrays(u->p, &u->p->nodes.v[node]))
    return 0;
  if (to->kind == GG_GROUP_KERNEL && !front_pays(u, node, to))
    return 0;
  if (!same &&
      u->costs[node].flops > stretch_flops(u, gg__out_value(u->p, node)))
    return 0;
  return to->size < GG_MAX_NODES &&
         to->arrays + arguments_added(u, node) <= gg__group_max_arrays(u, to);
}

/* Does a node of another cluster read what a map computes? It is then stored
 * anyway, as a rule. */
static int is_read_elsewhere(const gg__fuser *u, unsigned int node) {
  const unsigned int value = gg__out_value(u->p, node);
  const gg__users *users = &u->f->users;
  const unsigned int from = users->first[value], to = users->first[value + 1];

  for (unsigned int k = from; k < to && k < from + MOST_LOOKED; k++)
    if (u->f->group_of[users->user[k]] != u->f->group_of[node])
      return 1;
  return 0;
}

/* How many more arrays are read or written when one user of a value moves away
 * from the others. The value is then loaded twice. It must also be stored first
 * if only a kernel has it, unless it is cheap enough to compute twice. */
static int price_of_parting(const gg__fuser *u, unsigned int value) {
  const gg__users *users = &u->f->users;
  const unsigned int from = u->p->values.v[value].node;

  if (users->first[value + 1] - users->first[value] < 2)
    return 0;
  if (!gg__is_map(u->p, from) || gg__must_store(u->p, from) ||
      is_read_elsewhere(u, from))
    return 1;
  return u->costs[from].flops <= dup_flops(u, value) ? u->costs[from].loads : 2;
}

/* Does it pay to move a node to its only user? That saves a store and a
 * load. */
static int move_pays(const gg__fuser *u, unsigned int node) {
  const gg__program *p = u->p;
  const gg__node *n = &p->nodes.v[node];
  int extra = 0;

  for (unsigned int i = 0; i < n->apply->n_in; i++) {
    unsigned int value = gg__in(p, n->apply, i);
    if (gg__reads(n, i) && !p->values.v[value].uniform &&
        p->values.v[value].space == gg__space_of(p, node))
      extra += price_of_parting(u, value);
  }
  return extra <= 2;
}

/* Does it pay to compute a node in n groups? If one kernel stores it instead,
 * each of the others reads one array. */
static int copies_pay(const gg__fuser *u, unsigned int node, unsigned int n) {
  const gg__cost *c = &u->costs[node];

  if (c->flops > dup_flops(u, gg__out_value(u->p, node)))
    return 0;
  return c->follows ? c->loads <= 1 : c->loads * (int)(n - 1) <= (int)n + 1;
}

/* Choose where to compute a node: in its cluster, or in all groups that use
 * it. */
static void choose_homes(const gg__fuser *u, unsigned int node, int fusing) {
  gg__homes *h = &u->f->homes[node];
  const unsigned int own = u->f->group_of[node];
  gg__homes t = {0};

  h->n = 1;
  h->group[0] = own;
  if (!fusing || gg__must_store(u->p, node) || !find_targets(u, node, &t))
    return;
  if (t.n == 1 && t.group[0] == own)
    return;
  for (unsigned int i = 0; i < t.n; i++)
    if (!group_accepts(u, node, t.group[i]))
      return;
  if (t.n == 1 ? move_pays(u, node) : copies_pay(u, node, t.n))
    *h = t;
}

static int enter_groups(gg__fuser *u, unsigned int node) {
  const gg__homes *h = &u->f->homes[node];

  for (unsigned int i = 0; i < h->n; i++) {
    gg__group *g = &u->f->groups.v[h->group[i]];
    GA_TRY(ga__vec_push(&g->nodes, node));
    if (h->group[i] == u->f->group_of[node])
      continue;
    g->size++;
    g->arrays += arguments_added(u, node);
  }
  return GA_NO_ERROR;
}

static int fill_groups(gg__fuser *u, int fusing) {
  for (size_t k = u->p->nodes.n; k-- > 0;) {
    if (!gg__is_map(u->p, (unsigned int)k))
      continue;
    choose_homes(u, (unsigned int)k, fusing);
    GA_TRY(enter_groups(u, (unsigned int)k));
  }
  return GA_NO_ERROR;
}

/* Sort the nodes, and count arguments exactly. */
static void finish_groups(gg__fuser *u) {
  for (size_t k = 0; k < u->f->groups.n; k++) {
    gg__group *g = &u->f->groups.v[k];
    if (g->kind == GG_GROUP_MAP)
      gg__count_arrays(u, (unsigned int)k);
    if (g->nodes.n > 1)
      qsort(g->nodes.v, g->nodes.n, sizeof(unsigned int), gg__ascending);
  }
}

static int allocate(gg__fuser *u) {
  const size_t n = u->p->nodes.n;
  ga__arena *m = &u->f->arena;

  u->level = ga__arena_alloc(m, n * sizeof *u->level);
  u->costs = ga__arena_alloc(m, n * sizeof *u->costs);
  u->f->group_of = ga__arena_alloc(m, n * sizeof *u->f->group_of);
  u->parent = ga__arena_alloc(m, n * sizeof *u->parent);
  u->seen = ga__arena_alloc(m, u->p->values.n * sizeof *u->seen);
  u->f->homes = ga__arena_alloc(m, n * sizeof *u->f->homes);
  u->f->unseen = ga__arena_alloc(m, n);
  return u->level != NULL && u->costs != NULL && u->f->group_of != NULL &&
                 u->parent != NULL && u->seen != NULL && u->f->homes != NULL &&
                 u->f->unseen != NULL
             ? GA_NO_ERROR
             : ga__fail_nomem();
}

static int make_groups(gg__fusion *f, const gg__program *p) {
  const int fusing = p->fuses;
  gg__fuser u = {.p = p, .f = f};

  GA_TRY(allocate(&u));
  GA_TRY(gg__find_levels(&u));
  if (fusing)
    GA_TRY(gg__align_reductions(&u));
  GA_TRY(gg__make_groups(&u, fusing));
  find_costs(&u);
  GA_TRY(fill_groups(&u, fusing));
  if (fusing) {
    GA_TRY(gg__join_reductions(&u));
    GA_TRY(gg__join_epilogues(&u));
    GA_TRY(gg__join_rows(&u));
    GA_TRY(gg__join_sums(&u));
    GA_TRY(gg__join_small(&u));
  }
  finish_groups(&u);
  return GA_NO_ERROR;
}

static void fusion_clear(gg__fusion *f) {
  for (size_t k = 0; k < f->groups.n; k++) {
    ga__vec_clear(&f->groups.v[k].nodes);
    ga__vec_clear(&f->groups.v[k].others);
  }
  ga__vec_clear(&f->groups);
  ga__arena_clear(&f->arena);
}

int gg__fuse(gg__program *p) {
  gg__fusion f = {.homes = NULL};
  int err;

  GA_CHECK(make_groups(&f, p));
  GA_CHECK(gg__make_steps(p, &f));
done:
  fusion_clear(&f);
  return err;
}
