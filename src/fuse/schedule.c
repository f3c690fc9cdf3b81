/* SPDX-License-Identifier: BSD-2-Clause */
/* The order of steps: depth first from the results, which frees memory early.
 * With several contexts, steps that depend on few transfers come first, and
 * steps whose results are sent come before others. Then each device has work to
 * do before the host waits for a transfer.
 *
 * Where the new value of a shared variable can overwrite the old one, the steps
 * that read the old one are made to come first. */
#include <string.h>

#include "fuse/fusion.h"
#include "fuse/overwrite.h"

/* `before` must come before `step`; each pair is in two linked lists. */
typedef struct pair {
  unsigned int step, before;
  unsigned int next_of_step, next_of_before; /* indices of pairs; GG_NONE at the
                                                end */
} pair;

/* The lists of a step's pairs: those where it comes second (first, last), and
 * those where it comes first (after). */
typedef struct ends {
  unsigned int first, last; /* list in order of entry */
  unsigned int after;
} ends;

typedef struct scheduler {
  gg__program *p;
  GA_VEC(pair) pairs; /* what must come before what */
  ends *ends;         /* by step */
  gg__list *readers; /* by shared variable: steps that read it or views of it */
  gg__list stack, order;
  unsigned int *met;   /* by step: the last search that met it */
  unsigned int search; /* searches begun */
  unsigned int *depth; /* by step: the most transfers on a path to it */
  ga__arena arena;     /* holds the lists of fixed length */
} scheduler;

/* Zeroed memory, freed with the scheduler. NULL, with the error reported, when
 * memory runs out. */
static void *allocate(scheduler *s, size_t n, size_t size) {
  void *p = ga__arena_alloc(&s->arena, n * size);

  if (p == NULL)
    ga__fail_nomem();
  return p;
}

/* --- what must come before what --- */

static int add_pair(scheduler *s, unsigned int step, unsigned int before) {
  const unsigned int index = (unsigned int)s->pairs.n;
  const pair x = {step, before, GG_NONE, s->ends[before].after};
  ends *e = &s->ends[step];

  GA_TRY(ga__vec_push(&s->pairs, x));
  s->ends[before].after = index;
  if (e->first == GG_NONE)
    e->first = index;
  else
    s->pairs.v[e->last].next_of_step = index;
  e->last = index;
  return GA_NO_ERROR;
}

static int note_read(scheduler *s, unsigned int step, unsigned int value) {
  gg__value *v = &s->p->values.v[value];
  const unsigned int shared = gg__shared_root(s->p, value);

  v->uses++;
  if (shared != GG_NONE)
    GA_TRY(ga__vec_push(&s->readers[shared], step));
  return v->step != GG_NONE ? add_pair(s, step, v->step) : GA_NO_ERROR;
}

static int note_reads(scheduler *s, unsigned int step) {
  const gg__step *x = s->p->steps.v[step];

  if (x->after != GG_NONE)
    GA_TRY(add_pair(s, step, x->after));
  for (unsigned int i = 0; i < x->n_reads; i++)
    GA_TRY(note_read(s, step, x->reads[i]));
  return GA_NO_ERROR;
}

static int find_reads(scheduler *s) {
  const size_t n = s->p->steps.n;

  s->ends = allocate(s, n, sizeof *s->ends);
  s->readers = allocate(s, s->p->shared.n, sizeof *s->readers);
  if (s->ends == NULL || s->readers == NULL)
    return GA_MEMORY_ERROR;
  for (unsigned int k = 0; k < n; k++)
    s->ends[k] = (ends){GG_NONE, GG_NONE, GG_NONE};
  for (unsigned int k = 0; k < n; k++)
    GA_TRY(note_reads(s, k));
  return GA_NO_ERROR;
}

/* --- updates in place --- */

static int step_allows(const gg__program *p, const gg__step *x,
                       const gg__result *r) {
  const gg__step_ops *ops = gg__ops_of(x);

  return ops->overwrites != NULL && ops->overwrites(p, x, r);
}

