/* SPDX-License-Identifier: BSD-2-Clause */
/* Mutable inputs, and outputs that are views. */
#include "func/func.h"

/* --- what the spec says --- */

/* Make a flag for each of the n variables in `of`: is it in the list? The flags
 * live in the program's arena. *out is NULL for an empty list. */
static int mark_listed(gg_func *f, gg_var *const *list, gg_var *const *of,
                       size_t n, unsigned char **out) {
  *out = NULL;
  if (list == NULL || list[0] == NULL)
    return GA_NO_ERROR;
  *out =
      ga__arena_alloc(&f->unit.program.arena, n + f->unit.program.arguments.n);
  if (*out == NULL)
    return ga__fail_nomem();
  for (size_t i = 0; i < n; i++)
    (*out)[i] = (unsigned char)gg__list_has(list, of[i]);
  return GA_NO_ERROR;
}

int gg__memory_init(gg_func *f, const gg_func_spec *spec) {
  const gg__program *p = &f->unit.program;

  GA_TRY(mark_listed(f, spec->mutable_inputs, spec->inputs, f->n_given,
                     &f->unit.overwrites));
  return mark_listed(f, spec->borrowed_outputs, spec->outputs, p->n_outputs,
                     &f->unit.borrows);
}

int gg__memory_copy(gg_func *f, const gg_func *from,
                    const unsigned int *outputs) {
  gg__program *p = &f->unit.program;

  if (from->unit.overwrites != NULL) {
    f->unit.overwrites =
        ga__arena_dup(&p->arena, from->unit.overwrites, p->arguments.n);
    if (f->unit.overwrites == NULL)
      return ga__fail_nomem();
  }
  if (from->unit.borrows == NULL || p->n_outputs == 0)
    return GA_NO_ERROR;
  f->unit.borrows = ga__arena_alloc(&p->arena, p->n_outputs);
  if (f->unit.borrows == NULL)
    return ga__fail_nomem();
  for (size_t k = 0; k < p->n_outputs; k++)
    f->unit.borrows[k] = from->unit.borrows[outputs != NULL ? outputs[k] : k];
  return GA_NO_ERROR;
}

/* --- outputs --- */

static int is_writeable(const gg__store *s, GpuArray *const *in) {
  return s->kind == GG_STORE_INPUT
             ? GpuArray_CHKFLAGS(in[s->index], GA_WRITEABLE)
             : s->kind != GG_STORE_CONST;
}

static int lend_output(gg_func *f, const gg__plan *p, const gg__lent *x) {
  const gg__store *s = &p->stores.v[x->store];
  const gg_dims *d = &p->results[x->output];
  const gg_var *v =
      f->unit.program.values.v[f->unit.program.results.v[x->output].value].var;
  const GpuArray *to =
      s->kind == GG_STORE_OUTPUT ? f->unit.frame.out[s->index] : NULL;
  gpudata *data = to != NULL ? to->data : s->data;
  const size_t start = to != NULL ? to->offset : s->offset;

  GpuArray_clear(&f->unit.frame.fresh[x->output]);
  f->unit.frame.out[x->output] = &f->unit.frame.fresh[x->output];
  if (s->kind == GG_STORE_SHARED)
    f->unit.program.shared.v[s->index].storage->lent = 1;
  return GpuArray_fromdata(&f->unit.frame.fresh[x->output], data,
                           (size_t)((ssize_t)start + x->rel), v->type.dtype,
                           d->nd, d->dim, x->strides,
                           is_writeable(s, f->unit.frame.in));
}

int gg__lend_outputs(gg_func *f, const gg__plan *p) {
  for (size_t k = 0; k < p->lent.n; k++)
    GA_TRY(lend_output(f, p, &p->lent.v[k]));
  return GA_NO_ERROR;
}
