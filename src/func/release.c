/* SPDX-License-Identifier: BSD-2-Clause */
/* gg_func_trim and gg_func_free. */
#include <gpugraph/report.h>

#include "func/func.h"

static void trim(gg_func *f) {
  gg__parts_clear(f);
  gg__drop_plans(f);
  gg__unit_trim(&f->unit);
  if (f->twin != NULL)
    trim(f->twin);
  gg__stages_drop(f);
  for (size_t k = 0; k < f->stages.n; k++)
    trim(f->stages.v[k].f);
}

void gg_func_trim(gg_func *f) {
  if (f == NULL)
    return;
  pthread_mutex_lock(&f->locks.own);
  trim(f);
  pthread_mutex_unlock(&f->locks.own);
}

void gg_func_free(gg_func *f) {
  if (f == NULL)
    return;
  if (f->figures.on)
    gg_func_profile(f, 0);
  gg_func_free(f->twin);
  gg__stages_free(f);
  gg__parts_clear(f);
  gg__defaults_clear(f);
  for (size_t k = 0; k < f->plans.n; k++)
    gg__plan_free(f->plans.v[k]);
  ga__free(f->locks.shared);
  gg__unit_clear(&f->unit);
  ga__vec_clear(&f->fired);
  ga__free(f->options.name);
  pthread_mutex_destroy(&f->locks.own);
  ga__free(f);
}
