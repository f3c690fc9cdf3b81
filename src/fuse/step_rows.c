/* SPDX-License-Identifier: BSD-2-Clause */
/* The step of a row group: its nodes in order, the phase of each, what it reads
 * and what it stores. */
#include <stdlib.h>

#include "fuse/body.h"
#include "fuse/label.h"
#include "fuse/overwrite.h"

/* Flops from which a value is kept in memory for later phases instead of being
 * computed again. */
enum { KEEP_FLOPS = 6 };

typedef struct maker {
  gg__program *p;
  gg__fusion *f;
  unsigned int group, space;
  gg__list nodes; /* ascending */
  gg__rows_step *r;
  unsigned int *item_of; /* by value; borrowed from the gg__maker */
  gg__lists elements, row_values;
} maker;

static gg_apply *apply_of(const maker *m, unsigned int item) {
  return m->r->items[item].apply;
}

static unsigned int out_value(const maker *m, unsigned int item) {
  return gg__out(m->p, apply_of(m, item), 0);
}

/* The item that computes a value; GG_NONE for values from outside. */
static unsigned int item_of(const maker *m, unsigned int value) {
  const unsigned int i = m->item_of[value];

  return i < m->r->n_items && out_value(m, i) == value ? i : GG_NONE;
}

/* --- the items --- */

/* Does a map of another space than the rows' vary along a row? It is then
 * broadcast to other rows, and computed like an element. */
static int runs_along_rows(const maker *m, const gg_type *t) {
  if (t->nd != m->p->values.v[m->r->from].var->type.nd)
    return 0;
  for (unsigned int i = 0; i < t->nd; i++)
    if ((m->r->mask >> i & 1u) && t->dims[i] != 1)
      return 1;
  return 0;
}

static gg__row_kind kind_of(const maker *m, unsigned int node) {
  const gg__node *n = &m->p->nodes.v[node];
  const gg__value *v = &m->p->values.v[gg__out(m->p, n->apply, 0)];

  if (n->role == GG_REDUCE)
    return GG_ROW_REDUCE;
  if (n->role == GG_VIEW)
    return GG_ROW_VIEW;
  return v->space == m->space || runs_along_rows(m, &v->var->type)
             ? GG_ROW_ELEMENT
             : GG_ROW_VALUE;
}

/* Take the iteration space and the reduced axes from the first reduction. */
static void find_space(maker *m) {
  size_t k = 0;

  while (m->p->nodes.v[m->nodes.v[k]].role != GG_REDUCE)
    k++;
  const gg__node *n = &m->p->nodes.v[m->nodes.v[k]];
  m->r->mask = ((const gg_reduce_props *)n->apply->props)->axes_mask;
  m->r->from = gg__in(m->p, n->apply, 0);
}

static int list_items(maker *m) {
  const gg__group *g = &m->f->groups.v[m->group];
  gg__rows_step *r = m->r;
  size_t k;

  for (k = 0; k < g->nodes.n; k++)
    GA_TRY(ga__vec_push(&m->nodes, g->nodes.v[k]));
  for (k = 0; k < g->others.n; k++)
    GA_TRY(ga__vec_push(&m->nodes, g->others.v[k]));
  qsort(m->nodes.v, m->nodes.n, sizeof m->nodes.v[0], gg__ascending);
  find_space(m);
  r->items = ga__arena_alloc(&m->p->arena, m->nodes.n * sizeof *r->items);
  if (r->items == NULL)
    return ga__fail_nomem();
  for (k = 0; k < m->nodes.n; k++) {
    r->items[k].apply = m->p->nodes.v[m->nodes.v[k]].apply;
    r->items[k].kind = kind_of(m, m->nodes.v[k]);
    m->item_of[gg__out(m->p, r->items[k].apply, 0)] = (unsigned int)k;
  }
  r->n_items = (unsigned int)k;
  return GA_NO_ERROR;
}

/* --- what is read, and when --- */

static int add_once(gg__list *l, unsigned int v) {
  for (size_t k = 0; k < l->n; k++)
    if (l->v[k] == v)
      return GA_NO_ERROR;
  return ga__vec_push(l, v);
}

static int read_outside(maker *m, gg__lists *l, unsigned int value) {
  const gg__value *v = &m->p->values.v[value];

  if (gg__is_literal(v))
    return GA_NO_ERROR;
  return add_once(v->uniform ? &l->scalars : &l->in, value);
}

/* The first phase in which `item` can read what `from` computes. */
static unsigned int phase_after(const maker *m, unsigned int item,
                                unsigned int from) {
  const gg__row_item *a = &m->r->items[from], *b = &m->r->items[item];

  return a->phase + (a->kind != GG_ROW_ELEMENT && b->kind == GG_ROW_ELEMENT);
}

