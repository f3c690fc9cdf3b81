/* SPDX-License-Identifier: BSD-2-Clause */
/* Arrays without memory, to find the sizes of bodies with. */
#include <string.h>

#include "base/dtype.h"
#include "plan/looping.h"

int gg__blanks_init(gg__blanks *x, unsigned int n) {
  memset(x, 0, sizeof *x);
  x->arrays = ga__arena_alloc(&x->arena, n * sizeof *x->arrays);
  x->list = ga__arena_alloc(&x->arena, n * sizeof *x->list);
  return x->arrays != NULL && x->list != NULL ? GA_NO_ERROR : ga__fail_nomem();
}

int gg__blanks_set(gg__blanks *x, unsigned int i, const gg_var *v,
                   const gg_dims *d, unsigned int from) {
  const gg_type *t = &v->type;
  GpuArray *a = &x->arrays[i];
  ssize_t step = (ssize_t)ga__dtype_size(t->dtype);

  a->typecode = t->dtype;
  a->nd = t->nd;
  a->flags = GA_WRITEABLE;
  a->dimensions = ga__arena_alloc(&x->arena, t->nd * sizeof *a->dimensions);
  a->strides = ga__arena_alloc(&x->arena, t->nd * sizeof *a->strides);
  if (a->dimensions == NULL || a->strides == NULL)
    return ga__fail_nomem();
  for (unsigned int k = t->nd; k-- > 0;) {
    a->dimensions[k] = d->dim[from + k];
    a->strides[k] = step;
    step *= (ssize_t)a->dimensions[k];
  }
  GpuArray_fix_flags(a);
  x->list[i] = a;
  return GA_NO_ERROR;
}

void gg__blanks_clear(gg__blanks *x) {
  ga__arena_clear(&x->arena);
}
