/* SPDX-License-Identifier: BSD-2-Clause */
/* Row groups: what a group contains, and whether a path leaves it and comes
 * back.
 *
 * The search walks the graph as if the group's members were one node: from what
 * they compute to the groups that read it. A node that is computed in several
 * groups makes no path between them. */
#include "fuse/rows_finder.h"
#include "ops/ops.h"

enum { MOST_VISITED = 4096 /* groups and nodes */ };

/* --- shapes --- */

unsigned int gg__rows_rank(const gg__rows_finder *r) {
  return r->p->values.v[r->space].var->type.nd;
}

int gg__keeps_rows(const gg__rows_finder *r, const gg_apply *a) {
  const gg__dimshuffle_props *d = a->props;
  const unsigned int nd = gg__rows_rank(r), kept = nd - gg__count_axes(r->mask);
  const unsigned int in = a->in[0]->type.nd, out = a->out[0]->type.nd;
  unsigned int from = 0, to = 0;

  if (a->op != &gg__op_dimshuffle || (in != nd && in != kept) ||
      (out != nd && out != kept))
    return 0;
  /* Axis `axis` of the rows is axis `from` of the input and axis `to` of the
   * output, except that a reduced axis may be missing in either. */
  for (unsigned int axis = 0; axis < nd; axis++) {
    const int is_reduced = (int)(r->mask >> axis & 1u);

    if (to < out && (!is_reduced || out == nd)) {
      if (d->pattern[to] != (int)from && (!is_reduced || d->pattern[to] != -1))
        return 0;
      to++;
    }
    from += !is_reduced || in == nd;
  }
  return 1;
}

int gg__is_row_space(const gg__rows_finder *r, unsigned int space) {
  for (size_t k = 0; k < r->spaces.n; k++)
    if (r->spaces.v[k] == space)
      return 1;
  return 0;
}

/* --- what the group contains --- */

static int is_home_inside(const gg__rows_finder *r, unsigned int node) {
  const gg__homes *h = &r->f->homes[node];

  for (unsigned int i = 0; i < h->n; i++)
    if (r->is_in[h->group[i]])
      return 1;
  return 0;
}

int gg__is_in_rows(const gg__rows_finder *r, unsigned int node) {
  if (node == GG_NONE)
    return 0;
  switch (r->p->nodes.v[node].role) {
  case GG_MAP:
    return is_home_inside(r, node);
  case GG_REDUCE:
    return r->is_in[r->f->group_of[node]];
  default:
    return 0;
  }
}

int gg__is_row_view(const gg__rows_finder *r, unsigned int node) {
  const gg_apply *a = r->p->nodes.v[node].apply;

  if (r->p->nodes.v[node].role != GG_VIEW || !gg__keeps_rows(r, a) ||
      gg__space_of(r->p, node) == r->space)
    return 0;
  const gg__value *v = &r->p->values.v[gg__in(r->p, a, 0)];
  if (v->node == GG_NONE)
    return 0;
  return gg__is_row_view(r, v->node) ||
         (gg__is_in_rows(r, v->node) && gg__is_row_space(r, v->space));
}

/* --- the search for a path that comes back --- */

static int queue_group(gg__rows_finder *r, unsigned int group) {
  const gg__group *g = &r->f->groups.v[group];

  if (r->met_group[group] == r->search || g->level > r->top)
    return GA_NO_ERROR;
  r->met_group[group] = r->search;
  r->visited++;
  GA_TRY(ga__vec_push(&r->queue, group));
  if (g->owner != GG_NONE)
    GA_TRY(queue_group(r, g->owner));
  return g->epilogue != GG_NONE ? queue_group(r, g->epilogue) : GA_NO_ERROR;
}

