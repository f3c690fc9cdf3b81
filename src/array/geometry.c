/* SPDX-License-Identifier: BSD-2-Clause */
/* Sizes, strides and flags of arrays. */
#include "array/geometry.h"

#include <limits.h>
#include <string.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "base/dtype.h"

int ga__dims_total(size_t *total, unsigned int nd, const size_t *dims) {
  size_t n = 1;

  for (unsigned int k = 0; k < nd; k++) {
    if (dims[k] == 0) {
      *total = 0;
      return GA_NO_ERROR;
    }
  }
  for (unsigned int k = 0; k < nd; k++) {
    if (dims[k] > SSIZE_MAX / n)
      return ga__fail(GA_XLARGE_ERROR,
                      "dim %u: size %zu times %zu elements is too many", k,
                      dims[k], n);
    n *= dims[k];
  }
  *total = n;
  return GA_NO_ERROR;
}

int ga__dims_bytes(size_t *bytes, unsigned int nd, const size_t *dims,
                   size_t elsize) {
  size_t total = 0;

  *bytes = 0;
  GA_TRY(ga__dims_total(&total, nd, dims));
  if (total > SSIZE_MAX / elsize)
    return ga__fail(GA_XLARGE_ERROR, "%zu elements of %zu bytes", total,
                    elsize);
  *bytes = total * elsize;
  return GA_NO_ERROR;
}

int ga__extent(ssize_t *low, ssize_t *high, unsigned int nd, const size_t *dims,
               const ssize_t *strides, size_t elsize) {
  size_t down = 0, up = elsize;

  *low = *high = 0;
  for (unsigned int k = 0; k < nd; k++) {
    if (dims[k] == 0)
      return GA_NO_ERROR;
  }
  for (unsigned int k = 0; k < nd; k++) {
    size_t step = strides[k] < 0 ? 0 - (size_t)strides[k] : (size_t)strides[k];
    size_t *side = strides[k] < 0 ? &down : &up;
    if (step > 0 && dims[k] - 1 > SSIZE_MAX / step)
      return ga__fail(GA_XLARGE_ERROR, "dim %u: size %zu with stride %zd", k,
                      dims[k], strides[k]);
    size_t reach = (dims[k] - 1) * step;
    if (reach > SSIZE_MAX - *side)
      return ga__fail(GA_XLARGE_ERROR,
                      "dim %u: size %zu with stride %zd spans too many bytes",
                      k, dims[k], strides[k]);
    *side += reach;
  }
  *low = -(ssize_t)down;
  *high = (ssize_t)up;
  return GA_NO_ERROR;
}

void ga__strides_fill(ssize_t *strides, unsigned int nd, const size_t *dims,
                      size_t elsize, ga_order ord) {
  size_t step = elsize;

  for (unsigned int i = 0; i < nd; i++) {
    unsigned int k = ord == GA_F_ORDER ? i : nd - 1 - i;
    strides[k] = (ssize_t)step;
    /* Skip sizes of 0 and products that overflow. They occur in empty arrays
     * alone. */
    if (dims[k] != 0 && dims[k] <= SSIZE_MAX / step)
      step *= dims[k];
  }
}

ga_order ga__array_order(const GpuArray *a, ga_order ord) {
  if (ord != GA_ANY_ORDER)
    return ord;
  return GpuArray_IS_F_CONTIGUOUS(a) && !GpuArray_IS_C_CONTIGUOUS(a)
             ? GA_F_ORDER
             : GA_C_ORDER;
}

int ga__array_check(const GpuArray *a) {
  if (a == NULL)
    return ga__fail(GA_INVALID_ERROR, "the array is NULL");
  if (a->data == NULL)
    return ga__fail(GA_INVALID_ERROR, "the array is not initialised");
  return GA_NO_ERROR;
}

size_t ga__array_total(const GpuArray *a) {
  size_t n = 1;

  GA_ASSERT(a->nd == 0 || a->dimensions != NULL);
  for (unsigned int k = 0; k < a->nd; k++)
    n *= a->dimensions[k];
  return n;
}

/* GA_C_CONTIGUOUS, GA_F_CONTIGUOUS, or both: do dimensions follow each other
 * without gaps, from the last one to the first, or from the first one to the
 * last? Strides of dimensions of size 1 do not count. Empty arrays are
 * contiguous. */
static int find_order(const GpuArray *a, size_t elsize) {
  size_t c = elsize, f = elsize;
  int order = GA_C_CONTIGUOUS | GA_F_CONTIGUOUS;

  for (unsigned int i = 0; i < a->nd; i++) {
    const unsigned int k = a->nd - 1 - i;

    if (a->dimensions[i] == 0)
      return GA_C_CONTIGUOUS | GA_F_CONTIGUOUS;
    if (a->dimensions[i] != 1 && a->strides[i] != (ssize_t)f)
      order &= ~GA_F_CONTIGUOUS;
    if (a->dimensions[k] != 1 && a->strides[k] != (ssize_t)c)
      order &= ~GA_C_CONTIGUOUS;
    f *= a->dimensions[i];
    c *= a->dimensions[k];
  }
  return order;
}

/* `align` is a power of 2. */
static int is_aligned(const GpuArray *a, size_t align) {
  size_t bits = a->offset;

  for (unsigned int k = 0; k < a->nd; k++)
    bits |= a->dimensions[k] > 1 ? (size_t)a->strides[k] : 0;
  return (bits & (align - 1)) == 0;
}

void GpuArray_fix_flags(GpuArray *a) {
  const gpuarray_type *type = ga__type_of(a->typecode);

  a->flags &= ~(GA_C_CONTIGUOUS | GA_F_CONTIGUOUS | GA_ALIGNED);
  if (type == NULL)
    return;
  a->flags |= find_order(a, type->size);
  if (is_aligned(a, ga__type_align(type)))
    a->flags |= GA_ALIGNED;
}

int ga__array_set_shape(GpuArray *a, unsigned int nd, const size_t *dims,
                        const ssize_t *strides, size_t offset) {
  size_t *new_dims = ga__malloc(nd * sizeof *new_dims);
  ssize_t *new_strides = ga__malloc(nd * sizeof *new_strides);

  if (new_dims == NULL || new_strides == NULL) {
    ga__free(new_dims);
    ga__free(new_strides);
    return ga__fail_nomem();
  }
  if (nd > 0) {
    memcpy(new_dims, dims, nd * sizeof *new_dims);
    memcpy(new_strides, strides, nd * sizeof *new_strides);
  }
  ga__free(a->dimensions);
  ga__free(a->strides);
  a->dimensions = new_dims;
  a->strides = new_strides;
  a->nd = nd;
  a->offset = offset;
  GpuArray_fix_flags(a);
  return GA_NO_ERROR;
}

int ga__array_word(const GpuArray *a, size_t *parts) {
  const gpuarray_type *t = ga__type_of(a->typecode);
  const size_t bytes = ga__type_align(t) < 8 ? ga__type_align(t) : 8;

  *parts = t->size / bytes;
  return bytes == 1   ? GA_UBYTE
         : bytes == 2 ? GA_USHORT
         : bytes == 4 ? GA_UINT
                      : GA_ULONG;
}
