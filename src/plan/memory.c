/* SPDX-License-Identifier: BSD-2-Clause */
/* Buffers that belong to a function.
 *
 * Temporaries are shared by all plans of a function, since one call at a time
 * runs and work is done in order. While a plan is made, a temporary that no
 * value needs any more is handed out again, and replaced by a larger one where
 * that is what it takes. */
#include <gpuarray/guard.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "ops/value_size.h"
#include "plan/plan.h"

static int allocate(gpucontext *ctx, size_t bytes, void *host, gpudata **out) {
  int err = GA_NO_ERROR;

  *out =
      gpudata_alloc(ctx, bytes, host, host != NULL ? GA_BUFFER_INIT : 0, &err);
  return *out != NULL ? GA_NO_ERROR : err;
}

/* --- guards: bytes around what the steps of a function in debug mode write,
 * which no kernel should touch --- */

int gg__has_guards(const gg_func *f) {
  return (f->watch & GG_WATCH_ENDS) != 0;
}

int gg__is_watched(const gg_func *f) {
  return f->watch != 0;
}

int gg__alloc_watched(gg_func *f, gpucontext *ctx, size_t bytes,
                      gpudata **out) {
  int err = GA_NO_ERROR;

  if (!gg__has_guards(f))
    return allocate(ctx, bytes, NULL, out);
  *out = gpudata_alloc_guarded(ctx, bytes, &err);
  return *out != NULL ? GA_NO_ERROR : err;
}

/* Is memory of this store in a slot of one of the step's launches? */
static int is_at_hand(const gg__plan *p, const gg__store *s,
                      unsigned int step) {
  for (unsigned int i = 0; i < s->n; i++)
    if (p->launches.v[p->bindings.v[s->first + i].launch].step == step)
      return 1;
  return 0;
}

/* Where a store lies during a call: outputs that lie in others' memory and
 * stores without slots are not bound. */
static int check_store(const gg_func *f, const gg__store *s,
                       const gg__step *step) {
  if (s->data == NULL)
    return GA_NO_ERROR;
  int err = gpudata_check_guards(s->data);
  if (err == GA_NO_ERROR)
    return err;
  return gg__blame(ga__fail(err, "%s: %s", step->label, ga__err_text(err)),
                   gg__step_var(&f->p, step));
}

int gg__guards_check(const gg_func *f, const gg__plan *p, unsigned int step) {
  for (size_t k = 0; k < p->stores.n && gg__has_guards(f); k++)
    if (is_at_hand(p, &p->stores.v[k], step))
      GA_TRY(check_store(f, &p->stores.v[k], f->p.steps.v[step]));
  return GA_NO_ERROR;
}

void gg__watch_inside(gg_func *f, int what) {
  f->watch |= what;
  for (size_t k = 0; k < f->p.nodes.n; k++)
    for (int i = 0; i < 2; i++)
      if (f->p.nodes.v[k].inner[i] != NULL)
        gg__watch_inside(f->p.nodes.v[k].inner[i], what);
}

/* Make `t` at least `bytes` long, and no shorter than it was; what it held is
 * lost. */
static int fit(gg_func *f, gg__temp *t, gpucontext *ctx, size_t bytes) {
  gpudata *data;

  if (t->data != NULL && t->bytes >= bytes &&
      (!gg__has_guards(f) || gpudata_has_guards(t->data)))
    return GA_NO_ERROR;
  if (t->bytes > bytes)
    bytes = t->bytes;
  GA_TRY(gg__alloc_watched(f, ctx, bytes, &data));
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
  return a->number < b->number ? -1 : a->number > b->number;
}

/* The place in the list of the first that does not come before `x`. */
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

/* Of the idle ones in a context the smallest that is large enough, else the
 * largest; of equals the first. idle.n if there is none. */
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

/* There is room. */
static void add_idle(gg__temps *t, unsigned int number) {
  const gg__temp *temp = &t->f->temps.v[number];
  const gg__idle x = {temp->context, number, temp->bytes};
  const size_t place = place_of(t, &x);

  memmove(&t->idle.v[place + 1], &t->idle.v[place],
          (t->idle.n - place) * sizeof *t->idle.v);
  t->idle.v[place] = x;
  t->idle.n++;
}

/* List the temporaries that plans before this one have left. */
static int list_temps(gg__temps *t) {
  if (t->refs.n != 0)
    return GA_NO_ERROR;
  for (unsigned int k = 0; k < t->f->temps.n; k++) {
    const gg__temp *temp = &t->f->temps.v[k];
    GA_TRY(ga__vec_push(&t->refs, 0));
    GA_TRY(ga__vec_push(&t->idle, ((gg__idle){temp->context, k, temp->bytes})));
  }
  if (t->idle.n > 1)
    qsort(t->idle.v, t->idle.n, sizeof *t->idle.v, compare_idle);
  return GA_NO_ERROR;
}

/* A temporary without memory, and room for it in the list of idle ones. */
static int new_temp(gg__temps *t, unsigned int context, unsigned int *number) {
  const gg__temp none = {.context = context};

  if (t->idle.cap <= t->refs.n)
    GA_TRY(ga__vec_grow((void **)&t->idle.v, t->idle.cap, &t->idle.cap,
                        sizeof *t->idle.v));
  *number = (unsigned int)t->refs.n;
  GA_TRY(ga__vec_push(&t->refs, 0));
  return ga__vec_push(&t->f->temps, none);
}

