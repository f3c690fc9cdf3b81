/* SPDX-License-Identifier: BSD-2-Clause */
/* The values of a watched call in host memory. */
#include "debug/watch.h"

#include <string.h>

#include "base/dtype.h"

/* --- reading --- */

int gg__seen_read(const gg__unit *u, const gg__plan *p, const gg__seen *s,
                  void **data) {
  GpuArray a = {0};
  int err;

  *data = NULL;
  GA_CHECK(gg__seen_array(&u->program, p, s, &a));
  GA_CHECK(gg__host_read(&a, data));
done:
  GpuArray_clear(&a);
  return err;
}

/* --- known values --- */

void gg__watch_put(gg__watch *w, unsigned int v, void *data) {
  ga__free(w->host[v].data);
  w->host[v].data = data;
  w->tried[v] = 1;
}

static int read_leaf(gg__watch *w, unsigned int v, GpuArray *const *in) {
  const gg__value *x = &w->u->program.values.v[v];
  void *data = NULL;

  switch (x->var->kind) {
  case GG_VAR_INPUT:
    GA_TRY(gg__host_read(in[x->leaf], &data));
    break;
  case GG_VAR_SHARED:
    GA_TRY(gg__host_read(&x->var->storage->value, &data));
    break;
  case GG_VAR_CONST:
    data = ga__memdup(x->var->data, x->var->data_bytes);
    if (data == NULL && x->var->data_bytes != 0)
      return ga__fail_nomem();
    break;
  default:
    break;
  }
  gg__watch_put(w, v, data);
  return GA_NO_ERROR;
}

int gg__watch_init(gg__watch *w, const gg__unit *u, const gg__plan *plan) {
  GpuArray *const *in = u->frame.in;
  const gg__program *p = &u->program;
  int err;

  memset(w, 0, sizeof *w);
  w->u = u;
  w->plan = plan;
  GA_CHECK(gg__sizes_init(&w->sizes, p, in));
  w->host = ga__calloc(p->values.n, sizeof *w->host);
  w->tried = ga__calloc(p->values.n, 1);
  if (w->host == NULL || w->tried == NULL)
    GA_CHECK(ga__fail_nomem());
  for (unsigned int v = 0; v < p->values.n; v++) {
    w->host[v].dims = w->sizes.dims[v];
    if (p->values.v[v].node == GG_NONE)
      GA_CHECK(read_leaf(w, v, in));
  }
done:
  if (err != GA_NO_ERROR)
    gg__watch_clear(w);
  return err;
}

void gg__watch_clear(gg__watch *w) {
  for (size_t v = 0;
       w->host != NULL && w->u != NULL && v < w->u->program.values.n; v++)
    ga__free(w->host[v].data);
  ga__free(w->host);
  ga__free(w->tried);
  ga__vec_clear(&w->fresh);
  ga__vec_clear(&w->pending);
  gg__sizes_clear(&w->sizes);
  memset(w, 0, sizeof *w);
}

/* --- computing on the host --- */

/* Does the host need the elements of input i? Kernels have no use for those of
 * sizes, but a vector of sizes is made of them. */
static int needs(const gg__node *node, unsigned int i) {
  return gg__reads(node, i) || (node->apply->op->kind == GG_OP_SHAPE &&
                                gg__number_only(node->apply, i));
}

/* Push the inputs of a node that matter and were not tried; *n is their
 * count. */
static int push_inputs(gg__watch *w, const gg__node *node, unsigned int *n) {
  *n = 0;
  for (unsigned int i = 0; i < node->apply->n_in; i++) {
    unsigned int v = gg__in(&w->u->program, node->apply, i);
    if (w->tried[v] || !needs(node, i))
      continue;
    GA_TRY(ga__vec_push(&w->pending, v));
    ++*n;
  }
  return GA_NO_ERROR;
}

/* Compute the outputs of a node whose inputs were tried. Outputs that are known
 * already stay. */
static int compute_node(gg__watch *w, const gg_apply *a) {
  gg__host *in = ga__calloc(a->n_in + a->n_out, sizeof *in);
  int err = GA_NO_ERROR;

  if (in == NULL)
    return ga__fail_nomem();
  gg__host *out = in + a->n_in;
  for (unsigned int i = 0; i < a->n_in; i++)
    in[i] = w->host[gg__in(&w->u->program, a, i)];
  for (unsigned int i = 0; i < a->n_out; i++)
    out[i].dims = w->host[gg__out(&w->u->program, a, i)].dims;
  GA_CHECK(gg__reference(a, a->out[0]->type.ctx, in, out));
  for (unsigned int i = 0; i < a->n_out; i++) {
    unsigned int v = gg__out(&w->u->program, a, i);
    if (w->tried[v])
      continue;
    gg__watch_put(w, v, out[i].data);
    out[i].data = NULL;
    GA_CHECK(ga__vec_push(&w->fresh, v));
  }
done:
  for (unsigned int i = 0; i < a->n_out; i++)
    ga__free(out[i].data);
  ga__free(in);
  return err;
}

int gg__watch_compute(gg__watch *w, unsigned int v) {
  const gg__program *p = &w->u->program;
  unsigned int more;

  w->fresh.n = w->pending.n = 0;
  GA_TRY(ga__vec_push(&w->pending, v));
  while (w->pending.n > 0) {
    unsigned int top = w->pending.v[w->pending.n - 1];
    if (w->tried[top]) {
      w->pending.n--;
      continue;
    }
    const gg__node *node = &p->nodes.v[p->values.v[top].node];
    GA_TRY(push_inputs(w, node, &more));
    if (more == 0)
      GA_TRY(compute_node(w, node->apply));
  }
  return GA_NO_ERROR;
}
