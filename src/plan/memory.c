/* SPDX-License-Identifier: BSD-2-Clause */
/* Buffers of a unit.
 *
 * All its plans share its temporaries. While a plan is made, a temporary that
 * no value needs any more is used again, with a larger buffer if it is too
 * small. */
#include <gpuarray/guard.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "ops/value_size.h"
#include "plan/unit.h"

static int allocate(gpucontext *ctx, size_t bytes, void *host, gpudata **out) {
  int err = GA_NO_ERROR;

  *out =
      gpudata_alloc(ctx, bytes, host, host != NULL ? GA_BUFFER_INIT : 0, &err);
  return *out != NULL ? GA_NO_ERROR : err;
}

/* --- guards: in debug mode, bytes around the buffers that steps write to,
 * which no kernel should change --- */

static int has_guards(const gg__unit *u) {
  return (u->watch & GG_WATCH_ENDS) != 0;
}

static int alloc_watched(gg__unit *u, gpucontext *ctx, size_t bytes,
                         gpudata **out) {
  int err = GA_NO_ERROR;

  if (!has_guards(u))
    return allocate(ctx, bytes, NULL, out);
  *out = gpudata_alloc_guarded(ctx, bytes, &err);
  return *out != NULL ? GA_NO_ERROR : err;
}

/* Does a slot of one of the step's launches hold this store? */
static int is_at_hand(const gg__plan *p, const gg__store *s,
                      unsigned int step) {
  for (unsigned int i = 0; i < s->n; i++)
    if (p->launches.v[p->bindings.v[s->first + i].launch].step == step)
      return 1;
  return 0;
}

/* Outputs that are views, and stores without slots, are not bound and not
 * checked. */
static int check_store(const gg__unit *u, const gg__store *s,
                       const gg__step *step) {
  if (s->data == NULL)
    return GA_NO_ERROR;
  int err = gpudata_check_guards(s->data);
  if (err == GA_NO_ERROR)
    return err;
  return gg__blame(ga__fail(err, "%s: %s", step->label, ga__err_text(err)),
                   gg__step_var(&u->program, step));
}

int gg__guards_check(const gg__unit *u, const gg__plan *p, unsigned int step) {
  for (size_t k = 0; k < p->stores.n && has_guards(u); k++)
    if (is_at_hand(p, &p->stores.v[k], step))
      GA_TRY(check_store(u, &p->stores.v[k], u->program.steps.v[step]));
  return GA_NO_ERROR;
}

/* Make `t` at least `bytes` long, and no shorter than it was. Its content may
 * be lost. */
static int fit(gg__unit *u, gg__temp *t, gpucontext *ctx, size_t bytes) {
  gpudata *data;

  if (t->data != NULL && t->bytes >= bytes &&
      (!has_guards(u) || gpudata_has_guards(t->data)))
    return GA_NO_ERROR;
  if (t->bytes > bytes)
    bytes = t->bytes;
  GA_TRY(alloc_watched(u, ctx, bytes, &data));
  gpudata_release(t->data);
  t->data = data;
  t->bytes = bytes;
  return GA_NO_ERROR;
}

/* --- temporaries --- */

static int compare_idle(const void *x, const void *y) {
  const gg__idle *a = x, *b = y;

  if (a->context != b->context)
    return a->context < b->context ? -1 : 1;
  if (a->bytes != b->bytes)
    return a->bytes < b->bytes ? -1 : 1;
  return a->index < b->index ? -1 : a->index > b->index;
}

