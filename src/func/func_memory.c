/* SPDX-License-Identifier: BSD-2-Clause */
/* Whose memory calls use: arguments that they may overwrite, outputs that are
 * views of what lies elsewhere, and what functions give back between calls. */
#include <string.h>

#include "func/func.h"

/* --- what the spec says --- */

/* By variable of `of`, n of them: is it in the list? NULL for an empty list. */
static int mark_listed(gg_func *f, gg_var *const *list, gg_var *const *of,
                       size_t n, unsigned char **out) {
  *out = NULL;
  if (list == NULL || list[0] == NULL)
    return GA_NO_ERROR;
  *out = ga__arena_alloc(&f->p.arena, n);
  if (*out == NULL)
    return ga__fail_nomem();
  for (size_t i = 0; i < n; i++)
    (*out)[i] = (unsigned char)gg__list_has(list, of[i]);
  return GA_NO_ERROR;
}

int gg__memory_init(gg_func *f, const gg_func_spec *spec) {
  GA_TRY(mark_listed(f, spec->mutable_inputs, spec->inputs, f->p.arguments.n,
                     &f->overwrites));
  return mark_listed(f, spec->borrowed_outputs, spec->outputs, f->p.n_outputs,
                     &f->borrows);
}

int gg__memory_copy(gg_func *f, const gg_func *from,
                    const unsigned int *outputs) {
  if (from->overwrites != NULL) {
    f->overwrites =
        ga__arena_dup(&f->p.arena, from->overwrites, f->p.arguments.n);
    if (f->overwrites == NULL)
      return ga__fail_nomem();
  }
  if (from->borrows == NULL || f->p.n_outputs == 0)
    return GA_NO_ERROR;
  f->borrows = ga__arena_alloc(&f->p.arena, f->p.n_outputs);
  if (f->borrows == NULL)
    return ga__fail_nomem();
  for (size_t k = 0; k < f->p.n_outputs; k++)
    f->borrows[k] = from->borrows[outputs != NULL ? outputs[k] : k];
  return GA_NO_ERROR;
}

/* --- arguments --- */

static const GpuArray *value_of(const gg_func *f, size_t shared) {
  return &f->p.shared.v[shared].storage->value;
}

static int is_lent_out(const gg_func *f, size_t shared) {
  return f->p.shared.v[shared].storage->lent;
}

/* Is it a shared variable's memory, of one that is updated if `updated`? */
static int is_shared(const gg_func *f, const GpuArray *a, int updated) {
  for (size_t k = 0; k < f->p.shared.n; k++)
    if (is_lent_out(f, k) && (!updated || f->p.shared.v[k].result != GG_NONE) &&
        GpuArray_share(a, value_of(f, k)))
      return 1;
  return 0;
}

static int is_other(const gg_func *f, GpuArray *const *in, size_t i) {
  for (size_t k = 0; k < f->p.arguments.n; k++)
    if (k != i && in[k] != NULL && GpuArray_share(in[i], in[k]))
      return 1;
  return 0;
}

/* Must a call leave argument i alone where its kernels would not? */
static int needs_copy(const gg_func *f, GpuArray *const *in, size_t i) {
  const GpuArray *a = in[i];

  if (a == NULL || a->data == NULL)
    return 0; /* refused later */
  if (f->overwrites == NULL || !f->overwrites[i])
    return is_shared(f, a, 1);
  return (f->defaults != NULL && a == &f->defaults[i]) ||
         !GpuArray_CHKFLAGS(a, GA_WRITEABLE) || is_shared(f, a, 0) ||
         is_other(f, in, i);
}

static int copy_argument(gg_func *f, GpuArray *const **in, size_t i) {
  GA_TRY(gg__given_init(f));
  if (*in != f->given) {
    memcpy(f->given, *in, f->p.arguments.n * sizeof *f->given);
    *in = f->given;
  }
  if (f->copies == NULL)
    f->copies = ga__calloc(f->p.arguments.n, sizeof *f->copies);
  if (f->copies == NULL)
    return ga__fail_nomem();
  GA_TRY(gg__copy_input(f, i, f->given[i], &f->copies[i]));
  f->given[i] = &f->copies[i];
  return GA_NO_ERROR;
}

