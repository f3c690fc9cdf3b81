/* SPDX-License-Identifier: BSD-2-Clause */
/* From groups of nodes to steps in the order of execution.
 *
 * A group becomes one step, or several where it is too large for a kernel. A
 * value is stored when a step that does not compute it reads it. Steps are put
 * in depth-first order from the results, which frees memory early. Where the
 * new value of a shared variable can overwrite the old one, the steps that read
 * the old one are made to come first. */
#include <string.h>

#include "graph/program.h"

typedef GA_VEC(unsigned int) list;

/* `before` must come before `step`; chained in two lists. */
typedef struct pair {
  unsigned int step, before;
  unsigned int next_of_step, next_of_before; /* pairs, GG_NONE ends */
} pair;

/* The pairs of a step: where it comes second, and where it comes first. */
typedef struct ends {
  unsigned int first, last; /* in order of entry */
  unsigned int after;
} ends;

typedef struct scheduler {
  gg__program *p;
  gg__fusion *f;
  unsigned int *pending; /* by node: uses outside of the part so far */
  unsigned int *seen;    /* by value: the last count that met it */
  unsigned int count;
  GA_VEC(pair) pairs; /* what must come before what */
  ends *ends;         /* by step */
  list *readers; /* by shared variable: steps that read it or views of it */
  list in, scalars, out;
} scheduler;

/* --- cutting groups into parts --- */

static int is_number(const gg__value *v) {
  return v->uniform;
}

static int is_literal(const gg__value *v) {
  return v->uniform && v->var->kind == GG_VAR_CONST;
}

/* Is a node computed in this part of this group? */
static int has_home(const gg__homes *h, unsigned int group, unsigned int part) {
  unsigned int i;

  for (i = 0; i < h->n; i++)
    if (h->group[i] == group && h->part[i] == part)
      return 1;
  return 0;
}

static void set_part(gg__homes *h, unsigned int group, unsigned int part) {
  unsigned int i;

  for (i = 0; i < h->n; i++)
    if (h->group[i] == group)
      h->part[i] = part;
}

/* Arguments of the part that is being filled. */
typedef struct part {
  unsigned int group, number;
  size_t nodes, in, out;
} part;

/* Does the node computing `value` belong to the part? */
static int in_part(const scheduler *s, const part *t, unsigned int value) {
  const unsigned int node = s->p->values.v[value].node;

  return node != GG_NONE && s->p->nodes.v[node].role == GG_MAP &&
         s->f->homes[node].n != 0 &&
         has_home(&s->f->homes[node], t->group, t->number);
}

/* What the part's arguments become when `node` is added. Its result counts as
 * an output until all its uses are in the part. */
static void count_node(scheduler *s, part *t, unsigned int node, int commit) {
  const gg__program *p = s->p;
  const gg__node *n = &p->nodes.v[node];
  const unsigned int out = gg__out(p, n->apply, 0);
  unsigned int i, v, from;

  t->nodes++;
  for (i = 0; i < n->apply->n_in; i++) {
    v = gg__in(p, n->apply, i);
    if (!gg__reads(n, i) || is_literal(&p->values.v[v]))
      continue;
    from = p->values.v[v].node;
    if (!is_number(&p->values.v[v]) && in_part(s, t, v)) {
      if (commit && --s->pending[from] == 0)
        t->out--;
    } else if (s->seen[v] != s->count) {
      t->in++;
      if (commit)
        s->seen[v] = s->count;
    }
  }
  t->out++;
  if (commit)
    s->pending[node] = s->f->users.first[out + 1] - s->f->users.first[out] +
                       ((p->values.v[out].want & GG_WANT_PLACE) != 0);
}

static void cut_group(scheduler *s, unsigned int group) {
  gg__group *g = &s->f->groups.v[group];
  const unsigned int nd = s->p->values.v[g->space].var->type.nd;
  const size_t max = gg__max_arrays(s->p, nd);
  part now = {.group = group}, next;
  size_t k;

  g->parts = 1;
  if (g->nodes.n <= GG_MAX_NODES && g->arrays <= max)
    return;
  for (k = 0; k < g->nodes.n; k++)
    set_part(&s->f->homes[g->nodes.v[k]], group, GG_NONE);
  s->count++;
  for (k = 0; k < g->nodes.n; k++) {
    next = now;
    count_node(s, &next, g->nodes.v[k], 0);
    if (now.nodes > 0 &&
        (next.nodes > GG_MAX_NODES || next.in + next.out > max)) {
      now = (part){.group = group, .number = now.number + 1};
      s->count++;
    }
    count_node(s, &now, g->nodes.v[k], 1);
    set_part(&s->f->homes[g->nodes.v[k]], group, now.number);
  }
  g->parts = now.number + 1;
}

