/* SPDX-License-Identifier: BSD-2-Clause */
/* Fusion: which nodes one kernel computes.
 *
 * Every node has a level: one more than those of its inputs, except that an
 * elementwise node has the level of elementwise inputs of its own shape.
 * Elementwise nodes of one level and one shape that are connected become a
 * group. A path that leaves a group passes through a greater level and cannot
 * come back, so groups never wait for each other in a circle.
 *
 * Then, from the results backwards, nodes move into the groups that use them
 * where that saves memory traffic, and cheap ones are computed several times
 * rather than stored. Reductions take up the chains that feed them (map), and
 * what follows at the shape of their result (post). All in near linear time. */
#include <stdlib.h>
#include <string.h>

#include "graph/program.h"

enum {
  MAX_POST_NODES = 64,   /* of a reduction */
  SMALL_ELEMENTS = 4096, /* so few that a launch costs more than the work */
  MAX_FLOPS = 1000       /* estimates stop here */
};

/* What computing a node anew costs, from what is in memory. */
typedef struct cost {
  int flops; /* per element */
  int loads; /* arrays of full size */
} cost;

typedef struct fuser {
  const gg__program *p;
  gg__fusion *f;
  int *level;           /* by node; -1: as good as a leaf */
  cost *costs;          /* by node */
  unsigned int *parent; /* by node: union-find of clusters */
  unsigned int *seen;   /* by value: the last count that met it */
  unsigned int count;   /* counts begun */
  int dup_flops, stretch_flops;
} fuser;

/* --- looking at nodes --- */

static unsigned int out_value(const gg__program *p, unsigned int node) {
  return gg__out(p, p->nodes.v[node].apply, 0);
}

/* The node that computes an input which `n` reads element by element, GG_NONE
 * for leaves, numbers and what only lends its shape. */
static unsigned int read_node(const gg__program *p, const gg__node *n,
                              unsigned int i) {
  const gg__value *v = &p->values.v[gg__in(p, n->apply, i)];

  if (!gg__reads(n, i) ||
      (v->uniform && n->role != GG_VIEW && n->role != GG_KERNEL))
    return GG_NONE;
  return v->node;
}

static unsigned int space_of(const gg__program *p, unsigned int node) {
  return p->values.v[out_value(p, node)].space;
}

static int is_map(const gg__program *p, unsigned int node) {
  return node != GG_NONE && p->nodes.v[node].role == GG_MAP;
}

/* In memory whatever is fused. */
static int must_store(const gg__program *p, unsigned int node) {
  return (p->values.v[out_value(p, node)].want & GG_WANT_PLACE) != 0;
}

static int is_computed(gg__role role) {
  return role == GG_MAP || role == GG_REDUCE || role == GG_VIEW ||
         role == GG_KERNEL;
}

/* --- users of values --- */

static int find_users(gg__users *u, const gg__program *p) {
  const gg__node *n;
  unsigned int i, v;
  size_t k;

  u->first = ga__calloc(p->values.n + 2, sizeof *u->first);
  if (u->first == NULL)
    return ga__fail_nomem();
  for (k = 0; k < p->nodes.n; k++) {
    n = &p->nodes.v[k];
    for (i = 0; i < n->apply->n_in && is_computed(n->role); i++)
      if (gg__reads(n, i))
        u->first[gg__in(p, n->apply, i) + 2]++;
  }
  for (k = 2; k < p->values.n + 2; k++)
    u->first[k] += u->first[k - 1];
  u->user = ga__malloc(u->first[p->values.n + 1] * sizeof *u->user);
  if (u->user == NULL)
    return ga__fail_nomem();
  /* first[v + 1] counts up to where the users of v end. */
  for (k = 0; k < p->nodes.n; k++) {
    n = &p->nodes.v[k];
    for (i = 0; i < n->apply->n_in && is_computed(n->role); i++)
      if (gg__reads(n, i)) {
        v = gg__in(p, n->apply, i);
        u->user[u->first[v + 1]++] = (unsigned int)k;
      }
  }
  return GA_NO_ERROR;
}

/* --- levels --- */

static int level_through(const fuser *u, unsigned int node, unsigned int from) {
  const gg__program *p = u->p;

  if (from == GG_NONE || u->level[from] < 0)
    return p->nodes.v[node].role == GG_VIEW ? -1 : 0;
  if (p->nodes.v[node].role == GG_VIEW)
    return u->level[from];
  if (is_map(p, node) && is_map(p, from) &&
      space_of(p, node) == space_of(p, from))
    return u->level[from];
  return u->level[from] + 1;
}

