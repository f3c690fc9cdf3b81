/* SPDX-License-Identifier: BSD-2-Clause */
/* Planning of loops: buffers, and one launch for the loop. */
#include <string.h>

#include "base/arith.h"
#include "base/dtype.h"
#include "ops/ops.h"
#include "plan/looping.h"
#include "plan/slots.h"

/* --- the loop that is being planned --- */

typedef struct planner {
  gg__slots s;
  gg__loop l;
  size_t steps;
  gg__looping *x;
} planner;

static const gg_dims *dims_of(const planner *p, const gg_var *v) {
  return &p->s.b->sizes->dims[p->s.b->p->value_of[v->id]];
}

static unsigned int value(const planner *p, const gg_var *v) {
  return gg__slots_value(&p->s, v);
}

/* Does a node read output `out`, or is it a result? */
static int is_wanted(const planner *p, unsigned int out) {
  return gg__value_at(p->s.b, value(p, p->s.a->out[out]))->want != 0;
}

static int planner_init(planner *p, gg__builder *b, const gg__step *s) {
  const gg_apply *a = s->apply;

  memset(p, 0, sizeof *p);
  p->l = gg__loop_of(a);
  p->steps = (size_t)b->sizes->scalar[gg__in(b->p, a, GG_LOOP_STEPS)];
  /* Each state and output may need a workspace, and so may the condition. */
  return gg__slots_init(&p->s, b, s, a->n_out + 1);
}

/* --- memory of the node's inputs and outputs --- */

/* Initial states get no slot: they are copied to the first rows of a state. */
static int is_init(const planner *p, unsigned int i) {
  return i >= gg__loop_init(&p->l, 0) && i < gg__loop_fixed(&p->l, 0);
}

static void place_inputs(planner *p) {
  for (unsigned int i = 0; i < p->s.a->n_in; i++)
    if (gg__reads(p->s.node, i) && !is_init(p, i))
      gg__slots_add_in(&p->s, i);
}

static int place_outputs(planner *p) {
  for (unsigned int i = 0; i < p->s.a->n_out; i++)
    if (is_wanted(p, i))
      GA_TRY(gg__slots_add_out(&p->s, i));
  return GA_NO_ERROR;
}

/* --- how the body's arrays move --- */

static ssize_t row_bytes(const planner *p, const gg_var *row) {
  return (ssize_t)(gg__dims_size(dims_of(p, row)) *
                   ga__dtype_size(row->type.dtype));
}

static size_t rows_of(const planner *p, unsigned int at) {
  return p->s.v[at].array.dimensions[0];
}

/* Place the rows of state i; `m` is where its next value goes. If its trace is
 * not wanted, a ring of depth + 1 rows of workspace suffices. */
static int place_state(planner *p, unsigned int i, gg__moving *m) {
  const unsigned int trace = gg__loop_trace(i);
  const size_t depth = (size_t)p->l.depth[i];

  m->step = row_bytes(p, p->s.a->out[trace + 1]);
  m->shift = depth;
  m->slot = p->s.out[trace];
  m->rows = p->steps + depth;
  if (m->slot != GG_NONE)
    return GA_NO_ERROR;
  m->ring = m->rows = depth + 1;
  return gg__slots_add_workspace(&p->s, ga__times(m->rows, (size_t)m->step),
                                 &m->slot);
}

/* Place the rows of output i. If not all of them are wanted, there is one row,
 * which holds the last value. */
static int place_out(planner *p, unsigned int i, gg__moving *m) {
  const unsigned int all = gg__loop_all(&p->l, i);

  m->step = row_bytes(p, p->s.a->out[all + 1]);
  m->slot = p->s.out[all];
  m->reversed = p->l.outs[i].reversed != 0;
  if (m->slot != GG_NONE) {
    m->rows = rows_of(p, m->slot);
    return GA_NO_ERROR;
  }
  m->ring = m->rows = 1;
  m->slot = p->s.out[all + 1];
  if (m->slot != GG_NONE)
    return GA_NO_ERROR;
  return gg__slots_add_workspace(&p->s, (size_t)m->step, &m->slot);
}

