/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions that are found by name: objects of OpenCL in and out. */
#include <string.h>

#include <gpuarray/extension.h>

#include "ocl/objects.h"

/* Wrap a context of the caller's, on its first device. NULL on failure, which
 * gpucontext_error(NULL, ...) tells. Takes `props` over. */
static gpucontext *make_ctx(cl_context cl, gpucontext_props *props) {
  cl_platform_id platform;
  cl_device_id devices[64];
  gpucontext *ctx = NULL;
  ga__device dev;
  int err;

  GA_CHECK(GA_CL(
      clGetContextInfo(cl, CL_CONTEXT_DEVICES, sizeof devices, devices, NULL)));
  GA_CHECK(GA_CL(clGetDeviceInfo(devices[0], CL_DEVICE_PLATFORM,
                                 sizeof platform, &platform, NULL)));
  GA_CHECK(ga__device_describe(&dev, platform, devices[0]));
  ga__device_number(platform, devices[0], &dev.platform, &dev.device);
  GA_CHECK(GA_CL(clRetainContext(cl)));
  err = ga__ctx_new(&ctx, &dev, cl, props);

done:
  gpucontext_props_del(props);
  return err == GA_NO_ERROR ? ctx : NULL;
}

static cl_command_queue get_stream(gpucontext *ctx) {
  return ctx->queue;
}

static gpudata *make_buf(gpucontext *ctx, cl_mem mem) {
  cl_context owner = NULL;
  size_t bytes = 0;
  gpudata *d = NULL;
  int err;

  GA_CHECK(GA_CL(
      clGetMemObjectInfo(mem, CL_MEM_CONTEXT, sizeof owner, &owner, NULL)));
  GA_CHECK(
      GA_CL(clGetMemObjectInfo(mem, CL_MEM_SIZE, sizeof bytes, &bytes, NULL)));
  if (owner != ctx->cl) {
    ga__fail(GA_VALUE_ERROR, "the memory object is of another context");
    goto done;
  }
  GA_CHECK(GA_CL(clRetainMemObject(mem)));
  if (ga__data_wrap(&d, ctx, mem, bytes) != GA_NO_ERROR)
    clReleaseMemObject(mem);

done:
  return d;
}

static cl_mem get_buf(gpudata *d) {
  return d->mem;
}

/* C has no conversion from a function pointer to void *, POSIX does. */
#define ENTRY(function)                                                        \
  { .name = "cl_" #function, .fn = (void (*)(void))function }

void *gpuarray_get_extension(const char *name) {
  static const struct {
    const char *name;
    void (*fn)(void);
  } table[] = {ENTRY(make_ctx), ENTRY(get_stream), ENTRY(make_buf),
               ENTRY(get_buf)};
  void *p = NULL;

  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    if (strcmp(name, table[i].name) == 0)
      memcpy(&p, &table[i].fn, sizeof p);
  }
  return p;
}
