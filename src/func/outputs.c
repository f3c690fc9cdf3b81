/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the outputs of a call go: into the caller's arrays where they will do,
 * else into new ones that take their place when the call has succeeded. */
#include <string.h>

#include "base/dtype.h"
#include "func/func.h"
#include "ops/value_size.h"

static int has_sizes(const GpuArray *a, const gg_type *t, const gg_dims *d) {
  return ga__dtype_canon(a->typecode) == t->dtype && a->nd == d->nd &&
         (d->nd == 0 ||
          memcmp(a->dimensions, d->dim, d->nd * sizeof d->dim[0]) == 0);
}

/* Can output k be written to the caller's array? */
static int can_reuse(const gg_func *f, unsigned int k, const gg_dims *d,
                     GpuArray *const *in, const GpuArray *a) {
  const gg_var *v = f->p.values.v[f->p.results.v[k].value].var;

  if (a->data == NULL || !has_sizes(a, &v->type, d) ||
      !GpuArray_CHKFLAGS(a, GA_CARRAY) || GpuArray_context(a) != v->type.ctx)
    return 0;
  for (size_t i = 0; i < f->p.arguments.n; i++)
    if (GpuArray_share(a, in[i]))
      return 0;
  for (size_t i = 0; i < f->p.shared.n; i++)
    if (a->data == f->p.shared.v[i].storage->value.data)
      return 0;
  for (size_t i = 0; i < k; i++)
    if (GpuArray_share(a, f->targets[i]))
      return 0;
  return 1;
}

static int is_bound(const gg__store *s, const GpuArray *a) {
  return a->data == s->data && a->offset == s->offset;
}

int gg__nothing_moved(const gg_func *f, const gg__plan *p, GpuArray *const *in,
                      GpuArray *const *out) {
  size_t n_inputs = 0;

  if (p == NULL || p != f->active || gg__is_watched(f))
    return 0;
  for (size_t k = 0; k < p->outside.n; k++) {
    const gg__store *s = &p->stores.v[p->outside.v[k]];
    n_inputs += s->kind == GG_STORE_INPUT;
    if (s->kind == GG_STORE_INPUT && !is_bound(s, in[s->number]))
      return 0;
    if (s->kind != GG_STORE_OUTPUT)
      continue;
    const gg_type *t =
        &f->p.values.v[f->p.results.v[s->number].value].var->type;
    if (!is_bound(s, out[s->number]) ||
        !has_sizes(out[s->number], t, &p->results[s->number]) ||
        !GpuArray_CHKFLAGS(out[s->number], GA_CARRAY))
      return 0;
  }
  /* Inputs that no kernel reads may be where an output is now. */
  return n_inputs == f->p.arguments.n;
}

/* May output k turn out to be a view, which needs no memory of its own? */
static int may_be_lent(const gg_func *f, unsigned int k) {
  return f->borrows != NULL && f->borrows[k];
}

int gg__prepare_outputs(gg_func *f, const gg__plan *p, const gg_dims *dims,
                        GpuArray *const *in, GpuArray *const *out) {
  for (unsigned int k = 0; k < f->p.n_outputs; k++) {
    f->targets[k] = &f->fresh[k]; /* gg__lend_outputs fills in what is lent */
    if (p != NULL && gg__is_lent(p, k))
      continue;
    if (!gg__is_watched(f) && can_reuse(f, k, &dims[k], in, out[k]))
      f->targets[k] = out[k];
    else if (p != NULL || !may_be_lent(f, k))
      GA_TRY(gg__output_memory(f, k, &dims[k]));
  }
  return GA_NO_ERROR;
}

/* Outputs of watched calls are computed in memory of their own, and what the
 * caller's arrays hold is replaced when all is found to be right: copy a new
 * output to the caller's array, which has its sizes. */
static int copy_output(GpuArray *from, const GpuArray *to) {
  GA_TRY(gpudata_move(to->data, to->offset, from->data, from->offset,
                      gg__array_bytes(to)));
  GpuArray_clear(from);
  return GA_NO_ERROR;
}

int gg__give_outputs(gg_func *f, const gg__plan *p, GpuArray *const *in,
                     GpuArray *const *out) {
  for (unsigned int k = 0; k < f->p.n_outputs; k++) {
    if (f->targets[k] != &f->fresh[k])
      continue;
    if (gg__is_watched(f) && !gg__is_lent(p, k) &&
        can_reuse(f, k, &p->results[k], in, out[k])) {
      GA_TRY(copy_output(&f->fresh[k], out[k]));
    } else {
      GpuArray_clear(out[k]);
      *out[k] = f->fresh[k];
      memset(&f->fresh[k], 0, sizeof f->fresh[k]);
    }
    f->targets[k] = out[k];
  }
  return GA_NO_ERROR;
}

void gg__drop_outputs(gg_func *f) {
  for (unsigned int k = 0; k < f->p.n_outputs; k++)
    GpuArray_clear(&f->fresh[k]);
}