static void find_levels(fuser *u) {
  const gg__program *p = u->p;
  const gg__node *n;
  unsigned int i;
  size_t k;
  int level;

  for (k = 0; k < p->nodes.n; k++) {
    n = &p->nodes.v[k];
    u->level[k] = is_computed(n->role) && n->role != GG_VIEW ? 0 : -1;
    for (i = 0; i < n->apply->n_in && is_computed(n->role); i++) {
      level = level_through(u, (unsigned int)k, read_node(p, n, i));
      if (level > u->level[k])
        u->level[k] = level;
    }
  }
}

/* --- costs --- */

static int add_capped(int a, int b) {
  return a + b < MAX_FLOPS ? a + b : MAX_FLOPS;
}

static cost cost_of(const fuser *u, unsigned int node) {
  const gg__program *p = u->p;
  const gg__node *n = &p->nodes.v[node];
  cost c = {n->code->flops, 0};
  unsigned int i, from;
  const gg__value *v;
  int full;

  for (i = 0; i < n->apply->n_in; i++) {
    v = &p->values.v[gg__in(p, n->apply, i)];
    if (!gg__reads(n, i) || v->uniform)
      continue;
    from = v->node;
    full = v->space == space_of(p, node);
    if (is_map(p, from) && !must_store(p, from)) {
      c.flops = add_capped(c.flops, u->costs[from].flops);
      c.loads = add_capped(c.loads, full ? u->costs[from].loads : 0);
    } else {
      c.loads = add_capped(c.loads, full);
    }
  }
  return c;
}

static void find_costs(fuser *u) {
  size_t k;

  for (k = 0; k < u->p->nodes.n; k++)
    if (is_map(u->p, (unsigned int)k))
      u->costs[k] = cost_of(u, (unsigned int)k);
  u->dup_flops = u->p->is_cpu ? 6 : 48;
  u->stretch_flops = u->p->is_cpu ? 2 : 6;
}

/* --- clusters: connected nodes of one level and one space --- */

static unsigned int find_root(unsigned int *parent, unsigned int k) {
  while (parent[k] != k) {
    parent[k] = parent[parent[k]];
    k = parent[k];
  }
  return k;
}

static void unite(unsigned int *parent, unsigned int a, unsigned int b) {
  a = find_root(parent, a);
  b = find_root(parent, b);
  if (a < b)
    parent[b] = a;
  else
    parent[a] = b;
}

static int together(const fuser *u, unsigned int a, unsigned int b) {
  return is_map(u->p, a) && is_map(u->p, b) && u->level[a] == u->level[b] &&
         space_of(u->p, a) == space_of(u->p, b);
}

static int is_small(const gg_type *t) {
  const int64_t n = gg__type_size(t);

  return n != GG_ANY && n <= SMALL_ELEMENTS;
}

/* Unite users of a value that has their shape: they read the same memory. Users
 * come in ascending order, so those of one level are found by comparing with
 * the last of that level; two levels at a time are enough to be worthwhile. */
static void unite_users(fuser *u, unsigned int value) {
  const gg__users *users = &u->f->users;
  unsigned int last[2] = {GG_NONE, GG_NONE};
  unsigned int k, node;
  int way;

  for (k = users->first[value]; k < users->first[value + 1]; k++) {
    node = users->user[k];
    if (!is_map(u->p, node) ||
        space_of(u->p, node) != u->p->values.v[value].space)
      continue;
    way = u->level[node] & 1;
    if (last[way] != GG_NONE && together(u, node, last[way]))
      unite(u->parent, node, last[way]);
    last[way] = node;
  }
}

static void find_clusters(fuser *u) {
  const gg__program *p = u->p;
  const gg__node *n;
  unsigned int i, from;
  size_t k;

  for (k = 0; k < p->nodes.n; k++) {
    n = &p->nodes.v[k];
    if (n->role != GG_MAP)
      continue;
    for (i = 0; i < n->apply->n_in; i++) {
      from = read_node(p, n, i);
      if (from != GG_NONE && together(u, (unsigned int)k, from))
        unite(u->parent, (unsigned int)k, from);
    }
  }
  for (k = 0; k < p->values.n; k++)
    if (!p->values.v[k].uniform && !is_small(&p->values.v[k].var->type))
      unite_users(u, (unsigned int)k);
}

