/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a step's outputs go: into a result, into the memory of an input that
 * dies, else into a temporary.
 *
 * A result that is a view of a computed value needs no copy if the view keeps
 * C order: the value is then computed in the result's memory. */
#include <string.h>

#include "plan/builder.h"

enum { MAX_VIEWS = 16 /* between a computed value and a result */ };

/* --- results that are views --- */

/* List the views between `root` and the value of a result, the last one first.
 * Returns how many there are, 0 if too many. */
static unsigned int list_views(const gg__builder *b, unsigned int root,
                               unsigned int result,
                               unsigned int views[MAX_VIEWS]) {
  unsigned int v = b->p->results.v[result].value, n = 0;

  while (v != root && n < MAX_VIEWS) {
    views[n++] = v;
    v = gg__in(b->p, b->p->nodes.v[gg__value_at(b, v)->node].apply, 0);
  }
  return v == root ? n : 0;
}

/* Put v in the memory of the result that is a view of it, if there is one and
 * the view keeps C order. *done: it was put there. */
static int put_viewed(gg__builder *b, unsigned int v, int *done) {
  const unsigned int result = b->viewed_by[v];
  unsigned int views[MAX_VIEWS];
  gg__place from;

  *done = 0;
  if (result == GG_NONE)
    return GA_NO_ERROR;
  unsigned int last = b->p->results.v[result].value;
  unsigned int n = list_views(b, v, result, views);
  if (n == 0 || gg__value_bytes(b, v) != gg__value_bytes(b, last))
    return GA_NO_ERROR;
  memset(&from, 0, sizeof from);
  GA_TRY(gg__result_store(b, result, 0, &from.store));
  gg__c_strides(b, v, from.strides);
  gg__place to = from;
  while (n-- > 0) {
    if (gg__view_place(b, views[n], &from, &to) != GA_NO_ERROR)
      return GA_NO_ERROR;
    from = to;
  }
  *done = gg__starts_in_c_order(b, last, &to);
  if (*done) {
    b->places[v] = (gg__place){.store = to.store, .uses = b->places[v].uses};
    gg__c_strides(b, v, b->places[v].strides);
  }
  return GA_NO_ERROR;
}

/* --- results and temporaries --- */

int gg__put_output(gg__builder *b, unsigned int v) {
  const unsigned int result = b->result_of[v];
  unsigned int store;
  int done;

  GA_TRY(put_viewed(b, v, &done));
  if (done)
    return GA_NO_ERROR;
  if (result != GG_NONE)
    GA_TRY(
        gg__result_store(b, result, b->p->results.v[result].in_place, &store));
  else
    GA_TRY(gg__temp_store(b, v, gg__value_bytes(b, v), &store));
  gg__put(b, v, store);
  return GA_NO_ERROR;
}

int gg__put_outputs(gg__builder *b, const unsigned int *v, unsigned int n) {
  for (unsigned int i = 0; i < n; i++)
    GA_TRY(gg__put_output(b, v[i]));
  return GA_NO_ERROR;
}

/* --- memory of inputs --- */

int gg__may_take_over(const gg__builder *b, unsigned int out, unsigned int in) {
  const unsigned int result = b->result_of[out];

  if (b->viewed_by[out] != GG_NONE || !gg__dies_here(b, in))
    return 0;
  return result == GG_NONE ||
         (gg__is_borrowed(b, result) &&
          b->plan->stores.v[b->places[in].store].kind == GG_STORE_INPUT);
}

void gg__take_over(gg__builder *b, unsigned int out, unsigned int in) {
  gg__put(b, out, b->places[in].store);
  gg__retain_store(b, b->places[in].store);
  if (b->result_of[out] == GG_NONE)
    b->plan->temp_bytes_alone += gg__value_bytes(b, out);
}

int gg__put_elementwise(gg__builder *b, const gg__body *body, unsigned int v) {
  for (unsigned int i = 0; i < body->n_in - body->n_taken; i++) {
    unsigned int in = body->in[i];
    if (gg__may_take_over(b, v, in) &&
        gg__value_at(b, in)->space == gg__value_at(b, v)->space &&
        gg__item_bytes(b, in) == gg__item_bytes(b, v)) {
      gg__take_over(b, v, in);
      return GA_NO_ERROR;
    }
  }
  return gg__put_output(b, v);
}
