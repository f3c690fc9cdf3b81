/* SPDX-License-Identifier: BSD-2-Clause */
/* The way of bytes from one context to another. */
#include "ocl/relay.h"

#include <string.h>

#include "ocl/objects.h"

static size_t least(size_t a, size_t b) {
  return a < b ? a : b;
}

/* --- events of slots --- */

/* Device time of a command that has ended. */
static double seconds_of(cl_event ev) {
  cl_ulong from = 0, to = 0;

  if (clGetEventProfilingInfo(ev, CL_PROFILING_COMMAND_START, sizeof from,
                              &from, NULL) != CL_SUCCESS ||
      clGetEventProfilingInfo(ev, CL_PROFILING_COMMAND_END, sizeof to, &to,
                              NULL) != CL_SUCCESS)
    return 0;
  return to > from ? 1e-9 * (double)(to - from) : 0;
}

/* Wait for an event of `ctx` and let go of it. A command that went wrong has
 * ended too, and is told of once. The lock is held meanwhile, see
 * ga__queue_drain(). */
static int wait_for(cl_event *ev, gpucontext *ctx, double *seconds) {
  cl_event timed = *ev;
  int err, is_timed;

  if (*ev == NULL)
    return GA_NO_ERROR;
  ga__ctx_lock(ctx);
  is_timed = ctx->profiling && clRetainEvent(timed) == CL_SUCCESS;
  err = ga__queue_await(ctx, ev);
  if (is_timed && err == GA_NO_ERROR)
    *seconds += seconds_of(timed);
  if (is_timed)
    clReleaseEvent(timed);
  ga__ctx_unlock(ctx);
  return err;
}

/* Has the write from a slot ended, or was there none? */
static int has_left(const ga__relay_slot *s) {
  cl_int status = CL_QUEUED;

  return s->left == NULL ||
         (clGetEventInfo(s->left, CL_EVENT_COMMAND_EXECUTION_STATUS,
                         sizeof status, &status, NULL) == CL_SUCCESS &&
          status <= CL_COMPLETE);
}

static unsigned int slot_after(unsigned int slot) {
  return (slot + 1) % GA_RELAY_SLOTS;
}

/* --- pieces --- */

/* Read the next piece into the next slot. */
static int read_piece(ga__relay *r) {
  gpucontext *from = r->src->ctx;
  const size_t n = least(r->bytes - r->started, r->piece_bytes);
  unsigned char *host = r->room.host + r->next * r->slot_bytes;
  int err;

  GA_TRY(wait_for(&r->slots[r->next].left, r->to, &r->write_seconds));
  ga__ctx_lock(from);
  err = GA_CL(clEnqueueReadBuffer(from->queue, r->src->mem, CL_FALSE,
                                  r->srcoff + r->started, n, host, 0, NULL,
                                  &r->slots[r->next].arrived));
  if (err == GA_NO_ERROR) {
    from->unflushed = 0;
    err = GA_CL(clFlush(from->queue));
  }
  ga__ctx_unlock(from);
  GA_TRY(err);
  r->started += n;
  r->next = slot_after(r->next);
  return GA_NO_ERROR;
}

/* Send the oldest piece on. */
static int write_piece(ga__relay *r, gpudata *dst, size_t dstoff) {
  const size_t n = least(r->bytes - r->sent, r->piece_bytes);
  ga__relay_slot *s = &r->slots[r->first];
  unsigned char *host = r->room.host + r->first * r->slot_bytes;
  int err;

  GA_TRY(wait_for(&s->arrived, r->src->ctx, &r->read_seconds));
  ga__ctx_lock(r->to);
  err =
      GA_CL(clEnqueueWriteBuffer(r->to->queue, dst->mem, CL_FALSE,
                                 dstoff + r->sent, n, host, 0, NULL, &s->left));
  if (err == GA_NO_ERROR) {
    r->to->unflushed = 0;
    err = GA_CL(clFlush(r->to->queue));
  }
  ga__ctx_unlock(r->to);
  GA_TRY(err);
  r->sent += n;
  r->first = slot_after(r->first);
  return GA_NO_ERROR;
}

/* Pieces that were read and not sent on. */
static size_t pieces_here(const ga__relay *r) {
  const size_t bytes = r->started - r->sent;

  return bytes == 0 ? 0 : (bytes - 1) / r->piece_bytes + 1;
}

/* --- transfers --- */

int ga__relay_init(ga__relay *r, gpucontext *to, size_t bytes) {
  size_t piece = bytes / GA_RELAY_SLOTS;
  int err;

  memset(r, 0, sizeof *r);
  r->to = to;
  if (piece < GA_RELAY_LEAST_BYTES)
    piece = least(bytes, GA_RELAY_LEAST_BYTES);
  /* The next multiple of a cache line: slots are written at the same time. */
  r->slot_bytes = (least(piece, GA_RELAY_MOST_BYTES) + 63) / 64 * 64;
  if (bytes == 0)
    return GA_NO_ERROR;
  ga__ctx_lock(to);
  err = ga__pinned_open(&r->room, to, GA_RELAY_SLOTS * r->slot_bytes);
  ga__ctx_unlock(to);
  return err;
}

/* Forget what was started: nothing may be read into a slot any more. */
static void drop_started(ga__relay *r) {
  if (r->src == NULL)
    return;
  for (unsigned int i = 0; i < GA_RELAY_SLOTS; i++)
    wait_for(&r->slots[i].arrived, r->src->ctx, &r->read_seconds);
  gpudata_release(r->src);
  r->src = NULL;
  r->first = r->next;
}

int ga__relay_start(ga__relay *r, gpudata *src, size_t srcoff, size_t bytes) {
  const size_t quarter = bytes / GA_RELAY_SLOTS;
  int err = GA_NO_ERROR;

  drop_started(r);
  gpudata_retain(src);
  r->src = src;
  r->srcoff = srcoff;
  r->bytes = bytes;
  r->piece_bytes =
      least(quarter > GA_RELAY_LEAST_BYTES ? quarter : GA_RELAY_LEAST_BYTES,
            r->slot_bytes);
  r->started = r->sent = 0;
  while (r->started < bytes && pieces_here(r) < GA_RELAY_SLOTS &&
         has_left(&r->slots[r->next]))
    GA_CHECK(read_piece(r));
done:
  if (err != GA_NO_ERROR)
    drop_started(r);
  return err;
}

int ga__relay_end(ga__relay *r, gpudata *dst, size_t dstoff) {
  int err = GA_NO_ERROR;

  while (r->sent < r->bytes) {
    /* Half of the slots are read ahead while the others are written. */
    while (r->started < r->bytes && pieces_here(r) < GA_RELAY_SLOTS / 2)
      GA_CHECK(read_piece(r));
    GA_CHECK(write_piece(r, dst, dstoff));
  }
done:
  drop_started(r);
  return err;
}

int ga__relay_drain(ga__relay *r) {
  for (unsigned int i = 0; i < GA_RELAY_SLOTS; i++)
    GA_TRY(wait_for(&r->slots[i].left, r->to, &r->write_seconds));
  return GA_NO_ERROR;
}

void ga__relay_clear(ga__relay *r) {
  if (r->to == NULL)
    return;
  drop_started(r);
  for (unsigned int i = 0; i < GA_RELAY_SLOTS; i++)
    wait_for(&r->slots[i].left, r->to, &r->write_seconds);
  if (r->room.host != NULL) {
    ga__ctx_lock(r->to);
    ga__pinned_close(&r->room, r->to);
    ga__ctx_unlock(r->to);
  }
  memset(r, 0, sizeof *r);
}
