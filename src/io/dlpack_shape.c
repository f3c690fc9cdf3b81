/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the geometry of DLPack tensors, which are not trusted. Uses no
 * device. */
#include "io/dlpack_shape.h"

#include <limits.h>

#include <gpuarray/types.h>
#include <gpuarray/util.h>

#include "base/err.h"
#include "io/dlpack_type.h"

static int read_dims(ga__dlpack_shape *s, const dl_tensor *t) {
  if (t->ndim < 0 || t->ndim > GA_ND_MAX)
    return ga__fail(GA_VALUE_ERROR, "%d dimensions, the limit is %d",
                    (int)t->ndim, GA_ND_MAX);
  s->nd = (unsigned int)t->ndim;
  if (s->nd > 0 && t->shape == NULL)
    return ga__fail(GA_VALUE_ERROR, "%u dimensions without a shape", s->nd);
  for (unsigned int k = 0; k < s->nd; k++) {
    if (t->shape[k] < 0)
      return ga__fail(GA_VALUE_ERROR, "dim %u: size %lld", k,
                      (long long)t->shape[k]);
    s->dims[k] = (size_t)t->shape[k];
  }
  return ga__dims_total(&s->total, s->nd, s->dims);
}

static int read_strides(ga__dlpack_shape *s, const dl_tensor *t) {
  const ssize_t size = (ssize_t)gpuarray_get_elsize(s->typecode);

  if (t->strides == NULL) {
    ga__strides_fill(s->strides, s->nd, s->dims, (size_t)size, GA_C_ORDER);
    return GA_NO_ERROR;
  }
  for (unsigned int k = 0; k < s->nd; k++) {
    if (t->strides[k] > SSIZE_MAX / size || t->strides[k] < -SSIZE_MAX / size)
      return ga__fail(GA_XLARGE_ERROR, "dim %u: stride %lld of %zd bytes", k,
                      (long long)t->strides[k], size);
    s->strides[k] = (ssize_t)t->strides[k] * size;
  }
  return GA_NO_ERROR;
}

int ga__dlpack_shape_read(ga__dlpack_shape *s, const dl_tensor *t) {
  if (t->device_type != DL_CPU && t->device_type != DL_OPENCL)
    return ga__fail(GA_UNSUPPORTED_ERROR, "no DLPack device of type %d",
                    (int)t->device_type);
  GA_TRY(ga__dlpack_to_type(&s->typecode, &t->dtype));
  GA_TRY(read_dims(s, t));
  GA_TRY(read_strides(s, t));
  GA_TRY(ga__extent(&s->low, &s->high, s->nd, s->dims, s->strides,
                    gpuarray_get_elsize(s->typecode)));
  if (t->byte_offset > SSIZE_MAX)
    return ga__fail(GA_VALUE_ERROR, "a byte_offset of %lld",
                    (long long)t->byte_offset);
  if (s->total > 0 && t->data == NULL)
    return ga__fail(GA_VALUE_ERROR, "%zu elements without data", s->total);
  return GA_NO_ERROR;
}
