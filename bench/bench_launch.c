/* SPDX-License-Identifier: BSD-2-Clause */
/* What the runtime costs on top of OpenCL: host time per launch, per call of
 * the array interface, per buffer, read, write and context, each beside the
 * plain calls it stands for. */
#include "bench.h"

#include <gpuarray/array.h>
#include <gpuarray/device.h>
#include <gpuarray/elemwise.h>

#include <stdio.h>
#include <stdlib.h>

#include "ocl/ocl.h"

enum { LAUNCHES = 1000, ITEMS = 64, MOVED = 16 << 20 };

static const char *const text =
    "kernel void touch(global float *x, ulong off, ulong n) {\n"
    "  size_t i = get_global_id(0);\n"
    "  if (i < n)\n"
    "    x[off / 4 + i] += 1;\n}\n";

typedef struct setup {
  gpucontext *ctx;
  GpuLaunch *launch;
  cl_kernel raw;
  gpudata *data, *other, *large;
  char *host;       /* MOVED bytes */
  GpuElemwise *add; /* x = x + 1, as the kernel does */
  GpuArray x[2];    /* over data and other */
  int platform, device;
} setup;

/* --- launching --- */

static int run_launch(void *arg) {
  setup *s = arg;

  for (int i = 0; i < LAUNCHES; i++)
    GA_TRY(GpuLaunch_run(s->launch));
  return GA_NO_ERROR;
}

static int run_raw(void *arg) {
  const size_t gs = ITEMS, ls = ITEMS;
  setup *s = arg;
  cl_command_queue queue = ga__ctx_queue(s->ctx);

  for (int i = 0; i < LAUNCHES; i++)
    GA_TRY(GA_CL(clEnqueueNDRangeKernel(queue, s->raw, 1, NULL, &gs, &ls, 0,
                                        NULL, NULL)));
  return GA_NO_ERROR;
}

static int rebind_launch(void *arg) {
  setup *s = arg;

  for (int i = 0; i < LAUNCHES; i++) {
    GA_TRY(GpuLaunch_bind(s->launch, 0, i % 2 ? s->data : s->other, 0));
    GA_TRY(GpuLaunch_run(s->launch));
  }
  return GA_NO_ERROR;
}

static int rebind_raw(void *arg) {
  const size_t gs = ITEMS, ls = ITEMS;
  setup *s = arg;
  cl_command_queue queue = ga__ctx_queue(s->ctx);
  cl_ulong off = 0;

  for (int i = 0; i < LAUNCHES; i++) {
    cl_mem mem = ga__data_mem(i % 2 ? s->data : s->other);

    GA_TRY(GA_CL(clSetKernelArg(s->raw, 0, sizeof mem, &mem)));
    GA_TRY(GA_CL(clSetKernelArg(s->raw, 1, sizeof off, &off)));
    GA_TRY(GA_CL(clEnqueueNDRangeKernel(queue, s->raw, 1, NULL, &gs, &ls, 0,
                                        NULL, NULL)));
  }
  return GA_NO_ERROR;
}

/* Calls with arrays that change, as those of the loop above. */
static int run_elemwise(void *arg) {
  setup *s = arg;

  for (int i = 0; i < LAUNCHES; i++)
    GA_TRY(GpuElemwise_call(s->add, (void *[]){&s->x[i % 2]}, 0));
  return GA_NO_ERROR;
}

/* Only the enqueuing counts; the device catches up between the samples. */
static double host_ns(setup *s, bench_fn fn) {
  bench_need(gpudata_sync(s->data), "sync");
  double t0 = bench_now();
  bench_need(fn(s), "launch");
  double t1 = bench_now();
  bench_need(gpudata_sync(s->data), "sync");
  return (t1 - t0) * 1e9 / LAUNCHES;
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;

  return (x > y) - (x < y);
}

static void compare_host(setup *s, const char *name, bench_fn fn,
                         bench_fn ref) {
  enum { REPS = 31 };
  double t[REPS], u[REPS];

  host_ns(s, fn);
  host_ns(s, ref);
  for (int i = 0; i < REPS; i++) {
    t[i] = host_ns(s, fn);
    u[i] = host_ns(s, ref);
  }
  qsort(t, REPS, sizeof *t, by_value);
  qsort(u, REPS, sizeof *u, by_value);
  bench_print(name, t[REPS / 2], "ns", u[REPS / 2]);
}

/* --- to the end, with the device --- */

