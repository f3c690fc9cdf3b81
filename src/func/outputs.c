/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the outputs of a call go: into the caller's arrays where these fit,
 * else into new arrays, which replace them when the call has succeeded. */
#include <string.h>

#include "base/dtype.h"
#include "func/func.h"
#include "ops/value_size.h"

static int has_sizes(const GpuArray *a, const gg_type *t, const gg_dims *d) {
  return ga__dtype_canon(a->typecode) == t->dtype && gg__has_dims(a, d);
}

/* Can output k be written to the caller's array? */
static int can_reuse(const gg_func *f, unsigned int k, const gg_dims *d,
                     const GpuArray *a) {
  const gg__program *p = &f->unit.program;
  GpuArray *const *in = f->unit.frame.in;
  const gg_var *v = p->values.v[p->results.v[k].value].var;

  if (a->data == NULL || !has_sizes(a, &v->type, d) ||
      !GpuArray_CHKFLAGS(a, GA_CARRAY) || GpuArray_context(a) != v->type.ctx)
    return 0;
  for (size_t i = 0; i < p->arguments.n; i++)
    if (GpuArray_share(a, in[i]))
      return 0;
  for (size_t i = 0; i < p->shared.n; i++)
    if (a->data == p->shared.v[i].storage->value.data)
      return 0;
  for (size_t i = 0; i < k; i++)
    if (GpuArray_share(a, f->unit.frame.out[i]))
      return 0;
  return 1;
}

static int is_bound(const gg__store *s, const GpuArray *a) {
  return a->data == s->data && a->offset == s->offset;
}

int gg__nothing_moved(const gg_func *f, const gg__plan *p,
                      GpuArray *const *out) {
  const gg__program *all = &f->unit.program;
  size_t n_inputs = 0;

  if (p == NULL || p != f->unit.bound || f->unit.watch != 0)
    return 0;
  for (size_t k = 0; k < p->outside.n; k++) {
    const gg__store *s = &p->stores.v[p->outside.v[k]];
    n_inputs += s->kind == GG_STORE_INPUT;
    if (s->kind == GG_STORE_INPUT && !is_bound(s, f->unit.frame.in[s->index]))
      return 0;
    if (s->kind != GG_STORE_OUTPUT)
      continue;
    const gg_type *t = &all->values.v[all->results.v[s->index].value].var->type;
    if (!is_bound(s, out[s->index]) ||
        !has_sizes(out[s->index], t, &p->results[s->index]) ||
        !GpuArray_CHKFLAGS(out[s->index], GA_CARRAY))
      return 0;
  }
  /* An input that no kernel reads has no store, and may overlap an output. */
  return n_inputs == all->arguments.n;
}

/* May the plan make output k a view, which needs no memory of its own? */
static int may_be_lent(const gg_func *f, unsigned int k) {
  return f->unit.borrows != NULL && f->unit.borrows[k];
}

int gg__prepare_outputs(gg_func *f, const gg__plan *p, const gg_dims *dims,
                        GpuArray *const *out) {
  for (unsigned int k = 0; k < f->unit.program.n_outputs; k++) {
    f->unit.frame.out[k] =
        &f->unit.frame.fresh[k]; /* gg__lend_outputs makes the views */
    if (p != NULL && gg__is_lent(p, k))
      continue;
    if (f->unit.watch == 0 && can_reuse(f, k, &dims[k], out[k]))
      f->unit.frame.out[k] = out[k];
    else if (p != NULL || !may_be_lent(f, k))
      GA_TRY(gg__output_memory(&f->unit, k, &dims[k]));
  }
  return GA_NO_ERROR;
}

/* Copy a new output to the caller's array, which has its sizes. Watched calls
 * compute outputs in memory of their own, and change the caller's arrays only
 * after all checks. */
static int copy_output(GpuArray *from, const GpuArray *to) {
  GA_TRY(gpudata_move(to->data, to->offset, from->data, from->offset,
                      gg__array_bytes(to)));
  GpuArray_clear(from);
  return GA_NO_ERROR;
}

int gg__give_outputs(gg_func *f, const gg__plan *p, GpuArray *const *out) {
  for (unsigned int k = 0; k < f->unit.program.n_outputs; k++) {
    if (f->unit.frame.out[k] != &f->unit.frame.fresh[k])
      continue;
    if (f->unit.watch != 0 && !gg__is_lent(p, k) &&
        can_reuse(f, k, &p->results[k], out[k])) {
      GA_TRY(copy_output(&f->unit.frame.fresh[k], out[k]));
    } else {
      GpuArray_clear(out[k]);
      *out[k] = f->unit.frame.fresh[k];
      memset(&f->unit.frame.fresh[k], 0, sizeof f->unit.frame.fresh[k]);
    }
    f->unit.frame.out[k] = out[k];
  }
  return GA_NO_ERROR;
}

void gg__drop_outputs(gg_func *f) {
  for (unsigned int k = 0; k < f->unit.program.n_outputs; k++)
    GpuArray_clear(&f->unit.frame.fresh[k]);
}

/* --- shared variables --- */

static void set_sizes(GpuArray *a, const gg_dims *d) {
  for (unsigned int i = 0; i < d->nd; i++)
    a->dimensions[i] = d->dim[i];
  gg__fill_strides(a->strides, d->nd, d->dim, ga__dtype_size(a->typecode));
  GpuArray_fix_flags(a);
}

/* Swap a shared variable with its spare. */
static void swap_spare(gg_func *f, unsigned int shared, const gg_dims *d) {
  gg__storage *s = f->unit.program.shared.v[shared].storage;
  gg__temp *spare = &f->unit.memory.spares[shared];
  const gg__temp old = {s->value.data, gg__array_bytes(&s->value),
                        spare->context};

  s->value.data = spare->data;
  s->value.offset = 0;
  set_sizes(&s->value, d);
  s->version++;
  *spare = old;
  if (!s->lent)
    return;
  /* Views of the old value may still exist. */
  gpudata_release(spare->data);
  spare->data = NULL;
  s->lent = 0;
}

void gg__swap_spares(gg_func *f, const gg__plan *p) {
  for (size_t k = 0; k < p->outside.n; k++) {
    const gg__store *s = &p->stores.v[p->outside.v[k]];
    if (s->kind == GG_STORE_SPARE)
      swap_spare(f, s->index,
                 &p->results[f->unit.program.shared.v[s->index].result]);
  }
}
