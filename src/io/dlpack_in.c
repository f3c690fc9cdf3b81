/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes arrays from DLPack tensors. */
#include <gpuarray/dlpack.h>
#include <gpuarray/opencl.h>

#include <string.h>

#include "array/geometry.h"
#include "base/alloc.h"
#include "io/dlpack_shape.h"
#include "ocl/ocl.h"

/* --- share OpenCL memory, share or copy host memory --- */

static int take_opencl(GpuArray *a, gpucontext *ctx, const dl_tensor *t,
                       const ga__dlpack_shape *s, int writeable,
                       const gpuforeign *how) {
  gpudata *d = NULL;
  int err, can_read, can_write;

  GA_CHECK(gpudata_from_opencl(&d, ctx, t->data, how));
  GA_CHECK(ga__data_access(&can_read, &can_write, d));
  if (!can_read)
    GA_CHECK(ga__fail(GA_WRITEONLY_ERROR,
                      "kernels may only write the memory object"));
  GA_CHECK(GpuArray_fromdata(a, d, (size_t)t->byte_offset, s->typecode, s->nd,
                             s->dims, s->strides, writeable && can_write));

done:
  if (err != GA_NO_ERROR && d != NULL)
    ga__data_disown(d);
  gpudata_release(d);
  return err;
}

/* The address of the lowest byte of all elements in host memory. */
static char *low_byte(const dl_tensor *t, const ga__dlpack_shape *s) {
  return (char *)t->data + t->byte_offset + s->low;
}

static int share_host(GpuArray *a, gpucontext *ctx, const dl_tensor *t,
                      const ga__dlpack_shape *s, int writeable,
                      const gpuforeign *how) {
  gpudata *d = NULL;
  size_t offset;
  int err;

  GA_CHECK(gpudata_from_host(&d, &offset, ctx, low_byte(t, s),
                             (size_t)(s->high - s->low), how));
  GA_CHECK(GpuArray_fromdata(a, d, offset + (size_t)-s->low, s->typecode, s->nd,
                             s->dims, s->strides, writeable));

done:
  if (err != GA_NO_ERROR && d != NULL)
    ga__data_disown(d);
  gpudata_release(d);
  return err;
}

/* Copy all bytes that the elements span, with gaps, so strides stay the
 * same. */
static int copy_host(GpuArray *a, gpucontext *ctx, const dl_tensor *t,
                     const ga__dlpack_shape *s) {
  int err = GA_NO_ERROR;

  gpudata *d = gpudata_alloc(ctx, (size_t)(s->high - s->low), low_byte(t, s),
                             GA_BUFFER_INIT, &err);
  if (d == NULL)
    return err;
  err = GpuArray_fromdata(a, d, (size_t)-s->low, s->typecode, s->nd, s->dims,
                          s->strides, 1);
  gpudata_release(d);
  return err;
}

/* --- the choice --- */

typedef struct offer {
  const dl_tensor *tensor;
  gpuforeign how; /* calls its deleter */
  int writeable;
} offer;

/* Share the tensor's memory, or copy it. *is_done tells that it was copied and
 * the tensor is no longer needed. */
static int take_host(GpuArray *a, int *is_done, gpucontext *ctx, const offer *o,
                     const ga__dlpack_shape *s, ga_copyif copy) {
  int err = GA_DEVSUP_ERROR;

  if (copy != GA_COPY_ALWAYS)
    err = share_host(a, ctx, o->tensor, s, o->writeable, &o->how);
  if (err != GA_DEVSUP_ERROR)
    return err;
  if (copy == GA_COPY_NEVER)
    return ga__fail(GA_COPY_ERROR, "the device has memory of its own");
  *is_done = 1;
  return copy_host(a, ctx, o->tensor, s);
}

static int take_device(GpuArray *a, int *is_done, gpucontext *ctx,
                       const offer *o, const ga__dlpack_shape *s,
                       ga_copyif copy) {
  const gpuforeign still = {GPU_RETAIN, NULL, NULL};
  GpuArray shared = {0};
  int err;

  if (copy != GA_COPY_ALWAYS)
    return take_opencl(a, ctx, o->tensor, s, o->writeable, &o->how);
  GA_TRY(take_opencl(&shared, ctx, o->tensor, s, o->writeable, &still));
  GA_CHECK(GpuArray_copy(a, &shared, GA_ANY_ORDER));
  GA_CHECK(GpuArray_sync(a));
  *is_done = 1;

done:
  if (err != GA_NO_ERROR)
    GpuArray_clear(a);
  GpuArray_clear(&shared);
  return err;
}

static int take(GpuArray *a, gpucontext *ctx, const offer *o, ga_copyif copy,
                void *stream) {
  int is_done = 0;
  ga__dlpack_shape s = {0};

  if (ctx == NULL)
    return ga__fail(GA_INVALID_ERROR, "the context is NULL");
  GA_TRY(ga__dlpack_shape_read(&s, o->tensor));
  GA_TRY(ga__ctx_join_queue(ctx, stream));
  if (s.total == 0) {
    is_done = 1;
    GA_TRY(GpuArray_empty(a, ctx, s.typecode, s.nd, s.dims, GA_C_ORDER));
  } else if (o->tensor->device_type == DL_CPU) {
    GA_TRY(take_host(a, &is_done, ctx, o, &s, copy));
  } else {
    GA_TRY(take_device(a, &is_done, ctx, o, &s, copy));
  }
  if (is_done && o->how.drop != NULL)
    o->how.drop(o->how.base);
  return GA_NO_ERROR;
}

/* --- versioned and legacy tensors --- */

static void drop_now(void *p) {
  struct DLManagedTensorVersioned *t = p;

  t->deleter(t);
}

static void drop_legacy(void *p) {
  struct DLManagedTensor *t = p;

  t->deleter(t);
}

int GpuArray_from_dlpack(GpuArray *a, gpucontext *ctx,
                         struct DLManagedTensorVersioned *t, ga_copyif copy,
                         void *stream) {
  memset(a, 0, sizeof *a);
  if (t == NULL)
    return ga__fail(GA_INVALID_ERROR, "the tensor is NULL");
  if (t->major != DL_MAJOR)
    return ga__fail(GA_UNSUPPORTED_ERROR, "DLPack %u.%u, expected %d.x",
                    t->major, t->minor, DL_MAJOR);
  return take(a, ctx,
              &(offer){.tensor = &t->tensor,
                       .how = {GPU_RETAIN, t, t->deleter ? drop_now : NULL},
                       .writeable = !(t->flags & DL_READ_ONLY)},
              copy, stream);
}

int GpuArray_from_dlpack_legacy(GpuArray *a, gpucontext *ctx,
                                struct DLManagedTensor *t, ga_copyif copy,
                                void *stream) {
  memset(a, 0, sizeof *a);
  if (t == NULL)
    return ga__fail(GA_INVALID_ERROR, "the tensor is NULL");
  return take(a, ctx,
              &(offer){.tensor = &t->tensor,
                       .how = {GPU_RETAIN, t, t->deleter ? drop_legacy : NULL},
                       .writeable = 1},
              copy, stream);
}
