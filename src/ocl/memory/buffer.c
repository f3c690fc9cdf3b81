/* SPDX-License-Identifier: BSD-2-Clause */
/* Device buffers: allocation, counting, reads, writes, filling. */
#include "ocl/memory/buffer.h"

#include <gpuarray/guard.h>
#include <gpuarray/timeline.h>
#include <string.h>

#include "ocl/context.h"
#include "ocl/foreign_data.h"
#include "ocl/kernel/programs.h"
#include "ocl/memory/guard.h"
#include "ocl/memory/index_guard.h"
#include "ocl/memory/part.h"
#include "ocl/memory/pool.h"
#include "ocl/memory/stage.h"
#include "ocl/queue.h"

/* --- life --- */

static int fill(gpudata *d, size_t off, size_t bytes, int value);

static int check_init(const void *data, size_t sz, int flags) {
  const int one_way = GA_BUFFER_READ_ONLY | GA_BUFFER_WRITE_ONLY;

  if ((flags & one_way) == one_way)
    return ga__fail(GA_VALUE_ERROR, "a buffer both read-only and write-only");
  if (!(flags & GA_BUFFER_INIT) || data != NULL || sz == 0)
    return GA_NO_ERROR;
  return ga__fail(GA_VALUE_ERROR, "GA_BUFFER_INIT without data");
}

/* With `poison`, reads of uninitialised memory show: 0xFF bytes are NaN in
 * every float type. */
static int alloc_raw(gpudata **out, gpucontext *ctx, size_t sz, int flags,
                     int guard) {
  GA_TRY(ga__process_check());
  ga__ctx_lock(ctx);
  int err = guard ? ga__guard_alloc(out, ctx, sz)
                  : ga__pool_alloc(out, ctx, sz, flags);
  if (err == GA_NO_ERROR && ctx->poison)
    err = fill(*out, 0, guard ? sz : (*out)->room, 0xFF);
  ga__ctx_unlock(ctx);
  return err;
}

static int alloc(gpudata **out, gpucontext *ctx, size_t sz, const void *data,
                 int flags) {
  *out = NULL;
  GA_TRY(check_init(data, sz, flags));
  int err =
      alloc_raw(out, ctx, sz, flags, ctx->guard && !(flags & GA_BUFFER_HOST));
  if (err == GA_NO_ERROR && (flags & GA_BUFFER_INIT))
    err = gpudata_write(*out, 0, data, sz);
  if (err != GA_NO_ERROR) {
    gpudata_release(*out);
    *out = NULL;
  }
  return err;
}

gpudata *gpudata_alloc(gpucontext *ctx, size_t sz, void *data, int flags,
                       int *ret) {
  gpudata *d;
  int err = alloc(&d, ctx, sz, data, flags);

  if (err != GA_NO_ERROR && ret != NULL)
    *ret = err;
  return d;
}

gpudata *gpudata_alloc_guarded(gpucontext *ctx, size_t sz, int *ret) {
  gpudata *d = NULL;
  int err = alloc_raw(&d, ctx, sz, 0, 1);

  if (err != GA_NO_ERROR) {
    gpudata_release(d);
    d = NULL;
    if (ret != NULL)
      *ret = err;
  }
  return d;
}

void gpudata_retain(gpudata *b) {
  if (b == NULL)
    return;
  atomic_fetch_add_explicit(&b->refs, 1, memory_order_relaxed);
}

void gpudata_release(gpudata *b) {
  if (b == NULL ||
      atomic_fetch_sub_explicit(&b->refs, 1, memory_order_acq_rel) != 1)
    return;
  gpucontext *ctx = b->ctx;
  if (b->foreign != NULL) {
    ga__foreign_free(b);
  } else {
    ga__ctx_lock(ctx);
    ga__pool_give(ctx, b);
    ga__ctx_unlock(ctx);
  }
  gpucontext_deref(ctx);
}

gpucontext *gpudata_context(gpudata *b) {
  return b->ctx;
}