static int move_outputs(planner *p) {
  const gg__loop *l = &p->l;

  for (unsigned int i = 0; i < l->h->n_states; i++)
    GA_TRY(place_state(p, i, &p->x->out[i]));
  for (unsigned int i = 0; i < l->h->n_outs; i++)
    GA_TRY(place_out(p, i, &p->x->out[gg__body_out(l, i)]));
  if (!l->h->has_until)
    return GA_NO_ERROR;
  gg__moving *m = &p->x->out[gg__body_until(l)];
  m->rows = m->ring = 1;
  GA_TRY(gg__slots_add_workspace(&p->s, 1, &m->slot));
  p->x->until = m->slot;
  return GA_NO_ERROR;
}

static void move_inputs(planner *p) {
  const gg__loop *l = &p->l;

  for (unsigned int i = 0; i < l->h->n_seqs; i++) {
    gg__moving *m = &p->x->in[i];
    m->slot = p->s.in[gg__loop_seq(l, i)];
    m->step = p->s.v[m->slot].array.strides[0];
    m->rows = rows_of(p, m->slot);
    m->reversed = l->reversed[i] != 0;
  }
  for (unsigned int i = 0; i < l->h->n_taps; i++) {
    gg__moving *m = &p->x->in[gg__body_tap(l, i)];
    *m = p->x->out[l->taps[i].state];
    m->shift -= (size_t)l->taps[i].back;
  }
  for (unsigned int i = 0; i < l->h->n_fixed; i++) {
    gg__moving *m = &p->x->in[gg__body_fixed(l, i)];
    m->slot = p->s.in[gg__loop_fixed(l, i)];
    m->rows = m->ring = 1;
  }
}

static int copy_rows(planner *p) {
  const gg__loop *l = &p->l;
  const gg__inner *body = l->inner;
  gg_dims d = {.nd = 0};
  unsigned int i;

  for (i = 0; i < body->n_in; i++) {
    unsigned int from =
        i < l->h->n_seqs; /* the body does not see the axis of iterations */
    const gg__slot *s = &p->s.v[p->x->in[i].slot];
    if (i >= l->h->n_seqs && i < gg__body_fixed(l, 0)) {
      const unsigned int state =
          (unsigned int)l->taps[i - (unsigned int)l->h->n_seqs].state;

      d = *dims_of(p, p->s.a->out[gg__loop_trace(state) + 1]);
      GA_TRY(gg__looping_row(p->x, body->in[i], &d, NULL, &p->x->in_rows[i]));
      continue;
    }
    memcpy(d.dim, s->array.dimensions + from,
           body->in[i]->type.nd * sizeof d.dim[0]);
    GA_TRY(gg__looping_row(p->x, body->in[i], &d, s->array.strides + from,
                           &p->x->in_rows[i]));
  }
  for (i = 0; i < l->h->n_states + l->h->n_outs; i++)
    GA_TRY(gg__looping_row(p->x, body->out[i],
                           dims_of(p, p->s.a->out[2 * i + 1]), NULL,
                           &p->x->out_rows[i]));
  if (l->h->has_until)
    GA_TRY(gg__looping_row(p->x, body->out[i], &d, NULL, &p->x->out_rows[i]));
  return GA_NO_ERROR;
}

/* --- last values --- */

/* List the last values that are wanted and have to be copied to their slots. */
static int list_lasts(planner *p) {
  const gg__loop *l = &p->l;
  const unsigned int n = (unsigned int)(l->h->n_states + l->h->n_outs);
  gg__looping *x = p->x;

  x->lasts = ga__arena_alloc(&x->arena, n * sizeof *x->lasts);
  if (x->lasts == NULL)
    return ga__fail_nomem();
  for (unsigned int i = 0; i < n; i++) {
    unsigned int to = p->s.out[2 * i + 1];
    if (to == GG_NONE)
      continue;
    if (i >= l->h->n_states && p->steps == 0 && !gg__loop_is_open(l))
      return ga__fail(GA_VALUE_ERROR,
                      "scan: no step computes the last value of output %u",
                      i - (unsigned int)l->h->n_states);
    if (to != x->out[i].slot)
      x->lasts[x->n_lasts++] =
          (gg__last){&x->out[i], to, (size_t)x->out[i].step};
  }
  return GA_NO_ERROR;
}

