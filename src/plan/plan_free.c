/* SPDX-License-Identifier: BSD-2-Clause */
/* Freeing plans, and launches that turned out to be useless. */
#include "plan/plan.h"

void gg__drop_launches(gg__plan *p, size_t n_launches, size_t n_bindings) {
  while (p->launches.n > n_launches) {
    const gg__launch *x = &p->launches.v[--p->launches.n];
    GpuLaunch_free(x->launch);
    if (!x->is_end)
      GpuTransfer_free(x->transfer);
  }
  p->bindings.n = n_bindings;
}

void gg__plan_free(gg__plan *p) {
  if (p == NULL)
    return;
  gg__drop_launches(p, 0, 0);
  for (size_t k = 0; k < p->tables.n; k++)
    gpudata_release(p->tables.v[k]);
  ga__vec_clear(&p->launches);
  ga__vec_clear(&p->bindings);
  ga__vec_clear(&p->stores);
  ga__vec_clear(&p->outside);
  ga__vec_clear(&p->tables);
  ga__vec_clear(&p->seen);
  ga__vec_clear(&p->lent);
  ga__free(p->results);
  ga__free(p->key);
  ga__free(p);
}
