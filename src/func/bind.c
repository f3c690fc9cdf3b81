/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory into the slots of a plan's launches. */
#include "func/func.h"

static int bind_slot(gg__plan *p, const gg__binding *b, gpudata *data,
                     size_t offset) {
  gg__launch *x = &p->launches.v[b->launch];

  if (x->launch != NULL)
    return GpuLaunch_bind(x->launch, b->slot, data, offset);
  x->data = data;
  x->offset = offset;
  return GA_NO_ERROR;
}

static int bind_store(gg__unit *u, gg__plan *p, gg__store *s) {
  const gg__binding *b = p->bindings.v + s->first;
  gpudata *data;
  size_t offset;

  GA_TRY(gg__store_fill(u, p, s));
  gg__store_find(u, p, s, &data, &offset);
  if (data == s->data && offset == s->offset)
    return GA_NO_ERROR;
  s->data = NULL; /* half bound if this fails */
  for (unsigned int i = 0; i < s->n; i++)
    GA_TRY(bind_slot(p, &b[i], data, (size_t)((ssize_t)offset + b[i].rel)));
  s->data = data;
  s->offset = offset;
  return GA_NO_ERROR;
}

int gg__bind_plan(gg__unit *u, gg__plan *p) {
  if (u->bound != p)
    for (size_t k = 0; k < p->stores.n; k++)
      GA_TRY(bind_store(u, p, &p->stores.v[k]));
  else
    for (size_t k = 0; k < p->outside.n; k++)
      GA_TRY(bind_store(u, p, &p->stores.v[p->outside.v[k]]));
  u->bound = p;
  return GA_NO_ERROR;
}
