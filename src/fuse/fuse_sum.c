/* SPDX-License-Identifier: BSD-2-Clause */
/* Sums of a vector beside a product with it.
 *
 * The gradient of the weights is a product with d, and the gradient of the bias
 * is the sum of d: dot(X.T, d) and sum(d). The product reads d anyway, so its
 * kernel also computes the sum, and the epilogues of both.
 *
 * Both have one level, so neither depends on the other. Neither may their
 * epilogues. Row groups span levels, so a path through one could connect the
 * two: where a row group spans their level, they stay apart. */
#include "fuse/fusion.h"
#include "ops/ops.h"

typedef struct finder {
  gg__fuser *u;
  unsigned char *spanned; /* by level: a row group begins below it and ends
                             above it */
} finder;

/* --- levels within row groups --- */

static int find_spanned(finder *x) {
  const gg__fusion *f = x->u->f;

  x->spanned = ga__arena_alloc(&x->u->f->arena, gg__count_levels(f));
  if (x->spanned == NULL)
    return ga__fail_nomem();
  for (size_t k = 0; k < f->groups.n; k++) {
    const gg__group *g = &f->groups.v[k];
    for (unsigned int level = g->lowest + 1;
         g->kind == GG_GROUP_ROWS && level < g->level; level++)
      x->spanned[level] = 1;
  }
  return GA_NO_ERROR;
}

/* --- what may unite --- */

/* The vector whose sum a group's product can also compute, or GG_NONE. */
static unsigned int summed_value(const gg__fuser *u, const gg__group *g) {
  if (g->kind != GG_GROUP_KERNEL || !gg__is_root(&u->p->nodes.v[g->root]))
    return GG_NONE;
  const gg_apply *a = u->p->nodes.v[g->root].apply;
  int i = a->op->sums != NULL ? a->op->sums(a) : -1;
  return i >= 0 ? gg__in(u->p, a, (unsigned int)i) : GG_NONE;
}

/* Is `node` the sum of all elements of `value`, alone in its group? */
static int is_sum(const gg__fuser *u, unsigned int node, unsigned int value) {
  const gg__node *n = &u->p->nodes.v[node];

  if (n->role != GG_REDUCE)
    return 0;
  const gg__group *g = &u->f->groups.v[u->f->group_of[node]];
  const gg_reduce_props *p = n->apply->props;
  return g->kind == GG_GROUP_REDUCE && g->root == node && g->nodes.n == 0 &&
         g->others.n == 0 && p->op == GG_SUM && p->axes_mask == 1 &&
         !p->keepdims && gg__in(u->p, n->apply, 0) == value &&
         n->apply->out[0]->type.dtype == n->apply->in[0]->type.dtype;
}

/* Does a map of the group read what `node` computes? */
static int reads_from(const gg__fuser *u, unsigned int group,
                      unsigned int node) {
  if (group == GG_NONE)
    return 0;
  const gg__group *g = &u->f->groups.v[group];
  for (size_t k = 0; k < g->nodes.n; k++) {
    const gg__node *n = &u->p->nodes.v[g->nodes.v[k]];
    for (unsigned int i = 0; i < n->apply->n_in; i++)
      if (gg__reads(n, i) &&
          gg__source_node(u->p, gg__in(u->p, n->apply, i)) == node)
        return 1;
  }
  return 0;
}

static size_t count_epilogue(const gg__fuser *u, unsigned int group) {
  return group != GG_NONE ? u->f->groups.v[group].arrays : 0;
}

static int may_join(const finder *x, const gg__group *to,
                    const gg__group *from) {
  const gg__fuser *u = x->u;

  return to->level == from->level && !x->spanned[to->level] &&
         !reads_from(u, to->epilogue, from->root) &&
         !reads_from(u, from->epilogue, to->root) &&
         to->arrays + count_epilogue(u, to->epilogue) + from->arrays +
                 count_epilogue(u, from->epilogue) <=
             gg__group_max_arrays(u, to);
}

/* --- one kernel --- */

static int take_sum(gg__fuser *u, unsigned int to, unsigned int from) {
  gg__group *g = &u->f->groups.v[to], *s = &u->f->groups.v[from];

  GA_TRY(ga__vec_push(&g->others, s->root));
  u->f->group_of[s->root] = to;
  g->sum_epilogue = s->epilogue;
  if (s->epilogue != GG_NONE)
    u->f->groups.v[s->epilogue].owner = to;
  s->kind = GG_GROUP_MAP;
  s->root = s->epilogue = GG_NONE;
  return GA_NO_ERROR;
}

static int join_sum(finder *x, unsigned int group) {
  gg__fuser *u = x->u;
  const gg__users *users = &u->f->users;
  const unsigned int value = summed_value(u, &u->f->groups.v[group]);

  if (value == GG_NONE)
    return GA_NO_ERROR;
  for (unsigned int k = users->first[value]; k < users->first[value + 1]; k++) {
    if (!is_sum(u, users->user[k], value))
      continue;
    unsigned int from = u->f->group_of[users->user[k]];
    if (may_join(x, &u->f->groups.v[group], &u->f->groups.v[from]))
      return take_sum(u, group, from);
  }
  return GA_NO_ERROR;
}

int gg__join_sums(gg__fuser *u) {
  finder x = {.u = u};

  GA_TRY(find_spanned(&x));
  for (unsigned int k = 0; k < u->f->groups.n; k++)
    GA_TRY(join_sum(&x, k));
  return GA_NO_ERROR;
}
