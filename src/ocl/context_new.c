/* SPDX-License-Identifier: BSD-2-Clause */
/* Contexts: properties, creation, and the end of the last reference. */
#include "ocl/context_new.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/env.h"
#include "ocl/context.h"
#include "ocl/kernel/kernel_patterns.h"
#include "ocl/kernel/programs.h"
#include "ocl/kernel/spare_kernels.h"
#include "ocl/launch/launch_cache.h"
#include "ocl/launch/launch_question.h"
#include "ocl/memory/index_guard.h"
#include "ocl/memory/pool.h"
#include "ocl/memory/relay.h"
#include "ocl/memory/stage.h"
#include "ocl/objects.h"
#include "ocl/queue.h"

struct _gpucontext_props {
  int platform, device; /* -1: not chosen */
  int is_cuda;          /* a CUDA device was chosen last */
  char *cache_path;     /* owned, NULL: the default folder */
  size_t initial, max;  /* bytes: of the pool at first; of all buffers at most,
                           0 for any */
};

/* --- properties --- */

int gpucontext_props_new(gpucontext_props **res) {
  gpucontext_props *p = ga__calloc(1, sizeof *p);

  *res = p;
  if (p == NULL)
    return ga__fail_nomem();
  p->platform = p->device = -1;
  return GA_NO_ERROR;
}

int gpucontext_props_cuda_dev(gpucontext_props *p, int devno) {
  (void)devno;
  p->is_cuda = 1;
  return GA_NO_ERROR;
}

int gpucontext_props_opencl_dev(gpucontext_props *p, int platno, int devno) {
  p->is_cuda = 0;
  p->platform = platno;
  p->device = devno;
  return GA_NO_ERROR;
}

int gpucontext_props_sched(gpucontext_props *p, int sched) {
  (void)p; /* OpenCL leaves waiting to the driver */
  if (sched < GA_CTX_SCHED_AUTO || sched > GA_CTX_SCHED_MULTI)
    return ga__fail(GA_INVALID_ERROR, "no scheduling mode %d", sched);
  return GA_NO_ERROR;
}

int gpucontext_props_set_single_stream(gpucontext_props *p) {
  (void)p; /* there is one queue in any case */
  return GA_NO_ERROR;
}

int gpucontext_props_kernel_cache(gpucontext_props *p, const char *path) {
  char *copy = ga__strdup(path);

  if (copy == NULL)
    return ga__fail_nomem();
  ga__free(p->cache_path);
  p->cache_path = copy;
  return GA_NO_ERROR;
}

int gpucontext_props_alloc_cache(gpucontext_props *p, size_t initial,
                                 size_t max) {
  if (max != 0 && initial > max)
    return ga__fail(GA_VALUE_ERROR, "initial size %zu is above the maximum %zu",
                    initial, max);
  p->initial = initial;
  p->max = max;
  return GA_NO_ERROR;
}

void gpucontext_props_del(gpucontext_props *p) {
  if (p == NULL)
    return;
  ga__free(p->cache_path);
  ga__free(p);
}

/* --- creation --- */

static void set_bin_id(gpucontext *ctx) {
  const ga__device *d = &ctx->dev;

  snprintf(ctx->bin_id, sizeof ctx->bin_id, "%s; %s; %s; %s",
           d->platform_version, d->name, d->version, d->driver);
}

/* The 8 zero bytes of GA_CTX_PROP_ERRBUF. This buffer does not retain the
 * context, which would otherwise never be freed. */
static int make_errbuf(gpucontext *ctx) {
  static const unsigned char zeros[8];
  cl_int status;
  cl_mem mem = clCreateBuffer(ctx->cl, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                              sizeof zeros, (void *)(size_t)zeros, &status);

  if (status != CL_SUCCESS)
    return ga__fail_status("clCreateBuffer", status);
  int err = ga__data_wrap(&ctx->errbuf, ctx, mem, sizeof zeros);
  if (err != GA_NO_ERROR) {
    clReleaseMemObject(mem);
    return err;
  }
  atomic_fetch_sub(&ctx->refs, 1); /* that ga__data_wrap added */
  return GA_NO_ERROR;
}

