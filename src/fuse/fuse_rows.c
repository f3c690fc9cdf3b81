/* SPDX-License-Identifier: BSD-2-Clause */
/* Row groups: reductions over the same axes of one space, with the maps before,
 * between and after them, as one kernel (gpuarray/rows.h).
 *
 *   softmax      max | sub, exp, sum | div
 *   layer norm   sum, div | sub, sqr, sum, div, add, sqrt | sub, div, mul, add
 *
 * Batch normalisation is a layer norm over other axes. A row is what the
 * reduced axes span. If the last axis is not reduced, as with the columns of a
 * matrix, rows lie side by side. On a CPU, the lanes of a vector then compute
 * neighbouring rows, and each phase walks a row with a stride. That is faster
 * than separate reductions and maps only while the rows stay in the cache, so
 * rows must be known to be short. (PoCL, 2 cores: batch normalisation of 128 x
 * 512 takes 32 us instead of 90; of 1024 x 1024 it would take 3600 us instead
 * of 900.) On a GPU, a team of work-items reads along its row.
 *
 * A row group starts as one reduction and takes in neighbouring groups: those
 * that read its row values or elements, those that compute its elements, and
 * reductions of an array that it reads. No path may leave the group and come
 * back. Views that only add or drop the reduced axes of a row value need no
 * step within the group. */
#include <gpuarray/rows.h>

#include "fuse/rows_finder.h"

enum {
  MOST_USERS = 64, /* values with more users are not examined */
};

/* --- what may join --- */

static int add_space(gg__rows_finder *r, unsigned int space) {
  return gg__is_row_space(r, space) ? GA_NO_ERROR
                                    : ga__vec_push(&r->spaces, space);
}

static const gg_reduce_props *reduce_props(const gg__rows_finder *r,
                                           unsigned int node) {
  return r->p->nodes.v[node].apply->props;
}

/* Can a row group contain this reduction? */
static int is_row_reduction(const gg__rows_finder *r, unsigned int node) {
  const gg_apply *a = r->p->nodes.v[node].apply;
  const gg_reduce_props *d = a->props;
  const gg__value *in = &r->p->values.v[gg__in(r->p, a, 0)];

  return d->op != GG_ARGMAX && d->op != GG_ARGMIN && d->op != GG_VARIANCE &&
         !gg__is_complex(in->var) &&
         !gg__group_is_complex(r->p, &r->f->groups.v[r->f->group_of[node]]) &&
         !in->uniform && in->space != gg__space_of(r->p, node) &&
         gg__are_rows(&in->var->type, d->axes_mask,
                      r->p->contexts.v[in->context].is_cpu);
}

static int may_join(const gg__rows_finder *r, unsigned int group) {
  const gg__group *g = &r->f->groups.v[group];

  if (r->n_nodes + g->nodes.n > GG_MAX_NODES ||
      r->n_walks >= GPUROWS_MAX_PHASES - 2 || gg__group_is_complex(r->p, g))
    return 0;
  if (g->kind == GG_GROUP_MAP)
    return g->nodes.n > 0 && g->owner == GG_NONE && !gg__group_takes(r->p, g) &&
           (g->space == r->space || gg__is_row_space(r, g->space));
  return g->kind == GG_GROUP_REDUCE && g->space == r->space &&
         is_row_reduction(r, g->root) &&
         reduce_props(r, g->root)->axes_mask == r->mask;
}

static int enter(gg__rows_finder *r, unsigned int group) {
  const gg__group *g = &r->f->groups.v[group];

  r->is_in[group] = 1;
  r->n_nodes += g->nodes.n;
  r->n_walks += g->kind == GG_GROUP_REDUCE || g->space == r->space;
  GA_TRY(ga__vec_push(&r->members, group));
  if (g->root != GG_NONE)
    GA_TRY(add_space(r, gg__space_of(r->p, g->root)));
  return g->epilogue != GG_NONE ? enter(r, g->epilogue) : GA_NO_ERROR;
}

/* Remove the members from index `n` on. */
static void leave(gg__rows_finder *r, size_t n) {
  while (r->members.n > n) {
    const gg__group *g = &r->f->groups.v[r->members.v[--r->members.n]];
    r->is_in[r->members.v[r->members.n]] = 0;
    r->n_nodes -= g->nodes.n;
    r->n_walks -= g->kind == GG_GROUP_REDUCE || g->space == r->space;
  }
}