/* Two variables in the same memory would both be new after an update. */
static int check_apart(const gg_func *f, size_t k) {
  const gg__shared *s = f->p.shared.v;

  for (size_t i = 0; i < f->p.shared.n; i++)
    if (i != k && (s[i].result != GG_NONE || s[k].result != GG_NONE) &&
        GpuArray_share(value_of(f, i), value_of(f, k)))
      return ga__fail(GA_VALUE_ERROR,
                      "%s and %s share memory and one is updated",
                      gg__display_name(s[i < k ? i : k].var),
                      gg__display_name(s[i < k ? k : i].var));
  return GA_NO_ERROR;
}

/* Has it got other memory since the last call? */
static int is_new(const gg_func *f, size_t shared) {
  return f->p.shared.v[shared].storage->version != f->versions[shared];
}

int gg__guard_arguments(gg_func *f, GpuArray *const **in) {
  int any = f->overwrites != NULL;

  for (size_t k = 0; k < f->p.shared.n; k++)
    if (is_lent_out(f, k)) {
      any = 1;
      if (is_new(f, k))
        GA_TRY(check_apart(f, k));
    }
  for (size_t k = 0; *in != NULL && k < f->p.arguments.n; k++)
    if (gg__is_cast(f, k, (*in)[k]) || (any && needs_copy(f, *in, k)))
      GA_TRY(copy_argument(f, in, k));
  return GA_NO_ERROR;
}

void gg__guard_clear(gg_func *f) {
  for (size_t k = 0; f->copies != NULL && k < f->p.arguments.n; k++)
    GpuArray_clear(&f->copies[k]);
}

/* --- outputs --- */

int gg__is_lent(const gg__plan *p, unsigned int k) {
  for (size_t i = 0; i < p->lent.n; i++)
    if (p->lent.v[i].output == k)
      return 1;
  return 0;
}

static int is_writeable(const gg__store *s, GpuArray *const *in) {
  return s->kind == GG_STORE_INPUT
             ? GpuArray_CHKFLAGS(in[s->number], GA_WRITEABLE)
             : s->kind != GG_STORE_CONST;
}

static int lend_output(gg_func *f, const gg__plan *p, const gg__lent *x,
                       GpuArray *const *in) {
  const gg__store *s = &p->stores.v[x->store];
  const gg_dims *d = &p->results[x->output];
  const gg_var *v = f->p.values.v[f->p.results.v[x->output].value].var;
  const GpuArray *to =
      s->kind == GG_STORE_OUTPUT ? f->targets[s->number] : NULL;
  gpudata *data = to != NULL ? to->data : s->data;
  const size_t start = to != NULL ? to->offset : s->offset;

  GpuArray_clear(&f->fresh[x->output]);
  f->targets[x->output] = &f->fresh[x->output];
  if (s->kind == GG_STORE_SHARED)
    f->p.shared.v[s->number].storage->lent = 1;
  return GpuArray_fromdata(&f->fresh[x->output], data,
                           (size_t)((ssize_t)start + x->rel), v->type.dtype,
                           d->nd, d->dim, x->strides, is_writeable(s, in));
}

int gg__lend_outputs(gg_func *f, const gg__plan *p, GpuArray *const *in) {
  for (size_t k = 0; k < p->lent.n; k++)
    GA_TRY(lend_output(f, p, &p->lent.v[k], in));
  return GA_NO_ERROR;
}

/* --- giving back --- */

static void trim(gg_func *f) {
  gg__parts_clear(f);
  gg__drop_plans(f);
  gg__temps_free(f, NULL);
  f->temps.n = 0;
  for (size_t k = 0; k < f->p.consts.n; k++) {
    gpudata_release(f->consts[k]);
    f->consts[k] = NULL;
  }
  for (size_t k = 0; k < f->p.shared.n; k++) {
    gpudata_release(f->spares[k].data);
    f->spares[k] = (gg__temp){.context = f->spares[k].context};
  }
  for (size_t k = 0; k < f->p.nodes.n; k++)
    for (int i = 0; i < 2; i++)
      if (f->p.nodes.v[k].inner[i] != NULL)
        trim(f->p.nodes.v[k].inner[i]);
  if (f->plain != NULL)
    trim(f->plain);
}

void gg_func_trim(gg_func *f) {
  if (f == NULL)
    return;
  pthread_mutex_lock(&f->lock);
  trim(f);
  pthread_mutex_unlock(&f->lock);
}