/* --- before the loop --- */

/* Add a launch that zeroes an output. */
static int plan_zeros(planner *p, unsigned int out) {
  gg__builder *b = p->s.b;
  const unsigned int v = value(p, p->s.a->out[out]);
  GpuLaunch *l = NULL;
  GpuArray a;

  gg__array_of(b, v, &a);
  GA_TRY(gg__prepare_zero(&l, gg__context_of(b->p, v), &a));
  GA_TRY(gg__add_launch(b, l, 0));
  return gg__add_binding(b, 0, &b->places[v], 0);
}

/* May iterations leave elements of this output unset? */
static int may_stay_empty(const planner *p, unsigned int out) {
  const unsigned int at = p->s.out[out];
  const gg__loop *l = &p->l;

  if (at == GG_NONE || (l->h->has_until && out == gg__loop_count(l)))
    return 0;
  if (gg__loop_is_open(l))
    return 1;
  return out >= gg__loop_all(l, 0) && out % 2 == 0 && rows_of(p, at) > p->steps;
}

static int plan_starts(planner *p) {
  const gg__loop *l = &p->l;
  gg__place to;

  for (unsigned int i = 0; i < p->s.a->n_out; i++)
    if (may_stay_empty(p, i))
      GA_TRY(plan_zeros(p, i));
  for (unsigned int i = 0; i < l->h->n_states; i++) {
    unsigned int v = value(p, p->s.a->in[gg__loop_init(l, i)]);
    memset(&to, 0, sizeof to);
    to.store = p->s.v[p->x->out[i].slot].place.store;
    to.rel = p->s.v[p->x->out[i].slot].place.rel;
    gg__c_strides(p->s.b, v, to.strides);
    GA_TRY(gg__plan_copy_to(p->s.b, v, &to));
  }
  return GA_NO_ERROR;
}

/* --- the launch --- */

static int looping_new(planner *p) {
  const gg__inner *body = p->l.inner;
  gg__looping *x =
      gg__looping_new(p->s.node->inner[0], body->n_in, body->n_out, p->s.max);

  if (x == NULL)
    return ga__fail_nomem();
  p->x = x;
  x->first_tap = gg__body_tap(&p->l, 0);
  x->n_taps = (unsigned int)p->l.h->n_taps;
  x->steps = p->steps;
  x->most = (size_t)p->l.h->most;
  return GA_NO_ERROR;
}

/* Plan the body for the present memory, and add the launch. */
static int add_launch(planner *p) {
  gg__looping *x = p->x;
  gpudata **bufs;
  size_t *offs;

  GA_TRY(gg__slots_memory(&p->s, &bufs, &offs));
  x->n_slots = p->s.n;
  gg__looping_renew(x, gg__old_state(gg__looping_run));
  if (p->steps != 0)
    GA_TRY(gg__looping_ready(x, bufs, offs));
  const size_t made = p->steps != 0 ? x->plan->n_made : 0;
  p->x = NULL;
  return gg__slots_launch(&p->s, gg__looping_run, x, gg__looping_free, "loop",
                          made);
}

static int plan(planner *p) {
  GA_TRY(looping_new(p));
  place_inputs(p);
  GA_TRY(place_outputs(p));
  GA_TRY(move_outputs(p));
  move_inputs(p);
  GA_TRY(copy_rows(p));
  GA_TRY(list_lasts(p));
  if (p->l.h->is_limited)
    p->x->limit = p->s.in[GG_LOOP_LIMIT];
  if (p->l.h->has_until)
    p->x->count = p->s.out[gg__loop_count(&p->l)];
  GA_TRY(plan_starts(p));
  GA_TRY(add_launch(p));
  gg__slots_release(&p->s);
  return GA_NO_ERROR;
}

int gg__plan_loop(gg__builder *b, const gg__step *s) {
  planner p;

  GA_TRY(planner_init(&p, b, s));
  int err = plan(&p);
  if (p.x != NULL)
    gg__looping_free(p.x);
  return err;
}
