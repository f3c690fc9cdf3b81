/* SPDX-License-Identifier: BSD-2-Clause */
/* Guarded buffers. The memory object around one is
 *
 *     | guard_before | room | GUARD bytes |
 *
 * and the buffer the sub-buffer in the middle, whose origin the device wants
 * aligned. So offsets, sizes and checks of ranges are those of any buffer. */
#include <gpuarray/guard.h>
#include <limits.h>
#include <string.h>

#include "ocl/buffer.h"
#include "ocl/context.h"
#include "ocl/pool.h"

enum { GUARD = 64, PATTERN = 0xa5 };

/* Guards are checked in pieces of GUARD bytes: those before the buffer and
 * one behind it. */
static size_t pieces(const gpudata *d) {
  return d->guard_before / GUARD + 1;
}

/* Where piece k starts in the memory object. */
static size_t piece(const gpudata *d, size_t k) {
  return k + 1 < pieces(d) ? k * GUARD : d->guard_before + d->bytes;
}

/* --- making --- */

/* Bytes before the buffer: GUARD, or what sub-buffers start at multiples of,
 * which is a power of two. */
static int bytes_before(const gpucontext *ctx, size_t *out) {
  cl_uint bits = 0;

  GA_TRY(GA_CL(clGetDeviceInfo(ctx->dev.cl, CL_DEVICE_MEM_BASE_ADDR_ALIGN,
                               sizeof bits, &bits, NULL)));
  size_t align = bits / CHAR_BIT;
  *out = align > GUARD ? align : GUARD;
  return GA_NO_ERROR;
}

/* Write the pattern to both sides. Lock held. */
static int write_guards(gpudata *d) {
  gpucontext *ctx = d->ctx;
  unsigned char pattern[GUARD];

  memset(pattern, PATTERN, sizeof pattern);
  for (size_t k = 0; k < pieces(d); k++)
    GA_TRY(
        GA_CL(clEnqueueWriteBuffer(ctx->queue, d->around, CL_TRUE, piece(d, k),
                                   GUARD, pattern, 0, NULL, NULL)));
  ctx->unflushed = 0;
  return GA_NO_ERROR;
}

static int alloc_locked(gpudata **out, gpucontext *ctx, size_t bytes) {
  size_t before;

  GA_TRY(bytes_before(ctx, &before));
  if (bytes > SIZE_MAX - before - GUARD)
    return ga__fail(GA_MEMORY_ERROR, "%zu bytes and guards", bytes);
  GA_TRY(ga__pool_alloc_inside(out, ctx, bytes, before, GUARD));
  int err = write_guards(*out);
  if (err == GA_NO_ERROR && ctx->poison)
    err = ga__data_fill(*out, 0, bytes, 0xFF);
  if (err == GA_NO_ERROR)
    return err;
  gpudata_release(*out);
  *out = NULL;
  return err;
}

gpudata *gpudata_alloc_guarded(gpucontext *ctx, size_t sz, int *ret) {
  gpudata *d = NULL;

  ga__ctx_lock(ctx);
  int err = alloc_locked(&d, ctx, sz);
  ga__ctx_unlock(ctx);
  if (err != GA_NO_ERROR && ret != NULL)
    *ret = err;
  return d;
}

/* --- looking --- */

int gpudata_has_guards(const gpudata *b) {
  return b->around != NULL;
}

/* Lock held. */
static int check_piece(gpudata *d, size_t start) {
  gpucontext *ctx = d->ctx;
  unsigned char got[GUARD];
  size_t i = 0;

  GA_TRY(GA_CL(clEnqueueReadBuffer(ctx->queue, d->around, CL_TRUE, start, GUARD,
                                   got, 0, NULL, NULL)));
  ctx->unflushed = 0;
  while (i < GUARD && got[i] == PATTERN)
    i++;
  if (i == GUARD)
    return GA_NO_ERROR;
  GA_TRY(write_guards(d));
  return ga__fail(GA_VALUE_ERROR, "byte %td of a buffer of %zu was written",
                  (ptrdiff_t)(start + i) - (ptrdiff_t)d->guard_before,
                  d->bytes);
}

int gpudata_check_guards(gpudata *b) {
  int err = GA_NO_ERROR;

  if (b->around == NULL)
    return GA_NO_ERROR;
  ga__ctx_lock(b->ctx);
  for (size_t k = 0; k < pieces(b) && err == GA_NO_ERROR; k++)
    err = check_piece(b, piece(b, k));
  ga__ctx_unlock(b->ctx);
  return err;
}
