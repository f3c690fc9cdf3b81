/* SPDX-License-Identifier: BSD-2-Clause */
/* What it costs to share an array with others: each case makes the foreign
 * object or ours, and lets go of it again. Nothing is copied, so it must not
 * depend on the size, here 64 MiB. */
#include <gpuarray/device.h>
#include <gpuarray/dlpack.h>
#include <gpuarray/opencl.h>

#include "bench.h"

enum { CALLS = 1000, REPS = 21, SIDE = 4096 };

typedef struct shared {
  gpucontext *ctx;
  GpuArray a;
  cl_mem mem;
  size_t offset;
} shared;

static const size_t dims[2] = {SIDE, SIDE};
static const ssize_t strides[2] = {SIDE * 4, 4};

static int from_opencl(shared *s) {
  GpuArray b;
  int err = GpuArray_from_opencl(&b, s->ctx, s->mem, s->offset, GA_FLOAT, 2,
                                 dims, strides, 1, NULL);

  GpuArray_clear(&b);
  return err;
}

static int to_opencl(shared *s) {
  cl_mem mem;
  size_t offset;

  return GpuArray_opencl(&s->a, &mem, &offset);
}

static int convert(shared *s) {
  const gpuwant want = {GA_KEEP_TYPE, GA_C_ORDER, GA_WANT_WHOLE_STRIDES};
  GpuArray b;
  int err = GpuArray_convert(&b, &s->a, &want, GA_COPY_NEVER);

  GpuArray_clear(&b);
  return err;
}

/* Out and in again; the way in calls the deleter. */
static int dlpack(shared *s) {
  struct DLManagedTensorVersioned *t;
  gpuopencl h;
  GpuArray b;
  int err = gpucontext_opencl(s->ctx, &h);

  if (err == 0)
    err = GpuArray_to_dlpack(&t, &s->a, GPU_DLPACK_OPENCL, GA_COPY_NEVER,
                             h.queue);
  if (err == 0)
    err = GpuArray_from_dlpack(&b, s->ctx, t, GA_COPY_NEVER, NULL);
  GpuArray_clear(&b);
  return err;
}

static int wait_event(shared *s) {
  cl_event ev;
  int err = gpucontext_event(s->ctx, &ev);

  if (err == 0)
    err = gpucontext_wait(s->ctx, 1, &ev);
  if (err == 0)
    clReleaseEvent(ev);
  return err;
}

typedef struct timed {
  shared *s;
  int (*fn)(shared *s);
} timed;

static int many(void *arg) {
  const timed *t = arg;
  int err = 0;

  for (int i = 0; i < CALLS && err == 0; i++)
    err = t->fn(t->s);
  return err;
}

int main(void) {
  static const struct {
    const char *name;
    int (*fn)(shared *s);
  } cases[] = {{"array to cl_mem", to_opencl},
               {"cl_mem to array", from_opencl},
               {"convert, shared", convert},
               {"DLPack out and in", dlpack},
               {"event out and in", wait_event}};
  shared s = {.ctx = NULL};

  bench_need(gpucontext_open(&s.ctx, NULL), "device");
  bench_need(GpuArray_zeros(&s.a, s.ctx, GA_FLOAT, 2, dims, GA_C_ORDER),
             "array");
  bench_need(GpuArray_opencl(&s.a, &s.mem, &s.offset), "memory object");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    timed t = {&s, cases[i].fn};
    const bench_time took = bench_median(many, &t, REPS);

    bench_print(cases[i].name, took.median / CALLS * 1e6, "us", 0);
  }
  GpuArray_clear(&s.a);
  gpucontext_deref(s.ctx);
  return 0;
}
