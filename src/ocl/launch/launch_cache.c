/* SPDX-License-Identifier: BSD-2-Clause */
/* The launch cache of a context.
 *
 * Launches and buffers retain their context, so a context that owned ordinary
 * launches would never be freed. A cached launch therefore gives up these
 * references and gets them back just before it is freed. Between calls it is
 * bound to no buffers, so that it retains no memory of callers. */
#include "ocl/launch/launch_cache.h"

#include <string.h>

#include "base/arith.h"
#include "ocl/context.h"
#include "ocl/launch/launch.h"

/* All workspaces have a part of the memory that the context may use, or the
 * least bytes if that is more. One launch has a quarter of them at most. */
enum { LAUNCHES_MAX = 512, WORK_LEAST = 128 << 20, WORK_PART = 32 };

/* --- cached launches --- */

static size_t work_bytes(const GpuLaunch *l) {
  size_t bytes = 0;

  for (size_t i = 0; i < l->works.n; i++)
    bytes += l->works.v[i]->bytes;
  return bytes;
}

static size_t work_max(const gpucontext *ctx) {
  const uint64_t memory =
      ctx->pool.limit > 0 ? ctx->pool.limit : ctx->dev.caps.memory_bytes;

  return ga__at_least(WORK_LEAST, (size_t)(memory / WORK_PART));
}

static unsigned int references(const GpuLaunch *l) {
  return 1 + (unsigned int)l->works.n;
}

static void drop_launch(void *p) {
  GpuLaunch *l = p;

  atomic_fetch_add(&l->ctx->refs, references(l));
  GpuLaunch_free(l);
}

static void unbind(GpuLaunch *l) {
  for (unsigned int i = 0; i < l->n_slots; i++) {
    gpudata_release(l->bufs[i]);
    l->bufs[i] = NULL;
  }
}

/* Add a launch that has run to the cache. If memory runs out, ga__lru_put frees
 * it. */
static void keep(gpucontext *ctx, const ga__launch_key *key, GpuLaunch *l) {
  unbind(l);
  atomic_fetch_sub(&ctx->refs, references(l));
  ga__lru_put(ctx->launches, key->v, key->n * sizeof *key->v, l, work_bytes(l));
}

void ga__cached_drop(gpucontext *ctx) {
  ga__lru_free(ctx->launches);
  ctx->launches = NULL;
}

/* --- calls --- */

/* Direct calls never flush subnormals and take over no launch, even in a thread
 * that does so for launches of its own. */
static int prepare(GpuLaunch **out, const ga__cached_call *c) {
  const int before = GpuLaunch_flush_subnormals(0);
  GpuLaunch *offered = GpuLaunch_renew(NULL);
  const int err = c->prepare(out, c->arg);

  GpuLaunch_renew(offered);
  GpuLaunch_flush_subnormals(before);
  return err;
}

static int run_new(const ga__cached_call *c) {
  GpuLaunch *l;
  int err;

  GA_TRY(prepare(&l, c));
  if (l == NULL)
    return GA_NO_ERROR;
  err = GpuLaunch_run(l);
  if (err == GA_NO_ERROR && c->key->n <= GA_LAUNCH_KEY_MAX &&
      work_bytes(l) <= work_max(c->ctx) / 4)
    keep(c->ctx, c->key, l);
  else
    GpuLaunch_free(l);
  return err;
}

static int run_locked(const ga__cached_call *c) {
  GpuLaunch *l = NULL;

  if (c->ctx->launches == NULL)
    GA_TRY(ga__lru_new(&c->ctx->launches, LAUNCHES_MAX, work_max(c->ctx),
                       drop_launch));
  if (c->key->n <= GA_LAUNCH_KEY_MAX)
    l = ga__lru_get(c->ctx->launches, c->key->v, c->key->n * sizeof *c->key->v);
  return l != NULL ? ga__launch_run_with(l, c->n, c->values) : run_new(c);
}

int ga__cached_run(const ga__cached_call *c) {
  int err;

  ga__ctx_lock(c->ctx);
  err = run_locked(c);
  ga__ctx_unlock(c->ctx);
  return err;
}
