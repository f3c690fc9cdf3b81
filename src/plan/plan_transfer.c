/* SPDX-License-Identifier: BSD-2-Clause */
/* Planning of transfers: the two halves of a GpuTransfer are two steps, and
 * others may run between them. */
#include <string.h>

#include "plan/builder.h"

/* A transfer copies plain bytes, so a source in another order is first copied
 * to C order. */
static int plan_source(gg__builder *b, unsigned int v, gg__sent *x) {
  x->copy.store = GG_NONE;
  if (gg__is_c_order(b, v))
    return GA_NO_ERROR;
  return gg__copy_to_temp(b, v, &x->copy);
}

static int need_list(gg__builder *b) {
  const size_t bytes = b->p->values.n * sizeof *b->sent;

  if (b->sent != NULL)
    return GA_NO_ERROR;
  b->sent = ga__arena_alloc(&b->u->planning.lists, bytes);
  if (b->sent == NULL)
    return ga__fail_nomem();
  memset(b->sent, 0, bytes);
  return GA_NO_ERROR;
}

int gg__plan_send(gg__builder *b, const gg__step *s) {
  const unsigned int from = gg__in(b->p, s->apply, 0),
                     to = gg__out(b->p, s->apply, 0);

  GA_TRY(need_list(b));
  gg__sent *x = &b->sent[to];
  GA_TRY(plan_source(b, from, x));
  GA_TRY(GpuTransfer_new(&x->t, gg__context_of(b->p, to),
                         gg__context_of(b->p, from), gg__value_bytes(b, from)));
  GA_TRY(gg__add_transfer(b, x->t, 0));
  GA_TRY(gg__add_binding(
      b, 0, x->copy.store != GG_NONE ? &x->copy : &b->places[from], 0));
  return GA_NO_ERROR;
}

int gg__plan_receive(gg__builder *b, const gg__step *s) {
  const unsigned int to = gg__out(b->p, s->apply, 0);
  const gg__sent *x = &b->sent[to];

  GA_TRY(gg__put_output(b, to));
  GA_TRY(gg__add_transfer(b, x->t, 1));
  GA_TRY(gg__add_binding(b, 0, &b->places[to], 0));
  if (x->copy.store != GG_NONE)
    gg__release_store(b, x->copy.store);
  return GA_NO_ERROR;
}
