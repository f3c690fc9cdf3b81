/* SPDX-License-Identifier: BSD-2-Clause */
/* Loops in plans: sizes, buffers, and the launch that the loop is. */
#include <gpuarray/record.h>

#include <string.h>

#include "base/dtype.h"
#include "graph/looping.h"
#include "ops/ops.h"

/* --- a loop in the making --- */

/* The arrays of the launch: inputs of the node, results, scratch. */
typedef struct slot {
  gg__array array;
  gg__place place;
  int is_scratch;
} slot;

typedef struct planner {
  gg__builder *b;
  const gg_apply *a;
  const gg__node *node;
  gg__loop l;
  size_t steps;
  slot *slots;
  unsigned int n_slots;
  unsigned int *slot_in, *slot_out; /* by input and output of the node */
  gg__looping *x;
} planner;

static const gg_dims *dims_of(const planner *p, const gg_var *v) {
  return &p->b->sizes->dims[p->b->p->value_of[v->id]];
}

static unsigned int value(const planner *p, const gg_var *v) {
  return p->b->p->value_of[v->id];
}

/* Does anything read it, or the caller get it? */
static int is_wanted(const planner *p, unsigned int out) {
  return gg__value_at(p->b, value(p, p->a->out[out]))->want != 0;
}

static unsigned int add_slot(planner *p, unsigned int v) {
  slot *s = &p->slots[p->n_slots];

  s->place = p->b->places[v];
  gg__array_of(p->b, v, &s->array);
  return p->n_slots++;
}

/* Memory for as long as the loop runs. */
static int add_scratch(planner *p, size_t bytes, unsigned int *number) {
  slot *s = &p->slots[p->n_slots];
  gg__array *a = &s->array;

  memset(s, 0, sizeof *s);
  GA_TRY(gg__temp_store(p->b, bytes, &s->place.store));
  s->is_scratch = 1;
  a->dims[0] = bytes;
  a->strides[0] = 1;
  a->a.data = p->b->plan->stores.v[s->place.store].data;
  a->a.nd = 1;
  a->a.typecode = GA_UBYTE;
  a->a.dimensions = a->dims;
  a->a.strides = a->strides;
  a->a.flags = GA_WRITEABLE;
  GpuArray_fix_flags(&a->a);
  *number = p->n_slots++;
  return GA_NO_ERROR;
}

static int planner_init(planner *p, gg__builder *b, const gg__step *s) {
  const gg_apply *a = s->apply;
  const unsigned int n = a->n_in + 2 * a->n_out + 2;
  unsigned int i;

  memset(p, 0, sizeof *p);
  p->b = b;
  p->a = a;
  p->node = &b->p->nodes.v[gg__value_at(b, gg__out(b->p, a, 0))->node];
  p->l = gg__loop_of(a);
  p->steps = (size_t)b->sizes->number[gg__in(b->p, a, GG_LOOP_STEPS)];
  p->slots = gg__room(b, n, sizeof *p->slots);
  p->slot_in = gg__room(b, a->n_in, sizeof *p->slot_in);
  p->slot_out = gg__room(b, a->n_out, sizeof *p->slot_out);
  if (p->slots == NULL || p->slot_in == NULL || p->slot_out == NULL)
    return GA_MEMORY_ERROR;
  for (i = 0; i < a->n_in; i++)
    p->slot_in[i] = GG_NONE;
  for (i = 0; i < a->n_out; i++)
    p->slot_out[i] = GG_NONE;
  return GA_NO_ERROR;
}

/* --- memory of the node's inputs and outputs --- */

/* Initial states are copied to where the others follow, and get no slot. */
static int is_init(const planner *p, unsigned int i) {
  return i >= gg__loop_init(&p->l, 0) && i < gg__loop_fixed(&p->l, 0);
}

static int place_inputs(planner *p) {
  unsigned int i;

  for (i = 0; i < p->a->n_in; i++) {
    if (!gg__reads(p->node, i))
      continue;
    GA_TRY(gg__need_place(p->b, value(p, p->a->in[i])));
    if (!is_init(p, i))
      p->slot_in[i] = add_slot(p, value(p, p->a->in[i]));
  }
  return GA_NO_ERROR;
}

