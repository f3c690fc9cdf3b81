/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies from buffer to buffer, within a context and between two. */
#include "ocl/objects.h"

/* Ranges that are closer to each other than this move by way of scratch
 * memory; further apart they do not need it. */
#define MOVE_BLOCK ((size_t)16 << 20)

static size_t least(size_t a, size_t b) {
  return a < b ? a : b;
}

/* --- within a context --- */

/* Ranges of one context, checked. */
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

/* Move a block that begins `at` bytes in, through `scratch` if there is one. */
static int move_block(const move *m, gpudata *scratch, size_t at,
                      size_t bytes) {
  gpudata *src = m->src;
  size_t srcoff = m->srcoff + at;

  if (scratch != NULL) {
    GA_TRY(enqueue(m->ctx, scratch, 0, src, srcoff, bytes));
    src = scratch;
    srcoff = 0;
  }
  return enqueue(m->ctx, m->dst, m->dstoff + at, src, srcoff, bytes);
}

/* Block by block, in the order in which nothing is overwritten before it is
 * read. `up` is how far the bytes move to higher addresses. Lock held. */
static int move_within(const move *m, ptrdiff_t up) {
  const size_t far = up < 0 ? 0 - (size_t)up : (size_t)up;
  const size_t block = far < MOVE_BLOCK ? least(MOVE_BLOCK, m->bytes) : far;
  gpudata *scratch = NULL;
  int err = GA_NO_ERROR;

  if (far < block)
    GA_CHECK(ga__pool_alloc(&scratch, m->ctx, block, 0));
  for (size_t done = 0, n; done < m->bytes; done += n) {
    n = least(block, m->bytes - done);
    GA_CHECK(move_block(m, scratch, up > 0 ? m->bytes - done - n : done, n));
  }

done:
  gpudata_release(scratch);
  return err;
}

/* Lock held. */
static int move_any(const move *m) {
  ptrdiff_t between, up;
  int related;

  GA_TRY(ga__data_distance(&related, &between, m->src, m->dst));
  up = between + (ptrdiff_t)m->dstoff - (ptrdiff_t)m->srcoff;
  if (!related || up >= (ptrdiff_t)m->bytes || -up >= (ptrdiff_t)m->bytes)
    return enqueue(m->ctx, m->dst, m->dstoff, m->src, m->srcoff, m->bytes);
  return up == 0 ? GA_NO_ERROR : move_within(m, up);
}

int gpudata_move(gpudata *dst, size_t dstoff, gpudata *src, size_t srcoff,
                 size_t sz) {
  const move m = {dst->ctx, dst, src, dstoff, srcoff, sz};
  int err;

  if (dst->ctx != src->ctx)
    return ga__fail(GA_VALUE_ERROR, "the buffers are of different contexts");
  GA_TRY(ga__data_check_range(dst, dstoff, sz));
  GA_TRY(ga__data_check_range(src, srcoff, sz));
  if (sz == 0)
    return GA_NO_ERROR;
  ga__ctx_lock(m.ctx);
  err = move_any(&m);
  ga__ctx_unlock(m.ctx);
  return err;
}

/* --- between contexts --- */

/* A part on its way: read from the source into the staging memory of the
 * target's context. */
typedef struct part {
  ga__stage_piece piece;
  size_t off, bytes; /* behind the starts of the ranges; 0 bytes: none */
  cl_event arrived;
} part;

static int start_part(part *p, gpucontext *to, gpudata *src, size_t srcoff) {
  gpucontext *from = src->ctx;

  GA_TRY(ga__stage_take(to, p->bytes, &p->piece));
  GA_TRY(GA_CL(clEnqueueReadBuffer(from->queue, src->mem, CL_FALSE,
                                   srcoff + p->off, p->bytes, p->piece.host, 0,
                                   NULL, &p->arrived)));
  from->unflushed = 0;
  return GA_CL(clFlush(from->queue));
}

/* Send on what has arrived. */
static int end_part(part *p, gpudata *dst, size_t dstoff, gpucontext *from) {
  GA_TRY(ga__queue_await(from, &p->arrived));
  GA_TRY(
      ga__stage_send(dst->ctx, &p->piece, dst->mem, dstoff + p->off, p->bytes));
  dst->ctx->unflushed = 0;
  return GA_CL(clFlush(dst->ctx->queue));
}

/* While one part is written the next is read. Both locks held. */
static int transfer_parts(gpudata *dst, size_t dstoff, gpudata *src,
                          size_t srcoff, size_t sz) {
  part parts[2] = {{.bytes = 0}, {.bytes = 0}};
  int err = GA_NO_ERROR, now = 0;

  for (size_t done = 0; done < sz; done += parts[now].bytes) {
    now = !now;
    parts[now].off = done;
    parts[now].bytes = least(sz - done, GA_STAGE_PIECE_BYTES);
    GA_CHECK(start_part(&parts[now], dst->ctx, src, srcoff));
    if (done > 0)
      GA_CHECK(end_part(&parts[!now], dst, dstoff, src->ctx));
  }
  GA_CHECK(end_part(&parts[now], dst, dstoff, src->ctx));

done:
  for (int i = 0; i < 2; i++)
    if (parts[i].arrived != NULL)
      ga__queue_await(src->ctx, &parts[i].arrived);
  return err;
}

/* Two threads that lock the same contexts do it in the same order. */
static void lock_both(gpucontext *a, gpucontext *b) {
  const int is_up = (uintptr_t)a < (uintptr_t)b;

  ga__ctx_lock(is_up ? a : b);
  ga__ctx_lock(is_up ? b : a);
}

int gpudata_transfer(gpudata *dst, size_t dstoff, gpudata *src, size_t srcoff,
                     size_t sz) {
  gpucontext *to = dst->ctx, *from = src->ctx;
  int err;

  if (to == from)
    return gpudata_move(dst, dstoff, src, srcoff, sz);
  GA_TRY(ga__data_check_range(dst, dstoff, sz));
  GA_TRY(ga__data_check_range(src, srcoff, sz));
  if (sz == 0)
    return GA_NO_ERROR;
  lock_both(to, from);
  err = transfer_parts(dst, dstoff, src, srcoff, sz);
  if (err == GA_NO_ERROR) {
    from->count.host_reads++;
    from->count.read_bytes += sz;
    to->count.host_writes++;
    to->count.write_bytes += sz;
  }
  ga__ctx_unlock(from);
  ga__ctx_unlock(to);
  return err;
}
