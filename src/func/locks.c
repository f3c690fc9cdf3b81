/* SPDX-License-Identifier: BSD-2-Clause */
/* The locks of a call. A function's own lock comes first, then those of its
 * shared variables in the order of their addresses, so there is no deadlock.
 * Functions with a shared variable in common wait for one another; others run
 * at the same time. */
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

/* The twin of debug mode may read shared variables that rewriting removed from
 * the function. */
int gg__locks_init(gg_func *f) {
  const gg__program *twin = f->twin != NULL ? &f->twin->unit.program : NULL;
  const size_t most =
      f->unit.program.shared.n + (twin != NULL ? twin->shared.n : 0);

  f->locks.shared = ga__calloc(most, sizeof *f->locks.shared);
  if (f->locks.shared == NULL)
    return ga__fail_nomem();
  size_t n = add_storages(f->locks.shared, 0, &f->unit.program);
  if (twin != NULL)
    n = add_storages(f->locks.shared, n, twin);
  if (n > 1)
    qsort(f->locks.shared, n, sizeof(gg__storage *), by_address);
  /* Two variables may have one storage, after a swap. */
  for (size_t k = 0; k < n; k++)
    if (k == 0 || f->locks.shared[k] != f->locks.shared[k - 1])
      f->locks.shared[f->locks.n++] = f->locks.shared[k];
  return GA_NO_ERROR;
}

void gg__lock_call(gg_func *f) {
  pthread_mutex_lock(&f->locks.own);
  for (size_t k = 0; k < f->locks.n; k++)
    gg__storage_lock(f->locks.shared[k]);
}

void gg__unlock_call(gg_func *f) {
  for (size_t k = f->locks.n; k-- > 0;)
    gg__storage_unlock(f->locks.shared[k]);
  pthread_mutex_unlock(&f->locks.own);
}
