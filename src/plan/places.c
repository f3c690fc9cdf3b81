/* SPDX-License-Identifier: BSD-2-Clause */
/* Places: which memory each value lies in. */
#include <string.h>

#include "base/dtype.h"
#include "ops/ops.h"
#include "ops/shape/slice_bounds.h"
#include "plan/builder.h"

/* --- stores --- */

int gg__add_store(gg__builder *b, gg__store_kind kind, unsigned int index,
                  unsigned int *store) {
  gg__store s = {.kind = kind, .index = index};

  *store = (unsigned int)b->plan->stores.n;
  gg__store_find(b->u, b->plan, &s, &s.data, &s.offset);
  return ga__vec_push(&b->plan->stores, s);
}

int gg__shared_store(gg__builder *b, unsigned int index, unsigned int *store) {
  if (b->shared_store[index] == GG_NONE)
    GA_TRY(gg__add_store(b, GG_STORE_SHARED, index, &b->shared_store[index]));
  *store = b->shared_store[index];
  return GA_NO_ERROR;
}

int gg__temp_store(gg__builder *b, unsigned int v, size_t bytes,
                   unsigned int *store) {
  unsigned int index;

  GA_TRY(gg__temp_take(&b->temps, gg__value_at(b, v)->context, bytes, &index));
  b->plan->temp_bytes_alone += bytes;
  while (b->temp_store.n <= index)
    GA_TRY(ga__vec_push(&b->temp_store, GG_NONE));
  if (b->temp_store.v[index] == GG_NONE)
    GA_TRY(gg__add_store(b, GG_STORE_TEMP, index, &b->temp_store.v[index]));
  *store = b->temp_store.v[index];
  b->plan->stores.v[*store].data = b->u->memory.temps.v[index].data;
  return GA_NO_ERROR;
}

/* --- places --- */

size_t gg__item_bytes(const gg__builder *b, unsigned int v) {
  return ga__dtype_size(gg__value_at(b, v)->var->type.dtype);
}

size_t gg__value_bytes(const gg__builder *b, unsigned int v) {
  return gg__dims_size(&b->sizes->dims[v]) * gg__item_bytes(b, v);
}

void gg__c_strides(const gg__builder *b, unsigned int v, ssize_t *strides) {
  const gg_dims *d = &b->sizes->dims[v];

  gg__fill_strides(strides, d->nd, d->dim, gg__item_bytes(b, v));
}

int gg__are_c_order(const gg__builder *b, unsigned int v,
                    const ssize_t *strides) {
  const gg_dims *d = &b->sizes->dims[v];
  ssize_t step = (ssize_t)gg__item_bytes(b, v);

  for (unsigned int i = d->nd; i-- > 0;) {
    if (d->dim[i] != 1 && strides[i] != step)
      return 0;
    step *= (ssize_t)d->dim[i];
  }
  return 1;
}

int gg__is_c_order(const gg__builder *b, unsigned int v) {
  return gg__are_c_order(b, v, b->places[v].strides) ||
         gg__dims_size(&b->sizes->dims[v]) == 0;
}

void gg__put(gg__builder *b, unsigned int v, unsigned int store) {
  GA_ASSERT(store < b->plan->stores.n);
  b->places[v].store = store;
  b->places[v].rel = 0;
  gg__c_strides(b, v, b->places[v].strides);
}

void gg__release_store(gg__builder *b, unsigned int store) {
  const gg__store *s = &b->plan->stores.v[store];

  if (s->kind == GG_STORE_TEMP)
    gg__temp_release(&b->temps, s->index);
  else if (s->kind == GG_STORE_INPUT)
    b->input_refs[s->index]--;
}

void gg__retain_store(gg__builder *b, unsigned int store) {
  const gg__store *s = &b->plan->stores.v[store];

  if (s->kind == GG_STORE_TEMP)
    gg__temp_retain(&b->temps, s->index);
  else if (s->kind == GG_STORE_INPUT)
    b->input_refs[s->index]++;
}

void gg__release_value(gg__builder *b, unsigned int v) {
  gg__place *x = &b->places[v];

  GA_ASSERT(x->uses > 0 && x->store != GG_NONE);
  if (--x->uses == 0)
    gg__release_store(b, x->store);
}

/* --- places for what a step computes --- */

