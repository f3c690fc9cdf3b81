/* SPDX-License-Identifier: BSD-2-Clause */
/* Making, clearing and filling arrays, and copies to and from the host. */
#include <gpuarray/array.h>

#include <limits.h>
#include <string.h>

#include "array/geometry.h"
#include "base/alloc.h"
#include "base/dtype.h"
#include "ocl/ocl.h"

/* --- make, clear --- */

static int check_type(int typecode, unsigned int nd, const size_t *dims) {
  if (ga__type_of(typecode) == NULL)
    return ga__fail(GA_VALUE_ERROR, "unknown typecode %d", typecode);
  if (nd > GA_ND_MAX)
    return ga__fail(GA_VALUE_ERROR, "%u dimensions, the limit is %d", nd,
                    GA_ND_MAX);
  if (nd > 0 && dims == NULL)
    return ga__fail(GA_VALUE_ERROR, "%u dimensions without sizes", nd);
  for (unsigned int k = 0; k < nd; k++) {
    if (dims[k] > SSIZE_MAX)
      return ga__fail(GA_XLARGE_ERROR, "dim %u: size %zu", k, dims[k]);
  }
  return GA_NO_ERROR;
}

int GpuArray_empty(GpuArray *a, gpucontext *ctx, int typecode, unsigned int nd,
                   const size_t *dims, ga_order ord) {
  ssize_t strides[GA_ND_MAX];
  size_t bytes;
  int err;

  memset(a, 0, sizeof *a);
  if (ctx == NULL)
    return ga__fail(GA_INVALID_ERROR, "the context is NULL");
  if (ord != GA_ANY_ORDER && ord != GA_C_ORDER && ord != GA_F_ORDER)
    return ga__fail(GA_VALUE_ERROR, "unknown order %d", (int)ord);
  GA_TRY(check_type(typecode, nd, dims));
  size_t elsize = gpuarray_get_elsize(typecode);
  GA_TRY(ga__dims_bytes(&bytes, nd, dims, elsize));

  ga__strides_fill(strides, nd, dims, elsize, ord);
  a->typecode = typecode;
  a->flags = GA_WRITEABLE;
  a->data = gpudata_alloc(ctx, bytes, NULL, GA_BUFFER_READ_WRITE, &err);
  if (a->data == NULL)
    goto done;
  GA_CHECK(ga__array_set_shape(a, nd, dims, strides, 0));

done:
  if (err != GA_NO_ERROR)
    GpuArray_clear(a);
  return err;
}

int GpuArray_zeros(GpuArray *a, gpucontext *ctx, int typecode, unsigned int nd,
                   const size_t *dims, ga_order ord) {
  int err;

  GA_TRY(GpuArray_empty(a, ctx, typecode, nd, dims, ord));
  if (ga__array_total(a) == 0)
    return GA_NO_ERROR;
  GA_CHECK(gpudata_memset(a->data, 0, 0));

done:
  if (err != GA_NO_ERROR)
    GpuArray_clear(a);
  return err;
}

/* Check that every element lies in [0, bytes) of the buffer. */
static int check_inside(size_t bytes, size_t offset, ssize_t low,
                        ssize_t high) {
  size_t below = (size_t)-low;

  if (offset < below)
    return ga__fail(GA_VALUE_ERROR,
                    "offset %zu: elements reach %zu bytes below it", offset,
                    below);
  if (offset > bytes || (size_t)high > bytes - offset)
    return ga__fail(GA_VALUE_ERROR,
                    "offset %zu: elements reach %zd bytes on in a buffer of "
                    "%zu",
                    offset, high, bytes);
  return GA_NO_ERROR;
}

int GpuArray_fromdata(GpuArray *a, gpudata *data, size_t offset, int typecode,
                      unsigned int nd, const size_t *dims,
                      const ssize_t *strides, int writeable) {
  ssize_t low, high;
  size_t bytes;
  int err;

  memset(a, 0, sizeof *a);
  if (data == NULL)
    return ga__fail(GA_INVALID_ERROR, "the buffer is NULL");
  GA_TRY(check_type(typecode, nd, dims));
  GA_TRY(ga__dims_bytes(&bytes, nd, dims, gpuarray_get_elsize(typecode)));
  if (nd > 0 && strides == NULL)
    return ga__fail(GA_VALUE_ERROR, "%u dimensions without strides", nd);
  GA_TRY(ga__extent(&low, &high, nd, dims, strides,
                    gpuarray_get_elsize(typecode)));
  GA_TRY(gpudata_property(data, GA_BUFFER_PROP_SIZE, &bytes));
  GA_TRY(check_inside(bytes, offset, low, high));

  a->typecode = typecode;
  a->flags = writeable ? GA_WRITEABLE : 0;
  GA_CHECK(ga__array_set_shape(a, nd, dims, strides, offset));
  a->data = data;
  gpudata_retain(data);

done:
  if (err != GA_NO_ERROR)
    GpuArray_clear(a);
  return err;
}