cl_mem ga__data_mem(const gpudata *d) {
  return d->mem;
}

size_t ga__data_bytes(const gpudata *d) {
  return d->bytes;
}

/* --- checks --- */

int ga__data_check_range(const gpudata *d, size_t off, size_t sz) {
  if (off <= d->bytes && sz <= d->bytes - off)
    return GA_NO_ERROR;
  return ga__fail(GA_VALUE_ERROR,
                  "%zu bytes at offset %zu end beyond a buffer of %zu bytes",
                  sz, off, d->bytes);
}

/* Where a memory object lies. Only foreign buffers are sub-buffers or lie over
 * host memory. */
typedef struct place {
  cl_mem root; /* the memory object itself, or the parent of a sub-buffer */
  char *host;  /* the host memory that `root` lies over, or NULL */
  size_t from; /* bytes from the start of `root` */
} place;

static int find_place(place *p, cl_mem mem) {
  void *host = NULL;

  GA_TRY(ga__part_root(mem, &p->root, &p->from));
  GA_TRY(GA_CL(
      clGetMemObjectInfo(p->root, CL_MEM_HOST_PTR, sizeof host, &host, NULL)));
  p->host = host;
  return GA_NO_ERROR;
}

int ga__data_distance(int *related, ptrdiff_t *distance, const gpudata *a,
                      const gpudata *b) {
  place pa, pb;

  *distance = 0;
  *related = a == b || a->mem == b->mem;
  if (*related || a->ctx != b->ctx || (a->counted && b->counted))
    return GA_NO_ERROR;
  GA_TRY(find_place(&pa, a->mem));
  GA_TRY(find_place(&pb, b->mem));
  *related = pa.root == pb.root || (pa.host != NULL && pb.host != NULL);
  *distance = (ptrdiff_t)pb.from - (ptrdiff_t)pa.from;
  if (pa.root != pb.root && *related)
    *distance += pb.host - pa.host;
  return GA_NO_ERROR;
}

int gpudata_share(gpudata *a, gpudata *b, int *ret) {
  ptrdiff_t distance;
  int related;
  int err = ga__data_distance(&related, &distance, a, b);

  if (err != GA_NO_ERROR) {
    if (ret != NULL)
      *ret = err;
    return -1;
  }
  return related && distance < (ptrdiff_t)a->room &&
         -distance < (ptrdiff_t)b->room;
}

/* --- copies to and from the host --- */

int gpudata_read(void *dst, gpudata *src, size_t srcoff, size_t sz) {
  gpucontext *ctx = src->ctx;

  GA_TRY(ga__data_check_range(src, srcoff, sz));
  if (sz == 0)
    return GA_NO_ERROR;
  const uint64_t begin = gpuarray_timeline_now();
  ga__ctx_lock(ctx);
  int err = GA_CL(clEnqueueReadBuffer(ctx->queue, src->mem, CL_TRUE, srcoff, sz,
                                      dst, 0, NULL, NULL));
  gpuarray_timeline_add("read", "wait", begin);
  if (err == GA_NO_ERROR) {
    ctx->unflushed = 0;
    ctx->count.host_reads++;
    ctx->count.read_bytes += sz;
    ga__programs_save(ctx, 0);
  }
  err = ga__index_guard_check(ctx, err);
  ga__ctx_unlock(ctx);
  return err;
}

/* Small writes are staged and do not block. Lock held. */
static int write_locked(gpudata *dst, size_t off, const void *src, size_t sz) {
  gpucontext *ctx = dst->ctx;

  if (ga__stage_takes(ctx, sz))
    return ga__stage_write(ctx, dst->mem, off, src, sz);
  ctx->unflushed = 0;
  return GA_CL(clEnqueueWriteBuffer(ctx->queue, dst->mem, CL_TRUE, off, sz, src,
                                    0, NULL, NULL));
}

