/* SPDX-License-Identifier: BSD-2-Clause */
/* Binding memory to the slots of a plan's launches. */
#include "func/func.h"

static int bind_store(gg__unit *u, gg__plan *p, gg__store *s) {
  gpudata *data;
  size_t offset;

  GA_TRY(gg__store_fill(u, p, s));
  gg__store_find(u, p, s, &data, &offset);
  return gg__store_bind(p, s, data, offset);
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