/* Idle memory may grow to a quarter of the device's memory, or to the initial
 * size of the pool if that is more. */
static int init_pool(gpucontext *ctx, const gpucontext_props *props) {
  gpudata *first;

  ctx->pool.idle_max = ctx->dev.caps.memory_bytes / 4;
  if (props == NULL)
    return GA_NO_ERROR;
  ctx->pool.limit = props->max;
  if (props->initial == 0)
    return GA_NO_ERROR;
  if (ctx->pool.idle_max < props->initial)
    ctx->pool.idle_max = props->initial;
  GA_TRY(ga__pool_alloc(&first, ctx, props->initial, 0));
  gpudata_release(first);
  return GA_NO_ERROR;
}

/* Release the handles, except borrowed ones. */
static void release_handles(gpucontext *ctx) {
  const int is_borrowed = ctx->how.hold == GPU_BORROW;

  if (ctx->queue != NULL && ctx->how.drop != NULL)
    ga__queue_settle(ctx);
  if (ctx->queue != NULL && !(is_borrowed && ctx->has_foreign_queue))
    clReleaseCommandQueue(ctx->queue);
  if (!is_borrowed)
    clReleaseContext(ctx->cl);
}

/* --- the process --- */

/* A borrowed queue may have been released already. If another thread holds the
 * lock, it may never give it up, so do not wait for it. */
static void end(gpucontext *ctx) {
  if (ctx->how.hold == GPU_BORROW && ctx->has_foreign_queue)
    return;
  ga__queue_end(ctx);
  if (pthread_mutex_trylock(&ctx->lock) != 0)
    return;
  ga__programs_trust(ctx);
  pthread_mutex_unlock(&ctx->lock);
}

/* In a copy of the process, waiting for the driver would never end. The lock
 * may be held by a thread that does not exist here. */
static void forget(gpucontext *ctx) {
  ctx->queue = NULL;
  ctx->stage = NULL;
  ctx->relay = NULL;
  ga__ctx_init_lock(ctx);
}

static void destroy(gpucontext *ctx) {
  ga__process_leave(&ctx->member);
  if (ga__process_is_copy())
    return;                    /* drivers wait for threads that do not exist
                                  here */
  atomic_store(&ctx->refs, 1); /* releasing objects changes the count */
  ga__ctx_lock(ctx);
  ga__cached_drop(ctx);
  for (int who = 0; who < GA_KEEPERS; who++)
    ga__ctx_keep(ctx, (ga__keeper)who, NULL, NULL);
  if (ga__programs_wait(ctx) && ctx->queue != NULL &&
      ga__queue_drain(ctx) == GA_NO_ERROR)
    ga__programs_save(ctx, 1);
  ga__stage_clear(ctx);
  ga__relay_clear(ctx->relay);
  ga__free(ctx->relay);
  if (ctx->errbuf != NULL) {
    clReleaseMemObject(ctx->errbuf->mem);
    ga__free(ctx->errbuf);
  }
  ga__index_guard_clear(ctx);
  ga__pool_trim(ctx);
  ga__spares_clear(ctx);
  ga__questions_clear(ctx);
  ga__patterns_clear(ctx);
  ga__programs_clear(ctx);
  ga__disk_close(ctx->disk);
  release_handles(ctx);
  ga__ctx_unlock(ctx);
  pthread_mutex_destroy(&ctx->lock);
  if (ctx->how.drop != NULL)
    ctx->how.drop(ctx->how.base);
  ga__free(ctx);
}

/* Allocate a context with these handles and a lock. */
static int new_shell(gpucontext **out, const gpucontext *handles) {
  gpucontext *ctx = ga__calloc(1, sizeof *ctx);

  *out = ctx;
  if (ctx == NULL)
    return ga__fail_nomem();
  *ctx = *handles;
  int err = ga__ctx_init_lock(ctx);
  if (err != GA_NO_ERROR)
    ga__free(ctx);
  return err;
}

