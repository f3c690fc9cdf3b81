/* SPDX-License-Identifier: BSD-2-Clause */
/* The contents of steps: parts of groups, and what each part reads, computes
 * and stores. */
#include "fuse/body.h"

#include <string.h>

/* --- cutting groups into parts --- */

static void set_part(gg__homes *h, unsigned int group, unsigned int part) {
  for (unsigned int i = 0; i < h->n; i++)
    if (h->group[i] == group)
      h->part[i] = part;
}

int gg__in_cut(const gg__maker *m, const gg__cut *t, unsigned int value) {
  const unsigned int node = m->p->values.v[value].node;

  return node != GG_NONE && m->p->nodes.v[node].role == GG_MAP &&
         m->f->homes[node].n != 0 &&
         gg__has_home(&m->f->homes[node], t->group, t->index);
}

/* Update the counts of the part for one more node; with `commit`, record what
 * the part reads, too. The node's result counts as an output until all its uses
 * are in the part. */
static void count_node(gg__maker *m, gg__cut *t, unsigned int node,
                       int commit) {
  const gg__program *p = m->p;
  const gg__node *n = &p->nodes.v[node];
  const unsigned int out = gg__out(p, n->apply, 0);

  t->nodes++;
  for (unsigned int i = 0; i < n->apply->n_in; i++) {
    unsigned int v = gg__in(p, n->apply, i);
    if (!gg__reads(n, i) || gg__is_literal(&p->values.v[v]))
      continue;
    unsigned int from = p->values.v[v].node;
    if (!p->values.v[v].uniform && gg__in_cut(m, t, v)) {
      if (commit && --m->pending[from] == 0)
        t->out--;
    } else if (m->seen[v] != m->count) {
      t->in++;
      if (commit)
        m->seen[v] = m->count;
    }
  }
  t->out++;
  if (commit)
    m->pending[node] = m->f->users.first[out + 1] - m->f->users.first[out] +
                       ((p->values.v[out].want & GG_WANT_PLACE) != 0);
}

void gg__cut_group(gg__maker *m, unsigned int group) {
  gg__group *g = &m->f->groups.v[group];
  const unsigned int nd = m->p->values.v[g->space].var->type.nd;
  const size_t max = gg__max_arrays(m->p, nd);
  gg__cut now = {.group = group}, next;

  g->parts = 1;
  if (g->kind == GG_GROUP_ROWS)
    return;
  if (g->nodes.n <= GG_MAX_NODES && g->arrays <= max)
    return;
  for (size_t k = 0; k < g->nodes.n; k++)
    set_part(&m->f->homes[g->nodes.v[k]], group, GG_NONE);
  m->count++;
  for (size_t k = 0; k < g->nodes.n; k++) {
    next = now;
    count_node(m, &next, g->nodes.v[k], 0);
    if (now.nodes > 0 &&
        (next.nodes > GG_MAX_NODES || next.in + next.out > max)) {
      now = (gg__cut){.group = group, .index = now.index + 1};
      m->count++;
    }
    count_node(m, &now, g->nodes.v[k], 1);
    set_part(&m->f->homes[g->nodes.v[k]], group, now.index);
  }
  g->parts = now.index + 1;
}

/* --- what is stored --- */

/* Does this part store the node's result? If the node has several homes, its
 * own group stores it, since only own groups are ever cut. */
static int stores_here(const gg__maker *m, unsigned int node,
                       unsigned int group, unsigned int part) {
  const gg__homes *h = &m->f->homes[node];
  unsigned int best = 0;

  for (unsigned int i = 0; i < h->n; i++)
    if (h->group[i] == m->f->group_of[node])
      best = i;
  return h->group[best] == group && h->part[best] == part &&
         gg__is_stored(m->p, m->f, node);
}

int gg__root_is_stored(const gg__maker *m, unsigned int epilogue,
                       unsigned int node) {
  const unsigned int v = gg__out(m->p, m->p->nodes.v[node].apply, 0);
  const gg__users *u = &m->f->users;

  if (epilogue == GG_NONE || gg__must_store(m->p, node))
    return 1;
  for (unsigned int k = u->first[v]; k < u->first[v + 1]; k++) {
    const gg__homes *h = &m->f->homes[u->user[k]];
    if (h->n != 1 || h->group[0] != epilogue)
      return 1;
  }
  return 0;
}