static int add_group(fuser *u, unsigned int node) {
  const gg__program *p = u->p;
  const gg__node *n = &p->nodes.v[node];
  gg__group g = {.kind = GG_STEP_MAP,
                 .level = (unsigned int)u->level[node],
                 .reduce = GG_NONE,
                 .post = GG_NONE,
                 .host = GG_NONE};

  g.space = space_of(p, node);
  if (n->role == GG_REDUCE) {
    g.kind = GG_STEP_REDUCE;
    g.reduce = node;
    g.arrays = 2;
    g.space = p->values.v[gg__in(p, n->apply, 0)].space;
  }
  u->f->group_of[node] = (unsigned int)u->f->groups.n;
  return ga__vec_push(&u->f->groups, g);
}

static int make_groups(fuser *u, int fusing) {
  const gg__program *p = u->p;
  unsigned int node, root;
  size_t k;

  for (k = 0; k < p->nodes.n; k++) {
    node = (unsigned int)k;
    u->parent[k] = node;
    u->f->group_of[k] = GG_NONE;
  }
  if (fusing)
    find_clusters(u);
  for (k = 0; k < p->nodes.n; k++) {
    node = (unsigned int)k;
    if (p->nodes.v[k].role == GG_REDUCE) {
      GA_TRY(add_group(u, node));
    } else if (p->nodes.v[k].role == GG_MAP) {
      root = find_root(u->parent, node);
      if (root == node)
        GA_TRY(add_group(u, node));
      u->f->group_of[k] = u->f->group_of[root];
    }
  }
  return GA_NO_ERROR;
}

/* --- arguments of groups --- */

static int in_group(const gg__homes *h, unsigned int group) {
  unsigned int i;

  for (i = 0; i < h->n; i++)
    if (h->group[i] == group)
      return 1;
  return 0;
}

/* Is a node's result read by anything outside of group g? */
static int leaves_group(const fuser *u, unsigned int node, unsigned int g) {
  const gg__users *users = &u->f->users;
  const unsigned int value = out_value(u->p, node);
  unsigned int k;

  if (must_store(u->p, node))
    return 1;
  for (k = users->first[value]; k < users->first[value + 1]; k++)
    if (!in_group(&u->f->homes[users->user[k]], g))
      return 1;
  return 0;
}

/* Count the arguments of a map group's kernel, a number as an array. */
static void count_arrays(fuser *u, unsigned int group) {
  gg__group *g = &u->f->groups.v[group];
  const gg__program *p = u->p;
  const gg__node *n;
  unsigned int i, value;
  size_t k;

  g->arrays = 0;
  u->count++;
  for (k = 0; k < g->nodes.n; k++) {
    n = &p->nodes.v[g->nodes.v[k]];
    g->arrays += (size_t)leaves_group(u, g->nodes.v[k], group);
    for (i = 0; i < n->apply->n_in; i++) {
      value = gg__in(p, n->apply, i);
      if (!gg__reads(n, i) || u->seen[value] == u->count ||
          p->values.v[value].var->kind == GG_VAR_CONST ||
          (is_map(p, p->values.v[value].node) &&
           in_group(&u->f->homes[p->values.v[value].node], group)))
        continue;
      u->seen[value] = u->count;
      g->arrays++;
    }
  }
}

static size_t max_arrays(const fuser *u, const gg__group *g) {
  return gg__max_arrays(u->p, u->p->values.v[g->space].var->type.nd);
}

/* Size the clusters as they are before anything moves. */
static int measure_groups(fuser *u) {
  gg__homes *h;
  gg__group *g;
  size_t k;

  for (k = 0; k < u->p->nodes.n; k++) {
    if (!is_map(u->p, (unsigned int)k))
      continue;
    h = &u->f->homes[k];
    h->n = 1;
    h->group[0] = u->f->group_of[k];
    g = &u->f->groups.v[h->group[0]];
    g->size++;
    GA_TRY(ga__vec_push(&g->nodes, (unsigned int)k));
  }
  for (k = 0; k < u->f->groups.n; k++) {
    g = &u->f->groups.v[k];
    if (g->kind == GG_STEP_MAP)
      count_arrays(u, (unsigned int)k);
    g->nodes.n = 0;
  }
  return GA_NO_ERROR;
}

