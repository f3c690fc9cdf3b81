/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies from buffer to buffer, within a context and between two contexts. */
#include <gpuarray/transfer.h>

#include "base/alloc.h"
#include "base/arith.h"
#include "ocl/context.h"
#include "ocl/memory/buffer.h"
#include "ocl/memory/index_guard.h"
#include "ocl/memory/pool.h"
#include "ocl/memory/relay.h"
#include "ocl/queue.h"

/* Bytes. Overlapping ranges whose starts are closer than this are copied
 * through a workspace. */
#define MOVE_BLOCK ((size_t)16 << 20)

/* --- within a context --- */

/* A copy within a context, with its ranges checked. */
typedef struct move {
  gpucontext *ctx;
  gpudata *dst, *src;
  size_t dstoff, srcoff, bytes;
} move;

/* The ranges do not overlap. Lock held. */
static int enqueue(gpucontext *ctx, gpudata *dst, size_t dstoff, gpudata *src,
                   size_t srcoff, size_t bytes) {
  GA_TRY(GA_CL(clEnqueueCopyBuffer(ctx->queue, src->mem, dst->mem, srcoff,
                                   dstoff, bytes, 0, NULL, NULL)));
  ga__queue_kick(ctx);
  return GA_NO_ERROR;
}

/* Copy the block at offset `at`, through `workspace` if it is not NULL. */
static int move_block(const move *m, gpudata *workspace, size_t at,
                      size_t bytes) {
  gpudata *src = m->src;
  size_t srcoff = m->srcoff + at;

  if (workspace != NULL) {
    GA_TRY(enqueue(m->ctx, workspace, 0, src, srcoff, bytes));
    src = workspace;
    srcoff = 0;
  }
  return enqueue(m->ctx, m->dst, m->dstoff + at, src, srcoff, bytes);
}

/* Copy overlapping ranges block by block, in the order in which no byte is
 * overwritten before it is read. `up` is the distance in bytes from source to
 * target, negative for lower addresses. Lock held. */
static int move_within(const move *m, ptrdiff_t up) {
  const size_t far = up < 0 ? 0 - (size_t)up : (size_t)up;
  const size_t block =
      far < MOVE_BLOCK ? ga__at_most(MOVE_BLOCK, m->bytes) : far;
  gpudata *workspace = NULL;
  int err = GA_NO_ERROR;

  if (far < block)
    GA_CHECK(ga__pool_alloc(&workspace, m->ctx, block, 0));
  for (size_t done = 0, n; done < m->bytes; done += n) {
    n = ga__at_most(block, m->bytes - done);
    GA_CHECK(move_block(m, workspace, up > 0 ? m->bytes - done - n : done, n));
  }

done:
  gpudata_release(workspace);
  return err;
}

/* Lock held. */
static int move_any(const move *m) {
  ptrdiff_t between;
  int related;

  GA_TRY(ga__data_distance(&related, &between, m->src, m->dst));
  ptrdiff_t up = between + (ptrdiff_t)m->dstoff - (ptrdiff_t)m->srcoff;
  if (!related || up >= (ptrdiff_t)m->bytes || -up >= (ptrdiff_t)m->bytes)
    return enqueue(m->ctx, m->dst, m->dstoff, m->src, m->srcoff, m->bytes);
  return up == 0 ? GA_NO_ERROR : move_within(m, up);
}

int gpudata_move(gpudata *dst, size_t dstoff, gpudata *src, size_t srcoff,
                 size_t sz) {
  const move m = {dst->ctx, dst, src, dstoff, srcoff, sz};

  if (dst->ctx != src->ctx)
    return ga__fail(GA_VALUE_ERROR, "the buffers are of different contexts");
  GA_TRY(ga__data_check_range(dst, dstoff, sz));
  GA_TRY(ga__data_check_range(src, srcoff, sz));
  if (sz == 0)
    return GA_NO_ERROR;
  ga__ctx_lock(m.ctx);
  int err = move_any(&m);
  ga__ctx_unlock(m.ctx);
  return err;
}

/* --- between contexts --- */

/* Lock two contexts in the order of their addresses, so that threads cannot
 * deadlock. */
static void lock_both(gpucontext *a, gpucontext *b) {
  const int is_up = (uintptr_t)a < (uintptr_t)b;

  ga__ctx_lock(is_up ? a : b);
  ga__ctx_lock(is_up ? b : a);
}

