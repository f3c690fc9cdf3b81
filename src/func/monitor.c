/* SPDX-License-Identifier: BSD-2-Clause */
/* Monitors of functions. */
#include <gpugraph/monitor.h>

#include "func/func.h"

int gg_func_set_monitor(gg_func *f, gg_monitor_fn before, gg_monitor_fn after,
                        void *arg) {
  if (f == NULL)
    return ga__fail(GA_VALUE_ERROR, "no function");
  pthread_mutex_lock(&f->locks.own); /* calls of f use its stages */
  for (size_t k = 0; k < f->stages.n; k++)
    gg_func_set_monitor(f->stages.v[k].f, before, after, arg);
  f->monitor = (gg__monitor){before, after, arg};
  f->unit.watch &= ~GG_WATCH_STEPS;
  if (before != NULL || after != NULL)
    f->unit.watch |= GG_WATCH_STEPS;
  /* Only plans of functions with a monitor record what steps read. */
  gg__parts_clear(f);
  gg__drop_plans(f);
  pthread_mutex_unlock(&f->locks.own);
  return GA_NO_ERROR;
}
