/* SPDX-License-Identifier: BSD-2-Clause */
/* Streams into and out of buffers. On a CPU device, a buffer is host memory,
 * and the pieces are parts of it. Otherwise pieces go through a stage or a
 * block of host memory, and their transfers overlap with the work of the
 * callback. */
#include "ocl/memory/stream_data.h"

#include "base/alloc.h"
#include "base/arith.h"
#include "ocl/context.h"
#include "ocl/memory/buffer.h"
#include "ocl/memory/index_guard.h"
#include "ocl/memory/mapped.h"
#include "ocl/memory/stage.h"
#include "ocl/objects.h"
#include "ocl/queue.h"

/* A piece of this size stays in a core's cache. */
#define MAPPED_PIECE_BYTES ((size_t)256 << 10)

static size_t piece_at(size_t done, size_t bytes) {
  return ga__at_most(bytes - done, GA_STAGE_PIECE_BYTES);
}

static int is_mapped(const gpudata *d) {
  return d->ctx->dev.caps.is_cpu;
}

static void count_write(gpucontext *ctx, size_t n) {
  ctx->count.host_writes++;
  ctx->count.write_bytes += n;
}

static void count_read(gpucontext *ctx, size_t n) {
  ctx->count.host_reads++;
  ctx->count.read_bytes += n;
}

/* --- in --- */

static int fill_mapped(gpudata *d, size_t off, size_t bytes, ga__filler fill,
                       void *arg) {
  ga__mapped m;

  GA_TRY(ga__mapped_start(&m, d, off, bytes, GA_MAP_OVERWRITE));
  int err = ga__mapped_wait(&m);
  for (size_t done = 0, n; done < bytes && err == GA_NO_ERROR; done += n) {
    n = ga__at_most(bytes - done, MAPPED_PIECE_BYTES);
    gpuarray_clear_error();
    err = fill(arg, m.p + done, n);
  }
  if (err == GA_NO_ERROR)
    err = ga__mapped_end(&m);
  else
    ga__mapped_end(&m);
  if (err == GA_NO_ERROR) {
    ga__ctx_lock(d->ctx);
    count_write(d->ctx, bytes);
    ga__ctx_unlock(d->ctx);
  }
  return err;
}

/* Lock held. */
static int load_piece(gpudata *d, size_t off, size_t n, ga__filler fill,
                      void *arg) {
  ga__stage_piece piece;

  GA_TRY(ga__stage_take(d->ctx, n, &piece));
  gpuarray_clear_error();
  GA_TRY(fill(arg, piece.host, n));
  GA_TRY(ga__stage_send(d->ctx, &piece, d->mem, off, n));
  return ga__queue_flush(d->ctx);
}

int ga__data_stream_in(gpudata *d, size_t off, size_t bytes, ga__filler fill,
                       void *arg) {
  int err = GA_NO_ERROR;

  GA_TRY(ga__data_check_range(d, off, bytes));
  if (is_mapped(d))
    return fill_mapped(d, off, bytes, fill, arg);
  for (size_t done = 0, n; done < bytes && err == GA_NO_ERROR; done += n) {
    n = piece_at(done, bytes);
    ga__ctx_lock(d->ctx);
    err = load_piece(d, off + done, n, fill, arg);
    if (err == GA_NO_ERROR)
      count_write(d->ctx, n);
    ga__ctx_unlock(d->ctx);
  }
  return err;
}

/* --- out --- */

static int check_indices(gpucontext *ctx, int err) {
  ga__ctx_lock(ctx);
  err = ga__index_guard_check(ctx, err);
  ga__ctx_unlock(ctx);
  return err;
}

/* A stream out of a buffer. It has two blocks of host memory: the device fills
 * one while `drain` reads the other. */
typedef struct outflow {
  gpudata *d;
  unsigned char *host[2];
  cl_event arrived[2];
} outflow;

static int start_read(outflow *f, int which, size_t off, size_t n) {
  gpucontext *ctx = f->d->ctx;
  int err;

  ga__ctx_lock(ctx);
  GA_CHECK(
      GA_CL(clEnqueueReadBuffer(ctx->queue, f->d->mem, CL_FALSE, off, n,
                                f->host[which], 0, NULL, &f->arrived[which])));
  count_read(ctx, n);
  err = ga__queue_flush(ctx);

done:
  ga__ctx_unlock(ctx);
  return err;
}

static int end_read(outflow *f, int which) {
  if (f->arrived[which] == NULL)
    return GA_NO_ERROR;
  ga__ctx_lock(f->d->ctx);
  int err = ga__queue_await(f->d->ctx, &f->arrived[which]);
  err = ga__index_guard_check(f->d->ctx, err);
  ga__ctx_unlock(f->d->ctx);
  return err;
}

static int flow_out(outflow *f, size_t off, size_t bytes, ga__drainer drain,
                    void *arg) {
  int now = 0;

  if (bytes > 0)
    GA_TRY(start_read(f, now, off, piece_at(0, bytes)));
  for (size_t done = 0, n; done < bytes; done += n) {
    n = piece_at(done, bytes);
    GA_TRY(end_read(f, now));
    if (done + n < bytes)
      GA_TRY(start_read(f, !now, off + done + n, piece_at(done + n, bytes)));
    gpuarray_clear_error();
    GA_TRY(drain(arg, f->host[now], n));
    now = !now;
  }
  return GA_NO_ERROR;
}

static int drain_mapped(gpudata *d, size_t off, size_t bytes, ga__drainer drain,
                        void *arg) {
  ga__mapped m;

  GA_TRY(ga__mapped_start(&m, d, off, bytes, GA_MAP_READ));
  int err = check_indices(d->ctx, ga__mapped_wait(&m));
  for (size_t done = 0, n; done < bytes && err == GA_NO_ERROR; done += n) {
    n = ga__at_most(bytes - done, MAPPED_PIECE_BYTES);
    gpuarray_clear_error();
    err = drain(arg, m.p + done, n);
  }
  ga__mapped_end(&m);
  if (err == GA_NO_ERROR) {
    ga__ctx_lock(d->ctx);
    count_read(d->ctx, bytes);
    ga__ctx_unlock(d->ctx);
  }
  return err;
}

int ga__data_stream_out(gpudata *d, size_t off, size_t bytes, ga__drainer drain,
                        void *arg) {
  const size_t block = piece_at(0, bytes);
  outflow f = {.d = d};

  GA_TRY(ga__data_check_range(d, off, bytes));
  if (is_mapped(d))
    return drain_mapped(d, off, bytes, drain, arg);
  f.host[0] = ga__malloc(2 * block);
  if (f.host[0] == NULL)
    return ga__fail_nomem();
  f.host[1] = f.host[0] + block;
  int err = flow_out(&f, off, bytes, drain, arg);
  end_read(&f, 0);
  end_read(&f, 1);
  ga__free(f.host[0]);
  return err;
}