/* --- moving nodes to their users --- */

static int homes_add(gg__homes *h, unsigned int group) {
  unsigned int i;

  for (i = 0; i < h->n; i++)
    if (h->group[i] == group)
      return 1;
  if (h->n == GG_MAX_COPIES)
    return 0;
  h->group[h->n++] = group;
  return 1;
}

/* The groups that read a node's result; 0 when they are too many. */
static int find_targets(const fuser *u, unsigned int node, gg__homes *t) {
  const gg__users *users = &u->f->users;
  const unsigned int value = out_value(u->p, node);
  const gg__homes *h;
  unsigned int i, k, user;

  t->n = 0;
  for (k = users->first[value]; k < users->first[value + 1]; k++) {
    user = users->user[k];
    if (u->p->nodes.v[user].role == GG_REDUCE) {
      if (!homes_add(t, u->f->group_of[user]))
        return 0;
      continue;
    }
    h = &u->f->homes[user];
    for (i = 0; i < h->n; i++)
      if (!homes_add(t, h->group[i]))
        return 0;
  }
  return t->n > 0;
}

/* Arrays that a group reads more when it computes a node that it read. */
static size_t arrays_added(const fuser *u, unsigned int node) {
  const gg__node *n = &u->p->nodes.v[node];
  size_t arrays = 0;
  unsigned int i;

  for (i = 0; i < n->apply->n_in; i++)
    arrays +=
        gg__reads(n, i) && !u->p->values.v[gg__in(u->p, n->apply, i)].uniform;
  return arrays > 0 ? arrays - 1 : 0;
}

/* May `node` be computed in group `g`, at its shape? A group that takes in
 * nodes of others is never cut in two (schedule.c). */
static int group_accepts(const fuser *u, unsigned int node, unsigned int g) {
  const gg__group *to = &u->f->groups.v[g];
  const int same = to->space == space_of(u->p, node);

  if (g == u->f->group_of[node])
    return 1;
  if (!same && u->costs[node].flops > u->stretch_flops)
    return 0;
  return to->size < GG_MAX_NODES &&
         to->arrays + arrays_added(u, node) <= max_arrays(u, to);
}

/* Arrays that are read or written more when the user of a value moves away from
 * its other users: the value is loaded twice, and has to be stored first if
 * nothing but a kernel has it, unless it is cheap to compute twice. */
static int price_of_parting(const fuser *u, unsigned int value) {
  const gg__users *users = &u->f->users;
  const unsigned int from = u->p->values.v[value].node;

  if (users->first[value + 1] - users->first[value] < 2)
    return 0;
  if (!is_map(u->p, from) || must_store(u->p, from))
    return 1;
  return u->costs[from].flops <= u->dup_flops ? u->costs[from].loads : 2;
}

/* Moving a node to its only user saves a store and a load. */
static int move_pays(const fuser *u, unsigned int node) {
  const gg__program *p = u->p;
  const gg__node *n = &p->nodes.v[node];
  unsigned int i, value;
  int extra = 0;

  for (i = 0; i < n->apply->n_in; i++) {
    value = gg__in(p, n->apply, i);
    if (gg__reads(n, i) && !p->values.v[value].uniform &&
        p->values.v[value].space == space_of(p, node))
      extra += price_of_parting(u, value);
  }
  return extra <= 2;
}

static int copies_pay(const fuser *u, unsigned int node, unsigned int n) {
  const cost *c = &u->costs[node];

  return c->flops <= u->dup_flops && c->loads * (int)(n - 1) <= (int)n + 1;
}

/* Where to compute a node: in its cluster, or in the groups that use it. */
static void choose_homes(const fuser *u, unsigned int node, int fusing) {
  gg__homes *h = &u->f->homes[node];
  const unsigned int own = u->f->group_of[node];
  gg__homes t = {0};
  unsigned int i;

  h->n = 1;
  h->group[0] = own;
  if (!fusing || must_store(u->p, node) || !find_targets(u, node, &t))
    return;
  if (t.n == 1 && t.group[0] == own)
    return;
  for (i = 0; i < t.n; i++)
    if (!group_accepts(u, node, t.group[i]))
      return;
  if (t.n == 1 ? move_pays(u, node) : copies_pay(u, node, t.n))
    *h = t;
}

