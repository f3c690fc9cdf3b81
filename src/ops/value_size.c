/* SPDX-License-Identifier: BSD-2-Clause */
#include "ops/value_size.h"

#include "base/dtype.h"

#define MOST_ELEMENTS (INT64_C(1) << 56)

static int fits(int64_t *n, uint64_t dim) {
  const uint64_t half = UINT64_C(1) << 28; /* most need no division */

  if ((dim > half || (uint64_t)*n > half) &&
      dim > (uint64_t)(MOST_ELEMENTS / *n))
    return 0;
  *n *= dim != 0 ? (int64_t)dim : 1;
  return 1;
}

int gg__sizes_fit(unsigned int nd, const int64_t *dims) {
  int64_t n = 1;

  for (unsigned int i = 0; i < nd; i++)
    if (dims[i] >= 0 && !fits(&n, (uint64_t)dims[i]))
      return 0;
  return 1;
}

int gg__dims_fit(const gg_dims *d) {
  int64_t n = 1;

  for (unsigned int i = 0; i < d->nd; i++)
    if (!fits(&n, d->dim[i]))
      return 0;
  return 1;
}

size_t gg__dims_count(const gg_dims *d) {
  size_t n = 1;

  for (unsigned int i = 0; i < d->nd; i++)
    n *= d->dim[i];
  return n;
}

size_t gg__array_count(const GpuArray *a) {
  size_t n = 1;

  for (unsigned int i = 0; i < a->nd; i++)
    n *= a->dimensions[i];
  return n;
}

size_t gg__array_bytes(const GpuArray *a) {
  return gg__array_count(a) * ga__dtype_size(a->typecode);
}
