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

/* The functions that a call of f runs: f, its twin, and those of its stages.
 * The twin of debug mode may read shared variables that rewriting removed from
 * the function. */
static size_t add_storages(gg__storage **to, size_t n, const gg_func *f) {
  const gg__program *p = &f->unit.program;

  for (size_t k = 0; k < p->shared.n; k++, n++)
    if (to != NULL)
      to[n] = p->shared.v[k].storage;
  if (f->twin != NULL)
    n = add_storages(to, n, f->twin);
  for (size_t k = 0; k < f->stages.n; k++)
    n = add_storages(to, n, f->stages.v[k].f);
  return n;
}

int gg__locks_init(gg_func *f) {
  size_t n = add_storages(NULL, 0, f);

  f->locks.shared = ga__calloc(n, sizeof *f->locks.shared);
  if (f->locks.shared == NULL)
    return ga__fail_nomem();
  add_storages(f->locks.shared, 0, f);
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