static int enter_groups(fuser *u, unsigned int node) {
  const gg__homes *h = &u->f->homes[node];
  gg__group *g;
  unsigned int i;

  for (i = 0; i < h->n; i++) {
    g = &u->f->groups.v[h->group[i]];
    GA_TRY(ga__vec_push(&g->nodes, node));
    if (h->group[i] == u->f->group_of[node])
      continue;
    g->size++;
    g->arrays += arrays_added(u, node);
  }
  return GA_NO_ERROR;
}

static int fill_groups(fuser *u, int fusing) {
  size_t k;

  for (k = u->p->nodes.n; k-- > 0;) {
    if (!is_map(u->p, (unsigned int)k))
      continue;
    choose_homes(u, (unsigned int)k, fusing);
    GA_TRY(enter_groups(u, (unsigned int)k));
  }
  return GA_NO_ERROR;
}

/* --- what follows a reduction --- */

/* The node whose result a value is, seen through views. */
static unsigned int source_node(const gg__program *p, unsigned int value) {
  unsigned int node = p->values.v[value].node;

  while (node != GG_NONE && p->nodes.v[node].role == GG_VIEW)
    node = p->values.v[gg__in(p, p->nodes.v[node].apply, 0)].node;
  return node;
}

/* Can reduction group r compute map group g too? All that g reads must be there
 * before r runs. Only reductions of r's own level can depend on g's other
 * inputs in a circle, so those must not take a group themselves. */
static int can_host(const fuser *u, unsigned int g, unsigned int r,
                    int freeze) {
  const gg__program *p = u->p;
  gg__fusion *f = u->f;
  const gg__group *map = &f->groups.v[g];
  unsigned int i, node, other, value;
  const gg__node *n;
  gg__group *rival;
  size_t k;

  for (k = 0; k < map->nodes.n; k++) {
    n = &p->nodes.v[map->nodes.v[k]];
    for (i = 0; i < n->apply->n_in; i++) {
      value = gg__in(p, n->apply, i);
      if (!gg__reads(n, i) || p->values.v[value].uniform)
        continue;
      node = p->values.v[value].node;
      if (is_map(p, node) && in_group(&f->homes[node], g))
        continue;
      if (node == f->groups.v[r].reduce)
        continue;
      other = source_node(p, value);
      if (other == GG_NONE)
        continue;
      if (other == f->groups.v[r].reduce ||
          u->level[other] > (int)f->groups.v[r].level)
        return 0;
      if (p->nodes.v[other].role != GG_REDUCE)
        continue;
      rival = &f->groups.v[u->f->group_of[other]];
      if (rival->level == f->groups.v[r].level && rival->post != GG_NONE)
        return 0;
      if (freeze)
        rival->frozen = 1;
    }
  }
  return 1;
}

/* A reduction one level below `g` whose result g reads as it is. */
static unsigned int find_host(const fuser *u, unsigned int g) {
  const gg__program *p = u->p;
  const gg__group *map = &u->f->groups.v[g], *red;
  const gg__node *n;
  unsigned int i, from;
  size_t k;

  for (k = 0; k < map->nodes.n; k++) {
    n = &p->nodes.v[map->nodes.v[k]];
    for (i = 0; i < n->apply->n_in; i++) {
      from = read_node(p, n, i);
      if (from == GG_NONE || p->nodes.v[from].role != GG_REDUCE ||
          space_of(p, from) != map->space)
        continue;
      red = &u->f->groups.v[u->f->group_of[from]];
      if (red->level + 1 == map->level && red->post == GG_NONE &&
          !red->frozen && red->arrays + map->arrays <= max_arrays(u, red) &&
          can_host(u, g, u->f->group_of[from], 0))
        return u->f->group_of[from];
    }
  }
  return GG_NONE;
}

static void join_reductions(fuser *u) {
  gg__group *g;
  unsigned int r;
  size_t k;

  for (k = 0; k < u->f->groups.n; k++) {
    g = &u->f->groups.v[k];
    if (g->kind != GG_STEP_MAP || g->nodes.n == 0 ||
        g->nodes.n > MAX_POST_NODES)
      continue;
    count_arrays(u, (unsigned int)k);
    r = find_host(u, (unsigned int)k);
    if (r == GG_NONE)
      continue;
    can_host(u, (unsigned int)k, r, 1);
    g->host = r;
    u->f->groups.v[r].post = (unsigned int)k;
  }
}