int gpudata_write(gpudata *dst, size_t dstoff, const void *src, size_t sz) {
  gpucontext *ctx = dst->ctx;

  GA_TRY(ga__data_check_range(dst, dstoff, sz));
  if (sz == 0)
    return GA_NO_ERROR;
  ga__ctx_lock(ctx);
  int err = write_locked(dst, dstoff, src, sz);
  if (err == GA_NO_ERROR) {
    ctx->count.host_writes++;
    ctx->count.write_bytes += sz;
  }
  ga__ctx_unlock(ctx);
  return err;
}

/* --- filling --- */

/* A sub-buffer for the block that starts at *origin; the caller releases it.
 * Returns NULL and sets *origin to 0 where the buffer itself is used: for its
 * first block, and if it is a sub-buffer, which cannot have sub-buffers. */
static cl_mem open_block(const gpudata *d, size_t *origin) {
  cl_buffer_region r = {*origin, d->room - *origin};
  cl_int status = CL_SUCCESS;
  cl_mem sub = NULL;

  if (r.size > d->ctx->fill_block)
    r.size = d->ctx->fill_block;
  if (*origin > 0)
    sub = clCreateSubBuffer(d->mem, CL_MEM_READ_WRITE,
                            CL_BUFFER_CREATE_TYPE_REGION, &r, &status);
  if (sub != NULL && status == CL_SUCCESS)
    return sub;
  *origin = 0;
  return NULL;
}

/* Fill with a pattern of `width` bytes; `off` and `bytes` are multiples of
 * `width`. NVIDIA's driver counts patterns from the start of the memory object
 * in 31 bits and does not report an overflow, so each block is filled through a
 * sub-buffer of its own. */
static int fill_with(gpudata *d, size_t off, size_t bytes, int value,
                     size_t width) {
  gpucontext *ctx = d->ctx;
  unsigned char pattern[16];

  memset(pattern, value & 0xFF, sizeof pattern);
  while (bytes > 0) {
    size_t within = off % ctx->fill_block, origin = off - within;
    size_t n = ctx->fill_block - within;

    if (n > bytes)
      n = bytes;
    cl_mem sub = open_block(d, &origin);
    int err = GA_CL(clEnqueueFillBuffer(ctx->queue, sub != NULL ? sub : d->mem,
                                        pattern, width, off - origin, n, 0,
                                        NULL, NULL));
    if (sub != NULL)
      clReleaseMemObject(sub);
    if (err != GA_NO_ERROR)
      return err;
    ga__queue_kick(ctx);
    off += n;
    bytes -= n;
  }
  return GA_NO_ERROR;
}

/* Wide patterns are faster, so only the unaligned ends are filled byte by
 * byte. */
static int fill(gpudata *d, size_t off, size_t bytes, int value) {
  size_t head = (16 - off % 16) % 16;

  if (head > bytes)
    head = bytes;
  size_t body = (bytes - head) / 16 * 16;
  GA_TRY(fill_with(d, off, head, value, 1));
  GA_TRY(fill_with(d, off + head, body, value, 16));
  return fill_with(d, off + head + body, bytes - head - body, value, 1);
}

int ga__data_fill(gpudata *d, size_t off, size_t bytes, int value) {
  GA_TRY(ga__data_check_range(d, off, bytes));
  ga__ctx_lock(d->ctx);
  int err = fill(d, off, bytes, value);
  ga__ctx_unlock(d->ctx);
  return err;
}

int gpudata_memset(gpudata *dst, size_t dstoff, int data) {
  GA_TRY(ga__data_check_range(dst, dstoff, 0));
  return ga__data_fill(dst, dstoff, dst->bytes - dstoff, data);
}

int gpudata_sync(gpudata *b) {
  ga__ctx_lock(b->ctx);
  int err = ga__queue_drain(b->ctx);
  if (err == GA_NO_ERROR)
    ga__programs_save(b->ctx, 0);
  err = ga__index_guard_check(b->ctx, err);
  ga__ctx_unlock(b->ctx);
  return err;
}
