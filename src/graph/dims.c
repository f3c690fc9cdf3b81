/* SPDX-License-Identifier: BSD-2-Clause */
/* Sizes of types, and of a node's outputs. */
#include <limits.h>

#include "graph/graph.h"

size_t gg__dims_size(const gg_dims *d) {
  size_t n = 1;

  for (unsigned int i = 0; i < d->nd; i++)
    n *= d->dim[i];
  return n;
}

void gg__dims_of_type(gg_dims *d, const gg_type *t) {
  d->nd = t->nd;
  for (unsigned int i = 0; i < t->nd; i++)
    d->dim[i] = (size_t)t->dims[i];
}

/* Sizes of an elementwise node: axes known to be 1 broadcast, others must be
 * equal. */
static int size_elemwise(const gg_apply *a, const gg_dims *in, gg_dims *out) {
  const unsigned int none = UINT_MAX;

  *out = in[0];
  for (unsigned int k = 0; k < out->nd; k++) {
    unsigned int from = none;
    for (unsigned int i = 0; i < a->n_in; i++) {
      if (a->in[i]->type.dims[k] == 1)
        continue;
      if (from == none) {
        from = i;
        out->dim[k] = in[i].dim[k];
      } else if (in[i].dim[k] != out->dim[k]) {
        return ga__fail(GA_VALUE_ERROR, "%s: dim %u: %s has %zu, %s has %zu",
                        a->op->name, k, gg__display_name(a->in[from]),
                        out->dim[k], gg__display_name(a->in[i]), in[i].dim[k]);
      }
    }
    if (from == none)
      out->dim[k] = 1;
  }
  return GA_NO_ERROR;
}

static void size_reduction(const gg_apply *a, const gg_dims *in, gg_dims *out) {
  const gg_reduce_props *r = a->props;

  out->nd = 0;
  for (unsigned int k = 0; k < in->nd; k++) {
    if ((r->axes_mask >> k & 1u) == 0)
      out->dim[out->nd++] = in->dim[k];
    else if (r->keepdims)
      out->dim[out->nd++] = 1;
  }
}

/* Sizes of the outputs of an op that has no shape function. */
static int size_by_kind(const gg_apply *a, const gg_dims *in, gg_dims *out) {
  if (a->op->kind == GG_OP_ELEMWISE)
    return size_elemwise(a, in, out);
  if (a->op->kind == GG_OP_REDUCE) {
    size_reduction(a, in, out);
    return GA_NO_ERROR;
  }
  for (unsigned int i = 0; i < a->n_out; i++) {
    if (gg__type_size(&a->out[i]->type) == GG_ANY)
      return ga__fail(GA_IMPL_ERROR, "%s gives no shape", a->op->name);
    gg__dims_of_type(&out[i], &a->out[i]->type);
  }
  return GA_NO_ERROR;
}

/* Check the sizes of an output against its type. */
static int check_type(const gg_var *v, const gg_dims *d) {
  char type[160];

  for (unsigned int i = 0; i < v->type.nd; i++)
    if (v->type.dims[i] != GG_ANY && d->dim[i] != (size_t)v->type.dims[i])
      return ga__fail(GA_VALUE_ERROR, "%s: dim %u: expected %s, got %zu",
                      gg__display_name(v), i,
                      gg_type_text(&v->type, type, sizeof type), d->dim[i]);
  return d->nd == v->type.nd
             ? GA_NO_ERROR
             : ga__fail(GA_IMPL_ERROR, "%s: expected rank %u, got %u",
                        gg__display_name(v), v->type.nd, d->nd);
}

static int size_by_op(const gg_apply *a, const gg_dims *in,
                      const double *const *host, gg_dims *out) {
  gg_graph *const g = a->out[0]->graph;

  gpuarray_clear_error();
  g->sized = a;
  g->sizes = in;
  const int err = a->op->shape(a, in, host, out);
  g->sized = NULL;
  g->sizes = NULL;
  return err;
}

int gg__apply_sizes(const gg_apply *a, const gg_dims *in,
                    const double *const *host, gg_dims *out) {
  if (a->op->shape != NULL) {
    GA_TRY(size_by_op(a, in, host, out));
  } else {
    GA_TRY(size_by_kind(a, in, out));
  }
  for (unsigned int i = 0; i < a->n_out; i++)
    GA_TRY(check_type(a->out[i], &out[i]));
  return GA_NO_ERROR;
}
