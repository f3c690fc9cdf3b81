/* SPDX-License-Identifier: BSD-2-Clause */
/* What a plan records for watched calls (watch.h) and monitors: where values
 * lie before and after each step. */
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
  if ((b->u->watch & GG_WATCH_STEPS) == 0 || is_noted(b, v))
    return GA_NO_ERROR;
  return note(b, v, &b->places[v], GG_SEEN_READ);
}

static int is_destroyed(const gg_apply *a, unsigned int input) {
  for (unsigned int i = 0; i < a->n_out; i++)
    if (gg__destroyed(a, i) == (int)input)
      return 1;
  return 0;
}

/* Record the inputs that an op's own kernels must not change. */
static int note_guarded(gg__builder *b, const gg__step *s) {
  const gg_apply *a = s->apply;
  const gg__node *n = gg__step_node(b->p, s);

  for (unsigned int i = 0; i < a->n_in; i++) {
    unsigned int v = gg__in(b->p, a, i);
    if (gg__reads(n, i) && b->places[v].store != GG_NONE &&
        !is_destroyed(a, i) && !gg__value_at(b, v)->uniform)
      GA_TRY(note(b, v, &b->places[v], GG_SEEN_KEPT));
  }
  return GA_NO_ERROR;
}

/* --- what is written --- */

static int note_copy(gg__builder *b, const gg__step *s) {
  const unsigned int v = s->reads[0];
  gg__place to;

  memset(&to, 0, sizeof to);
  to.store = b->result_store[s->result];
  gg__c_strides(b, v, to.strides);
  return note(b, v, &to, GG_SEEN_WRITTEN);
}

/* The second half of a transfer reads host memory, which has no place. */
int gg__plan_seen(gg__builder *b, const gg__step *s, int guards) {
  const gg__step_ops *ops = gg__ops_of(s);

  if (!ops->has_launch)
    return GA_NO_ERROR;
  if (guards)
    GA_TRY(note_guarded(b, s));
  for (unsigned int i = 0; i < s->n_reads && !ops->ends_transfer; i++)
    GA_TRY(note_read(b, s->reads[i]));
  if (s->result != GG_NONE)
    return note_copy(b, s);
  for (unsigned int i = 0; i < s->n_writes; i++)
    GA_TRY(note(b, s->writes[i], &b->places[s->writes[i]], GG_SEEN_WRITTEN));
  return GA_NO_ERROR;
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
