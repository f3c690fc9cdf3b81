/* SPDX-License-Identifier: BSD-2-Clause */
/* Ops of the host on constants, computed while compiling. */
#include <string.h>

#include "base/dtype.h"
#include "rewrite/rewrite.h"

/* Constants as what `perform` sees: sizes and host memory, nothing on a
 * device. */
typedef struct folded {
  gg_prepare p;
  GpuArray *arrays, **list;
  const void **from;
  const double **number;
  double *value; /* of those that are numbers */
  void *to;
  ga__arena arena;
} folded;

static int fold_array(ga__arena *m, const gg_var *v, GpuArray *a) {
  const gg_type *t = &v->type;
  ssize_t step = (ssize_t)ga__dtype_size(t->dtype);

  a->typecode = t->dtype;
  a->nd = t->nd;
  a->dimensions = ga__arena_alloc(m, t->nd * sizeof *a->dimensions);
  a->strides = ga__arena_alloc(m, t->nd * sizeof *a->strides);
  if (a->dimensions == NULL || a->strides == NULL)
    return 0;
  for (unsigned int i = t->nd; i-- > 0;) {
    a->dimensions[i] = (size_t)t->dims[i];
    a->strides[i] = step;
    step *= (ssize_t)t->dims[i];
  }
  a->flags = GA_C_CONTIGUOUS | GA_ALIGNED | GA_WRITEABLE;
  return 1;
}

static int folded_init(folded *x, const gg_apply *a) {
  const unsigned int n = a->n_in + 1;

  x->arrays = ga__arena_alloc(&x->arena, n * sizeof *x->arrays);
  x->list = ga__arena_alloc(&x->arena, n * sizeof *x->list);
  x->from = ga__arena_alloc(&x->arena, n * sizeof *x->from);
  x->number = ga__arena_alloc(&x->arena, n * sizeof *x->number);
  x->value = ga__arena_alloc(&x->arena, n * sizeof *x->value);
  if (x->arrays == NULL || x->list == NULL || x->from == NULL ||
      x->number == NULL || x->value == NULL)
    return 0;
  for (unsigned int i = 0; i < n; i++) {
    x->list[i] = &x->arrays[i];
    if (!fold_array(&x->arena, i < a->n_in ? a->in[i] : a->out[0],
                    &x->arrays[i]))
      return 0;
    if (i == a->n_in)
      break;
    x->from[i] = a->in[i]->data;
    if (gg_var_uniform(a->in[i], &x->value[i]))
      x->number[i] = &x->value[i];
  }
  x->to = ga__arena_alloc(&x->arena, (size_t)gg__type_size(&a->out[0]->type) *
                                         ga__dtype_size(a->out[0]->type.dtype));
  x->p = (gg_prepare){.apply = a,
                      .ctx = a->out[0]->graph->ctx,
                      .n_in = a->n_in,
                      .n_out = 1,
                      .in = x->list,
                      .out = x->list + a->n_in,
                      .number = x->number,
                      .from = x->from,
                      .to = &x->to};
  return x->to != NULL;
}

static int can_fold(const gg_apply *a) {
  const gg_op *op = a->op;

  if (op->kind != GG_OP_PERFORM || !op->on_host || op->no_fold ||
      op->state_new != NULL || a->n_out != 1 || a->n_in == 0)
    return 0;
  for (unsigned int i = 0; i < a->n_in; i++)
    if (a->in[i]->kind != GG_VAR_CONST)
      return 0;
  return gg__type_size(&a->out[0]->type) != GG_ANY;
}

gg_var *gg__fold_perform(gg_apply *a) {
  folded x;
  gg_var *v = NULL;

  if (!can_fold(a))
    return NULL;
  memset(&x, 0, sizeof x);
  gpuarray_clear_error();
  int err = folded_init(&x, a) ? a->op->perform(&x.p) : GA_MEMORY_ERROR;
  if (err == GA_NO_ERROR)
    v = gg_constant(a->out[0]->graph, a->out[0]->type.dtype, x.p.out[0]->nd,
                    x.p.out[0]->dimensions, x.to);
  else
    gg_op_fail(a, err, "%s", ga__err_text(err));
  ga__arena_clear(&x.arena);
  return v;
}
