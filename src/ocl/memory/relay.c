/* SPDX-License-Identifier: BSD-2-Clause */
/* Transfers from one context to another. */
#include "ocl/memory/relay.h"

#include <math.h>
#include <string.h>

#include "base/arith.h"
#include "ocl/context.h"
#include "ocl/objects.h"
#include "ocl/queue.h"

/* --- events of slots --- */

/* Device time of a command that has ended, 0 if unknown. */
static double seconds_of(cl_event ev) {
  cl_ulong from = 0, to = 0;

  if (clGetEventProfilingInfo(ev, CL_PROFILING_COMMAND_START, sizeof from,
                              &from, NULL) != CL_SUCCESS ||
      clGetEventProfilingInfo(ev, CL_PROFILING_COMMAND_END, sizeof to, &to,
                              NULL) != CL_SUCCESS)
    return 0;
  return to > from ? 1e-9 * (double)(to - from) : 0;
}

/* Wait for an event of `ctx` and release it; NULL is accepted. A failed command
 * has ended, too; its error is reported once. Holds the lock while it waits,
 * see ga__queue_drain(). */
static int wait_for(cl_event *ev, gpucontext *ctx, double *seconds) {
  cl_event timed = *ev;

  if (*ev == NULL)
    return GA_NO_ERROR;
  ga__ctx_lock(ctx);
  int is_timed = ctx->profiling && clRetainEvent(timed) == CL_SUCCESS;
  int err = ga__queue_await(ctx, ev);
  if (is_timed && err == GA_NO_ERROR)
    *seconds += seconds_of(timed);
  if (is_timed)
    clReleaseEvent(timed);
  ga__ctx_unlock(ctx);
  return err;
}

/* Nonzero if no write from the slot is pending. */
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

/* Lock of the source held. */
static int map_piece(ga__relay *r, ga__relay_slot *s, size_t n) {
  cl_int status;

  s->host = clEnqueueMapBuffer(r->src->ctx->queue, r->src->mem, CL_FALSE,
                               CL_MAP_READ, r->srcoff + r->started, n, 0, NULL,
                               &s->arrived, &status);
  s->is_mapped = status == CL_SUCCESS;
  return status == CL_SUCCESS ? GA_NO_ERROR
                              : ga__fail_status("clEnqueueMapBuffer", status);
}

/* Nonzero if pieces are mapped. The host then also waits for the write, which
 * does not pay for a few bytes. */
static int is_in_place(const ga__relay *r) {
  return r->src->ctx->dev.caps.is_cpu && r->bytes > GA_RELAY_WAIT_BYTES;
}

/* Lock of the source held. */
static int fetch_piece(ga__relay *r, ga__relay_slot *s, size_t n) {
  if (is_in_place(r))
    return map_piece(r, s, n);
  s->host = r->room.host + r->next * r->slot_bytes;
  return GA_CL(clEnqueueReadBuffer(r->src->ctx->queue, r->src->mem, CL_FALSE,
                                   r->srcoff + r->started, n, s->host, 0, NULL,
                                   &s->arrived));
}

/* Wait until a slot is free, and unmap its piece. */
static int vacate(ga__relay *r, ga__relay_slot *s) {
  gpucontext *from = s->is_mapped ? r->src->ctx : NULL;
  int err = wait_for(&s->left, r->to, &r->write_seconds);

  if (from == NULL)
    return err;
  ga__ctx_lock(from);
  clEnqueueUnmapMemObject(from->queue, r->src->mem, s->host, 0, NULL, NULL);
  ga__queue_kick(from);
  ga__ctx_unlock(from);
  s->is_mapped = 0;
  return err;
}

/* Enqueue the read of the next piece into the next slot. */
static int read_piece(ga__relay *r) {
  gpucontext *from = r->src->ctx;
  const size_t n = ga__at_most(r->bytes - r->started, r->piece_bytes);
  ga__relay_slot *s = &r->slots[r->next];

  GA_TRY(vacate(r, s));
  ga__ctx_lock(from);
  int err = fetch_piece(r, s, n);
  if (err == GA_NO_ERROR)
    err = ga__queue_flush(from);
  ga__ctx_unlock(from);
  GA_TRY(err);
  r->started += n;
  r->next = slot_after(r->next);
  return GA_NO_ERROR;
}