int gg__result_store(gg__builder *b, unsigned int result, int in_place,
                     unsigned int *store) {
  const gg__result *r = &b->p->results.v[result];
  gpudata *data;

  *store = b->result_store[result];
  if (*store != GG_NONE)
    return GA_NO_ERROR;
  if (r->shared == GG_NONE) {
    GA_TRY(gg__output_memory(b->u, result, &b->sizes->dims[r->value]));
    GA_TRY(gg__add_store(b, GG_STORE_OUTPUT, result, store));
  } else {
    const gg__storage *s = b->p->shared.v[r->shared].storage;
    if (in_place && gg__has_dims(&s->value, &b->sizes->dims[r->value]))
      return gg__shared_store(b, r->shared, store);
    GA_TRY(
        gg__spare_data(b->u, r->shared, gg__value_bytes(b, r->value), &data));
    GA_TRY(gg__add_store(b, GG_STORE_SPARE, r->shared, store));
  }
  b->result_store[result] = *store;
  return GA_NO_ERROR;
}

int gg__dies_here(const gg__builder *b, unsigned int v) {
  const gg__place *x = &b->places[v];

  if (x->store == GG_NONE || x->uses != 1 || x->rel != 0 ||
      !gg__is_c_order(b, v))
    return 0;
  const gg__store *s = &b->plan->stores.v[x->store];
  if (s->kind == GG_STORE_INPUT)
    return b->u->overwrites != NULL && b->u->overwrites[s->index] &&
           b->input_refs[s->index] == 1;
  return s->kind == GG_STORE_TEMP && b->temps.refs.v[s->index] == 1;
}

int gg__is_borrowed(const gg__builder *b, unsigned int result) {
  return b->u->borrows != NULL && result < b->p->n_outputs &&
         b->u->borrows[result];
}

/* --- arrays to prepare launches with --- */

void gg__make_array(const gg__builder *b, unsigned int v, gg__place *x,
                    GpuArray *out) {
  gg_dims *d = &b->sizes->dims[v];
  const gg__store *s = &b->plan->stores.v[x->store];

  *out = (GpuArray){.data = s->data,
                    .offset = (size_t)((ssize_t)s->offset + x->rel),
                    .nd = d->nd,
                    .typecode = gg__value_at(b, v)->var->type.dtype,
                    .flags = GA_WRITEABLE,
                    .dimensions = d->dim,
                    .strides = x->strides};
  GpuArray_fix_flags(out);
}

void gg__array_of(const gg__builder *b, unsigned int v, GpuArray *out) {
  gg__make_array(b, v, &b->places[v], out);
}

int gg__make_shape(gg__builder *b, unsigned int v, GpuArray *out) {
  gg_dims *d = &b->sizes->dims[v];
  ssize_t *strides = gg__step_alloc(b, d->nd, sizeof *strides);

  if (strides == NULL)
    return GA_MEMORY_ERROR;
  gg__c_strides(b, v, strides);
  *out = (GpuArray){.nd = d->nd,
                    .typecode = gg__value_at(b, v)->var->type.dtype,
                    .dimensions = d->dim,
                    .strides = strides};
  return GA_NO_ERROR;
}

/* --- views --- */

/* Write the strides with which a view of other sizes visits elements in C
 * order. Returns 0 if there are none. */
static int match_strides(const gg_dims *in, const ssize_t *from,
                         const gg_dims *out, size_t item_bytes,
                         ssize_t *strides) {
  ssize_t step = (ssize_t)item_bytes;
  size_t left = 1; /* elements, `step` apart, that belong to no axis yet */
  unsigned int k = in->nd;

  for (unsigned int i = out->nd; i-- > 0;) {
    while (left % out->dim[i] != 0) {
      GA_ASSERT(k > 0); /* both have as many elements */
      if (in->dim[--k] == 1)
        continue;
      if (left == 1)
        step = from[k];
      else if (from[k] != step * (ssize_t)left)
        return 0; /* a gap within an axis */
      left *= in->dim[k];
    }
    strides[i] = step;
    step *= (ssize_t)out->dim[i];
    left /= out->dim[i];
  }
  return 1;
}

/* Write the strides of a view that divides elements into axes in another way.
 * GA_COPY_ERROR, without a message: there are none. */