int gg__temp_take(gg__temps *t, unsigned int context, size_t bytes,
                  unsigned int *number) {
  GA_TRY(list_temps(t));
  size_t place = choose(t, context, bytes);
  if (place == t->idle.n) {
    GA_TRY(new_temp(t, context, number));
  } else {
    *number = t->idle.v[place].number;
    remove_idle(t, place);
  }
  GA_TRY(fit(t->f, &t->f->temps.v[*number], t->f->p.contexts.v[context].ctx,
             bytes));
  t->refs.v[*number] = 1;
  return GA_NO_ERROR;
}

void gg__temp_retain(gg__temps *t, unsigned int number) {
  t->refs.v[number]++;
}

void gg__temp_release(gg__temps *t, unsigned int number) {
  if (--t->refs.v[number] == 0)
    add_idle(t, number);
}

void gg__temps_clear(gg__temps *t) {
  ga__vec_clear(&t->refs);
  ga__vec_clear(&t->idle);
}

/* Let a plan's launches forget the function's intermediate buffers. */
static void unbind_temps(gg__plan *p) {
  for (size_t k = 0; k < p->stores.n; k++) {
    gg__store *s = &p->stores.v[k];
    if (s->kind != GG_STORE_TEMP || s->data == NULL)
      continue;
    const gg__binding *b = p->bindings.v + s->first;
    for (unsigned int i = 0; i < s->n; i++)
      if (p->launches.v[b[i].launch].launch != NULL)
        GpuLaunch_unbind(p->launches.v[b[i].launch].launch, b[i].slot);
    s->data = NULL;
  }
}

void gg__temps_free(gg_func *f, gg__plan *p) {
  if (p != NULL)
    unbind_temps(p);
  for (size_t k = 0; k < f->temps.n; k++) {
    gpudata_release(f->temps.v[k].data);
    f->temps.v[k].data = NULL;
  }
  f->active = NULL;
}

/* --- outputs --- */

int gg__output_memory(gg_func *f, unsigned int k, const gg_dims *d) {
  const gg_type *t = &f->p.values.v[f->p.results.v[k].value].var->type;
  GpuArray *a = &f->fresh[k];
  gpudata *data;

  if (f->targets[k] != a || a->data != NULL)
    return GA_NO_ERROR;
  GA_TRY(GpuArray_empty(a, t->ctx, t->dtype, d->nd, d->dim, GA_C_ORDER));
  if (!gg__has_guards(f))
    return GA_NO_ERROR;
  GA_TRY(gg__alloc_watched(f, t->ctx,
                           gg__dims_size(d) * ga__dtype_size(t->dtype), &data));
  gpudata_release(a->data);
  a->data = data;
  return GA_NO_ERROR;
}

/* --- stores --- */

/* The value of a shared variable that is updated in place moves to memory with
 * guards, once. */
static int guard_shared(gg_func *f, unsigned int number) {
  const gg__shared *x = &f->p.shared.v[number];
  GpuArray *a = &x->storage->value;
  const size_t bytes = gg__array_bytes(a);
  gpudata *data;

  if (!gg__has_guards(f) || x->result == GG_NONE ||
      !f->p.results.v[x->result].in_place || gpudata_has_guards(a->data))
    return GA_NO_ERROR;
  GA_TRY(gg__alloc_watched(f, x->var->type.ctx, bytes, &data));
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

int gg__store_fill(gg_func *f, const gg__plan *p, const gg__store *s) {
  if (s->kind == GG_STORE_TEMP) {
    gg__temp *t = &f->temps.v[s->number];
    return fit(f, t, f->p.contexts.v[t->context].ctx, t->bytes);
  }
  if (s->kind == GG_STORE_SHARED)
    return guard_shared(f, s->number);
  if (s->kind != GG_STORE_SPARE)
    return GA_NO_ERROR;
  /* The buffer that it changed places with may be smaller. */
  const gg__shared *x = &f->p.shared.v[s->number];
  size_t bytes = gg__dims_size(&p->results[x->result]) *
                 ga__dtype_size(x->var->type.dtype);
  return fit(f, &f->spares[s->number], x->var->type.ctx, bytes);
}

/* --- constants, spares, copiers --- */

int gg__const_data(gg_func *f, unsigned int number, gpudata **out) {
  const gg_var *v = f->p.values.v[f->p.consts.v[number]].var;
  void *host = (void *)v->data; /* only read */

  *out = f->consts[number];
  if (*out != NULL)
    return GA_NO_ERROR;
  GA_TRY(allocate(v->type.ctx, v->data_bytes, v->data_bytes != 0 ? host : NULL,
                  out));
  f->consts[number] = *out;
  return GA_NO_ERROR;
}

int gg__spare_data(gg_func *f, unsigned int shared, size_t bytes,
                   gpudata **out) {
  GA_TRY(
      fit(f, &f->spares[shared], f->p.shared.v[shared].var->type.ctx, bytes));
  *out = f->spares[shared].data;
  return GA_NO_ERROR;
}

int gg__copier_get(gg_func *f, unsigned int context, int dtype,
                   GpuElemwise **out) {
  gpuelemwise_arg args[2] = {{"i", dtype, GE_READ}, {"o", dtype, GE_WRITE}};
  gg__copier c = {context, dtype, NULL};

  for (size_t k = 0; k < f->copiers.n; k++)
    if (f->copiers.v[k].context == context && f->copiers.v[k].dtype == dtype) {
      *out = f->copiers.v[k].ge;
      return GA_NO_ERROR;
    }
  c.ge = GpuElemwise_new(f->p.contexts.v[context].ctx, NULL, "o = i;", 2, args,
                         1, GE_VECTOR);
  if (c.ge == NULL)
    return gpuarray_error_code();
  int err = ga__vec_push(&f->copiers, c);
  if (err != GA_NO_ERROR)
    GpuElemwise_free(c.ge);
  *out = c.ge;
  return err;
}
