/* SPDX-License-Identifier: BSD-2-Clause */
/* Launches in a plan: their slots, and the arguments to prepare them with. */
#include <gpuarray/index_guard.h>
#include <string.h>

#include "base/dtype.h"
#include "plan/builder.h"

/* --- launches and their slots --- */

void gg__offer_launch(gg__builder *b) {
  gg__launch *const old = b->u->planning.old.v;
  const size_t n = b->u->planning.old.n;
  GpuLaunch *l = NULL;

  while (b->next_old < n && old[b->next_old].step < b->step)
    b->next_old++;
  if (b->next_old < n && old[b->next_old].step == b->step) {
    l = old[b->next_old].launch;
    old[b->next_old++].launch = NULL;
  }
  GpuLaunch_free(GpuLaunch_renew(l));
}

int gg__add_launch(gg__builder *b, GpuLaunch *l, double flops) {
  const gg__launch x = {.launch = l, .step = b->step, .flops = flops};
  int err = ga__vec_push(&b->plan->launches, x);

  gg__offer_launch(b);

  if (err != GA_NO_ERROR)
    GpuLaunch_free(l);
  return err;
}

int gg__add_transfer(gg__builder *b, GpuTransfer *t, int is_end) {
  const gg__launch x = {.transfer = t, .is_end = is_end, .step = b->step};
  int err = ga__vec_push(&b->plan->launches, x);

  if (err != GA_NO_ERROR && !is_end)
    GpuTransfer_free(t);
  return err;
}

int gg__add_binding(gg__builder *b, unsigned int slot, const gg__place *x,
                    size_t off) {
  GA_ASSERT(b->plan->launches.n > 0 && x->store < b->plan->stores.n);
  const gg__binding y = {(unsigned int)b->plan->launches.n - 1, slot, x->store,
                         x->rel + (ssize_t)off};

  return ga__vec_push(&b->plan->bindings, y);
}

int gg__guard_indices(const gg__builder *b, GpuLaunch *l, const gg_apply *a) {
  const gg__site *at = &a->out[0]->site;
  ga__strb site = GA_STRB_INIT;

  if (l == NULL)
    return GA_NO_ERROR;
  if (!b->p->g->guards_indices)
    return GpuLaunch_guard_indices(l, 0, NULL);
  if (at->file != NULL)
    ga__strb_appendf(&site, "%s:%d", at->file, at->line);
  int err = site.err == GA_NO_ERROR ? GA_NO_ERROR : ga__fail_nomem();
  if (err == GA_NO_ERROR)
    err = GpuLaunch_guard_indices(l, 1, site.s);
  ga__strb_clear(&site);
  return err;
}

static int bind_values(gg__builder *b, const unsigned int *v, unsigned int n,
                       unsigned int first) {
  for (unsigned int i = 0; i < n; i++)
    GA_TRY(gg__add_binding(b, first + i, &b->places[v[i]], 0));
  return GA_NO_ERROR;
}

int gg__bind_body(gg__builder *b, const gg__body *body, int outputs,
                  unsigned int *slot) {
  const unsigned int first = *slot, outs = first + body->n_in + body->n_scalars;

  *slot = outputs ? outs + body->n_out : outs;
  GA_TRY(bind_values(b, body->in, body->n_in, first));
  return bind_values(b, body->out, outputs ? body->n_out : 0, outs);
}

/* --- arguments of bodies --- */

void **gg__body_arguments(gg__builder *b, const gg__body *body) {
  typedef union argument {
    GpuArray array;
    double scalar[2];
  } argument;
  const size_t n = body->n_in + body->n_scalars + body->n_out;
  argument *own = gg__step_alloc(b, n, sizeof *own + sizeof(void *));

  if (own == NULL)
    return NULL;
  void **const args = (void **)(own + n);
  for (size_t i = 0; i < n; i++)
    args[i] = &own[i];
  for (unsigned int i = 0; i < body->n_in; i++)
    gg__array_of(b, body->in[i], &own++->array);
  for (unsigned int i = 0; i < body->n_scalars; i++) {
    unsigned int v = body->scalars[i];
    ga__dtype_from_double(gg__value_at(b, v)->var->type.dtype, own++->scalar,
                          b->sizes->scalar[v]);
  }
  for (unsigned int i = 0; i < body->n_out; i++)
    gg__array_of(b, body->out[i], &own++->array);
  return args;
}

/* Give an array the rank nd of a reduction, with size 1 on the reduced axes. */
static int expand_array(gg__builder *b, GpuArray *a, unsigned int nd,
                        const unsigned char *reduced) {
  size_t *dims;
  ssize_t *strides;

  if (a->nd == nd)
    return GA_NO_ERROR;
  dims = gg__step_alloc(b, nd, sizeof *dims);
  strides = gg__step_alloc(b, nd, sizeof *strides);
  if (dims == NULL || strides == NULL)
    return GA_MEMORY_ERROR;
  for (unsigned int k = 0, from = 0; k < nd; k++) {
    dims[k] = reduced[k] ? 1 : a->dimensions[from];
    strides[k] = reduced[k] ? 0 : a->strides[from++];
  }
  a->dimensions = dims;
  a->strides = strides;
  a->nd = nd; /* its flags stay: axes of size 1 do not count */
  return GA_NO_ERROR;
}

void **gg__expanded_arguments(gg__builder *b, const gg__body *body,
                              unsigned int nd, const unsigned char *reduced) {
  const unsigned int outs = body->n_in + body->n_scalars;
  void **args = gg__body_arguments(b, body);

  for (unsigned int i = 0; args != NULL && i < outs + body->n_out; i++)
    if ((i < body->n_in || i >= outs) &&
        expand_array(b, args[i], nd, reduced) != GA_NO_ERROR)
      return NULL;
  return args;
}

double gg__body_flops(const gg__builder *b, const gg__body *body,
                      unsigned int like) {
  return (double)body->flops * (double)gg__dims_size(&b->sizes->dims[like]);
}

/* --- copies --- */

int gg__plan_copy_to(gg__builder *b, unsigned int v, gg__place *to) {
  GpuElemwise *copier;
  GpuLaunch *l = NULL;
  GpuArray from, into;
  void *args[2] = {&from, &into};

  gg__array_of(b, v, &from);
  gg__make_array(b, v, to, &into);
  GA_TRY(gg__copier_get(&b->u->kernels, gg__value_at(b, v)->context,
                        from.typecode, &copier));
  GA_TRY(GpuElemwise_prepare(&l, copier, args, 0));
  GA_TRY(gg__add_launch(b, l, 0));
  GA_TRY(gg__add_binding(b, 0, &b->places[v], 0));
  return gg__add_binding(b, 1, to, 0);
}

int gg__copy_to_temp(gg__builder *b, unsigned int v, gg__place *to) {
  memset(to, 0, sizeof *to);
  GA_TRY(gg__temp_store(b, v, gg__value_bytes(b, v), &to->store));
  gg__c_strides(b, v, to->strides);
  return gg__plan_copy_to(b, v, to);
}