static int finish_launch(void *arg) {
  setup *s = arg;

  GA_TRY(run_launch(s));
  return gpudata_sync(s->data);
}

static int finish_raw(void *arg) {
  setup *s = arg;

  GA_TRY(run_raw(s));
  return GA_CL(clFinish(ga__ctx_queue(s->ctx)));
}

static int finish_elemwise(void *arg) {
  setup *s = arg;

  GA_TRY(run_elemwise(s));
  return gpudata_sync(s->data);
}

static int finish_rebound(void *arg) {
  setup *s = arg;

  GA_TRY(rebind_raw(s));
  return GA_CL(clFinish(ga__ctx_queue(s->ctx)));
}

/* --- reads and writes --- */

static int write_ours(void *arg) {
  setup *s = arg;

  GA_TRY(gpudata_write(s->large, 0, s->host, MOVED));
  return gpudata_sync(s->large);
}

static int write_raw(void *arg) {
  setup *s = arg;

  return GA_CL(clEnqueueWriteBuffer(ga__ctx_queue(s->ctx),
                                    ga__data_mem(s->large), CL_TRUE, 0, MOVED,
                                    s->host, 0, NULL, NULL));
}

static int read_ours(void *arg) {
  setup *s = arg;

  return gpudata_read(s->host, s->large, 0, MOVED);
}

static int read_raw(void *arg) {
  setup *s = arg;

  return GA_CL(clEnqueueReadBuffer(ga__ctx_queue(s->ctx),
                                   ga__data_mem(s->large), CL_TRUE, 0, MOVED,
                                   s->host, 0, NULL, NULL));
}

/* --- buffers --- */

static int pool_buffers(void *arg) {
  setup *s = arg;

  for (int i = 0; i < LAUNCHES; i++) {
    int err = GA_NO_ERROR;
    gpudata *d = gpudata_alloc(s->ctx, 65536, NULL, 0, &err);

    GA_TRY(err);
    gpudata_release(d);
  }
  return GA_NO_ERROR;
}

static int raw_buffers(void *arg) {
  setup *s = arg;

  for (int i = 0; i < LAUNCHES; i++) {
    cl_int status;
    cl_mem m = clCreateBuffer(ga__ctx_cl(s->ctx), CL_MEM_READ_WRITE, 65536,
                              NULL, &status);

    GA_TRY(status == CL_SUCCESS ? GA_NO_ERROR
                                : ga__fail_status("clCreateBuffer", status));
    clReleaseMemObject(m);
  }
  return GA_NO_ERROR;
}

/* --- contexts: the loader has been started already for both --- */

static int open_context(void *arg) {
  gpucontext *ctx;

  (void)arg;
  GA_TRY(gpucontext_open(&ctx, NULL));
  gpucontext_deref(ctx);
  return GA_NO_ERROR;
}

static int open_raw(void *arg) {
  setup *s = arg;
  cl_platform_id platforms[16];
  cl_device_id devices[16];
  cl_uint n;
  cl_int status;

  GA_TRY(GA_CL(clGetPlatformIDs(16, platforms, &n)));
  GA_TRY(GA_CL(clGetDeviceIDs(platforms[s->platform], CL_DEVICE_TYPE_ALL, 16,
                              devices, &n)));
  cl_context ctx =
      clCreateContext(NULL, 1, &devices[s->device], NULL, NULL, &status);
  if (status != CL_SUCCESS)
    return ga__fail_status("clCreateContext", status);
  cl_command_queue queue =
      clCreateCommandQueue(ctx, devices[s->device], 0, &status);
  if (status != CL_SUCCESS)
    return ga__fail_status("clCreateCommandQueue", status);
  clReleaseCommandQueue(queue);
  clReleaseContext(ctx);
  return GA_NO_ERROR;
}

/* --- setting up --- */

