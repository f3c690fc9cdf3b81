/* SPDX-License-Identifier: BSD-2-Clause */
/* From groups of nodes to steps.
 *
 * A group becomes one step, or several in a row where it is too large for a
 * kernel. A value is stored when a step that does not compute it reads it. */
#include <string.h>

#include "fuse/program.h"

typedef GA_VEC(unsigned int) list;

typedef struct maker {
  gg__program *p;
  gg__fusion *f;
  unsigned int *pending; /* by node: uses outside of the part so far */
  unsigned int *seen;    /* by value: the last count that met it */
  unsigned int count;
  list in, scalars, out; /* of the body at hand */
} maker;

/* --- cutting groups into parts --- */

static int is_number(const gg__value *v) {
  return v->uniform;
}

/* Is a node computed in this part of this group? */
static int has_home(const gg__homes *h, unsigned int group, unsigned int part) {
  for (unsigned int i = 0; i < h->n; i++)
    if (h->group[i] == group && h->part[i] == part)
      return 1;
  return 0;
}

static void set_part(gg__homes *h, unsigned int group, unsigned int part) {
  for (unsigned int i = 0; i < h->n; i++)
    if (h->group[i] == group)
      h->part[i] = part;
}

/* Arguments of the part that is being filled. */
typedef struct part {
  unsigned int group, number;
  size_t nodes, in, out;
} part;

/* Does the node computing `value` belong to the part? */
static int in_part(const maker *m, const part *t, unsigned int value) {
  const unsigned int node = m->p->values.v[value].node;

  return node != GG_NONE && m->p->nodes.v[node].role == GG_MAP &&
         m->f->homes[node].n != 0 &&
         has_home(&m->f->homes[node], t->group, t->number);
}

/* What the part's arguments become when `node` is added. Its result counts as
 * an output until all its uses are in the part. */