/* --- bodies --- */

static unsigned int *keep(gg__program *p, const gg__list *l, unsigned int *n) {
  *n = (unsigned int)l->n;
  return ga__arena_dup(&p->arena, l->v, l->n * sizeof *l->v);
}

int gg__keep_lists(gg__program *p, gg__body *b, const gg__lists *l) {
  b->in = keep(p, &l->in, &b->n_in);
  b->scalars = keep(p, &l->scalars, &b->n_scalars);
  b->out = keep(p, &l->out, &b->n_out);
  return b->in != NULL && b->scalars != NULL && b->out != NULL
             ? GA_NO_ERROR
             : ga__fail_nomem();
}

void gg__lists_clear(gg__lists *l) {
  ga__vec_clear(&l->in);
  ga__vec_clear(&l->scalars);
  ga__vec_clear(&l->out);
  ga__vec_clear(&l->taken);
}

int gg__read_value(gg__maker *m, unsigned int v) {
  const gg__value *x = &m->p->values.v[v];

  if (gg__is_literal(x) || m->seen[v] == m->count)
    return GA_NO_ERROR;
  m->seen[v] = m->count;
  return x->uniform ? ga__vec_push(&m->lists.scalars, v)
                    : ga__vec_push(&m->lists.in, v);
}

int gg__read_array(gg__maker *m, unsigned int v) {
  if (m->seen[v] == m->count)
    return GA_NO_ERROR;
  m->seen[v] = m->count;
  return ga__vec_push(&m->lists.in, v);
}

static int is_given(const gg__maker *m, gg_apply *const *roots, unsigned int n,
                    unsigned int v) {
  for (unsigned int i = 0; i < n; i++)
    if (gg__out(m->p, roots[i], 0) == v)
      return 1;
  return 0;
}

/* Collect what a node of a body reads and stores. */
static int scan_node(gg__maker *m, gg__body *b, unsigned int node,
                     const gg__cut *t, gg_apply *const *roots,
                     unsigned int n_roots) {
  const gg__program *p = m->p;
  const gg__node *n = &p->nodes.v[node];

  b->flops += n->code->flops;
  b->vector &= n->code->vector;
  for (unsigned int i = 0; i < n->apply->n_in; i++) {
    unsigned int v = gg__in(p, n->apply, i);
    if (gg__takes(n, i)) {
      GA_TRY(ga__vec_push(&m->lists.taken, v));
      continue;
    }
    if (!gg__reads(n, i) || is_given(m, roots, n_roots, v) ||
        (!p->values.v[v].uniform && gg__in_cut(m, t, v)))
      continue;
    GA_TRY(gg__read_value(m, v));
  }
  if (stores_here(m, node, t->group, t->index))
    GA_TRY(ga__vec_push(&m->lists.out, gg__out(p, n->apply, 0)));
  return GA_NO_ERROR;
}

void gg__begin_body(gg__maker *m, gg__body *b) {
  memset(b, 0, sizeof *b);
  b->vector = 1;
  m->count++;
  m->lists.in.n = m->lists.scalars.n = m->lists.out.n = m->lists.taken.n = 0;
}

int gg__end_body(gg__maker *m, gg__body *b) {
  for (size_t i = 0; i < m->lists.taken.n; i++)
    GA_TRY(ga__vec_push(&m->lists.in, m->lists.taken.v[i]));
  b->n_taken = (unsigned int)m->lists.taken.n;
  return gg__keep_lists(m->p, b, &m->lists);
}