static int reshape_strides(const gg__builder *b, unsigned int in,
                           unsigned int out, const ssize_t *from, ssize_t *to) {
  const gg_dims *want = &b->sizes->dims[out];

  if (gg__dims_size(want) == 0)
    gg__c_strides(b, out, to);
  else if (!match_strides(&b->sizes->dims[in], from, want,
                          gg__item_bytes(b, out), to))
    return GA_COPY_ERROR;
  return GA_NO_ERROR;
}

/* Set offset and strides of a slice with these bounds. */
static void slice_place(const gg__builder *b, const gg__slice_props *p,
                        unsigned int in, const gg__place *from, gg__place *to) {
  const gg_dims *d = &b->sizes->dims[in];
  const ssize_t stride = from->strides[p->axis];
  int64_t first, count;

  gg__slice_resolve(p, (int64_t)d->dim[p->axis], &first, &count);
  if (count > 0 && gg__dims_size(d) != 0)
    to->rel += (ssize_t)first * stride;
  memcpy(to->strides, from->strides, d->nd * sizeof *to->strides);
  if (count > 1) /* then |step| is less than the size, and the product fits */
    to->strides[p->axis] = stride * (ssize_t)p->step;
}

/* Ask the op for the view. */
static int ask_view(gg__builder *b, unsigned int out, gg__place *from,
                    gg__place *to) {
  const gg_apply *a = b->p->nodes.v[gg__value_at(b, out)->node].apply;
  const unsigned int in = gg__in(b->p, a, 0);
  gg_dims *dims = gg__step_alloc(b, a->n_in, sizeof *dims);
  const double **number = gg__step_alloc(b, a->n_in, sizeof *number);
  GpuArray src, view;

  if (dims == NULL || number == NULL)
    return GA_MEMORY_ERROR;
  for (unsigned int i = 0; i < a->n_in; i++) {
    const unsigned int v = gg__in(b->p, a, i);
    dims[i] = b->sizes->dims[v];
    number[i] = gg__scalar_of(b->sizes, b->p, v);
  }
  memset(&view, 0, sizeof view);
  gg__make_array(b, in, from, &src);
  gpuarray_clear_error();
  int err = a->op->view(a, gg__value_at(b, out)->var->index, &src, dims, number,
                        &b->sizes->dims[out], &view);
  if (err == GA_NO_ERROR) {
    to->rel = (ssize_t)(view.offset - b->plan->stores.v[to->store].offset);
    for (unsigned int i = 0; i < view.nd; i++)
      to->strides[i] = view.strides[i];
  }
  GpuArray_clear(&view);
  return err;
}

/* Find the place of a view as most ops do it, from sizes and strides. Returns 0
 * for other ops. */
static int view_by_strides(const gg__builder *b, unsigned int out,
                           const gg__place *from, gg__place *to, int *err) {
  const gg_apply *a = b->p->nodes.v[gg__value_at(b, out)->node].apply;
  const unsigned int in = gg__in(b->p, a, 0);

  *err = GA_NO_ERROR;
  if (a->op->view == gg__reshape_view || a->op->view == gg__specify_view)
    *err = reshape_strides(b, in, out, from->strides, to->strides);
  else if (a->op == &gg__op_dimshuffle)
    gg__dimshuffle_strides(a, from->strides, gg__item_bytes(b, out),
                           &b->sizes->dims[out], to->strides);
  else if (a->op == &gg__op_slice)
    slice_place(b, a->props, in, from, to);
  else
    return 0;
  return 1;
}

/* For GA_ASSERT: does the op find the same place, or that the view needs a
 * copy? Strides of axes of size 1 do not count. */
__attribute__((unused)) static int op_agrees(gg__builder *b, unsigned int out,
                                             gg__place *from,
                                             const gg__place *to, int err) {
  const gg_dims *d = &b->sizes->dims[out];
  gg__place want = *to;
  const int its = ask_view(b, out, from, &want);

  if (its != err || err != GA_NO_ERROR)
    return its == err || its == GA_MEMORY_ERROR;
  for (unsigned int i = 0; i < d->nd && gg__dims_size(d) != 0; i++)
    if (d->dim[i] != 1 && to->strides[i] != want.strides[i])
      return 0;
  return to->rel == want.rel;
}

int gg__view_place(gg__builder *b, unsigned int out, gg__place *from,
                   gg__place *to) {
  int err;

  GA_ASSERT(from != to);
  to->store = from->store;
  to->rel = from->rel;
  if (!view_by_strides(b, out, from, to, &err))
    return ask_view(b, out, from, to);
  GA_ASSERT(op_agrees(b, out, from, to, err));
  return err;
}