static int scan_item(maker *m, unsigned int item) {
  gg__row_item *x = &m->r->items[item];
  const gg__node *n = &m->p->nodes.v[m->nodes.v[item]];
  gg__lists *l = x->kind == GG_ROW_VALUE ? &m->row_values : &m->elements;

  for (unsigned int i = 0; i < x->apply->n_in; i++) {
    if (!gg__reads(n, i))
      continue;
    unsigned int v = gg__in(m->p, x->apply, i);
    unsigned int from = m->p->values.v[v].uniform ? GG_NONE : item_of(m, v);
    if (from == GG_NONE) {
      GA_TRY(read_outside(m, l, v));
      continue;
    }
    unsigned int phase = phase_after(m, item, from);
    if (phase > x->phase)
      x->phase = phase;
  }
  if (x->phase >= m->r->n_phases)
    m->r->n_phases = x->phase + 1;
  return GA_NO_ERROR;
}

/* --- what is stored --- */

static int is_map_item(const maker *m, unsigned int item) {
  const gg__row_kind kind = m->r->items[item].kind;

  return kind == GG_ROW_ELEMENT || kind == GG_ROW_VALUE;
}

/* Is the item's value available in every group that computes `user`? */
static int homes_have_it(const maker *m, unsigned int item, unsigned int user) {
  const gg__homes *mine = &m->f->homes[m->nodes.v[item]];
  const gg__homes *h = &m->f->homes[user];
  const int is_map = is_map_item(m, item);

  for (unsigned int i = 0; i < h->n; i++)
    if (h->group[i] != m->group && !(is_map && gg__in_group(mine, h->group[i])))
      return 0;
  return 1;
}

static int escapes(const maker *m, unsigned int item);

static int user_has_it(const maker *m, unsigned int item, unsigned int user) {
  unsigned int view;

  switch (m->p->nodes.v[user].role) {
  case GG_MAP:
    return homes_have_it(m, item, user);
  case GG_REDUCE:
    return m->f->group_of[user] == m->group ||
           (is_map_item(m, item) &&
            gg__in_group(&m->f->homes[m->nodes.v[item]], m->f->group_of[user]));
  case GG_VIEW:
    view = item_of(m, gg__out(m->p, m->p->nodes.v[user].apply, 0));
    return view != GG_NONE && !escapes(m, view);
  default:
    return 0;
  }
}

/* Does anything outside the group's kernel read the item's value? */
static int escapes(const maker *m, unsigned int item) {
  const unsigned int v = out_value(m, item);
  const gg__users *u = &m->f->users;

  if (m->p->values.v[v].is_result)
    return 1;
  for (unsigned int k = u->first[v]; k < u->first[v + 1]; k++)
    if (!user_has_it(m, item, u->user[k]))
      return 1;
  return 0;
}

/* Does this group store the item? A map with several homes is stored by its own
 * group if that is one of them, else by the first. */
static int is_home_of_store(const maker *m, unsigned int item) {
  const unsigned int node = m->nodes.v[item];
  const gg__homes *h = &m->f->homes[node];

  if (!is_map_item(m, item) || m->f->group_of[node] == m->group)
    return 1;
  return !gg__in_group(h, m->f->group_of[node]) && h->group[0] == m->group;
}

static int find_stores(maker *m) {
  for (unsigned int i = 0; i < m->r->n_items; i++) {
    gg__row_item *x = &m->r->items[i];
    if (x->kind == GG_ROW_VIEW) {
      m->f->unseen[m->nodes.v[i]] = (unsigned char)!escapes(m, i);
      continue;
    }
    x->stored = (unsigned char)(escapes(m, i) && is_home_of_store(m, i));
    if (x->stored)
      GA_TRY(ga__vec_push(x->kind == GG_ROW_ELEMENT ? &m->elements.out
                                                    : &m->row_values.out,
                          out_value(m, i)));
  }
  return GA_NO_ERROR;
}

/* --- what is kept --- */

/* Flops to compute an element again from the elements that are kept. */
static int cost_of(const maker *m, unsigned int item, const int *cost) {
  const gg__row_item *x = &m->r->items[item];
  int c = gg_apply_code(x->apply)->flops;

  for (unsigned int i = 0; i < x->apply->n_in; i++) {
    unsigned int from = item_of(m, gg__in(m->p, x->apply, i));
    if (from != GG_NONE && m->r->items[from].kind == GG_ROW_ELEMENT &&
        !m->r->items[from].kept)
      c += cost[from];
  }
  return c < 1000 ? c : 1000;
}

static int is_used_later(const maker *m, unsigned int item) {
  const unsigned int v = out_value(m, item);
  const gg__users *u = &m->f->users;

  for (unsigned int k = u->first[v]; k < u->first[v + 1]; k++) {
    unsigned int user =
        item_of(m, gg__out(m->p, m->p->nodes.v[u->user[k]].apply, 0));
    if (user != GG_NONE && m->r->items[user].phase > m->r->items[item].phase)
      return 1;
  }
  return 0;
}

