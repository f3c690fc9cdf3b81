/* SPDX-License-Identifier: BSD-2-Clause */
/* The staging ring of a context. */
#include "ocl/memory/stage.h"

#include <string.h>

#include "base/alloc.h"
#include "ocl/context.h"
#include "ocl/memory/pinned.h"
#include "ocl/objects.h"
#include "ocl/queue.h"

#define SLOTS 16
#define SLOT_BYTES ((size_t)256 << 10)
/* Larger writes, in bytes, are not staged but block: the copy to the stage
 * would cost more than the wait is likely to (measured with an idle queue). */
#define CPU_MOST ((size_t)16 << 10)
#define GPU_MOST ((size_t)1 << 20)

typedef struct ga__stage {
  ga__pinned room;
  unsigned int next; /* slot */
  cl_event busy[SLOTS];
} ga__stage;

static int open_stage(gpucontext *ctx) {
  if (ctx->stage != NULL)
    return GA_NO_ERROR;
  ga__stage *s = ga__calloc(1, sizeof *s);
  int err = s != NULL ? ga__pinned_open(&s->room, ctx, SLOTS * SLOT_BYTES)
                      : ga__fail_nomem();
  if (err == GA_NO_ERROR)
    ctx->stage = s;
  else
    ga__free(s);
  return err;
}

int ga__stage_takes(gpucontext *ctx, size_t bytes) {
  GA_ASSERT(ga__ctx_is_locked(ctx));
  return bytes <= (ctx->dev.caps.is_cpu ? CPU_MOST : GPU_MOST) &&
         open_stage(ctx) == GA_NO_ERROR;
}

/* Wait until the write from a slot has ended. A failed write has ended, too;
 * its error is reported once. After any other failure the slot stays in use. */
static int free_slot(gpucontext *ctx, unsigned int slot) {
  cl_event *busy = &ctx->stage->busy[slot];

  if (*busy == NULL)
    return GA_NO_ERROR;
  GA_TRY(GA_CL(clFlush(ctx->queue)));
  cl_int status = clWaitForEvents(1, busy);
  if (status == CL_SUCCESS ||
      status == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST) {
    clReleaseEvent(*busy);
    *busy = NULL;
  }
  return ga__status_check("clWaitForEvents", status);
}

int ga__stage_take(gpucontext *ctx, size_t bytes, ga__stage_piece *out) {
  GA_ASSERT(ga__ctx_is_locked(ctx));
  GA_TRY(open_stage(ctx));
  ga__stage *s = ctx->stage;
  GA_ASSERT(bytes > 0);
  out->n = (unsigned int)((bytes - 1) / SLOT_BYTES + 1);
  out->slot = s->next + out->n <= SLOTS ? s->next : 0;
  out->host = s->room.host + out->slot * SLOT_BYTES;
  for (unsigned int i = 0; i < out->n; i++)
    GA_TRY(free_slot(ctx, out->slot + i));
  s->next = (out->slot + out->n) % SLOTS;
  return GA_NO_ERROR;
}

int ga__stage_send(gpucontext *ctx, const ga__stage_piece *piece, cl_mem dst,
                   size_t off, size_t bytes) {
  cl_event *busy = &ctx->stage->busy[piece->slot];

  GA_ASSERT(ga__ctx_is_locked(ctx));
  GA_TRY(GA_CL(clEnqueueWriteBuffer(ctx->queue, dst, CL_FALSE, off, bytes,
                                    piece->host, 0, NULL, busy)));
  for (unsigned int i = 1; i < piece->n; i++) {
    /* Without an event for the slot, wait until it is free. */
    if (clRetainEvent(*busy) != CL_SUCCESS)
      return ga__queue_drain(ctx);
    busy[i] = *busy;
  }
  ga__queue_kick(ctx);
  return GA_NO_ERROR;
}

int ga__stage_write(gpucontext *ctx, cl_mem dst, size_t off, const void *src,
                    size_t bytes) {
  const unsigned char *from = src;

  while (bytes > 0) {
    size_t n = bytes < SLOT_BYTES ? bytes : SLOT_BYTES;
    ga__stage_piece piece;

    GA_TRY(ga__stage_take(ctx, n, &piece));
    memcpy(piece.host, from, n);
    GA_TRY(ga__stage_send(ctx, &piece, dst, off, n));
    from += n;
    off += n;
    bytes -= n;
  }
  return GA_NO_ERROR;
}

void ga__stage_clear(gpucontext *ctx) {
  ga__stage *s = ctx->stage;

  if (s == NULL)
    return;
  ga__queue_settle(ctx);
  for (unsigned int i = 0; i < SLOTS; i++) {
    if (s->busy[i] != NULL)
      clReleaseEvent(s->busy[i]);
  }
  ga__pinned_close(&s->room, ctx);
  ga__free(s);
  ctx->stage = NULL;
}
