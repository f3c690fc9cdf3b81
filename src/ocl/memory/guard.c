/* SPDX-License-Identifier: BSD-2-Clause */
/* Guarded buffers. The memory object d->around of one is
 *
 *     | guard_before | bytes | ZONE |
 *
 * and the buffer is the sub-buffer in the middle, at an origin that the device
 * aligns. So offsets, sizes and range checks are those of any buffer. */
#include "ocl/memory/guard.h"

#include <gpuarray/guard.h>
#include <string.h>

#include "base/arith.h"
#include "ocl/context.h"
#include "ocl/memory/part.h"
#include "ocl/memory/pool.h"

enum { BEFORE_MIN = 64, ZONE = 4096, PATTERN = 0xa5 };

/* Bytes of d->around that nothing may write. */
typedef struct zone {
  size_t start, bytes;
} zone;

static zone zone_before(const gpudata *d) {
  const size_t bytes = ga__at_most(d->guard_before, ZONE);

  return (zone){d->guard_before - bytes, bytes};
}

static zone zone_behind(const gpudata *d) {
  return (zone){d->guard_before + d->bytes, ZONE};
}

/* --- allocation --- */

/* Bytes before the buffer: the device's alignment of sub-buffers, at least
 * BEFORE_MIN. */
static int bytes_before(const gpucontext *ctx, size_t *out) {
  GA_TRY(ga__part_align(ctx, out));
  *out = ga__at_least(*out, BEFORE_MIN);
  return GA_NO_ERROR;
}

static int write_zone(const gpudata *d, zone z) {
  unsigned char pattern[ZONE];

  memset(pattern, PATTERN, sizeof pattern);
  d->ctx->unflushed = 0;
  return GA_CL(clEnqueueWriteBuffer(d->ctx->queue, d->around, CL_TRUE, z.start,
                                    z.bytes, pattern, 0, NULL, NULL));
}

static int write_guards(const gpudata *d) {
  GA_TRY(write_zone(d, zone_before(d)));
  return write_zone(d, zone_behind(d));
}

int ga__guard_alloc(gpudata **out, gpucontext *ctx, size_t bytes) {
  size_t before;

  GA_ASSERT(ga__ctx_is_locked(ctx));
  GA_TRY(bytes_before(ctx, &before));
  if (bytes > SIZE_MAX - before - ZONE)
    return ga__fail(GA_MEMORY_ERROR, "%zu bytes and guards", bytes);
  GA_TRY(ga__pool_alloc_inside(out, ctx, bytes, before, ZONE));
  int err = write_guards(*out);
  if (err == GA_NO_ERROR)
    return err;
  gpudata_release(*out);
  *out = NULL;
  return err;
}

/* --- checking --- */

int gpudata_has_guards(const gpudata *b) {
  return b->around != NULL;
}

/* Find the range [from, to) of a zone that has been written. It is empty if
 * from equals to. Blocks. */
static int look(const gpudata *d, zone z, size_t *from, size_t *to) {
  unsigned char got[ZONE];

  d->ctx->unflushed = 0;
  GA_TRY(GA_CL(clEnqueueReadBuffer(d->ctx->queue, d->around, CL_TRUE, z.start,
                                   z.bytes, got, 0, NULL, NULL)));
  for (*from = 0; *from < z.bytes && got[*from] == PATTERN; ++*from)
    ;
  for (*to = z.bytes; *to > *from && got[*to - 1] == PATTERN; --*to)
    ;
  return GA_NO_ERROR;
}

/* What has been written outside of a buffer, in bytes. */
typedef struct stray {
  size_t before, behind; /* how far before the start and beyond the end */
  ptrdiff_t first;       /* the lowest such byte, from the start */
} stray;

/* Find what has been written, and restore the guards. */
static int find_stray(gpudata *d, stray *out) {
  const zone before = zone_before(d), behind = zone_behind(d);
  size_t from, to;

  *out = (stray){0};
  GA_TRY(look(d, behind, &from, &to));
  if (to > from) {
    out->behind = to;
    out->first = (ptrdiff_t)(d->bytes + from);
  }
  GA_TRY(look(d, before, &from, &to));
  if (to > from) {
    out->before = before.bytes - from;
    out->first = -(ptrdiff_t)out->before;
  }
  return out->before + out->behind > 0 ? write_guards(d) : GA_NO_ERROR;
}

int gpudata_check_guards(gpudata *b) {
  stray s;

  if (b->around == NULL)
    return GA_NO_ERROR;
  ga__ctx_lock(b->ctx);
  int err = find_stray(b, &s);
  ga__ctx_unlock(b->ctx);
  if (err == GA_NO_ERROR && s.before + s.behind > 0)
    err = ga__fail(GA_VALUE_ERROR, "byte %td of a buffer of %zu was written",
                   s.first, b->bytes);
  return err;
}

int ga__guard_check_arg(gpudata *d, cl_kernel k, unsigned int arg) {
  char name[64];
  stray s;

  GA_ASSERT(d == NULL || ga__ctx_is_locked(d->ctx));
  if (d == NULL || d->around == NULL)
    return GA_NO_ERROR;
  GA_TRY(find_stray(d, &s));
  if (s.before + s.behind == 0)
    return GA_NO_ERROR;
  if (clGetKernelInfo(k, CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL) !=
      CL_SUCCESS)
    strcpy(name, "?");
  return ga__fail(GA_VALUE_ERROR,
                  "kernel %s wrote up to %zu bytes %s of argument %u, a buffer "
                  "of %zu bytes",
                  name, s.behind > 0 ? s.behind : s.before,
                  s.behind > 0 ? "behind the end" : "before the start", arg,
                  d->bytes);
}