/* The index in the idle list of the first entry that is not less than `x`. */
static size_t place_of(const gg__temps *t, const gg__idle *x) {
  size_t low = 0, high = t->idle.n;

  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (compare_idle(&t->idle.v[middle], x) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static int is_in(const gg__temps *t, size_t place, unsigned int context) {
  return place < t->idle.n && t->idle.v[place].context == context;
}

/* Choose an idle temporary of a context: the smallest that is large enough,
 * else the largest; of equals the first. Returns its index in the idle list, or
 * idle.n if there is none. */
static size_t choose(const gg__temps *t, unsigned int context, size_t bytes) {
  gg__idle x = {context, 0, bytes};
  const size_t place = place_of(t, &x);

  if (is_in(t, place, context))
    return place;
  if (place == 0 || !is_in(t, place - 1, context))
    return t->idle.n;
  x.bytes = t->idle.v[place - 1].bytes;
  return place_of(t, &x);
}

static void remove_idle(gg__temps *t, size_t place) {
  t->idle.n--;
  memmove(&t->idle.v[place], &t->idle.v[place + 1],
          (t->idle.n - place) * sizeof *t->idle.v);
}

/* The idle list has capacity for every temporary (new_temp). */
static void add_idle(gg__temps *t, unsigned int index) {
  const gg__temp *temp = &t->u->memory.temps.v[index];
  const gg__idle x = {temp->context, index, temp->bytes};
  const size_t place = place_of(t, &x);

  GA_ASSERT(t->idle.n < t->idle.cap);
  memmove(&t->idle.v[place + 1], &t->idle.v[place],
          (t->idle.n - place) * sizeof *t->idle.v);
  t->idle.v[place] = x;
  t->idle.n++;
}

/* List the temporaries that earlier plans have made. All are idle. */
static int list_temps(gg__temps *t) {
  if (t->refs.n != 0)
    return GA_NO_ERROR;
  for (unsigned int k = 0; k < t->u->memory.temps.n; k++) {
    const gg__temp *temp = &t->u->memory.temps.v[k];
    GA_TRY(ga__vec_push(&t->refs, 0));
    GA_TRY(ga__vec_push(&t->idle, ((gg__idle){temp->context, k, temp->bytes})));
  }
  if (t->idle.n > 1)
    qsort(t->idle.v, t->idle.n, sizeof *t->idle.v, compare_idle);
  return GA_NO_ERROR;
}

/* Add a temporary without memory, and capacity for it to the idle list. */
static int new_temp(gg__temps *t, unsigned int context, unsigned int *index) {
  const gg__temp none = {.context = context};

  if (t->idle.cap <= t->refs.n)
    GA_TRY(ga__vec_grow((void **)&t->idle.v, t->idle.cap, &t->idle.cap,
                        sizeof *t->idle.v));
  *index = (unsigned int)t->refs.n;
  GA_TRY(ga__vec_push(&t->refs, 0));
  return ga__vec_push(&t->u->memory.temps, none);
}

int gg__temp_take(gg__temps *t, unsigned int context, size_t bytes,
                  unsigned int *index) {
  GA_TRY(list_temps(t));
  size_t place = choose(t, context, bytes);
  if (place == t->idle.n) {
    GA_TRY(new_temp(t, context, index));
  } else {
    *index = t->idle.v[place].index;
    remove_idle(t, place);
  }
  GA_TRY(fit(t->u, &t->u->memory.temps.v[*index],
             t->u->program.contexts.v[context].ctx, bytes));
  GA_ASSERT(t->refs.v[*index] == 0);
  t->refs.v[*index] = 1;
  return GA_NO_ERROR;
}

void gg__temp_retain(gg__temps *t, unsigned int index) {
  GA_ASSERT(t->refs.v[index] > 0);
  t->refs.v[index]++;
}

void gg__temp_release(gg__temps *t, unsigned int index) {
  GA_ASSERT(t->refs.v[index] > 0);
  if (--t->refs.v[index] == 0)
    add_idle(t, index);
}

void gg__temps_clear(gg__temps *t) {
  ga__vec_clear(&t->refs);
  ga__vec_clear(&t->idle);
}

void gg__unbind(gg__plan *p, gg__store_kind kind) {
  for (size_t k = 0; k < p->stores.n; k++) {
    gg__store *s = &p->stores.v[k];
    if (s->kind != kind)
      continue;
    for (unsigned int i = 0; i < s->n; i++) {
      const gg__binding *b = &p->bindings.v[s->first + i];
      if (p->launches.v[b->launch].launch != NULL)
        GpuLaunch_unbind(p->launches.v[b->launch].launch, b->slot);
    }
    s->data = NULL;
  }
}

void gg__temps_free(gg__unit *u, gg__plan *p) {
  if (p != NULL)
    gg__unbind(p, GG_STORE_TEMP);
  for (size_t k = 0; k < u->memory.temps.n; k++) {
    gpudata_release(u->memory.temps.v[k].data);
    u->memory.temps.v[k].data = NULL;
  }
  u->bound = NULL;
}

/* --- outputs --- */

int gg__output_memory(gg__unit *u, unsigned int k, const gg_dims *d) {
  const gg_type *t =
      &u->program.values.v[u->program.results.v[k].value].var->type;
  GpuArray *a = &u->frame.fresh[k];
  gpudata *data;

  if (u->frame.out[k] != a || a->data != NULL)
    return GA_NO_ERROR;
  GA_TRY(GpuArray_empty(a, t->ctx, t->dtype, d->nd, d->dim, GA_C_ORDER));
  if (!has_guards(u))
    return GA_NO_ERROR;
  GA_TRY(alloc_watched(u, t->ctx, gg__dims_size(d) * ga__dtype_size(t->dtype),
                       &data));
  gpudata_release(a->data);
  a->data = data;
  return GA_NO_ERROR;
}

/* --- stores --- */

/* Move the value of a shared variable that is updated in place to memory with
 * guards, unless it has them. */
static int guard_shared(gg__unit *u, unsigned int index) {
  const gg__shared *x = &u->program.shared.v[index];
  GpuArray *a = &x->storage->value;
  const size_t bytes = gg__array_bytes(a);
  gpudata *data;

  if (!has_guards(u) || x->result == GG_NONE ||
      !u->program.results.v[x->result].in_place || gpudata_has_guards(a->data))
    return GA_NO_ERROR;
  GA_TRY(alloc_watched(u, x->var->type.ctx, bytes, &data));
  int err = gpudata_move(data, 0, a->data, a->offset, bytes);
  if (err != GA_NO_ERROR) {
    gpudata_release(data);
    return err;
  }
  gpudata_release(a->data);
  a->data = data;
  a->offset = 0;
  x->storage->version++;
  x->storage->lent = 0;
  return GA_NO_ERROR;
}

/* Make sure that a temporary or a spare has its memory, and that with
 * GG_WATCH_ENDS a shared variable has guards. */
static int fill_store(gg__unit *u, const gg__plan *p, const gg__store *s) {
  if (s->kind == GG_STORE_TEMP) {
    gg__temp *t = &u->memory.temps.v[s->index];
    return fit(u, t, u->program.contexts.v[t->context].ctx, t->bytes);
  }
  if (s->kind == GG_STORE_SHARED)
    return guard_shared(u, s->index);
  if (s->kind != GG_STORE_SPARE)
    return GA_NO_ERROR;
  /* The buffer that it was swapped with may be smaller. */
  const gg__shared *x = &u->program.shared.v[s->index];
  size_t bytes = gg__dims_size(&p->results[x->result]) *
                 ga__dtype_size(x->var->type.dtype);
  return fit(u, &u->memory.spares[s->index], x->var->type.ctx, bytes);
}

void gg__store_find(const gg__unit *u, const gg__plan *p, const gg__store *s,
                    gpudata **data, size_t *offset) {
  const GpuArray *a = NULL;

  *offset = 0;
  switch (s->kind) {
  case GG_STORE_INPUT:
    a = u->frame.in[s->index];
    break;
  case GG_STORE_OUTPUT:
    a = u->frame.out[s->index];
    break;
  case GG_STORE_SHARED:
    a = &u->program.shared.v[s->index].storage->value;
    break;
  case GG_STORE_SPARE:
    *data = u->memory.spares[s->index].data;
    return;
  case GG_STORE_TEMP:
    *data = u->memory.temps.v[s->index].data;
    return;
  case GG_STORE_CONST:
    *data = u->memory.consts[s->index];
    return;
  case GG_STORE_TABLE:
    *data = p->tables.v[s->index];
    return;
  }
  *data = a->data;
  *offset = a->offset;
}

/* `from`: where the store begins in its memory. */
static int bind_slot(gg__plan *p, const gg__binding *b, gpudata *data,
                     size_t from) {
  const size_t offset = (size_t)((ssize_t)from + b->rel);
  gg__launch *x = &p->launches.v[b->launch];

  if (x->launch != NULL)
    return GpuLaunch_bind(x->launch, b->slot, data, offset);
  x->data = data;
  x->offset = offset;
  return GA_NO_ERROR;
}

int gg__store_bind(gg__plan *p, gg__store *s, gpudata *data, size_t offset) {
  if (data == s->data && offset == s->offset)
    return GA_NO_ERROR;
  s->data = NULL; /* on failure only some slots are bound */
  for (unsigned int i = 0; i < s->n; i++)
    GA_TRY(bind_slot(p, &p->bindings.v[s->first + i], data, offset));
  s->data = data;
  s->offset = offset;
  return GA_NO_ERROR;
}

int gg__store_refresh(gg__unit *u, gg__plan *p, gg__store *s) {
  gpudata *data;
  size_t offset;

  GA_TRY(fill_store(u, p, s));
  gg__store_find(u, p, s, &data, &offset);
  return gg__store_bind(p, s, data, offset);
}

/* --- constants, spares --- */

/* Copy the elements of a constant to `to`, its channels last. */
static void turn_constant(const gg_var *v, char *to) {
  const size_t item = ga__dtype_size(v->type.dtype);
  const size_t channels = (size_t)v->type.dims[1];
  const size_t images = (size_t)v->type.dims[0];
  const size_t pixels = v->data_bytes / item / (images * channels);
  const char *from = v->data;

  for (size_t i = 0; i < images; i++)
    for (size_t c = 0; c < channels; c++)
      for (size_t p = 0; p < pixels; p++, from += item)
        memcpy(to + ((i * pixels + p) * channels + c) * item, from, item);
}

int gg__const_copy(gg__unit *u, unsigned int k, int is_last,
                   unsigned int *index) {
  const gg_var *v = u->program.values.v[u->program.consts.v[k]].var;
  void *host = v->data_bytes != 0 ? (void *)v->data : NULL; /* only read */
  void *turned = NULL;

  *index = 2 * k + (is_last != 0);
  if (u->memory.consts[*index] != NULL)
    return GA_NO_ERROR;
  if (is_last) {
    host = turned = ga__malloc(v->data_bytes);
    if (turned == NULL)
      return ga__fail_nomem();
    turn_constant(v, turned);
  }
  const int err =
      allocate(v->type.ctx, v->data_bytes, host, &u->memory.consts[*index]);
  ga__free(turned);
  return err;
}

int gg__spare_data(gg__unit *u, unsigned int shared, size_t bytes,
                   gpudata **out) {
  GA_TRY(fit(u, &u->memory.spares[shared],
             u->program.shared.v[shared].var->type.ctx, bytes));
  *out = u->memory.spares[shared].data;
  return GA_NO_ERROR;
}
