/* SPDX-License-Identifier: BSD-2-Clause */
/* Slots of loops and choices, each of which is one launch. */
#include "plan/slots.h"

#include <string.h>

int gg__slots_init(gg__slots *s, gg__builder *b, const gg__step *step,
                   unsigned int extra) {
  const gg_apply *a = step->apply;

  memset(s, 0, sizeof *s);
  s->b = b;
  s->a = a;
  s->node = gg__step_node(b->p, step);
  s->max = a->n_in + a->n_out + extra;
  s->v = gg__step_alloc(b, s->max, sizeof *s->v);
  s->in = gg__step_alloc(b, a->n_in, sizeof *s->in);
  s->out = gg__step_alloc(b, a->n_out, sizeof *s->out);
  if (s->v == NULL || s->in == NULL || s->out == NULL)
    return GA_MEMORY_ERROR;
  for (unsigned int i = 0; i < a->n_in; i++)
    s->in[i] = GG_NONE;
  for (unsigned int i = 0; i < a->n_out; i++)
    s->out[i] = GG_NONE;
  return GA_NO_ERROR;
}

static unsigned int add(gg__slots *s, unsigned int value) {
  gg__slot *x = &s->v[s->n];

  x->place = s->b->places[value];
  gg__make_array(s->b, value, &x->place, &x->array);
  return s->n++;
}

void gg__slots_add_in(gg__slots *s, unsigned int i) {
  s->in[i] = add(s, gg__slots_value(s, s->a->in[i]));
}

int gg__slots_add_out(gg__slots *s, unsigned int i) {
  const unsigned int v = gg__slots_value(s, s->a->out[i]);

  GA_TRY(gg__put_output(s->b, v));
  s->out[i] = add(s, v);
  return GA_NO_ERROR;
}

int gg__slots_add_workspace(gg__slots *s, size_t bytes, unsigned int *slot) {
  gg__slot *x = &s->v[s->n];

  memset(x, 0, sizeof *x);
  GA_TRY(gg__temp_store(s->b, gg__slots_value(s, s->a->out[0]), bytes,
                        &x->place.store));
  x->is_workspace = 1;
  x->bytes = bytes;
  x->place.strides[0] = 1;
  x->array = (GpuArray){.data = s->b->plan->stores.v[x->place.store].data,
                        .nd = 1,
                        .typecode = GA_UBYTE,
                        .flags = GA_WRITEABLE,
                        .dimensions = &x->bytes,
                        .strides = x->place.strides};
  GpuArray_fix_flags(&x->array);
  *slot = s->n++;
  return GA_NO_ERROR;
}

int gg__slots_memory(const gg__slots *s, gpudata ***bufs, size_t **offs) {
  *bufs = gg__step_alloc(s->b, s->n, sizeof **bufs);
  *offs = gg__step_alloc(s->b, s->n, sizeof **offs);
  if (*bufs == NULL || *offs == NULL)
    return GA_MEMORY_ERROR;
  for (unsigned int i = 0; i < s->n; i++) {
    (*bufs)[i] = s->v[i].array.data;
    (*offs)[i] = s->v[i].array.offset;
  }
  return GA_NO_ERROR;
}

int gg__slots_launch(gg__slots *s, GpuLaunch_fn fn, void *state,
                     void (*drop)(void *), const char *provider, size_t made) {
  gg__builder *b = s->b;
  GpuArray **list = gg__step_alloc(b, s->n, sizeof *list);

  if (list == NULL) {
    drop(state);
    return GA_MEMORY_ERROR;
  }
  for (unsigned int i = 0; i < s->n; i++)
    list[i] = &s->v[i].array;
  GpuLaunch *l =
      GpuLaunch_open(gg__context_of(b->p, gg__slots_value(s, s->a->out[0])),
                     s->a->op->name, s->n, list);
  GpuLaunch_host(l, fn, state, drop, provider);
  GA_TRY(GpuLaunch_close(&l, l));
  GA_TRY(gg__add_launch(b, l, 0));
  b->plan->launches.v[b->plan->launches.n - 1].made = made;
  for (unsigned int i = 0; i < s->n; i++)
    GA_TRY(gg__add_binding(b, i, &s->v[i].place, 0));
  return GA_NO_ERROR;
}

void *gg__old_state(GpuLaunch_fn fn) {
  GpuLaunch *l = GpuLaunch_renew(NULL);
  void *state = l != NULL ? GpuLaunch_state(l, fn) : NULL;

  GpuLaunch_renew(l);
  return state;
}

void gg__slots_release(gg__slots *s) {
  for (unsigned int i = 0; i < s->n; i++)
    if (s->v[i].is_workspace)
      gg__release_store(s->b, s->v[i].place.store);
  for (unsigned int i = 0; i < s->a->n_out; i++) {
    unsigned int v = gg__slots_value(s, s->a->out[i]);
    if (s->out[i] != GG_NONE && s->b->places[v].uses == 0)
      gg__release_store(s->b, s->b->places[v].store);
  }
}