/* --- what is stored --- */

/* Does the user find the node's result in its own kernel, wherever it is
 * computed? */
static int user_has_it(const scheduler *s, unsigned int node,
                       unsigned int user) {
  const gg__homes *mine = &s->f->homes[node], *h = &s->f->homes[user];
  unsigned int i;

  if (s->p->nodes.v[user].role == GG_REDUCE)
    return has_home(mine, s->f->group_of[user], 0);
  for (i = 0; i < h->n; i++)
    if (!has_home(mine, h->group[i], h->part[i]))
      return 0;
  return h->n > 0;
}

static int is_stored(const scheduler *s, unsigned int node) {
  const unsigned int v = gg__out(s->p, s->p->nodes.v[node].apply, 0);
  const gg__users *u = &s->f->users;
  unsigned int k;

  if (s->p->values.v[v].want & GG_WANT_PLACE)
    return 1;
  for (k = u->first[v]; k < u->first[v + 1]; k++)
    if (!user_has_it(s, node, u->user[k]))
      return 1;
  return 0;
}

/* Of several homes the node's own stores it: only own groups are ever cut. */
static int stores_here(const scheduler *s, unsigned int node,
                       unsigned int group, unsigned int number) {
  const gg__homes *h = &s->f->homes[node];
  unsigned int i, best = 0;

  for (i = 0; i < h->n; i++)
    if (h->group[i] == s->f->group_of[node])
      best = i;
  return h->group[best] == group && h->part[best] == number &&
         is_stored(s, node);
}

/* A reduction's result is stored unless only its post group reads it. */
static int result_is_stored(const scheduler *s, const gg__group *g) {
  const unsigned int v = gg__out(s->p, s->p->nodes.v[g->reduce].apply, 0);
  const gg__users *u = &s->f->users;
  unsigned int k;

  if (g->post == GG_NONE || (s->p->values.v[v].want & GG_WANT_PLACE) != 0)
    return 1;
  for (k = u->first[v]; k < u->first[v + 1]; k++)
    if (!has_home(&s->f->homes[u->user[k]], g->post, 0))
      return 1;
  return 0;
}

/* --- bodies --- */

static void *keep(gg__program *p, const void *v, size_t n, size_t size) {
  return ga__arena_dup(&p->arena, v, n * size);
}

static int read_value(scheduler *s, unsigned int v) {
  const gg__value *x = &s->p->values.v[v];

  if (is_literal(x) || s->seen[v] == s->count)
    return GA_NO_ERROR;
  s->seen[v] = s->count;
  return is_number(x) ? ga__vec_push(&s->scalars, v) : ga__vec_push(&s->in, v);
}

/* Collect what a node of a body reads and writes. `acc` is the value that a
 * post body has at hand, or GG_NONE. */
static int scan_node(scheduler *s, gg__body *b, unsigned int node,
                     const part *t, unsigned int acc) {
  const gg__program *p = s->p;
  const gg__node *n = &p->nodes.v[node];
  unsigned int i, v;

  b->flops += n->code->flops;
  b->vector &= n->code->vector;
  for (i = 0; i < n->apply->n_in; i++) {
    v = gg__in(p, n->apply, i);
    if (!gg__reads(n, i) || v == acc ||
        (!is_number(&p->values.v[v]) && in_part(s, t, v)))
      continue;
    GA_TRY(read_value(s, v));
  }
  if (stores_here(s, node, t->group, t->number))
    GA_TRY(ga__vec_push(&s->out, gg__out(p, n->apply, 0)));
  return GA_NO_ERROR;
}

static void begin_body(scheduler *s, gg__body *b) {
  memset(b, 0, sizeof *b);
  b->vector = 1;
  s->count++;
  s->in.n = s->scalars.n = s->out.n = 0;
}