int gg__fill_body(gg__maker *m, gg__body *b, const gg__cut *t,
                  gg_apply *const *roots, unsigned int n_roots, size_t *first) {
  const gg__group *g = &m->f->groups.v[t->group];
  size_t end = *first;

  while (end < g->nodes.n &&
         gg__has_home(&m->f->homes[g->nodes.v[end]], t->group, t->index))
    end++;
  b->nodes = ga__arena_alloc(&m->p->arena, (end - *first) * sizeof(gg_apply *));
  if (b->nodes == NULL)
    return ga__fail_nomem();
  for (size_t k = *first; k < end; k++) {
    b->nodes[b->n_nodes++] = m->p->nodes.v[g->nodes.v[k]].apply;
    GA_TRY(scan_node(m, b, g->nodes.v[k], t, roots, n_roots));
  }
  *first = end;
  return GA_NO_ERROR;
}

int gg__make_epilogue(gg__maker *m, gg__body *b, unsigned int group,
                      gg_apply *const *roots, unsigned int n_roots) {
  const gg__cut t = {.group = group};
  size_t first = 0;

  gg__begin_body(m, b);
  for (unsigned int i = 0; i < n_roots; i++) {
    unsigned int v = gg__out(m->p, roots[i], 0);
    if (gg__root_is_stored(m, group, m->p->values.v[v].node))
      GA_TRY(ga__vec_push(&m->lists.out, v));
  }
  if (group != GG_NONE)
    GA_TRY(gg__fill_body(m, b, &t, roots, n_roots, &first));
  return gg__end_body(m, b);
}

/* --- heads of steps --- */

void *gg__add_step(gg__maker *m, gg__step_kind kind, gg_apply *a,
                   size_t bytes) {
  gg__step *s = ga__arena_alloc(&m->p->arena, bytes);

  if (s == NULL) {
    ga__fail_nomem();
    return NULL;
  }
  s->kind = kind;
  s->apply = a;
  s->result = s->after = GG_NONE;
  return ga__vec_push(&m->p->steps, s) == GA_NO_ERROR ? s : NULL;
}

int gg__step_lists(gg__maker *m, gg__step *s, unsigned int n_lists,
                   unsigned int n_reads, unsigned int n_writes) {
  ga__arena *arena = &m->p->arena;

  s->lists = ga__arena_alloc(arena, n_lists * sizeof *s->lists);
  s->reads = ga__arena_alloc(arena, n_reads * sizeof *s->reads);
  s->writes = ga__arena_alloc(arena, n_writes * sizeof *s->writes);
  return s->lists != NULL && s->reads != NULL && s->writes != NULL
             ? GA_NO_ERROR
             : ga__fail_nomem();
}

void gg__step_computes(gg__step *s, gg_apply *const *nodes, unsigned int n) {
  if (n != 0)
    s->lists[s->n_lists++] = (gg__node_list){nodes, n};
}

void gg__step_reads(gg__step *s, unsigned int value) {
  s->reads[s->n_reads++] = value;
}

void gg__step_writes(gg__maker *m, gg__step *s, unsigned int value) {
  gg__value *v = &m->p->values.v[value];

  v->step = (unsigned int)m->p->steps.n - 1;
  s->context = v->context;
  s->writes[s->n_writes++] = value;
}

void gg__step_reads_body(gg__step *s, const gg__body *b) {
  for (unsigned int i = 0; i < b->n_in; i++)
    gg__step_reads(s, b->in[i]);
}

void gg__step_writes_body(gg__maker *m, gg__step *s, const gg__body *b) {
  for (unsigned int i = 0; i < b->n_out; i++)
    gg__step_writes(m, s, b->out[i]);
}

int gg__step_operands(gg__maker *m, gg__step *s) {
  const gg__node *n = gg__step_node(m->p, s);
  const gg_apply *a = s->apply;

  GA_TRY(gg__step_lists(m, s, 1, a->n_in, a->n_out));
  gg__step_computes(s, &s->apply, 1);
  for (unsigned int i = 0; i < a->n_in; i++)
    if (gg__reads(n, i))
      gg__step_reads(s, gg__in(m->p, a, i));
  return GA_NO_ERROR;
}

void gg__step_writes_results(gg__maker *m, gg__step *s) {
  for (unsigned int i = 0; i < s->apply->n_out; i++)
    gg__step_writes(m, s, gg__out(m->p, s->apply, i));
}
