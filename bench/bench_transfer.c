/* SPDX-License-Identifier: BSD-2-Clause */
/* Transfers between two contexts beside what each device's link does alone: a
 * read and a write between the device and pinned memory of the host, in one
 * piece, by plain OpenCL. The reference is the slower of the two.
 *
 *   GPUARRAY_DEVICE=0:0 GPUARRAY_DEVICE2=0:1 bench_transfer
 *
 * Without GPUARRAY_DEVICE2 both contexts are on one device. */
#include <gpuarray/device.h>
#include <gpuarray/opencl.h>
#include <gpuarray/transfer.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

enum { REPS = 15 };

/* One side of a transfer: a buffer, and pinned memory. */
typedef struct side {
  gpucontext *ctx;
  gpuopencl cl;
  gpudata *data;
  cl_mem mem, pinned;
  void *host;
  size_t bytes;
} side;

static void open_side(side *s, const char *device) {
  bench_need(gpucontext_open(&s->ctx, device), "device");
  bench_need(gpucontext_opencl(s->ctx, &s->cl), "handles");
}

static void make_room(side *s, size_t bytes) {
  cl_int status;
  int err = 0;

  s->bytes = bytes;
  s->data = gpudata_alloc(s->ctx, bytes, NULL, 0, &err);
  bench_need(err, "buffer");
  bench_need(gpudata_opencl(s->data, &s->mem), "memory object");
  s->pinned =
      clCreateBuffer(s->cl.context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR,
                     bytes, NULL, &status);
  if (status == CL_SUCCESS)
    s->host = clEnqueueMapBuffer(s->cl.queue, s->pinned, CL_TRUE,
                                 CL_MAP_READ | CL_MAP_WRITE, 0, bytes, 0, NULL,
                                 NULL, &status);
  bench_need(status != CL_SUCCESS, "pinned memory");
  memset(s->host, 1, bytes);
}

static void drop_room(side *s) {
  clEnqueueUnmapMemObject(s->cl.queue, s->pinned, s->host, 0, NULL, NULL);
  clFinish(s->cl.queue);
  clReleaseMemObject(s->pinned);
  gpudata_release(s->data);
}

/* --- what is timed --- */

typedef struct pair {
  side *from, *to;
  GpuTransfer *t;
} pair;

static int read_link(void *arg) {
  const side *s = ((const pair *)arg)->from;

  return clEnqueueReadBuffer(s->cl.queue, s->mem, CL_TRUE, 0, s->bytes, s->host,
                             0, NULL, NULL);
}

static int write_link(void *arg) {
  const side *s = ((const pair *)arg)->to;

  return clEnqueueWriteBuffer(s->cl.queue, s->mem, CL_TRUE, 0, s->bytes,
                              s->host, 0, NULL, NULL);
}

static int transfer(void *arg) {
  const pair *p = arg;
  int err = gpudata_transfer(p->to->data, 0, p->from->data, 0, p->to->bytes);

  return err != 0 ? err : gpudata_sync(p->to->data);
}

static int in_halves(void *arg) {
  const pair *p = arg;
  int err = GpuTransfer_start(p->t, p->from->data, 0);

  if (err == 0)
    err = GpuTransfer_end(p->t, p->to->data, 0);
  return err != 0 ? err : gpudata_sync(p->to->data);
}

static void check(const pair *p, bench_fn fn) {
  unsigned char *in = malloc(p->to->bytes), *out = calloc(p->to->bytes, 1);

  bench_need(in == NULL || out == NULL, "host memory");
  for (size_t i = 0; i < p->to->bytes; i++)
    in[i] = (unsigned char)(i * 7 + (i >> 18));
  bench_need(gpudata_write(p->to->data, 0, out, p->to->bytes), "write");
  bench_need(gpudata_write(p->from->data, 0, in, p->to->bytes), "write");
  bench_need(fn((void *)(size_t)p), "transfer");
  bench_need(gpudata_read(out, p->to->data, 0, p->to->bytes), "read");
  if (memcmp(in, out, p->to->bytes) != 0) {
    fprintf(stderr, "other bytes arrived than were sent\n");
    exit(1);
  }
  free(in);
  free(out);
}

static void compare(pair *p, const char *what, bench_fn fn, bench_fn slower) {
  const double gb = 1e-9 * (double)p->to->bytes;
  bench_time ours, link;
  char name[64];

  check(p, fn);
  bench_pair(fn, p, slower, p, REPS, &ours, &link);
  snprintf(name, sizeof name, "%s %zu MiB", what, p->to->bytes >> 20);
  bench_print(name, gb / ours.median, "GB/s", gb / link.median);
}

static void measure(side *from, side *to, size_t bytes) {
  pair p = {from, to, NULL};
  bench_time in, out;

  make_room(from, bytes);
  make_room(to, bytes);
  bench_need(GpuTransfer_new(&p.t, to->ctx, from->ctx, bytes), "transfer");
  bench_pair(read_link, &p, write_link, &p, REPS, &in, &out);
  bench_print("read link", 1e-9 * (double)bytes / in.median, "GB/s", 0);
  bench_print("write link", 1e-9 * (double)bytes / out.median, "GB/s", 0);
  bench_fn slower = in.median > out.median ? read_link : write_link;
  compare(&p, "transfer", transfer, slower);
  compare(&p, "transfer in halves", in_halves, slower);
  GpuTransfer_free(p.t);
  drop_room(from);
  drop_room(to);
}

int main(void) {
  static const size_t sizes[] = {1, 4, 16, 64, 256}; /* MiB */
  side a = {.ctx = NULL}, b = {.ctx = NULL};

  open_side(&a, NULL);
  open_side(&b, getenv("GPUARRAY_DEVICE2"));
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    measure(&a, &b, sizes[i] << 20);
  gpucontext_deref(a.ctx);
  gpucontext_deref(b.ctx);
  return 0;
}