static int end_body(scheduler *s, gg__body *b) {
  b->n_in = (unsigned int)s->in.n;
  b->n_scalars = (unsigned int)s->scalars.n;
  b->n_out = (unsigned int)s->out.n;
  b->in = keep(s->p, s->in.v, s->in.n, sizeof *s->in.v);
  b->scalars = keep(s->p, s->scalars.v, s->scalars.n, sizeof *s->scalars.v);
  b->out = keep(s->p, s->out.v, s->out.n, sizeof *s->out.v);
  if (b->in == NULL || b->scalars == NULL || b->out == NULL)
    return ga__fail_nomem();
  return GA_NO_ERROR;
}

/* The nodes of one part of a group. */
static int fill_body(scheduler *s, gg__body *b, const part *t,
                     unsigned int acc) {
  const gg__group *g = &s->f->groups.v[t->group];
  size_t k;

  b->nodes = ga__arena_alloc(&s->p->arena, g->nodes.n * sizeof(gg_apply *));
  if (b->nodes == NULL)
    return ga__fail_nomem();
  for (k = 0; k < g->nodes.n; k++) {
    if (!has_home(&s->f->homes[g->nodes.v[k]], t->group, t->number))
      continue;
    b->nodes[b->n_nodes++] = s->p->nodes.v[g->nodes.v[k]].apply;
    GA_TRY(scan_node(s, b, g->nodes.v[k], t, acc));
  }
  return GA_NO_ERROR;
}

/* --- steps --- */

static gg__step *add_step(scheduler *s, gg__step_kind kind, gg_apply *a) {
  gg__step *x = ga__arena_alloc(&s->p->arena, sizeof *x);

  if (x == NULL) {
    ga__fail_nomem();
    return NULL;
  }
  x->kind = kind;
  x->apply = a;
  x->result = x->from = GG_NONE;
  return ga__vec_push(&s->p->steps, x) == GA_NO_ERROR ? x : NULL;
}

static void writes(scheduler *s, unsigned int value) {
  s->p->values.v[value].step = (unsigned int)s->p->steps.n - 1;
}

static void body_writes(scheduler *s, const gg__body *b) {
  unsigned int i;

  for (i = 0; i < b->n_out; i++)
    writes(s, b->out[i]);
}

static int add_map(scheduler *s, unsigned int group, unsigned int number) {
  const part t = {.group = group, .number = number};
  gg__step *x = add_step(s, GG_STEP_MAP, NULL);

  if (x == NULL)
    return GA_MEMORY_ERROR;
  begin_body(s, &x->map);
  GA_TRY(fill_body(s, &x->map, &t, GG_NONE));
  GA_TRY(end_body(s, &x->map));
  body_writes(s, &x->map);
  return GA_NO_ERROR;
}

static int add_reduction(scheduler *s, unsigned int group) {
  const gg__group *g = &s->f->groups.v[group];
  gg_apply *a = s->p->nodes.v[g->reduce].apply;
  const unsigned int from = gg__in(s->p, a, 0), result = gg__out(s->p, a, 0);
  part t = {.group = group};
  gg__step *x = add_step(s, GG_STEP_REDUCE, a);

  if (x == NULL)
    return GA_MEMORY_ERROR;
  begin_body(s, &x->map);
  GA_TRY(fill_body(s, &x->map, &t, GG_NONE));
  if (is_number(&s->p->values.v[from]) || !in_part(s, &t, from))
    GA_TRY(read_value(s, from));
  GA_TRY(end_body(s, &x->map));

  begin_body(s, &x->post);
  if (result_is_stored(s, g))
    GA_TRY(ga__vec_push(&s->out, result));
  if (g->post != GG_NONE) {
    t.group = g->post;
    GA_TRY(fill_body(s, &x->post, &t, result));
  }
  GA_TRY(end_body(s, &x->post));
  body_writes(s, &x->post);
  return GA_NO_ERROR;
}

static int add_group_steps(scheduler *s) {
  const gg__group *g;
  unsigned int k, i;

  for (k = 0; k < s->f->groups.n; k++)
    cut_group(s, k);
  for (k = 0; k < s->f->groups.n; k++) {
    g = &s->f->groups.v[k];
    if (g->kind == GG_STEP_REDUCE) {
      GA_TRY(add_reduction(s, k));
      continue;
    }
    for (i = 0; i < g->parts && g->nodes.n > 0 && g->host == GG_NONE; i++)
      GA_TRY(add_map(s, k, i));
  }
  return GA_NO_ERROR;
}