/* --- arguments --- */

/* Would the present group have to store the node's result? */
static int is_stored(const gg__rows_finder *r, unsigned int node) {
  const unsigned int v = gg__out_value(r->p, node);
  const gg__users *users = &r->f->users;

  for (unsigned int k = users->first[v]; k < users->first[v + 1]; k++) {
    unsigned int user = users->user[k];
    if (gg__is_row_view(r, user) ? is_stored(r, user)
                                 : !gg__is_in_rows(r, user))
      return 1;
  }
  return r->p->values.v[v].is_result;
}

/* Does the group compute the value, directly or as a view of a row value? */
static int is_known(const gg__rows_finder *r, unsigned int value) {
  const unsigned int node = r->p->values.v[value].node;

  return gg__is_in_rows(r, node) ||
         (node != GG_NONE && gg__is_row_view(r, node));
}

/* Is the node computed once per row? */
static int is_row_value(const gg__rows_finder *r, unsigned int node) {
  return r->p->nodes.v[node].role == GG_MAP &&
         gg__space_of(r->p, node) != r->space;
}

/* Arguments that `node` needs and that are not yet counted; a scalar counts as
 * an array. */
static size_t count_node(gg__rows_finder *r, unsigned int node) {
  const gg__node *n = &r->p->nodes.v[node];
  gg__fuser *u = r->u;
  size_t count = 0;

  unsigned int v = gg__out_value(r->p, node);
  if (u->seen[v] == u->count)
    return 0;
  u->seen[v] = u->count;
  count += (size_t)is_stored(r, node);
  for (unsigned int i = 0; i < n->apply->n_in; i++) {
    v = gg__in(r->p, n->apply, i);
    if (!gg__reads(n, i) || gg__is_literal(&r->p->values.v[v]) ||
        is_known(r, v) || u->seen[v] == u->count)
      continue;
    u->seen[v] = u->count;
    count++;
  }
  return count;
}

/* Count the arguments of row values, or of all other nodes. */
static size_t count_nodes(gg__rows_finder *r, int row_values) {
  size_t count = 0;

  r->u->count++;
  for (size_t k = 0; k < r->members.n; k++) {
    const gg__group *g = &r->f->groups.v[r->members.v[k]];
    for (size_t i = 0; i < g->nodes.n; i++)
      if (is_row_value(r, g->nodes.v[i]) == row_values)
        count += count_node(r, g->nodes.v[i]);
    if (g->root != GG_NONE && !row_values)
      count += count_node(r, g->root);
  }
  return count;
}

/* What row values read counts separately: the kernel has a second list of
 * arguments for them. */
static size_t count_arrays(gg__rows_finder *r) {
  return count_nodes(r, 0) + count_nodes(r, 1);
}

/* The limit of arrays, less what the kernel needs for sizes and parts of
 * rows. */
static size_t most_arrays(const gg__rows_finder *r) {
  return gg__max_arrays(r->p, gg__rows_rank(r)) - r->n_walks / 2;
}

/* --- joining --- */

static int try_group(gg__rows_finder *r, unsigned int group) {
  const size_t n = r->members.n, n_spaces = r->spaces.n;

  if (group == GG_NONE || r->is_in[group] || !may_join(r, group))
    return GA_NO_ERROR;
  GA_TRY(enter(r, group));
  int back = count_arrays(r) > most_arrays(r);
  if (!back)
    GA_TRY(gg__rows_lead_back(r, &back));
  if (back) {
    leave(r, n);
    r->spaces.n = n_spaces;
  }
  return GA_NO_ERROR;
}

/* --- neighbours --- */

static int try_homes(gg__rows_finder *r, unsigned int node) {
  const gg__homes *h = &r->f->homes[node];

  for (unsigned int i = 0; i < h->n; i++) {
    const gg__group *g = &r->f->groups.v[h->group[i]];
    GA_TRY(try_group(r, g->owner != GG_NONE ? g->owner : h->group[i]));
  }
  return GA_NO_ERROR;
}

/* Try the groups that read a value. Of the readers of an array from outside,
 * try only reductions, since they read the same memory. */