int ga__ctx_new(gpucontext **out, const ga__device *dev, cl_context cl,
                cl_command_queue queue, const gpuforeign *how,
                gpucontext_props *props) {
  gpucontext handles = {.cl = cl,
                        .queue = queue,
                        .has_foreign_queue = queue != NULL,
                        .how.hold = how != NULL ? how->hold : GPU_RETAIN};
  gpucontext *ctx;
  int err;

  *out = NULL;
  err = ga__process_check();
  if (err == GA_NO_ERROR)
    err = new_shell(&ctx, &handles);
  if (err != GA_NO_ERROR) {
    release_handles(&handles);
    return err;
  }
  atomic_init(&ctx->refs, 1);
  ga__ctx_lock(ctx);
  ctx->dev = *dev;
  ctx->fill_block = (size_t)1 << 30;
  ctx->poison = ga__env_on("GPUARRAY_POISON");
  ctx->guard = ga__env_on("GPUARRAY_GUARD");
  ctx->no_pool = ga__env_on("GPUARRAY_NO_POOL");
  ctx->guards_indices = ga__index_guard_default();
  ctx->is_pocl = strcmp(dev->platform_name, "Portable Computing Language") == 0;
  set_bin_id(ctx);
  if (ctx->queue == NULL)
    GA_CHECK(ga__queue_new(&ctx->queue, ctx, 0));
  GA_CHECK(ga__disk_open(&ctx->disk, props ? props->cache_path : NULL));
  GA_CHECK(ga__programs_init(ctx));
  GA_CHECK(make_errbuf(ctx));
  GA_CHECK(init_pool(ctx, props));
  if (how != NULL)
    ctx->how = *how;
  ctx->member = (ga__member){.ctx = ctx, .end = end, .copy = forget};
  GA_CHECK(ga__process_enter(&ctx->member));
  *out = ctx;

done:
  ga__ctx_unlock(ctx);
  if (err != GA_NO_ERROR)
    destroy(ctx);
  return err;
}

/* The device that the properties name, or the default one. */
static int find_device(ga__device *out, const gpucontext_props *props) {
  cl_platform_id platform;
  cl_device_id device;
  int p = -1, d = -1;

  if (props != NULL && props->is_cuda)
    return ga__fail(GA_DEVSUP_ERROR,
                    "a CUDA device was chosen, only OpenCL devices are here");
  if (props != NULL) {
    p = props->platform;
    d = props->device;
  }
  if (p < 0 && d < 0)
    GA_TRY(gpudevice_choose(NULL, &p, &d, NULL, 0));
  GA_TRY(ga__device_find(p, d, &platform, &device));
  GA_TRY(ga__device_describe(out, platform, device));
  out->platform = p;
  out->device = d;
  return GA_NO_ERROR;
}

static int open_device(gpucontext **out, const ga__device *dev,
                       gpucontext_props *props) {
  cl_context_properties cl_props[] = {
      CL_CONTEXT_PLATFORM, (cl_context_properties)dev->cl_platform, 0};
  cl_int status;
  cl_context cl = clCreateContext(cl_props, 1, &dev->cl, NULL, NULL, &status);

  if (status != CL_SUCCESS)
    return ga__fail_status("clCreateContext", status);
  return ga__ctx_new(out, dev, cl, NULL, NULL, props);
}

int gpucontext_init(gpucontext **res, const char *name,
                    gpucontext_props *props) {
  ga__device dev;
  int err = ga__device_backend(name);

  *res = NULL;
  if (err == GA_NO_ERROR)
    err = find_device(&dev, props);
  if (err == GA_NO_ERROR)
    err = open_device(res, &dev, props);
  gpucontext_props_del(props);
  return err;
}

/* --- life --- */

void gpucontext_deref(gpucontext *ctx) {
  if (ctx != NULL &&
      atomic_fetch_sub_explicit(&ctx->refs, 1, memory_order_acq_rel) == 1)
    destroy(ctx);
}

int gpucontext_trim(gpucontext *ctx) {
  ga__ctx_lock(ctx);
  ga__cached_drop(ctx);
  ga__pool_trim(ctx);
  ga__ctx_unlock(ctx);
  return GA_NO_ERROR;
}