static int add_node_steps(scheduler *s) {
  const gg__node *n;
  unsigned int i;
  size_t k;

  for (k = 0; k < s->p->nodes.n; k++) {
    n = &s->p->nodes.v[k];
    if (n->role != GG_VIEW && n->role != GG_KERNEL)
      continue;
    if (add_step(s, n->role == GG_VIEW ? GG_STEP_VIEW : GG_STEP_KERNEL,
                 n->apply) == NULL)
      return GA_MEMORY_ERROR;
    for (i = 0; i < n->apply->n_out; i++)
      writes(s, gg__out(s->p, n->apply, i));
  }
  return GA_NO_ERROR;
}

/* A result that a kernel computes can be written where it is wanted, for the
 * first that wants it. All others are copied. */
static int add_copies(scheduler *s) {
  gg__program *p = s->p;
  gg__result *r;
  gg__step *x;
  gg__role role;
  unsigned int k;

  s->count++;
  for (k = 0; k < p->results.n; k++) {
    r = &p->results.v[k];
    role = gg__role_of(p, r->value);
    r->direct = s->seen[r->value] != s->count &&
                (role == GG_MAP || role == GG_REDUCE || role == GG_KERNEL);
    s->seen[r->value] = s->count;
    if (r->direct)
      continue;
    x = add_step(s, GG_STEP_COPY, NULL);
    if (x == NULL)
      return GA_MEMORY_ERROR;
    x->result = k;
    x->from = r->value;
  }
  return GA_NO_ERROR;
}

/* --- what a step reads --- */

typedef int (*read_fn)(scheduler *s, unsigned int step, unsigned int value);

static int each_of(scheduler *s, unsigned int step, const unsigned int *v,
                   unsigned int n, read_fn fn) {
  unsigned int i;

  for (i = 0; i < n; i++)
    GA_TRY(fn(s, step, v[i]));
  return GA_NO_ERROR;
}

/* Call fn for every value that a step reads from memory. */
static int each_read(scheduler *s, unsigned int step, read_fn fn) {
  const gg__step *x = s->p->steps.v[step];
  const gg__node *n;
  unsigned int i, v;

  if (x->kind == GG_STEP_COPY)
    return fn(s, step, x->from);
  if (x->kind == GG_STEP_MAP || x->kind == GG_STEP_REDUCE) {
    GA_TRY(each_of(s, step, x->map.in, x->map.n_in, fn));
    return each_of(s, step, x->post.in, x->post.n_in, fn);
  }
  v = gg__out(s->p, x->apply, 0);
  n = &s->p->nodes.v[s->p->values.v[v].node];
  for (i = 0; i < x->apply->n_in; i++)
    if (gg__reads(n, i))
      GA_TRY(fn(s, step, gg__in(s->p, x->apply, i)));
  return GA_NO_ERROR;
}

/* --- what must come before what --- */

static int add_pair(scheduler *s, unsigned int step, unsigned int before) {
  const unsigned int number = (unsigned int)s->pairs.n;
  const pair x = {step, before, GG_NONE, s->ends[before].after};
  ends *e = &s->ends[step];

  GA_TRY(ga__vec_push(&s->pairs, x));
  s->ends[before].after = number;
  if (e->first == GG_NONE)
    e->first = number;
  else
    s->pairs.v[e->last].next_of_step = number;
  e->last = number;
  return GA_NO_ERROR;
}

/* The shared variable whose memory a value may show, or GG_NONE. */
static unsigned int shared_root(const gg__program *p, unsigned int value) {
  const gg__value *v = &p->values.v[value];

  while (v->node != GG_NONE && p->nodes.v[v->node].role == GG_VIEW)
    v = &p->values.v[gg__in(p, p->nodes.v[v->node].apply, 0)];
  return v->var->kind == GG_VAR_SHARED ? v->leaf : GG_NONE;
}

static int note_read(scheduler *s, unsigned int step, unsigned int value) {
  gg__value *v = &s->p->values.v[value];
  const unsigned int shared = shared_root(s->p, value);

  v->uses++;
  if (shared != GG_NONE)
    GA_TRY(ga__vec_push(&s->readers[shared], step));
  return v->step != GG_NONE ? add_pair(s, step, v->step) : GA_NO_ERROR;
}