static int place_outputs(planner *p) {
  unsigned int i;

  for (i = 0; i < p->a->n_out; i++) {
    if (!is_wanted(p, i))
      continue;
    GA_TRY(gg__put_output(p->b, value(p, p->a->out[i])));
    p->slot_out[i] = add_slot(p, value(p, p->a->out[i]));
  }
  return GA_NO_ERROR;
}

/* --- how the body's arrays move --- */

static ssize_t row_bytes(const planner *p, const gg_var *row) {
  return (ssize_t)(gg__dims_size(dims_of(p, row)) *
                   ga__dtype_size(row->type.dtype));
}

static size_t rows_of(const planner *p, unsigned int at) {
  return p->slots[at].array.dims[0];
}

/* What a state's rows have in common: where the newest goes. */
static int place_state(planner *p, unsigned int i, gg__moving *m) {
  const unsigned int trace = gg__loop_trace(i);
  const size_t depth = (size_t)p->l.depth[i];

  m->step = row_bytes(p, p->a->out[trace + 1]);
  m->shift = depth;
  m->slot = p->slot_out[trace];
  m->rows = p->steps + depth;
  if (m->slot != GG_NONE)
    return GA_NO_ERROR;
  m->ring = m->rows = depth + 1;
  return add_scratch(p, m->rows * (size_t)m->step, &m->slot);
}

/* Of an output that is not kept, its last value is all that there is. */
static int place_out(planner *p, unsigned int i, gg__moving *m) {
  const unsigned int all = gg__loop_all(&p->l, i);

  m->step = row_bytes(p, p->a->out[all + 1]);
  m->slot = p->slot_out[all];
  m->reversed = p->l.outs[i].reversed != 0;
  if (m->slot != GG_NONE) {
    m->rows = rows_of(p, m->slot);
    return GA_NO_ERROR;
  }
  m->ring = m->rows = 1;
  m->slot = p->slot_out[all + 1];
  if (m->slot != GG_NONE)
    return GA_NO_ERROR;
  return add_scratch(p, (size_t)m->step, &m->slot);
}

static int move_outputs(planner *p) {
  const gg__loop *l = &p->l;
  gg__moving *m;
  unsigned int i;

  for (i = 0; i < l->h->n_states; i++)
    GA_TRY(place_state(p, i, &p->x->out[i]));
  for (i = 0; i < l->h->n_outs; i++)
    GA_TRY(place_out(p, i, &p->x->out[gg__body_out(l, i)]));
  if (!l->h->has_until)
    return GA_NO_ERROR;
  m = &p->x->out[gg__body_until(l)];
  m->rows = m->ring = 1;
  GA_TRY(add_scratch(p, 1, &m->slot));
  p->x->until = m->slot;
  return GA_NO_ERROR;
}

static void move_inputs(planner *p) {
  const gg__loop *l = &p->l;
  gg__moving *m;
  unsigned int i;

  for (i = 0; i < l->h->n_seqs; i++) {
    m = &p->x->in[i];
    m->slot = p->slot_in[gg__loop_seq(l, i)];
    m->step = p->slots[m->slot].array.strides[0];
    m->rows = rows_of(p, m->slot);
    m->reversed = l->reversed[i] != 0;
  }
  for (i = 0; i < l->h->n_taps; i++) {
    m = &p->x->in[gg__body_tap(l, i)];
    *m = p->x->out[l->taps[i].state];
    m->shift -= (size_t)l->taps[i].back;
  }
  for (i = 0; i < l->h->n_fixed; i++) {
    m = &p->x->in[gg__body_fixed(l, i)];
    m->slot = p->slot_in[gg__loop_fixed(l, i)];
    m->rows = m->ring = 1;
  }
}

/* Rows as the body sees them: sizes and strides in the arena of `x`. */
static int copy_row(planner *p, const gg_var *v, const gg_dims *d,
                    const ssize_t *strides, GpuArray *out) {
  ssize_t step = (ssize_t)ga__dtype_size(v->type.dtype);
  ga__arena *m = &p->x->arena;
  unsigned int k;

  out->typecode = v->type.dtype;
  out->nd = v->type.nd;
  out->flags = GA_WRITEABLE;
  out->dimensions = ga__arena_dup(m, d->dim, out->nd * sizeof d->dim[0]);
  out->strides = ga__arena_alloc(m, out->nd * sizeof *out->strides);
  if (out->dimensions == NULL || out->strides == NULL)
    return ga__fail_nomem();
  for (k = out->nd; k-- > 0;) {
    out->strides[k] = strides != NULL ? strides[k] : step;
    step *= (ssize_t)out->dimensions[k];
  }
  GpuArray_fix_flags(out);
  return GA_NO_ERROR;
}

