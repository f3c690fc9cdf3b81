/* SPDX-License-Identifier: BSD-2-Clause */
/* Properties of contexts, buffers and kernels, by id. */
#include <stdio.h>
#include <string.h>

#include "ocl/context.h"
#include "ocl/kernel/kernel.h"
#include "ocl/objects.h"

static size_t to_size(uint64_t v) {
  return v > SIZE_MAX ? SIZE_MAX : (size_t)v;
}

/* The maximum of work-groups along a dimension, for which OpenCL has no query.
 * CPUs count in 64 bits, NVIDIA's hardware has these limits, and other devices
 * count work-items in 32 bits. */
static size_t max_groups(const gpucontext *ctx, int dim) {
  size_t items = ctx->dev.caps.max_items[dim];

  if (ctx->dev.caps.is_cpu)
    return INT32_MAX;
  if (ctx->dev.is_nvidia)
    return dim == 0 ? INT32_MAX : UINT16_MAX;
  return UINT32_MAX / (items > 0 ? items : 1);
}

/* An estimate: the memory of other programs is unknown. */
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

#define PROPERTY(id, type, value)                                              \
  case id:                                                                     \
    *(type *)res = (value);                                                    \
    return GA_NO_ERROR

int gpucontext_property(gpucontext *ctx, int prop_id, void *res) {
  if (ctx == NULL)
    return ga__fail(GA_VALUE_ERROR, "gpucontext_property: the context is NULL");
  const gpudevice_caps *caps = &ctx->dev.caps;
  switch (prop_id) {
  case GA_CTX_PROP_DEVNAME:
    memcpy(res, ctx->dev.name, sizeof ctx->dev.name);
    return GA_NO_ERROR;
    PROPERTY(GA_CTX_PROP_LMEMSIZE, size_t, caps->local_bytes);
    PROPERTY(GA_CTX_PROP_NUMPROCS, unsigned int, caps->compute_units);
    PROPERTY(GA_CTX_PROP_BIN_ID, const char *, ctx->bin_id);
    PROPERTY(GA_CTX_PROP_ERRBUF, gpudata *, ctx->errbuf);
    PROPERTY(GA_CTX_PROP_TOTAL_GMEM, size_t, to_size(caps->memory_bytes));
    PROPERTY(GA_CTX_PROP_FREE_GMEM, size_t, free_memory(ctx));
    PROPERTY(GA_CTX_PROP_NATIVE_FLOAT16, int, gpucontext_caps(ctx)->fp16);
    PROPERTY(GA_CTX_PROP_MAXGSIZE0, size_t, max_groups(ctx, 0));
    PROPERTY(GA_CTX_PROP_MAXGSIZE1, size_t, max_groups(ctx, 1));
    PROPERTY(GA_CTX_PROP_MAXGSIZE2, size_t, max_groups(ctx, 2));
    PROPERTY(GA_CTX_PROP_MAXLSIZE0, size_t, caps->max_items[0]);
    PROPERTY(GA_CTX_PROP_MAXLSIZE1, size_t, caps->max_items[1]);
    PROPERTY(GA_CTX_PROP_MAXLSIZE2, size_t, caps->max_items[2]);
  case GA_CTX_PROP_UNIQUE_ID:
    unique_id(ctx, res);
    return GA_NO_ERROR;
    PROPERTY(GA_CTX_PROP_LARGEST_MEMBLOCK, size_t,
             to_size(caps->max_alloc_bytes));
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
    PROPERTY(GA_BUFFER_PROP_CTX, gpucontext *, buf->ctx);
    PROPERTY(GA_BUFFER_PROP_REFCNT, unsigned int, atomic_load(&buf->refs));
    PROPERTY(GA_BUFFER_PROP_SIZE, size_t, buf->bytes);
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
    PROPERTY(GA_KERNEL_PROP_CTX, gpucontext *, k->ctx);
    PROPERTY(GA_KERNEL_PROP_MAXLSIZE, size_t, k->max_group);
    PROPERTY(GA_KERNEL_PROP_PREFLSIZE, size_t, k->group_multiple);
    PROPERTY(GA_KERNEL_PROP_NUMARGS, unsigned int, k->numargs);
    PROPERTY(GA_KERNEL_PROP_TYPES, const int *, k->types);
  default:
    return ga__fail(GA_INVALID_ERROR, "no kernel property %d", prop_id);
  }
}
