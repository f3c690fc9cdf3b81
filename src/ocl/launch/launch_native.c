/* SPDX-License-Identifier: BSD-2-Clause */
/* The driver copies the arguments of a native kernel and replaces a memory
 * object in them by its address. PoCL 3.1 mixes up several objects of one
 * kernel: it sorts them, but not their places. So each address is looked up by
 * a native kernel of its own, which comes before. For a part of a memory object
 * PoCL gives the address of the whole, so the whole is looked up. The function
 * runs once for all, and frees what they share: the launch may be gone by
 * then. */
#include "ocl/launch/launch_native.h"

#include <string.h>

#include "base/alloc.h"
#include "ocl/context.h"
#include "ocl/memory/part.h"
#include "ocl/objects.h"
#include "ocl/queue.h"

typedef struct native {
  ga__native_fn fn;
  unsigned int n;
  ga__native_operand operands[GA_NATIVE_OPERANDS];
  void *at[GA_NATIVE_OPERANDS]; /* found by lookups */
  uint64_t state[GA_NATIVE_STATE / sizeof(uint64_t)];
} native;

/* The arguments of the function's own kernel. Its memory objects are listed, so
 * that they stay while it waits, but their addresses are not used. */
typedef struct arguments {
  native *run;
  void *mems[GA_NATIVE_OPERANDS]; /* replaced by the driver */
} arguments;

/* The arguments of a lookup. */
typedef struct lookup {
  void *mem; /* replaced by the driver */
  void **at;
  size_t off;
} lookup;

int ga__native_is_supported(gpucontext *ctx) {
  cl_device_exec_capabilities can = 0;

  return gpucontext_caps(ctx)->is_cpu &&
         clGetDeviceInfo(ga__ctx_device(ctx), CL_DEVICE_EXECUTION_CAPABILITIES,
                         sizeof can, &can, NULL) == CL_SUCCESS &&
         (can & CL_EXEC_NATIVE_KERNEL) != 0;
}

static void CL_CALLBACK look_up(void *p) {
  const lookup *a = p;

  *a->at = (char *)a->mem + a->off;
}

static void CL_CALLBACK call(void *p) {
  native *run = ((const arguments *)p)->run;

  run->fn(run->state, run->at);
  ga__free(run);
}

static int enqueue_lookup(gpucontext *ctx, cl_mem mem, size_t off, void **at) {
  lookup a = {NULL, at, off};
  const void *place = &a.mem;

  return GA_CL(clEnqueueNativeKernel(ctx->queue, look_up, &a, sizeof a, 1, &mem,
                                     &place, 0, NULL, NULL));
}

static int enqueue_run(gpucontext *ctx, native *run, const cl_mem *mems) {
  arguments a = {.run = run};
  const void *places[GA_NATIVE_OPERANDS];

  for (unsigned int i = 0; i < run->n; i++)
    places[i] = &a.mems[i];
  return GA_CL(clEnqueueNativeKernel(ctx->queue, call, &a, sizeof a, run->n,
                                     mems, places, 0, NULL, NULL));
}

static int enqueue_all(gpucontext *ctx, native *run, gpudata *const *bufs,
                       const size_t *offs) {
  cl_mem mems[GA_NATIVE_OPERANDS];

  for (unsigned int i = 0; i < run->n; i++) {
    const ga__native_operand *o = &run->operands[i];
    const int is_slot = o->work == NULL;
    const gpudata *d = is_slot ? bufs[o->slot] : o->work;
    const size_t off = (is_slot ? offs[o->slot] : 0) + (size_t)o->rel;
    size_t from;

    GA_TRY(ga__part_root(d->mem, &mems[i], &from));
    GA_TRY(enqueue_lookup(ctx, mems[i], from + off, &run->at[i]));
  }
  return enqueue_run(ctx, run, mems);
}

static int enqueue(void *state, gpucontext *ctx, gpudata *const *bufs,
                   const size_t *offs) {
  native *run = ga__memdup(state, sizeof *run);

  if (run == NULL)
    return ga__fail_nomem();
  const int err = enqueue_all(ctx, run, bufs, offs);
  if (err != GA_NO_ERROR) {
    ga__queue_settle(ctx); /* lookups may still write to it */
    ga__free(run);
    return err;
  }
  ctx->count.launches++;
  ga__queue_kick(ctx);
  return GA_NO_ERROR;
}

void ga__launch_native(GpuLaunch *l, ga__native_fn fn, const void *state,
                       size_t bytes, unsigned int n,
                       const ga__native_operand *operands,
                       const char *provider) {
  native *s = ga__calloc(1, sizeof *s);

  GA_ASSERT(n <= GA_NATIVE_OPERANDS && bytes <= GA_NATIVE_STATE);
  if (s == NULL) {
    ga__launch_error(l, ga__fail_nomem());
    return;
  }
  s->fn = fn;
  s->n = n;
  memcpy(s->state, state, bytes);
  memcpy(s->operands, operands, n * sizeof *operands);
  ga__launch_call(l, enqueue, s, provider);
}
