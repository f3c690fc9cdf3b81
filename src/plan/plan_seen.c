/* SPDX-License-Identifier: BSD-2-Clause */
/* What a plan tells those who watch (watch.h): where values lie when a step is
 * done. */
#include <string.h>

#include "plan/builder.h"

static int note(gg__builder *b, unsigned int v, int written) {
  const gg__place *x = &b->places[v];
  gg__seen s = {.step = b->step,
                .value = v,
                .store = x->store,
                .written = written,
                .rel = x->rel};

  if (x->store == GG_NONE)
    return GA_NO_ERROR;
  memcpy(s.strides, x->strides, sizeof s.strides);
  return ga__vec_push(&b->plan->seen, s);
}

static int is_destroyed(const gg_apply *a, unsigned int input) {
  unsigned int i;

  for (i = 0; i < a->n_out; i++)
    if (gg__destroyed(a, i) == (int)input)
      return 1;
  return 0;
}

/* Inputs that the op's own kernels are to leave alone. */
static int note_inputs(gg__builder *b, const gg_apply *a) {
  const gg__node *n =
      &b->p->nodes.v[gg__value_at(b, gg__out(b->p, a, 0))->node];
  unsigned int i, v;

  for (i = 0; i < a->n_in; i++) {
    v = gg__in(b->p, a, i);
    if (gg__reads(n, i) && !is_destroyed(a, i) && !gg__value_at(b, v)->uniform)
      GA_TRY(note(b, v, 0));
  }
  return GA_NO_ERROR;
}

int gg__plan_seen(gg__builder *b) {
  const gg__step *s = b->p->steps.v[b->step];
  unsigned int v;

  if (s->kind == GG_STEP_VIEW)
    return GA_NO_ERROR;
  if (s->kind == GG_STEP_KERNEL)
    GA_TRY(note_inputs(b, s->apply));
  for (v = 0; v < b->p->values.n; v++)
    if (gg__value_at(b, v)->step == b->step)
      GA_TRY(note(b, v, 1));
  return GA_NO_ERROR;
}
