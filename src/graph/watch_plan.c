/* SPDX-License-Identifier: BSD-2-Clause */
/* What a plan tells those who watch: where values lie when a step is done. */
#include <string.h>

#include "base/dtype.h"
#include "graph/watch.h"

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

int gg__watch_plan(gg__builder *b) {
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

int gg__watch_read(const GpuArray *a, void **data) {
  GpuArray copy = {0};
  size_t n = GpuArray_ITEMSIZE(a);
  unsigned int i;
  int err = GA_NO_ERROR;

  for (i = 0; i < a->nd; i++)
    n *= a->dimensions[i];
  *data = ga__malloc(n + 1);
  if (*data == NULL)
    return ga__fail_nomem();
  if (n == 0)
    return GA_NO_ERROR;
  if (!GpuArray_IS_C_CONTIGUOUS(a))
    GA_CHECK(GpuArray_copy(&copy, a, GA_C_ORDER));
  GA_CHECK(GpuArray_read(*data, n, copy.data != NULL ? &copy : a));
done:
  GpuArray_clear(&copy);
  if (err != GA_NO_ERROR) {
    ga__free(*data);
    *data = NULL;
  }
  return err;
}

int gg__watch_read_seen(const gg__watch *w, const gg__seen *s, void **data) {
  const gg__store *store = &w->plan->stores.v[s->store];
  const gg_dims *d = &w->host[s->value].dims;
  const gg_var *v = w->f->p.values.v[s->value].var;
  GpuArray a = {0};
  int err;

  *data = NULL;
  GA_CHECK(GpuArray_fromdata(&a, store->data,
                             (size_t)((ssize_t)store->offset + s->rel),
                             v->type.dtype, d->nd, d->dim, s->strides, 0));
  GA_CHECK(gg__watch_read(&a, data));
done:
  GpuArray_clear(&a);
  return gg__adopt_error(&w->f->p, err);
}