void GpuArray_clear(GpuArray *a) {
  if (a == NULL)
    return;
  gpudata_release(a->data);
  ga__free(a->dimensions);
  ga__free(a->strides);
  memset(a, 0, sizeof *a);
}

/* --- ask --- */

int GpuArray_share(const GpuArray *a, const GpuArray *b) {
  ssize_t low_a, high_a, low_b, high_b;

  if (a == NULL || b == NULL || a->data == NULL || b->data == NULL)
    return 0;
  if (a->data != b->data)
    return gpudata_share(a->data, b->data, NULL) == 1;
  if (ga__array_total(a) == 0 || ga__array_total(b) == 0)
    return 0;
  if (ga__extent(&low_a, &high_a, a->nd, a->dimensions, a->strides,
                 GpuArray_ITEMSIZE(a)) != GA_NO_ERROR ||
      ga__extent(&low_b, &high_b, b->nd, b->dimensions, b->strides,
                 GpuArray_ITEMSIZE(b)) != GA_NO_ERROR)
    return 1;
  return (ssize_t)a->offset + low_a < (ssize_t)b->offset + high_b &&
         (ssize_t)b->offset + low_b < (ssize_t)a->offset + high_a;
}

gpucontext *GpuArray_context(const GpuArray *a) {
  return a && a->data ? gpudata_context(a->data) : NULL;
}

const char *GpuArray_error(const GpuArray *a, int err) {
  return gpucontext_error(GpuArray_context(a), err);
}

int GpuArray_sync(GpuArray *a) {
  GA_TRY(ga__array_check(a));
  return gpudata_sync(a->data);
}

/* --- to and from the host --- */

/* Check that the array is contiguous and has at least `bytes` bytes. */
static int check_plain(const GpuArray *a, size_t bytes) {
  GA_TRY(ga__array_check(a));
  if (!GpuArray_ISONESEGMENT(a))
    return ga__fail(GA_UNSUPPORTED_ERROR, "the array is not contiguous");
  size_t have = ga__array_total(a) * GpuArray_ITEMSIZE(a);
  if (bytes > have)
    return ga__fail(GA_VALUE_ERROR, "%zu bytes for an array of %zu", bytes,
                    have);
  return GA_NO_ERROR;
}

static int check_writeable(const GpuArray *a) {
  if (!GpuArray_ISWRITEABLE(a))
    return ga__fail(GA_VALUE_ERROR, "the array is not writeable");
  return GA_NO_ERROR;
}

int GpuArray_write(GpuArray *dst, const void *src, size_t src_sz) {
  GA_TRY(ga__array_check(dst));
  GA_TRY(check_writeable(dst));
  GA_TRY(check_plain(dst, src_sz));
  if (src_sz == 0)
    return GA_NO_ERROR;
  if (src == NULL)
    return ga__fail(GA_VALUE_ERROR, "%zu bytes from NULL", src_sz);
  return gpudata_write(dst->data, dst->offset, src, src_sz);
}

int GpuArray_read(void *dst, size_t dst_sz, const GpuArray *src) {
  GA_TRY(check_plain(src, dst_sz));
  if (dst_sz == 0)
    return GA_NO_ERROR;
  if (dst == NULL)
    return ga__fail(GA_VALUE_ERROR, "%zu bytes to NULL", dst_sz);
  return gpudata_read(dst, src->data, src->offset, dst_sz);
}

int GpuArray_memset(GpuArray *a, int data) {
  GA_TRY(ga__array_check(a));
  GA_TRY(check_writeable(a));
  GA_TRY(check_plain(a, 0));
  size_t bytes = ga__array_total(a) * GpuArray_ITEMSIZE(a);
  if (bytes == 0)
    return GA_NO_ERROR;
  return ga__data_fill(a->data, a->offset, bytes, data);
}