/* Wait for the oldest piece and enqueue its write. */
static int write_piece(ga__relay *r, gpudata *dst, size_t dstoff) {
  const size_t n = ga__at_most(r->bytes - r->sent, r->piece_bytes);
  ga__relay_slot *s = &r->slots[r->first];

  GA_TRY(wait_for(&s->arrived, r->src->ctx, &r->read_seconds));
  ga__ctx_lock(r->to);
  int err = GA_CL(clEnqueueWriteBuffer(r->to->queue, dst->mem, CL_FALSE,
                                       dstoff + r->sent, n, s->host, 0, NULL,
                                       &s->left));
  if (err == GA_NO_ERROR)
    err = ga__queue_flush(r->to);
  ga__ctx_unlock(r->to);
  GA_TRY(err);
  r->sent += n;
  r->first = slot_after(r->first);
  return GA_NO_ERROR;
}

/* Count of pieces that are read or being read, and not yet sent. */
static size_t pieces_here(const ga__relay *r) {
  const size_t bytes = r->started - r->sent;

  return bytes == 0 ? 0 : (bytes - 1) / r->piece_bytes + 1;
}

/* --- transfers --- */

/* The best size of a piece for a transfer, in bytes. Reads and writes overlap
 * except for one piece at either end, and each piece costs a wait. The sum of
 * these costs is least for the geometric mean of the transfer and of what a
 * link moves during a wait. The size is a multiple of a cache line, because
 * slots are written at the same time. */
static size_t piece_of(size_t bytes) {
  const double n = sqrt((double)bytes / (double)GA_RELAY_WAIT_BYTES);
  const size_t pieces = n < 1 ? 1 : (size_t)(n + 0.5);

  return ga__round_up(ga__at_most(bytes / pieces, GA_RELAY_MOST_BYTES), 64);
}

int ga__relay_init(ga__relay *r, gpucontext *to, size_t bytes) {
  const size_t slot_bytes = piece_of(bytes);
  int err = GA_NO_ERROR;

  memset(r, 0, sizeof *r);
  ga__ctx_lock(to);
  if (bytes > 0)
    err = ga__pinned_open(&r->room, to, GA_RELAY_SLOTS * slot_bytes);
  ga__ctx_unlock(to);
  if (err != GA_NO_ERROR)
    return err;
  r->to = to;
  r->slot_bytes = slot_bytes;
  return GA_NO_ERROR;
}

int ga__relay_suits(const ga__relay *r, size_t bytes) {
  return r->slot_bytes >= piece_of(bytes);
}

/* End the current transfer: wait for its reads, and unmap its pieces. */
static int drop_started(ga__relay *r) {
  int err = GA_NO_ERROR;

  if (r->src == NULL)
    return GA_NO_ERROR;
  for (unsigned int i = 0; i < GA_RELAY_SLOTS; i++) {
    ga__relay_slot *s = &r->slots[i];

    wait_for(&s->arrived, r->src->ctx, &r->read_seconds);
    int failed = s->is_mapped ? vacate(r, s) : GA_NO_ERROR;
    err = err == GA_NO_ERROR ? failed : err;
  }
  gpudata_release(r->src);
  r->src = NULL;
  r->first = r->next;
  return err;
}

int ga__relay_start(ga__relay *r, gpudata *src, size_t srcoff, size_t bytes) {
  int err = GA_NO_ERROR;

  drop_started(r);
  gpudata_retain(src);
  r->src = src;
  r->srcoff = srcoff;
  r->bytes = bytes;
  /* A mapped source is copied once, so that smaller pieces gain nothing. */
  r->piece_bytes =
      is_in_place(r) ? bytes : ga__at_most(piece_of(bytes), r->slot_bytes);
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
  int err = GA_NO_ERROR, dropped;

  while (r->sent < r->bytes) {
    /* Half of the slots are read ahead while the others are written. */
    while (r->started < r->bytes && pieces_here(r) < GA_RELAY_SLOTS / 2)
      GA_CHECK(read_piece(r));
    GA_CHECK(write_piece(r, dst, dstoff));
  }
done:
  dropped = drop_started(r);
  return err != GA_NO_ERROR ? err : dropped;
}

int ga__relay_drain(ga__relay *r) {
  for (unsigned int i = 0; i < GA_RELAY_SLOTS; i++)
    GA_TRY(wait_for(&r->slots[i].left, r->to, &r->write_seconds));
  return GA_NO_ERROR;
}

void ga__relay_clear(ga__relay *r) {
  if (r == NULL || r->to == NULL)
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