static int copy_rows(planner *p) {
  const gg__loop *l = &p->l;
  const gg__inner *body = l->inner;
  const slot *s;
  gg_dims d;
  unsigned int i, from;

  for (i = 0; i < body->n_in; i++) {
    from = i < l->h->n_seqs; /* the axis of steps is none of the body's */
    s = &p->slots[p->x->in[i].slot];
    if (i >= l->h->n_seqs && i < gg__body_fixed(l, 0)) {
      const unsigned int state =
          (unsigned int)l->taps[i - (unsigned int)l->h->n_seqs].state;

      d = *dims_of(p, p->a->out[gg__loop_trace(state) + 1]);
      GA_TRY(copy_row(p, body->in[i], &d, NULL, &p->x->in_rows[i]));
      continue;
    }
    memcpy(d.dim, s->array.dims + from, body->in[i]->type.nd * sizeof d.dim[0]);
    GA_TRY(copy_row(p, body->in[i], &d, s->array.strides + from,
                    &p->x->in_rows[i]));
  }
  for (i = 0; i < l->h->n_states + l->h->n_outs; i++)
    GA_TRY(copy_row(p, body->out[i], dims_of(p, p->a->out[2 * i + 1]), NULL,
                    &p->x->out_rows[i]));
  if (l->h->has_until)
    GA_TRY(copy_row(p, body->out[i], &d, NULL, &p->x->out_rows[i]));
  return GA_NO_ERROR;
}

/* --- last values --- */

/* Results of which the last value is wanted and does not lie where it belongs
 * already. */
