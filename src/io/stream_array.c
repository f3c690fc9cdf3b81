/* SPDX-License-Identifier: BSD-2-Clause */
/* Streams elements into and out of arrays. */
#include <gpuarray/stream.h>

#include <gpuarray/convert.h>

#include "array/geometry.h"
#include "ocl/memory/stream_data.h"

static size_t bytes_of(const GpuArray *a) {
  return ga__array_total(a) * GpuArray_ITEMSIZE(a);
}

int GpuArray_stream_in(GpuArray *a, gpuarray_fill_fn fill, void *arg) {
  GA_TRY(ga__array_check(a));
  if (!GpuArray_IS_C_CONTIGUOUS(a) || !GpuArray_ISWRITEABLE(a))
    return ga__fail(GA_VALUE_ERROR,
                    "only C contiguous, writable arrays can be filled");
  return ga__data_stream_in(a->data, a->offset, bytes_of(a), fill, arg);
}

int GpuArray_stream_out(const GpuArray *a, gpuarray_drain_fn drain, void *arg) {
  const gpuwant want = {GA_KEEP_TYPE, GA_C_ORDER, 0};
  GpuArray plain = {0};
  int err;

  GA_TRY(ga__array_check(a));
  GA_CHECK(GpuArray_convert(&plain, a, &want, GA_COPY_IF_NEEDED));
  GA_CHECK(ga__data_stream_out(plain.data, plain.offset, bytes_of(&plain),
                               drain, arg));

done:
  GpuArray_clear(&plain);
  return err;
}
