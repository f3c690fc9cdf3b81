/* SPDX-License-Identifier: BSD-2-Clause */
/* The values of shared variables, which several graphs may share. */
#include <string.h>

#include "graph/graph.h"

gg__storage *gg__storage_new(void) {
  gg__storage *s = ga__calloc(1, sizeof *s);

  if (s == NULL)
    return NULL;
  if (pthread_mutex_init(&s->lock, NULL) != 0) {
    ga__free(s);
    return NULL;
  }
  atomic_init(&s->refs, 1);
  s->version = 1;
  return s;
}

int gg__storage_size(gg__storage *s, int dtype, unsigned int nd,
                     const size_t *dims) {
  GpuArray *a = &s->value;

  a->dimensions = ga__calloc(nd, sizeof *a->dimensions);
  a->strides = ga__calloc(nd, sizeof *a->strides);
  if (a->dimensions == NULL || a->strides == NULL)
    return ga__fail_nomem();
  if (nd != 0)
    memcpy(a->dimensions, dims, nd * sizeof *dims);
  a->nd = nd;
  a->typecode = dtype;
  return GA_NO_ERROR;
}

gg__storage *gg__storage_retain(gg__storage *s) {
  atomic_fetch_add_explicit(&s->refs, 1, memory_order_relaxed);
  return s;
}

void gg__storage_release(gg__storage *s) {
  if (s == NULL)
    return;
  const unsigned int before =
      atomic_fetch_sub_explicit(&s->refs, 1, memory_order_acq_rel);
  GA_ASSERT(before != 0);
  if (before != 1)
    return;
  GpuArray_clear(&s->value);
  pthread_mutex_destroy(&s->lock);
  ga__free(s);
}

void gg__storage_lock(gg__storage *s) {
  pthread_mutex_lock(&s->lock);
}

void gg__storage_unlock(gg__storage *s) {
  pthread_mutex_unlock(&s->lock);
}