static int queue_node(gg__rows_finder *r, unsigned int node) {
  if (r->met_node[node] == r->search ||
      (r->u->level[node] >= 0 && (unsigned int)r->u->level[node] > r->top))
    return GA_NO_ERROR;
  r->met_node[node] = r->search;
  r->visited++;
  return ga__vec_push(&r->queue, (unsigned int)r->f->groups.n + node);
}

/* Queue the groups outside that compute `user`, which reads `node`. *back
 * becomes 1 if `user` is computed inside, unless the path begins there. */
static int follow_map(gg__rows_finder *r, unsigned int node, unsigned int user,
                      int from_inside, int *back) {
  const gg__homes *h = &r->f->homes[user];
  const int is_map = r->p->nodes.v[node].role == GG_MAP;

  for (unsigned int i = 0; i < h->n; i++) {
    if (is_map && gg__in_group(&r->f->homes[node], h->group[i]))
      continue;
    if (!r->is_in[h->group[i]])
      GA_TRY(queue_group(r, h->group[i]));
    else if (!from_inside && !gg__is_in_rows(r, node))
      *back = 1;
  }
  return GA_NO_ERROR;
}

static int follow(gg__rows_finder *r, unsigned int node, int from_inside,
                  int *back) {
  const gg__users *users = &r->f->users;
  const gg_apply *a = r->p->nodes.v[node].apply;

  for (unsigned int i = 0; i < a->n_out; i++) {
    unsigned int v = gg__out(r->p, a, i);
    for (unsigned int k = users->first[v]; k < users->first[v + 1] && !*back;
         k++) {
      unsigned int user = users->user[k];
      if (r->p->nodes.v[user].role == GG_MAP)
        GA_TRY(follow_map(r, node, user, from_inside, back));
      else if (from_inside && gg__is_row_view(r, user))
        GA_TRY(follow(r, user, 1, back));
      else if (gg__is_in_rows(r, user))
        *back |= !from_inside && !gg__is_in_rows(r, node);
      else if (r->f->group_of[user] != GG_NONE)
        GA_TRY(queue_group(r, r->f->group_of[user]));
      else
        GA_TRY(queue_node(r, user));
    }
  }
  return GA_NO_ERROR;
}

static int follow_group(gg__rows_finder *r, unsigned int group, int from_inside,
                        int *back) {
  const gg__group *g = &r->f->groups.v[group];

  for (size_t k = 0; k < g->nodes.n && !*back; k++)
    GA_TRY(follow(r, g->nodes.v[k], from_inside, back));
  for (size_t k = 0; k < g->others.n && !*back; k++)
    GA_TRY(follow(r, g->others.v[k], from_inside, back));
  if (g->root != GG_NONE && !*back)
    GA_TRY(follow(r, g->root, from_inside, back));
  return GA_NO_ERROR;
}

/* Find the greatest level from which a path can come back. Levels only grow
 * along a path, but a row group spans several. */
static void find_top(gg__rows_finder *r) {
  r->top = 0;
  for (size_t k = 0; k < r->members.n; k++) {
    const gg__group *g = &r->f->groups.v[r->members.v[k]];
    if (g->level > r->top)
      r->top = g->level;
  }
  while (r->reach[r->top] > r->top)
    r->top = r->reach[r->top];
}

int gg__rows_lead_back(gg__rows_finder *r, int *back) {
  const unsigned int n_groups = (unsigned int)r->f->groups.n;

  *back = 0;
  r->search++;
  r->visited = 0;
  r->queue.n = 0;
  find_top(r);
  for (size_t k = 0; k < r->members.n; k++)
    GA_TRY(follow_group(r, r->members.v[k], 1, back));
  while (r->queue.n > 0 && !*back) {
    unsigned int x = r->queue.v[--r->queue.n];
    if (x < n_groups)
      GA_TRY(follow_group(r, x, 0, back));
    else
      GA_TRY(follow(r, x - n_groups, 0, back));
    if (r->visited > MOST_VISITED)
      *back = 1;
  }
  return GA_NO_ERROR;
}
