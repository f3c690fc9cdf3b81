/* SPDX-License-Identifier: BSD-2-Clause */
/* The locks of a call. A function's own lock comes first, then those of its
 * shared variables in the order of their addresses: functions that share some
 * wait for one another, others run at the same time, and no two calls can wait
 * for each other. */
#include <stdint.h>
#include <stdlib.h>

#include "func/func.h"

static int by_address(const void *a, const void *b) {
  const uintptr_t x = (uintptr_t) * (gg__storage *const *)a;
  const uintptr_t y = (uintptr_t) * (gg__storage *const *)b;

  return (x > y) - (x < y);
}

static size_t add_storages(gg__storage **to, size_t n, const gg__program *p) {
  for (size_t k = 0; k < p->shared.n; k++)
    to[n++] = p->shared.v[k].storage;
  return n;
}

/* Debug mode's twin reads what rewriting may have freed the function of. */
int gg__hold_init(gg_func *f) {
  const gg__program *twin = f->plain != NULL ? &f->plain->p : NULL;
  const size_t most = f->p.shared.n + (twin != NULL ? twin->shared.n : 0);

  f->held = ga__calloc(most, sizeof *f->held);
  if (f->held == NULL)
    return ga__fail_nomem();
  size_t n = add_storages(f->held, 0, &f->p);
  if (twin != NULL)
    n = add_storages(f->held, n, twin);
  if (n > 1)
    qsort(f->held, n, sizeof(gg__storage *), by_address);
  /* Two variables may have one storage, after a swap. */
  for (size_t k = 0; k < n; k++)
    if (k == 0 || f->held[k] != f->held[k - 1])
      f->held[f->n_held++] = f->held[k];
  return GA_NO_ERROR;
}

void gg__hold(gg_func *f) {
  pthread_mutex_lock(&f->lock);
  for (size_t k = 0; k < f->n_held; k++)
    gg__storage_lock(f->held[k]);
}

void gg__let_go(gg_func *f) {
  for (size_t k = f->n_held; k-- > 0;)
    gg__storage_unlock(f->held[k]);
  pthread_mutex_unlock(&f->lock);
}