static void count_node(maker *m, part *t, unsigned int node, int commit) {
  const gg__program *p = m->p;
  const gg__node *n = &p->nodes.v[node];
  const unsigned int out = gg__out(p, n->apply, 0);

  t->nodes++;
  for (unsigned int i = 0; i < n->apply->n_in; i++) {
    unsigned int v = gg__in(p, n->apply, i);
    if (!gg__reads(n, i) || gg__is_literal(&p->values.v[v]))
      continue;
    unsigned int from = p->values.v[v].node;
    if (!is_number(&p->values.v[v]) && in_part(m, t, v)) {
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

static void cut_group(maker *m, unsigned int group) {
  gg__group *g = &m->f->groups.v[group];
  const unsigned int nd = m->p->values.v[g->space].var->type.nd;
  const size_t max = gg__max_arrays(m->p, nd);
  part now = {.group = group}, next;

  g->parts = 1;
  if (g->kind == GG_STEP_ROWS)
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
      now = (part){.group = group, .number = now.number + 1};
      m->count++;
    }
    count_node(m, &now, g->nodes.v[k], 1);
    set_part(&m->f->homes[g->nodes.v[k]], group, now.number);
  }
  g->parts = now.number + 1;
}

/* --- what is stored --- */

/* Does the user find the node's result in its own kernel, wherever it is
 * computed? */
static int user_has_it(const maker *m, unsigned int node, unsigned int user) {
  const gg__homes *mine = &m->f->homes[node], *h = &m->f->homes[user];

  if (m->p->nodes.v[user].role == GG_REDUCE)
    return has_home(mine, m->f->group_of[user], 0);
  for (unsigned int i = 0; i < h->n; i++)
    if (!has_home(mine, h->group[i], h->part[i]))
      return 0;
  return h->n > 0;
}

static int is_stored(const maker *m, unsigned int node) {
  const unsigned int v = gg__out(m->p, m->p->nodes.v[node].apply, 0);
  const gg__users *u = &m->f->users;

  if (m->p->values.v[v].want & GG_WANT_PLACE)
    return 1;
  for (unsigned int k = u->first[v]; k < u->first[v + 1]; k++)
    if (!user_has_it(m, node, u->user[k]))
      return 1;
  return 0;
}

/* Of several homes the node's own stores it: only own groups are ever cut. */
static int stores_here(const maker *m, unsigned int node, unsigned int group,
                       unsigned int number) {
  const gg__homes *h = &m->f->homes[node];
  unsigned int best = 0;

  for (unsigned int i = 0; i < h->n; i++)
    if (h->group[i] == m->f->group_of[node])
      best = i;
  return h->group[best] == group && h->part[best] == number &&
         is_stored(m, node);
}

/* Is a node computed in this group and nowhere else? */
static int only_home(const gg__homes *h, unsigned int group) {
  return h->n == 1 && h->group[0] == group;
}

/* A result of a host's node is stored unless only group `post` reads it. */
static int result_is_stored(const maker *m, unsigned int post,
                            unsigned int node) {
  const unsigned int v = gg__out(m->p, m->p->nodes.v[node].apply, 0);
  const gg__users *u = &m->f->users;

  if (post == GG_NONE || (m->p->values.v[v].want & GG_WANT_PLACE) != 0)
    return 1;
  for (unsigned int k = u->first[v]; k < u->first[v + 1]; k++)
    if (!only_home(&m->f->homes[u->user[k]], post))
      return 1;
  return 0;
}

/* --- bodies --- */

static void *keep(gg__program *p, const void *v, size_t n, size_t size) {
  return ga__arena_dup(&p->arena, v, n * size);
}

static int read_value(maker *m, unsigned int v) {
  const gg__value *x = &m->p->values.v[v];

  if (gg__is_literal(x) || m->seen[v] == m->count)
    return GA_NO_ERROR;
  m->seen[v] = m->count;
  return is_number(x) ? ga__vec_push(&m->scalars, v) : ga__vec_push(&m->in, v);
}

/* Is the value what the step's own nodes give, which its post has at hand? */
static int is_given(const maker *m, const gg__step *x, unsigned int v) {
  for (unsigned int i = 0; x != NULL && i < x->n_also; i++)
    if (gg__out(m->p, x->also[i], 0) == v)
      return 1;
  return x != NULL && gg__out(m->p, x->apply, 0) == v;
}

/* Collect what a node of a body reads and writes. */
static int scan_node(maker *m, gg__body *b, unsigned int node, const part *t,
                     const gg__step *x) {
  const gg__program *p = m->p;
  const gg__node *n = &p->nodes.v[node];

  b->flops += n->code->flops;
  b->vector &= n->code->vector;
  for (unsigned int i = 0; i < n->apply->n_in; i++) {
    unsigned int v = gg__in(p, n->apply, i);
    if (!gg__reads(n, i) || is_given(m, x, v) ||
        (!is_number(&p->values.v[v]) && in_part(m, t, v)))
      continue;
    GA_TRY(read_value(m, v));
  }
  if (stores_here(m, node, t->group, t->number))
    GA_TRY(ga__vec_push(&m->out, gg__out(p, n->apply, 0)));
  return GA_NO_ERROR;
}

static void begin_body(maker *m, gg__body *b) {
  memset(b, 0, sizeof *b);
  b->vector = 1;
  m->count++;
  m->in.n = m->scalars.n = m->out.n = 0;
}

static int end_body(maker *m, gg__body *b) {
  b->n_in = (unsigned int)m->in.n;
  b->n_scalars = (unsigned int)m->scalars.n;
  b->n_out = (unsigned int)m->out.n;
  b->in = keep(m->p, m->in.v, m->in.n, sizeof *m->in.v);
  b->scalars = keep(m->p, m->scalars.v, m->scalars.n, sizeof *m->scalars.v);
  b->out = keep(m->p, m->out.v, m->out.n, sizeof *m->out.v);
  if (b->in == NULL || b->scalars == NULL || b->out == NULL)
    return ga__fail_nomem();
  return GA_NO_ERROR;
}

/* Add the nodes of one part of a group, which are in a row from *first on;
 * *first becomes the end of the row. They are the post of step x, if there is
 * one. */
static int fill_body(maker *m, gg__body *b, const part *t, const gg__step *x,
                     size_t *first) {
  const gg__group *g = &m->f->groups.v[t->group];
  size_t end = *first;

  while (end < g->nodes.n &&
         has_home(&m->f->homes[g->nodes.v[end]], t->group, t->number))
    end++;
  b->nodes = ga__arena_alloc(&m->p->arena, (end - *first) * sizeof(gg_apply *));
  if (b->nodes == NULL)
    return ga__fail_nomem();
  for (size_t k = *first; k < end; k++) {
    b->nodes[b->n_nodes++] = m->p->nodes.v[g->nodes.v[k]].apply;
    GA_TRY(scan_node(m, b, g->nodes.v[k], t, x));
  }
  *first = end;
  return GA_NO_ERROR;
}

/* --- steps --- */

static gg__step *add_step(maker *m, gg__step_kind kind, gg_apply *a) {
  gg__step *x = ga__arena_alloc(&m->p->arena, sizeof *x);

  if (x == NULL) {
    ga__fail_nomem();
    return NULL;
  }
  x->kind = kind;
  x->apply = a;
  x->result = x->from = GG_NONE;
  return ga__vec_push(&m->p->steps, x) == GA_NO_ERROR ? x : NULL;
}

/* The last step computes a value, and so works where that is. */
static void writes(maker *m, unsigned int value) {
  const unsigned int last = (unsigned int)m->p->steps.n - 1;

  m->p->values.v[value].step = last;
  m->p->steps.v[last]->context = m->p->values.v[value].context;
}

static void body_writes(maker *m, const gg__body *b) {
  for (unsigned int i = 0; i < b->n_out; i++)
    writes(m, b->out[i]);
}

static int add_map(maker *m, unsigned int group, unsigned int number,
                   size_t *first) {
  const part t = {.group = group, .number = number};
  gg__step *x = add_step(m, GG_STEP_MAP, NULL);

  if (x == NULL)
    return GA_MEMORY_ERROR;
  begin_body(m, &x->map);
  GA_TRY(fill_body(m, &x->map, &t, NULL, first));
  GA_TRY(end_body(m, &x->map));
  body_writes(m, &x->map);
  return GA_NO_ERROR;
}

/* What becomes of a host's result. */
static int add_post(maker *m, gg__step *x, const gg__group *g) {
  const part t = {.group = g->post};
  size_t first = 0;

  begin_body(m, &x->post);
  if (result_is_stored(m, g->post, g->root))
    GA_TRY(ga__vec_push(&m->out, gg__out(m->p, x->apply, 0)));
  for (unsigned int i = 0; x->kind == GG_STEP_REDUCE && i < x->n_also; i++)
    if (result_is_stored(m, g->post, g->others.v[i]))
      GA_TRY(ga__vec_push(&m->out, gg__out(m->p, x->also[i], 0)));
  if (g->post != GG_NONE)
    GA_TRY(fill_body(m, &x->post, &t, x, &first));
  GA_TRY(end_body(m, &x->post));
  body_writes(m, &x->post);
  return GA_NO_ERROR;
}

/* What becomes of the sum that comes with a product. */
static int add_beside(maker *m, gg__step *x, const gg__group *g) {
  const part t = {.group = g->beside};
  size_t first = 0;

  begin_body(m, &x->beside);
  if (result_is_stored(m, g->beside, g->others.v[0]))
    GA_TRY(ga__vec_push(&m->out, gg__out(m->p, x->also[0], 0)));
  if (g->beside != GG_NONE)
    GA_TRY(fill_body(m, &x->beside, &t, x, &first));
  GA_TRY(end_body(m, &x->beside));
  body_writes(m, &x->beside);
  return GA_NO_ERROR;
}

/* What a reduction combines, where its kernel does not compute it. */
static int read_operand(maker *m, const part *t, const gg_apply *a) {
  const unsigned int from = gg__in(m->p, a, 0);

  if (is_number(&m->p->values.v[from]) || !in_part(m, t, from))
    return read_value(m, from);
  return GA_NO_ERROR;
}

static int list_also(maker *m, gg__step *x, const gg__group *g) {
  x->also = ga__arena_alloc(&m->p->arena, g->others.n * sizeof *x->also);
  if (x->also == NULL)
    return ga__fail_nomem();
  x->n_also = (unsigned int)g->others.n;
  for (unsigned int i = 0; i < x->n_also; i++)
    x->also[i] = m->p->nodes.v[g->others.v[i]].apply;
  return GA_NO_ERROR;
}

static int add_reduction(maker *m, unsigned int group) {
  const gg__group *g = &m->f->groups.v[group];
  gg_apply *a = m->p->nodes.v[g->root].apply;
  const part t = {.group = group};
  gg__step *x = add_step(m, GG_STEP_REDUCE, a);
  size_t first = 0;

  if (x == NULL)
    return GA_MEMORY_ERROR;
  GA_TRY(list_also(m, x, g));
  begin_body(m, &x->map);
  GA_TRY(fill_body(m, &x->map, &t, NULL, &first));
  GA_TRY(read_operand(m, &t, a));
  for (unsigned int i = 0; i < x->n_also; i++)
    GA_TRY(read_operand(m, &t, x->also[i]));
  GA_TRY(end_body(m, &x->map));
  return add_post(m, x, g);
}

/* Ops with kernels of their own store all they compute, unless they take a post
 * group. */
static int add_kernel(maker *m, gg_apply *a, const gg__group *g) {
  gg__step *x = add_step(
      m, a->op->kind == GG_OP_INNER ? GG_STEP_INNER : GG_STEP_KERNEL, a);

  if (x == NULL)
    return GA_MEMORY_ERROR;
  if (g != NULL && (g->post != GG_NONE || g->others.n > 0)) {
    GA_TRY(list_also(m, x, g));
    GA_TRY(add_post(m, x, g));
    return x->n_also > 0 ? add_beside(m, x, g) : GA_NO_ERROR;
  }
  for (unsigned int i = 0; i < a->n_out; i++)
    writes(m, gg__out(m->p, a, i));
  return GA_NO_ERROR;
}

static int add_rows(maker *m, unsigned int group) {
  gg__step *x = add_step(m, GG_STEP_ROWS, NULL);

  if (x == NULL)
    return GA_MEMORY_ERROR;
  GA_TRY(gg__fill_rows(m->p, m->f, group, x));
  body_writes(m, &x->map);
  body_writes(m, &x->post);
  return GA_NO_ERROR;
}

static int add_group_steps(maker *m) {
  for (unsigned int k = 0; k < m->f->groups.n; k++)
    cut_group(m, k);
  for (unsigned int k = 0; k < m->f->groups.n; k++) {
    const gg__group *g = &m->f->groups.v[k];
    if (g->kind == GG_STEP_REDUCE)
      GA_TRY(add_reduction(m, k));
    else if (g->kind == GG_STEP_KERNEL)
      GA_TRY(add_kernel(m, m->p->nodes.v[g->root].apply, g));
    else if (g->kind == GG_STEP_ROWS)
      GA_TRY(add_rows(m, k));
    if (g->kind != GG_STEP_MAP)
      continue;
    size_t first = 0;
    for (unsigned int i = 0;
         i < g->parts && g->nodes.n > 0 && g->host == GG_NONE; i++)
      GA_TRY(add_map(m, k, i, &first));
  }
  return GA_NO_ERROR;
}

static int add_view(maker *m, gg_apply *a) {
  if (add_step(m, GG_STEP_VIEW, a) == NULL)
    return GA_MEMORY_ERROR;
  for (unsigned int i = 0; i < a->n_out; i++)
    writes(m, gg__out(m->p, a, i));
  return GA_NO_ERROR;
}

/* Two steps in a row. */
static int add_transfer(maker *m, gg_apply *a) {
  gg__step *x = add_step(m, GG_STEP_SEND, a);

  if (x == NULL)
    return GA_MEMORY_ERROR;
  x->context = m->p->values.v[gg__in(m->p, a, 0)].context;
  if (add_step(m, GG_STEP_RECEIVE, a) == NULL)
    return GA_MEMORY_ERROR;
  writes(m, gg__out(m->p, a, 0));
  return GA_NO_ERROR;
}

static int add_node_steps(maker *m) {
  for (size_t k = 0; k < m->p->nodes.n; k++) {
    const gg__node *n = &m->p->nodes.v[k];
    if (n->role == GG_VIEW && !m->f->unseen[k])
      GA_TRY(add_view(m, n->apply));
    else if (n->role == GG_TRANSFER)
      GA_TRY(add_transfer(m, n->apply));
    else if (n->role == GG_KERNEL && m->f->group_of[k] == GG_NONE)
      GA_TRY(add_kernel(m, n->apply, NULL));
  }
  return GA_NO_ERROR;
}

/* A result that a kernel computes can be written where it is wanted, for the
 * first that wants it. All others are copied. */
static int add_copies(maker *m) {
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
    gg__step *x = add_step(m, GG_STEP_COPY, NULL);
    if (x == NULL)
      return GA_MEMORY_ERROR;
    x->result = k;
    x->from = r->value;
    x->context = p->values.v[r->value].context;
  }
  return GA_NO_ERROR;
}

/* --- the whole --- */

int gg__make_steps(gg__program *p, gg__fusion *f) {
  maker m = {.p = p, .f = f};
  int err;

  m.pending = ga__calloc(p->nodes.n, sizeof *m.pending);
  m.seen = ga__calloc(p->values.n, sizeof *m.seen);
  if (m.pending == NULL || m.seen == NULL)
    GA_CHECK(ga__fail_nomem());
  GA_CHECK(add_group_steps(&m));
  GA_CHECK(add_node_steps(&m));
  GA_CHECK(add_copies(&m));
done:
  ga__free(m.pending);
  ga__free(m.seen);
  ga__vec_clear(&m.in);
  ga__vec_clear(&m.scalars);
  ga__vec_clear(&m.out);
  return err;
}