/* Mark the steps that depend on `step`, itself included, in s->met. */
static int meet_after(scheduler *s, unsigned int step) {
  s->search++;
  s->stack.n = 0;
  s->met[step] = s->search;
  GA_TRY(ga__vec_push(&s->stack, step));
  while (s->stack.n > 0) {
    step = s->stack.v[--s->stack.n];
    for (unsigned int k = s->ends[step].after; k != GG_NONE;
         k = s->pairs.v[k].next_of_before) {
      unsigned int next = s->pairs.v[k].step;
      if (s->met[next] == s->search)
        continue;
      s->met[next] = s->search;
      GA_TRY(ga__vec_push(&s->stack, next));
    }
  }
  return GA_NO_ERROR;
}

/* Does any reader of the shared variable, other than `writer` itself, depend on
 * `writer`? */
static int waits_for(scheduler *s, unsigned int shared, unsigned int writer,
                     int *waits) {
  const gg__list *readers = &s->readers[shared];
  size_t others = 0;

  *waits = 0;
  for (size_t k = 0; k < readers->n; k++)
    others += readers->v[k] != writer;
  if (others == 0)
    return GA_NO_ERROR;
  GA_TRY(meet_after(s, writer));
  for (size_t k = 0; k < readers->n; k++)
    *waits |= readers->v[k] != writer && s->met[readers->v[k]] == s->search;
  return GA_NO_ERROR;
}

/* Let the step of an update overwrite the shared buffer if every other reader
 * of the old value can come before it. */
static int place_update(scheduler *s, gg__result *r) {
  const unsigned int writer = s->p->values.v[r->value].step;
  const gg__list *readers = &s->readers[r->shared];
  int waits;

  if (!r->direct || !step_allows(s->p, s->p->steps.v[writer], r))
    return GA_NO_ERROR;
  GA_TRY(waits_for(s, r->shared, writer, &waits));
  if (waits)
    return GA_NO_ERROR;
  for (size_t k = 0; k < readers->n; k++)
    if (readers->v[k] != writer)
      GA_TRY(add_pair(s, writer, readers->v[k]));
  r->in_place = 1;
  return GA_NO_ERROR;
}

static int place_updates(scheduler *s) {
  gg__program *p = s->p;

  if (!p->in_place || p->results.n == p->n_outputs)
    return GA_NO_ERROR;
  s->met = allocate(s, p->steps.n, sizeof *s->met);
  if (s->met == NULL)
    return GA_MEMORY_ERROR;
  for (size_t k = p->n_outputs; k < p->results.n; k++)
    GA_TRY(place_update(s, &p->results.v[k]));
  return GA_NO_ERROR;
}

/* --- order --- */

/* Append to s->order the steps that must come before `root` and are not in it
 * yet, then `root`. next[k] is the pair of step k to follow next. */
static int visit(scheduler *s, unsigned int root, unsigned int *next,
                 unsigned char *state) {
  if (state[root])
    return GA_NO_ERROR;
  s->stack.n = 0;
  state[root] = 1;
  GA_TRY(ga__vec_push(&s->stack, root));
  while (s->stack.n > 0) {
    unsigned int step = s->stack.v[s->stack.n - 1];
    if (next[step] == GG_NONE) {
      s->stack.n--;
      GA_TRY(ga__vec_push(&s->order, step));
      continue;
    }
    unsigned int before = s->pairs.v[next[step]].before;
    next[step] = s->pairs.v[next[step]].next_of_step;
    if (state[before])
      continue;
    state[before] = 1;
    GA_TRY(ga__vec_push(&s->stack, before));
  }
  return GA_NO_ERROR;
}

/* Find the depth of each step. Steps come after those that they depend on, so
 * one pass is enough. */
static unsigned int find_depths(scheduler *s) {
  unsigned int deepest = 0;

  for (size_t i = 0; i < s->order.n; i++) {
    unsigned int step = s->order.v[i];
    s->depth[step] = 0;
    for (unsigned int k = s->ends[step].first; k != GG_NONE;
         k = s->pairs.v[k].next_of_step) {
      unsigned int n = s->depth[s->pairs.v[k].before];
      if (n > s->depth[step])
        s->depth[step] = n;
    }
    s->depth[step] += gg__ops_of(s->p->steps.v[step])->ends_transfer != 0;
    if (s->depth[step] > deepest)
      deepest = s->depth[step];
  }
  return deepest;
}

