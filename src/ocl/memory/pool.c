/* SPDX-License-Identifier: BSD-2-Clause */
/* Size classes, idle lists and accounting of the buffer pool. */
#include "ocl/memory/pool.h"

#include "base/alloc.h"
#include "ocl/context.h"

/* --- classes --- */

static unsigned int top_bit(size_t v) {
  unsigned int n = 0;

  while (v >>= 1)
    n++;
  return n;
}

size_t ga__pool_class(size_t bytes, size_t *room) {
  unsigned int steps, base;

  if (bytes <= (size_t)1 << GA_POOL_SMALL_BITS) {
    *room = (size_t)1 << GA_POOL_SMALL_BITS;
    return 0;
  }
  unsigned int bits = top_bit(bytes - 1); /* 2^bits < bytes <= 2^(bits + 1) */
  if (bits < GA_POOL_LARGE_BITS) {
    steps = 4;
    base = 4 * (bits - GA_POOL_SMALL_BITS);
  } else {
    steps = 16;
    base = 4 * (GA_POOL_LARGE_BITS - GA_POOL_SMALL_BITS) +
           16 * (bits - GA_POOL_LARGE_BITS);
  }
  size_t step = ((size_t)1 << bits) / steps;
  size_t k = (bytes - 1 - ((size_t)1 << bits)) / step + 1; /* 1 ... steps */
  *room = ((size_t)1 << bits) + k * step;
  if (*room < bytes) /* the sum overflowed; the driver will refuse this size */
    *room = bytes;
  return base + k;
}

/* --- idle lists --- */

static void link_idle(ga__pool *p, gpudata *d) {
  gpudata **first = &p->classes[d->size_class];

  d->class_prev = NULL;
  d->class_next = *first;
  if (d->class_next != NULL)
    d->class_next->class_prev = d;
  *first = d;
  d->newer = NULL;
  d->older = p->newest;
  if (d->older != NULL)
    d->older->newer = d;
  else
    p->oldest = d;
  p->newest = d;
  p->idle_bytes += d->room;
}

static void unlink_idle(ga__pool *p, gpudata *d) {
  GA_ASSERT(d->pooled && p->idle_bytes >= d->room);
  if (d->class_prev != NULL)
    d->class_prev->class_next = d->class_next;
  else
    p->classes[d->size_class] = d->class_next;
  if (d->class_next != NULL)
    d->class_next->class_prev = d->class_prev;
  if (d->older != NULL)
    d->older->newer = d->newer;
  else
    p->oldest = d->newer;
  if (d->newer != NULL)
    d->newer->older = d->older;
  else
    p->newest = d->older;
  p->idle_bytes -= d->room;
}

static void free_oldest(ga__pool *p) {
  gpudata *d = p->oldest;

  unlink_idle(p, d);
  p->held_bytes -= d->room;
  clReleaseMemObject(d->mem);
  ga__free(d);
}

void ga__pool_trim(gpucontext *ctx) {
  GA_ASSERT(ga__ctx_is_locked(ctx));
  while (ctx->pool.oldest != NULL)
    free_oldest(&ctx->pool);
}

void ga__pool_give(gpucontext *ctx, gpudata *d) {
  ga__pool *p = &ctx->pool;

  GA_ASSERT(ga__ctx_is_locked(ctx) && atomic_load(&d->refs) == 0);
  if (d->pooled) {
    link_idle(p, d);
    while (p->idle_bytes > p->idle_max)
      free_oldest(p);
    return;
  }
  if (d->counted)
    p->held_bytes -= d->room + d->guard_bytes;
  clReleaseMemObject(d->mem);
  if (d->around != NULL)
    clReleaseMemObject(d->around);
  ga__free(d);
}

/* --- allocation --- */

int ga__data_wrap(gpudata **out, gpucontext *ctx, cl_mem mem, size_t bytes) {
  gpudata *d = ga__calloc(1, sizeof *d);

  *out = d;
  if (d == NULL)
    return ga__fail_nomem();
  atomic_init(&d->refs, 1);
  d->mem = mem;
  d->bytes = d->room = bytes;
  d->ctx = ctx;
  ga__ctx_retain(ctx);
  return GA_NO_ERROR;
}

static int fail_alloc(const ga__pool *p, const char *call, size_t bytes,
                      const char *why) {
  const double gib = 1.0 / (1 << 30);

  return ga__fail(GA_MEMORY_ERROR,
                  "%s(%zu): %s; %.3g GiB in use, %.3g in the pool", call, bytes,
                  why, (double)(p->held_bytes - p->idle_bytes) * gib,
                  (double)p->idle_bytes * gib);
}

static int over_limit(const ga__pool *p, size_t room) {
  return p->limit != 0 &&
         (p->held_bytes >= p->limit || room > p->limit - p->held_bytes);
}

/* Use the memory once: drivers for GPUs allocate at first use, and so report a
 * failure here. clEnqueueMigrateMemObjects will not do: NVIDIA's driver frees
 * the record of that command while one of its threads reads it
 * (docs/devices.md). */
static cl_int touch(gpucontext *ctx, cl_mem mem) {
  const cl_uchar zero = 0;

  if (ctx->dev.is_host)
    return CL_SUCCESS;
  return clEnqueueFillBuffer(ctx->queue, mem, &zero, 1, 0, 1, 0, NULL, NULL);
}

