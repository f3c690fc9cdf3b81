/* SPDX-License-Identifier: BSD-2-Clause */
/* Host memory that a device reads and writes fast: a buffer that stays
 * mapped. */
#include "ocl/memory/pinned.h"

#include <string.h>

#include "base/alloc.h"
#include "ocl/objects.h"
#include "ocl/queue.h"

/* Map memory that the driver allocated: it transfers this without an extra
 * copy. */
static void map(ga__pinned *p, gpucontext *ctx, size_t bytes) {
  cl_int status;
  cl_mem mem = clCreateBuffer(
      ctx->cl, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes, NULL, &status);

  if (status != CL_SUCCESS)
    return;
  p->host =
      clEnqueueMapBuffer(ctx->queue, mem, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE,
                         0, bytes, 0, NULL, NULL, &status);
  if (status != CL_SUCCESS) {
    p->host = NULL;
    clReleaseMemObject(mem);
    return;
  }
  p->mem = mem;
}

int ga__pinned_open(ga__pinned *p, gpucontext *ctx, size_t bytes) {
  memset(p, 0, sizeof *p);
  map(p, ctx, bytes);
  if (p->host == NULL)
    p->host = ga__malloc(bytes);
  return p->host != NULL ? GA_NO_ERROR : ga__fail_nomem();
}

void ga__pinned_close(ga__pinned *p, gpucontext *ctx) {
  if (p->mem == NULL) {
    ga__free(p->host);
  } else {
    clEnqueueUnmapMemObject(ctx->queue, p->mem, p->host, 0, NULL, NULL);
    ga__queue_settle(ctx);
    clReleaseMemObject(p->mem);
  }
  memset(p, 0, sizeof *p);
}
