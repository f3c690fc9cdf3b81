/* SPDX-License-Identifier: BSD-2-Clause */
/* What a plan tells those who watch (watch.h) and monitors: where values lie
 * before a step and when it is done. */
#include <string.h>

#include "plan/builder.h"

static int note(gg__builder *b, unsigned int v, const gg__place *x,
                gg__seen_role role) {
  gg__seen s = {.step = b->step,
                .value = v,
                .store = x->store,
                .role = role,
                .rel = x->rel,
                .dims = b->sizes->dims[v]};

  if (x->store == GG_NONE)
    return GA_NO_ERROR;
  memcpy(s.strides, x->strides, sizeof s.strides);
  return ga__vec_push(&b->plan->seen, s);
}

/* --- what is read --- */

static int is_noted(const gg__builder *b, unsigned int v) {
  const gg__plan *p = b->plan;

  for (size_t k = p->seen.n; k > 0 && p->seen.v[k - 1].step == b->step; k--)
    if (p->seen.v[k - 1].value == v)
      return 1;
  return 0;
}

static int note_read(gg__builder *b, unsigned int v) {
  if ((b->f->watch & GG_WATCH_STEPS) == 0 || is_noted(b, v))
    return GA_NO_ERROR;
  return note(b, v, &b->places[v], GG_SEEN_READ);
}

static int note_body(gg__builder *b, const gg__body *body) {
  for (unsigned int i = 0; i < body->n_in; i++)
    GA_TRY(note_read(b, body->in[i]));
  return GA_NO_ERROR;
}

static int is_destroyed(const gg_apply *a, unsigned int input) {
  for (unsigned int i = 0; i < a->n_out; i++)
    if (gg__destroyed(a, i) == (int)input)
      return 1;
  return 0;
}

/* Operands, and which of them the op's own kernels are to leave alone. */
static int note_operands(gg__builder *b, const gg__step *s) {
  const gg_apply *a = s->apply;
  const gg__node *n =
      &b->p->nodes.v[gg__value_at(b, gg__out(b->p, a, 0))->node];

  for (unsigned int i = 0; i < a->n_in; i++) {
    unsigned int v = gg__in(b->p, a, i);
    if (!gg__reads(n, i) || gg__number_only(a, i))
      continue;
    if (s->kind == GG_STEP_KERNEL && !is_destroyed(a, i) &&
        !gg__value_at(b, v)->uniform)
      GA_TRY(note(b, v, &b->places[v], GG_SEEN_KEPT));
    else
      GA_TRY(note_read(b, v));
  }
  return GA_NO_ERROR;
}

/* What the second half of a transfer reads lies in the host's memory. */
static int note_inputs(gg__builder *b, const gg__step *s) {
  switch (s->kind) {
  case GG_STEP_MAP:
  case GG_STEP_REDUCE:
  case GG_STEP_ROWS:
    GA_TRY(note_body(b, &s->map));
    break;
  case GG_STEP_KERNEL:
  case GG_STEP_INNER:
  case GG_STEP_SEND:
    GA_TRY(note_operands(b, s));
    break;
  case GG_STEP_COPY:
    return note_read(b, s->from);
  case GG_STEP_RECEIVE:
  case GG_STEP_VIEW:
    return GA_NO_ERROR;
  }
  GA_TRY(note_body(b, &s->post));
  return note_body(b, &s->beside);
}

/* --- what is written --- */

static int note_copy(gg__builder *b, const gg__step *s) {
  gg__place to;

  memset(&to, 0, sizeof to);
  to.store = b->result_store[s->result];
  gg__c_strides(b, s->from, to.strides);
  return note(b, s->from, &to, GG_SEEN_WRITTEN);
}

static int note_outputs(gg__builder *b, const gg__step *s) {
  if (s->kind == GG_STEP_COPY)
    return note_copy(b, s);
  for (unsigned int v = 0; v < b->p->values.n; v++)
    if (gg__value_at(b, v)->step == b->step)
      GA_TRY(note(b, v, &b->places[v], GG_SEEN_WRITTEN));
  return GA_NO_ERROR;
}

int gg__plan_seen(gg__builder *b) {
  const gg__step *s = b->p->steps.v[b->step];

  if (s->kind == GG_STEP_VIEW)
    return GA_NO_ERROR;
  GA_TRY(note_inputs(b, s));
  return note_outputs(b, s);
}

/* --- where it lies during a call --- */

int gg__seen_array(const gg__program *p, const gg__plan *plan,
                   const gg__seen *s, GpuArray *out) {
  const gg__store *store = &plan->stores.v[s->store];

  return GpuArray_fromdata(out, store->data,
                           (size_t)((ssize_t)store->offset + s->rel),
                           p->values.v[s->value].var->type.dtype, s->dims.nd,
                           s->dims.dim, s->strides, 0);
}