/* --- small groups of equal shape --- */

static int move_nodes(fuser *u, unsigned int from, unsigned int to) {
  gg__group *a = &u->f->groups.v[from], *b = &u->f->groups.v[to];
  gg__homes *h;
  unsigned int i;
  size_t k;

  for (k = 0; k < a->nodes.n; k++) {
    h = &u->f->homes[a->nodes.v[k]];
    if (in_group(h, to)) { /* a copy that is one too many */
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

/* Groups of few elements share a kernel even if nothing connects them: of one
 * level, none waits for another. */
static int join_small(fuser *u) {
  ga__map open = GA_MAP_INIT; /* (level, space) -> group */
  unsigned int key[2];
  gg__group *g, *first;
  size_t k;
  int err = GA_NO_ERROR;

  for (k = 0; k < u->f->groups.n && err == GA_NO_ERROR; k++) {
    g = &u->f->groups.v[k];
    if (g->kind != GG_STEP_MAP || g->nodes.n == 0 || g->host != GG_NONE ||
        !is_small(&u->p->values.v[g->space].var->type))
      continue;
    count_arrays(u, (unsigned int)k);
    key[0] = g->level;
    key[1] = g->space;
    first = ga__map_get(&open, key, sizeof key);
    if (first == NULL || first->nodes.n + g->nodes.n > GG_MAX_NODES ||
        first->arrays + g->arrays > max_arrays(u, g))
      err = ga__map_put(&open, key, sizeof key, g);
    else
      err = move_nodes(u, (unsigned int)k,
                       (unsigned int)(first - u->f->groups.v));
  }
  ga__map_clear(&open);
  return err;
}

/* --- the whole --- */

static int ascending(const void *a, const void *b) {
  const unsigned int x = *(const unsigned int *)a, y = *(const unsigned int *)b;

  return (x > y) - (x < y);
}

/* Nodes into order, and exact counts of arguments. */
static void finish_groups(fuser *u) {
  gg__group *g;
  size_t k;

  for (k = 0; k < u->f->groups.n; k++) {
    g = &u->f->groups.v[k];
    if (g->kind == GG_STEP_MAP)
      count_arrays(u, (unsigned int)k);
    if (g->nodes.n > 1)
      qsort(g->nodes.v, g->nodes.n, sizeof(unsigned int), ascending);
  }
}

static int allocate(fuser *u) {
  const size_t n = u->p->nodes.n;

  u->level = ga__malloc(n * sizeof *u->level);
  u->costs = ga__calloc(n, sizeof *u->costs);
  u->f->group_of = ga__malloc(n * sizeof *u->f->group_of);
  u->parent = ga__malloc(n * sizeof *u->parent);
  u->seen = ga__calloc(u->p->values.n, sizeof *u->seen);
  u->f->homes = ga__calloc(n, sizeof *u->f->homes);
  if (u->level == NULL || u->costs == NULL || u->f->group_of == NULL ||
      u->parent == NULL || u->seen == NULL || u->f->homes == NULL)
    return ga__fail_nomem();
  return GA_NO_ERROR;
}

int gg__fuse(gg__fusion *f, const gg__program *p) {
  const int fusing = p->mode == GG_FAST_RUN;
  fuser u = {.p = p, .f = f};
  int err;

  GA_CHECK(allocate(&u));
  GA_CHECK(find_users(&f->users, p));
  find_levels(&u);
  find_costs(&u);
  GA_CHECK(make_groups(&u, fusing));
  GA_CHECK(measure_groups(&u));
  GA_CHECK(fill_groups(&u, fusing));
  if (fusing) {
    join_reductions(&u);
    GA_CHECK(join_small(&u));
  }
  finish_groups(&u);
done:
  ga__free(u.level);
  ga__free(u.costs);
  ga__free(u.parent);
  ga__free(u.seen);
  return err;
}

void gg__fusion_clear(gg__fusion *f) {
  size_t k;

  for (k = 0; k < f->groups.n; k++)
    ga__vec_clear(&f->groups.v[k].nodes);
  ga__vec_clear(&f->groups);
  ga__free(f->homes);
  ga__free(f->group_of);
  ga__free(f->users.first);
  ga__free(f->users.user);
  memset(f, 0, sizeof *f);
}
