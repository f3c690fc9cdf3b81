/* SPDX-License-Identifier: BSD-2-Clause */
/* The staging ring of a context. */
#include "ocl/stage.h"

#include <string.h>

#include "ocl/objects.h"

/* Larger writes go directly and wait: the copy to the stage then costs more
 * than the wait is likely to (measured with an idle queue). */
#define CPU_MOST ((size_t)16 << 10)
#define GPU_MOST ((size_t)1 << 20)

static void open_stage(gpucontext *ctx) {
  ga__stage *s = &ctx->stage;
  const size_t bytes = GA_STAGE_SLOTS * GA_STAGE_SLOT_BYTES;
  cl_int status;

  s->mem = clCreateBuffer(ctx->cl, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR,
                          bytes, NULL, &status);
  if (status != CL_SUCCESS) {
    s->mem = NULL;
    s->refused = 1;
    return;
  }
  s->host = clEnqueueMapBuffer(ctx->queue, s->mem, CL_TRUE,
                               CL_MAP_READ | CL_MAP_WRITE, 0, bytes, 0, NULL,
                               NULL, &status);
  if (status == CL_SUCCESS)
    return;
  clReleaseMemObject(s->mem);
  s->mem = NULL;
  s->refused = 1;
}

int ga__stage_takes(gpucontext *ctx, size_t bytes) {
  ga__stage *s = &ctx->stage;

  if (s->refused || bytes > (ctx->dev.caps.is_cpu ? CPU_MOST : GPU_MOST))
    return 0;
  if (s->mem == NULL)
    open_stage(ctx);
  return s->mem != NULL;
}

/* The next slot, once the write from it has ended. */
static int take_slot(gpucontext *ctx, unsigned int *slot) {
  ga__stage *s = &ctx->stage;
  cl_event *busy = &s->busy[s->next];

  if (*busy != NULL) {
    GA_TRY(GA_CL(clFlush(ctx->queue)));
    GA_TRY(GA_CL(clWaitForEvents(1, busy)));
    clReleaseEvent(*busy);
    *busy = NULL;
  }
  *slot = s->next;
  s->next = (s->next + 1) % GA_STAGE_SLOTS;
  return GA_NO_ERROR;
}

int ga__stage_write(gpucontext *ctx, cl_mem dst, size_t off, const void *src,
                    size_t bytes) {
  ga__stage *s = &ctx->stage;
  const unsigned char *from = src;

  while (bytes > 0) {
    size_t n = bytes < GA_STAGE_SLOT_BYTES ? bytes : GA_STAGE_SLOT_BYTES;
    unsigned char *at;
    unsigned int slot;

    GA_TRY(take_slot(ctx, &slot));
    at = s->host + slot * GA_STAGE_SLOT_BYTES;
    memcpy(at, from, n);
    GA_TRY(GA_CL(clEnqueueWriteBuffer(ctx->queue, dst, CL_FALSE, off, n, at, 0,
                                      NULL, &s->busy[slot])));
    ga__queue_kick(ctx);
    from += n;
    off += n;
    bytes -= n;
  }
  return GA_NO_ERROR;
}

void ga__stage_clear(gpucontext *ctx) {
  ga__stage *s = &ctx->stage;

  if (s->mem == NULL)
    return;
  clFinish(ctx->queue);
  for (unsigned int i = 0; i < GA_STAGE_SLOTS; i++) {
    if (s->busy[i] != NULL)
      clReleaseEvent(s->busy[i]);
  }
  clEnqueueUnmapMemObject(ctx->queue, s->mem, s->host, 0, NULL, NULL);
  clFinish(ctx->queue);
  clReleaseMemObject(s->mem);
  memset(s, 0, sizeof *s);
}