static int list_lasts(planner *p) {
  const gg__loop *l = &p->l;
  const unsigned int n = (unsigned int)(l->h->n_states + l->h->n_outs);
  gg__looping *x = p->x;
  unsigned int i, to;

  x->lasts = ga__arena_alloc(&x->arena, n * sizeof *x->lasts);
  if (x->lasts == NULL)
    return ga__fail_nomem();
  for (i = 0; i < n; i++) {
    to = p->slot_out[2 * i + 1];
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

/* Results that the steps may not fill are zeros first. */
static int plan_zeros(planner *p, unsigned int out) {
  gg__builder *b = p->b;
  const unsigned int v = value(p, p->a->out[out]);
  GpuLaunch *l = NULL;
  gg__array a;

  gg__array_of(b, v, &a);
  GA_TRY(gg__adopt_error(b->p, gg__prepare_zero(&l, b->p->g->ctx, &a.a)));
  GA_TRY(gg__add_launch(b, l, 0));
  return gg__add_binding(b, 0, &b->places[v], 0);
}

static int may_stay_empty(const planner *p, unsigned int out) {
  const unsigned int at = p->slot_out[out];
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
  unsigned int i, v;

  for (i = 0; i < p->a->n_out; i++)
    if (may_stay_empty(p, i))
      GA_TRY(plan_zeros(p, i));
  for (i = 0; i < l->h->n_states; i++) {
    v = value(p, p->a->in[gg__loop_init(l, i)]);
    memset(&to, 0, sizeof to);
    to.store = p->slots[p->x->out[i].slot].place.store;
    to.rel = p->slots[p->x->out[i].slot].place.rel;
    gg__c_strides(p->b, v, to.strides);
    GA_TRY(gg__plan_copy(p->b, v, &to));
  }
  return GA_NO_ERROR;
}

/* --- the launch --- */

static int looping_new(planner *p) {
  const gg__inner *body = p->l.inner;
  ga__arena m = GA_ARENA_INIT;
  gg__looping *x = ga__arena_alloc(&m, sizeof *x);
  unsigned int i;

  if (x == NULL)
    return ga__fail_nomem();
  p->x = x;
  x->f = p->node->inner[0];
  x->n_in = body->n_in;
  x->n_out = body->n_out;
  x->first_tap = gg__body_tap(&p->l, 0);
  x->n_taps = (unsigned int)p->l.h->n_taps;
  x->in = ga__arena_alloc(&m, body->n_in * sizeof *x->in);
  x->out = ga__arena_alloc(&m, body->n_out * sizeof *x->out);
  x->in_rows = ga__arena_alloc(&m, body->n_in * sizeof *x->in_rows);
  x->out_rows = ga__arena_alloc(&m, body->n_out * sizeof *x->out_rows);
  x->in_list = ga__arena_alloc(&m, body->n_in * sizeof *x->in_list);
  x->now = ga__arena_alloc(&m, (p->a->n_in + 2 * (size_t)p->a->n_out + 2) *
                                   sizeof *x->now);
  x->limit = x->until = x->count = GG_NONE;
  x->steps = p->steps;
  x->most = (size_t)p->l.h->most;
  x->arena = m;
  if (x->in == NULL || x->out == NULL || x->in_rows == NULL ||
      x->out_rows == NULL || x->in_list == NULL || x->now == NULL)
    return ga__fail_nomem();
  for (i = 0; i < body->n_in; i++)
    x->in_list[i] = &x->in_rows[i];
  return GA_NO_ERROR;
}

/* Prepare the body for the memory at hand, and record the launch, which owns
 * `x` in any case. */
static int record(planner *p, GpuLaunch **out) {
  gg__builder *b = p->b;
  GpuArray **list = gg__room(b, p->n_slots, sizeof *list);
  gpudata **bufs = gg__room(b, p->n_slots, sizeof *bufs);
  size_t *offs = gg__room(b, p->n_slots, sizeof *offs);
  GpuLaunch *l;
  unsigned int i;
  int err;

  if (list == NULL || bufs == NULL || offs == NULL)
    return GA_MEMORY_ERROR;
  for (i = 0; i < p->n_slots; i++) {
    list[i] = &p->slots[i].array.a;
    bufs[i] = list[i]->data;
    offs[i] = list[i]->offset;
  }
  p->x->n_slots = p->n_slots;
  err = p->steps != 0 ? gg__looping_ready(p->x, bufs, offs) : GA_NO_ERROR;
  if (err != GA_NO_ERROR)
    return err;
  l = GpuLaunch_open(b->p->g->ctx, p->a->op->name, p->n_slots, list);
  GpuLaunch_host(l, gg__looping_run, p->x, gg__looping_free, "loop");
  p->x = NULL;
  return gg__adopt_error(b->p, GpuLaunch_close(out, l));
}

static int add_launch(planner *p) {
  GpuLaunch *l = NULL;
  unsigned int i;

  GA_TRY(record(p, &l));
  GA_TRY(gg__add_launch(p->b, l, 0));
  for (i = 0; i < p->n_slots; i++)
    GA_TRY(gg__add_binding(p->b, i, &p->slots[i].place, 0));
  return GA_NO_ERROR;
}

static void release(planner *p) {
  unsigned int i, v;

  for (i = 0; i < p->n_slots; i++)
    if (p->slots[i].is_scratch)
      gg__release_store(p->b, p->slots[i].place.store);
  for (i = 0; i < p->a->n_in; i++)
    if (gg__reads(p->node, i))
      gg__release_value(p->b, value(p, p->a->in[i]));
  for (i = 0; i < p->a->n_out; i++) {
    v = value(p, p->a->out[i]);
    if (p->slot_out[i] != GG_NONE && p->b->places[v].uses == 0)
      gg__release_store(p->b, p->b->places[v].store);
  }
}

static int plan(planner *p) {
  GA_TRY(looping_new(p));
  GA_TRY(place_inputs(p));
  GA_TRY(place_outputs(p));
  GA_TRY(move_outputs(p));
  move_inputs(p);
  GA_TRY(copy_rows(p));
  GA_TRY(list_lasts(p));
  if (p->l.h->is_limited)
    p->x->limit = p->slot_in[GG_LOOP_LIMIT];
  if (p->l.h->has_until)
    p->x->count = p->slot_out[gg__loop_count(&p->l)];
  GA_TRY(plan_starts(p));
  GA_TRY(add_launch(p));
  release(p);
  return GA_NO_ERROR;
}

int gg__plan_loop(gg__builder *b, const gg__step *s) {
  planner p;
  int err;

  GA_TRY(planner_init(&p, b, s));
  err = plan(&p);
  if (p.x != NULL)
    gg__looping_free(p.x);
  return err;
}