/* Create a memory object of `room` bytes. *call names the function whose status
 * is returned. */
static cl_int create(cl_mem *mem, gpucontext *ctx, size_t room, int flags,
                     const char **call) {
  cl_mem_flags cl_flags = CL_MEM_READ_WRITE;
  cl_int status;

  if (flags & GA_BUFFER_HOST)
    cl_flags |= CL_MEM_ALLOC_HOST_PTR;
  ctx->pool.allocs++;
  *call = "clCreateBuffer";
  *mem = clCreateBuffer(ctx->cl, cl_flags, room, NULL, &status);
  if (status != CL_SUCCESS) {
    *mem = NULL;
    return status;
  }
  *call = "clEnqueueFillBuffer";
  status = touch(ctx, *mem);
  if (status != CL_SUCCESS) {
    clReleaseMemObject(*mem);
    *mem = NULL;
  }
  return status;
}

/* Create a memory object; if the driver fails, free all idle buffers and try
 * again. Commands in flight may still use those buffers, so wait for the queue
 * first. */
static int create_or_trim(cl_mem *mem, gpucontext *ctx, size_t room,
                          int flags) {
  ga__pool *p = &ctx->pool;
  const char *call = "clCreateBuffer";

  if (over_limit(p, room))
    ga__pool_trim(ctx);
  if (over_limit(p, room))
    return fail_alloc(p, call, room, "the limit of the context is reached");
  cl_int status = create(mem, ctx, room, flags, &call);
  if (status != CL_SUCCESS && p->idle_bytes > 0) {
    ga__pool_trim(ctx);
    clFinish(ctx->queue);
    status = create(mem, ctx, room, flags, &call);
  }
  if (status != CL_SUCCESS)
    return fail_alloc(p, call, room, ga__status_name(status));
  return GA_NO_ERROR;
}

static void count_in(ga__pool *p) {
  uint64_t used = p->held_bytes - p->idle_bytes;

  if (used > p->peak_bytes)
    p->peak_bytes = used;
}

static int alloc_new(gpudata **out, gpucontext *ctx, size_t bytes, size_t room,
                     unsigned int size_class, int flags) {
  cl_mem mem;

  GA_TRY(create_or_trim(&mem, ctx, room, flags));
  int err = ga__data_wrap(out, ctx, mem, bytes);
  if (err != GA_NO_ERROR) {
    clReleaseMemObject(mem);
    return err;
  }
  (*out)->room = room;
  (*out)->pooled = !(flags & GA_BUFFER_HOST) && !ctx->no_pool;
  (*out)->size_class = size_class;
  (*out)->counted = 1;
  ctx->pool.held_bytes += room;
  return GA_NO_ERROR;
}

int ga__pool_alloc(gpudata **out, gpucontext *ctx, size_t bytes, int flags) {
  ga__pool *p = &ctx->pool;
  size_t room, c = ga__pool_class(bytes, &room);
  gpudata *d = flags & GA_BUFFER_HOST ? NULL : p->classes[c];

  GA_ASSERT(ga__ctx_is_locked(ctx));
  if (ctx->no_pool) /* exact size, so that tools find writes beyond it */
    room = bytes > 0 ? bytes : 1;
  if (d != NULL) {
    unlink_idle(p, d);
    atomic_store_explicit(&d->refs, 1, memory_order_relaxed);
    d->bytes = bytes;
    ga__ctx_retain(ctx);
    *out = d;
  } else {
    GA_TRY(alloc_new(out, ctx, bytes, room, (unsigned int)c, flags));
  }
  count_in(p);
  return GA_NO_ERROR;
}

/* A buffer over `room` bytes of `around`, after `before` bytes. It takes over
 * `around`, also on failure. */
static int wrap_part(gpudata **out, gpucontext *ctx, cl_mem around,
                     size_t before, size_t room) {
  const cl_buffer_region r = {before, room};
  cl_int status;
  cl_mem mem = clCreateSubBuffer(around, CL_MEM_READ_WRITE,
                                 CL_BUFFER_CREATE_TYPE_REGION, &r, &status);
  int err = status == CL_SUCCESS ? ga__data_wrap(out, ctx, mem, room)
                                 : ga__fail_status("clCreateSubBuffer", status);

  if (err == GA_NO_ERROR) {
    (*out)->around = around;
    (*out)->guard_before = before;
    return GA_NO_ERROR;
  }
  if (status == CL_SUCCESS)
    clReleaseMemObject(mem);
  clReleaseMemObject(around);
  return err;
}

int ga__pool_alloc_inside(gpudata **out, gpucontext *ctx, size_t bytes,
                          size_t before, size_t behind) {
  const size_t room = bytes > 0 ? bytes : 1;
  ga__pool *p = &ctx->pool;
  cl_mem around;

  GA_ASSERT(ga__ctx_is_locked(ctx));
  GA_TRY(create_or_trim(&around, ctx, before + room + behind, 0));
  GA_TRY(wrap_part(out, ctx, around, before, room));
  (*out)->bytes = bytes;
  (*out)->guard_bytes = before + behind;
  (*out)->counted = 1;
  p->held_bytes += room + (*out)->guard_bytes;
  count_in(p);
  return GA_NO_ERROR;
}
