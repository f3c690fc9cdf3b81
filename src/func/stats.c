/* SPDX-License-Identifier: BSD-2-Clause */
/* Figures of a function. */
#include "func/func.h"

int gg_func_stat(const gg_func *f, gg_func_stats *out) {
  gg_func *open = (gg_func *)f; /* only its lock changes */

  pthread_mutex_lock(&open->locks.own);
  *out = f->stats;
  out->plans_kept = f->plans.n;
  const gg__plan *last = gg__last_plan(f);
  if (last != NULL) {
    out->steps = last->n_kernels;
    out->host_steps = last->n_host;
    out->temp_bytes = last->temp_bytes;
    out->temp_bytes_alone = last->temp_bytes_alone;
    out->transfers = last->n_transfers;
  }
  pthread_mutex_unlock(&open->locks.own);
  return GA_NO_ERROR;
}
