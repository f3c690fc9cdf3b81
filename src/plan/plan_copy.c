/* SPDX-License-Identifier: BSD-2-Clause */
/* Planning of copies to results. A result that may be a view needs no copy. */
#include <string.h>

#include "plan/builder.h"

/* Can an output be a view of this store after the call? */
static int can_lend(const gg__builder *b, unsigned int store) {
  const gg__store *s = &b->plan->stores.v[store];

  switch (s->kind) {
  case GG_STORE_INPUT:
  case GG_STORE_OUTPUT:
  case GG_STORE_CONST:
    return 1;
  case GG_STORE_SHARED:
    return b->p->shared.v[s->index].result == GG_NONE;
  case GG_STORE_SPARE: /* swapped at the end of the call */
  case GG_STORE_TEMP:
  case GG_STORE_TABLE: /* freed with the plan */
    break;
  }
  return 0;
}

/* Make output `result` a view of `x`. Its store is retained for good, so that
 * no later step overwrites it. */
static int lend(gg__builder *b, unsigned int result, const gg__place *x) {
  gg__lent y = {.output = result, .store = x->store, .rel = x->rel};

  memcpy(y.strides, x->strides, sizeof y.strides);
  gg__retain_store(b, x->store);
  return ga__vec_push(&b->plan->lent, y);
}

int gg__lend_overwritten(gg__builder *b) {
  for (unsigned int k = 0; k < b->p->n_outputs; k++) {
    const gg__place *x = &b->places[b->p->results.v[k].value];
    if (b->p->results.v[k].direct && gg__is_borrowed(b, k) &&
        x->store != GG_NONE &&
        b->plan->stores.v[x->store].kind == GG_STORE_INPUT)
      GA_TRY(lend(b, k, x));
  }
  return GA_NO_ERROR;
}

/* Does v already lie in the memory of this result? */
static int lies_in_result(const gg__builder *b, unsigned int v,
                          unsigned int result) {
  const gg__result *r = &b->p->results.v[result];
  const gg__store *s = &b->plan->stores.v[b->places[v].store];
  const int is_there = r->shared == GG_NONE
                           ? s->kind == GG_STORE_OUTPUT && s->index == result
                           : s->kind == GG_STORE_SPARE && s->index == r->shared;

  return is_there && gg__starts_in_c_order(b, v, &b->places[v]);
}

int gg__plan_copy(gg__builder *b, const gg__step *s) {
  const unsigned int from = s->reads[0];
  gg__place to;

  memset(&to, 0, sizeof to);
  if (gg__is_borrowed(b, s->result) && can_lend(b, b->places[from].store)) {
    GA_TRY(lend(b, s->result, &b->places[from]));
  } else if (!lies_in_result(b, from, s->result)) {
    GA_TRY(gg__result_store(b, s->result, 0, &to.store));
    gg__c_strides(b, from, to.strides);
    GA_TRY(gg__plan_copy_to(b, from, &to));
  }
  return GA_NO_ERROR;
}
