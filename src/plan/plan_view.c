/* SPDX-License-Identifier: BSD-2-Clause */
/* Planning of views: no launch, only another offset and other strides.
 *
 * A result that is a view of something computed needs no copy if the view keeps
 * C order: what is computed then goes where the result belongs. */
#include <string.h>

#include "plan/builder.h"

enum { MAX_VIEWS = 16 /* of views that a result is seen through */ };

/* The place of value `out`, a view, if its operand lies at `from`. */
static int make_view(gg__builder *b, unsigned int out, const gg__place *from,
                     gg__place *to) {
  const gg_apply *a = b->p->nodes.v[gg__value_at(b, out)->node].apply;
  const unsigned int in = gg__in(b->p, a, 0);
  gg_dims *dims = gg__room(b, a->n_in, sizeof *dims);
  GpuArray view;
  gg__array src;

  if (dims == NULL)
    return GA_MEMORY_ERROR;
  for (unsigned int i = 0; i < a->n_in; i++)
    dims[i] = b->sizes->dims[gg__in(b->p, a, i)];
  memset(&view, 0, sizeof view);
  gg__make_array(b, in, from, &src);
  gpuarray_clear_error();
  int err = a->op->view(a, gg__value_at(b, out)->var->index, &src.a, dims,
                        &b->sizes->dims[out], &view);
  if (err == GA_NO_ERROR) {
    to->store = from->store;
    to->rel = (ssize_t)(view.offset - b->plan->stores.v[to->store].offset);
    for (unsigned int i = 0; i < view.nd; i++)
      to->strides[i] = view.strides[i];
  }
  GpuArray_clear(&view);
  return err;
}

static int plan_output(gg__builder *b, unsigned int in, unsigned int out) {
  gg__place copy;
  int err = make_view(b, out, &b->places[in], &b->places[out]);

  if (err == GA_COPY_ERROR) {
    GA_TRY(gg__copy_to_temp(b, in, &copy));
    err = make_view(b, out, &copy, &b->places[out]);
  } else if (err == GA_NO_ERROR) {
    gg__retain_store(b, b->places[in].store);
  }
  return err;
}

int gg__plan_view(gg__builder *b, const gg__step *s) {
  const unsigned int in = gg__in(b->p, s->apply, 0);

  GA_TRY(gg__need_place(b, in));
  for (unsigned int i = 0; i < s->apply->n_out; i++) {
    unsigned int out = gg__out(b->p, s->apply, i);
    if (b->places[out].uses != 0)
      GA_TRY(plan_output(b, in, out));
  }
  gg__release_value(b, in);
  return GA_NO_ERROR;
}

/* --- results seen through views --- */

/* The views between `root` and the value of a result, the last first; 0 when
 * they are too many. */
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

static int is_start_in_c_order(const gg__builder *b, unsigned int v,
                               const gg__place *x) {
  ssize_t want[GG_MAX_ND];
  const gg_dims *d = &b->sizes->dims[v];

  gg__c_strides(b, v, want);
  for (unsigned int i = 0; i < d->nd; i++)
    if (d->dim[i] != 1 && x->strides[i] != want[i])
      return 0;
  return x->rel == 0;
}

int gg__put_viewed(gg__builder *b, unsigned int v, int *done) {
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
    if (make_view(b, views[n], &from, &to) != GA_NO_ERROR)
      return GA_NO_ERROR;
    from = to;
  }
  *done = is_start_in_c_order(b, last, &to);
  if (*done) {
    b->places[v] = (gg__place){.store = to.store, .uses = b->places[v].uses};
    gg__c_strides(b, v, b->places[v].strides);
  }
  return GA_NO_ERROR;
}

int gg__lies_in_result(const gg__builder *b, unsigned int v,
                       unsigned int result) {
  const gg__result *r = &b->p->results.v[result];
  const gg__store *s = &b->plan->stores.v[b->places[v].store];
  const int is_there =
      r->shared == GG_NONE
          ? s->kind == GG_STORE_OUTPUT && s->number == result
          : s->kind == GG_STORE_SPARE && s->number == r->shared;

  return is_there && is_start_in_c_order(b, v, &b->places[v]);
}
