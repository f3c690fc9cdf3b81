/* SPDX-License-Identifier: BSD-2-Clause */
/* Parts of buffers mapped into host memory. */
#include "ocl/memory/mapped.h"

#include <string.h>

#include "ocl/context.h"
#include "ocl/memory/buffer.h"
#include "ocl/objects.h"
#include "ocl/queue.h"

static unsigned char nothing[1]; /* `p` of an empty part */

static const cl_map_flags flags_of[] = {
    [GA_MAP_READ] = CL_MAP_READ,
    [GA_MAP_BOTH] = CL_MAP_READ | CL_MAP_WRITE,
    [GA_MAP_OVERWRITE] = CL_MAP_WRITE_INVALIDATE_REGION};

int ga__mapped_start(ga__mapped *m, gpudata *d, size_t off, size_t bytes,
                     ga__map_mode mode) {
  cl_event arriving = NULL;
  cl_int status;

  memset(m, 0, sizeof *m);
  GA_TRY(ga__data_check_range(d, off, bytes));
  m->d = d;
  m->p = nothing;
  if (bytes == 0)
    return GA_NO_ERROR;
  ga__ctx_lock(d->ctx);
  m->p = clEnqueueMapBuffer(d->ctx->queue, d->mem, CL_FALSE, flags_of[mode],
                            off, bytes, 0, NULL, &arriving, &status);
  ga__queue_flush(d->ctx);
  ga__ctx_unlock(d->ctx);
  m->arriving = arriving;
  if (status == CL_SUCCESS)
    return GA_NO_ERROR;
  memset(m, 0, sizeof *m);
  return ga__fail_status("clEnqueueMapBuffer", status);
}

/* Holds the lock while it waits: see ga__queue_drain(). */
int ga__mapped_wait(ga__mapped *m) {
  cl_event arriving = m->arriving;

  if (arriving == NULL)
    return GA_NO_ERROR;
  ga__ctx_lock(m->d->ctx);
  int err = GA_CL(clWaitForEvents(1, &arriving));
  ga__ctx_unlock(m->d->ctx);
  clReleaseEvent(arriving);
  m->arriving = NULL;
  return err;
}

int ga__mapped_end(ga__mapped *m) {
  int err = GA_NO_ERROR;

  if (m->p != NULL && m->p != nothing) {
    ga__mapped_wait(m);
    ga__ctx_lock(m->d->ctx);
    err = GA_CL(clEnqueueUnmapMemObject(m->d->ctx->queue, m->d->mem, m->p, 0,
                                        NULL, NULL));
    ga__queue_kick(m->d->ctx);
    ga__ctx_unlock(m->d->ctx);
  }
  memset(m, 0, sizeof *m);
  return err;
}
