/* SPDX-License-Identifier: BSD-2-Clause */
/* From groups of nodes to steps.
 *
 * A group becomes one step, or several consecutive ones if it is too large for
 * a kernel. A value is stored if a step that does not compute it reads it. */
#include "fuse/body.h"

static int add_group_steps(gg__maker *m) {
  for (unsigned int k = 0; k < m->f->groups.n; k++)
    gg__cut_group(m, k);
  for (unsigned int k = 0; k < m->f->groups.n; k++) {
    const gg__group *g = &m->f->groups.v[k];
    if (g->kind == GG_GROUP_REDUCE)
      GA_TRY(gg__add_reduction(m, k));
    else if (g->kind == GG_GROUP_KERNEL)
      GA_TRY(gg__add_kernel(m, m->p->nodes.v[g->root].apply, k));
    else if (g->kind == GG_GROUP_ROWS)
      GA_TRY(gg__add_rows(m, k));
    if (g->kind != GG_GROUP_MAP)
      continue;
    size_t first = 0;
    for (unsigned int i = 0;
         i < g->parts && g->nodes.n > 0 && g->owner == GG_NONE; i++)
      GA_TRY(gg__add_map(m, k, i, &first));
  }
  return GA_NO_ERROR;
}

static int add_node_steps(gg__maker *m) {
  for (size_t k = 0; k < m->p->nodes.n; k++) {
    const gg__node *n = &m->p->nodes.v[k];
    if (n->role == GG_VIEW && !m->f->unseen[k])
      GA_TRY(gg__add_view(m, n->apply));
    else if (n->role == GG_TRANSFER)
      GA_TRY(gg__add_send_receive(m, n->apply));
    else if (n->role == GG_KERNEL && m->f->group_of[k] == GG_NONE)
      GA_TRY(gg__add_kernel(m, n->apply, GG_NONE));
  }
  return GA_NO_ERROR;
}

/* Decide which results are copied. A step can write a result directly to its
 * destination, but only to one: further uses of the same value as a result are
 * copies. */
static int add_copies(gg__maker *m) {
  gg__program *p = m->p;

  m->count++;
  for (unsigned int k = 0; k < p->results.n; k++) {
    gg__result *r = &p->results.v[k];
    gg__role role = gg__role_of(p, r->value);
    r->direct = m->seen[r->value] != m->count &&
                (role == GG_MAP || role == GG_REDUCE || role == GG_KERNEL ||
                 role == GG_TRANSFER);
    m->seen[r->value] = m->count;
    if (r->direct)
      continue;
    GA_TRY(gg__add_copy(m, k));
  }
  return GA_NO_ERROR;
}

int gg__make_steps(gg__program *p, gg__fusion *f) {
  gg__maker m = {.p = p, .f = f};
  int err;

  m.pending = ga__arena_alloc(&f->arena, p->nodes.n * sizeof *m.pending);
  m.seen = ga__arena_alloc(&f->arena, p->values.n * sizeof *m.seen);
  m.item_of = ga__arena_alloc(&f->arena, p->values.n * sizeof *m.item_of);
  if (m.pending == NULL || m.seen == NULL || m.item_of == NULL)
    GA_CHECK(ga__fail_nomem());
  GA_CHECK(add_group_steps(&m));
  GA_CHECK(add_node_steps(&m));
  GA_CHECK(add_copies(&m));
done:
  gg__lists_clear(&m.lists);
  return err;
}
