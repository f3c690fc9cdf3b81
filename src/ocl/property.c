/* SPDX-License-Identifier: BSD-2-Clause */
/* Properties of contexts, buffers and kernels, by number. */
#include <stdio.h>
#include <string.h>

#include "ocl/context.h"
#include "ocl/kernel.h"
#include "ocl/objects.h"

static size_t to_size(uint64_t v) {
  return v > SIZE_MAX ? SIZE_MAX : (size_t)v;
}

/* Work-groups along a dimension. OpenCL has no query for it: CPUs count in 64
 * bits, NVIDIA's hardware has these bounds, others count work-items in 32
 * bits. */
static size_t max_groups(const gpucontext *ctx, int dim) {
  size_t items = ctx->dev.caps.max_items[dim];

  if (ctx->dev.caps.is_cpu)
    return INT32_MAX;
  if (ctx->dev.is_nvidia)
    return dim == 0 ? INT32_MAX : UINT16_MAX;
  return UINT32_MAX / (items > 0 ? items : 1);
}

/* An estimate: what other programs hold is not known. */
static size_t free_memory(gpucontext *ctx) {
  uint64_t total = ctx->dev.caps.memory_bytes;

  ga__ctx_lock(ctx);
  uint64_t held = ctx->pool.held_bytes - ctx->pool.idle_bytes;
  ga__ctx_unlock(ctx);
  return to_size(total > held ? total - held : 0);
}

static void unique_id(const gpucontext *ctx, char out[16]) {
  char text[32];

  snprintf(text, sizeof text, "ocl%d:%d", ctx->dev.platform, ctx->dev.device);
  memset(out, 0, 16);
  memcpy(out, text, strnlen(text, 15));
}

int gpucontext_property(gpucontext *ctx, int prop_id, void *res) {
  if (ctx == NULL)
    return ga__fail(GA_VALUE_ERROR, "gpucontext_property: the context is NULL");
  const gpudevice_caps *caps = &ctx->dev.caps;
  switch (prop_id) {
  case GA_CTX_PROP_DEVNAME:
    memcpy(res, ctx->dev.name, sizeof ctx->dev.name);
    return GA_NO_ERROR;
  case GA_CTX_PROP_LMEMSIZE:
    *(size_t *)res = caps->local_bytes;
    return GA_NO_ERROR;
  case GA_CTX_PROP_NUMPROCS:
    *(unsigned int *)res = caps->compute_units;
    return GA_NO_ERROR;
  case GA_CTX_PROP_BIN_ID:
    *(const char **)res = ctx->bin_id;
    return GA_NO_ERROR;
  case GA_CTX_PROP_ERRBUF:
    *(gpudata **)res = ctx->errbuf;
    return GA_NO_ERROR;
  case GA_CTX_PROP_TOTAL_GMEM:
    *(size_t *)res = to_size(caps->memory_bytes);
    return GA_NO_ERROR;
  case GA_CTX_PROP_FREE_GMEM:
    *(size_t *)res = free_memory(ctx);
    return GA_NO_ERROR;
  case GA_CTX_PROP_NATIVE_FLOAT16:
    *(int *)res = gpucontext_caps(ctx)->fp16;
    return GA_NO_ERROR;
  case GA_CTX_PROP_MAXGSIZE0:
  case GA_CTX_PROP_MAXGSIZE1:
  case GA_CTX_PROP_MAXGSIZE2:
    *(size_t *)res = max_groups(ctx, prop_id - GA_CTX_PROP_MAXGSIZE0);
    return GA_NO_ERROR;
  case GA_CTX_PROP_MAXLSIZE0:
  case GA_CTX_PROP_MAXLSIZE1:
  case GA_CTX_PROP_MAXLSIZE2:
    *(size_t *)res = caps->max_items[prop_id - GA_CTX_PROP_MAXLSIZE0];
    return GA_NO_ERROR;
  case GA_CTX_PROP_UNIQUE_ID:
    unique_id(ctx, res);
    return GA_NO_ERROR;
  case GA_CTX_PROP_LARGEST_MEMBLOCK:
    *(size_t *)res = to_size(caps->max_alloc_bytes);
    return GA_NO_ERROR;
  default:
    return ga__fail(GA_INVALID_ERROR, "no context property %d", prop_id);
  }
}

int gpudata_property(gpudata *buf, int prop_id, void *res) {
  if (buf == NULL)
    return ga__fail(GA_VALUE_ERROR, "gpudata_property: the buffer is NULL");
  if (prop_id < GA_BUFFER_PROP_START)
    return gpucontext_property(buf->ctx, prop_id, res);
  switch (prop_id) {
  case GA_BUFFER_PROP_CTX:
    *(gpucontext **)res = buf->ctx;
    return GA_NO_ERROR;
  case GA_BUFFER_PROP_REFCNT:
    *(unsigned int *)res = atomic_load(&buf->refs);
    return GA_NO_ERROR;
  case GA_BUFFER_PROP_SIZE:
    *(size_t *)res = buf->bytes;
    return GA_NO_ERROR;
  default:
    return ga__fail(GA_INVALID_ERROR, "no buffer property %d", prop_id);
  }
}

int gpukernel_property(gpukernel *k, int prop_id, void *res) {
  if (k == NULL)
    return ga__fail(GA_VALUE_ERROR, "gpukernel_property: the kernel is NULL");
  if (prop_id < GA_BUFFER_PROP_START)
    return gpucontext_property(k->ctx, prop_id, res);
  switch (prop_id) {
  case GA_KERNEL_PROP_CTX:
    *(gpucontext **)res = k->ctx;
    return GA_NO_ERROR;
  case GA_KERNEL_PROP_MAXLSIZE:
    *(size_t *)res = k->max_group;
    return GA_NO_ERROR;
  case GA_KERNEL_PROP_PREFLSIZE:
    *(size_t *)res = k->group_multiple;
    return GA_NO_ERROR;
  case GA_KERNEL_PROP_NUMARGS:
    *(unsigned int *)res = k->numargs;
    return GA_NO_ERROR;
  case GA_KERNEL_PROP_TYPES:
    *(const int **)res = k->types;
    return GA_NO_ERROR;
  default:
    return ga__fail(GA_INVALID_ERROR, "no kernel property %d", prop_id);
  }
}