static int find_reads(scheduler *s) {
  const size_t n = s->p->steps.n;
  unsigned int k;

  s->ends = ga__malloc(n * sizeof *s->ends);
  s->readers = ga__calloc(s->p->shared.n, sizeof *s->readers);
  if (s->ends == NULL || s->readers == NULL)
    return ga__fail_nomem();
  for (k = 0; k < n; k++)
    s->ends[k] = (ends){GG_NONE, GG_NONE, GG_NONE};
  for (k = 0; k < n; k++)
    GA_TRY(each_read(s, k, note_read));
  return GA_NO_ERROR;
}

/* --- new values in place --- */

/* May the step read shared variable `number` through this operand while it
 * overwrites it? Only element by element. */
static int operand_allows(const gg__program *p, unsigned int operand,
                          unsigned int number, unsigned int space) {
  if (shared_root(p, operand) != number)
    return 1;
  return p->values.v[operand].var->kind == GG_VAR_SHARED &&
         p->values.v[operand].space == space;
}

static int body_allows(const gg__program *p, const gg__body *b,
                       unsigned int number, unsigned int space) {
  unsigned int i;

  for (i = 0; i < b->n_in; i++)
    if (!operand_allows(p, b->in[i], number, space))
      return 0;
  return 1;
}

static int kernel_allows(const gg__program *p, const gg_apply *a,
                         unsigned int number) {
  const int destroyed = a->op->destroys != NULL ? a->op->destroys(a) : -1;
  unsigned int i, v;

  for (i = 0; i < a->n_in; i++) {
    v = gg__in(p, a, i);
    if (gg_apply_shape_only(a, i) || shared_root(p, v) != number)
      continue;
    if ((int)i != destroyed || p->values.v[v].var->kind != GG_VAR_SHARED)
      return 0;
  }
  return 1;
}

static int step_allows(const gg__program *p, const gg__step *x,
                       const gg__result *r) {
  const unsigned int space = p->values.v[r->value].space;

  switch (x->kind) {
  case GG_STEP_MAP:
    return body_allows(p, &x->map, r->shared, space);
  case GG_STEP_REDUCE:
    /* No operand of the map is read and written by the same work-item. */
    return body_allows(p, &x->map, r->shared, GG_NONE) &&
           body_allows(p, &x->post, r->shared, space);
  case GG_STEP_KERNEL:
    return p->values.v[r->value].var->index == 0 &&
           kernel_allows(p, x->apply, r->shared);
  case GG_STEP_VIEW:
  case GG_STEP_COPY:
    break;
  }
  return 0;
}

/* Mark the steps that wait for `step`, itself included. */
static int mark_after(scheduler *s, unsigned int step, unsigned char *mark) {
  unsigned int k, next;
  int err = GA_NO_ERROR;

  s->out.n = 0;
  mark[step] = 1;
  GA_CHECK(ga__vec_push(&s->out, step));
  while (s->out.n > 0) {
    step = s->out.v[--s->out.n];
    for (k = s->ends[step].after; k != GG_NONE;
         k = s->pairs.v[k].next_of_before) {
      next = s->pairs.v[k].step;
      if (mark[next])
        continue;
      mark[next] = 1;
      GA_CHECK(ga__vec_push(&s->out, next));
    }
  }
done:
  return err;
}

/* Let the step of an update overwrite the shared buffer if every other reader
 * of the old value can come before it. */
static int place_update(scheduler *s, gg__result *r, unsigned char *mark) {
  const unsigned int writer = s->p->values.v[r->value].step;
  const list *readers = &s->readers[r->shared];
  size_t k;

  if (!r->direct || !step_allows(s->p, s->p->steps.v[writer], r))
    return GA_NO_ERROR;
  memset(mark, 0, s->p->steps.n);
  GA_TRY(mark_after(s, writer, mark));
  for (k = 0; k < readers->n; k++)
    if (readers->v[k] != writer && mark[readers->v[k]])
      return GA_NO_ERROR;
  for (k = 0; k < readers->n; k++)
    if (readers->v[k] != writer)
      GA_TRY(add_pair(s, writer, readers->v[k]));
  r->in_place = 1;
  return GA_NO_ERROR;
}