int gg__starts_in_c_order(const gg__builder *b, unsigned int v,
                          const gg__place *x) {
  return x->rel == 0 && gg__are_c_order(b, v, x->strides);
}

/* --- memory for one step --- */

void *gg__step_alloc(gg__builder *b, size_t n, size_t size) {
  void *p = ga__arena_alloc(&b->u->planning.step, n * size);

  if (p == NULL)
    ga__fail_nomem();
  return p;
}

/* --- the builder --- */

/* Does the view surely keep the order of elements? It does if it only adds and
 * drops axes of size 1. */
static int keeps_order(const gg_apply *a) {
  const gg__dimshuffle_props *d = a->props;
  int last = -1;

  if (a->op != &gg__op_dimshuffle)
    return 0;
  for (unsigned int i = 0; i < d->nd; i++) {
    if (d->pattern[i] >= 0 && d->pattern[i] < last)
      return 0;
    if (d->pattern[i] >= 0)
      last = d->pattern[i];
  }
  return 1;
}

/* Find the computed value that a result is a view of, so that it can be
 * computed in the result's memory. That is worth a try if nothing else reads
 * the value, or if the views surely keep C order. */
static void find_viewed(gg__builder *b, unsigned int result) {
  const gg__program *p = b->p;
  unsigned int v = p->results.v[result].value;
  int in_order = 1;

  while (gg__role_of(p, v) == GG_VIEW && p->values.v[v].uses == 1) {
    const gg_apply *a = p->nodes.v[p->values.v[v].node].apply;
    in_order = in_order && keeps_order(a);
    v = gg__in(p, a, 0);
  }
  if (v != p->results.v[result].value &&
      (in_order || p->values.v[v].uses == 1) &&
      p->values.v[v].step != GG_NONE && gg__role_of(p, v) != GG_VIEW &&
      b->result_of[v] == GG_NONE)
    b->viewed_by[v] = result;
}

/* A list of n indices, all GG_NONE; NULL if memory is out. */
static unsigned int *no_indices(gg__builder *b, size_t n) {
  unsigned int *v = ga__arena_alloc(&b->u->planning.lists, n * sizeof *v);

  for (size_t k = 0; v != NULL && k < n; k++)
    v[k] = GG_NONE;
  return v;
}

static int make_lists(gg__builder *b) {
  const gg__program *p = b->p;
  ga__arena *const m = &b->u->planning.lists;

  b->places = ga__arena_alloc(m, p->values.n * sizeof *b->places);
  b->result_of = no_indices(b, p->values.n);
  b->viewed_by = no_indices(b, p->values.n);
  b->shared_store = no_indices(b, p->shared.n);
  b->result_store = no_indices(b, p->results.n);
  b->input_refs = ga__arena_alloc(m, p->arguments.n * sizeof *b->input_refs);
  if (b->plan->results == NULL)
    b->plan->results = ga__calloc(p->results.n, sizeof *b->plan->results);
  return b->places != NULL && b->result_of != NULL && b->viewed_by != NULL &&
                 b->shared_store != NULL && b->result_store != NULL &&
                 b->input_refs != NULL && b->plan->results != NULL
             ? GA_NO_ERROR
             : ga__fail_nomem();
}

int gg__builder_init(gg__builder *b) {
  const gg__program *p = b->p;

  GA_TRY(make_lists(b));
  memset(b->input_refs, 0, p->arguments.n * sizeof *b->input_refs);
  for (size_t k = 0; k < p->values.n; k++)
    b->places[k] = (gg__place){.store = GG_NONE, .uses = p->values.v[k].uses};
  for (size_t k = 0; k < p->results.n; k++) {
    const gg__result *r = &p->results.v[k];
    b->plan->results[k] = b->sizes->dims[r->value];
    if (r->direct)
      b->result_of[r->value] = (unsigned int)k;
  }
  for (size_t k = 0; k < p->results.n; k++)
    if (!p->results.v[k].direct)
      find_viewed(b, (unsigned int)k);
  return GA_NO_ERROR;
}

void gg__builder_clear(gg__builder *b) {
  ga__vec_clear(&b->temp_store);
  gg__temps_clear(&b->temps);
  ga__arena_empty(&b->u->planning.step);
  ga__arena_rewind(&b->u->planning.lists);
}
