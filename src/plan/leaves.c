/* SPDX-License-Identifier: BSD-2-Clause */
/* Places of values that no step computes. */
#include <string.h>

#include "ops/ops.h"
#include "plan/builder.h"

static int fill_table(gg__builder *b, unsigned int v, gpudata **out) {
  const gg_apply *a = b->p->nodes.v[gg__value_at(b, v)->node].apply;
  const size_t bytes = gg__value_bytes(b, v);
  gg_dims *in = gg__step_alloc(b, a->n_in, sizeof *in);
  const double **number = gg__step_alloc(b, a->n_in, sizeof *number);
  void *host = ga__malloc(bytes);
  int err = GA_NO_ERROR;

  if (in == NULL || number == NULL || host == NULL)
    GA_CHECK(ga__fail_nomem());
  for (unsigned int i = 0; i < a->n_in; i++) {
    in[i] = b->sizes->dims[gg__in(b->p, a, i)];
    number[i] = gg__scalar_of(b->sizes, b->p, gg__in(b->p, a, i));
  }
  gpuarray_clear_error();
  GA_CHECK(a->op->host(a, in, number, &b->sizes->dims[v], host));
  *out = gpudata_alloc(gg__context_of(b->p, v), bytes, bytes != 0 ? host : NULL,
                       bytes != 0 ? GA_BUFFER_INIT : 0, &err);
done:
  ga__free(host);
  return err;
}

static int put_table(gg__builder *b, unsigned int v) {
  gpudata *data = NULL;
  unsigned int store;

  GA_TRY(fill_table(b, v, &data));
  int err = ga__vec_push(&b->plan->tables, data);
  if (err != GA_NO_ERROR) {
    gpudata_release(data);
    return err;
  }
  GA_TRY(gg__add_store(b, GG_STORE_TABLE, (unsigned int)b->plan->tables.n - 1,
                       &store));
  gg__put(b, v, store);
  return GA_NO_ERROR;
}

/* Put a constant in C order, or with its channels last if the first step that
 * reads it has images so. */
static int put_constant(gg__builder *b, const gg__step *s, unsigned int v) {
  ssize_t strides[GG_MAX_ND];
  const int is_last = gg__wants_channels_last(b, s, v, strides);
  unsigned int index, store;

  GA_TRY(gg__const_copy(b->u, gg__value_at(b, v)->leaf, is_last, &index));
  GA_TRY(gg__add_store(b, GG_STORE_CONST, index, &store));
  gg__put(b, v, store);
  if (is_last)
    memcpy(b->places[v].strides, strides,
           b->sizes->dims[v].nd * sizeof *strides);
  return GA_NO_ERROR;
}

static int put_leaf(gg__builder *b, const gg__step *s, unsigned int v) {
  const gg__value *x = gg__value_at(b, v);
  unsigned int store;

  switch (x->var->kind) {
  case GG_VAR_INPUT:
    GA_TRY(gg__add_store(b, GG_STORE_INPUT, x->leaf, &store));
    b->input_refs[x->leaf] = 1;
    gg__put(b, v, store);
    for (unsigned int i = 0; i < x->var->type.nd; i++)
      b->places[v].strides[i] = b->u->frame.in[x->leaf]->strides[i];
    return GA_NO_ERROR;
  case GG_VAR_SHARED:
    GA_TRY(gg__shared_store(b, x->leaf, &store));
    break;
  case GG_VAR_CONST:
    return put_constant(b, s, v);
  default:
    return ga__fail(GA_IMPL_ERROR, "%s was not computed",
                    gg__display_name(x->var));
  }
  gg__put(b, v, store);
  return GA_NO_ERROR;
}

int gg__need_place(gg__builder *b, const gg__step *s, unsigned int v) {
  if (b->places[v].store != GG_NONE)
    return GA_NO_ERROR;
  return gg__role_of(b->p, v) == GG_TABLE ? put_table(b, v) : put_leaf(b, s, v);
}