static int try_users(gg__rows_finder *r, unsigned int value, int from_inside) {
  const gg__users *users = &r->f->users;

  if (users->first[value + 1] - users->first[value] > MOST_USERS)
    return GA_NO_ERROR;
  for (unsigned int k = users->first[value]; k < users->first[value + 1]; k++) {
    unsigned int user = users->user[k];
    if (r->p->nodes.v[user].role == GG_REDUCE) {
      GA_TRY(try_group(r, r->f->group_of[user]));
    } else if (r->p->nodes.v[user].role == GG_MAP) {
      if (from_inside)
        GA_TRY(try_homes(r, user));
    } else if (from_inside && gg__is_row_view(r, user)) {
      unsigned int other = gg__out(r->p, r->p->nodes.v[user].apply, 0);
      GA_TRY(add_space(r, r->p->values.v[other].space));
      GA_TRY(try_users(r, other, 1));
    }
  }
  return GA_NO_ERROR;
}

/* Try what computes a row value, which may be a view of another one. */
static int try_row_value(gg__rows_finder *r, unsigned int value) {
  const unsigned int node = r->p->values.v[value].node;

  if (node == GG_NONE || gg__is_in_rows(r, node))
    return GA_NO_ERROR;
  const gg__node *n = &r->p->nodes.v[node];
  if (n->role == GG_REDUCE)
    return try_group(r, r->f->group_of[node]);
  if (n->role == GG_VIEW && gg__keeps_rows(r, n->apply)) {
    const unsigned int in = gg__in(r->p, n->apply, 0);
    GA_TRY(add_space(r, r->p->values.v[in].space));
    return try_row_value(r, in);
  }
  return n->role == GG_MAP ? try_homes(r, node) : GA_NO_ERROR;
}

static int try_inputs(gg__rows_finder *r, unsigned int node) {
  const gg__node *n = &r->p->nodes.v[node];

  for (unsigned int i = 0; i < n->apply->n_in; i++) {
    unsigned int v = gg__in(r->p, n->apply, i);
    unsigned int from = r->p->values.v[v].node;
    if (!gg__reads(n, i) || r->p->values.v[v].uniform)
      continue;
    if (gg__is_row_space(r, r->p->values.v[v].space))
      GA_TRY(try_row_value(r, v));
    if (r->p->values.v[v].space != r->space || gg__is_in_rows(r, from))
      continue;
    if (gg__is_map(r->p, from))
      GA_TRY(try_homes(r, from));
    GA_TRY(try_users(r, v, 0));
  }
  return GA_NO_ERROR;
}

static int try_around(gg__rows_finder *r, unsigned int node) {
  GA_TRY(try_users(r, gg__out_value(r->p, node), 1));
  return try_inputs(r, node);
}

/* Take in neighbours until no more fit. */
static int grow(gg__rows_finder *r) {
  size_t before;

  do {
    before = r->members.n;
    for (size_t k = 0; k < r->members.n; k++) {
      const gg__group *g = &r->f->groups.v[r->members.v[k]];
      for (size_t i = 0; i < g->nodes.n; i++)
        GA_TRY(try_around(r, g->nodes.v[i]));
      if (g->root != GG_NONE)
        GA_TRY(try_around(r, g->root));
    }
  } while (r->members.n > before);
  return GA_NO_ERROR;
}

/* --- the group --- */

/* Replace the members among the homes of a node by `group`. */
static int move_home(gg__rows_finder *r, unsigned int node, gg__group *to,
                     unsigned int group) {
  gg__homes *h = &r->f->homes[node];
  unsigned int n = 0, is_there = 0;

  for (unsigned int i = 0; i < h->n; i++) {
    is_there |= h->group[i] == group;
    if (!r->is_in[h->group[i]])
      h->group[n++] = h->group[i];
  }
  h->n = n;
  if (r->is_in[r->f->group_of[node]])
    r->f->group_of[node] = group;
  if (is_there)
    return GA_NO_ERROR;
  h->group[h->n++] = group;
  return ga__vec_push(&to->nodes, node);
}

/* Add the views of a row value that are row values, too. */
static int add_views(gg__rows_finder *r, gg__group *to, unsigned int value) {
  const gg__users *users = &r->f->users;

  for (unsigned int k = users->first[value]; k < users->first[value + 1]; k++) {
    unsigned int user = users->user[k];
    if (!gg__is_row_view(r, user))
      continue;
    GA_TRY(ga__vec_push(&to->others, user));
    GA_TRY(add_views(r, to, gg__out(r->p, r->p->nodes.v[user].apply, 0)));
  }
  return GA_NO_ERROR;
}