static int find_kept(maker *m) {
  int *cost = ga__calloc(m->r->n_items, sizeof *cost);

  if (cost == NULL)
    return ga__fail_nomem();
  for (unsigned int i = 0; i < m->r->n_items; i++) {
    if (m->r->items[i].kind != GG_ROW_ELEMENT)
      continue;
    cost[i] = cost_of(m, i, cost);
    m->r->items[i].kept =
        (unsigned char)(cost[i] >= KEEP_FLOPS && is_used_later(m, i));
  }
  ga__free(cost);
  return GA_NO_ERROR;
}

/* --- bodies --- */

static int fill_body(maker *m, gg__body *b, const gg__lists *l,
                     gg__row_kind kind) {
  b->vector = 1;
  b->nodes = ga__arena_alloc(&m->p->arena, m->r->n_items * sizeof(gg_apply *));
  if (b->nodes == NULL)
    return ga__fail_nomem();
  for (unsigned int i = 0; i < m->r->n_items; i++) {
    if (m->r->items[i].kind != kind)
      continue;
    const gg_code *c = gg_apply_code(apply_of(m, i));
    b->flops += c->flops;
    b->vector &= c->vector;
    b->nodes[b->n_nodes++] = apply_of(m, i);
  }
  return gg__keep_lists(m->p, b, l);
}

static int fill(maker *m) {
  GA_TRY(list_items(m));
  for (unsigned int i = 0; i < m->r->n_items; i++)
    GA_TRY(scan_item(m, i));
  GA_TRY(find_stores(m));
  GA_TRY(find_kept(m));
  GA_TRY(fill_body(m, &m->r->elements, &m->elements, GG_ROW_ELEMENT));
  return fill_body(m, &m->r->row_values, &m->row_values, GG_ROW_VALUE);
}

/* List the nodes of each phase in the head. */
static int list_phases(maker *m, gg__step *s) {
  const gg__rows_step *r = m->r;
  gg_apply **nodes =
      ga__arena_alloc(&m->p->arena, r->n_items * sizeof(gg_apply *));

  if (nodes == NULL)
    return ga__fail_nomem();
  for (unsigned int phase = 0; phase < r->n_phases; phase++) {
    unsigned int n = 0;
    for (unsigned int i = 0; i < r->n_items; i++)
      if (r->items[i].phase == phase)
        nodes[n++] = r->items[i].apply;
    gg__step_computes(s, nodes, n);
    nodes += n;
  }
  return GA_NO_ERROR;
}

static int fill_head(gg__maker *all, maker *m) {
  const gg__body *e = &m->r->elements, *v = &m->r->row_values;
  gg__step *s = &m->r->step;

  GA_TRY(gg__step_lists(all, s, m->r->n_phases, e->n_in + v->n_in,
                        e->n_out + v->n_out));
  GA_TRY(list_phases(m, s));
  gg__step_reads_body(s, e);
  gg__step_reads_body(s, v);
  gg__step_writes_body(all, s, e);
  gg__step_writes_body(all, s, v);
  return GA_NO_ERROR;
}

int gg__add_rows(gg__maker *all, unsigned int group) {
  gg__rows_step *x = gg__add_step(all, GG_STEP_ROWS, NULL, sizeof *x);
  maker m = {.p = all->p,
             .f = all->f,
             .group = group,
             .space = all->f->groups.v[group].space,
             .r = x,
             .item_of = all->item_of};

  if (x == NULL)
    return GA_MEMORY_ERROR;
  int err = fill(&m);
  if (err == GA_NO_ERROR)
    err = fill_head(all, &m);
  ga__vec_clear(&m.nodes);
  gg__lists_clear(&m.elements);
  gg__lists_clear(&m.row_values);
  return err;
}

/* --- the kind --- */

int gg__rows_store_last(const gg__program *p, const gg__rows_step *r,
                        unsigned int v) {
  for (unsigned int i = 0; i < r->n_items; i++)
    if (r->items[i].kind == GG_ROW_ELEMENT &&
        gg__out(p, r->items[i].apply, 0) == v)
      return r->items[i].phase + 1 == r->n_phases;
  return 0;
}

static void label(ga__strb *b, const gg__program *p, const gg__step *s) {
  (void)p;
  gg__label_rows(b, gg__rows_of(s));
}

static int overwrites(const gg__program *p, const gg__step *s,
                      const gg__result *r) {
  const gg__rows_step *x = gg__rows_of(s);
  const int last = gg__rows_store_last(p, x, r->value);

  return gg__body_allows(p, &x->elements, r->shared,
                         last ? p->values.v[r->value].space : GG_NONE) &&
         gg__body_allows(p, &x->row_values, r->shared, GG_NONE);
}

const gg__step_ops gg__rows_ops = {
    .name = "rows", .has_launch = 1, .label = label, .overwrites = overwrites};
