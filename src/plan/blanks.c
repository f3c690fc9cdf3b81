/* SPDX-License-Identifier: BSD-2-Clause */
/* Arrays without memory, to find sizes with. */
#include <string.h>

#include "base/dtype.h"
#include "plan/looping.h"

int gg__blanks_init(gg__blanks *x, unsigned int n) {
  memset(x, 0, sizeof *x);
  x->arrays = ga__arena_alloc(&x->arena, n * sizeof *x->arrays);
  x->list = ga__arena_alloc(&x->arena, n * sizeof *x->list);
  return x->arrays != NULL && x->list != NULL ? GA_NO_ERROR : ga__fail_nomem();
}

int gg__blank_array(ga__arena *m, const gg_var *v, const gg_dims *d,
                    unsigned int from, GpuArray *out) {
  const gg_type *t = &v->type;

  out->typecode = t->dtype;
  out->nd = t->nd;
  out->flags = GA_WRITEABLE;
  out->dimensions = ga__arena_alloc(m, t->nd * sizeof *out->dimensions);
  out->strides = ga__arena_alloc(m, t->nd * sizeof *out->strides);
  if (out->dimensions == NULL || out->strides == NULL)
    return ga__fail_nomem();
  for (unsigned int k = 0; k < t->nd; k++)
    out->dimensions[k] = d->dim[from + k];
  gg__fill_strides(out->strides, t->nd, out->dimensions,
                   ga__dtype_size(t->dtype));
  GpuArray_fix_flags(out);
  return GA_NO_ERROR;
}

int gg__blanks_set(gg__blanks *x, unsigned int i, const gg_var *v,
                   const gg_dims *d, unsigned int from) {
  x->list[i] = &x->arrays[i];
  return gg__blank_array(&x->arena, v, d, from, x->list[i]);
}

void gg__blanks_lend(gg__blanks *x, unsigned int i, const GpuArray *a) {
  GpuArray *const to = x->list[i];

  if (a == NULL)
    return;
  to->data = a->data;
  to->offset = a->offset;
  for (unsigned int k = 0; k < a->nd; k++)
    to->strides[k] = a->strides[k];
  GpuArray_fix_flags(to);
}

void gg__blanks_clear(gg__blanks *x) {
  ga__arena_clear(&x->arena);
}
