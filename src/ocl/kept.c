/* SPDX-License-Identifier: BSD-2-Clause */
/* What a layer above keeps in a context, and launches kept there.
 *
 * Launches and buffers retain their context, so a context that held ordinary
 * ones would never die. A weak launch gives those references up; it gets them
 * back for the moment in which it is freed. */
#include "ocl/launch_parts.h"

void *ga__ctx_kept(gpucontext *ctx, ga__keeper who) {
  return ctx->kept[who].object;
}

void ga__ctx_keep(gpucontext *ctx, ga__keeper who, void *kept,
                  void (*drop)(void *)) {
  ga__kept *k = &ctx->kept[who];

  if (k->object != NULL)
    k->drop(k->object);
  *k = (ga__kept){kept, drop};
}

void ga__launch_weaken(GpuLaunch *l) {
  if (l->is_weak)
    return;
  l->is_weak = 1;
  ga__launch_unbind(l);
  atomic_fetch_sub(&l->ctx->refs, 1 + (unsigned int)l->works.n);
}

void ga__launch_strengthen(GpuLaunch *l) {
  if (!l->is_weak)
    return;
  l->is_weak = 0;
  atomic_fetch_add(&l->ctx->refs, 1 + (unsigned int)l->works.n);
}

void ga__launch_unbind(GpuLaunch *l) {
  for (unsigned int i = 0; i < l->n_slots; i++) {
    gpudata_release(l->bufs[i]);
    l->bufs[i] = NULL;
  }
}

size_t ga__launch_work_bytes(const GpuLaunch *l) {
  size_t bytes = 0;

  for (size_t i = 0; i < l->works.n; i++)
    bytes += l->works.v[i]->bytes;
  return bytes;
}

gpudata *ga__launch_scratch(GpuLaunch *l, size_t bytes) {
  int err = GA_NO_ERROR;

  if (l == NULL || l->err != GA_NO_ERROR)
    return NULL;
  gpudata *d = gpudata_alloc(l->ctx, bytes, NULL, 0, &err);
  if (d != NULL && ga__vec_push(&l->works, d) != GA_NO_ERROR) {
    gpudata_release(d);
    d = NULL;
    err = ga__fail_nomem();
  }
  l->err = err;
  return d;
}