static int place_updates(scheduler *s) {
  gg__program *p = s->p;
  unsigned char *mark;
  size_t k;
  int err = GA_NO_ERROR;

  if (p->mode != GG_FAST_RUN || p->results.n == p->n_outputs)
    return GA_NO_ERROR;
  mark = ga__malloc(p->steps.n);
  if (mark == NULL)
    return ga__fail_nomem();
  for (k = p->n_outputs; k < p->results.n && err == GA_NO_ERROR; k++)
    err = place_update(s, &p->results.v[k], mark);
  ga__free(mark);
  return err;
}

/* --- order --- */

/* Put `root` and what must come before it, which is not placed yet, into
 * s->out. next[k] is the pair of step k to follow next. */
static int visit(scheduler *s, unsigned int root, unsigned int *next,
                 unsigned char *state) {
  unsigned int step, before;

  if (state[root])
    return GA_NO_ERROR;
  s->in.n = 0;
  state[root] = 1;
  GA_TRY(ga__vec_push(&s->in, root));
  while (s->in.n > 0) {
    step = s->in.v[s->in.n - 1];
    if (next[step] == GG_NONE) {
      s->in.n--;
      GA_TRY(ga__vec_push(&s->out, step));
      continue;
    }
    before = s->pairs.v[next[step]].before;
    next[step] = s->pairs.v[next[step]].next_of_step;
    if (state[before])
      continue;
    state[before] = 1;
    GA_TRY(ga__vec_push(&s->in, before));
  }
  return GA_NO_ERROR;
}

/* The order is in s->out: renumber. */
static int apply_order(scheduler *s, unsigned int *place) {
  gg__program *p = s->p;
  gg__step **old = ga__memdup(p->steps.v, p->steps.n * sizeof *old);
  size_t k;

  if (old == NULL)
    return ga__fail_nomem();
  for (k = 0; k < s->out.n; k++) {
    p->steps.v[k] = old[s->out.v[k]];
    place[s->out.v[k]] = (unsigned int)k;
  }
  for (k = 0; k < p->values.n; k++)
    if (p->values.v[k].step != GG_NONE)
      p->values.v[k].step = place[p->values.v[k].step];
  ga__free(old);
  return GA_NO_ERROR;
}

static int order_steps(scheduler *s) {
  const size_t n = s->p->steps.n;
  unsigned int *next = ga__malloc(n * sizeof *next);
  unsigned char *state = ga__calloc(n, 1);
  unsigned int k, step;
  int err = GA_NO_ERROR;

  if (next == NULL || state == NULL)
    GA_CHECK(ga__fail_nomem());
  for (k = 0; k < n; k++)
    next[k] = s->ends[k].first;
  s->out.n = 0;
  for (k = 0; k < s->p->results.n; k++) {
    step = s->p->values.v[s->p->results.v[k].value].step;
    if (step != GG_NONE)
      GA_CHECK(visit(s, step, next, state));
  }
  for (k = 0; k < n; k++)
    GA_CHECK(visit(s, k, next, state));
  GA_CHECK(apply_order(s, next));
done:
  ga__free(next);
  ga__free(state);
  return err;
}

/* --- the whole --- */

int gg__schedule(gg__program *p, gg__fusion *f) {
  scheduler s = {.p = p, .f = f};
  size_t k;
  int err;

  s.pending = ga__calloc(p->nodes.n, sizeof *s.pending);
  s.seen = ga__calloc(p->values.n, sizeof *s.seen);
  if (s.pending == NULL || s.seen == NULL)
    GA_CHECK(ga__fail_nomem());
  GA_CHECK(add_group_steps(&s));
  GA_CHECK(add_node_steps(&s));
  GA_CHECK(add_copies(&s));
  GA_CHECK(find_reads(&s));
  GA_CHECK(place_updates(&s));
  GA_CHECK(order_steps(&s));
done:
  for (k = 0; k < p->shared.n && s.readers != NULL; k++)
    ga__vec_clear(&s.readers[k]);
  ga__free(s.readers);
  ga__free(s.ends);
  ga__free(s.pending);
  ga__free(s.seen);
  ga__vec_clear(&s.pairs);
  ga__vec_clear(&s.in);
  ga__vec_clear(&s.scalars);
  ga__vec_clear(&s.out);
  return err;
}