static void prepare(setup *s) {
  ga__source src = {.n = 1, .parts = &text, .entry = "touch"};
  size_t items = ITEMS;
  int err = GA_NO_ERROR;

  s->data = gpudata_alloc(s->ctx, ITEMS * 4, NULL, 0, &err);
  bench_need(err, "buffer");
  s->other = gpudata_alloc(s->ctx, ITEMS * 4, NULL, 0, &err);
  bench_need(err, "buffer");
  bench_need(gpudata_memset(s->data, 0, 0), "zeros");
  GpuArray a = {.data = s->data};
  s->launch = ga__launch_open(s->ctx, "touch", 1);
  ga__launch_kernel(s->launch, &src, 1, &items, &items);
  ga__launch_slot(s->launch, 0);
  ga__launch_offset(s->launch, 0, 0);
  ga__launch_size(s->launch, ITEMS);
  ga__launch_bind_array(s->launch, 0, &a);
  bench_need(ga__launch_seal(&s->launch, s->launch), "launch");

  bench_need(ga__kernel_get(&s->raw, s->ctx, &src), "kernel");
  cl_mem mem = ga__data_mem(s->data);
  bench_need(GA_CL(clSetKernelArg(s->raw, 0, sizeof mem, &mem)), "argument");
  bench_need(GA_CL(clSetKernelArg(s->raw, 1, 8, &(cl_ulong){0})), "argument");
  bench_need(GA_CL(clSetKernelArg(s->raw, 2, 8, &(cl_ulong){ITEMS})),
             "argument");
}

static void prepare_arrays(setup *s) {
  gpuelemwise_arg arg = {"x", GA_FLOAT, GE_READ | GE_WRITE};
  const size_t n = ITEMS;
  const ssize_t stride = sizeof(float);
  int err = GA_NO_ERROR;

  s->add = GpuElemwise_new(s->ctx, NULL, "x = x + 1", 1, &arg, 1, 0);
  bench_need(s->add != NULL ? GA_NO_ERROR : GA_MISC_ERROR, "expression");
  for (int i = 0; i < 2; i++)
    bench_need(GpuArray_fromdata(&s->x[i], i == 0 ? s->other : s->data, 0,
                                 GA_FLOAT, 1, &n, &stride, 1),
               "array");
  s->large = gpudata_alloc(s->ctx, MOVED, NULL, 0, &err);
  bench_need(err, "buffer");
  s->host = calloc(MOVED, 1);
  bench_need(s->host != NULL ? GA_NO_ERROR : GA_MEMORY_ERROR, "memory");
}

static void check(setup *s) {
  float got[ITEMS];

  bench_need(run_launch(s), "launch");
  bench_need(run_raw(s), "launch");
  bench_need(gpudata_read(got, s->data, 0, sizeof got), "read");
  for (int i = 0; i < ITEMS; i++) {
    if (got[i] != 2 * LAUNCHES) {
      fprintf(stderr, "item %d is %g, expected %d\n", i, (double)got[i],
              2 * LAUNCHES);
      exit(1);
    }
  }
}

static void compare(setup *s, const char *name, bench_fn fn, bench_fn ref,
                    double scale, const char *unit) {
  bench_time t, u;

  bench_pair(fn, s, ref, s, 21, &t, &u);
  bench_print(name, t.median * scale, unit, u.median * scale);
}

int main(void) {
  setup s = {0};
  double t0 = bench_now();

  bench_need(gpucontext_open(&s.ctx, NULL), "context");
  bench_print("first context in the process", (bench_now() - t0) * 1e3, "ms",
              0);
  bench_need(gpudevice_choose(NULL, &s.platform, &s.device, NULL, 0), "device");
  prepare(&s);
  check(&s);
  prepare_arrays(&s);
  compare_host(&s, "host time per launch", run_launch, run_raw);
  compare_host(&s, "host time per rebound launch", rebind_launch, rebind_raw);
  compare_host(&s, "host time per elementwise call", run_elemwise, rebind_raw);
  compare(&s, "launch to its end, in a row", finish_launch, finish_raw,
          1e9 / LAUNCHES, "ns");
  compare(&s, "elementwise call to its end", finish_elemwise, finish_rebound,
          1e9 / LAUNCHES, "ns");
  compare(&s, "write 16 MiB", write_ours, write_raw, 1e3, "ms");
  compare(&s, "read 16 MiB", read_ours, read_raw, 1e3, "ms");
  compare(&s, "buffer of 64 KiB", pool_buffers, raw_buffers, 1e9 / LAUNCHES,
          "ns");
  compare(&s, "context", open_context, open_raw, 1e3, "ms");
  clReleaseKernel(s.raw);
  GpuLaunch_free(s.launch);
  GpuElemwise_free(s.add);
  GpuArray_clear(&s.x[0]);
  GpuArray_clear(&s.x[1]);
  free(s.host);
  gpudata_release(s.large);
  gpudata_release(s.data);
  gpudata_release(s.other);
  gpucontext_deref(s.ctx);
  return 0;
}
