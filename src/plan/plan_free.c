/* SPDX-License-Identifier: BSD-2-Clause */
/* Freeing and emptying plans, and dropping some of their launches. */
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

void gg__plan_reset(gg__plan *p) {
  for (size_t k = 0; k < p->tables.n; k++)
    gpudata_release(p->tables.v[k]);
  p->bindings.n = p->stores.n = p->outside.n = 0;
  p->tables.n = p->seen.n = p->lent.n = 0;
  p->at_once = 0;
  p->used = 0;
  p->runs = 0;
  p->temp_bytes = p->temp_bytes_alone = 0;
  p->n_kernels = p->n_made = p->n_host = p->n_transfers = 0;
}

void gg__plan_free(gg__plan *p) {
  if (p == NULL)
    return;
  gg__drop_launches(p, 0, 0);
  gg__plan_reset(p);
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