static int collect(gg__rows_finder *r, gg__group *to) {
  for (size_t k = 0; k < r->members.n; k++) {
    const gg__group *g = &r->f->groups.v[r->members.v[k]];
    if (g->root != GG_NONE) {
      unsigned int v = gg__out_value(r->p, g->root);
      GA_TRY(ga__vec_push(&to->others, g->root));
      GA_TRY(add_views(r, to, v));
    }
    for (size_t i = 0; i < g->nodes.n; i++) {
      unsigned int v = gg__out_value(r->p, g->nodes.v[i]);
      if (gg__is_row_space(r, r->p->values.v[v].space))
        GA_TRY(add_views(r, to, v));
    }
    if (g->level > to->level)
      to->level = g->level;
    if (g->level < to->lowest)
      to->lowest = g->level;
  }
  return GA_NO_ERROR;
}

static void note_span(gg__rows_finder *r, const gg__group *g) {
  for (unsigned int level = g->lowest; level < g->level; level++)
    if (r->reach[level] < g->level)
      r->reach[level] = g->level;
}

/* Move all nodes of the members into a new group. */
static int make_group(gg__rows_finder *r) {
  const unsigned int group = (unsigned int)r->f->groups.n;
  gg__group to = gg__empty_group(GG_GROUP_ROWS, r->space);
  int err;

  to.lowest = UINT_MAX;
  to.size = r->n_nodes;
  GA_CHECK(collect(r, &to));
  for (size_t k = 0; k < r->members.n; k++) {
    gg__group *g = &r->f->groups.v[r->members.v[k]];
    for (size_t i = 0; i < g->nodes.n; i++)
      GA_CHECK(move_home(r, g->nodes.v[i], &to, group));
    if (g->root != GG_NONE)
      r->f->group_of[g->root] = group;
    g->nodes.n = 0;
    g->kind = GG_GROUP_MAP;
    g->root = g->epilogue = g->owner = GG_NONE;
  }
  GA_CHECK(ga__vec_push(&r->f->groups, to));
  note_span(r, &to);
done:
  if (err != GA_NO_ERROR) {
    ga__vec_clear(&to.nodes);
    ga__vec_clear(&to.others);
  }
  return err;
}

static int start(gg__rows_finder *r, unsigned int node) {
  const gg_apply *a = r->p->nodes.v[node].apply;

  r->space = r->p->values.v[gg__in(r->p, a, 0)].space;
  r->mask = reduce_props(r, node)->axes_mask;
  r->spaces.n = 0;
  r->n_nodes = r->n_walks = 0;
  GA_TRY(enter(r, r->f->group_of[node]));
  GA_TRY(grow(r));
  if (r->n_walks > 1)
    GA_TRY(make_group(r));
  while (r->members.n > 0)
    r->is_in[r->members.v[--r->members.n]] = 0;
  return GA_NO_ERROR;
}

static int allocate(gg__rows_finder *r) {
  /* A row group replaces at least two others. */
  const size_t n = r->f->groups.n + r->f->groups.n / 2 + 1;

  ga__arena *m = &r->f->arena;

  r->reach = ga__arena_alloc(m, gg__count_levels(r->f) * sizeof *r->reach);
  r->is_in = ga__arena_alloc(m, n);
  r->met_group = ga__arena_alloc(m, n * sizeof *r->met_group);
  r->met_node = ga__arena_alloc(m, r->p->nodes.n * sizeof *r->met_node);
  return r->reach != NULL && r->is_in != NULL && r->met_group != NULL &&
                 r->met_node != NULL
             ? GA_NO_ERROR
             : ga__fail_nomem();
}

int gg__join_rows(gg__fuser *u) {
  gg__rows_finder r = {.u = u, .p = u->p, .f = u->f};
  int err;

  GA_CHECK(allocate(&r));
  for (unsigned int k = 0; k < u->p->nodes.n; k++)
    if (u->p->nodes.v[k].role == GG_REDUCE && is_row_reduction(&r, k) &&
        u->f->groups.v[u->f->group_of[k]].kind == GG_GROUP_REDUCE &&
        u->f->groups.v[u->f->group_of[k]].root == k)
      GA_CHECK(start(&r, k));
done:
  ga__vec_clear(&r.members);
  ga__vec_clear(&r.spaces);
  ga__vec_clear(&r.queue);
  return err;
}