/* Sort the order by depth; the sort is stable. Dependencies of a step are no
 * deeper than the step, so they still come before it. */
static int sort_by_depth(scheduler *s) {
  const size_t n = s->order.n;
  unsigned int *sorted = allocate(s, n, sizeof *sorted);

  s->depth = allocate(s, s->p->steps.n, sizeof *s->depth);
  if (sorted == NULL || s->depth == NULL)
    return GA_MEMORY_ERROR;
  /* first[d + 1] counts the steps of depth d; then first[d] is the index of the
   * next one of depth d. */
  unsigned int deepest = find_depths(s);
  unsigned int *first = allocate(s, deepest + (size_t)2, sizeof *first);
  if (first == NULL)
    return GA_MEMORY_ERROR;
  for (size_t i = 0; i < n; i++)
    first[s->depth[s->order.v[i]] + 1]++;
  for (size_t i = 1; i <= deepest; i++)
    first[i] += first[i - 1];
  for (size_t i = 0; i < n; i++)
    sorted[first[s->depth[s->order.v[i]]]++] = s->order.v[i];
  memcpy(s->order.v, sorted, n * sizeof *sorted);
  return GA_NO_ERROR;
}

/* Reorder p->steps as s->order says, and renumber them in values. */
static int apply_order(scheduler *s, unsigned int *place) {
  gg__program *p = s->p;
  gg__step **old = allocate(s, p->steps.n, sizeof *old);

  if (old == NULL)
    return GA_MEMORY_ERROR;
  if (p->steps.n != 0)
    memcpy(old, p->steps.v, p->steps.n * sizeof *old);
  for (size_t k = 0; k < s->order.n; k++) {
    p->steps.v[k] = old[s->order.v[k]];
    place[s->order.v[k]] = (unsigned int)k;
  }
  for (size_t k = 0; k < p->values.n; k++)
    if (p->values.v[k].step != GG_NONE)
      p->values.v[k].step = place[p->values.v[k].step];
  return GA_NO_ERROR;
}

static int order_steps(scheduler *s) {
  const size_t n = s->p->steps.n;
  unsigned int *next = allocate(s, n, sizeof *next);
  unsigned char *state = allocate(s, n, 1);

  if (next == NULL || state == NULL)
    return GA_MEMORY_ERROR;
  for (unsigned int k = 0; k < n; k++)
    next[k] = s->ends[k].first;
  s->order.n = 0;
  for (unsigned int k = 0; k < n; k++) /* other devices wait for these */
    if (gg__ops_of(s->p->steps.v[k])->starts_transfer)
      GA_TRY(visit(s, k, next, state));
  for (unsigned int k = 0; k < s->p->results.n; k++) {
    unsigned int step = s->p->values.v[s->p->results.v[k].value].step;
    if (step != GG_NONE)
      GA_TRY(visit(s, step, next, state));
  }
  for (unsigned int k = 0; k < n; k++)
    GA_TRY(visit(s, k, next, state));
  GA_ASSERT(s->order.n == n); /* there is no circle */
  if (s->p->contexts.n > 1)
    GA_TRY(sort_by_depth(s));
  return apply_order(s, next);
}

int gg__schedule(gg__program *p) {
  scheduler s = {.p = p};
  int err;

  GA_CHECK(find_reads(&s));
  GA_CHECK(place_updates(&s));
  GA_CHECK(order_steps(&s));
done:
  for (size_t k = 0; k < p->shared.n && s.readers != NULL; k++)
    ga__vec_clear(&s.readers[k]);
  ga__vec_clear(&s.pairs);
  ga__vec_clear(&s.stack);
  ga__vec_clear(&s.order);
  ga__arena_clear(&s.arena);
  return err;
}