/* Both locks held: the relay serves one transfer at a time. */
static int relay(gpudata *dst, size_t dstoff, gpudata *src, size_t srcoff,
                 size_t sz) {
  gpucontext *to = dst->ctx;

  if (to->relay == NULL)
    to->relay = ga__calloc(1, sizeof *to->relay);
  ga__relay *r = to->relay;
  if (r == NULL)
    return ga__fail_nomem();
  if (!ga__relay_suits(r, sz)) {
    ga__relay_clear(r);
    GA_TRY(ga__relay_init(r, to, sz));
  }
  GA_TRY(ga__relay_start(r, src, srcoff, sz));
  return ga__relay_end(r, dst, dstoff);
}

static void count_transfer(gpucontext *to, gpucontext *from, size_t bytes) {
  from->count.host_reads++;
  from->count.read_bytes += bytes;
  to->count.host_writes++;
  to->count.write_bytes += bytes;
}

int gpudata_transfer(gpudata *dst, size_t dstoff, gpudata *src, size_t srcoff,
                     size_t sz) {
  gpucontext *to = dst->ctx, *from = src->ctx;

  if (to == from)
    return gpudata_move(dst, dstoff, src, srcoff, sz);
  GA_TRY(ga__data_check_range(dst, dstoff, sz));
  GA_TRY(ga__data_check_range(src, srcoff, sz));
  if (sz == 0)
    return GA_NO_ERROR;
  lock_both(to, from);
  int err = relay(dst, dstoff, src, srcoff, sz);
  if (err == GA_NO_ERROR)
    count_transfer(to, from, sz);
  err = ga__index_guard_check(from, err);
  ga__ctx_unlock(from);
  ga__ctx_unlock(to);
  return err;
}

/* --- transfers in two halves --- */

struct GpuTransfer {
  gpucontext *to, *from; /* retained */
  size_t bytes;
  int is_started;
  uint64_t calls;
  ga__relay relay;
};

int GpuTransfer_new(GpuTransfer **out, gpucontext *to, gpucontext *from,
                    size_t bytes) {
  GpuTransfer *t;

  *out = NULL;
  if (to == from)
    return ga__fail(GA_VALUE_ERROR, "a transfer needs two contexts");
  t = ga__calloc(1, sizeof *t);
  if (t == NULL)
    return ga__fail_nomem();
  int err = ga__relay_init(&t->relay, to, bytes);
  if (err != GA_NO_ERROR) {
    ga__free(t);
    return err;
  }
  ga__ctx_retain(to);
  ga__ctx_retain(from);
  t->to = to;
  t->from = from;
  t->bytes = bytes;
  *out = t;
  return GA_NO_ERROR;
}

void GpuTransfer_free(GpuTransfer *t) {
  if (t == NULL)
    return;
  ga__relay_clear(&t->relay);
  gpucontext_deref(t->to);
  gpucontext_deref(t->from);
  ga__free(t);
}

static int check_side(const GpuTransfer *t, const gpudata *d,
                      const gpucontext *ctx, size_t off, const char *what) {
  if (d == NULL || d->ctx != ctx)
    return ga__fail(GA_VALUE_ERROR, "the %s of the transfer is %s", what,
                    d == NULL ? "missing" : "of another context");
  return ga__data_check_range(d, off, t->bytes);
}

int GpuTransfer_start(GpuTransfer *t, gpudata *src, size_t off) {
  GA_TRY(check_side(t, src, t->from, off, "source"));
  t->is_started = 0;
  GA_TRY(ga__relay_start(&t->relay, src, off, t->bytes));
  t->is_started = 1;
  return GA_NO_ERROR;
}

int GpuTransfer_end(GpuTransfer *t, gpudata *dst, size_t off) {
  if (!t->is_started)
    return ga__fail(GA_INVALID_ERROR, "the transfer was not started");
  GA_TRY(check_side(t, dst, t->to, off, "target"));
  t->is_started = 0;
  GA_TRY(ga__relay_end(&t->relay, dst, off));
  lock_both(t->to, t->from);
  count_transfer(t->to, t->from, t->bytes);
  t->calls += t->to->profiling && t->from->profiling;
  int err = ga__index_guard_check(t->from, GA_NO_ERROR);
  ga__ctx_unlock(t->from);
  ga__ctx_unlock(t->to);
  return err;
}

int GpuTransfer_stats(GpuTransfer *t, GpuTransferStats *out) {
  const ga__relay *r = &t->relay;

  GA_TRY(ga__relay_drain(&t->relay));
  out->calls = t->calls;
  out->seconds =
      r->read_seconds > r->write_seconds ? r->read_seconds : r->write_seconds;
  out->bytes = (double)t->bytes;
  return GA_NO_ERROR;
}
