/* SPDX-License-Identifier: BSD-2-Clause */
/* Nodes with graphs inside, on their way into a plan: who measures and plans
 * them. */
#include <string.h>

#include "base/dtype.h"
#include "loop/ifelse.h"
#include "plan/builder.h"
#include "plan/looping.h"

int gg__inner_sizes(const gg__node *n, const gg_dims *in,
                    const double *const *number, gg_dims *out) {
  if (n->apply->op == &gg__op_scan)
    return gg__loop_sizes(n, in, number, out);
  return gg__ifelse_sizes(n, in, out);
}

int gg__plan_inner(gg__builder *b, const gg__step *s) {
  if (s->apply->op == &gg__op_scan)
    return gg__plan_loop(b, s);
  return gg__plan_ifelse(b, s);
}

/* --- arrays without memory --- */

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
