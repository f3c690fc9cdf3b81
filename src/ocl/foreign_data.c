/* SPDX-License-Identifier: BSD-2-Clause */
/* Buffers over foreign memory objects and over host memory. */
#include "ocl/foreign_data.h"

#include <string.h>

#include <gpuarray/opencl.h>

#include "base/alloc.h"
#include "ocl/context.h"
#include "ocl/memory/pool.h"
#include "ocl/queue.h"

/* Buffers over host memory start at multiples of this, in bytes. No type of the
 * library has a larger alignment. */
#define HOST_ALIGN ((uintptr_t)128)

static const gpuforeign retained = {GPU_RETAIN, NULL, NULL};

/* --- foreign buffers --- */

void ga__foreign_free(gpudata *d) {
  const gpuforeign how = *d->foreign;

  ga__ctx_lock(d->ctx);
  if (how.drop != NULL)
    ga__queue_settle(d->ctx);
  if (how.hold != GPU_BORROW)
    clReleaseMemObject(d->mem);
  ga__ctx_unlock(d->ctx);
  ga__free(d->foreign);
  ga__free(d);
  if (how.drop != NULL)
    how.drop(how.base);
}

/* A foreign buffer. On success it takes over the caller's reference to `mem`,
 * unless `how` borrows it. */
static int wrap(gpudata **out, gpucontext *ctx, cl_mem mem, size_t bytes,
                const gpuforeign *how) {
  gpuforeign *copy = ga__memdup(how, sizeof *how);

  if (copy == NULL)
    return ga__fail_nomem();
  int err = ga__data_wrap(out, ctx, mem, bytes);
  if (err != GA_NO_ERROR)
    ga__free(copy);
  else
    (*out)->foreign = copy;
  return err;
}

static int check_buffer(size_t *bytes, const gpucontext *ctx, cl_mem mem) {
  cl_context owner = NULL;
  cl_mem_object_type type = 0;

  GA_TRY(GA_CL(
      clGetMemObjectInfo(mem, CL_MEM_CONTEXT, sizeof owner, &owner, NULL)));
  GA_TRY(GA_CL(clGetMemObjectInfo(mem, CL_MEM_TYPE, sizeof type, &type, NULL)));
  GA_TRY(
      GA_CL(clGetMemObjectInfo(mem, CL_MEM_SIZE, sizeof *bytes, bytes, NULL)));
  if (owner != ctx->cl)
    return ga__fail(GA_VALUE_ERROR, "the memory object is of another context");
  if (type != CL_MEM_OBJECT_BUFFER)
    return ga__fail(GA_VALUE_ERROR,
                    "the memory object is of type %#x, not a "
                    "buffer",
                    (unsigned int)type);
  return GA_NO_ERROR;
}

int gpudata_from_opencl(gpudata **out, gpucontext *ctx, cl_mem mem,
                        const gpuforeign *how) {
  size_t bytes = 0;

  *out = NULL;
  if (how == NULL)
    how = &retained;
  if (ctx == NULL)
    return ga__fail(GA_INVALID_ERROR, "the context is NULL");
  GA_TRY(check_buffer(&bytes, ctx, mem));
  if (how->hold != GPU_BORROW)
    GA_TRY(GA_CL(clRetainMemObject(mem)));
  int err = wrap(out, ctx, mem, bytes, how);
  if (err != GA_NO_ERROR && how->hold != GPU_BORROW)
    clReleaseMemObject(mem);
  return err;
}

void ga__data_disown(gpudata *d) {
  d->foreign->drop = NULL;
}

int ga__data_access(int *can_read, int *can_write, const gpudata *d) {
  cl_mem_flags flags = 0;

  GA_TRY(GA_CL(
      clGetMemObjectInfo(d->mem, CL_MEM_FLAGS, sizeof flags, &flags, NULL)));
  *can_read = !(flags & CL_MEM_WRITE_ONLY);
  *can_write = !(flags & CL_MEM_READ_ONLY);
  return GA_NO_ERROR;
}

/* --- host memory --- */

static int over_host(cl_mem *out, gpucontext *ctx, void *p, size_t bytes) {
  cl_int status;

  *out = clCreateBuffer(ctx->cl, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes,
                        p, &status);
  if (status == CL_SUCCESS)
    return GA_NO_ERROR;
  *out = NULL;
  return ga__fail_status("clCreateBuffer", status);
}

/* Change a byte on each side and check that the other side sees it: a driver
 * may compute on a copy of its own. Sets ctx->shares_host. `host` has
 * HOST_ALIGN aligned bytes. Lock held. */
static int probe_sharing(gpucontext *ctx, unsigned char *host) {
  const unsigned char mark = 0xA5;
  unsigned char got = 0;
  cl_mem mem;
  int err;

  memset(host, 0, HOST_ALIGN);
  GA_TRY(over_host(&mem, ctx, host, HOST_ALIGN));
  GA_CHECK(GA_CL(
      clEnqueueFillBuffer(ctx->queue, mem, &mark, 1, 0, 1, 0, NULL, NULL)));
  GA_CHECK(ga__queue_drain(ctx));
  host[1] = 0x5A;
  GA_CHECK(GA_CL(clEnqueueReadBuffer(ctx->queue, mem, CL_TRUE, 1, 1, &got, 0,
                                     NULL, NULL)));
  ctx->shares_host = host[0] == mark && got == 0x5A ? 1 : -1;

done:
  if (err != GA_NO_ERROR)
    ga__queue_settle(ctx);
  clReleaseMemObject(mem);
  return err;
}

int ga__ctx_check_sharing(gpucontext *ctx) {
  int err = GA_NO_ERROR;

  ga__ctx_lock(ctx);
  if (ctx->shares_host == 0) {
    unsigned char *host = ga__malloc(2 * HOST_ALIGN);
    err = host == NULL ? ga__fail_nomem()
                       : probe_sharing(ctx, host + HOST_ALIGN -
                                                (uintptr_t)host % HOST_ALIGN);
    ga__free(host);
  }
  int shares = ctx->shares_host;
  ga__ctx_unlock(ctx);
  if (err == GA_NO_ERROR && shares < 0)
    return ga__fail(GA_DEVSUP_ERROR, "%s does not compute on the host's memory",
                    ctx->dev.name);
  return err;
}

int gpudata_from_host(gpudata **out, size_t *offset, gpucontext *ctx, void *p,
                      size_t bytes, const gpuforeign *how) {
  gpuforeign owned = how != NULL ? *how : retained;
  cl_mem mem;

  *out = NULL;
  *offset = (uintptr_t)p % HOST_ALIGN;
  owned.hold = GPU_RETAIN; /* the library owns the memory object */
  if (ctx == NULL)
    return ga__fail(GA_INVALID_ERROR, "the context is NULL");
  if (p == NULL || bytes == 0 || bytes > SIZE_MAX - *offset)
    return ga__fail(GA_VALUE_ERROR, "%zu bytes at %p", bytes, p);
  GA_TRY(ga__ctx_check_sharing(ctx));
  GA_TRY(over_host(&mem, ctx, (char *)p - *offset, bytes + *offset));
  int err = wrap(out, ctx, mem, bytes + *offset, &owned);
  if (err != GA_NO_ERROR)
    clReleaseMemObject(mem);
  return err;
}
