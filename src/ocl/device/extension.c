/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions that are found by name: opencl.h in the old signatures. */
#include <string.h>

#include <gpuarray/extension.h>
#include <gpuarray/opencl.h>

/* NULL on failure; gpucontext_error(NULL, ...) has the message. */
static gpucontext *make_ctx(cl_context cl, gpucontext_props *props) {
  const gpuopencl from = {.context = cl};
  gpucontext *ctx;

  gpucontext_from_opencl(&ctx, &from, NULL, props);
  return ctx;
}

static cl_command_queue get_stream(gpucontext *ctx) {
  gpuopencl handles;

  gpucontext_opencl(ctx, &handles);
  return handles.queue;
}

static gpudata *make_buf(gpucontext *ctx, cl_mem mem) {
  gpudata *d;

  gpudata_from_opencl(&d, ctx, mem, NULL);
  return d;
}

static cl_mem get_buf(gpudata *d) {
  cl_mem mem;

  gpudata_opencl(d, &mem);
  return mem;
}

/* ISO C has no conversion from a function pointer to void *; POSIX allows
 * it. */
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
