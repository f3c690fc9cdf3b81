/* SPDX-License-Identifier: BSD-2-Clause */
#include "ocl/context.h"

#include "ocl/objects.h"

/* --- the lock --- */

int ga__ctx_init_lock(gpucontext *ctx) {
  pthread_mutexattr_t attr;

  if (pthread_mutexattr_init(&attr) != 0)
    return ga__fail_nomem();
  int failed = pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE) != 0 ||
               pthread_mutex_init(&ctx->lock, &attr) != 0;
  pthread_mutexattr_destroy(&attr);
  return failed ? ga__fail(GA_SYS_ERROR, "cannot make a mutex") : GA_NO_ERROR;
}

void ga__ctx_lock(gpucontext *ctx) {
  pthread_mutex_lock(&ctx->lock);
#ifdef GA_ASSERTIONS
  ctx->holder = pthread_self();
  ctx->held++;
#endif
}

void ga__ctx_unlock(gpucontext *ctx) {
#ifdef GA_ASSERTIONS
  GA_ASSERT(ctx->held > 0);
  ctx->held--;
#endif
  pthread_mutex_unlock(&ctx->lock);
}

#ifdef GA_ASSERTIONS
int ga__ctx_is_locked(const gpucontext *ctx) {
  return ctx->held > 0 && pthread_equal(ctx->holder, pthread_self());
}
#endif

/* --- what layers above keep --- */

void *ga__ctx_kept(gpucontext *ctx, ga__keeper who) {
  GA_ASSERT(ga__ctx_is_locked(ctx));
  return ctx->kept[who].object;
}

void ga__ctx_keep(gpucontext *ctx, ga__keeper who, void *kept,
                  void (*drop)(void *)) {
  ga__kept *k = &ctx->kept[who];

  GA_ASSERT(ga__ctx_is_locked(ctx));
  if (k->object != NULL)
    k->drop(k->object);
  *k = (ga__kept){kept, drop};
}

/* --- references, handles, figures --- */

void ga__ctx_retain(gpucontext *ctx) {
  atomic_fetch_add_explicit(&ctx->refs, 1, memory_order_relaxed);
}

cl_context ga__ctx_cl(gpucontext *ctx) {
  return ctx->cl;
}

cl_command_queue ga__ctx_queue(gpucontext *ctx) {
  return ctx->queue;
}

cl_device_id ga__ctx_device(gpucontext *ctx) {
  return ctx->dev.cl;
}

const char *gpucontext_error(gpucontext *ctx, int err) {
  (void)ctx; /* the message belongs to the thread */
  return ga__err_text(err);
}

int gpucontext_count(gpucontext *ctx, gpucontext_counters *out) {
  ga__ctx_lock(ctx);
  *out = ctx->count;
  out->held_bytes = ctx->pool.held_bytes;
  out->used_bytes = ctx->pool.held_bytes - ctx->pool.idle_bytes;
  out->peak_bytes = ctx->pool.peak_bytes;
  out->device_allocs = ctx->pool.allocs;
  ga__ctx_unlock(ctx);
  return GA_NO_ERROR;
}
